"""Curves of scores by scikit-learn, points on them, and histograms. Equal scores are one step of a curve.

Cost: a sort of the scores for each curve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gristmill.base.arrays import Flags, Floats
from gristmill.display.charts import Plot

MOST_POINTS = 500  # that a curve is drawn with
BINS = 40  # of a histogram


@dataclass(frozen=True, eq=False)
class BinaryScores:
    """Scores of examples for one class, and which of the examples are of this class."""

    scores: Floats
    positive: Flags

    @property
    def positives(self) -> int:
        return int(self.positive.sum())

    @property
    def negatives(self) -> int:
        return len(self.positive) - self.positives

    @property
    def has_both(self) -> bool:
        """Whether there are examples of this class and of others: without both there is no ROC curve."""
        return 0 < self.positives < len(self.positive)


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve and the area under it; nan where examples of a kind are missing."""

    x: Floats
    y: Floats
    area: float

    def points(self, most: int = MOST_POINTS) -> list[tuple[float, float]]:
        """At most so many points, evenly along the curve, with both ends."""
        way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(self.x)) + np.abs(np.diff(self.y)))])
        if len(way) > most:
            kept = np.unique(np.searchsorted(way, np.linspace(0.0, way[-1], most)))
        else:
            kept = np.arange(len(self.x))
        return list(zip(self.x[kept].tolist(), self.y[kept].tolist(), strict=True))


_NO_CURVE = Curve(np.empty(0), np.empty(0), float("nan"))


def roc(data: BinaryScores) -> Curve:
    """True against false positive rates, from (0, 0) to (1, 1); a point for each different score."""
    if not data.has_both:
        return _NO_CURVE
    from sklearn.metrics import auc, roc_curve

    x, y, _ = roc_curve(data.positive, data.scores, drop_intermediate=False)
    return Curve(x, y, float(auc(x, y)))


def precision_recall(data: BinaryScores) -> Curve:
    """Precision against recall as steps, each from its recall to the next; `area` is the average precision.

    A step has the precision of the score that reaches its end: nothing is interpolated.
    """
    if not data.positives:
        return _NO_CURVE
    from sklearn.metrics import average_precision_score, precision_recall_curve

    precision, recall, _ = precision_recall_curve(data.positive, data.scores)
    steps = np.append(precision[-2::-1], precision[0])  # without scikit-learn's point (0, 1), which no score has
    return Curve(recall[::-1], steps, float(average_precision_score(data.positive, data.scores)))


# --- thresholds -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OperatingPoint:
    """The result of answering with the class above a threshold; shares are 0 where the denominator is 0."""

    threshold: float
    true_positives: int
    false_positives: int
    precision: float
    recall: float
    f1: float
    false_positive_rate: float


def operating_points(data: BinaryScores, thresholds: Iterable[float]) -> list[OperatingPoint]:
    """One for each threshold."""
    return [_operating_point(data, threshold) for threshold in thresholds]


def _operating_point(data: BinaryScores, threshold: float) -> OperatingPoint:
    above = data.scores > threshold
    true, predicted = int((above & data.positive).sum()), int(above.sum())
    return OperatingPoint(
        threshold=threshold,
        true_positives=true,
        false_positives=predicted - true,
        precision=true / max(predicted, 1),
        recall=true / max(data.positives, 1),
        f1=2 * true / max(predicted + data.positives, 1),
        false_positive_rate=(predicted - true) / max(data.negatives, 1),
    )


def best_threshold(data: BinaryScores) -> float:
    """The threshold with the highest F1, the highest of equals: in the middle between two neighbouring scores."""
    from sklearn.metrics import precision_recall_curve

    precision, recall, scores = precision_recall_curve(data.positive, data.scores)
    f1 = 2 * precision * recall / np.maximum(precision + recall, np.finfo(np.float64).tiny)
    at = int(np.flatnonzero(np.isclose(f1[:-1], f1.max(), rtol=1e-12, atol=0.0))[-1])
    score = float(scores[at])
    if at == 0:
        return float(np.nextafter(score, -np.inf))
    middle = float((scores[at - 1] + scores[at]) / 2)
    return middle if middle < score else float(scores[at - 1])


# --- histograms -------------------------------------------------------------------------------------------------------


def histogram(name: str, title: str, x: str, groups: Mapping[str, Floats]) -> Plot:
    """Examples of each group by their number, in 40 bins between the lowest and the highest number of all groups."""
    filled = {group: numbers for group, numbers in groups.items() if len(numbers)}
    edges = _edges(np.concatenate(list(filled.values())) if filled else np.zeros(1))
    series = {}
    for group, numbers in filled.items():
        counts, _ = np.histogram(numbers, edges)
        series[group] = list(zip(edges.tolist(), [*counts.tolist(), 0], strict=True))
    return Plot(name, title, x, "examples", series, styles=dict.fromkeys(series, "bars"))


def _edges(numbers: Floats) -> Floats:
    low, high = float(numbers.min()), float(numbers.max())
    if not high > low:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BINS + 1)
    distinct = np.unique(edges)  # numbers so close that bins between them have no width
    return distinct if len(distinct) > 1 else np.array([low, np.nextafter(low, np.inf)])
