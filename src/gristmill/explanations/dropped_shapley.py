"""Exact Shapley values where absent columns are dropped from an RBF kernel.

The kernel is a product over columns. The value of a set of columns is the score with the kernel of these alone, so
without any column all rows are equal (Mohammadi, Chau and Muandet 2025, "Computing exact Shapley values in polynomial
time for product-kernel methods"). All columns are players, present in a row or not. On binary rows a support row gives
nothing to the columns in which it is as x is, and to each of the D others the same:

    phi_f = sum over support rows i that differ in f of a_i (e^(-gamma D_i) - 1) / D_i
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from gristmill import _core
from gristmill.base.arrays import Floats, Indices, Int32s, Int64s
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.explanations.contrasts import NO_PLAYERS, joined
from gristmill.explanations.explanation import Explanation
from gristmill.explanations.set_games import Players, SetGame
from gristmill.kernels.sets import RBFKernel
from gristmill.machines.machine import Machine

_NUMBERS = 1 << 22  # of a block of rows by support rows, or by columns


def check_dropped(machine: Machine) -> None:
    """ValueError for other kernels, which are no products over columns."""
    if not isinstance(machine.kernel, RBFKernel):
        raise ValueError(f"absent='dropped' is for the RBF kernel, a product over columns, got {machine.kernel!r}")


def dropped_explanation(machine: Machine, rows: Rows, n_jobs: int | None, progress: Progress | None) -> Explanation:
    """Values of all columns that the row or a support row has; other columns add nothing."""
    columns = np.unique(machine.rows.ids)
    everywhere = Rows(np.array([0, len(columns)], dtype=np.int64), columns)
    offsets, ids, x, _ = joined(rows, everywhere)
    if rows.is_binary and machine.is_binary_valued:
        values = _of_binary(machine, rows, columns, offsets, ids, x, progress)
    else:
        values = np.zeros((len(ids), machine.n_outputs))
        players = Players(offsets, ids, x, *NO_PLAYERS)
        added = np.zeros(len(ids)), values, np.empty((0, machine.n_outputs)), resolve_jobs(n_jobs), progress
        SetGame(machine).explain(players, *added, absence=_core.Absence.dropped)
    base = machine.intercept + np.asarray(machine.coef.sum(axis=0)).ravel()
    if not np.isfinite(values).all() or not np.isfinite(base).all():
        raise ValueError("the values leave the range of double: scale the coefficients down")
    return Explanation(machine, offsets, ids, x, values, base)


def _of_binary(
    machine: Machine,
    rows: Rows,
    columns: Int32s,
    offsets: Int64s,
    ids: Int32s,
    x: Floats,
    progress: Progress | None,
) -> Floats:
    support, coef = _by_place(machine.rows, columns), machine.dense_coef()
    # a column that no support row has is the last one: all of them differ from a row that has it
    place = np.searchsorted(columns, ids)
    place[np.append(columns, -1)[place] != ids] = len(columns)
    values = np.empty((len(ids), machine.n_outputs))
    for begin, end in _blocks(len(rows), max(machine.n_support, len(columns) + 1)):
        shares = _shares(machine, rows.take(np.arange(begin, end)), support, columns)
        own = slice(offsets[begin], offsets[end])
        row = np.repeat(np.arange(end - begin), np.diff(offsets[begin : end + 1]))
        for output in range(machine.n_outputs):
            weighed = shares * coef[:, output]
            having = np.zeros((end - begin, len(columns) + 1))
            having[:, :-1] = (support.T @ weighed.T).T
            found = having[row, place[own]]
            values[own, output] = np.where(x[own] != 0, weighed.sum(axis=1)[row] - found, found)
        if progress is not None:
            progress(end, len(rows))
    return values


def _shares(machine: Machine, rows: Rows, support: sp.csr_matrix, columns: Int32s) -> Floats:
    """What each support row gives to a column in which it differs, rows x support rows."""
    assert isinstance(machine.kernel, RBFKernel)
    overlaps = np.asarray((_by_place(rows, columns) @ support.T).toarray())
    distances = rows.lengths[:, None] + machine.rows.lengths - 2 * overlaps
    return np.asarray(np.expm1(-machine.kernel.gamma * distances) / np.maximum(distances, 1))


def _by_place(rows: Rows, columns: Int32s) -> sp.csr_matrix:
    """The rows by the places of their features among the columns; without others."""
    place: Indices = np.searchsorted(columns, rows.ids)
    known = np.append(columns, -1)[place] == rows.ids
    counts = np.concatenate([[0], np.cumsum(known)])
    shape = len(rows), len(columns)
    return sp.csr_matrix((np.ones(int(counts[-1])), place[known], counts[rows.offsets]), shape=shape)


def _blocks(rows: int, width: int) -> Iterator[tuple[int, int]]:
    step = max(1, _NUMBERS // max(width, 1))
    for begin in range(0, rows, step):
        yield begin, min(begin + step, rows)
