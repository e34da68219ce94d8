"""Two classifiers on the same examples: is the one that is ahead in F1 better, or was it luck?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

ROUNDS = 10_000

Flags = NDArray[np.bool_]


def f1(found: Flags, gold: Flags) -> float:
    """2 right / (found + gold); 0 where nothing is found."""
    return float(_f1_of_counts(_counts(found, gold).sum(axis=0)))


def f1_interval(
    one: Flags, other: Flags, gold: Flags, groups: NDArray[np.integer], rounds: int = ROUNDS
) -> tuple[float, float]:
    """95 % interval of F1(one) - F1(other): examples are drawn again by groups, as those of a sentence go together."""
    places = np.unique(groups, return_inverse=True)[1]
    n = int(places.max()) + 1
    draws = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=rounds)
    differences = _drawn_f1(draws, places, one, gold) - _drawn_f1(draws, places, other, gold)
    low, high = np.percentile(differences, [2.5, 97.5])
    return float(low), float(high)


def mcnemar(one: Flags, other: Flags, gold: Flags) -> tuple[int, int, float]:
    """Examples that only the one gets right, only the other, and how likely so lopsided a split is by chance."""
    first, second = int(((one == gold) & (other != gold)).sum()), int(((one != gold) & (other == gold)).sum())
    return first, second, float(binomtest(first, first + second).pvalue) if first + second else 1.0


def _counts(found: Flags, gold: Flags) -> NDArray[np.int64]:
    """Of each example: right, found, gold."""
    return np.stack([found & gold, found, gold], axis=1).astype(np.int64)


def _drawn_f1(draws: NDArray[np.int64], places: NDArray[np.intp], found: Flags, gold: Flags) -> NDArray[np.float64]:
    of_groups = np.zeros((draws.shape[1], 3), dtype=np.int64)
    np.add.at(of_groups, places, _counts(found, gold))
    return _f1_of_counts((draws @ of_groups).T)


def _f1_of_counts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    right, found, gold = counts
    return np.asarray(2 * right / np.maximum(found + gold, 1))
