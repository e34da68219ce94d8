"""A machine as weights of conjunctions: f(x) = base + the sum of those of the conjunctions that x has.

Features are known by their ranks here: the most frequent one of the support rows is 0. A conjunction is a row of a
matrix, its rarest feature first, -1 after the last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from gristmill import _core
from gristmill.base.arrays import Floats, Int32s, Int64s
from gristmill.base.progress import Progress
from gristmill.kernels import ConjunctionKernel
from gristmill.machines.machine import Machine

MOST_WEIGHTS = 10_000_000  # of conjunctions for outputs: a file of a few hundred megabytes


@dataclass(frozen=True, eq=False)
class Expansion:
    """Weights of conjunctions.

    Parameters
    ----------
    features : int64 array
        The ids of the features, by rank.
    base : float64 array
        The scores of the row without features.
    conjunctions : int32 matrix
        What weighs: a conjunction comes once for each output that it has a weight for, or more often.
    outputs, weights : arrays
        Of each, the output and what it adds there.
    """

    features: Int64s
    base: Floats
    conjunctions: Int32s
    outputs: Int32s
    weights: Floats

    @classmethod
    def of(cls, machine: Machine, *, most: int = MOST_WEIGHTS, progress: Progress | None = None) -> Expansion:
        """That of a machine; ValueError for one that has none, or more than `most` weights."""
        check(machine)
        if isinstance(machine.kernel, ConjunctionKernel):
            offsets, ids, outputs, weights = _given(machine)
        else:
            offsets, ids, outputs, weights = _expanded(machine, most, progress)
        features = ranked(machine)
        base = machine.compile("direct").decision_function([set()]).reshape(machine.n_outputs)
        return cls(features, base, _matrix(offsets, ranks_of(ids, features)), outputs, weights)


def check(machine: Machine) -> None:
    """ValueError, with the reason, for machines that are no sum of weights of conjunctions of features."""
    if not machine.explains_features:
        raise ValueError(f"only machines on rows of features are exported, got one on {machine.support.noun}s")
    if not machine.is_binary_valued:
        raise ValueError(
            "support rows hold values other than 0 and 1; what is exported are weights of features that are there or "
            "not: train on binary rows"
        )
    if machine.compares_sets and not (machine.is_polynomial and machine.polynomial.expandable):
        raise ValueError(
            f"expected a polynomial kernel of degree 1 to 12 with gamma > 0 and coef0 >= 0, or a conjunction kernel, "
            f"got {machine.kernel!r}: its scores are no sum of few weights"
        )
    finite = np.isfinite(machine.intercept).all() and np.isfinite(abs(machine.coef).sum())
    if not finite:
        raise ValueError("coefficients must be finite numbers to become whole ones")


def ranked(machine: Machine) -> Int64s:
    """The features of the support rows, those that are in most of them first; of equals the smaller id."""
    ids, counts = np.unique(machine.rows.ids, return_counts=True)
    return ids[np.lexsort((ids, -counts))].astype(np.int64)


def ranks_of(ids: Int32s, features: Int64s) -> Int32s:
    """The ranks of features by their ids, all of which are known."""
    order = np.argsort(features)
    return order[np.searchsorted(features[order], ids)].astype(np.int32)


def _expanded(machine: Machine, most: int, progress: Progress | None) -> tuple[Int64s, Int32s, Int32s, Floats]:
    longest = machine.polynomial.longest(machine.rows)
    subset_weights = machine.polynomial.subset_weights()[: longest + 1]
    try:
        found = _core.heaviest_conjunctions(machine._native, subset_weights, None, 0.0, 1, None, most, 1, progress)
    except ValueError as error:
        raise ValueError(
            f"the machine has more than {most:,} weights of conjunctions, too many for a file of source text; use a "
            "smaller degree, fewer support rows or rarer features"
        ) from error
    offsets, ids, outputs, raises, lowers, _ = found
    return offsets, ids, outputs, raises + lowers


def _given(machine: Machine) -> tuple[Int64s, Int32s, Int32s, Floats]:
    rows, coef = machine.rows, sp.coo_matrix(machine.coef)
    held = rows.lengths[coef.row] > 0  # what always holds is in the base
    number = coef.row[held]
    some = rows.take(number)
    return some.offsets, some.ids, coef.col[held].astype(np.int32), coef.data[held].astype(np.float64)


def _matrix(offsets: Int64s, ranks: Int32s) -> Int32s:
    sizes = np.diff(offsets)
    table = np.full((len(sizes), int(sizes.max(initial=1))), -1, dtype=np.int32)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    table[owners, np.arange(len(ranks)) - offsets[owners]] = ranks
    return -np.sort(-table, axis=1)
