"""The smallest counterfactual of a degree 2 machine as a mixed-integer linear program, for HiGHS (scipy).

A binary variable for each value of each group, one of each group is 1; a number in [0, 1] for each product of two of
them. Two ways to tie products to values: by the three inequalities of each product (McCormick), or by sums, as of the
values of a group exactly one is 1: all products of a value with those of another group add up to it. The second is
tighter, and the first smaller; both were tried, and the faster one is beside us.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

import gristmill as gm
from gristmill.explanations.change_rules import ChangeRules
from gristmill.explanations.rules import rules_of

Floats = NDArray[np.float64]
Way = Literal["products", "sums"]
_MARGIN = 1e-6  # of what must be above 0


@dataclass(frozen=True)
class Quadratic:
    """f(z) = constant + singles z + z' pairs z of columns of 0 and 1; pairs are above the diagonal."""

    constant: float
    singles: Floats
    pairs: sp.csr_matrix

    @classmethod
    def of(cls, machine: gm.Machine) -> Quadratic:
        """The expansion of a machine of degree 2 with one output."""
        found = rules_of(machine, min_weight=0, max_rules=10_000_000).as_machine()
        rows, weights = found.rows, found.dense_coef()[:, 0]
        n = machine.n_features
        constant = float(machine.compile("direct").decision_function(gm.ids([[]]))[0])
        singles = np.zeros(n)
        is_single = rows.lengths == 1
        singles[rows.ids[rows.offsets[:-1][is_single]]] = weights[is_single]
        two = np.flatnonzero(rows.lengths == 2)
        first, second = rows.ids[rows.offsets[two]], rows.ids[rows.offsets[two] + 1]
        return cls(constant, singles, sp.csr_matrix((weights[two], (first, second)), shape=(n, n)))


@dataclass(frozen=True)
class Solved:
    """The least cost, where HiGHS came to the end."""

    cost: float | None
    is_proven: bool


def smallest(machine: Quadratic, rules: ChangeRules, ids: Any, is_above: bool, way: Way, seconds: float) -> Solved:
    """Of a row whose score is to be above 0, or not above it."""
    program = _Program(machine, rules, ids, is_above, way)
    found = program.solve(seconds)
    return Solved(None if found.x is None else round(float(found.fun)), found.status == 0)


class _Program:
    def __init__(self, machine: Quadratic, rules: ChangeRules, ids: Any, is_above: bool, way: Way) -> None:
        choices = rules.choices(ids)
        self._variable = rules.variables.variable[choices.values]
        self._columns, self._costs, self._fixed = choices.columns, choices.costs, choices.fixed
        self._machine, self._is_above = machine, is_above
        self._pairs = self._products(way)
        self._rows: list[sp.csr_matrix] = []
        self._low: list[Floats] = []
        self._high: list[Floats] = []
        self._one_of_each()
        self._score()
        (self._tie_by_sums if way == "sums" else self._tie_by_products)()

    def solve(self, seconds: float) -> Any:
        n, m = len(self._columns), len(self._pairs[0])
        constraint = LinearConstraint(sp.vstack(self._rows), np.concatenate(self._low), np.concatenate(self._high))
        return milp(
            np.concatenate([self._costs, np.zeros(m)]),
            integrality=np.concatenate([np.ones(n), np.zeros(m)]),
            bounds=Bounds(0, 1),
            constraints=constraint,
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )

    def _products(self, way: Way) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of values of two variables; by products those that weigh something."""
        first, second = np.triu_indices(len(self._columns), 1)
        apart = self._variable[first] != self._variable[second]
        if way == "products":
            apart &= self._weights(first, second) != 0
        return first[apart], second[apart]

    def _weights(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Floats:
        one, two = self._columns[first], self._columns[second]
        known = (one >= 0) & (two >= 0) & (np.maximum(one, two) < len(self._machine.singles))
        found = np.zeros(len(one))
        low, high = np.minimum(one, two)[known], np.maximum(one, two)[known]
        found[known] = np.asarray(self._machine.pairs[low, high]).ravel()
        return found

    def _add(self, matrix: Any, low: Any, high: Any) -> None:
        rows = sp.csr_matrix(matrix)
        self._rows.append(rows)
        self._low.append(np.broadcast_to(low, rows.shape[0]).astype(float))
        self._high.append(np.broadcast_to(high, rows.shape[0]).astype(float))

    @property
    def _width(self) -> int:
        return len(self._columns) + len(self._pairs[0])

    def _one_of_each(self) -> None:
        variables = np.unique(self._variable, return_inverse=True)[1]
        entries = np.ones(len(variables)), (variables, np.arange(len(variables)))
        self._add(sp.csr_matrix(entries, shape=(variables.max() + 1, self._width)), 1, 1)

    def _score(self) -> None:
        machine, columns = self._machine, self._columns
        fixed = self._fixed[self._fixed < len(machine.singles)]
        among = machine.pairs[np.ix_(fixed, fixed)].sum()
        constant = machine.constant + machine.singles[fixed].sum() + among
        beside = np.asarray(machine.pairs[:, fixed].sum(axis=1)).ravel()
        beside += np.asarray(machine.pairs[fixed].sum(axis=0)).ravel()
        own = np.where(columns >= 0, (machine.singles + beside)[columns], 0.0)
        row = np.concatenate([own, self._weights(*self._pairs)])[None]
        if self._is_above:
            self._add(row, _MARGIN - constant, np.inf)
        else:
            self._add(row, -np.inf, -constant)

    def _tie_by_products(self) -> None:
        first, second = self._pairs
        n, at, ones = len(self._columns), np.arange(len(first)), np.ones(len(first))
        shape = len(first), self._width
        product = sp.csr_matrix((ones, (at, n + at)), shape=shape)
        one, two = (sp.csr_matrix((ones, (at, side)), shape=shape) for side in (first, second))
        self._add(product - one, -np.inf, 0)
        self._add(product - two, -np.inf, 0)
        self._add(product - one - two, -1, np.inf)

    def _tie_by_sums(self) -> None:
        """For each value and each other variable: the products of both are the value."""
        first, second = self._pairs
        n = len(self._columns)
        keys = np.concatenate([first * n + self._variable[second], second * n + self._variable[first]])
        different, place = np.unique(keys, return_inverse=True)
        at = n + np.tile(np.arange(len(first)), 2)
        sums = sp.csr_matrix((np.ones(len(at)), (place, at)), shape=(len(different), self._width))
        owners = sp.csr_matrix((np.ones(len(different)), (np.arange(len(different)), different // n)), shape=sums.shape)
        self._add(sums - owners, 0, 0)
