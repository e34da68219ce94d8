"""What an exported file holds, whatever its language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gristmill.base.arrays import Int64s
from gristmill.base.progress import Progress
from gristmill.display.words import spelled_label
from gristmill.exporting.definition import Definition
from gristmill.exporting.expansion import MOST_WEIGHTS, Expansion
from gristmill.exporting.fixed_point import BITS, Scale, scale_of
from gristmill.exporting.levels import Level, levels_of, walk
from gristmill.machines.machine import Machine


@dataclass(frozen=True, eq=False)
class Program:
    """A machine as tables of whole numbers.

    Parameters
    ----------
    machine : Machine
    features : int64 array
        The ids of the features, by rank.
    levels : list of Level
        The conjunctions of 1, 2, ... features.
    scale : Scale
    base : int64 array
        The scores of the row without features, in units of the scale.
    weights : list of int64 arrays
        Those of each level, in units of the scale.
    definition : Definition or None
        Who is asked where a label is open; None where none can be, or nobody shall.
    """

    machine: Machine
    features: Int64s
    levels: list[Level]
    scale: Scale
    base: Int64s
    weights: list[Int64s]
    definition: Definition | None

    @classmethod
    def of(
        cls,
        machine: Machine,
        *,
        bits: int | None = None,
        definition: bool = True,
        most: int = MOST_WEIGHTS,
        progress: Progress | None = None,
    ) -> Program:
        """That of a machine; see `export`."""
        bits = _checked_bits(machine, bits)
        expansion = Expansion.of(machine, most=most, progress=progress)
        levels = levels_of(expansion)
        scale = scale_of(machine, expansion.base, levels, bits)
        asked = definition and scale.doubt is not None and machine.scheme.has_labels
        return cls(
            machine,
            expansion.features,
            levels,
            scale,
            scale.whole(expansion.base),
            [scale.whole(level.weights.data) for level in levels],
            Definition.of(machine, expansion.features) if asked else None,
        )

    @property
    def n_conjunctions(self) -> int:
        return sum(map(len, self.levels))

    @cached_property
    def class_names(self) -> list[str]:
        """Empty for regression."""
        classes = self.machine.classes
        return [] if classes is None else [spelled_label(label) for label in classes.tolist()]

    def sums(self, ids: Any) -> tuple[Int64s, int]:
        """The sums of a row of feature ids, and how many conjunctions it has: what an exported file computes."""
        rank_of = self._rank_of
        ranks = sorted({rank_of[at] for at in map(int, ids) if at in rank_of})
        sums, found = self.base.copy(), 0
        for depth, node in walk(self.levels, ranks):
            pointers = self.levels[depth].weights.indptr
            some = slice(pointers[node], pointers[node + 1])
            sums[self.levels[depth].weights.indices[some]] += self.weights[depth][some]
            found += 1
        return sums, found

    @cached_property
    def _rank_of(self) -> dict[int, int]:
        return {id: rank for rank, id in enumerate(self.features.tolist())}


def _checked_bits(machine: Machine, bits: int | None) -> int:
    """Those asked for; without a wish 32, and where the scores are the answer as many as there are."""
    if bits is None:
        return 32 if machine.scheme.has_labels else 53
    if bits not in BITS:
        raise ValueError(f"bits must be one of {', '.join(map(str, BITS))}, got {bits!r}")
    return int(bits)


def largest(values: list[Int64s]) -> int:
    """The largest absolute value."""
    return max((int(np.abs(own).max(initial=0)) for own in values), default=0)
