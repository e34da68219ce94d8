"""Trees from a file of any known format, recognised by content: bracketed, of SVM-light-TK, or of KeLP."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.base.errors import FormatError
from gristmill.base.progress import Progress
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.formats import bracketed
from gristmill.data.formats.kelp import parse_klp
from gristmill.data.formats.kinds import FIRST_LINE, KELP_LINE, SVMLIGHT_TK_LINE
from gristmill.data.formats.svmlight_tk import parse_examples
from gristmill.display.words import spelled_label

NO_MARKS = "trees of KeLP have no marks, which the kernel looks for"


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
        return TreeExamples("trees of SVM-light-TK", X, np.array(list(map(spelled_label, y.tolist())), dtype=str))
    if not bracketed.is_tree_file(data):
        return None
    found = bracketed.parse_trees(data, marks=marks, progress=progress)
    return TreeExamples(bracketed.TITLE, found.forest, found.labels)


def parse_tree_data(data: bytes, *, marks: bool = False, progress: Progress | None = None) -> TreeData | None:
    """The trees in the bytes of a file, or None if it holds none."""
    found = parse_tree_examples(data, marks=marks, progress=progress)
    trees = {} if found is None else forests_of(found.X)
    return TreeData(found.title, trees, found.labels) if found is not None and trees else None


def _kelp(data: bytes, marks: bool) -> TreeExamples:
    if marks:
        raise FormatError(NO_MARKS)
    X, y = parse_klp(data)
    return TreeExamples("trees of KeLP", X, np.array([_joined(label) for label in y], dtype=str))


def forests_of(X: Any) -> dict[str, Forest]:
    fields = X.fields if isinstance(X, Examples) else {"tree": X}
    return {name: field for name, field in fields.items() if isinstance(field, Forest)}


def _joined(label: Any) -> str:
    return label if isinstance(label, str) else " ".join(label)
