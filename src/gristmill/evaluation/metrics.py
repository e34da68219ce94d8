"""How good answers are: plain numpy, so that `gristmill evaluate` need not import scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ClassScores:
    """Precision, recall and F1 of one class; 0 where there is nothing to divide by."""

    label: Any
    precision: float
    recall: float
    f1: float
    support: int


def accuracy(truth: NDArray[Any], answers: NDArray[Any]) -> float:
    """Share of equal labels; nan without examples."""
    return float(np.mean(truth == answers)) if len(truth) else float("nan")


def class_scores(truth: NDArray[Any], answers: NDArray[Any]) -> list[ClassScores]:
    """For every label that occurs, in sorted order."""
    return [_scores_of(label, truth == label, answers == label) for label in np.union1d(truth, answers)]


def _scores_of(label: Any, wanted: NDArray[np.bool_], given: NDArray[np.bool_]) -> ClassScores:
    both = int((wanted & given).sum())
    precision, recall = _ratio(both, int(given.sum())), _ratio(both, int(wanted.sum()))
    f1 = _ratio(2 * both, int(given.sum()) + int(wanted.sum()))
    return ClassScores(label.item(), precision, recall, f1, int(wanted.sum()))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def mean_squared_error(truth: NDArray[np.float64], answers: NDArray[np.float64]) -> float:
    """Nan without examples."""
    return float(np.mean((truth - answers) ** 2)) if len(truth) else float("nan")


def r2_score(truth: NDArray[np.float64], answers: NDArray[np.float64]) -> float:
    """1 - residual / total sum of squares; nan when all truths are equal."""
    total = float(((truth - truth.mean()) ** 2).sum()) if len(truth) else 0.0
    return 1 - float(((truth - answers) ** 2).sum()) / total if total else float("nan")
