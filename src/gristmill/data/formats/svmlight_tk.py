"""Data files of SVM-light-TK: examples of trees and vectors, one a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gristmill.base.arrays import Floats
from gristmill.base.files import PathLike, read_bytes, write_bytes
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest, as_forest
from gristmill.data.formats.kinds import LABELS, ROWS, TREE_EXAMPLES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight_tk_lines import Line, find_lines, format_lines, parse_vectors
from gristmill.data.formats.tree_parts import Extent, fail_at, parse_parts
from gristmill.data.rows import Rows


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
