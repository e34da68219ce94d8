"""LIBSVM's precomputed kernels: one example a line, `label 0:serial 1:K(x, x1) 2:K(x, x2) ...`, serials from 1.

svm-train -t 4 reads them. All values are written, zeros too: LIBSVM finds them by their position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress

_BLOCK = 1 << 20  # values


def write_precomputed(out: BinaryIO, matrix: Floats, labels: Floats, *, progress: Progress | None = None) -> None:
    """Write the rows of a matrix, a few at a time; values read back to the same doubles."""
    rows = len(matrix)
    step = max(1, _BLOCK // (matrix.shape[1] + 1))
    for begin in range(0, rows, step):
        if progress is not None:
            progress(begin, rows)
        out.write(_lines(matrix[begin : begin + step], labels[begin : begin + step], begin + 1))


def _lines(block: Floats, labels: Floats, serial: int) -> bytes:
    rows, width = block.shape[0], block.shape[1] + 1
    values = np.column_stack([np.arange(serial, serial + rows, dtype=np.float64), block])
    ids = np.tile(np.arange(width, dtype=np.int32), rows)
    offsets = np.arange(0, rows * width + 1, width, dtype=np.int64)
    queries = np.empty(0, dtype=np.int64)
    return _core.format_svmlight(labels, queries, offsets, ids, values.ravel(), one_based=False)


def label_numbers(
    labels: Sequence[Any] | NDArray[Any], others: Sequence[Any] | NDArray[Any] = ()
) -> tuple[Floats, dict[str, int]]:
    """Labels as LIBSVM takes them: numbers as they are; words by their rank among the words here and in `others`.

    Returns the numbers and what words mean (nothing if there are none).
    """
    found = list(_numbers([*labels, *others]))
    if None not in found:
        return np.array(found[: len(labels)], dtype=np.float64), {}
    names = {name: number for number, name in enumerate(sorted({str(label) for label in (*labels, *others)}))}
    return np.array([names[str(label)] for label in labels], dtype=np.float64), names


def _numbers(labels: list[Any]) -> Iterator[float | None]:
    for label in labels:
        try:
            number = float(label)
        except ValueError:
            number = np.nan
        yield number if np.isfinite(number) else None
