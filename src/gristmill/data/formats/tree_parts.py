"""Trees that are parts of lines, between the marks that SVM-light-TK and KeLP set around them.

In these formats a backslash is an ordinary character; in our bracketed trees it may escape the next one. A tree that
is written exactly as a Forest writes it, with an escaped bracket or blank in a label, is read as the Forest's: labels
of these formats cannot hold such characters. Two backslashes in a row stay two characters, as in the other programs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

import numpy as np

from gristmill.base.arrays import Int64s
from gristmill.base.errors import FormatError
from gristmill.data.forest import Forest

_ESCAPING = re.compile(rb"\\(?=[\\()\s])")
_ESCAPED = re.compile(rb"\\([\\()\s])")


class Extent(NamedTuple):
    """A part of a text."""

    begin: int
    end: int


def fail_at(data: bytes, at: int, message: str) -> NoReturn:
    """Raise FormatError with the line and column of a position in the text."""
    line_start = data.rfind(b"\n", 0, at) + 1
    raise FormatError(message, line=data.count(b"\n", 0, at) + 1, column=at - line_start + 1)


def line_extents(data: bytes, start: int = 0) -> Iterator[Extent]:
    """The lines of a text, without their ends."""
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        yield Extent(start, end)
        start = end + 1


def parse_parts(data: bytes, parts: Sequence[Extent], **reading: bool) -> Forest:
    """The tree in each part of a text, with options of `Forest.from_strings`; errors have the line and column."""
    places = _ordinary_backslashes(data, parts)
    text = b"\\".join(data[begin:end] for begin, end in itertools.pairwise([0, *places.tolist(), len(data)]))
    extents = np.array(parts, dtype=np.int64).reshape(len(parts), 2)
    extents += np.searchsorted(places, extents)
    begins, ends = (np.ascontiguousarray(column) for column in extents.T)
    try:
        return Forest.parsed(lambda store, options: store.parse_parts(text, begins, ends, options), **reading)
    except FormatError as error:
        if len(places) and error.line is not None and error.column is not None:
            error.column = _column_before(data, places, error.line, error.column)
        raise


def is_written_by_forest(tree: bytes) -> bool:
    """Whether a tree has an escaped bracket or blank and is exactly what `Forest[i]` gives."""
    if not any(found[1] != b"\\" for found in _ESCAPED.finditer(tree)):
        return False
    try:
        text = tree.decode()
        return str(Forest.from_strings([text])[0]) == text
    except ValueError:  # no tree, or not UTF-8
        return False


def _ordinary_backslashes(data: bytes, parts: Sequence[Extent]) -> Int64s:
    """Positions of backslashes that would escape but are ordinary characters; they are doubled."""
    places = np.array([found.start() for found in _ESCAPING.finditer(data)], dtype=np.int64)
    if not len(places):
        return places
    own = np.array([part for part in parts if is_written_by_forest(data[part.begin : part.end].strip())])
    if not len(own):
        return places
    before = np.searchsorted(own[:, 0], places, side="right") - 1
    is_ordinary = (before < 0) | (places >= own[before, 1])
    return np.ascontiguousarray(places[is_ordinary], dtype=np.int64)


def _column_before(data: bytes, places: Int64s, line: int, column: int) -> int:
    """The column before backslashes were doubled."""
    start = sum(len(before) + 1 for before in data.split(b"\n")[: line - 1])
    for place in places[np.searchsorted(places, start) :].tolist():
        if place - start + 1 < column:
            column -= 1
    return column
