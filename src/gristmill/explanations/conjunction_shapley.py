"""Exact Shapley values and interactions where the conjunctions of a machine are given.

Against the empty row a conjunction of n features gives each of them 1 / n of its weight where it holds, and each pair
of them 1 / (n - 1). Against another row it also counts which of its features that row has and x does not.
"""

from __future__ import annotations

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import NO_VALUES, Rows
from gristmill.explanations.contrasts import EMPTY, NO_PLAYERS, joined
from gristmill.explanations.explanation import Explanation, pair_offsets
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import definition_of


def conjunction_explanation(
    machine: Machine,
    native: _core.ConjunctionShapley,
    rows: Rows,
    reference: Rows | None,
    interactions: bool,
    n_jobs: int | None,
    progress: Progress | None,
) -> Explanation:
    """Shapley values of the features in which each row differs from the reference; None is the empty row."""
    offsets, ids, x, other = rows.offsets, rows.ids, np.ones(len(rows.ids)), NO_VALUES
    if reference is not None:
        offsets, ids, x, other = joined(rows, reference)
    starts = pair_offsets(offsets)
    values = np.zeros((len(ids), machine.n_outputs))
    pairs = np.zeros((int(starts[-1]) if interactions else 0, machine.n_outputs))
    native.explain(offsets, ids, x, other, *NO_PLAYERS, values, pairs, resolve_jobs(n_jobs), progress)
    if not np.isfinite(values).all() or not np.isfinite(pairs).all():
        raise ValueError("the values leave the range of double: scale the coefficients down")
    base: Floats = definition_of(machine).scores(EMPTY if reference is None else reference, 1, None)[0]
    return Explanation(machine, offsets, ids, x, values, base, pairs if interactions else None)
