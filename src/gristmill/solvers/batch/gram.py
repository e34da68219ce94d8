"""Gram matrices of callables (functions of two lists of examples), rows of them for solvers, and checks.

A callable may give other bits for a row that is computed together with others, as libraries of linear algebra do. Which
rows a solver needs together depends on threads, so every row is computed alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.kernels import KernelRows
from gristmill.solvers.batch.deduplicate import take

_BLOCK = 16  # rows of a block for the diagonal


class CallableRows(KernelRows):
    """Rows of the Gram matrix of these examples."""

    def __init__(self, function: Any, data: Any, size: int) -> None:
        self._function = function
        self._data = data
        self._size = size

    def __len__(self) -> int:
        return self._size

    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return callable_gram(self._function, X, self._data)

    def take(self, numbers: Indices, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return np.concatenate([self.against(take(self._data, numbers[at : at + 1])) for at in range(len(numbers))])

    def block(self, some: Indices, others: Indices) -> Floats:
        """Some rows, of which only some columns."""
        return callable_gram(self._function, take(self._data, some), take(self._data, others))

    def restricted(self, numbers: Indices) -> CallableRows:
        """Rows and columns of these examples only."""
        return CallableRows(self._function, take(self._data, numbers), len(numbers))

    def gram(self, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        matrix = callable_gram(self._function, self._data, self._data)
        check_symmetric(matrix, "kernel(A, A)")
        return matrix

    def diag(self) -> Floats:
        """Computed in blocks, of which only the diagonal is used."""
        blocks = [np.arange(begin, min(begin + _BLOCK, self._size)) for begin in range(0, self._size, _BLOCK)]
        own = [take(self._data, numbers) for numbers in blocks]
        return np.concatenate([callable_gram(self._function, some, some).diagonal() for some in own])


def callable_gram(function: Any, A: Any, B: Any) -> Floats:
    """The Gram matrix of a callable, checked."""
    gram = np.ascontiguousarray(function(A, B), dtype=np.float64)
    expected = tuple(len(data) if isinstance(data, list) else data.shape[0] for data in (A, B))
    if gram.shape != expected:
        raise ValueError(f"kernel(A, B) must give a matrix of shape {expected}, got {gram.shape}")
    if not np.isfinite(gram).all():
        raise ValueError("kernel(A, B) gave NaN or infinity")
    return gram


_STRIP = 64  # rows that are compared with as many columns at once
# Of the largest entry: the rounding of 32-bit numbers and of text with six digits.
_ROUNDING = 1e-5


def check_symmetric(matrix: Floats, name: str) -> None:
    """Raise ValueError if a finite matrix differs from its transpose by more than rounding: solvers rely on it."""
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
