"""Columns of a table, from whatever holds them: numbers, dates, or words (each row the number of a distinct text).

A column is read once as what it looks like, and asked for what its field needs: a category learned from texts may be
given as numbers, a number as a text that spells one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Floats, Int32s
from gristmill.data.tables.words import BOOLEANS, SPELLINGS, is_missing, text_of

Dates = NDArray[np.datetime64]

_NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction)
_BOOLEANS = (bool, np.bool_)
_PLAIN = {str, int, float, bool}
_REFUSED = (timedelta, np.timedelta64, complex, np.complexfloating)


class Column(Protocol):
    """What a field may ask a column for."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str:
        """What it looks like: 'number', 'category', 'ordered', 'boolean' or 'date'."""
        ...

    def numbers(self) -> Floats:
        """Missing ones are NaN."""
        ...

    def dates(self) -> Dates:
        """Microseconds; missing ones are NaT."""
        ...

    def words(self) -> WordColumn: ...

    def missing(self) -> Flags: ...


@dataclass(frozen=True)
class NumberColumn:
    """Numbers of any dtype, or booleans. Missing ones are NaN, or in the mask: float64 would round whole numbers."""

    name: str
    values: NDArray[Any]
    is_boolean: bool = False
    mask: Flags | None = None

    @property
    def kind(self) -> str:
        return "boolean" if self.is_boolean else "number"

    def missing(self) -> Flags:
        return np.asarray(np.isnan(self.values)) if self.mask is None else self.mask

    def numbers(self) -> Floats:
        numbers: Floats = self.values.astype(np.float64) + 0.0  # there is one zero
        if self.mask is not None:
            numbers[self.mask] = np.nan
        return numbers

    def dates(self) -> Dates:
        if self.missing().all():
            return np.full(len(self.values), np.datetime64("NaT"), dtype="datetime64[us]")
        raise ValueError(f"column {self.name!r}: expected dates, got numbers")

    def words(self) -> WordColumn:
        known = ~self.missing()
        codes = np.full(len(known), -1, dtype=np.int32)
        values, codes[known] = np.unique(self.values[known], return_inverse=True)
        return word_column(self.name, codes, values.tolist(), as_text=self._text)

    def _text(self, value: Any) -> str:
        return str(bool(value)) if self.is_boolean else text_of(value + 0)


@dataclass(frozen=True)
class DateColumn:
    """Dates and times, as clocks show them where they are."""

    name: str
    values: Dates

    kind = "date"

    def missing(self) -> Flags:
        return np.isnat(self.values)

    def dates(self) -> Dates:
        return self.values

    def numbers(self) -> Floats:
        if self.missing().all():
            return np.full(len(self.values), np.nan)
        raise ValueError(
            f"column {self.name!r}: expected numbers, got dates; or fit with kinds={{{self.name!r}: 'date'}}"
        )

    def words(self) -> WordColumn:
        values, codes = np.unique(self.values, return_inverse=True)
        return word_column(self.name, codes.astype(np.int32), values.tolist())


@dataclass(frozen=True)
class WordColumn:
    """For each row the number of its text, -1 where it is missing; the texts differ."""

    name: str
    codes: Int32s
    texts: list[str]
    is_ordered: bool = False

    @property
    def kind(self) -> str:
        return "ordered" if self.is_ordered else "category"

    def missing(self) -> Flags:
        return self.codes < 0

    def words(self) -> WordColumn:
        return self

    def as_in_files(self, missing: Collection[str], kind: str) -> Column:
        """As cells of a file whose column is of this kind: without blanks around, those of `missing` are missing.

        Numbers and booleans are spelled as there: '7' for '007'.
        """
        texts = [text.strip(" \t") for text in self.texts]
        values = [None if text in missing else text for text in texts]
        column = word_column(self.name, self.codes, values, as_text=SPELLINGS.get(kind, text_of))
        if kind == "boolean" and all(text in BOOLEANS for text in column.texts):
            numbers = np.array([*(float(text == "True") for text in column.texts), np.nan])
            return NumberColumn(self.name, numbers[column.codes], is_boolean=True)
        return replace(column, is_ordered=self.is_ordered)

    def numbers(self) -> Floats:
        """What the texts spell; an empty one is missing."""
        return self._read(_number_of, np.nan, np.float64, "number")

    def dates(self) -> Dates:
        return self._read(_date_of, np.datetime64("NaT"), np.dtype("datetime64[us]"), "date (as 2024-05-31)")

    def _read(self, read: Any, missing: Any, dtype: Any, noun: str) -> NDArray[Any]:
        used = np.unique(self.codes[self.codes >= 0])
        found = np.full(len(self.texts) + 1, missing, dtype=dtype)  # a code of -1 takes the last
        for code in used.tolist():
            try:
                found[code] = read(self.texts[code]) if self.texts[code].strip() else missing
            except ValueError:
                self._refuse(code, noun)
        return found[self.codes]

    def _refuse(self, code: int, noun: str) -> NoReturn:
        row = int(np.flatnonzero(self.codes == code)[0])
        raise ValueError(
            f"column {self.name!r}, row {row}: expected a {noun}, got {self.texts[code]!r}; None is a missing one, or "
            f"fit with kinds={{{self.name!r}: 'category'}}"
        ) from None


def word_column(name: str, codes: Int32s, values: Sequence[Any], as_text: Any = text_of) -> WordColumn:
    """From codes into any distinct values, some of them missing; values with the same text become one."""
    place: dict[str, int] = {}
    numbers = [-1 if is_missing(value) else place.setdefault(as_text(value), len(place)) for value in values]
    if numbers != list(range(len(values))):
        codes = np.array([*numbers, -1], dtype=np.int32)[codes]
    return WordColumn(name, codes, list(place))


# --- from arrays and lists --------------------------------------------------------------------------------------------


def column_of_array(name: str, values: NDArray[Any]) -> Column:
    """A column of a one-dimensional array of any dtype."""
    kind = values.dtype.kind
    if kind in "iuf":
        return NumberColumn(name, values)
    if kind == "b":
        return NumberColumn(name, values, is_boolean=True)
    if kind == "M":
        return DateColumn(name, values.astype("datetime64[us]"))
    if kind in "OSUT":
        return column_of_cells(name, values.tolist())
    raise ValueError(no_column(name, str(values.dtype)) + ". Complex data not supported" * (kind == "c"))


def column_of_cells(name: str, cells: Sequence[Any]) -> Column:
    """A column of Python's own values, of several types perhaps."""
    types = set(map(type, cells))
    if len(types) > 1 or not types <= _PLAIN:  # missing values may be of many types
        cells = [None if is_missing(cell) else cell for cell in cells]
        types = set(map(type, cells)) - {type(None)}
    booleans = {kind for kind in types if issubclass(kind, _BOOLEANS)}
    if booleans and booleans == types:
        return NumberColumn(name, np.array(cells, dtype=np.float64), is_boolean=True)
    if not booleans and all(issubclass(kind, _NUMBERS) for kind in types):
        return _number_column(name, cells, types)
    if booleans:  # Python takes True for 1
        cells = [str(cell) if isinstance(cell, _BOOLEANS) else cell for cell in cells]
    refused = next((kind for kind in types if issubclass(kind, _REFUSED)), None)
    if refused is not None:
        raise ValueError(no_column(name, refused.__name__))
    if all(issubclass(kind, date | np.datetime64) for kind in types):
        return DateColumn(name, np.array(list(map(_naive, cells)), dtype="datetime64[us]"))
    return column_of_texts(name, cells)


def no_column(name: str, held: str) -> str:
    """The message for a type that no column has."""
    return (
        f"column {name!r} holds {held}; a column must hold numbers, texts, categories, booleans or dates: convert it "
        "first"
    )


def column_of_texts(name: str, cells: Sequence[Any]) -> WordColumn:
    """A category: of cells that are known to be texts or missing, or of several types."""
    return word_column(name, *_numbered(name, cells))


def _number_column(name: str, cells: Sequence[Any], types: set[type]) -> NumberColumn:
    """Whole numbers as they are where int64 holds them; else float64. Missing ones are None."""
    if types == {int}:
        mask = np.array([cell is None for cell in cells])
        with suppress(OverflowError):
            whole = np.array([cell or 0 for cell in cells], dtype=np.int64)
            return NumberColumn(name, whole, mask=mask if mask.any() else None)
    try:
        return NumberColumn(name, np.array(cells, dtype=np.float64))
    except OverflowError as error:
        raise ValueError(f"column {name!r} holds a number beyond those of float64: {error}") from None


def _numbered(name: str, cells: Sequence[Any]) -> tuple[Int32s, list[Any]]:
    """The distinct values, and for each cell the number of its value."""
    try:
        values = list(dict.fromkeys(cells))
    except TypeError:
        row = next(row for row, cell in enumerate(cells) if not _is_hashable(cell))
        raise TypeError(
            f"column {name!r}, row {row} holds {cells[row]!r} of type {type(cells[row]).__name__}; "
            "an argument must be a string, a number, a boolean, a date or None"
        ) from None
    place = dict(zip(values, range(len(values)), strict=True))
    return np.fromiter(map(place.__getitem__, cells), np.int32, len(cells)), values


def _is_hashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def _number_of(text: str) -> float:
    if "_" in text:  # Python's own way to group digits
        raise ValueError(text)
    return float(text) + 0.0


def _date_of(text: str) -> Any:
    return _naive(datetime.fromisoformat(text))


def _naive(value: Any) -> Any:
    """As clocks show it where it is."""
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value
