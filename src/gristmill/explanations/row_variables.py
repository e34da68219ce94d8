"""Rows as variables: fields of a table, groups of columns, or single columns.

A variable has one of several values: a column that is present, or none of its columns. Values lie one behind the other,
those of a variable together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gristmill.base.arrays import Flags, Indices, Int32s, Int64s
from gristmill.base.checks import is_whole
from gristmill.base.id_table import IdTable
from gristmill.data.rows import check_width
from gristmill.data.tables.encoding import Encoding
from gristmill.data.tables.fields import distinct
from gristmill.display.words import counted
from gristmill.explanations.change_options import Names
from gristmill.explanations.groups import Groups, groups_of
from gristmill.explanations.models import feature_name
from gristmill.machines.machine import Machine

NO_COLUMN = -1  # the column of a value that is none of them


@dataclass(frozen=True, eq=False)
class RowVariables:
    """The variables of the rows of a machine.

    Parameters
    ----------
    machine : Machine
    groups : Groups or None
        None: each column by itself.
    variable : array
        Of each value.
    columns : int32 array
        Of each value, -1 for none of them.
    ranks : array
        Of each value its place in the order of its variable, -1 where it has none.
    unknown : array of bool
        Values of a field that say that nothing is known: missing and other.
    optional : array of bool
        Variables that may be none of their columns, whatever they are now.
    """

    machine: Machine
    groups: Groups | None
    variable: Indices
    columns: Int32s
    ranks: Indices
    unknown: Flags
    optional: Flags

    @classmethod
    def of(cls, machine: Machine, groups: Any = None, at_most_one: Names = ()) -> RowVariables:
        """The fields of a machine that reads tables; else the groups of columns given, and all other columns."""
        if machine.encoding is not None and groups in (None, "fields"):
            if at_most_one:
                raise ValueError("at_most_one is for groups of columns: fields of tables have one value each")
            return _of_fields(machine, machine.encoding)
        if machine.encoding is not None and groups is not False:
            raise ValueError(
                "the fields of a table are what may change: leave groups out, or give groups=False for each bin by "
                "itself"
            )
        return _of_columns(machine, groups_of(groups, machine.replace(encoding=None)), at_most_one)

    def __len__(self) -> int:
        return len(self.optional)

    @cached_property
    def grouped(self) -> tuple[Int32s, Int32s]:
        """The columns that variables have, each with its variable."""
        is_column = self.columns >= 0
        return self.columns[is_column], self.variable[is_column].astype(np.int32)

    def variables_of(self, columns: Int32s) -> Int32s:
        """The variable of each column; -1 for those of no variable."""
        return self._variable_of.of(columns)

    @cached_property
    def _variable_of(self) -> IdTable:
        return IdTable(*self.grouped, absent=-1)

    @cached_property
    def _place(self) -> IdTable:
        """The value of each column."""
        return IdTable(self.grouped[0], np.flatnonzero(self.columns >= 0), absent=-1)

    @cached_property
    def _none(self) -> Indices:
        """The value of each variable that is none of its columns; -1 where there is none."""
        found = np.full(len(self), -1, dtype=np.intp)
        is_none = self.columns == NO_COLUMN
        found[self.variable[is_none]] = np.flatnonzero(is_none)
        return found

    def own(self, ids: Int32s) -> Indices:
        """The value that each variable has in a row; ValueError where it has two."""
        known = ids[self.variables_of(ids) >= 0]
        variables = self.variables_of(known)
        found = self._none.copy()
        found[variables] = self._place.of(known)
        if len(known) > len(np.unique(variables)):
            both = int(np.flatnonzero(np.bincount(variables) > 1)[0])
            columns = ", ".join(self._column_name(int(column)) for column in known[variables == both])
            raise ValueError(
                f"the row has several columns of {self.name(both)!r}, of which one can be present: {columns}"
            )
        if (found < 0).any():
            raise ValueError(f"the row has no value of {self.name(int(np.flatnonzero(found < 0)[0]))!r}")
        return found

    def name(self, variable: int) -> str:
        """Of a field, a group or a column."""
        if self.machine.encoding is not None and self.groups is not None:
            return self._field_names[variable]
        if self.groups is not None:
            return self.groups.names[variable]
        return self._column_name(int(self.columns[self.variable == variable][-1]))

    def word(self, value: int) -> str:
        """What a variable is: 'own' of a field or a group, 'present' or 'absent' of a column by itself."""
        column, variable = int(self.columns[value]), int(self.variable[value])
        if self.is_bit(variable):
            return "absent" if column == NO_COLUMN else "present"
        if column == NO_COLUMN:
            return "none"
        if self.machine.encoding is not None:
            return self._bins[column]
        assert self.groups is not None
        return self.groups.labels[column].removeprefix(f"{self.groups.names[variable]} = ")

    def is_bit(self, variable: int) -> bool:
        """Whether it is a column by itself."""
        return bool(self._sizes[variable] == 2 and self.optional[variable])

    def numbers(self, names: Names, what: str) -> Indices:
        """The variables of these names or column numbers; True: all of them."""
        if isinstance(names, bool):
            return np.arange(len(self) if names else 0)
        several: Any = [names] if isinstance(names, str) or is_whole(names) else names
        return np.array(sorted({number for name in several for number in self._numbers(name, what)}), dtype=np.intp)

    def _numbers(self, name: Any, what: str) -> list[int]:
        if isinstance(name, str):
            if found := self._by_name.get(name):
                return found
        elif is_whole(name) and 0 <= name < self._width:
            if self.machine.encoding is not None:
                return self._by_name[self.machine.encoding.names[name]]
            return [number for number in self.variables_of(np.array([name])).tolist() if number >= 0]
        few = ", ".join(repr(self.name(number)) for number in range(min(len(self), 8)))
        raise ValueError(
            f"{what} names {name!r}, but no variable is called so: there {'is' if len(self) == 1 else 'are'} "
            f"{counted(len(self), 'variable')} ({few}{', ...' if len(self) > 8 else ''})"
        )

    @cached_property
    def _width(self) -> int:
        encoding = self.machine.encoding
        return self.machine.n_features if encoding is None else len(encoding.names)

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """Variables by their names, by those of their columns, and of the columns of a table."""
        found: dict[str, list[int]] = {}
        for column, variable in zip(*(array.tolist() for array in self.grouped), strict=True):
            found[self._column_name(column)] = [variable]
        if self.machine.encoding is not None and self.groups is not None:
            columns = [field.column for field in self.machine.encoding.fields]
            found |= {name: [at for at, own in enumerate(columns) if own == name] for name in columns}
        if self.groups is not None:
            found |= {self.name(variable): [variable] for variable in range(len(self))}
        return found

    @cached_property
    def _field_names(self) -> list[str]:
        assert self.machine.encoding is not None
        return distinct([field.name for field in self.machine.encoding.fields])

    @cached_property
    def _bins(self) -> list[str]:
        assert self.machine.encoding is not None
        return [word for field in self.machine.encoding.fields for word in field.bins]

    @cached_property
    def _sizes(self) -> Int64s:
        return np.bincount(self.variable, minlength=len(self)).astype(np.int64)

    def _column_name(self, column: int) -> str:
        return feature_name(self.machine, column)


def _of_fields(machine: Machine, encoding: Encoding) -> RowVariables:
    sizes = np.diff(encoding.starts)
    columns = np.arange(int(encoding.starts[-1]), dtype=np.int32)
    ranks, unknown = np.full(len(columns), -1, dtype=np.intp), np.zeros(len(columns), dtype=np.bool_)
    for field, start in zip(encoding.fields, encoding.starts[:-1].tolist(), strict=True):
        ranks[start : start + field.n_ordered] = np.arange(field.n_ordered)
        unknown[[start + at for at in (field.missing, field.other) if at is not None]] = True
    variable = np.repeat(np.arange(len(sizes)), sizes)
    groups = groups_of("fields", machine)
    return RowVariables(machine, groups, variable, columns, ranks, unknown, np.zeros(len(sizes), dtype=np.bool_))


def _every_column(machine: Machine) -> Indices:
    """Also those of no support row: they make rows longer."""
    check_width(machine.rows, "all columns may change where the lengths of rows count")
    return np.arange(machine.n_features)


def _of_columns(machine: Machine, groups: Groups | None, at_most_one: Names) -> RowVariables:
    """Of columns by themselves those that some support row has, unless the lengths of rows count as well."""
    if groups is None:
        columns = _every_column(machine) if machine.sees_lengths else np.unique(machine.rows.ids)
        columns = columns.astype(np.int32)
        of = np.arange(len(columns))
    else:
        columns = np.argsort(groups.of, kind="stable").astype(np.int32)
        of = groups.of[columns].astype(np.intp)
    sizes = np.bincount(of) if len(of) else np.empty(0, dtype=np.int64)
    heads = np.cumsum(sizes) - sizes
    ranks = np.arange(len(of)) - np.repeat(heads, sizes)
    places = np.insert(columns, heads, NO_COLUMN).astype(np.int32)
    is_single = sizes == 1
    ranks = np.insert(ranks + is_single[of], heads, np.where(is_single, 0, -1)).astype(np.intp)
    variable = np.insert(of, heads, np.arange(len(sizes))).astype(np.intp)
    unknown = np.zeros(len(places), dtype=np.bool_)
    found = RowVariables(machine, groups, variable, places, ranks, unknown, is_single)
    optional = is_single.copy()
    optional[found.numbers(at_most_one, "at_most_one")] = True
    return replace(found, optional=optional)
