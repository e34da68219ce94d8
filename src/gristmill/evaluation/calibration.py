"""Calibration: predicted probabilities in groups of examples, and the share of each group that came true.

Without probabilities: the share of right answers by the size of the score, without a claim about it. scikit-learn's
`calibration_curve` does not say how many examples a bin has, so the groups are made here; the losses are
scikit-learn's where it has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.base.arrays import Flags, Floats, Indices

BINS = 10
SMALLEST = float(np.finfo(np.float64).eps)  # scikit-learn's log loss takes a smaller probability of the truth for this


@dataclass(frozen=True)
class Group:
    """Examples whose numbers lie from `low` to `high`: how many, their mean number, and the share that came true."""

    low: float
    high: float
    examples: int
    mean: float
    share: float


@dataclass(frozen=True)
class Calibration:
    """Predicted probabilities compared with outcomes."""

    groups: tuple[Group, ...]  # those with examples
    brier: float  # mean squared error: of the second of two classes, or summed over several
    log_loss: float  # mean of -log of the probability of the true class
    ece: float  # expected calibration error: mean distance between prediction and share, weighted by examples


def equal_width(numbers: Floats, outcome: Flags, bins: int = BINS) -> tuple[Group, ...]:
    """Groups of probabilities in bins from 0 to 1 of equal width; a number on an edge belongs to the upper bin."""
    edges = np.arange(bins + 1) / bins
    which = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, bins - 1)
    return tuple(
        _group(edges[at], edges[at + 1], numbers[which == at], outcome[which == at]) for at in np.unique(which).tolist()
    )


def equal_count(numbers: Floats, outcome: Flags, groups: int = BINS) -> tuple[Group, ...]:
    """Groups of about as many examples each, by ascending numbers; equal numbers stay together."""
    if not len(numbers):
        return ()
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    even = (len(ascending) * np.arange(1, groups) + groups - 1) // groups
    firsts = np.searchsorted(ascending, ascending[np.minimum(even, len(ascending) - 1)])
    parts = (part for part in np.split(order, np.unique(firsts)) if len(part))
    return tuple(_group(numbers[part].min(), numbers[part].max(), numbers[part], outcome[part]) for part in parts)


def _group(low: float, high: float, numbers: Floats, outcome: Flags) -> Group:
    return Group(float(low), float(high), len(numbers), float(numbers.mean()), float(outcome.mean()))


def calibration(probabilities: Floats, truth: Indices, predicted: Floats, outcome: Flags) -> Calibration:
    """Compare probabilities (examples x classes) with true classes; a truth that is no class is -1.

    Parameters
    ----------
    predicted, outcome
        For each example the probability that the groups are made of, and whether it came true: that of the second of
        two classes, or of the most probable of several.
    """
    groups = equal_width(predicted, outcome)
    return Calibration(
        groups=groups,
        brier=_brier(probabilities, truth),
        log_loss=_log_loss(probabilities, truth),
        ece=calibration_error(groups),
    )


def calibration_error(groups: Sequence[Group]) -> float:
    """The mean distance between prediction and share, weighted by examples; 0 without examples."""
    distances = sum(group.examples * abs(group.mean - group.share) for group in groups)
    return distances / max(sum(group.examples for group in groups), 1)


def _brier(probabilities: Floats, truth: Indices) -> float:
    from sklearn.metrics import brier_score_loss

    if not len(truth):
        return float("nan")
    if probabilities.shape[1] == 2:
        return float(brier_score_loss(truth == 1, probabilities[:, 1], pos_label=True))
    is_true = truth[:, None] == np.arange(probabilities.shape[1])  # scikit-learn before 1.7 has two classes only
    return float(((probabilities - is_true) ** 2).sum(axis=1).mean())


def _log_loss(probabilities: Floats, truth: Indices) -> float:
    """A truth that is no class of the machine is one more class, of probability 0."""
    from sklearn.metrics import log_loss

    if not len(truth):
        return float("nan")
    with_other = np.column_stack([probabilities, np.zeros(len(truth))])
    other = probabilities.shape[1]
    return float(log_loss(np.where(truth < 0, other, truth), with_other, labels=range(other + 1)))
