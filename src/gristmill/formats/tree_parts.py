"""Trees that are parts of lines, between the marks that SVM-light-TK and KeLP set around them.

There a backslash is a character like any other; in bracketed trees of ours it may escape the next one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

import numpy as np

from gristmill import _core
from gristmill.errors import FormatError
from gristmill.forest import Forest

_ESCAPING = re.compile(rb"\\(?=[\\()\s])")


class Extent(NamedTuple):
    """A part of a text."""

    begin: int
    end: int


def fail_at(data: bytes, at: int, message: str) -> NoReturn:
    """FormatError with the line and column of a place in the text."""
    line_start = data.rfind(b"\n", 0, at) + 1
    raise FormatError(message, line=data.count(b"\n", 0, at) + 1, column=at - line_start + 1)


def parse_parts(
    data: bytes, parts: Sequence[Extent], *, marks: bool = False, traces: bool = True, functions: bool = True
) -> Forest:
    """The tree in each part of a text; places in errors are those of the text."""
    reading = {"marks": marks, "quoted": False, "traces": traces, "functions": functions, "lowercase": False}
    forest = Forest(reading=reading)
    options = _core.BracketOptions(marks, False, traces, functions)
    places = np.array([found.start() for found in _ESCAPING.finditer(data)], dtype=np.int64)
    text = _ESCAPING.sub(rb"\\\\", data) if len(places) else data
    extents = np.array(parts, dtype=np.int64).reshape(len(parts), 2)
    extents += np.searchsorted(places, extents)
    begins, ends = (np.ascontiguousarray(column) for column in extents.T)
    try:
        forest._roots = forest._store.parse_parts(text, begins, ends, options)
    except FormatError as error:
        if len(places) and error.line is not None and error.column is not None:
            error.column = _column_before(data.split(b"\n")[error.line - 1], error.column)
        raise
    return forest


def _column_before(line: bytes, column: int) -> int:
    """The column that a place had before backslashes were doubled."""
    for found in _ESCAPING.finditer(line):
        if found.start() + 1 < column:
            column -= 1
    return column
