"""Rows as variables: fields of a table, groups of columns, or single columns; and which changes of them are allowed.

A variable has one of several values: a column that is present, or none of its columns. Values lie one behind the other,
those of a variable together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Floats, Indices, Int32s, Int64s
from gristmill.base.checks import is_whole
from gristmill.data.tables.encoding import Encoding
from gristmill.data.tables.fields import distinct
from gristmill.display.words import counted
from gristmill.explanations.groups import Groups, groups_of
from gristmill.explanations.models import feature_name
from gristmill.machines.machine import Machine

Names = str | int | Iterable[str | int] | bool
_NONE = -1  # the column of a value that is none of them


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
    def group_of(self) -> Int32s:
        """The variable of each column; -1 for those of no variable."""
        found = np.full(self.machine.n_features, -1, dtype=np.int32)
        is_column = self.columns >= 0
        found[self.columns[is_column]] = self.variable[is_column]
        return found

    @cached_property
    def _place(self) -> Indices:
        """The value of each column."""
        found = np.full(self.machine.n_features, -1, dtype=np.intp)
        is_column = self.columns >= 0
        found[self.columns[is_column]] = np.flatnonzero(is_column)
        return found

    @cached_property
    def _none(self) -> Indices:
        """The value of each variable that is none of its columns; -1 where there is none."""
        found = np.full(len(self), -1, dtype=np.intp)
        is_none = self.columns == _NONE
        found[self.variable[is_none]] = np.flatnonzero(is_none)
        return found

    def own(self, ids: Int32s) -> Indices:
        """The value that each variable has in a row; ValueError where it has two."""
        known = ids[ids < self.machine.n_features]
        known = known[self.group_of[known] >= 0]
        variables = self.group_of[known]
        found = self._none.copy()
        found[variables] = self._place[known]
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
            return "absent" if column == _NONE else "present"
        if column == _NONE:
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
            return [int(self.group_of[name])] if self.group_of[name] >= 0 else []
        few = ", ".join(repr(self.name(number)) for number in range(min(len(self), 8)))
        raise ValueError(
            f"{what} names {name!r}, which may not change: there {'is' if len(self) == 1 else 'are'} "
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
        for column in np.flatnonzero(self.group_of >= 0).tolist():
            found[self._column_name(column)] = [int(self.group_of[column])]
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


def _of_columns(machine: Machine, groups: Groups | None, at_most_one: Names) -> RowVariables:
    """Of columns by themselves those that some support row has, unless the lengths of rows count as well."""
    if groups is None:
        columns = np.arange(machine.n_features) if machine.sees_lengths else np.unique(machine.rows.ids)
        columns = columns.astype(np.int32)
        of = np.arange(len(columns))
    else:
        columns = np.argsort(groups.of, kind="stable").astype(np.int32)
        of = groups.of[columns].astype(np.intp)
    sizes = np.bincount(of) if len(of) else np.empty(0, dtype=np.int64)
    heads = np.cumsum(sizes) - sizes
    ranks = np.arange(len(of)) - np.repeat(heads, sizes)
    places = np.insert(columns, heads, _NONE).astype(np.int32)
    is_single = sizes == 1
    ranks = np.insert(ranks + is_single[of], heads, np.where(is_single, 0, -1)).astype(np.intp)
    variable = np.insert(of, heads, np.arange(len(sizes))).astype(np.intp)
    unknown = np.zeros(len(places), dtype=np.bool_)
    found = RowVariables(machine, groups, variable, places, ranks, unknown, is_single)
    optional = is_single.copy()
    optional[found.numbers(at_most_one, "at_most_one")] = True
    return replace(found, optional=optional)


class Choices(NamedTuple):
    """What a row may become, as the core reads it: of each variable that may change its own value first."""

    starts: NDArray[np.uint32]
    columns: Int32s
    costs: Floats
    fixed: Int32s
    values: Indices  # of the variables
    own: Indices  # of all variables


@dataclass(frozen=True, eq=False)
class ChangeRules:
    """Which changes are allowed, and what they cost.

    Parameters
    ----------
    costs : None, 'distance' or mapping
        None: each change costs 1. 'distance': the steps between values that have an order. A mapping gives some
        variables a number (of a change), 'distance', or a mapping from values to numbers.
    immutable, increase_only, decrease_only, add_only, remove_only : names or numbers of variables; True: all
        What may not change; may become later or earlier in the order of its values alone; may become present alone, if
        none of its columns is, or absent.
    to_unknown : bool
        Whether values may become missing or other.
    """

    variables: RowVariables
    costs: Any = None
    immutable: Names = ()
    increase_only: Names = ()
    decrease_only: Names = ()
    add_only: Names = ()
    remove_only: Names = ()
    to_unknown: bool = False

    def choices(self, ids: Int32s, held: Iterable[int] = ()) -> Choices:
        """Of a row; `held`: variables that keep their values."""
        variables = self.variables
        own = variables.own(ids)
        every = np.arange(len(variables.variable))
        is_own = every == own[variables.variable]
        allowed = self._allowed(own)
        if held:
            allowed &= ~np.isin(variables.variable, np.fromiter(held, dtype=np.intp))
        kept = np.flatnonzero(allowed | is_own)
        kept = kept[(np.bincount(variables.variable[kept], minlength=len(variables)) > 1)[variables.variable[kept]]]
        kept = kept[np.argsort(2 * variables.variable[kept] + ~is_own[kept], kind="stable")]
        counts = np.bincount(variables.variable[kept], minlength=len(variables))
        starts = np.concatenate([[0], np.cumsum(counts[counts > 0])]).astype(np.uint32)
        group = np.full(len(ids), -1)
        known = ids < variables.machine.n_features
        group[known] = variables.group_of[ids[known]]
        fixed = ids[(group < 0) | (counts[group] == 0)] if len(counts) else ids
        costs = np.where(is_own, 0.0, self._cost(own))[kept]
        return Choices(starts, variables.columns[kept], costs, np.ascontiguousarray(fixed), kept, own)

    def _allowed(self, own: Indices) -> Flags:
        variables = self.variables
        variable, ranks = variables.variable, variables.ranks
        own_rank = ranks[own][variable]
        has_order = (ranks >= 0) & (own_rank >= 0)
        is_none, was_none = variables.columns == _NONE, (variables.columns[own] == _NONE)[variable]
        allowed = ~self._flags["immutable"][variable]
        allowed &= ~is_none | variables.optional[variable]
        if not self.to_unknown:
            allowed &= ~variables.unknown
        allowed &= ~self._flags["increase_only"][variable] | (has_order & (ranks > own_rank))
        allowed &= ~self._flags["decrease_only"][variable] | (has_order & (ranks < own_rank))
        allowed &= ~self._flags["add_only"][variable] | was_none
        allowed &= ~self._flags["remove_only"][variable] | is_none
        return np.asarray(allowed)

    @cached_property
    def _flags(self) -> dict[str, Flags]:
        found = {}
        for name in ("immutable", "increase_only", "decrease_only", "add_only", "remove_only"):
            flags = np.zeros(len(self.variables), dtype=np.bool_)
            flags[self.variables.numbers(getattr(self, name), name)] = True
            found[name] = flags
        return found

    def _cost(self, own: Indices) -> Floats:
        variable, ranks = self.variables.variable, self.variables.ranks
        each, by_distance, given = self._prices
        own_rank = ranks[own][variable]
        far = np.where((ranks >= 0) & (own_rank >= 0), np.abs(ranks - own_rank), 1)
        cost = each[variable] * np.where(by_distance[variable], far, 1)
        return np.where(np.isnan(given), cost, given)

    @cached_property
    def _prices(self) -> tuple[Floats, Flags, Floats]:
        """Of each variable the cost of a change, and whether distance counts; of each value its own, or NaN."""
        variables = self.variables
        each, by_distance = np.ones(len(variables)), np.zeros(len(variables), dtype=np.bool_)
        given = np.full(len(variables.variable), np.nan)
        if self.costs == "distance":
            by_distance[:] = True
        elif self.costs is not None:
            if not isinstance(self.costs, Mapping):
                raise ValueError(f"costs must be None, 'distance' or a dict from names to costs, got {self.costs!r}")
            for name, cost in self.costs.items():
                for number in variables.numbers(name, "costs").tolist():
                    self._set_price(number, cost, each, by_distance, given)
        return each, by_distance, given

    def _set_price(self, number: int, cost: Any, each: Floats, by_distance: Flags, given: Floats) -> None:
        name = self.variables.name(number)
        if cost == "distance":
            by_distance[number] = True
        elif isinstance(cost, Mapping):
            values = np.flatnonzero(self.variables.variable == number).tolist()
            words = {self.variables.word(value): value for value in values}
            for word, own in cost.items():
                if str(word) not in words:
                    raise ValueError(f"costs of {name!r} name the value {word!r}; it has {', '.join(map(repr, words))}")
                given[words[str(word)]] = _price(own, name)
        else:
            each[number] = _price(cost, name)


def _price(cost: Any, name: str) -> float:
    if isinstance(cost, bool) or not isinstance(cost, int | float | np.number) or not 0 < cost < np.inf:
        raise ValueError(f"a change of {name!r} must cost a number above 0, got {cost!r}; to forbid it use immutable")
    return float(cost)
