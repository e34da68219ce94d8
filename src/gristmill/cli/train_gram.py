"""A batch SVM on a Gram matrix in LIBSVM's text format (`svm-train -t 4`), for LIBSVM's svm-predict.

A line is `label 0:number 1:value 2:value ...`, the kernel of this example with all, and a model names its support
vectors by number. `gristmill kernel --format libsvm` writes such files.
"""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gristmill.base.errors import FormatError
from gristmill.base.files import read_bytes, write_bytes
from gristmill.cli.screen import progress_bar
from gristmill.cli.train_data import TrainingData, labelled
from gristmill.data.formats.kinds import GRAM, ROWS
from gristmill.data.formats.reading import reading
from gristmill.data.formats.svmlight import parse_rows
from gristmill.data.rows import Rows
from gristmill.machines.formats import libsvm
from gristmill.machines.formats.annotated import LINEAR
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch import SvmFit


def read_gram(path: str, to: str) -> TrainingData:
    """The Gram matrix of a file; the model can be LIBSVM's alone."""
    if to != libsvm.NAME:
        raise click.UsageError("-t 4 gives a model for LIBSVM's svm-predict, which alone can read it: say --to libsvm")
    with reading(path, GRAM, also=[ROWS]) as looked, progress_bar("reading") as progress:
        found = parse_rows(looked.content(read_bytes(path)), zero_based=True, words=True, progress=progress)
        table = found.rows.to_csr().toarray()
        _check_numbers(table)
        return labelled(np.ascontiguousarray(table[:, 1:]), found.labels)


def write_gram_model(fit: SvmFit, data: TrainingData, path: str) -> None:
    """A model whose support vectors are the numbers of examples."""
    write_bytes(path, _model(fit.support, fit.coef, fit.intercept, data, fit.scheme))


def check_gram_model(data: TrainingData, scheme: Scheme) -> None:
    """Whether LIBSVM has such a model."""
    n_outputs = scheme.outputs(len(data.labels.classes)) or 1
    _model(np.zeros(1, dtype=np.intp), np.zeros((1, n_outputs)), np.zeros(n_outputs), data, scheme)


def _model(numbers: NDArray[np.intp], coef: Any, intercept: Any, data: TrainingData, scheme: Scheme) -> bytes:
    ids = np.zeros(len(numbers), dtype=np.int32)
    support = Rows(np.arange(len(numbers) + 1), ids, (numbers + 1).astype(np.float64), 1)
    zero_class = int(scheme is Scheme.BINARY)
    machine = Machine(LINEAR, support, coef, intercept, data.labels.classes, scheme, zero_class=zero_class, first_id=0)
    return libsvm.write(machine).replace(b"\nkernel_type linear\n", b"\nkernel_type precomputed\n", 1)


def _check_numbers(table: NDArray[np.float64]) -> None:
    """The numbers of the examples stand at 0, in order and from 1 on, and there is a value for each of them."""
    n_rows, n_columns = table.shape
    if n_columns != n_rows + 1 or not np.array_equal(table[:, 0], np.arange(1, n_rows + 1)):
        raise FormatError(
            f"a Gram matrix for -t 4 has lines `label 0:1 1:value ...`, `label 0:2 ...` with as many values as lines; "
            f"got {n_rows} lines with ids up to {n_columns - 1}"
        )
