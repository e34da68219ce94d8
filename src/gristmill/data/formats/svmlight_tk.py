"""Data files of SVM-light-TK. Each line has a number, trees and vectors; support vectors of models have such lines too.

    LABEL |BT| (tree) |BT| (tree) |ET| 1:0.5 7:1 |BV| 2:1 |EV|
    LABEL (tree) |STD| 1:0.5 7:1

|BV| stands between two vectors, so `|ET| |BV| 2:1 |EV|` is an empty vector and then another one. The second spelling
is that of the first versions; version 1.5 does not read it. Cost: linear in the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.base.files import PathLike, read_bytes, write_bytes
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest, as_forest, decoded_labels
from gristmill.data.formats.kinds import LABELS, ROWS, TREE_EXAMPLES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import parse_rows
from gristmill.data.formats.tree_parts import Extent, fail_at, is_written_by_forest, line_extents, parse_parts
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
    for begin, end in line_extents(data, start):
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


# --- lines: reading ---------------------------------------------------------------------------------------------------


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


# --- lines: writing ---------------------------------------------------------------------------------------------------


def _check_labels(forest: Forest, absent: str | None) -> None:
    texts, ends, *_ = forest.flat()
    for label in decoded_labels(texts, ends):
        if _UNWRITABLE.search(label.encode()) and label != absent:
            raise ValueError(
                f"SVM-light-TK has no label {label!r}: labels hold no brackets, white space, NUL or marks; "
                "bracketed trees do (gm.write_trees), which every command reads"
            )


def _spelled(tree: str, absent: str | None, is_model: bool) -> bytes:
    """Leaves in brackets: to SVM-light-TK two bare leaves would be one. In data files an only child goes without."""
    if absent is not None and tree == f"({absent})":
        return b""
    bracketed = _LEAF.sub(lambda leaf: f"({leaf[0]})", tree)
    text = bracketed if is_model else _SINGLE_LEAF.sub(r"(\1 \2)", bracketed)
    spelled = _unescaped(text)
    if is_written_by_forest(spelled):  # a node a\ above a leaf b, which would be read as a leaf with a blank
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


# --- files ------------------------------------------------------------------------------------------------------------


def read_svmlight_tk(
    path: PathLike,
    *,
    marks: bool = False,
    traces: bool = True,
    functions: bool = True,
    absent: str | None = None,
    n_trees: int | None = None,
    n_vectors: int | None = None,
    zero_based: bool = False,
) -> tuple[Any, Floats]:
    """Read a data file of SVM-light-TK.

    ``1 |BT| (tree) |BT| (tree) |ET| 1:0.5 7:1 |BV| 2:1 |EV|``, with any number of trees and vectors, or as in its first
    versions ``1 (tree) |STD| 1:0.5 7:1``. Blank lines, lines that begin with '#' and what follows a '#' behind the
    trees are passed over. White space separates leaves: ``(NP the dog)`` has two. SVM-light-TK takes it for one leaf
    'the dog', which SST-bow and PTK notice; all agree about ``(NP (the) (dog))``, which `write_svmlight_tk` writes.

    Parameters
    ----------
    path : path or '-'
        UTF-8. Compressed files are unpacked; '-' is standard input.
    marks, traces, functions : bool
        As in `Forest.from_strings`.
    absent : str or None
        What becomes of a tree that is not there while other examples have it, ``|BT| |ET|``. None: FormatError. Else
        it is read as a leaf of this label, which must not occur otherwise. Its ST and SST kernel with any tree is 0,
        as in SVM-light-TK; its SST-bow and PTK kernel is 0 with all but other absent trees.
    n_trees, n_vectors : int or None
        How many trees and vectors an example has; None takes the most that one has. A vector that is not there is
        an empty one.
    zero_based : bool
        Whether feature ids count from 0. SVM-light-TK's count from 1.

    Returns
    -------
    X : Forest or Examples
        A Forest if there is one tree an example and no vector. Else Examples with the fields `trees` (or `tree1`,
        `tree2`, ... if there are several) and `vectors` (or `vector1`, ...).
    y : float64 array of labels

    Raises
    ------
    FormatError
        With file, line and column.

    Examples
    --------
    >>> import gristmill as gm
    >>> X, y = gm.read_svmlight_tk("questions.dat")  # doctest: +SKIP
    """
    with reading(path, TREE_EXAMPLES, also=[ROWS, LABELS]) as looked:
        return parse_examples(
            looked.content(read_bytes(path)),
            marks=marks,
            traces=traces,
            functions=functions,
            absent=absent,
            n_trees=n_trees,
            n_vectors=n_vectors,
            zero_based=zero_based,
        )


def parse_examples(
    data: bytes,
    *,
    absent: str | None = None,
    n_trees: int | None = None,
    n_vectors: int | None = None,
    zero_based: bool = False,
    **reading: bool,
) -> tuple[Any, Floats]:
    """The examples in the bytes of a data file; the options are those of `read_svmlight_tk`."""
    _check_absent(absent)
    lines = find_lines(data)
    trees, vectors = count_parts(data, lines, n_trees, n_vectors)
    rows, labels = parse_fields(data, lines, vectors, zero_based=zero_based)
    forests = [parse_field(data, lines, number, absent, **reading) for number in range(trees)]
    if trees == 1 and vectors == 0:
        return forests[0], labels
    if trees == vectors == 0:  # the file is empty
        return Forest(), labels
    return Examples(**named("tree", forests), **named("vector", rows)), labels


def write_svmlight_tk(path: PathLike, X: Any, y: ArrayLike, *, absent: str | None = None) -> None:
    """Write a data file of SVM-light-TK, whole or not at all.

    Parameters
    ----------
    path : path or '-'
    X : Forest, list of bracketed strings, or Examples
        Trees and vectors are written in the order of their fields; the names of fields are lost.
    y : array of numbers, one per example
    absent : str or None
        Trees that consist of a leaf of this label are written as ``|BT| |ET|``.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.write_svmlight_tk("-", ["(NP (D the) (N dog))"], [1])  # doctest: +SKIP
    1 |BT| (NP (D the) (N dog)) |ET|
    """
    _check_absent(absent)
    examples = X if isinstance(X, Examples) else as_forest(X)
    forests, vectors = fields_by_kind(examples)
    labels = np.ascontiguousarray(y, dtype=np.float64)
    if labels.shape != examples.shape:
        raise ValueError(f"y must hold one label for each of {len(examples)} examples, got shape {labels.shape}")
    if not np.isfinite(labels).all():
        raise ValueError("y must be finite")
    write_bytes(path, format_lines(labels, forests, vectors, absent=absent, is_model=False))


def named(kind: str, fields: Sequence[Any]) -> dict[str, Any]:
    """Fields by name: trees, or tree1, tree2, ..."""
    if len(fields) == 1:
        return {f"{kind}s": fields[0]}
    return {f"{kind}{number}": field for number, field in enumerate(fields, 1)}


def fields_by_kind(X: Forest | Examples) -> tuple[list[Forest], list[Rows]]:
    """Trees and vectors in the order of their fields."""
    fields = list(X.fields.values()) if isinstance(X, Examples) else [X]
    forests = [field for field in fields if isinstance(field, Forest)]
    return forests, [field for field in fields if isinstance(field, Rows)]


def count_parts(
    data: bytes, lines: Sequence[Line], n_trees: int | None = None, n_vectors: int | None = None
) -> tuple[int, int]:
    """How many trees and vectors the examples have."""
    for line in lines:
        for kind, parts, most in (("trees", line.trees, n_trees), ("vectors", line.vectors, n_vectors)):
            if most is not None and len(parts) > most:
                fail_at(data, parts[most].begin, f"expected {most} {kind}, got {len(parts)}")
    trees = max((len(line.trees) for line in lines), default=0) if n_trees is None else n_trees
    vectors = max((len(line.vectors) for line in lines), default=0) if n_vectors is None else n_vectors
    if lines and trees + vectors == 0:
        fail_at(data, lines[0].head.end, "expected a tree or a feature behind the label")
    return trees, vectors


def parse_fields(
    data: bytes, lines: Sequence[Line], vectors: int, *, zero_based: bool = False
) -> tuple[list[Rows], Floats]:
    """All vectors, and the numbers at the heads of the lines."""
    found = [parse_vectors(data, lines, number, zero_based=zero_based) for number in range(max(vectors, 1))]
    return [rows for rows, _ in found[:vectors]], found[0][1]


def parse_field(data: bytes, lines: Sequence[Line], number: int, absent: str | None, **options: bool) -> Forest:
    """The trees with this number, one of each example."""
    text = data if absent is None else data + f"\n({absent})".encode()
    parts = []
    for line in lines:
        part = line.trees[number] if number < len(line.trees) else Extent(line.head.end, line.head.end)
        if not data[part.begin : part.end].strip():
            if absent is None:
                fail_at(
                    data,
                    part.begin,
                    f"this example has no tree {number + 1}, others do; read it as a leaf with absent='label'",
                )
            part = Extent(len(data) + 1, len(text))
        parts.append(part)
    return parse_parts(text, parts, **options)


def _check_absent(absent: str | None) -> None:
    if absent is not None and (not isinstance(absent, str) or not absent or re.search(r"[\s()\\]", absent)):
        raise ValueError(f"absent must be a label without brackets, white space and backslashes, got {absent!r}")
