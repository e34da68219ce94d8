"""Coverage: the share of a score that listed rules or fragments give, and a bound for all others.

Also the table of conjunctions that rules are made of, and what a conjunction of so many features weighs.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Flags, Floats, Indices, Int32s, Int64s
from gristmill.base.id_table import place_among
from gristmill.data.rows import Rows
from gristmill.kernels import PolynomialKernel
from gristmill.machines.machine import Machine
from gristmill.scoring.conjunction_engines import SizeTotals

_BLOCK = 1024  # rows that are matched at a time


@dataclass(frozen=True)
class Coverage:
    """How much of the scores of examples a list of rules or fragments gives: arrays of examples x outputs.

    Parameters
    ----------
    score : array
        f(x), by the machine.
    base : array of shape (outputs,)
        f of the empty row; for trees the intercept.
    listed : array
        The sum of the weights of the rules that hold in x, or of the fragments that x has.
    bound : array
        A bound for ``|rest|``, up to rounding. It uses only that no unlisted rule or fragment weighs more than the
        lightest listed one.
    """

    score: Floats
    base: Floats
    listed: Floats
    bound: Floats

    @property
    def total(self) -> Floats:
        """The score without the base: what all conjunctions, or fragments, of x give together."""
        return self.score - self.base

    @property
    def rest(self) -> Floats:
        """What the unlisted ones give: exact, since the score is known."""
        return self.total - self.listed


# --- rules ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """Conjunctions as the core returns them, heaviest first."""

    offsets: Int64s  # of the features of each in `ids`
    ids: Int32s
    outputs: Int32s
    positive: Floats  # from support rows that raise the output
    negative: Floats  # from support rows that lower it
    support: Int64s  # rows

    def __len__(self) -> int:
        return len(self.outputs)

    @functools.cached_property
    def weights(self) -> Floats:
        return self.positive + self.negative

    @functools.cached_property
    def sizes(self) -> Int64s:
        return np.diff(self.offsets)

    def different(self) -> tuple[Indices, Indices]:
        """Of different conjunctions where each comes first; and for each conjunction which of them it is."""
        _, firsts, which = np.unique(self._rarest_first, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(firsts)
        return firsts[order], np.argsort(order)[which.ravel()]

    def matches(self, rows: Rows) -> sp.csr_matrix:
        """Rows x conjunctions: 1 where all features of a conjunction are in the row."""
        features, places = self._places
        used = len(features)
        places_of_rows = place_among(features, rows.ids)
        is_known = places_of_rows < used  # others are in no conjunction
        row_of = np.repeat(np.arange(len(rows)), rows.lengths)[is_known]
        column = places_of_rows[is_known]
        present = row_of * used + column  # ascending, as rows and ids are
        own = sp.csr_matrix((np.ones(len(column)), (row_of, column)), shape=(len(rows), used))
        found = (own @ self._by_rarest).tocoo()
        row, number = found.row.astype(np.int64), found.col
        for others in places.T[1:]:
            needed = others[number]
            fit = (needed < 0) | _among(present, row * used + needed)
            row, number = row[fit], number[fit]
        return sp.csr_matrix((np.ones(len(row)), (row, number)), shape=(len(rows), len(self)))

    @functools.cached_property
    def _rarest_first(self) -> Int64s:
        """Conjunctions x places: their features, those that few conjunctions have first; -1 after the last."""
        owners = np.repeat(np.arange(len(self)), self.sizes)
        _, which, counts = np.unique(self.ids, return_inverse=True, return_counts=True)
        ids = self.ids[np.lexsort((counts[which], owners))]
        table = np.full((len(self), int(self.sizes.max(initial=0))), -1, dtype=np.int64)
        table[owners, np.arange(len(ids)) - self.offsets[owners]] = ids
        return table

    @functools.cached_property
    def _places(self) -> tuple[Int64s, Int64s]:
        """The features of all conjunctions, ascending, and `_rarest_first` by their places among them."""
        features = np.unique(self.ids).astype(np.int64)
        found = np.searchsorted(features, self._rarest_first)
        return features, np.where(self._rarest_first < 0, -1, found)

    @functools.cached_property
    def _by_rarest(self) -> sp.csr_matrix:
        """Features x conjunctions: 1 at the rarest feature of each conjunction."""
        features, places = self._places
        ones, firsts = np.ones(len(self)), places[:, :1].ravel()
        return sp.csr_matrix((ones, (firsts, np.arange(len(self)))), shape=(len(features), len(self)))


def _among(ascending: Int64s, numbers: Int64s) -> Flags:
    """Which of the numbers occur among the ascending ones."""
    at = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[at] == numbers)


class Unlisted:
    """The largest weight that an unlisted conjunction may have, by its size and output.

    Parameters
    ----------
    machine : Machine
    weights : array of shape (sizes, outputs searched)
    outputs : range
        Those searched.
    """

    def __init__(self, machine: Machine, weights: Floats, outputs: range) -> None:
        self.features = np.unique(machine.rows.ids)  # others are in no conjunction
        self.weights = weights
        self.outputs = outputs

    @classmethod
    def shared(
        cls, machine: Machine, weights: Floats, floor: float, max_size: int, min_support: int, outputs: range
    ) -> Unlisted:
        """Of the conjunctions that support rows share; weights: c(0), c(1), ..."""
        coef = sp.csc_matrix(machine.coef)[:, list(outputs)]
        raises, lowers = _sums(coef.maximum(0)), _sums((-coef).maximum(0))
        largest = np.asarray(abs(coef).max(axis=0).todense()).ravel() if machine.n_support else np.zeros(len(outputs))
        total = np.maximum(raises, lowers)
        rare = np.minimum(total, (min_support - 1) * largest)  # the search skips what too few support rows hold
        searched = np.arange(len(weights)) <= max_size
        c = np.abs(weights)[:, None]
        known = np.where(searched[:, None], np.maximum(floor, c * rare), np.inf)
        return cls(machine, np.minimum(c * total, known), outputs)

    @classmethod
    def given(cls, machine: Machine, floor: float, max_size: int, min_support: int, outputs: range) -> Unlisted:
        """Of the conjunctions that are support rows."""
        sizes = SizeTotals.of(machine)
        most = np.minimum(sizes.largest * sizes.most_equal[:, None], sizes.total)[:, list(outputs)]
        searched = (np.arange(len(most)) <= max_size) & (min_support == 1)
        return cls(machine, np.where(searched[:, None], np.minimum(most, floor), most), outputs)

    @property
    def sizes(self) -> int:
        return len(self.weights)

    def bounds(self, rows: Rows, listed: Floats) -> Floats:
        """Bounds for the sums over all unlisted conjunctions of each row.

        `listed` counts the listed ones that hold: rows x sizes x outputs.
        """
        known = sp.csr_matrix(
            (np.isin(rows.ids, self.features), rows.ids, rows.offsets), shape=(len(rows), rows.n_features)
        )
        lengths = np.asarray(known.sum(axis=1)).ravel()
        choices, bounds = np.ones(len(rows)), np.zeros((len(rows), len(self.outputs)))
        for size in range(1, self.sizes):
            choices = choices * np.maximum(lengths - size + 1, 0) / size
            bounds += (choices[:, None] - listed[:, size]) * self.weights[size]
        return bounds


def _sums(columns: Any) -> Floats:
    return np.asarray(columns.sum(axis=0), dtype=np.float64).ravel()


def rule_coverage(table: Table, rows: Rows, unlisted: Unlisted, score: Floats, base: Floats) -> Coverage:
    """Match the rules with rows, block by block."""
    outputs, sizes = len(unlisted.outputs), unlisted.sizes
    numbers, columns = np.arange(len(table)), table.outputs - unlisted.outputs.start
    weights = sp.csr_matrix((table.weights, (numbers, columns)), shape=(len(table), outputs))
    kinds = (np.ones(len(table)), (numbers, table.sizes * outputs + columns))
    by_kind = sp.csr_matrix(kinds, shape=(len(table), sizes * outputs))
    listed, bound = np.empty((len(rows), outputs)), np.empty((len(rows), outputs))
    for begin in range(0, len(rows), _BLOCK):
        at = np.arange(begin, min(begin + _BLOCK, len(rows)))
        block = rows.take(at)
        matches = table.matches(block)
        listed[at] = (matches @ weights).toarray()
        counts = (matches @ by_kind).toarray().reshape(len(at), sizes, outputs)
        bound[at] = unlisted.bounds(block, counts)
    return Coverage(score, base, listed, bound)


def subset_weights(kernel: PolynomialKernel, largest: int) -> Floats:
    """c(0), ..., c(largest): what a conjunction of so many features weighs, for any gamma and coef0.

    They are the forward differences of k at 0 (docs/formulas.md A3). Integers are used, so that nothing cancels.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explanations.coverage import subset_weights
    >>> subset_weights(gm.PolynomialKernel(3, gamma=-1.0), 3)
    array([ 1., -1.,  0., -6.])
    """
    gamma, coef0 = Fraction(kernel.gamma), Fraction(kernel.coef0)
    scale = max(gamma.denominator, coef0.denominator)  # powers of 2
    values = [int(scale * (gamma * m + coef0)) ** kernel.degree for m in range(largest + 1)]
    weights = []
    while values:
        weights.append(values[0])
        values = [after - before for before, after in pairwise(values)]
    try:
        return np.array([weight / scale**kernel.degree for weight in weights])
    except OverflowError:
        raise ValueError(f"conjunctions of {largest} features leave the range of double with {kernel}") from None
