"""Exact Shapley values and interactions against a reference row, for binary rows and for real ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.explanations.explanation import pair_offsets
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import Real

Floats = NDArray[np.float64]
Offsets = NDArray[np.int64]


class ReferenceExplanation(NamedTuple):
    """What the features of rows add to f(reference), row after row in flat arrays."""

    offsets: Offsets  # where each row starts in ids and values, and the end
    ids: NDArray[np.int32]  # the features of the row and of the reference, ascending
    values: Floats  # entries x outputs: with the base they add up to f(row)
    base: Floats  # f(reference), one number per output
    interactions: Floats | None  # pairs x outputs: (0, 1), (0, 2), ..., (1, 2), ... of the entries of each row
    pair_offsets: Offsets  # where each row starts in interactions, and the end


def reference_explanation(
    machine: Machine,
    rows: Rows,
    reference: Rows | None = None,
    *,
    interactions: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ReferenceExplanation:
    """Shapley values, and interactions if asked for, of the features in which each row differs from the reference.

    A feature that plays has its value in the row, one that does not the value in the reference. Features that are the
    same in both, or that no support row has, get 0.

    Parameters
    ----------
    machine : Machine
        With a polynomial kernel of any degree, gamma and coef0; its support may be binary or real.
    rows : Rows
        What to explain.
    reference : Rows or None
        A single row; None is the empty one, in which every feature is absent.

    Examples
    --------
    Two houses, rooms and garden; each is told apart from one of two rooms without a garden:

    >>> import numpy as np
    >>> import gristmill as gm
    >>> from gristmill.data.rows import as_rows
    >>> machine = gm.Machine(gm.PolynomialKernel(2), np.array([[1.0, 2.0]]), [0.5], 10.0)
    >>> houses, small = (as_rows(np.array(table), binarize=False) for table in ([[4.0, 0.5], [2.0, 1.0]], [[2.0, 0]]))
    >>> told = reference_explanation(machine, houses, small, interactions=True)
    >>> told.base, told.ids, told.offsets
    (array([14.5]), array([0, 1, 0, 1], dtype=int32), array([0, 2, 4]))
    >>> told.values.ravel(), told.interactions.ravel()
    (array([9. , 4.5, 0. , 8. ]), array([2., 0.]))
    """
    reference = _checked(reference)
    offsets, ids, x, other = _side_by_side(rows, reference)
    starts = pair_offsets(offsets)
    values = np.zeros((len(ids), machine.n_outputs))
    pairs = np.zeros((int(starts[-1]) if interactions else 0, machine.n_outputs))
    native = _core.ReferenceShapley(machine._native)
    native.explain(offsets, ids, x, other, values, pairs, resolve_jobs(n_jobs), progress)
    base = Real(machine).run(reference, 1, None)[0]
    if not all(np.isfinite(numbers).all() for numbers in (values, pairs, base)):
        raise ValueError(
            "the kernel leaves the range of double between a row and the reference; "
            "use a smaller degree, gamma or coef0"
        )
    return ReferenceExplanation(offsets, ids, values, base, pairs if interactions else None, starts)


def _checked(reference: Rows | None) -> Rows:
    if reference is None:
        return Rows(np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.int32))
    if len(reference) != 1:
        raise ValueError(f"the reference must be a single row, got {len(reference)}")
    return reference


def _side_by_side(rows: Rows, reference: Rows) -> tuple[Offsets, NDArray[np.int32], Floats, Floats]:
    """Offsets and ids of each row joined with the reference, and the value of each entry in both of them."""
    width = 1 + max(int(part.ids.max(initial=0)) for part in (rows, reference))
    starts = width * np.arange(len(rows) + 1, dtype=np.int64)
    own = np.repeat(starts[:-1], rows.lengths) + rows.ids
    others = (starts[:-1, None] + reference.ids).ravel()
    keys = np.unique(np.concatenate([own, others]))
    x, other = np.zeros(len(keys)), np.zeros(len(keys))
    x[np.searchsorted(keys, own)] = _values(rows)
    other[np.searchsorted(keys, others)] = np.tile(_values(reference), len(rows))
    return np.searchsorted(keys, starts), (keys % width).astype(np.int32), x, other


def _values(rows: Rows) -> Floats:
    return np.ones(len(rows.ids)) if rows.is_binary else rows.values
