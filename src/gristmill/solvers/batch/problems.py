"""Dual problems of classes and of preferences, and coefficients of examples from their solutions.

Equal examples on the same side of a problem are one variable with the sum of their C. Its value is shared in proportion
to the C of each, so that weighted examples and repeated examples are the same.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices, Uint32s
from gristmill.display.words import quoted_label
from gristmill.machines.schemes import Scheme, pairs
from gristmill.solvers.batch.deduplicate import first_of
from gristmill.solvers.batch.settings import SvmSettings

Signs = NDArray[np.int8]

_ROUNDING = 1e-12  # of the sum of all coefficients


@dataclass(frozen=True)
class Problem:
    """One dual problem: minimise 1/2 a'Qa + p'a with 0 <= a <= bounds and, for a free intercept, signs'a = signs'start.

    Q is made of signs and of rows of the Gram matrix.
    """

    members: Indices  # examples that take part
    costs: Floats  # C of each
    variables: Indices  # which variable each belongs to
    examples: Uint32s  # of each variable: its row of the Gram matrix
    signs: Signs
    bounds: Floats
    linear: Floats  # p
    start: Floats = field(default_factory=lambda: np.empty(0))  # that satisfies the equality; empty: zeros do
    gradient: Floats = field(default_factory=lambda: np.empty(0))  # signs * (Qa + p) of the start, where it is known
    gradient_errors: Floats = field(default_factory=lambda: np.empty(0))  # how far off it is at most; empty: exact
    start_objective: float = 0.0  # read only where there are such errors

    @classmethod
    def of(cls, signs: Signs, costs: Floats, groups: Indices) -> Problem:
        """Of classification: of the examples with a sign other than 0 and a cost above 0."""
        members = np.flatnonzero((signs != 0) & (costs > 0))
        sides = 2 * groups[members] + (signs[members] > 0)
        is_used = np.zeros(2 * int(groups.max(initial=-1)) + 2, dtype=bool)
        is_used[sides] = True
        keys, variables = np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[sides]
        return cls(
            members,
            costs[members],
            np.asarray(variables, dtype=np.intp),
            (keys // 2).astype(np.uint32),
            np.where(keys % 2 == 1, 1, -1).astype(np.int8),
            np.bincount(variables, weights=costs[members], minlength=len(keys)).astype(np.float64),
            np.full(len(keys), -1.0),
        )

    def native(self, settings: SvmSettings) -> _core.DualProblem:
        """For the core."""
        return _core.DualProblem(
            *(self.examples, self.signs, self.linear, self.bounds, self.start),
            settings.is_balanced,
            settings.constant,
            self.gradient if len(self.gradient) else None,
            self.gradient_errors if len(self.gradient_errors) else None,
            self.start_objective,
        )

    def begun(self, alpha: Floats, gradient: Floats, errors: Floats, objective: float) -> Problem:
        """With a start whose gradient is known, up to these errors."""
        return replace(self, start=alpha, gradient=gradient, gradient_errors=errors, start_objective=objective)

    def coefficients(self, alpha: Floats, *, folded: bool = False) -> Floats:
        """The signed coefficient of each member; folded: the first of equal ones has all."""
        if folded:
            first = first_of(self.variables)
            out = np.zeros(len(self.members))
            out[first] = alpha * self.signs
            return out
        own, bounds = alpha[self.variables], self.bounds[self.variables]
        shares = np.where(self.costs == bounds, own, self.costs * (own / bounds))
        return np.asarray(shares * self.signs[self.variables])

    def with_costs(self, costs: Floats) -> Problem:
        """The same variables with these costs, by example; those of forgotten examples have a bound of 0."""
        own = costs[self.members]
        bounds = np.bincount(self.variables, weights=own, minlength=len(self.bounds)).astype(np.float64)
        return replace(self, costs=own, bounds=bounds)

    def restricted(self, kept: Indices, groups: Indices) -> Problem:
        """Of the examples that were kept and have a cost: `kept` and `groups` are new numbers, of examples and rows."""
        stays, lives = (self.costs > 0) & (kept[self.members] >= 0), self.bounds > 0
        places = np.cumsum(lives) - 1
        return replace(
            self,
            members=kept[self.members[stays]],
            costs=self.costs[stays],
            variables=places[self.variables[stays]],
            examples=groups[self.examples[lives]].astype(np.uint32),
            signs=self.signs[lives],
            bounds=self.bounds[lives],
            linear=self.linear[lives],
            start=self.start[lives] if len(self.start) else self.start,
            gradient=self.gradient[lives] if len(self.gradient) else self.gradient,
        )

    def is_like(self, other: Problem) -> bool:
        """True when the variables are the same, whatever their bounds."""
        return np.array_equal(self.examples, other.examples) and np.array_equal(self.signs, other.signs)

    def starting(self, alpha: Floats, bounds: Floats, balanced: bool) -> Problem:
        """With a start from a solution for other bounds, scaled to these; `balanced`: both sides have the same sum."""
        scaled = np.minimum(alpha * (self.bounds / bounds), self.bounds)
        start = np.where(alpha >= bounds, self.bounds, scaled)  # what was at its bound stays there
        if balanced:
            balance(start, self.signs > 0)
        return replace(self, start=start)


def balance(start: Floats, positive: Flags) -> None:
    """Scale the heavier side, unless the sums are equal up to rounding: that would move variables off their bounds."""
    plus, minus = float(start[positive].sum()), float(start[~positive].sum())
    if abs(plus - minus) > _ROUNDING * max(plus, minus):
        start[positive == (plus > minus)] *= min(plus, minus) / max(plus, minus)


def scheme_of(n_classes: int, settings: SvmSettings) -> Scheme:
    """Two classes share one output."""
    return Scheme.BINARY if n_classes == 2 else Scheme.parse(settings.multiclass)


def class_problems(labels: Indices, n_classes: int, scheme: Scheme, costs: Floats, groups: Indices) -> list[Problem]:
    """A problem per output of the scheme; an output above 0 is for the class (or the first of the pair) it is about."""
    return [Problem.of(side, costs, groups) for side in class_sides(labels, n_classes, scheme)]


def class_sides(labels: Indices, n_classes: int, scheme: Scheme) -> list[Signs]:
    """For each output the sign of each example; 0 where it takes no part."""
    if scheme is Scheme.BINARY:
        sides = [np.where(labels == 1, 1, -1)]
    elif scheme is Scheme.ONE_VS_ONE:
        sides = [(labels == i).astype(np.int8) - (labels == j) for i, j in pairs(n_classes)]
    else:
        sides = [np.where(labels == k, 1, -1) for k in range(n_classes)]
    return [side.astype(np.int8) for side in sides]


def check_class_count(classes: Collection[Any]) -> None:
    """Raise ValueError, of one with scikit-learn's message, unless there are two classes or more."""
    if not len(classes):
        raise ValueError("there are no rows to learn from: y is empty")
    if len(classes) == 1:
        (alone,) = map(quoted_label, classes)
        raise ValueError(f"The number of classes has to be greater than one; got 1 class: {alone}")


def check_classes(labels: Indices, n_classes: int, costs: Floats) -> None:
    """Raise ValueError unless every class has an example of a weight above 0."""
    counts = np.bincount(labels[costs > 0], minlength=n_classes)
    if (counts > 0).sum() == 1:
        raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
    if not counts.all():
        raise ValueError(
            f"class number {int(np.flatnonzero(counts == 0)[0])} has no example of a weight above 0; leave it out"
        )


def compact_coefficients(
    problems: list[Problem],
    alphas: list[Floats],
    labels: Indices,
    n_classes: int,
    scheme: Scheme,
    *,
    folded: bool = False,
) -> tuple[Indices, Floats]:
    """Examples with a coefficient other than 0, ascending, and a table of them x columns, as SVC keeps them.

    One column for two classes; for pairs of classes each example has a column per rival class; else one per class.
    """
    pairwise = scheme is Scheme.ONE_VS_ONE
    sides = pairs(n_classes) if pairwise else [(0, 0)] * len(problems)
    found = [_used(problem, alpha, folded) for problem, alpha in zip(problems, alphas, strict=True)]
    support = np.unique(np.concatenate([rows for rows, _ in found]))
    table = np.zeros((len(support), n_classes - 1 if pairwise else len(problems)))
    for output, ((rows, values), (first, second)) in enumerate(zip(found, sides, strict=True)):
        columns = np.where(labels[rows] == first, second - 1, first) if pairwise else np.full(len(rows), output)
        np.add.at(table, (np.searchsorted(support, rows), columns), values)  # regression adds both sides
    kept = table.any(axis=1)
    return support[kept], table[kept]


def _used(problem: Problem, alpha: Floats, folded: bool) -> tuple[Indices, Floats]:
    """Members with a coefficient other than 0, and the coefficients."""
    values = problem.coefficients(alpha, folded=folded)
    used = np.flatnonzero(values)
    return problem.members[used], values[used]


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
        apart = first != second  # of equal examples none is better
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
        """The coefficient of each member: plus the pairs in which it is better, minus those in which it is worse."""
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
