"""Curves of a score: how many of two kinds of examples lie above every threshold. Ties are one step, never an order.

Cost: a sort of the scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_POINTS = 500  # that a curve is drawn with


@dataclass(frozen=True, eq=False)
class Steps:
    """For every different score, from the highest, how many examples reach it.

    Parameters
    ----------
    thresholds : array
        The different scores, descending.
    hits, alarms : int64 arrays
        Positive and negative examples with such a score or a higher one.
    """

    thresholds: Floats
    hits: NDArray[np.int64]
    alarms: NDArray[np.int64]

    @property
    def positives(self) -> int:
        return int(self.hits[-1]) if len(self.hits) else 0

    @property
    def negatives(self) -> int:
        return int(self.alarms[-1]) if len(self.alarms) else 0

    def above(self, threshold: float) -> tuple[int, int]:
        """Positive and negative examples that score more than a threshold."""
        at = int(np.searchsorted(-self.thresholds, -threshold, side="left"))
        return (int(self.hits[at - 1]), int(self.alarms[at - 1])) if at else (0, 0)


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve and the area under it; nan where a kind of examples is missing."""

    x: Floats
    y: Floats
    area: float

    def points(self, most: int = MOST_POINTS) -> list[tuple[float, float]]:
        """The curve as it looks, by at most so many points: evenly along its way, both ends included."""
        way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(self.x)) + np.abs(np.diff(self.y)))])
        if len(way) > most:
            kept = np.unique(np.searchsorted(way, np.linspace(0.0, way[-1], most)))
        else:
            kept = np.arange(len(self.x))
        return list(zip(self.x[kept].tolist(), self.y[kept].tolist(), strict=True))


def steps_of(scores: Floats, positive: Flags) -> Steps:
    """Count examples above every score that occurs."""
    order = np.argsort(-scores, kind="stable")
    falling, is_hit = scores[order], positive[order]
    ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], True)) if len(falling) else np.empty(0, np.intp)
    hits = np.cumsum(is_hit, dtype=np.int64)[ends]
    return Steps(falling[ends], hits, ends + 1 - hits)


def roc(steps: Steps) -> Curve:
    """Share of positives found against share of negatives taken for positive, from (0, 0) to (1, 1)."""
    x, y = _shares(steps.alarms, steps.negatives), _shares(steps.hits, steps.positives)
    if not (steps.positives and steps.negatives):
        return Curve(x, y, float("nan"))
    return Curve(x, y, float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)))


def precision_recall(steps: Steps) -> Curve:
    """Precision against recall as steps, each from its recall to the next; `area` is the average precision.

    A step has the precision of the score that reaches its end: nothing is interpolated.
    """
    if not steps.positives:
        return Curve(np.empty(0), np.empty(0), float("nan"))
    precision, recall = steps.hits / (steps.hits + steps.alarms), steps.hits / steps.positives
    x, y = np.append(0.0, recall), np.append(precision, precision[-1])
    return Curve(x, y, float(np.sum(np.diff(x) * y[:-1])))


def _shares(counts: NDArray[np.int64], total: int) -> Floats:
    return np.append(0.0, counts / total if total else np.zeros(len(counts)))


@dataclass(frozen=True)
class Cut:
    """What an answer of 'positive' above a threshold would be worth; shares are 0 where nothing can be divided."""

    threshold: float
    hits: int
    alarms: int
    precision: float
    recall: float
    f1: float
    alarm_share: float  # of negatives


def cuts(steps: Steps, thresholds: list[float]) -> list[Cut]:
    """One for each threshold."""
    return [_cut(steps, threshold) for threshold in thresholds]


def _cut(steps: Steps, threshold: float) -> Cut:
    hits, alarms = steps.above(threshold)
    return Cut(
        threshold=threshold,
        hits=hits,
        alarms=alarms,
        precision=hits / max(hits + alarms, 1),
        recall=hits / max(steps.positives, 1),
        f1=2 * hits / max(hits + alarms + steps.positives, 1),
        alarm_share=alarms / max(steps.negatives, 1),
    )


def best_threshold(steps: Steps) -> float:
    """Between the scores where F1 is highest and the next lower ones; the highest of equals."""
    f1 = 2 * steps.hits / np.maximum(steps.hits + steps.alarms + steps.positives, 1)
    at = int(np.argmax(f1))
    if at + 1 == len(f1):
        return float(np.nextafter(steps.thresholds[at], -np.inf))
    middle = float((steps.thresholds[at] + steps.thresholds[at + 1]) / 2)
    return middle if middle < steps.thresholds[at] else float(steps.thresholds[at + 1])
