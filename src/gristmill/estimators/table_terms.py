"""What users say of columns, as fields: allowed and forbidden pairs, directions of monotone columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from gristmill.data.tables.fields import Field

Pair = tuple[int, ...]

_DIRECTIONS = {1: 1, -1: -1, "increasing": 1, "decreasing": -1}


def allowed_pairs(interactions: Any, forbidden: Any, fields: Sequence[Field]) -> tuple[list[Pair], bool]:
    """The pairs of fields there may be, and whether to choose among them where they are many."""
    numbers = [number for number, own in enumerate(fields) if len(own.bins) > 1]
    every: list[Pair] = list(combinations(numbers, 2))
    if interactions is False:
        return [], False
    if interactions is None or isinstance(interactions, str):
        if interactions not in (None, "all"):
            raise _no_interactions(interactions)
        found, screened = every, interactions is None
    else:
        listed = _pairs_of(interactions, "interactions", fields)
        found, screened = [pair for pair in every if pair in listed], False
    left_out = set() if forbidden is None else _pairs_of(forbidden, "forbidden_interactions", fields)
    return [pair for pair in found if pair not in left_out], screened


def directions(monotone: Any, fields: Sequence[Field]) -> tuple[int, ...]:
    """1, -1 or 0 for each field; empty where no column is monotone."""
    if monotone is None:
        return ()
    if not isinstance(monotone, Mapping):
        raise ValueError(f"monotone must be a dict from names of columns to 1 or -1, got {monotone!r}")
    found = [0] * len(fields)
    for name, value in monotone.items():
        own = _fields_of(name, "monotone", fields)
        if not isinstance(value, int | str) or isinstance(value, bool) or value not in (*_DIRECTIONS, 0):
            raise ValueError(f"monotone[{name!r}] must be 1 ('increasing'), -1 ('decreasing') or 0, got {value!r}")
        if value and not any(fields[number].n_ordered for number in own):
            raise ValueError(f"monotone: column {name!r} is a {fields[own[0]].kind} and has no order")
        for number in own:
            found[number] = _DIRECTIONS[value] if value else 0
    return tuple(found) if any(found) else ()


def _pairs_of(pairs: Any, parameter: str, fields: Sequence[Field]) -> set[Pair]:
    """The pairs of fields of pairs of columns."""
    if isinstance(pairs, str | Mapping) or not hasattr(pairs, "__iter__"):
        raise _no_interactions(pairs, parameter)
    found: set[Pair] = set()
    for pair in pairs:
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise _no_interactions(pairs, parameter)
        first, second = (_fields_of(name, parameter, fields) for name in pair)
        own = {(min(j, k), max(j, k)) for j in first for k in second if j != k}
        if not own:
            raise ValueError(f"{parameter} must name pairs of different columns, got {pair[0]!r} twice")
        found |= own
    return found


def _fields_of(name: Any, parameter: str, fields: Sequence[Field]) -> list[int]:
    """The fields of a column, by its name or that of one field."""
    found = [number for number, own in enumerate(fields) if name in (own.column, own.name)]
    if not found:
        columns = ", ".join(dict.fromkeys(own.column for own in fields))
        raise ValueError(f"{parameter} names {name!r}, which is no column; there are {columns}")
    return found


def _no_interactions(value: Any, parameter: str = "interactions") -> ValueError:
    others = "None, 'all', False or " if parameter == "interactions" else "None or "
    return ValueError(f"{parameter} must be {others}a list of pairs of names of columns, got {value!r}")
