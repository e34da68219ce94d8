"""Rows as requests have them: lists of features, or objects with their values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gristmill.data.rows import LARGEST_ID, NO_VALUES, Binarize, Rows
from gristmill.machines.machine import Machine
from gristmill.web.limits import Limits
from gristmill.web.refusals import RefusedError, check_most
from gristmill.web.schemas import LARGEST_VALUE

Name = str | int

NUMBER = "0|[1-9][0-9]{0,9}"
_NUMBER = re.compile(NUMBER)


class Row(NamedTuple):
    """Columns in ascending order with their values, and what the machine does not know."""

    ids: list[int]
    values: list[float]
    unknown: list[Name]


class RowReader:
    """Finds the columns of features.

    Parameters
    ----------
    machine : Machine
    binarize : float, None or False
        What becomes of values other than 0 and 1; a machine with real support values computes with them.
    limits : Limits
    """

    def __init__(self, machine: Machine, binarize: Binarize, limits: Limits) -> None:
        names = machine.feature_names
        self._places = None if names is None else {name: place for place, name in enumerate(names)}
        self._first = machine.first_id or 0
        self._n_features = machine.n_features
        self._binarize: Binarize = binarize if machine.is_binary_valued else False
        self._limits = limits

    @property
    def keeps_values(self) -> bool:
        """Whether other values than 0 and 1 are computed with."""
        return self._binarize is False

    def read(self, given: Any, where: str) -> Row:
        """A list of names or numbers, or an object of values."""
        plain = self._plain(given)
        return self._checked(given, where) if plain is None else plain

    def _plain(self, given: Any) -> Row | None:
        """What most rows are, at a tenth of the price: a list of different features that are known. Else None."""
        kind = int if self._places is None else str
        if type(given) is not list or len(given) > self._limits.features or set(map(type, given)) != {kind}:
            return None
        if self._places is None:
            columns = [number - self._first for number in given]
            is_known = min(columns) >= 0 and max(columns) < self._n_features
        else:
            columns = list(map(self._places.get, given))
            is_known = None not in columns
        if not is_known or len(set(columns)) < len(columns):
            return None
        return Row(sorted(columns), [1.0] * len(columns), [])

    def _checked(self, given: Any, where: str) -> Row:
        """Feature by feature, so that a mistake is told with its place."""
        if not isinstance(given, list | dict):
            raise RefusedError(
                "bad_input", f"a row is a list of features or an object of values, got {given!r:.60}", where
            )
        check_most("features in a row", len(given), self._limits.features, where)
        found: dict[int, float] = {}
        unknown: dict[Name, None] = {}
        for at, name in enumerate(given):
            place = f"{where}[{at}]" if isinstance(given, list) else f"{where}.{name:.60}"
            value = self._value(given[name], place) if isinstance(given, dict) else 1.0
            column = self._column(name, place)
            if isinstance(name, str) != isinstance(next(iter(given)), str):
                raise RefusedError("bad_input", "the features of a row are all numbers, or all texts", place)
            if column in found or name in unknown:
                raise RefusedError("bad_input", f"the feature {name!r:.60} stands twice in the row", place)
            if column is None:
                unknown[name] = None
            else:
                found[column] = value
        ids = sorted(column for column, value in found.items() if value)
        return Row(ids, [found[column] for column in ids], list(unknown))

    def _column(self, name: Any, where: str) -> int | None:
        """None for a feature that the machine does not know."""
        if self._places is not None:
            if not isinstance(name, str):
                raise RefusedError("bad_input", f"the features of this model have names, got {name!r:.60}", where)
            return self._places.get(name)
        if not _is_number(name):
            raise RefusedError("bad_input", f"the features of this model are whole numbers, got {name!r:.60}", where)
        column = int(name) - self._first
        if not 0 <= column <= LARGEST_ID:
            last = LARGEST_ID + self._first
            raise RefusedError(
                "bad_input", f"features are numbers from {self._first} to {last}, got {int(name)!r:.60}", where
            )
        return column if column < self._n_features else None

    def _value(self, value: Any, where: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RefusedError("bad_input", f"the value of a feature is a number, got {value!r:.60}", where)
        if not -LARGEST_VALUE <= value <= LARGEST_VALUE:
            raise RefusedError("bad_input", f"values lie within {LARGEST_VALUE:g} of 0, got {value!r:.60}", where)
        if value in (0, 1) or self._binarize is False:
            return float(value)
        if self._binarize is None:
            raise RefusedError("bad_input", f"values are 0 or 1 here, got {value!r:.60}", where)
        return float(value > self._binarize)


def _is_number(name: Any) -> bool:
    if isinstance(name, str):
        return _NUMBER.fullmatch(name) is not None
    whole = isinstance(name, int) and not isinstance(name, bool)
    return whole or (isinstance(name, float) and name.is_integer())  # 3.0 is an integer in JSON


def rows_of(rows: Sequence[Row], n_features: int) -> Rows:
    """As scorers take them."""
    offsets = np.cumsum([0, *(len(row.ids) for row in rows)], dtype=np.int64)
    ids = np.array([place for row in rows for place in row.ids], dtype=np.int32)
    values = np.array([value for row in rows for value in row.values], dtype=np.float64)
    return Rows(offsets, ids, NO_VALUES if (values == 1).all() else values, n_features)
