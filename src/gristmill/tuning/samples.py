"""Which examples are looked at, and who judges whom: one random order in which every beginning is stratified.

The members of each class, shuffled, are spread evenly over the order, and their folds come in turn. So the first r
examples are a stratified sample for every r, each of its folds is one too, and a sample is the beginning of the next.
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
    """The examples, permuted; what follows is by place in that order."""

    examples: Indices  # numbers that they had
    labels: Indices  # class numbers
    folds: Indices  # which fold each belongs to; all -1 where others judge
    n_folds: int  # 0 where others judge

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def rounds(self) -> int:
        """How many machines judge a setting."""
        return max(self.n_folds, 1)

    def judges(self, number: int, size: int) -> Indices:
        """Places among the first `size` that are left out of one round, and judge it."""
        return np.flatnonzero(self.folds[:size] == number)

    def is_learned(self, number: int, size: int) -> Flags:
        """Whether a round learns from each of the first `size`."""
        return np.asarray(self.folds[:size] != number)


def stratified_order(labels: Indices, n_folds: int, seed: int) -> Order:
    """For class numbers that all occur; no folds for n_folds = 0."""
    rng = np.random.default_rng(seed)
    places, folds = np.empty(len(labels)), np.full(len(labels), -1, dtype=np.intp)
    before = 0
    for number in range(int(labels.max()) + 1):
        members = rng.permutation(np.flatnonzero(labels == number))
        places[members] = (np.arange(len(members)) + rng.random()) / len(members)
        if n_folds:
            folds[members] = (before + np.arange(len(members))) % n_folds  # the next class goes on: folds fill evenly
        before += len(members)
    order = np.lexsort((labels, places))
    return Order(order, labels[order], folds[order], n_folds)


def check_folds(labels: Indices, classes: NDArray[Any], folds: int) -> None:
    """Every fold needs every class."""
    counts = np.bincount(labels, minlength=len(classes))
    rare = int(counts.argmin())
    if counts[rare] < folds:
        raise ValueError(
            f"class {quoted_label(classes[rare])} has {counts[rare]} examples, fewer than folds={folds}; "
            "use fewer folds, leave the class out, or give a development set, held_out=(X, y)"
        )


def smallest_sample(order: Order, n_classes: int) -> int:
    """The first so many hold two examples of every class, or all it has; with folds one in each of them."""
    wanted = max(order.n_folds, 2)
    return 1 + max(int(np.flatnonzero(order.labels == number)[:wanted][-1]) for number in range(n_classes))
