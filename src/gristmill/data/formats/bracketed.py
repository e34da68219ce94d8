"""Files of bracketed trees: one after the other over as many lines as they like, or one a line behind its columns.

Columns have tabs between and the label stands first: `LABEL<TAB>(S (NP dog) (VP barks))`, `wsj_0001<TAB>0<TAB>(S ...)`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gristmill import _core
from gristmill.base.arrays import Uint32s
from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, read_bytes, write_bytes
from gristmill.base.progress import Progress
from gristmill.data.forest import Forest, decoded_labels
from gristmill.data.formats.kinds import TREES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.tree_parts import fail_at

TITLE = "bracketed trees"

Strings = NDArray[np.str_]

_WRITABLE = re.compile(r"[^\s()\ufeff]([^\t\n\v\f\r()]*[^\s()])?")
_HEAD = 1 << 16  # bytes that tell what a file holds
_LOOKS_MARKED = re.compile(r".+\*[1-9][0-9]*", re.DOTALL)
_OF_OTHERS = re.compile(r"\|(?:[BE][A-Z]+(?::[^|]*)?|STD)\|")  # marks of SVM-light-TK and KeLP
_HASHED = re.compile(rb"#[^\t()]*\t(?:[^\t()]*\t)*\(")  # a label that begins with '#', and a tree
_COMMENT = re.compile(rb"(^|\s)#.*")
_FEATURE = re.compile(rb"(qid|sid|cost|\d+):[^()]*")


class TreeFile(NamedTuple):
    """What a file of trees holds."""

    forest: Forest
    columns: list[list[str]]  # before each tree; empty lists where nothing stands before any

    @property
    def labels(self) -> Strings | None:
        """The first column, or None."""
        return np.array([first for first, *_ in self.columns], dtype=str) if any(self.columns) else None


def read_trees(
    path: PathLike,
    *,
    marks: bool = False,
    quoted: bool = False,
    traces: bool = True,
    functions: bool = True,
    lowercase: bool = False,
    columns: bool = False,
    progress: Progress | None = None,
) -> tuple[Any, ...]:
    r"""Read a file of bracketed trees.

    Trees stand one after the other, over as many lines as they like, as in the Penn Treebank's files; or one a line
    behind columns with tabs between, the first of which is the label: ``LABEL<TAB>(S (NP dog) (VP barks))``.

    Parameters
    ----------
    path : path or '-'
        UTF-8. Compressed files are unpacked; '-' is standard input.
    marks : bool
        ``NP*1`` is the label NP with mark 1 (any ``*k``), for the marked kernels. False: '*' is an ordinary character.
    quoted : bool
        Labels of nodes may stand in double quotes, with ``\"`` and ``\\`` inside. False: '"' is an ordinary character.
    traces : bool
        False removes -NONE- nodes, and what is empty without them.
    functions : bool
        False cuts the labels of inner nodes before the first '-' or '=' behind their first character: NP-SBJ-1 becomes
        NP.
    lowercase : bool
        Leaves in lower case.
    columns : bool
        Also return all columns; then every tree must have as many.
    progress : callable or None
        Called with (bytes done, bytes in all).

    Returns
    -------
    forest : Forest
    labels : array of str, or None
        What stands first before each tree; None if nothing stands before any.
    columns : array of str of shape (trees, columns), with columns=True
        The label and what stands between it and the tree.

    Raises
    ------
    FormatError
        With file, line and column.

    Examples
    --------
    >>> import gristmill as gm
    >>> forest, labels = gm.read_trees("questions.trees")  # doctest: +SKIP
    """
    with reading(path, TREES) as looked:
        data = looked.content(read_bytes(path))
        how = {"marks": marks, "quoted": quoted, "traces": traces, "functions": functions, "lowercase": lowercase}
        found = parse_trees(data, equal_columns=columns, progress=progress, **how)
    if not columns:
        return found.forest, found.labels
    width = len(found.columns[0]) if found.columns else 0
    return found.forest, found.labels, np.array(found.columns, dtype=str).reshape(len(found.forest), width)


def parse_trees(
    data: bytes, *, equal_columns: bool = False, progress: Progress | None = None, **reading: bool
) -> TreeFile:
    """The trees in the bytes of a file; the options are those of `read_trees`."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError("the file is in UTF-16; convert it to UTF-8", line=1, column=1)
    extents: list[tuple[int, int]] = []  # of what stands before each tree

    def parse(store: _core.Forest, options: _core.BracketOptions) -> Uint32s:
        roots, begins, ends = store.parse_file(data, options, progress)
        extents.extend(zip(begins.tolist(), ends.tolist(), strict=True))
        return roots

    forest = Forest.parsed(parse, **reading)
    return TreeFile(forest, _columns(data, extents, equal_columns))


def write_trees(path: PathLike, forest: Forest | Iterable[str], labels: ArrayLike | None = None) -> None:
    """Write trees, one a line, whole or not at all: ``LABEL<TAB>(tree)``, or the tree alone without labels.

    Parameters
    ----------
    path : path or '-'
    forest : Forest or iterable of bracketed strings
        Marks are written as ``NP*1``; read them back with marks=True. In trees with marks, a label that only looks
        marked (``5*3``) is refused.
    labels : array or None
        One for each tree: numbers, or words without brackets and tabs.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.write_trees("-", gm.Forest.from_strings(["(NP (D the) (N dog))"]), ["animal"])  # doctest: +SKIP
    animal	(NP (D the) (N dog))
    """
    trees = forest if isinstance(forest, Forest) else Forest.from_strings(forest)
    _check_marks(trees)
    heads: Iterable[str] = itertools.repeat("", len(trees)) if labels is None else _heads(labels, len(trees))
    write_bytes(path, b"".join(f"{head}{tree}\n".encode() for head, tree in zip(heads, trees, strict=True)))


def is_tree_file(data: bytes) -> bool:
    """A bracket comes before any line of svmlight data, which has nothing but id:value behind its label."""
    head = data[:_HEAD]
    if b"\0" in head:
        return False
    for line in head.splitlines():
        behind_label = _COMMENT.sub(b"", line).split()[1:]
        if behind_label and all(_FEATURE.fullmatch(token) for token in behind_label):
            return False
        if b"(" in _COMMENT.sub(b"", line):
            return True
    return any(_HASHED.match(line) or b"\t(" in line for line in head.splitlines())  # a label may hold a '#'


# --- what stands before a tree ----------------------------------------------------------------------------------------


def _columns(data: bytes, extents: list[tuple[int, int]], equal: bool) -> list[list[str]]:
    columns = [_split(data, begin, end) for begin, end in extents]
    if any(columns):
        for found, (begin, _) in zip(columns, extents, strict=True):
            if not found:
                fail_at(data, begin, "nothing stands before this tree, but others have labels")
            if equal and len(found) != len(columns[0]):
                fail_at(data, begin, f"expected {len(columns[0])} columns before the tree, got {len(found)}")
    return columns


def _split(data: bytes, begin: int, end: int) -> list[str]:
    text = data[begin:end]
    if not text:
        return []
    if b"\n" in text:
        fail_at(data, begin, "expected a tree on the line of its label")
    if data[begin - 1 : begin] == b"\t":
        fail_at(data, begin, "the first column, the label of the tree, is empty")
    try:
        return text.decode().split("\t")
    except UnicodeDecodeError as error:
        fail_at(data, begin + error.start, "what stands before the tree is not UTF-8")


def _check_marks(forest: Forest) -> None:
    """ValueError where a label without a mark would be read as one with a mark, where others have one."""
    if not forest.has_marks:
        return
    texts, ends, marks, *_ = forest.flat()
    for label, mark in zip(decoded_labels(texts, ends), marks.tolist(), strict=True):
        if not mark and _LOOKS_MARKED.fullmatch(label):
            raise ValueError(f"the label {label!r} has no mark and would be read as if it had: rename it (relabelled)")


def _heads(labels: ArrayLike, trees: int) -> Iterator[str]:
    values = np.asarray(labels)
    if values.shape != (trees,):
        raise ValueError(f"labels must hold one for each of {trees} trees, got shape {values.shape}")
    for value in values.tolist():
        label = str(value)
        if _WRITABLE.fullmatch(label) is None:
            raise ValueError(f"a label must be a word without brackets, tabs and line ends, got {label!r}")
        if _OF_OTHERS.search(label):
            raise ValueError(f"the label {label!r} would make this a line of SVM-light-TK or KeLP; take the bars off")
        yield f"{label}\t"
