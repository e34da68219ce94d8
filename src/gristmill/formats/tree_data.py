"""Trees from a file of any known format, recognised by content: bracketed, of SVM-light-TK, or of KeLP."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.errors import FormatError
from gristmill.examples import Examples
from gristmill.forest import Forest, Progress
from gristmill.formats import bracketed

_LINE = re.compile(rb"^[^\S\n]*[^\s#].*", re.MULTILINE)  # that is not blank and no comment
_KELP = re.compile(rb"[^(|]*\|B(?:S|[A-Z]+:[^|]*)\|")  # |BT:name|
_SVMLIGHT_TK = re.compile(rb"[^(|]*\|BT\||[^(|]*\(.*\)\s*\|STD\|")


class TreeData(NamedTuple):
    """What a file of trees holds."""

    title: str
    trees: dict[str, Forest]  # by name: an example of SVM-light-TK and KeLP may have several
    labels: NDArray[np.str_] | None


def parse_tree_data(data: bytes, *, marks: bool = False, progress: Progress | None = None) -> TreeData | None:
    """The trees in the bytes of a file, or None if it holds none."""
    first = _LINE.search(data)
    if first is not None and _KELP.match(first[0]):
        return _kelp(data, marks)
    if first is not None and _SVMLIGHT_TK.match(first[0]):
        return _svmlight_tk(data, marks)
    if not bracketed.is_tree_file(data):
        return None
    found = bracketed.parse_trees(data, marks=marks, progress=progress)
    return TreeData(bracketed.TITLE, {"tree": found.forest}, found.labels)


def _kelp(data: bytes, marks: bool) -> TreeData | None:
    from gristmill.formats.kelp import read_klp

    if marks:
        raise FormatError("trees of KeLP have no marks")
    X, y = _from_file(read_klp, data)
    trees = _trees(X)
    return TreeData("trees of KeLP", trees, np.array([_joined(label) for label in y], dtype=str)) if trees else None


def _svmlight_tk(data: bytes, marks: bool) -> TreeData | None:
    from gristmill.formats.svmlight_tk import read_svmlight_tk

    X, y = _from_file(read_svmlight_tk, data, marks=marks)
    trees = _trees(X)
    return TreeData("trees of SVM-light-TK", trees, np.array([f"{label:g}" for label in y], dtype=str))


def _from_file(read: Callable[..., Any], data: bytes, **options: Any) -> Any:
    """What a reader that wants a path makes of bytes, which may have come from standard input."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            return read(file.name, **options)
        except FormatError as error:
            error.path = None  # the caller knows the name
            raise


def _trees(X: Any) -> dict[str, Forest]:
    fields = X.fields if isinstance(X, Examples) else {"tree": X}
    return {name: field for name, field in fields.items() if isinstance(field, Forest)}


def _joined(label: Any) -> str:
    return label if isinstance(label, str) else " ".join(label)
