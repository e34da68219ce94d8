"""Metrics of answers: classes by counts, values by distances, rankings by pairs.

What `gristmill evaluate` prints is plain numpy, because importing scikit-learn takes longer than most evaluations. The
tests compare it with scikit-learn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Floats, Indices, Int64s


@dataclass(frozen=True)
class ClassScores:
    """Precision, recall and F1 of one class; 0 where the denominator is 0."""

    label: Any
    precision: float
    recall: float
    f1: float
    support: int


def accuracy(truth: NDArray[Any], answers: NDArray[Any]) -> float:
    """Share of equal labels; nan without examples."""
    return float(np.mean(truth == answers)) if len(truth) else float("nan")


def class_scores(truth: NDArray[Any], answers: NDArray[Any]) -> list[ClassScores]:
    """Scores of every label that occurs, in sorted order."""
    return [_scores_of(label, truth == label, answers == label) for label in np.union1d(truth, answers)]


def _scores_of(label: Any, is_true: Flags, is_predicted: Flags) -> ClassScores:
    both, true, predicted = (int(flags.sum()) for flags in (is_true & is_predicted, is_true, is_predicted))
    return ClassScores(
        label.item(),
        precision=both / max(predicted, 1),
        recall=both / max(true, 1),
        f1=2 * both / max(predicted + true, 1),
        support=true,
    )


def mean_squared_error(truth: Floats, answers: Floats) -> float:
    """Mean of squared errors; nan without examples."""
    return float(np.mean((truth - answers) ** 2)) if len(truth) else float("nan")


def r2_score(truth: Floats, answers: Floats) -> float:
    """1 - residual / total sum of squares; nan when all true values are equal."""
    total = float(((truth - truth.mean()) ** 2).sum()) if len(truth) else 0.0
    return 1 - float(((truth - answers) ** 2).sum()) / total if total else float("nan")


def area_under_roc(positive: Flags, scores: Floats) -> float:
    """Share of pairs of a positive and a negative example that scores order rightly; equal ones count half.

    nan without pairs.
    """
    n, n_positive = len(positive), int(positive.sum())
    if not 0 < n_positive < n:
        return float("nan")
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2  # of equal scores the mean
    over = float(ranks[places][positive].sum()) - n_positive * (n_positive + 1) / 2
    return over / (n_positive * (n - n_positive))


def log_loss(probabilities: Floats, truth: Indices) -> float:
    """Mean of -log of the probability of the true class, as scikit-learn has it; a truth of -1 is no class."""
    if not len(truth):
        return float("nan")
    smallest = np.finfo(np.float64).eps
    shares = np.where(truth < 0, 0.0, probabilities[np.arange(len(truth)), truth])
    return float(-np.log(np.clip(shares, smallest, 1 - smallest)).mean())


# --- all metrics of a report ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ClassificationMetrics:
    """Metrics of answers that are classes.

    `classes` are those that occur, `counts` the confusion matrix (true class x answer), `macro` means over classes.
    """

    examples: int
    right: int
    accuracy: float
    interval: tuple[float, float]  # Wilson's, of the accuracy
    classes: list[ClassScores]  # labels are names
    macro: tuple[float, float, float]  # precision, recall, F1
    names: tuple[str, ...]
    counts: Int64s


@dataclass(frozen=True)
class RegressionMetrics:
    """Metrics of answers that are numbers; nan where the denominator is 0."""

    examples: int
    mean_squared_error: float
    mean_absolute_error: float
    r2: float
    largest_error: float


@dataclass(frozen=True)
class RankingMetrics:
    """Metrics of answers of which only the order counts: pairs of examples with different true values."""

    examples: int
    pairs: int
    in_order: float  # share of pairs; equal answers count half; nan without pairs


def classification_metrics(truth: Indices, answers: Indices, names: Sequence[str]) -> ClassificationMetrics:
    """Compare classes, which are positions in `names`."""
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(counts, (truth, answers), 1)  # scikit-learn's confusion_matrix warns about a single class
    scores = class_scores(truth, answers)
    kept, right = [one.label for one in scores], int((truth == answers).sum())
    named = [replace(one, label=names[one.label]) for one in scores]
    return ClassificationMetrics(
        examples=len(truth),
        right=right,
        accuracy=accuracy(truth, answers),
        interval=wilson_interval(right, len(truth)),
        classes=named,
        macro=(_mean(named, "precision"), _mean(named, "recall"), _mean(named, "f1")),
        names=tuple(one.label for one in named),
        counts=counts[np.ix_(kept, kept)],
    )


def _mean(scores: list[ClassScores], name: str) -> float:
    return float(np.mean([getattr(one, name) for one in scores])) if scores else float("nan")


def wilson_interval(right: int, n: int) -> tuple[float, float]:
    """The 95 % interval of Wilson (1927) for a share, where `right` of n were seen; (0, 1) for n = 0."""
    from scipy.stats import binomtest

    if not n:
        return 0.0, 1.0
    interval = binomtest(right, n).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def regression_metrics(truth: Floats, answers: Floats) -> RegressionMetrics:
    """Compare numbers."""
    errors = np.abs(truth - answers)
    return RegressionMetrics(
        examples=len(truth),
        mean_squared_error=mean_squared_error(truth, answers),
        mean_absolute_error=float(errors.mean()) if len(errors) else float("nan"),
        r2=r2_score(truth, answers),
        largest_error=float(errors.max(initial=0.0)),
    )


def ranking_metrics(truth: Floats, answers: Floats) -> RankingMetrics:
    """Count pairs by sorting (Knight 1966): Kendall's tau holds the pairs in order minus those that are not."""
    from scipy.stats import kendalltau

    n = len(truth)
    all_pairs = n * (n - 1) // 2
    pairs, untied = all_pairs - _ties(truth), all_pairs - _ties(answers)
    lead = round(kendalltau(truth, answers).statistic * math.sqrt(pairs) * math.sqrt(untied)) if pairs and untied else 0
    return RankingMetrics(n, pairs, (pairs + lead) / (2 * pairs) if pairs else float("nan"))


def _ties(numbers: Floats) -> int:
    counts = np.unique(numbers, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())
