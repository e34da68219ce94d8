"""Samples and folds: one random order of the examples in which every prefix is stratified.

The members of each class are shuffled and spread evenly over the order; folds take turns. So the first r examples are a
stratified sample for every r, with stratified folds, and each sample is a prefix of the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Indices
from gristmill.display.words import quoted_label


@dataclass(frozen=True)
class Order:
    """A permutation of the examples; labels and folds follow it."""

    examples: Indices  # their numbers before
    labels: Indices  # class numbers
    folds: Indices  # the fold of each; all -1 with held-out examples
    n_folds: int  # 0 with held-out examples

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def n_splits(self) -> int:
        """How many times a setting is trained and validated."""
        return max(self.n_folds, 1)

    def validation(self, number: int, size: int) -> Indices:
        """Positions among the first `size` that validate one split."""
        return np.flatnonzero(self.folds[:size] == number)

    def is_learned(self, number: int, size: int) -> Flags:
        """Whether each of the first `size` is in the training part of a split."""
        return np.asarray(self.folds[:size] != number)


def stratified_order(labels: Indices, n_folds: int, seed: int) -> Order:
    """For class numbers that all occur; n_folds = 0: no folds."""
    rng = np.random.default_rng(seed)
    places, folds = np.empty(len(labels)), np.full(len(labels), -1, dtype=np.intp)
    before = 0
    for number in range(int(labels.max()) + 1):
        members = rng.permutation(np.flatnonzero(labels == number))
        places[members] = (np.arange(len(members)) + rng.random()) / len(members)
        if n_folds:
            folds[members] = (before + np.arange(len(members))) % n_folds  # the next class continues: folds fill evenly
        before += len(members)
    order = np.lexsort((labels, places))
    return Order(order, labels[order], folds[order], n_folds)


def check_folds(labels: Indices, classes: NDArray[Any], folds: int) -> None:
    """Raise ValueError unless every fold can hold every class."""
    counts = np.bincount(labels, minlength=len(classes))
    rare = int(counts.argmin())
    if counts[rare] < folds:
        raise ValueError(
            f"class {quoted_label(classes[rare])} has {counts[rare]} examples, fewer than folds={folds}; "
            "use fewer folds, leave the class out, or give a development set, held_out=(X, y)"
        )


def smallest_sample(order: Order, n_classes: int) -> int:
    """The size of the smallest sample with two examples of every class (or all it has), with folds one in each fold."""
    least = max(order.n_folds, 2)
    return 1 + max(int(np.flatnonzero(order.labels == number)[:least][-1]) for number in range(n_classes))
