"""Data files for a machine, in the form its support examples have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, line_blocks, read_bytes
from gristmill.base.progress import Progress
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.formats import bracketed
from gristmill.data.formats.kelp import parse_klp
from gristmill.data.formats.kinds import (
    FIRST_LINE,
    KELP_LINE,
    LABELS,
    ROWS,
    SVMLIGHT_TK_LINE,
    TREE_EXAMPLES,
    TREES,
)
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import NO_FEATURES, DataFile, ZeroBased, parse_rows, parsed_blocks
from gristmill.data.formats.svmlight_tk import fields_by_kind, parse_examples
from gristmill.data.formats.tree_data import NO_MARKS, forests_of
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel
from gristmill.machines.machine import Machine
from gristmill.machines.table_files import read_table_for


def read_for(
    machine: Machine, path: PathLike, *, zero_based: bool | None = None, progress: Progress | None = None
) -> tuple[Any, NDArray[Any]]:
    """Examples and labels: rows in svmlight format, tables, or trees, whichever the machine takes."""
    if machine.support.kind != "rows":
        if zero_based is not None:
            raise ValueError("--zero-based and --one-based are for rows; this machine is on trees")
        return read_examples_for(machine, path, progress=progress)
    return read_rows_for(machine, path, zero_based=zero_based, progress=progress)


def spelled(label: Any, machine: Machine) -> Any:
    """A label of a file as the machine would give it; None where there is none."""
    kind = "f" if machine.classes is None else machine.classes.dtype.kind
    if label is None or label == "" or kind == "U":
        return label or None
    try:
        number = float(label)
    except ValueError:  # a word, which no class of the machine is
        return label
    if np.isnan(number):
        return None
    if kind == "b" and number in (0, 1):
        return bool(number)
    return int(number) if kind in "iu" and number.is_integer() else number


# --- rows -------------------------------------------------------------------------------------------------------------


def read_rows_for(
    machine: Machine, path: PathLike, *, zero_based: bool | None = None, progress: Progress | None = None
) -> tuple[Rows, NDArray[Any]]:
    """Rows and labels, with ids counted as the files that the machine came from counted them, else from 1.

    A machine that counts from 1 knows nothing of an id 0, so such a feature counts for nothing. `zero_based` is for
    machines that do not know how they count; one that does refuses to be contradicted. Labels are strings where the
    machine's classes are. Of a table, whose columns have names, they are the column that the machine predicts.
    """
    if machine.encoding is not None:
        return _table_for(machine, path, zero_based, progress)
    with reading(path, ROWS, also=[LABELS]) as looked:
        found = parse_rows(looked.content(read_bytes(path)), **reading_for(machine, zero_based), progress=progress)
        check_rows_for(machine, found)
        return found.rows, found.labels


def read_blocks_for(
    machine: Machine, path: PathLike, size: int, *, zero_based: bool | None = None
) -> Iterator[DataFile]:
    """The same for a file of any size, block by block of about `size` bytes; a table is one block."""
    if machine.encoding is not None:
        rows, labels = _table_for(machine, path, zero_based)
        yield DataFile(rows, labels, np.empty(0, dtype=np.int64), zero_based=True)
        return
    options = reading_for(machine, zero_based)
    with reading(path, ROWS, also=[LABELS]) as looked:
        for number, found in enumerate(parsed_blocks(looked.blocks(line_blocks(path, size)), options)):
            if number == 0:
                check_rows_for(machine, found)
            yield found


def _table_for(
    machine: Machine, path: PathLike, zero_based: bool | None, progress: Progress | None = None
) -> tuple[Rows, NDArray[Any]]:
    if zero_based is not None:
        raise ValueError("--zero-based and --one-based are for rows in svmlight format; this machine reads tables")
    return read_table_for(machine, path, progress=progress)


def check_rows_for(machine: Machine, found: DataFile) -> None:
    """Refuse words, one a line, that are neither labels of the machine nor have features: they are other data."""
    if len(found.rows.ids) or found.labels.dtype.kind != "U" or not len(found.labels):
        return
    if not set(found.labels.tolist()) & set(np.asarray(machine.classes).tolist()):
        raise FormatError(f"{NO_FEATURES}, and no line begins with a class of the model")


def reading_for(machine: Machine, zero_based: bool | None = None) -> dict[str, Any]:
    """The options of `parse_rows` that `read_rows_for` uses."""
    base: ZeroBased | Literal["lenient"] = first_id_for(machine, zero_based) == 0
    if machine.first_id == 1:
        base = "lenient"
    return {"zero_based": base, "words": machine.classes is not None and machine.classes.dtype.kind == "U"}


def first_id_for(machine: Machine, zero_based: bool | None = None) -> int:
    """What data files call the first feature: as the machine knows, else as is said, else 1."""
    said = None if zero_based is None else int(not zero_based)
    if machine.first_id is None:
        return 1 if said is None else said
    if said not in (None, machine.first_id):
        raise ValueError(f"the model counts features from {machine.first_id}; data for it must do the same")
    return machine.first_id


# --- trees ------------------------------------------------------------------------------------------------------------


def read_examples_for(
    machine: Machine, path: PathLike, *, progress: Progress | None = None
) -> tuple[Any, NDArray[Any]]:
    """Examples as the machine's support examples are, from a file of any format, and their labels.

    Labels are numbers, or words where the machine's classes are.
    """
    with reading(path, TREES, TREE_EXAMPLES) as looked:
        X, labels = _parse_like(machine, looked.content(read_bytes(path)), progress)
        if isinstance(machine.support, Examples):
            X = X if isinstance(X, Examples) else Examples(**{next(iter(machine.support.fields)): X})
            missing = set(machine.support.fields) - set(X.fields)
            if missing:
                raise FormatError(f"the machine compares the fields {sorted(missing)}, which the file does not have")
        elif isinstance(X, Examples):
            X = _only_forest(X)
        return X, _as_labels(labels, machine)


def reads_marks(machine: Machine) -> bool:
    """Whether trees for a machine on trees are read with marks: its kernel is marked, or its support trees are."""
    kernel: Kernel = machine.kernel
    return kernel.marked or any(forest.has_marks for forest in forests_of(machine.support).values())


def _parse_like(machine: Machine, data: bytes, progress: Progress | None) -> tuple[Any, Any]:
    support: Any = machine.support
    first, marks = FIRST_LINE.search(data), reads_marks(machine)
    if first is not None and KELP_LINE.match(first[0]):
        if machine.kernel.marked:
            raise FormatError(NO_MARKS)
        return parse_klp(data, like=support)
    if first is not None and SVMLIGHT_TK_LINE.match(first[0]):
        trees, vectors = (len(fields) for fields in fields_by_kind(support))
        return parse_examples(data, n_trees=trees, n_vectors=vectors, marks=marks)
    found = bracketed.parse_trees(data, marks=marks, progress=progress)
    return found.forest, np.zeros(len(found.forest)) if found.labels is None else found.labels


def _only_forest(X: Examples) -> Forest:
    trees = forests_of(X)
    if len(trees) != 1:
        raise FormatError(f"the machine compares one tree; the examples of the file have {len(trees)}")
    return next(iter(trees.values()))


def _as_labels(labels: Any, machine: Machine) -> NDArray[Any]:
    if machine.classes is not None and machine.classes.dtype.kind == "U":
        return np.array([label if isinstance(label, str) else f"{label:g}" for label in labels], dtype=str)
    try:
        return np.asarray(labels, dtype=np.float64)
    except ValueError:  # words, which no class of the machine is: answers need none
        return np.full(len(labels), np.nan)
