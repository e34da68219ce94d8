"""Lines of SVM-light-TK: a number, trees and vectors. Data files and the support vectors of models consist of them.

    LABEL |BT| (tree) |BT| (tree) |ET| 1:0.5 7:1 |BV| 2:1 |EV|
    LABEL (tree) |STD| 1:0.5 7:1

|BV| stands between two vectors, so `|ET| |BV| 2:1 |EV|` is an empty vector and then another one. The second spelling
is that of the first versions; version 1.5 does not read it. Cost: linear in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.data.forest import Forest
from gristmill.data.formats.svmlight import parse_rows
from gristmill.data.formats.tree_parts import Extent, fail_at, is_spelt_by_a_forest
from gristmill.data.rows import Rows

_MARK = re.compile(rb"\|(?:BT|ET|BV|EV|STD)\|")
_HEAD = re.compile(rb"\s*([^\s|(]*)\s*")
_NO_TEXT = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))
_UNWRITABLE = re.compile(rb"[\0\t-\r ()]|" + _MARK.pattern)
_LEAF = re.compile(r"(?<= )[^ ()]+")
_SINGLE_LEAF = re.compile(r"\(([^ ()]+) \(([^ ()]+)\)\)")


class Line(NamedTuple):
    """Where the parts of an example stand. A tree may be blank, which means that there is none."""

    head: Extent  # the label, or the coefficient
    trees: list[Extent]
    vectors: list[Extent]


class _Mark(NamedTuple):
    name: bytes
    begin: int
    end: int


def find_lines(data: bytes, start: int = 0) -> list[Line]:
    """The examples from a place on; blank lines and comments are passed over."""
    lines = []
    for begin, end in _line_extents(data, start):
        head = _HEAD.match(data, begin, end)
        assert head is not None  # it matches anything
        if head.end() == end and not head[1]:
            continue
        if head[1].startswith(b"#"):
            continue
        if not head[1]:
            fail_at(data, head.start(1), "expected a number at the beginning of the line")
        lines.append(_parts(data, Extent(*head.span(1)), head.end(), end))
    return lines


def parse_vectors(data: bytes, lines: Sequence[Line], number: int, *, zero_based: bool = False) -> tuple[Rows, Floats]:
    """The vectors with this number, empty where there are none, and the numbers at the heads of the lines.

    Everything else is blanked out, so that lines and columns in errors are those of the file.
    """
    text = bytearray(data.translate(_NO_TEXT))
    for line in lines:
        for begin, end in (line.head, *line.vectors[number : number + 1]):
            text[begin:end] = data[begin:end]
    found = parse_rows(bytes(text), zero_based=zero_based)
    return found.rows, found.labels


def format_lines(
    heads: Floats, forests: Sequence[Forest], vectors: Sequence[Rows], *, absent: str | None, is_model: bool
) -> bytes:
    """Examples as SVM-light-TK reads them. Trees that are a leaf labelled `absent` are left blank."""
    for forest in forests:
        _check_labels(forest, absent)
    trees = [[_spelled(tree, absent, is_model) for tree in forest] for forest in forests]
    rows = [_vector_texts(vector) for vector in vectors]
    lines = []
    for number, head in enumerate(_number_texts(heads)):
        parts = [head, *(b"|BT| " + column[number] for column in trees)]
        parts += [b"|ET|"] if trees else []
        parts += [b" |BV| ".join(column[number] for column in rows), b"|EV|"] if rows else []
        lines.append(b" ".join(parts) + b"\n")
    return b"".join(lines)


# --- reading ----------------------------------------------------------------------------------------------------------


def _line_extents(data: bytes, start: int) -> Iterator[Extent]:
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        yield Extent(start, end)
        start = end + 1


def _parts(data: bytes, head: Extent, at: int, end: int) -> Line:
    marks = [_Mark(found[0], found.start(), found.end()) for found in _MARK.finditer(data, at, end)]
    if marks and marks[0] == (b"|BT|", at, at + 4):
        trees, used = _trees(data, marks)
    elif data.startswith((b"(", b"|STD|"), at):
        trees, used = _first_style(data, at, marks, end)
    else:
        return Line(head, [], _vectors(data, at, marks, end))
    return Line(head, trees, _vectors(data, marks[used - 1].end if used else end, marks[used:], end))


def _trees(data: bytes, marks: list[_Mark]) -> tuple[list[Extent], int]:
    """The trees, and the number of marks up to |ET|."""
    trees = []
    for used, (mark, following) in enumerate(zip(marks, [*marks[1:], None], strict=True), 2):
        if following is None:
            fail_at(data, mark.begin, "no |ET| ends the trees that begin at |BT|")
        trees.append(Extent(mark.end, following.begin))
        if following.name == b"|ET|":
            return trees, used
        if following.name != b"|BT|":
            fail_at(data, following.begin, f"expected |BT| or |ET| behind a tree, got {following.name.decode()}")
    raise AssertionError("there is a first mark")


def _first_style(data: bytes, at: int, marks: list[_Mark], end: int) -> tuple[list[Extent], int]:
    if not marks:
        return [Extent(at, end)], 0
    if marks[0].name != b"|STD|":
        fail_at(data, marks[0].begin, f"expected |STD| behind a tree without |BT|, got {marks[0].name.decode()}")
    return [Extent(at, marks[0].begin)], 1


def _vectors(data: bytes, at: int, marks: list[_Mark], end: int) -> list[Extent]:
    comment = data.find(b"#", at, end)
    end = end if comment < 0 else comment
    vectors = []
    for mark in marks:
        if mark.begin >= end:
            break
        if mark.name not in (b"|BV|", b"|EV|"):
            fail_at(data, mark.begin, f"{mark.name.decode()} cannot stand here, among the vectors")
        vectors.append(Extent(at, mark.begin))
        at = mark.end
        if mark.name == b"|EV|":
            behind = data[at:end]
            if behind.strip():
                fail_at(data, at + len(behind) - len(behind.lstrip()), "expected the end of the line behind |EV|")
            return vectors
    if vectors or data[at:end].strip():
        vectors.append(Extent(at, end))
    return vectors


# --- writing ----------------------------------------------------------------------------------------------------------


def _check_labels(forest: Forest, absent: str | None) -> None:
    texts, ends, *_ = forest.flat()
    begins = [0, *ends[:-1].tolist()]
    for begin, end in zip(begins, ends.tolist(), strict=True):
        label = texts[begin:end]
        if _UNWRITABLE.search(label) and label.decode() != absent:
            raise ValueError(
                f"SVM-light-TK has no label {label.decode()!r}: labels hold no brackets, white space, NUL or marks; "
                "bracketed trees do (gm.write_trees), which every command reads"
            )


def _spelled(tree: str, absent: str | None, is_model: bool) -> bytes:
    """Leaves in brackets: to SVM-light-TK two bare leaves would be one. In data files an only child goes without."""
    if absent is not None and tree == f"({absent})":
        return b""
    bracketed = _LEAF.sub(lambda leaf: f"({leaf[0]})", tree)
    text = bracketed if is_model else _SINGLE_LEAF.sub(r"(\1 \2)", bracketed)
    spelled = _unescaped(text)
    if is_spelt_by_a_forest(spelled):  # a node a\ above a leaf b, which would be read as a leaf with a blank
        spelled = _unescaped(bracketed)
    if _MARK.search(spelled):
        raise ValueError(f"the label {absent!r} of absent trees occurs within a tree")
    return spelled


def _unescaped(tree: str) -> bytes:
    return tree.replace("\\\\", "\\").encode()


def _number_texts(numbers: Floats) -> list[bytes]:
    empty = Rows(np.zeros(len(numbers) + 1, dtype=np.int64), np.empty(0, dtype=np.int32))
    return _texts(numbers, empty)


def _vector_texts(rows: Rows) -> list[bytes]:
    return [line.partition(b" ")[2] for line in _texts(np.zeros(len(rows)), rows)]


def _texts(heads: Floats, rows: Rows) -> list[bytes]:
    none = np.empty(0, dtype=np.int64)
    return _core.format_svmlight(heads, none, rows.offsets, rows.ids, rows.values, one_based=True).splitlines()
