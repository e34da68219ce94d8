"""What cutting planes know of a kernel: products of the Gram matrix with weights, and blocks of it.

Products over trees are applications of a compiled operator, whose cost does not depend on how many weights there are;
elsewhere they are sums of rows, one for each weight that is not 0. Blocks are for small samples.
"""

from __future__ import annotations

import abc
import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.batch.callables import CalledRows
from gristmill.batch.equal import Numbers, take
from gristmill.batch.rows import TrainingRows
from gristmill.kernels import Kernel
from gristmill.operators import KernelOperator

Floats = NDArray[np.float64]

# Comparing two trees costs as much as so many subtrees of an application of the operator.
_SUBTREES_A_PAIR = 2
_ROWS = 64  # of a matrix at a time


class Source(abc.ABC):
    """Products over some examples, and how much of the kernel was computed for them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.products = 0  # with a whole vector
        self.evaluations = 0  # of the kernel, pair by pair

    def multiply(self, weights: Floats) -> Floats:
        """K W, examples x columns."""
        self.products += weights.shape[1]
        return self._multiply(weights)

    @abc.abstractmethod
    def _multiply(self, weights: Floats) -> Floats: ...

    @abc.abstractmethod
    def block(self, some: Numbers, others: Numbers) -> Floats:
        """The kernel of some examples with others."""

    @abc.abstractmethod
    def restricted(self, numbers: Numbers) -> Source:
        """The same over these examples only."""

    def prefers_products(self, pairs: int) -> bool:
        """Whether a product is cheaper than so many pairs."""
        return False

    @property
    def nbytes(self) -> int:
        return 0


def source_of(rows: TrainingRows, n_jobs: int | None, sampled: int | None) -> Source:
    """For the different examples of a task; `sampled`: how many are looked at in a round, None for all."""
    matrix = _matrix(rows, n_jobs, sampled)
    if matrix is not None:
        return MatrixSource(matrix)
    if isinstance(rows.kernel, Kernel):
        return KernelSource(rows.kernel, rows.distinct, rows.max_bytes, n_jobs)
    return RowSource(CalledRows(rows.kernel, rows.distinct, rows.size))


_ROUNDS = 32  # after so many, a sample a round makes about all pairs


def _matrix(rows: TrainingRows, n_jobs: int | None, sampled: int | None) -> Floats | None:
    """The Gram matrix, if it is there or will be needed."""
    if isinstance(rows.kernel, str):
        return np.asarray(rows.data)
    if not rows.fits or (sampled is not None and rows.size > _ROUNDS * sampled):
        return None
    if not isinstance(rows.kernel, Kernel):
        return CalledRows(rows.kernel, rows.distinct, rows.size).gram()
    if sampled is None:
        return None  # an operator knows best
    return rows.kernel.rows(rows.distinct).gram(n_jobs=n_jobs)


class MatrixSource(Source):
    """A Gram matrix."""

    def __init__(self, matrix: Floats) -> None:
        super().__init__(len(matrix))
        self._matrix = matrix
        self.evaluations = len(matrix) ** 2

    def _multiply(self, weights: Floats) -> Floats:
        return _sum_of_rows(lambda numbers: self._matrix[numbers], weights)

    def block(self, some: Numbers, others: Numbers) -> Floats:
        return np.asarray(self._matrix[np.ix_(some, others)])

    def restricted(self, numbers: Numbers) -> Source:
        return MatrixSource(np.ascontiguousarray(self._matrix[np.ix_(numbers, numbers)]))

    @property
    def nbytes(self) -> int:
        return self._matrix.nbytes


class RowSource(Source):
    """A callable too large for its matrix."""

    def __init__(self, rows: CalledRows) -> None:
        super().__init__(len(rows))
        self._rows = rows

    def _multiply(self, weights: Floats) -> Floats:
        self.evaluations += self.size * int(weights.any(axis=1).sum())
        return _sum_of_rows(self._rows.take, weights)

    def block(self, some: Numbers, others: Numbers) -> Floats:
        self.evaluations += len(some) * len(others)
        return self._rows.block(some, others)

    def restricted(self, numbers: Numbers) -> Source:
        return RowSource(self._rows.restricted(numbers))


class KernelSource(Source):
    """A kernel over examples: by its operator, or pair by pair."""

    def __init__(self, kernel: Kernel, data: Any, max_bytes: int, n_jobs: int | None) -> None:
        super().__init__(len(data))
        self._kernel = kernel
        self._data = data
        self._max_bytes = max_bytes
        self._n_jobs = n_jobs

    @functools.cached_property
    def operator(self) -> KernelOperator:
        """Compiled when first needed."""
        made = self._kernel.operator(self._data, max_bytes=self._max_bytes, n_jobs=self._n_jobs)
        if "gram" in made.method:
            self.evaluations += self.size**2
        return made

    def _multiply(self, weights: Floats) -> Floats:
        if "rows" in self.operator.method:
            self.evaluations += self.size * int(weights.any(axis=1).sum())
        return self.operator.apply(weights)

    def block(self, some: Numbers, others: Numbers) -> Floats:
        self.evaluations += len(some) * len(others)
        if not (len(some) and len(others)):
            return np.empty((len(some), len(others)))
        return self._kernel(take(self._data, some), take(self._data, others), n_jobs=self._n_jobs)

    def restricted(self, numbers: Numbers) -> Source:
        return KernelSource(self._kernel, take(self._data, numbers), self._max_bytes, self._n_jobs)

    def prefers_products(self, pairs: int) -> bool:
        if pairs < _SUBTREES_A_PAIR * self.size:  # there are as many subtrees at least
            return False
        return self.operator.method == "compiled" and pairs > _SUBTREES_A_PAIR * self.operator.n_subtrees

    @property
    def nbytes(self) -> int:
        made = self.__dict__.get("operator")
        return 0 if made is None else int(made.nbytes)


def _sum_of_rows(rows: Any, weights: Floats) -> Floats:
    """Of a symmetric matrix: only rows with a weight are looked at, in their order."""
    used = np.flatnonzero(weights.any(axis=1))
    out = np.zeros_like(weights)
    for begin in range(0, len(used), _ROWS):
        numbers = used[begin : begin + _ROWS]
        out += np.einsum("ij,ik->jk", rows(numbers), weights[numbers])
    return out
