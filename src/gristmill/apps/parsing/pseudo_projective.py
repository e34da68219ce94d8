"""Relations that remember how an arc was lifted (Nivre and Nilsson 2005): obl↑acl was below an acl, acl↓ is on its way.

Schemes, by MaltParser's names: baseline lifts and forgets; head keeps the relation of the head that a word had; path
marks the words that it was lifted through, and that it was lifted; head+path does both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Int32s
from gristmill.base.progress import Progress

SCHEMES = ("none", "baseline", "head", "path", "head+path")
UP, DOWN = "↑", "↓"

Mark = tuple[int, bool, int, bool]


def projectivized(
    columns: _core.Columns,
    heads: Int32s,
    relations: Int32s,
    names: Sequence[str],
    scheme: str,
    progress: Progress | None = None,
) -> tuple[Int32s, Int32s, list[str]]:
    """Heads and relations of trees without crossing arcs, and names of relations, those given first."""
    if scheme == "none":
        return heads, relations, list(names)
    _check_names(names)
    found, before, way = _core.lift_heads(columns, heads, progress)
    starts = np.repeat(columns.starts()[:-1], np.diff(columns.starts()))
    spelled = {name: number for number, name in enumerate(names)}
    numbers = relations.copy()
    for word in np.flatnonzero((before >= 0) | (way == 1)).tolist():
        head = names[relations[starts[word] + before[word]]] if before[word] >= 0 else None
        name = _marked(names[relations[word]], head, bool(way[word]), scheme)
        numbers[word] = spelled.setdefault(name, len(spelled))
    return found, numbers, list(spelled)


def marks_of(names: Sequence[str]) -> list[Mark]:
    """For the core: (relation without marks, was it lifted, from which relation or -1, is it on a way)."""
    number = {name: at for at, name in enumerate(names)}
    marks = list[Mark]()
    for name in names:
        plain, is_lifted, head = name.removesuffix(DOWN).partition(UP)
        if plain not in number or (head and head not in number):
            raise ValueError(f"the relation {name!r} speaks of others that are not there")
        marks.append((number[plain], bool(is_lifted), number[head] if head else -1, name.endswith(DOWN)))
    return marks


def likely_scheme(names: Sequence[str]) -> str:
    """The scheme that relations are marked by."""
    is_head = any(name.removesuffix(DOWN).partition(UP)[2] for name in names)
    is_path = any(name.endswith((UP, DOWN)) for name in names)
    parts = ["head"] * is_head + ["path"] * is_path
    return "+".join(parts) or "baseline"


def without_marks(name: str) -> str:
    """The relation itself."""
    return name.removesuffix(DOWN).partition(UP)[0]


def _marked(name: str, head: str | None, is_way: bool, scheme: str) -> str:
    if scheme == "baseline":
        return name
    up = "" if head is None else UP + (head if scheme.startswith("head") else "")
    return name + up + (DOWN if is_way and scheme.endswith("path") else "")


def _check_names(names: Sequence[str]) -> None:
    if any(UP in name or DOWN in name for name in names):
        raise ValueError(f"relations with {UP} or {DOWN} cannot be lifted: these mark lifted ones")
