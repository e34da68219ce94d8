"""How far probabilities can be trusted: what was said in groups of examples, and what came true.

Without probabilities: the share that is right by the size of the score, of which nothing is claimed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

BINS = 10
SMALLEST = 1e-15  # a probability of the truth below this counts as this: a logarithm of 0 would outweigh all others


@dataclass(frozen=True)
class Group:
    """Examples whose numbers lie from `low` to `high`: how many, their mean number, and the share that came true."""

    low: float
    high: float
    examples: int
    mean: float
    share: float


@dataclass(frozen=True)
class Trust:
    """Probabilities of what was said to be so, held against what was."""

    groups: tuple[Group, ...]  # those with examples
    brier: float  # mean of the squared distance from the truth: of the second of two classes, or added up over several
    log_loss: float  # mean of -log of the probability of the truth
    ece: float  # mean distance between what was said and the share, weighted by examples


def equal_width(numbers: Floats, true: Flags, bins: int = BINS) -> tuple[Group, ...]:
    """Groups of probabilities by bins from 0 to 1 of one width; a number on an edge belongs to the upper bin."""
    edges = np.arange(bins + 1) / bins
    which = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, bins - 1)
    return tuple(
        _group(edges[at], edges[at + 1], numbers[which == at], true[which == at]) for at in np.unique(which).tolist()
    )


def equal_count(numbers: Floats, true: Flags, groups: int = BINS) -> tuple[Group, ...]:
    """Groups of about as many examples each, by their numbers, ascending; equal numbers stay together."""
    if not len(numbers):
        return ()
    order = np.argsort(numbers, kind="stable")
    rising = numbers[order]
    wanted = (len(rising) * np.arange(1, groups) + groups - 1) // groups
    ends = np.unique(np.append(np.searchsorted(rising, rising[np.minimum(wanted, len(rising) - 1)]), len(rising)))
    begins = np.append(0, ends[:-1])
    parts = (order[begin:end] for begin, end in zip(begins, ends, strict=True) if end > begin)
    return tuple(_group(numbers[part].min(), numbers[part].max(), numbers[part], true[part]) for part in parts)


def _group(low: float, high: float, numbers: Floats, true: Flags) -> Group:
    return Group(float(low), float(high), len(numbers), float(numbers.mean()), float(true.mean()))


def trust(probabilities: Floats, truth: NDArray[np.intp], told: Floats, came_true: Flags) -> Trust:
    """Of probabilities (examples x classes) and the numbers of the true classes, -1 for one that is none of them.

    Parameters
    ----------
    told, came_true
        The probability that is looked at of each example, and whether it was so: that of the second of two classes,
        or of the most probable of several.
    """
    known = truth >= 0
    wanted = np.zeros_like(probabilities)
    wanted[np.flatnonzero(known), truth[known]] = 1.0
    of_truth = np.where(known, (probabilities * wanted).sum(axis=1), 0.0)
    groups, looked_at = equal_width(told, came_true), slice(1, None) if probabilities.shape[1] == 2 else slice(None)
    distances = ((probabilities - wanted) ** 2)[:, looked_at].sum(axis=1)
    return Trust(
        groups=groups,
        brier=float(np.mean(distances)) if len(told) else float("nan"),
        log_loss=float(-np.mean(np.log(np.maximum(of_truth, SMALLEST)))) if len(told) else float("nan"),
        ece=sum(group.examples * abs(group.mean - group.share) for group in groups) / max(len(told), 1),
    )
