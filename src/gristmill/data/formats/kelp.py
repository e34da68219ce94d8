"""Data files of KeLP: labels and named representations, one example a line.

NUM |BV:bow| how:1.0 far:1.0 |EV| |BT:grct| (root(advmod(how))(be)) |ET|
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, read_bytes
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.formats.kinds import TREE_EXAMPLES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.tree_parts import Extent, fail_at, line_extents, parse_parts
from gristmill.data.rows import NO_VALUES, Rows, as_rows

_BEGIN = re.compile(rb"\s*\|B([A-Z]+)(?::([^|\n]*))?\|")
_WORD = re.compile(rb"\S+")
_NUMBER = re.compile(rb"[^\s,;]+")
_TEXT = b"S"
_KNOWN = (b"T", b"V", b"DV", _TEXT)


class _Representation(NamedTuple):
    kind: bytes
    part: Extent
    place: int  # of its mark


_Line = dict[str, _Representation]


def read_klp(path: PathLike, *, representation: str | None = None, like: Any = None) -> tuple[Any, Any]:
    """Read a data file of KeLP.

    Trees (``|BT:name|``) become a Forest; sparse vectors (``|BV:name|``), whose features have names, and dense ones
    (``|BDV:name|``) become Rows. Texts (``|BS:name|``) are passed over. A representation without a name is called by
    its place, '0', '1' and so on. Pairs of examples are refused.

    Parameters
    ----------
    path : path or '-'
        UTF-8. Compressed files are unpacked; '-' is standard input.
    representation : str or None
        Read this one alone.
    like : X or None
        What was read from another file, with the same `representation`: sparse vectors get its columns, and features
        it does not have get columns behind them. Without it columns are numbered as the names come along, so that
        vectors of two files cannot be compared.

    Returns
    -------
    X : Examples, or with representation= a Forest or Rows
        One field for each representation, by its name. Rows have the names of features as `feature_names`.
    y : array of str, or list of lists of str
        The label of each example; if any has none or several, the labels of each.

    Raises
    ------
    FormatError
        With file, line and column.

    Examples
    --------
    >>> import gristmill as gm
    >>> X, y = gm.read_klp("questions.klp", representation="grct")  # doctest: +SKIP
    """
    with reading(path, TREE_EXAMPLES) as looked:
        return parse_klp(looked.content(read_bytes(path)), representation=representation, like=like)


def parse_klp(data: bytes, *, representation: str | None = None, like: Any = None) -> tuple[Any, Any]:
    """The examples in the bytes of a data file; the options are those of `read_klp`."""
    labels, lines = _find_lines(data)
    kinds = _kinds(data, lines, representation)
    known = {representation: like} if representation is not None else getattr(like, "fields", {})
    fields = {name: _field(data, name, kind, lines, known.get(name)) for name, kind in kinds.items()}
    return Examples(**fields) if representation is None else fields[representation], _labels(labels)


def _labels(labels: list[list[str]]) -> NDArray[np.str_] | list[list[str]]:
    if all(len(several) == 1 for several in labels):
        return np.array([label for (label,) in labels], dtype=str)
    return labels


# --- lines ------------------------------------------------------------------------------------------------------------


def _find_lines(data: bytes) -> tuple[list[list[str]], list[_Line]]:
    labels, lines = [], []
    for begin, end in line_extents(data):
        if data[begin:end].strip():
            bar = data.find(b"|", begin, end)
            if bar < 0:
                fail_at(data, begin, "expected labels and then |B...|, the beginning of a representation")
            labels.append([_text(data, *word.span()) for word in _WORD.finditer(data, begin, bar)])
            lines.append(_representations(data, bar, end))
    return labels, lines


def _representations(data: bytes, at: int, end: int) -> _Line:
    found: _Line = {}
    while data[at:end].strip():
        begin = _BEGIN.match(data, at, end)
        if begin is None:
            at += len(data[at:end]) - len(data[at:end].lstrip())
            is_pair = data.startswith(b"|<|", at)
            fail_at(data, at, "pairs of examples cannot be read" if is_pair else "expected |B...|")
        kind, mark = begin[1], begin.start() + begin[0].index(b"|")
        stop = data.find(b"|E%b|" % kind, begin.end(), end)
        if stop < 0:
            fail_at(data, mark, f"no |E{kind.decode()}| ends this representation")
        name = _text(data, *begin.span(2)) if begin[2] else str(len(found))
        if name in found:
            fail_at(data, mark, f"a second representation {name!r} of this example")
        found[name] = _Representation(kind, Extent(begin.end(), stop), mark)
        at = stop + len(kind) + 3
    return found


def _text(data: bytes, begin: int, end: int) -> str:
    try:
        return data[begin:end].decode()
    except UnicodeDecodeError as error:
        fail_at(data, begin + error.start, "this is not UTF-8")


def _kinds(data: bytes, lines: Sequence[_Line], chosen: str | None) -> dict[str, bytes]:
    """The kind of each representation to read, if all examples have it."""
    kinds: dict[str, bytes] = {}
    for line in lines:
        for name, (kind, _, place) in line.items():
            if chosen not in (None, name) or (chosen is None and kind == _TEXT):
                continue
            if kind not in _KNOWN[:3]:
                what = "a text" if kind == _TEXT else f"of kind {kind.decode()}"
                fail_at(data, place, f"representation {name!r} is {what}; trees (T) and vectors (V, DV) can be read")
            if kinds.setdefault(name, kind) != kind:
                fail_at(data, place, f"representation {name!r} is of kind {kinds[name].decode()} in other examples")
    if not kinds:
        there = ", ".join(sorted({name for line in lines for name in line}))
        what = "representation of trees or vectors" if chosen is None else f"representation {chosen!r}"
        raise FormatError(f"the file has no {what}; it has {there or 'none'}")
    for line in lines:
        for name in kinds.keys() - line.keys():
            place = next(iter(line.values())).place
            fail_at(data, place, f"this example has no representation {name!r}, others do")
    return kinds


# --- fields -----------------------------------------------------------------------------------------------------------


def _field(data: bytes, name: str, kind: bytes, lines: Sequence[_Line], like: Any) -> Forest | Rows:
    parts = [line[name].part for line in lines]
    if kind == b"T":
        return parse_parts(data, parts)
    if kind == b"DV":
        return _dense(data, parts)
    names = like.feature_names if isinstance(like, Rows) and like.feature_names else ()
    return _sparse(data, parts, {name: column for column, name in enumerate(names)})


def _dense(data: bytes, parts: Sequence[Extent]) -> Rows:
    table = [[_number(data, *found.span()) for found in _NUMBER.finditer(data, *part)] for part in parts]
    width = len(table[0]) if table else 0
    for part, numbers in zip(parts, table, strict=True):
        if len(numbers) != width:
            fail_at(data, part.begin, f"expected {width} numbers as in the first example, got {len(numbers)}")
    return as_rows(np.array(table, dtype=np.float64).reshape(len(table), width), binarize=False)


def _sparse(data: bytes, parts: Sequence[Extent], columns: dict[str, int]) -> Rows:
    rows = []
    for begin, end in parts:
        row: dict[int, float] = {}
        for found in _WORD.finditer(data, begin, end):
            name, _, value = found[0].rpartition(b":")
            if not name:
                fail_at(data, found.start(), "expected name:value")
            start = found.end() - len(value)
            column = columns.setdefault(_text(data, found.start(), start - 1), len(columns))
            row[column] = 1.0 if value == b"1.0" else _number(data, start, found.end())
        rows.append(row)
    return _rows(rows, tuple(columns))


def _number(data: bytes, begin: int, end: int) -> float:
    text = data[begin:end]
    try:
        number = float(text.replace(b"_", b"x"))  # Python would take 1_0 for 10
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        fail_at(data, begin, f"expected a finite number, got {text.decode(errors='replace')!r}")
    return number


def _rows(rows: Sequence[Mapping[int, float]], names: tuple[str, ...]) -> Rows:
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    pairs = [pair for row in rows for pair in sorted(row.items())]
    ids = np.array([column for column, _ in pairs], dtype=np.int32)
    values = np.array([value for _, value in pairs], dtype=np.float64)
    return Rows(offsets, ids, NO_VALUES if bool((values == 1).all()) else values, len(names), names)
