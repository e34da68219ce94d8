"""Exact Shapley values and interactions of groups of columns, and against many rows at once.

A group is one player: present, all of its columns have the values that they have in the row; absent, those of a row of
the background. Values against several rows are the mean of those against each. Machines with kernels of sets also take
independent fields as background: power series in what a field adds, factors or counts are then averaged instead of
values (see core/explain/reference_shapley.hpp, product_shapley.hpp, count_shapley.hpp).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Int32s, Int64s
from gristmill.base.progress import Progress, part_progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.explanations.backgrounds import Background, FieldDistribution, GivenRows
from gristmill.explanations.contrasts import EMPTY, NO_PLAYERS, joined, values_of
from gristmill.explanations.explanation import Explanation, pair_offsets
from gristmill.explanations.groups import Groups
from gristmill.explanations.set_games import Players, SetGame, scores_of, takes_independent
from gristmill.machines.machine import Machine


@dataclass(frozen=True, eq=False)
class _Contrast:
    """Rows joined with all features of the background, and the players that these make.

    Players have an id and what is shown of them (`data`); those of each row begin at `bounds`.
    """

    players: Players
    bounds: Int64s
    names: Int32s
    data: Floats

    @classmethod
    def of_columns(cls, rows: Rows, union: Rows) -> _Contrast:
        offsets, ids, x, _ = joined(rows, union)
        return cls(Players(offsets, ids, x, *NO_PLAYERS), offsets, ids, x)

    @classmethod
    def of_groups(cls, rows: Rows, union: Rows, groups: Groups) -> _Contrast:
        offsets, ids, x, _ = joined(rows, union)
        row = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
        keys, place = np.unique(row * len(groups) + groups.of[ids], return_inverse=True)
        starts = np.searchsorted(keys, np.arange(len(offsets), dtype=np.int64) * len(groups)).astype(np.int64)
        first = np.full(len(keys), np.inf)  # the number of the first column that is present
        np.minimum.at(first, place, np.where(x != 0, groups.places()[ids], np.inf))
        data = np.where(np.isinf(first), 0.0, first)
        names = (keys % len(groups)).astype(np.int32)
        players = Players(offsets, ids, x, starts, (place - starts[row]).astype(np.uint32))
        return cls(players, starts, names, data)


class GroupShapley:
    """Explains rows of a machine against a background; groups None: columns by themselves."""

    def __init__(self, machine: Machine, groups: Groups | None, background: Background) -> None:
        self._machine, self._groups, self._background = machine, groups, background
        self._game: SetGame | _core.ConjunctionShapley = (
            SetGame(machine) if machine.compares_sets else _core.ConjunctionShapley(machine._native)
        )
        if isinstance(background, FieldDistribution):
            self._check_independent()

    def _check_independent(self) -> None:
        groups = self._groups
        if not takes_independent(self._machine) or groups is None or len(groups) != len(groups.fields or ()):
            raise ValueError(
                "background='fields' is for whole fields of a machine whose kernel compares sets, or whose "
                "conjunctions are of three fields at most: give rows as background, one or many"
            )

    @functools.cached_property
    def base(self) -> Floats:
        """The mean score of the background."""
        if isinstance(self._background, GivenRows):
            return np.asarray(scores_of(self._machine, self._background.rows).mean(axis=0))
        values, _ = self._shares(self._contrast(EMPTY), False, 1, None)
        return np.asarray(scores_of(self._machine, EMPTY)[0] - values.sum(axis=0))

    def explain(self, rows: Rows, interactions: bool, n_jobs: int | None, progress: Progress | None) -> Explanation:
        """Values of all players that a row or the background has."""
        if self._groups is not None:
            rows = self._known(rows)
        contrast = self._contrast(rows)
        values, pairs = self._shares(contrast, interactions, resolve_jobs(n_jobs), progress)
        if not all(np.isfinite(numbers).all() for numbers in (values, pairs, self.base)):
            raise ValueError(
                "values leave the range of double between a row and the background: scale the coefficients down, or "
                "use a smaller degree, gamma or coef0"
            )
        return Explanation(
            self._machine,
            contrast.bounds,
            contrast.names,
            contrast.data,
            values,
            self.base,
            pairs if interactions else None,
            self._groups,
            None if self._groups is None else rows,
        )

    def _contrast(self, rows: Rows) -> _Contrast:
        union = self._background.features
        if self._groups is None:
            return _Contrast.of_columns(rows, union)
        return _Contrast.of_groups(rows, self._known(union), self._groups)

    def _known(self, rows: Rows) -> Rows:
        """Without features that the machine does not have: they add nothing and are in no group."""
        assert self._groups is not None
        kept = rows.ids < len(self._groups.of)
        if kept.all():
            return rows
        if self._machine.sees_lengths:
            raise ValueError(
                f"feature {int(rows.ids[~kept][0])} is in no group, but under {self._machine.kernel!r} every feature "
                "of a row counts: give groups=False, or leave it out"
            )
        counts = np.concatenate([[0], np.cumsum(kept)])
        values = rows.values if rows.is_binary else rows.values[kept]
        return replace(rows, offsets=counts[rows.offsets].astype(np.int64), ids=rows.ids[kept], values=values)

    def _shares(
        self, contrast: _Contrast, interactions: bool, threads: int, progress: Progress | None
    ) -> tuple[Floats, Floats]:
        """Values of players and, if `interactions`, of their pairs: the means over the background."""
        values = np.zeros((len(contrast.names), self._machine.n_outputs))
        pairs = np.zeros((int(pair_offsets(contrast.bounds)[-1]) if interactions else 0, self._machine.n_outputs))
        count = len(self._background)
        players = contrast.players
        independent = isinstance(self._background, FieldDistribution)
        absence = _core.Absence.independent if independent else _core.Absence.reference
        for done, reference in enumerate(_references(self._background, players.ids)):
            added = values, pairs, threads, part_progress(progress, done, count)
            if isinstance(self._game, SetGame):
                self._game.explain(players, reference, *added, absence=absence)
            else:
                where = players.offsets, players.ids, players.x, reference, players.starts, players.of
                self._game.explain(*where, *added)
        return values / count, pairs / count


def _references(background: Background, ids: Int32s) -> Iterator[Floats]:
    """What each entry is in each row of the background, or how likely it is."""
    if isinstance(background, FieldDistribution):
        yield background.probabilities[ids]
        return
    rows, values = background.rows, values_of(background.rows)
    for begin, end in pairwise(rows.offsets.tolist()):
        own = np.append(rows.ids[begin:end], -1)  # behind all others stands what no entry is
        place = np.searchsorted(own[:-1], ids)
        yield np.where(own[place] == ids, np.append(values[begin:end], 0.0)[place], 0.0)
