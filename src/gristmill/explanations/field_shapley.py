"""Exact Shapley values and interactions of the fields of a table: entries of tables, divided among their fields.

With f(x) = base + the sum of the effects w_S[x_S] (see `field_tables`), a field gets w_S / |S| of each S that it is in,
and a pair of fields w_S / (|S| - 1): the Shapley values, and the interaction index of Grabisch and Roubens. Fields of
one group are one player: effects within a group are its own.
"""

from __future__ import annotations

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.explanations.backgrounds import Background
from gristmill.explanations.explanation import Explanation
from gristmill.explanations.field_codes import field_codes
from gristmill.explanations.field_tables import Effects, Tables, effects_of
from gristmill.explanations.groups import Groups
from gristmill.machines.machine import Machine


class FieldShapley:
    """Explains rows by lookups in the effects of fields against a background."""

    def __init__(self, machine: Machine, tables: Tables, groups: Groups, background: Background) -> None:
        assert machine.encoding is not None
        assert groups.fields is not None
        self._machine, self._groups = machine, groups
        self.effects: Effects = effects_of(tables, background.joint(machine))
        self._first = np.unique(groups.fields, return_index=True)[1]  # field of each group
        sizes = np.diff(machine.encoding.starts) + 1
        parts = [list(part) for part in self.effects.tables]
        flat = [np.ascontiguousarray(table).ravel() for table in self.effects.tables.values()]
        self._native = _core.TableShapley(
            sizes.astype(np.uint32),
            np.array(groups.fields, dtype=np.uint32),
            parts,
            np.concatenate([np.empty(0), *flat]),
            machine.n_outputs,
        )

    def explain(self, rows: Rows, interactions: bool, n_jobs: int | None, progress: Progress | None) -> Explanation:
        """All rows; each has all groups as players."""
        codes, sizes = field_codes(rows, self._machine)
        players, outputs = len(self._groups), self._machine.n_outputs
        values = np.empty((len(rows) * players, outputs))
        pairs = np.empty((len(rows) * (players * (players - 1) // 2) if interactions else 0, outputs))
        dtype = np.uint8 if max(sizes) <= np.iinfo(np.uint8).max + 1 else np.uint16
        self._native.explain(np.asfortranarray(codes, dtype=dtype), values, pairs, resolve_jobs(n_jobs), progress)
        if not np.isfinite(values).all() or not np.isfinite(pairs).all():
            raise ValueError("the values leave the range of double: scale the coefficients down")
        bins = codes[:, self._first]
        absent = np.array(sizes)[self._first] - 1
        return Explanation(
            self._machine,
            np.arange(len(rows) + 1, dtype=np.int64) * players,
            np.tile(np.arange(players, dtype=np.int32), len(rows)),
            np.where(bins == absent, 0, bins + 1).astype(np.float64).ravel(),
            values,
            self.base,
            pairs if interactions else None,
            self._groups,
            rows,
        )

    @property
    def base(self) -> Floats:
        """The mean score of the background."""
        return self.effects.base
