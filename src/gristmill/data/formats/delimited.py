"""Tables as text, CSV and its relatives: columns of numbers, categories, booleans and dates, with names.

The core finds the cells; a column becomes numbers or texts when it is asked for. What it looks like is what all of its
cells are: numbers, booleans (true and false), dates as ISO 8601 has them, or else texts.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Flags, Floats
from gristmill.base.errors import FormatError
from gristmill.base.progress import Progress
from gristmill.base.warnings import TableWarning, outside
from gristmill.data.tables.columns import Dates, WordColumn, word_column
from gristmill.data.tables.frames import Table
from gristmill.data.tables.words import BOOLEANS, SPELLINGS

MISSING = (
    *("", "?", "NA", "N/A", "NaN", "NULL", "None", "n/a", "nan", "null", "<NA>"),
    *("#N/A", "#N/A N/A", "#NA", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)  # what pandas takes for missing, and '?'
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}

_NUMBER_OF = {"False": 0.0, "True": 1.0}
_WITH_COMMAS = re.compile(r"[+-]?[\d.]*\d(?:,\d+)*(?:\.\d*)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")


def parse_delimited(
    data: bytes,
    *,
    separator: str | None = None,
    missing: Sequence[str] = MISSING,
    kinds: Mapping[str, str] | None = None,
    path: str | None = None,
    progress: Progress | None = None,
) -> Table:
    """The table of a text whose first line has the names of columns.

    A first column without a name has the numbers of rows, as pandas writes them, and is left out.

    Parameters
    ----------
    data : bytes
        UTF-8.
    separator : str or None
        Between cells; None: what the first line has most of among , ; tab and |.
    missing : sequence of str
        Cells that are missing values.
    kinds : mapping or None
        What columns are, by name, where they need not look like it: columns of a table that goes on from another one.
    path : str or None
        The name of the file in errors.

    Raises
    ------
    FormatError
        With line and column. Cells that are not of the kind of their column are found when the column is read.

    Examples
    --------
    >>> from gristmill.data.formats.delimited import parse_delimited
    >>> table = parse_delimited(b"age;housing\\n34;own\\n?;rent\\n")
    >>> [(name, table.read(at).kind) for at, name in enumerate(table.names)]
    [('age', 'number'), ('housing', 'category')]
    >>> table.read(0).numbers().tolist()
    [34.0, nan]
    """
    text = _core.DelimitedText(data, separator or _core.likely_separator(data), list(missing), progress)
    names = text.names
    first = int(names[0] == "" and len(names) > 1)
    if first:
        message = "the first column has no name and is left out, as numbers of rows are"
        warnings.warn(message, TableWarning, stacklevel=outside())
    _check_names(names[first:], path)
    kinds = kinds or {}
    columns = [TextColumn(name, kinds.get(name), text, at, path) for at, name in enumerate(names[first:], first)]
    return Table(tuple(names[first:]), True, text.rows, columns.__getitem__)


def _check_names(names: Sequence[str], path: str | None) -> None:
    if "" in names:
        raise FormatError(f"column {names.index('') + 1} of the first line has no name", path, 1)
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise FormatError(f"{times} columns are called {name!r}; names of columns must differ", path, 1)


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of a file; what cannot be read as it is asked for is a FormatError with its line and column."""

    name: str
    declared: str | None
    source: _core.DelimitedText
    at: int
    path: str | None = None

    @cached_property
    def kind(self) -> str:
        """What was said, or what all cells are."""
        if self.declared is not None:
            return self.declared
        if len(self._numbers) == self.source.rows:
            return "number"
        texts = self._texts.texts
        if all(text in BOOLEANS for text in texts):
            return "boolean"
        if all(map(_DATE.fullmatch, texts)) and self._are_dates():
            return "date"
        self._warn_of_commas(texts)
        return "category"

    def missing(self) -> Flags:
        return np.isnan(self.numbers()) if self.kind == "number" else self._texts.missing()

    def numbers(self) -> Floats:
        """Of booleans 0 and 1."""
        if len(self._numbers) == self.source.rows:
            return self._numbers
        if self.kind != "boolean":
            self._refuse(len(self._numbers), "number")
        words = self.words()
        unknown = np.isin(words.codes, [code for code, text in enumerate(words.texts) if text not in _NUMBER_OF])
        if unknown.any():
            self._refuse(int(unknown.argmax()), "boolean")
        return np.array([*map(_NUMBER_OF.get, words.texts), np.nan], dtype=np.float64)[words.codes]

    def dates(self) -> Dates:
        return self._texts.dates()

    def words(self) -> WordColumn:
        """The texts; those of numbers and booleans as they are spelled elsewhere: 7 for 007 and 7.0."""
        spell = SPELLINGS.get(self.kind)
        if spell is None:
            return self._texts
        return word_column(self.name, self._texts.codes, self._texts.texts, as_text=spell)

    def refusal(self, row: int, message: str) -> FormatError:
        """The error about the cell of a row."""
        return FormatError(f"column {self.name!r}: {message}", self.path, *self.source.place(row, self.at))

    @cached_property
    def _numbers(self) -> Floats:
        """Up to the first cell that is none; there is one zero."""
        return self.source.numbers(self.at) + 0.0

    @cached_property
    def _texts(self) -> _FileWords:
        codes, texts = self.source.words(self.at)
        return _FileWords(self.name, codes, texts, refuse=self._refuse)

    def _warn_of_commas(self, texts: Sequence[str]) -> None:
        """Which of 1,234 and 1,5 is more than 2 hangs on the country, so nobody guesses."""
        found = next((text for text in texts if "," in text), None)
        if found is not None and all(map(_WITH_COMMAS.fullmatch, texts)):
            warnings.warn(
                f"column {self.name!r} is read as a category: its cells look like numbers with commas, as {found!r}; "
                "write numbers as 1234.5",
                TableWarning,
                stacklevel=outside(),
            )

    def _are_dates(self) -> bool:
        try:
            self._texts.dates()
        except ValueError:  # the 31st of February
            return False
        return True

    def _refuse(self, row: int, noun: str) -> NoReturn:
        codes, texts = self.source.words(self.at)
        raise self.refusal(row, f"expected a {noun}, got {texts[codes[row]]!r}") from None


@dataclass(frozen=True, eq=False)
class _FileWords(WordColumn):
    """Texts that know their place in a file."""

    refuse: Callable[[int, str], NoReturn] | None = None

    def _refuse(self, code: int, noun: str) -> NoReturn:
        assert self.refuse is not None
        self.refuse(int(np.flatnonzero(self.codes == code)[0]), noun)
