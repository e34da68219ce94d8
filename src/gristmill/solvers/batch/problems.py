"""From classes to dual problems, an output each, and from their solutions back to coefficients of examples.

Equal examples on the same side of a problem are one variable with the sum of their C; what it comes to is shared out in
proportion, so that examples with weights and examples that occur several times are treated alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.machines.pairwise import pairs
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.deduplicate import Numbers, first_of
from gristmill.solvers.batch.settings import SvmSettings

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]

_ROUNDING = 1e-12  # of the sum of all coefficients


@dataclass(frozen=True)
class Problem:
    """One dual problem: minimise 1/2 a'Qa + p'a with 0 <= a <= bounds and, for a free intercept, signs'a = signs'start.

    Q is made of signs and of rows of the Gram matrix.
    """

    members: Numbers  # examples that take part
    costs: Floats  # C of each
    variables: Numbers  # which variable each belongs to
    examples: NDArray[np.uint32]  # of each variable: its row of the Gram matrix
    signs: Signs
    bounds: Floats
    linear: Floats  # p
    start: Floats = field(default_factory=lambda: np.empty(0))  # that satisfies the equality; empty: zeros do

    @classmethod
    def of(cls, signs: Signs, costs: Floats, groups: Numbers) -> Problem:
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
            self.examples, self.signs, self.linear, self.bounds, self.start, settings.is_balanced, settings.constant
        )

    def coefficients(self, alpha: Floats, *, folded: bool = False) -> Floats:
        """What each member contributes, with its sign; folded: the first of equal ones for all of them."""
        if folded:
            first = first_of(self.variables)
            out = np.zeros(len(self.members))
            out[first] = alpha * self.signs
            return out
        own, bounds = alpha[self.variables], self.bounds[self.variables]
        shares = np.where(self.costs == bounds, own, self.costs * (own / bounds))
        return np.asarray(shares * self.signs[self.variables])

    def is_like(self, other: Problem) -> bool:
        """True when the variables are the same, whatever their bounds."""
        return np.array_equal(self.examples, other.examples) and np.array_equal(self.signs, other.signs)

    def starting(self, alpha: Floats, bounds: Floats, balanced: bool) -> Problem:
        """From a solution for other bounds, scaled into these; if asked, both sides are made to weigh the same."""
        scaled = np.minimum(alpha * (self.bounds / bounds), self.bounds)
        start = np.where(alpha >= bounds, self.bounds, scaled)  # what was at its bound stays there
        if balanced:
            _balance(start, self.signs > 0)
        return replace(self, start=start)


def _balance(start: Floats, positive: NDArray[np.bool_]) -> None:
    """Unless all is well up to rounding, which is better left alone: it would only move variables off their bounds."""
    plus, minus = float(start[positive].sum()), float(start[~positive].sum())
    if abs(plus - minus) > _ROUNDING * max(plus, minus):
        start[positive == (plus > minus)] *= min(plus, minus) / max(plus, minus)


def scheme_of(n_classes: int, settings: SvmSettings) -> Scheme:
    """Two classes share one output."""
    return Scheme.BINARY if n_classes == 2 else Scheme.parse(settings.multiclass)


def class_problems(labels: Numbers, n_classes: int, scheme: Scheme, costs: Floats, groups: Numbers) -> list[Problem]:
    """A problem per output of the scheme; an output above 0 is for the class (or the first of the pair) it is about."""
    if scheme is Scheme.BINARY:
        sides = [np.where(labels == 1, 1, -1)]
    elif scheme is Scheme.ONE_VS_ONE:
        sides = [(labels == i).astype(np.int8) - (labels == j) for i, j in pairs(n_classes)]
    else:
        sides = [np.where(labels == k, 1, -1) for k in range(n_classes)]
    return [Problem.of(side.astype(np.int8), costs, groups) for side in sides]


def check_classes(labels: Numbers, n_classes: int, costs: Floats) -> None:
    """Every class needs an example that counts."""
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
    labels: Numbers,
    n_classes: int,
    scheme: Scheme,
    *,
    folded: bool = False,
) -> tuple[Numbers, Floats]:
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
        np.add.at(table, (np.searchsorted(support, rows), columns), values)  # in a regression either side counts
    kept = table.any(axis=1)
    return support[kept], table[kept]


def _used(problem: Problem, alpha: Floats, folded: bool) -> tuple[Numbers, Floats]:
    """Members that contribute something, and what."""
    values = problem.coefficients(alpha, folded=folded)
    used = np.flatnonzero(values)
    return problem.members[used], values[used]
