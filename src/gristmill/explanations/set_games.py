"""The part of the core that explains a kernel of sets against a row or independent fields.

Polynomial kernels have closed forms for all players, as has RBF, which is a product over features. Under other kernels
of sets what counts is how many features of binary rows are shared, and how many there are: features by themselves come
in four kinds, groups of them each with counts of their own. Real values have no counts.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Floats, Int32s, Int64s
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.kernels.sets import RBFKernel
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import definition_of
from gristmill.scoring.row_engines import RealDirect


@dataclass(frozen=True, eq=False)
class Players:
    """The entries of rows joined with a background, and whose they are; without `starts` each is a player by itself."""

    offsets: Int64s
    ids: Int32s
    x: Floats
    starts: Int64s
    of: NDArray[np.uint32]

    @property
    def are_groups(self) -> bool:
        return len(self.starts) > 0


class SetGame:
    """Adds up Shapley values and interactions of players under a kernel of sets."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def explain(
        self,
        players: Players,
        reference: Floats,
        values: Floats,
        pairs: Floats,
        threads: int,
        progress: Progress | None,
        *,
        absence: _core.Absence = _core.Absence.reference,
    ) -> None:
        """Against what each entry is in a reference row, or how likely where the absence is `independent`."""
        joined = players.offsets, players.ids, players.x, reference
        grouped = *joined, players.starts, players.of
        added = values, pairs, threads, progress
        independent = absence == _core.Absence.independent
        binary = self._machine.is_binary_valued and _is_binary(players.x) and (independent or _is_binary(reference))
        if self._machine.is_polynomial:
            self._powers.explain(*grouped, independent, *added)
        elif binary and not players.are_groups and absence == _core.Absence.reference:
            self._counts.explain(*joined, *added)
        elif isinstance(self._machine.kernel, RBFKernel):
            self._products.explain(*grouped, absence, *added)
        elif binary:
            self._group_counts.explain(*grouped, independent, *added)
        else:
            raise ValueError(
                "values other than 0 and 1 are explained for polynomial and RBF kernels; under another kernel of sets "
                f"features are present or absent, got {self._machine.kernel!r}"
            )

    @functools.cached_property
    def _powers(self) -> _core.ReferenceShapley:
        return _core.ReferenceShapley(self._machine._native)

    @functools.cached_property
    def _counts(self) -> _core.SetReferenceShapley:
        return _core.SetReferenceShapley(self._machine._native)

    @functools.cached_property
    def _group_counts(self) -> _core.CountShapley:
        return _core.CountShapley(self._machine._native)

    @functools.cached_property
    def _products(self) -> _core.ProductShapley:
        return _core.ProductShapley(self._machine._native)


def takes_independent(machine: Machine) -> bool:
    """Whether fields can be compared with a distribution of theirs, each by itself."""
    is_continuous = machine.is_polynomial or isinstance(machine.kernel, RBFKernel)
    return is_continuous or (machine.compares_sets and machine.is_binary_valued)


def scores_of(machine: Machine, rows: Rows) -> Floats:
    """The scores of backgrounds."""
    real = machine.is_polynomial or (machine.compares_sets and not (machine.is_binary_valued and rows.is_binary))
    engine = RealDirect(machine) if real else definition_of(machine)
    return np.asarray(engine.scores(rows, 1, None))


def _is_binary(values: Floats) -> bool:
    return bool(((values == 0) | (values == 1)).all())
