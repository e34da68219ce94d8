"""Groups: the players of an explanation that are several columns of a machine, such as the bins of a field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal

import numpy as np

from gristmill.base.arrays import Int32s
from gristmill.base.checks import is_whole
from gristmill.data.rows import Rows, check_width
from gristmill.data.tables.encoding import Encoding
from gristmill.data.tables.fields import Field, distinct, labels
from gristmill.display.markup import shortened
from gristmill.display.words import counted
from gristmill.explanations.models import feature_name
from gristmill.machines.machine import Machine

GroupsLike = Mapping[str, Any] | Sequence[Any] | Literal["fields", "columns", False] | None
_Given = list[tuple[str | None, list[Any]]]

_LONGEST = 40  # characters of a name made of names
BETWEEN = "_=:. "  # a group and the rest of the name of its column


@dataclass(frozen=True, eq=False)
class Groups:
    """Which columns of a machine are one player.

    Parameters
    ----------
    names : tuple of str
        Of the groups, then of columns that are in none.
    of : int32 array
        The group of each feature of the machine.
    labels : tuple of str
        What stands for each feature where it is present: 'age 37-41', 'sky = rain'.
    fields : tuple of int or None
        The group of each field of the machine's encoding, where groups are whole fields.
    """

    names: tuple[str, ...]
    of: Int32s
    labels: tuple[str, ...]
    fields: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def texts(self, groups: Int32s, row: Rows) -> tuple[str, ...]:
        """The groups as they are in one row: 'age 37-41', 'no sky' where no column of it is present."""
        found: dict[int, list[str]] = {}
        for at, feature in enumerate(row.ids[row.ids < len(self.of)].tolist()):
            value = 1.0 if row.is_binary else float(row.values[at])
            label = self.labels[feature] if value == 1 else f"{self.labels[feature]} = {value:.4g}"
            if value:
                found.setdefault(int(self.of[feature]), []).append(label)
        return tuple(", ".join(found.get(group, [f"no {self.names[group]}"])) for group in groups.tolist())

    def places(self) -> Int32s:
        """Of each feature its number within its group, from 1 on."""
        order = np.argsort(self.of, kind="stable")
        sizes = np.bincount(self.of, minlength=len(self))
        places = np.empty(len(self.of), dtype=np.int32)
        places[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
        return places


def n_players(machine: Machine, groups: Groups | None) -> int:
    return machine.n_features if groups is None else len(groups)


def player_name(machine: Machine, groups: Groups | None, number: int) -> str:
    """Of a group; else of a column."""
    return feature_name(machine, number) if groups is None else groups.names[number]


def encoded(machine: Machine, groups: Any) -> tuple[Machine, Any]:
    """The machine with the encoding whose columns it learned from, where groups are a TableEncoder; and the groups."""
    encoding = getattr(groups, "encoding_", groups)
    if not isinstance(encoding, Encoding):
        return machine, groups
    return machine.replace(encoding=encoding), "fields"


def groups_of(groups: Any, machine: Machine) -> Groups | None:
    """The players that a user asks for; None: each column is one.

    Parameters
    ----------
    groups : None, 'fields', 'columns', False, mapping or sequence
        None: the fields of the machine's encoding where it has one. 'fields': these. 'columns': the columns of its
        tables, the parts of a date being one. False: each column of the machine by itself. A mapping gives names and
        columns, a sequence lists of columns, or the `fields_` of an encoder. Columns are names, or numbers from 0: of
        the machine's tables where it has an encoding (names of bins are allowed, if all are), else of the machine.
    machine : Machine
    """
    if groups is False or (groups is None and machine.encoding is None):
        return None
    if groups is None or (isinstance(groups, str) and groups in ("fields", "columns")):
        return _of_encoding(machine, "fields" if groups is None else groups)
    if isinstance(groups, str) or not isinstance(groups, Mapping | Sequence) or not len(groups):
        raise ValueError(
            "groups must be a dict from names to columns, lists of columns, a TableEncoder or its fields_, 'fields', "
            f"'columns', False or None, got {groups!r}"
        )
    if not isinstance(groups, Mapping) and all(isinstance(one, Field) for one in groups):
        return _of_fields(groups, distinct([one.name for one in groups]), machine)
    given = _given(groups)
    if machine.encoding is None or _are_bins(given, machine.encoding):
        return _of_columns(given, machine)
    return _of_table_columns(given, machine, machine.encoding)


def _given(groups: Any) -> _Given:
    """The groups with their names, None where they have none."""
    named = groups.items() if isinstance(groups, Mapping) else ((None, columns) for columns in groups)
    found: _Given = []
    for name, columns in named:
        if isinstance(columns, str) or not isinstance(columns, Iterable):
            raise ValueError(f"a group is a list of columns, got {columns!r}")
        found.append((None if name is None else str(name), list(columns)))
        if not found[-1][1]:
            raise ValueError("a group has one column or more, got none")
    return found


def _of_encoding(machine: Machine, kind: str) -> Groups:
    if machine.encoding is None:
        raise ValueError(
            f"groups={kind!r} is for machines with an encoding of tables; give a dict from names to columns, or the "
            "TableEncoder"
        )
    fields = machine.encoding.fields
    names = distinct([own.name for own in fields]) if kind == "fields" else [own.column for own in fields]
    return _of_fields(fields, names, machine)


def _of_fields(fields: Sequence[Field], names: Sequence[str], machine: Machine) -> Groups:
    """Fields with the same name are one group."""
    bins = sum(len(own.bins) for own in fields)
    if bins != machine.n_features:
        raise ValueError(f"the fields have {bins} bins, the machine {counted(machine.n_features, 'column')}")
    players = tuple(dict.fromkeys(names))
    own_group = tuple(players.index(name) for name in names)
    of = np.repeat(own_group, [len(own.bins) for own in fields]).astype(np.int32)
    is_encoding = machine.encoding is not None and tuple(fields) == machine.encoding.fields
    return Groups(players, of, tuple(labels(fields)), own_group if is_encoding else None)


def _are_bins(given: _Given, encoding: Encoding) -> bool:
    """Whether all columns are names of bins, and none is that of a column or a field."""
    others = {name for own in encoding.fields for name in (own.name, own.column)}.union(encoding.names)
    bins = set(encoding.feature_names) - others
    return all(isinstance(column, str) and column in bins for _, columns in given for column in columns)


def _of_table_columns(given: _Given, machine: Machine, encoding: Encoding) -> Groups:
    """Groups of columns of the machine's tables; other fields are players of their own."""
    grouped = [[field for column in columns for field in _fields_of(column, encoding)] for _, columns in given]
    names = distinct([own.name for own in encoding.fields])
    alone = dict(enumerate(names))
    for group, fields in zip(_names_of(given, encoding), grouped, strict=True):
        for field in fields:
            _check_alone(field not in alone, encoding.fields[field].name)
            del alone[field]
            names[field] = group
    for name in alone.values():
        if names.count(name) > 1:
            raise ValueError(
                f"a group is called {name!r}, as is a column that is in no group and so a player of its own: give the "
                "group another name"
            )
    return _of_fields(encoding.fields, names, machine)


def _names_of(given: _Given, encoding: Encoding) -> list[str]:
    """Of groups; of one without a name all its columns."""
    texts = (", ".join(encoding.names[one] if is_whole(one) else one for one in columns) for _, columns in given)
    own = zip(given, texts, strict=True)
    return distinct([shortened(text, _LONGEST) if name is None else name for (name, _), text in own])


def _fields_of(column: Any, encoding: Encoding) -> list[int]:
    """Those of a column of the table, given by name or place; or one field by its name."""
    name = encoding.names[column] if is_whole(column) and 0 <= column < len(encoding.names) else column
    if isinstance(name, str):
        if name in encoding.names:
            return [at for at, own in enumerate(encoding.fields) if own.column == name]
        if found := [at for at, own in enumerate(encoding.fields) if own.name == name]:
            return found
        if name in encoding.feature_names:
            raise ValueError(
                f"groups name a bin, {name!r}, and columns of the table: give columns alone, or bins alone"
            )
    raise ValueError(
        f"groups name a column that the table does not have: {column!r}; it has {_some(encoding.names, 20)}"
    )


def _check_alone(is_taken: bool, column: str) -> None:
    if is_taken:
        raise ValueError(f"column {column!r} is in two groups, or twice in one")


def _of_columns(given: _Given, machine: Machine) -> Groups:
    check_width(machine.rows, "all columns are players where some are in groups")
    of = np.full(machine.n_features, -1, dtype=np.int32)
    texts = [feature_name(machine, feature) for feature in range(machine.n_features)]
    names: list[str] = []
    for name, columns in given:
        features = [_number(column, machine) for column in columns]
        own = _name_of([texts[feature] for feature in features]) if name is None else name
        for feature in features:
            _check_alone(of[feature] >= 0, texts[feature])
            of[feature] = len(names)
        for feature in features:
            texts[feature] = f"{own} = {_rest(texts[feature], own)}"
        names.append(own)
    alone = np.flatnonzero(of < 0)
    of[alone] = len(names) + np.arange(len(alone))
    return Groups((*names, *(texts[feature] for feature in alone.tolist())), of, tuple(texts))


def _number(column: Any, machine: Machine) -> int:
    names = machine.feature_names or ()
    if isinstance(column, str) and column in names:
        return names.index(column)
    if is_whole(column) and 0 <= column < machine.n_features:
        return int(column)
    raise ValueError(
        f"groups name a column that the machine does not have: {column!r}; it has "
        f"{counted(machine.n_features, 'column')} ({_some(names, 5) if names else 'no names'})"
    )


def _some(names: Sequence[str], most: int) -> str:
    return ", ".join(map(repr, names[:most])) + ", ..." * (len(names) > most)


def _name_of(columns: Sequence[str]) -> str:
    """What the columns begin with, else all of them."""
    letters = takewhile(lambda own: len(set(own)) == 1, zip(*columns, strict=False))
    shared = "".join(own[0] for own in letters)
    return shared.rstrip(BETWEEN) or shortened(", ".join(columns), _LONGEST)


def _rest(column: str, group: str) -> str:
    """The column without the name of its group: 'rain' of 'sky_rain'."""
    rest = column[len(group) :]
    return rest.lstrip(BETWEEN) or column if column.startswith(group) and rest[:1] in tuple(BETWEEN) else column
