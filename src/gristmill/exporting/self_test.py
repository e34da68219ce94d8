"""What an exported file can check itself by: rows, the classes that gristmill gives them, a digest of their sums."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gristmill.base.arrays import Indices
from gristmill.data.rows import Rows
from gristmill.data.rows import ids as rows_of_ids
from gristmill.exporting.program import Program

_ROWS = 64
_CONJUNCTIONS = 1000  # of a row: they are all looked at, one by one
_FNV_START, _FNV_PRIME = 2166136261, 16777619


@dataclass(frozen=True, eq=False)
class SelfTest:
    """Rows of feature ids, with the number of the class of each (of regression none) and the digest of all sums."""

    rows: list[list[int]]
    classes: Indices | None
    digest: int

    @classmethod
    def of(cls, program: Program, sample: Rows | None = None) -> SelfTest:
        """The first rows of a sample; without one rows like the support rows, the same every time."""
        rows = _rows_like(program) if sample is None else [sample.one(at).ids.tolist() for at in _first(sample)]
        sums = [total for row in rows for total in program.sums(row)[0].tolist()]
        return cls(rows, _classes(program, rows), digest_of(sums))


def _first(sample: Rows) -> range:
    return range(min(len(sample), _ROWS))


def _rows_like(program: Program) -> list[list[int]]:
    """Some support rows, and parts of two of them; one without features, one with an unknown one."""
    support, longest = program.machine.rows, _longest(len(program.levels))
    chosen = sorted({at * len(support) // (_ROWS // 2) for at in range(_ROWS // 2)} if len(support) else ())
    known = [support.one(at).ids.tolist()[:longest] for at in chosen]
    mixed = [one[::2] + other[1::2] for one, other in pairwise(known)]
    unknown = int(program.features.max(initial=0)) + 1
    return [[], [unknown], *known, *(sorted(set(row)) for row in mixed)]


def _longest(degree: int) -> int:
    """Features of a row that has few conjunctions."""
    sizes = range(degree, _CONJUNCTIONS)
    small = (size for size in sizes if sum(math.comb(size, k) for k in range(1, degree + 1)) > _CONJUNCTIONS)
    return next(small, _CONJUNCTIONS)


def _classes(program: Program, rows: list[list[int]]) -> Indices | None:
    machine = program.machine
    if not program.class_names:
        return None
    scores: Any = machine.compile("direct").decision_function(rows_of_ids(rows))
    return machine.decision.classes(scores.reshape(len(rows), machine.n_outputs))


def digest_of(sums: Iterable[int]) -> int:
    """FNV-1a of 32 bits over whole numbers, 8 bytes each, the lowest first."""
    digest = _FNV_START
    for total in sums:
        for byte in total.to_bytes(8, "little", signed=True):
            digest = ((digest ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return digest
