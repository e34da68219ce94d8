"""What gristmill train and tune learn from: examples of a file with their labels, or their Gram matrix."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gristmill.base.errors import FormatError, refusing
from gristmill.base.files import display_name, read_bytes, write_bytes
from gristmill.base.progress import Progress
from gristmill.cli.kernel_options import ROW_KERNELS, reads_marks
from gristmill.cli.screen import progress_bar
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.formats.kinds import GRAM, LABELS, ROWS, TREE_EXAMPLES, TREES
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import ZeroBased, parse_rows, with_features
from gristmill.data.formats.tree_data import TreeExamples, parse_tree_examples
from gristmill.data.rows import Rows, as_rows, check_features
from gristmill.machines.formats import libsvm
from gristmill.machines.formats.annotated import LINEAR
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Sigmoid
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch import SvmFit
from gristmill.solvers.online.examples import Labels


@dataclass(frozen=True)
class TrainingData:
    """Examples, their classes and the class number of each."""

    X: Rows | Forest | Examples | NDArray[np.float64]  # the last: their Gram matrix
    labels: Labels
    numbers: NDArray[np.int32]
    first_id: int | None = None  # of rows
    name: str = "DATA"  # of the file

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
    kinds = [ROWS] if kernel in ROW_KERNELS else [ROWS, TREES]
    with reading(path, *kinds, also=[LABELS, TREE_EXAMPLES]) as looked, progress_bar("reading") as progress:
        content = looked.content(read_bytes(path))
        trees = parse_tree_examples(content, marks=reads_marks(kernel, options), progress=progress)
        found = _rows(content, options, progress) if trees is None else _structured(trees, options, given)
        if len(found.X) == 0:
            raise FormatError("there are no examples in it")
        return replace(found, name=display_name(path))


def _rows(content: bytes, options: dict[str, Any], progress: Progress | None) -> TrainingData:
    base: ZeroBased = "auto" if options["zero_based"] is None else options["zero_based"]
    found = with_features(parse_rows(content, zero_based=base, words=True, progress=progress))
    with refusing():
        rows = check_features(as_rows(found.rows, binarize=options["binarize"], training=True))
    return labelled(rows, found.labels, 0 if found.zero_based else 1)


def _structured(found: TreeExamples, options: dict[str, Any], given: Container[str]) -> TrainingData:
    keeps = options["binarize"] is False  # what the stand-ins of LIBSVM and SVMlight say of all data
    for name in ("zero_based",) if keeps else ("binarize", "zero_based"):
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


# --- Gram matrices ----------------------------------------------------------------------------------------------------


def read_gram(path: str, form: str) -> TrainingData:
    """The Gram matrix of a file, as `gristmill kernel --format libsvm` writes it; the model can be LIBSVM's alone.

    A line is `label 0:number 1:value 2:value ...`, the kernel of this example with all; a model names its support
    vectors by number.
    """
    if form != libsvm.NAME:
        raise click.UsageError(
            "--kernel precomputed gives a model that only LIBSVM's svm-predict can read: say --format libsvm"
        )
    with reading(path, GRAM, also=[ROWS]) as looked, progress_bar("reading") as progress:
        found = parse_rows(looked.content(read_bytes(path)), zero_based=True, words=True, progress=progress)
        table = found.rows.to_csr().toarray()
        _check_numbers(table)
        return labelled(np.ascontiguousarray(table[:, 1:]), found.labels)


def write_gram_model(fit: SvmFit, data: TrainingData, path: str) -> None:
    """A model whose support vectors are the numbers of examples."""
    write_bytes(path, _model(fit.support, fit.coef, fit.intercept, data, fit.scheme, fit.probability))


def check_gram_model(data: TrainingData, scheme: Scheme) -> None:
    """Whether LIBSVM has such a model."""
    n_outputs = scheme.outputs(len(data.labels.classes)) or 1
    _model(np.zeros(1, dtype=np.intp), np.zeros((1, n_outputs)), np.zeros(n_outputs), data, scheme)


def _model(
    numbers: NDArray[np.intp],
    coef: Any,
    intercept: Any,
    data: TrainingData,
    scheme: Scheme,
    probability: Sigmoid | None = None,
) -> bytes:
    ids = np.zeros(len(numbers), dtype=np.int32)
    support = Rows(np.arange(len(numbers) + 1), ids, (numbers + 1).astype(np.float64), 1)
    zero_class = int(scheme is Scheme.BINARY)
    more: dict[str, Any] = {"zero_class": zero_class, "first_id": 0, "probability": probability}
    machine = Machine(LINEAR, support, coef, intercept, data.labels.classes, scheme, **more)
    return libsvm.write(machine).replace(b"\nkernel_type linear\n", b"\nkernel_type precomputed\n", 1)


def _check_numbers(table: NDArray[np.float64]) -> None:
    """The numbers of the examples stand at 0, in order and from 1 on, and there is a value for each of them."""
    n_rows, n_columns = table.shape
    if n_columns != n_rows + 1 or not np.array_equal(table[:, 0], np.arange(1, n_rows + 1)):
        raise FormatError(
            f"a Gram matrix has lines `label 0:1 1:value ...`, `label 0:2 ...` with as many values as lines; "
            f"got {n_rows} lines with ids up to {n_columns - 1}"
        )
