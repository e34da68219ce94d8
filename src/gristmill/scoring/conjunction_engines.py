"""Engines for machines whose conjunctions are given: the definition, an index of them, and tables read off them."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Bytes, Floats, Int64s
from gristmill.data.rows import Rows
from gristmill.kernels import ConjunctionKernel
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import EPSILON, VANISHING, Engine, register
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.row_engines import RowEngine, TableEngine

_MOST_CHOICES = 1e300
_USUAL_FEATURES = 32  # of a row; in longer ones nothing is decided early
_MOST_COMMON = 65_534  # features that tables have columns for; conjunctions of others are compared one by one


@dataclass(frozen=True)
class SizeTotals:
    """What conjunctions of 0, 1, ... features weigh: arrays of sizes, or sizes x outputs."""

    rows: Int64s
    most_equal: Int64s  # rows that are one conjunction
    largest: Floats  # |a|
    total: Floats  # sum of |a|

    @classmethod
    def of(cls, machine: Machine) -> SizeTotals:
        """Count."""
        rows, coef = machine.rows, abs(machine.coef)
        most = np.array(_core.most_equal(rows.offsets, rows.ids), dtype=np.int64)
        counts, outputs = np.bincount(rows.lengths, minlength=len(most)), machine.n_outputs
        largest, total = np.zeros((len(most), outputs)), np.zeros((len(most), outputs))
        for size in np.flatnonzero(counts):
            some = coef[np.flatnonzero(rows.lengths == size)]
            some = some if isinstance(some, np.ndarray) else some.tocsc()
            largest[size] = _plain(some.max(axis=0))
            total[size] = _plain(some.sum(axis=0))
        return cls(counts, most, largest, total)

    def held(self, lengths: Int64s) -> Floats:
        """How many rows of each size hold at most in rows of these lengths: lengths x sizes."""
        found = np.empty((len(lengths), len(self.rows)))
        choices = np.ones(len(lengths))
        for size in range(len(self.rows)):
            if size:
                choices = np.minimum(choices * np.maximum(lengths - size + 1, 0) / size, _MOST_CHOICES)
            found[:, size] = np.minimum(np.ceil(choices) * self.most_equal[size], self.rows[size])
        return found


def _plain(column: Any) -> Floats:
    """One number an output, of a dense or a sparse matrix."""
    dense = column.toarray() if hasattr(column, "toarray") else column
    return np.asarray(dense, dtype=np.float64).ravel()


class ConjunctionEngine(RowEngine):
    """What these engines share: bounds of rounding by what can hold in a row of so many features.

    Conjunctions that do not hold add nothing and round nothing. So a score lies within ``4 (2 n + 16) eps (|b| + A)``
    of the definition's, n and A the number and the sum of ``|a_i|`` of the heaviest conjunctions that a row of so many
    features can have.
    """

    @classmethod
    def takes(cls, machine: Machine) -> bool:
        return isinstance(machine.kernel, ConjunctionKernel)

    def bounds(self, X: Rows) -> Floats:
        lengths, which = np.unique(X.lengths, return_inverse=True)
        return np.asarray(self._by_length(lengths)[which])

    def doubt(self, longest: int) -> Floats:
        return np.asarray(self._by_length(np.arange(longest + 1)).max(axis=1, initial=0.0))

    def _by_length(self, lengths: Int64s) -> Floats:
        """For rows of these lengths (ascending): lengths x outputs."""
        held = self._sizes.held(lengths)
        weights = np.minimum(held[:, :, None] * self._sizes.largest, self._sizes.total).sum(axis=1)
        scale = 4 * (2 * held.sum(axis=1)[:, None] + 16) * EPSILON
        return np.asarray(scale * (np.abs(self.machine.intercept) + weights) + scale * VANISHING)

    @functools.cached_property
    def _sizes(self) -> SizeTotals:
        return SizeTotals.of(self.machine)


@register("rows")
class ConjunctionDirect(ConjunctionEngine):
    """The definition."""

    name = "direct"

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> ConjunctionDirect:
        return cls(machine, _core.ConjunctionDirect(machine._native))


@register("rows")
class ConjunctionInverted(ConjunctionEngine):
    """Conjunctions listed with their rarest feature; the rest of each is checked."""

    name = "inverted"

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> ConjunctionInverted:
        return cls(machine, _core.ConjunctionInverted(machine._native))


@register("rows")
class ConjunctionExpanded(ConjunctionEngine, TableEngine):
    """Tables of the conjunctions, of up to 12 features each."""

    name = "expanded"

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> Engine:
        usual = _USUAL_FEATURES if options.sample is None else int(options.sample.lengths.max(initial=0))
        native = _core.ExpandedScorer(machine._native, options.max_bytes, usual, _MOST_COMMON, options.progress)
        return cls(machine, native, options)

    @classmethod
    def restored(cls, machine: Machine, options: CompileOptions, numbers: Any, arrays: dict[str, Bytes]) -> Engine:
        return cls(machine, _core.ExpandedScorer.restore(machine._native, numbers, arrays), options)
