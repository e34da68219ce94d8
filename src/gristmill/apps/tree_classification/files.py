"""Files of labelled trees, a block of lines at a time: bracketed, of SVM-light-TK or of KeLP, recognised by content."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from gristmill.base.arrays import Int64s
from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, line_blocks
from gristmill.data.forest import Forest
from gristmill.data.formats import bracketed
from gristmill.data.formats.kelp import parse_klp
from gristmill.data.formats.kinds import FIRST_LINE, KELP_LINE, SVMLIGHT_TK_LINE, TREE_EXAMPLES, TREES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight_tk import Line, count_parts, find_lines, parse_field, parse_fields
from gristmill.data.formats.tree_parts import fail_at
from gristmill.display.words import spelled_label

_BLOCK = 1 << 22  # bytes
_ESCAPED = re.compile(rb"\\[\\()\s]")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # of which the parser says what to do
_OPEN, _CLOSED, _NEWLINE = b"()\n"


class TreeBlock(NamedTuple):
    """Some examples of a file, one after the other."""

    lines: list[bytes]  # as they are in the file; where a tree is not alone on its line, as it would be
    forest: Forest
    labels: list[str] | None  # None: there are none
    tree: str | None  # the name of these trees, where examples may have several


_Parse = Callable[[bytes], TreeBlock]


def tree_blocks(
    path: PathLike,
    *,
    labelled: bool = False,
    marks: bool = False,
    tree: str | None = None,
    usual: str | None = None,
    size: int = _BLOCK,
) -> Iterator[TreeBlock]:
    """The trees of a file that may be larger than memory.

    Parameters
    ----------
    path : path or '-'
        ``LABEL<TAB>(tree)`` or ``(tree)``, data of SVM-light-TK or of KeLP. Compressed files are unpacked.
    labelled : bool
        Whether examples must have a label, and not more than one.
    marks : bool
        ``NP*1`` is the label NP with mark 1.
    tree : str or None
        Which tree, where examples have several: the name that KeLP has for it, or ``tree2`` for the second of
        SVM-light-TK. None: the first.
    usual : str or None
        The same, unless `tree` says otherwise; it does not matter where examples have one tree.
    size : int
        About how many bytes are looked at at once.

    Raises
    ------
    FormatError
        With file, line and column.

    Examples
    --------
    >>> from gristmill.apps.tree_classification.files import tree_blocks
    >>> for block in tree_blocks("many.trees.gz"):  # doctest: +SKIP
    ...     print(classifier.predict(block.forest))
    """
    with reading(path, TREES, TREE_EXAMPLES) as looked:
        blocks = looked.blocks(line_blocks(path, size))
        head, before = _first_block(blocks)
        if head:
            whole, parse = _format(head, marks, tree, usual)
            yield from _parsed(whole(itertools.chain([head], blocks)), parse, before, labelled)


def _first_block(blocks: Iterator[bytes]) -> tuple[bytes, int]:
    """The first one that is not blank, and how many lines are before it."""
    before = 0
    for data in blocks:
        if data.strip():
            return data, before
        before += data.count(b"\n")
    return b"", before


def _parsed(blocks: Iterable[bytes], parse: _Parse, before: int, labelled: bool) -> Iterator[TreeBlock]:
    for data in blocks:
        if data.strip():
            with _lines_before(before):
                block = parse(data)
                if labelled:
                    _check_labels(data, block)
            yield block
        before += data.count(b"\n")


def read_labelled_trees(path: PathLike, *, marks: bool = False, tree: str | None = None) -> TreeBlock:
    """All of a file at once, without its lines."""
    forest, labels, name = Forest(), list[str](), tree
    for block in tree_blocks(path, labelled=True, marks=marks, tree=tree):
        forest.extend(block.forest)
        labels += block.labels or []
        name = block.tree
    return TreeBlock([], forest, labels, name)


# --- formats ----------------------------------------------------------------------------------------------------------


def _format(
    head: bytes, marks: bool, tree: str | None, usual: str | None
) -> tuple[Callable[[Iterable[bytes]], Iterable[bytes]], _Parse]:
    """How blocks are cut so that trees are whole, and what they are parsed with."""
    first, name = FIRST_LINE.search(head), tree or usual
    line = b"" if first is None else first[0]
    if KELP_LINE.match(line):
        if marks:
            raise FormatError("trees of KeLP have no marks, which the kernel looks for")
        return iter, partial(_kelp, name=name or _first_tree(head))
    if SVMLIGHT_TK_LINE.match(line):
        return iter, partial(_svmlight_tk, number=_tree_number(name), name=name, marks=marks)
    if not bracketed.is_tree_file(head) and not head.startswith(_UTF_16):
        raise FormatError("no file of trees: write one a line, (tree) or LABEL<TAB>(tree)", line=1, column=1)
    if tree is not None:
        raise FormatError(f"examples have one tree, without a name; there is no {tree!r}")
    return _between_trees, partial(_bracketed, marks=marks)


def _kelp(data: bytes, name: str) -> TreeBlock:
    forest, labels = parse_klp(data, representation=name)
    if not isinstance(forest, Forest):
        raise FormatError(f"the representation {name!r} is a vector; name one that is a tree")
    joined = [label if isinstance(label, str) else " ".join(label) for label in labels]
    return TreeBlock(_lines(data), forest, joined, name)


def _first_tree(head: bytes) -> str:
    """Of the first example."""
    first = re.search(rb"\S.*", head)
    assert first is not None  # the block is not blank
    examples, _ = parse_klp(head[: first.end()])
    names = [str(name) for name, field in examples.fields.items() if isinstance(field, Forest)]
    if not names:
        raise FormatError("the examples have no tree, which |BT:name| begins")
    return names[0]


def _svmlight_tk(data: bytes, number: int, name: str | None, marks: bool) -> TreeBlock:
    lines = find_lines(data)
    count_parts(data, lines)
    _refuse_vectors(data, lines)
    _, heads = parse_fields(data, lines, 0)
    forest = parse_field(data, lines, number, None, marks=marks)
    labels = [spelled_label(label) for label in heads.tolist()]
    kept = [line for line in _lines(data) if not line.lstrip().startswith(b"#")]
    return TreeBlock(kept, forest, labels, name)


def _refuse_vectors(data: bytes, lines: Iterable[Line]) -> None:
    """FormatError for vectors behind trees, which would be ignored."""
    for begin, end in (vector for line in lines for vector in line.vectors):
        text = data[begin:end]
        if text.strip():
            message = (
                "a vector stands behind the trees, and trees alone are looked at here; `gristmill train` learns from "
                "trees and vectors together (--combine +), and predict, explain and report take its models"
            )
            fail_at(data, begin + len(text) - len(text.lstrip()), message)


def _tree_number(name: str | None) -> int:
    found = re.fullmatch(r"tree([1-9]\d*)", name or "tree1")
    if found is None:
        raise FormatError(f"trees of SVM-light-TK are called tree1, tree2 and so on; there is no {name!r}")
    return int(found[1]) - 1


def _bracketed(data: bytes, marks: bool) -> TreeBlock:
    found = bracketed.parse_trees(data, marks=marks)
    lines = _lines(data)
    if len(lines) != len(found.forest) or not _is_closed(data):
        rows = zip(found.columns, found.forest, strict=True)
        lines = ["\t".join([*columns, tree]).encode() for columns, tree in rows]
    labels = None if found.labels is None else found.labels.tolist()
    return TreeBlock(lines, found.forest, labels, None)


def _check_labels(data: bytes, block: TreeBlock) -> None:
    if block.labels is None and len(block.forest):
        blank = len(data) - len(data.lstrip())
        line = data.count(b"\n", 0, blank) + 1
        raise FormatError("the trees have no labels; write LABEL<TAB>(tree)", line=line, column=1)
    for number, label in enumerate(block.labels or []):
        if not label or (block.tree is not None and " " in label):
            line = [at for at, text in enumerate(data.split(b"\n"), 1) if text.strip()][number]
            raise FormatError(f"expected one label, got {label.split()}", line=line, column=1)


# --- lines ------------------------------------------------------------------------------------------------------------


def _lines(data: bytes) -> list[bytes]:
    return [line.rstrip(b"\r") for line in data.split(b"\n") if line.strip()]


def _between_trees(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks that end behind a tree, which may go over many lines."""
    rest = b""
    for data in blocks:
        rest += data
        end = max(_closed_ends(rest), default=0)
        if end:
            yield rest[:end]
        rest = rest[end:]
    if rest:
        yield rest


def _closed_ends(data: bytes) -> list[int]:
    """The ends of lines outside of all brackets."""
    ends, depths = _line_depths(data)
    found: list[int] = ends[depths <= 0].tolist()
    return found


def _is_closed(data: bytes) -> bool:
    _, depths = _line_depths(data)
    return bool((depths <= 0).all())


def _line_depths(data: bytes) -> tuple[Int64s, Int64s]:
    """Ends of lines, and how many brackets are open there."""
    text = _ESCAPED.sub(b"__", data) if b"\\" in data else data
    letters = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(letters == _NEWLINE) + 1
    if not len(ends):
        return ends, ends
    steps = (letters == _OPEN).astype(np.int8) - (letters == _CLOSED).astype(np.int8)
    lines = np.add.reduceat(steps[: ends[-1]], np.concatenate([[0], ends[:-1]]), dtype=np.int64)
    return ends, np.cumsum(lines)


@contextlib.contextmanager
def _lines_before(number: int) -> Iterator[None]:
    """Errors count lines from the beginning of the file."""
    try:
        yield
    except FormatError as error:
        if error.line is not None:
            error.line += number
        raise
