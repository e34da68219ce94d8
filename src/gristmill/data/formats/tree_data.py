"""Trees from a file of any known format, recognised by content: bracketed, of SVM-light-TK, or of KeLP."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, read_bytes
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest, Progress
from gristmill.data.formats import bracketed
from gristmill.data.formats.kelp import parse_klp
from gristmill.data.formats.kinds import FIRST_LINE, KELP_LINE, SVMLIGHT_TK_LINE, TREE_EXAMPLES, TREES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight_tk import fields_by_kind, parse_examples
from gristmill.kernels import Kernel
from gristmill.machines.machine import Machine
from gristmill.machines.structured import StructuredMachine

_NO_MARKS = "trees of KeLP have no marks, which the kernel looks for"


class TreeExamples(NamedTuple):
    """What a file of trees holds, vectors included."""

    title: str
    X: Forest | Examples
    labels: NDArray[np.str_] | None  # with spaces between where an example of KeLP has several, empty where it has none


class TreeData(NamedTuple):
    """What a file of trees holds."""

    title: str
    trees: dict[str, Forest]  # by name: an example of SVM-light-TK and KeLP may have several
    labels: NDArray[np.str_] | None


def parse_tree_examples(data: bytes, *, marks: bool = False, progress: Progress | None = None) -> TreeExamples | None:
    """The examples in the bytes of a file of trees, or None if it is none."""
    first = FIRST_LINE.search(data)
    if first is not None and KELP_LINE.match(first[0]):
        return _kelp(data, marks)
    if first is not None and SVMLIGHT_TK_LINE.match(first[0]):
        X, y = parse_examples(data, marks=marks)
        return TreeExamples("trees of SVM-light-TK", X, np.array([_spelled(label) for label in y.tolist()], dtype=str))
    if not bracketed.is_tree_file(data):
        return None
    found = bracketed.parse_trees(data, marks=marks, progress=progress)
    return TreeExamples(bracketed.TITLE, found.forest, found.labels)


def parse_tree_data(data: bytes, *, marks: bool = False, progress: Progress | None = None) -> TreeData | None:
    """The trees in the bytes of a file, or None if it holds none."""
    found = parse_tree_examples(data, marks=marks, progress=progress)
    trees = {} if found is None else _trees(found.X)
    return TreeData(found.title, trees, found.labels) if found is not None and trees else None


def read_examples_for(
    machine: StructuredMachine, path: PathLike, *, progress: Progress | None = None
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
    return kernel.marked or any(forest.has_marks for forest in _trees(machine.support).values())


def _parse_like(machine: StructuredMachine, data: bytes, progress: Progress | None) -> tuple[Any, Any]:
    support: Any = machine.support
    first, marks = FIRST_LINE.search(data), reads_marks(machine)
    if first is not None and KELP_LINE.match(first[0]):
        if machine.kernel.marked:
            raise FormatError(_NO_MARKS)
        return parse_klp(data, like=support)
    if first is not None and SVMLIGHT_TK_LINE.match(first[0]):
        trees, vectors = (len(fields) for fields in fields_by_kind(support))
        return parse_examples(data, n_trees=trees, n_vectors=vectors, marks=marks)
    found = bracketed.parse_trees(data, marks=marks, progress=progress)
    return found.forest, np.zeros(len(found.forest)) if found.labels is None else found.labels


def _only_forest(X: Examples) -> Forest:
    trees = _trees(X)
    if len(trees) != 1:
        raise FormatError(f"the machine compares one tree; the examples of the file have {len(trees)}")
    return next(iter(trees.values()))


def _as_labels(labels: Any, machine: StructuredMachine) -> NDArray[Any]:
    if machine.classes is not None and machine.classes.dtype.kind == "U":
        return np.array([label if isinstance(label, str) else f"{label:g}" for label in labels], dtype=str)
    try:
        return np.asarray(labels, dtype=np.float64)
    except ValueError:  # words, which no class of the machine is: answers need none
        return np.full(len(labels), np.nan)


def _kelp(data: bytes, marks: bool) -> TreeExamples:
    if marks:
        raise FormatError(_NO_MARKS)
    X, y = parse_klp(data)
    return TreeExamples("trees of KeLP", X, np.array([_joined(label) for label in y], dtype=str))


def _trees(X: Any) -> dict[str, Forest]:
    fields = X.fields if isinstance(X, Examples) else {"tree": X}
    return {name: field for name, field in fields.items() if isinstance(field, Forest)}


def _spelled(label: float) -> str:
    return str(int(label)) if label.is_integer() else repr(label)


def _joined(label: Any) -> str:
    return label if isinstance(label, str) else " ".join(label)
