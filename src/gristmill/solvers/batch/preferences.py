"""Preferences between examples as a dual problem: a variable for each pair of which the first is to score higher."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats, Indices
from gristmill.solvers.batch.deduplicate import first_of
from gristmill.solvers.batch.problems import Problem


@dataclass(frozen=True)
class PairProblem(Problem):
    """Minimises 1/2 |w|^2 + sum_p C_p max(0, 1 - (f(better_p) - f(worse_p))); members are the different examples."""

    better: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    worse: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    @classmethod
    def between(cls, better: Indices, worse: Indices, groups: Indices, cost: float) -> PairProblem:
        """Of pairs of examples; those of equal examples are one, with the sum of their costs."""
        size = int(groups.max()) + 1
        keys, counts = np.unique(groups[better] * size + groups[worse], return_counts=True)
        first, second = np.divmod(keys, size)
        apart = first != second  # an example cannot be better than itself
        first, second, costs = first[apart], second[apart], cost * counts[apart].astype(np.float64)
        if len(first) == 0:
            raise ValueError("no two different examples of a query have different targets: there is nothing to rank")
        n = len(first)
        return cls(
            members=first_of(groups),
            costs=np.ones(size),
            variables=np.arange(size),
            examples=np.zeros(n, dtype=np.uint32),
            signs=np.ones(n, dtype=np.int8),
            bounds=costs,
            linear=np.full(n, -1.0),
            better=first,
            worse=second,
        )

    def coefficients(self, alpha: Floats, *, folded: bool = False) -> Floats:
        """What each member contributes: for each pair it is the better one of, against each it is the worse one of."""
        size = len(self.members)
        return np.asarray(_summed(self.better, alpha, size) - _summed(self.worse, alpha, size))


def preferences(targets: NDArray[Any], queries: NDArray[Any] | None) -> tuple[Indices, Indices]:
    """Examples of one query with different targets: the number of the higher one, and of the lower one."""
    numbers = np.zeros(len(targets), dtype=np.intp) if queries is None else np.unique(queries, return_inverse=True)[1]
    order = np.argsort(numbers, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)
    found = [_within(part, targets[part]) for part in parts]
    return np.concatenate([better for better, _ in found]), np.concatenate([worse for _, worse in found])


def _within(members: Indices, targets: NDArray[Any]) -> tuple[Indices, Indices]:
    higher, lower = np.nonzero(targets[:, None] > targets[None, :])
    return members[higher], members[lower]


def _summed(places: Indices, values: Floats, size: int) -> Floats:
    return np.asarray(np.bincount(places, weights=values, minlength=size), dtype=np.float64)
