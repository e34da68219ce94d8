"""What a batch SVM learns from: the examples of a data file, recognised by content."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gristmill.base.errors import FormatError, refusing
from gristmill.base.files import read_bytes
from gristmill.base.progress import Progress
from gristmill.cli.kernel_options import reads_marks
from gristmill.cli.screen import progress_bar
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.formats.kinds import LABELS, ROWS, TREE_EXAMPLES, TREES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import ZeroBased, parse_rows, with_features
from gristmill.data.formats.tree_data import TreeExamples, parse_tree_examples
from gristmill.data.rows import Rows, as_rows, check_features
from gristmill.solvers.online.examples import Labels


@dataclass(frozen=True)
class TrainingData:
    """Examples, their classes and the class number of each."""

    X: Rows | Forest | Examples | NDArray[np.float64]  # the last: their Gram matrix
    labels: Labels
    numbers: NDArray[np.int32]
    first_id: int | None = None  # of rows

    @property
    def tree_fields(self) -> list[str | None]:
        """Names of the fields that hold trees; None: the examples are the trees."""
        return self._fields(Forest)

    @property
    def vector_fields(self) -> list[str | None]:
        """Names of the fields that hold vectors; None: the examples are the vectors."""
        return self._fields(Rows)

    def _fields(self, kind: type) -> list[str | None]:
        if isinstance(self.X, Examples):
            return [name for name, field in self.X.fields.items() if isinstance(field, kind)]
        return [None] if isinstance(self.X, kind) else []


def read_training_data(path: str, kernel: str | None, options: dict[str, Any], given: Container[str]) -> TrainingData:
    """The examples of a file: trees (bracketed, of SVM-light-TK or KeLP) or rows in svmlight format."""
    with reading(path, ROWS, TREES, also=[LABELS, TREE_EXAMPLES]) as looked, progress_bar("reading") as progress:
        content = looked.content(read_bytes(path))
        trees = parse_tree_examples(content, marks=reads_marks(kernel, options), progress=progress)
        found = _rows(content, options, progress) if trees is None else _structured(trees, given)
        if len(found.X) == 0:
            raise FormatError("there are no examples in it")
        return found


def _rows(content: bytes, options: dict[str, Any], progress: Progress | None) -> TrainingData:
    base: ZeroBased = "auto" if options["zero_based"] is None else options["zero_based"]
    found = with_features(parse_rows(content, zero_based=base, words=True, progress=progress))
    with refusing():
        rows = check_features(as_rows(found.rows, binarize=options["binarize"], training=True))
    return labelled(rows, found.labels, 0 if found.zero_based else 1)


def _structured(found: TreeExamples, given: Container[str]) -> TrainingData:
    for name in ("binarize", "zero_based"):
        if name in given:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for data in svmlight format; these are {found.title}"
            )
    if found.labels is None:
        raise FormatError("the trees have no labels; write one a line, LABEL<TAB>(tree)")
    unclear = [name for name in set(found.labels.tolist()) if not name or (" " in name and "KeLP" in found.title)]
    if unclear:
        raise FormatError(f"every example needs one label, some have none or several: {min(unclear)!r}")
    return labelled(found.X, found.labels)


def labelled(X: Any, names: NDArray[np.str_], first_id: int | None = None) -> TrainingData:
    """Examples, with classes for the names of their labels."""
    labels = Labels(set(names.tolist()))
    if len(labels.classes) == 1:
        raise FormatError(f"all examples have the label {labels.classes[0]}; an SVM needs at least two classes")
    return TrainingData(X, labels, labels.numbers(names), first_id)
