"""How good answers are: classes by counts, values by distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gristmill.evaluation.metrics import ClassScores, accuracy, class_scores, mean_squared_error, r2_score

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

_SURE = 1.959963984540054  # standard deviations, for an interval that holds the truth 95 times of 100


@dataclass(frozen=True, eq=False)
class JudgedClasses:
    """Answers that are classes.

    `classes` are those that occur, `counts` examples by true class and answer; `macro` are means over classes.
    """

    examples: int
    right: int
    accuracy: float
    interval: tuple[float, float]  # of the accuracy, by Wilson
    classes: list[ClassScores]  # labels are names
    macro: tuple[float, float, float]  # precision, recall, F1
    names: tuple[str, ...]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class JudgedValues:
    """Answers that are numbers; nan where nothing can be divided."""

    examples: int
    mean_squared_error: float
    mean_absolute_error: float
    r2: float
    largest_error: float


@dataclass(frozen=True)
class JudgedOrder:
    """Answers of which the order counts: pairs of examples that differ in truth, and the share in the right order."""

    examples: int
    pairs: int
    in_order: float  # equal answers are half right; nan without pairs


def judge_classes(truth: Numbers, answers: Numbers, names: Sequence[str]) -> JudgedClasses:
    """Count; numbers of classes are places in `names`."""
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(counts, (truth, answers), 1)
    of_numbers = class_scores(truth, answers)
    scores = [ClassScores(names[one.label], one.precision, one.recall, one.f1, one.support) for one in of_numbers]
    right, n = int((truth == answers).sum()), len(truth)
    kept = [one.label for one in of_numbers]
    return JudgedClasses(
        examples=n,
        right=right,
        accuracy=accuracy(truth, answers),
        interval=wilson(right, n),
        classes=scores,
        macro=(_mean(scores, "precision"), _mean(scores, "recall"), _mean(scores, "f1")),
        names=tuple(names[at] for at in kept),
        counts=counts[np.ix_(kept, kept)],
    )


def judge_values(truth: Floats, answers: Floats) -> JudgedValues:
    """Measure distances."""
    errors = np.abs(truth - answers)
    return JudgedValues(
        examples=len(truth),
        mean_squared_error=mean_squared_error(truth, answers),
        mean_absolute_error=float(errors.mean()) if len(errors) else float("nan"),
        r2=r2_score(truth, answers),
        largest_error=float(errors.max(initial=0.0)),
    )


def judge_order(truth: Floats, answers: Floats) -> JudgedOrder:
    """Count pairs by sorting (Knight 1966): what is in order, less what is not, is in Kendall's tau."""
    from scipy.stats import kendalltau

    n = len(truth)
    all_pairs, pairs = n * (n - 1) // 2, n * (n - 1) // 2 - _ties(truth)
    told = all_pairs - _ties(answers)
    lead = round(kendalltau(truth, answers).statistic * math.sqrt(pairs) * math.sqrt(told)) if pairs and told else 0
    return JudgedOrder(n, pairs, (pairs + lead) / (2 * pairs) if pairs else float("nan"))


def _ties(numbers: Floats) -> int:
    counts = np.unique(numbers, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def wilson(right: int, n: int) -> tuple[float, float]:
    """Between which shares the true one lies, 95 times of 100, where `right` of n were seen (Wilson 1927)."""
    if not n:
        return 0.0, 1.0
    share, square = right / n, _SURE * _SURE
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = _SURE * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _mean(scores: list[ClassScores], name: str) -> float:
    return float(np.mean([getattr(one, name) for one in scores])) if scores else float("nan")
