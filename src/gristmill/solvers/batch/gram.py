"""Kernels that are functions of two lists of examples: their Gram matrices, checked, and rows for solvers.

A function may give other bits for a row by what else it is asked for, as libraries of linear algebra do. Which rows are
asked for together depends on threads, so every row is asked for alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.kernels import KernelRows
from gristmill.solvers.batch.deduplicate import take

_BLOCK = 16  # of the diagonal, beside which all of a block is computed


class CalledRows(KernelRows):
    """Rows of the Gram matrix of these examples."""

    def __init__(self, function: Any, data: Any, size: int) -> None:
        self._function = function
        self._data = data
        self._size = size

    def __len__(self) -> int:
        return self._size

    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return called_gram(self._function, X, self._data)

    def take(self, numbers: Indices, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return np.concatenate([self.against(take(self._data, numbers[at : at + 1])) for at in range(len(numbers))])

    def block(self, some: Indices, others: Indices) -> Floats:
        """Some rows, of which only some columns."""
        return called_gram(self._function, take(self._data, some), take(self._data, others))

    def restricted(self, numbers: Indices) -> CalledRows:
        """Rows and columns of these examples only."""
        return CalledRows(self._function, take(self._data, numbers), len(numbers))

    def gram(self, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        matrix = called_gram(self._function, self._data, self._data)
        check_symmetric(matrix, "kernel(A, A)")
        return matrix

    def diag(self) -> Floats:
        """Block by block, of which the rest is thrown away."""
        blocks = [np.arange(begin, min(begin + _BLOCK, self._size)) for begin in range(0, self._size, _BLOCK)]
        own = [take(self._data, numbers) for numbers in blocks]
        return np.concatenate([called_gram(self._function, some, some).diagonal() for some in own])


def called_gram(function: Any, A: Any, B: Any) -> Floats:
    """The Gram matrix that a callable gives, checked."""
    gram = np.ascontiguousarray(function(A, B), dtype=np.float64)
    wanted = tuple(len(data) if isinstance(data, list) else data.shape[0] for data in (A, B))
    if gram.shape != wanted:
        raise ValueError(f"kernel(A, B) must give a matrix of shape {wanted}, got {gram.shape}")
    if not np.isfinite(gram).all():
        raise ValueError("kernel(A, B) gave NaN or infinity")
    return gram


_STRIP = 64  # rows that are compared with as many columns at once
# Of the largest entry: what numbers of 32 bits, and text of six digits, may differ by without anybody's fault.
_ROUNDING = 1e-5


def check_symmetric(matrix: Floats, name: str) -> None:
    """Refuse a matrix of finite numbers that differs from its transpose by more than rounding."""
    allowed = _ROUNDING * max(matrix.max(initial=0.0), -matrix.min(initial=0.0))
    for begin in range(0, len(matrix), _STRIP):
        end = begin + _STRIP
        differs = np.abs(matrix[begin:end, begin:] - matrix[begin:, begin:end].T) > allowed
        if differs.any():
            i, j = (begin + int(at) for at in np.argwhere(differs)[0])
            raise ValueError(
                f"{name} must be symmetric, but [{i}, {j}] is {float(matrix[i, j])!r} and [{j}, {i}] is "
                f"{float(matrix[j, i])!r}"
            )
