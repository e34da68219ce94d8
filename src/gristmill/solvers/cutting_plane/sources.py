"""Products of the Gram matrix with weights, and of blocks of it, for cutting planes.

For trees a product is one application of a compiled operator, whatever the number of weights; otherwise it is a sum of
rows, one for each weight other than 0. Blocks are for small samples.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.base.threads import resolve_jobs
from gristmill.kernels import Kernel, Normalized
from gristmill.kernels.operator_parts import matrix_product, sum_of_rows
from gristmill.kernels.operators import KernelOperator
from gristmill.solvers.batch.deduplicate import take
from gristmill.solvers.batch.gram import CallableRows, check_symmetric
from gristmill.solvers.batch.rows import TrainingRows

# Nanoseconds: for a subtree of a product; for a tree of a block, which is taken apart first, and for a pair of them.
_SUBTREE, _TREE, _PAIR = 45, 3000, 15


@dataclass
class Tally:
    """How much of a kernel was computed, for a source and its restrictions together."""

    products: int = 0  # with a vector
    evaluations: int = 0  # pair by pair


class Source(abc.ABC):
    """Products over some examples."""

    def __init__(self, size: int, tally: Tally | None = None) -> None:
        self.size = size
        self.tally = tally or Tally()

    def multiply(self, weights: Floats) -> Floats:
        """K W, examples x columns."""
        self.tally.products += weights.shape[1]
        return self._multiply(weights)

    @abc.abstractmethod
    def _multiply(self, weights: Floats) -> Floats: ...

    @abc.abstractmethod
    def partial(self, some: Indices, others: Indices, weights: Floats) -> Floats:
        """Products for some examples with weights of others, pair by pair."""

    @abc.abstractmethod
    def restricted(self, numbers: Indices) -> Source:
        """The same over these examples only."""

    def prefers_products(self, some: int, others: int) -> bool:
        """Whether a product is cheaper than a block of so many rows and columns."""
        return False

    @property
    def nbytes(self) -> int:
        return 0


def source_of(rows: TrainingRows, n_jobs: int | None, sampled: int | None) -> Source:
    """The source for the different examples of a task; `sampled`: examples of a round, None for all."""
    if isinstance(rows.kernel, str):
        check_symmetric(rows.data, "the precomputed matrix")
        return MatrixSource(np.asarray(rows.data), resolve_jobs(n_jobs))
    if isinstance(rows.kernel, Kernel):
        return _of_kernel(rows, rows.kernel, n_jobs, sampled)
    called = CallableRows(rows.kernel, rows.distinct, rows.size)
    return _matrix_source(called.gram(), n_jobs) if rows.fits and _is_worth_all(rows, sampled) else RowSource(called)


def _of_kernel(rows: TrainingRows, kernel: Kernel, n_jobs: int | None, sampled: int | None) -> Source:
    """The operator of the kernel; if it does not compile, for samples, the Gram matrix if that is no more work."""
    source = KernelSource.of(kernel, rows.distinct, rows.max_bytes, n_jobs)
    if sampled is None or not (rows.fits and _is_worth_all(rows, sampled)) or source.is_compiled:
        return source
    return _matrix_source(kernel.rows(rows.distinct).gram(n_jobs=n_jobs), n_jobs)


_ROUNDS = 128  # of sampling, after which about all pairs are computed


def _is_worth_all(rows: TrainingRows, sampled: int | None) -> bool:
    return sampled is None or rows.size <= _ROUNDS * sampled


def _matrix_source(matrix: Floats, n_jobs: int | None) -> MatrixSource:
    return MatrixSource(matrix, resolve_jobs(n_jobs), Tally(evaluations=matrix.size))


class MatrixSource(Source):
    """A Gram matrix."""

    def __init__(self, matrix: Floats, threads: int, tally: Tally | None = None) -> None:
        super().__init__(len(matrix), tally)
        self._matrix = matrix
        self._threads = threads

    def _multiply(self, weights: Floats) -> Floats:
        used = np.flatnonzero(weights.any(axis=1))
        chosen = np.ascontiguousarray(weights[used])
        return matrix_product(self._matrix, np.arange(self.size), used, chosen, self._threads)

    def partial(self, some: Indices, others: Indices, weights: Floats) -> Floats:
        return matrix_product(self._matrix, some, others, weights[:, None], self._threads)[:, 0]

    def restricted(self, numbers: Indices) -> Source:
        matrix = np.ascontiguousarray(self._matrix[np.ix_(numbers, numbers)])
        return MatrixSource(matrix, self._threads, self.tally)

    @property
    def nbytes(self) -> int:
        return self._matrix.nbytes


class RowSource(Source):
    """A callable whose Gram matrix would be too large."""

    def __init__(self, rows: CallableRows, tally: Tally | None = None) -> None:
        super().__init__(len(rows), tally)
        self._rows = rows

    def _multiply(self, weights: Floats) -> Floats:
        self.tally.evaluations += self.size * int(weights.any(axis=1).sum())
        return sum_of_rows(self._rows.take, weights)

    def partial(self, some: Indices, others: Indices, weights: Floats) -> Floats:
        self.tally.evaluations += len(some) * len(others)
        return _times(self._rows.block(some, others), weights)

    def restricted(self, numbers: Indices) -> Source:
        return RowSource(self._rows.restricted(numbers), self.tally)


class KernelSource(Source):
    """A kernel over examples: by its operator, or pair by pair."""

    def __init__(
        self,
        kernel: Kernel,
        data: Any,
        n_jobs: int | None,
        make: Callable[[], KernelOperator],
        tally: Tally | None = None,
    ) -> None:
        super().__init__(len(data), tally)
        self._kernel = kernel
        self._data = data
        self._n_jobs = n_jobs
        self._make = make
        self._known_scales = np.full(len(data) if isinstance(kernel, Normalized) else 0, np.nan)

    @classmethod
    def of(cls, kernel: Kernel, data: Any, max_bytes: int, n_jobs: int | None) -> KernelSource:
        return cls(kernel, data, n_jobs, lambda: kernel.operator(data, max_bytes=max_bytes, n_jobs=n_jobs))

    @functools.cached_property
    def operator(self) -> KernelOperator:
        """Compiled when first needed."""
        made = self._make()
        if "gram" in made.method:
            self.tally.evaluations += self.size**2
        return made

    def _multiply(self, weights: Floats) -> Floats:
        if "rows" in self.operator.method:
            self.tally.evaluations += self.size * int(weights.any(axis=1).sum())
        return self.operator.apply(weights)

    def partial(self, some: Indices, others: Indices, weights: Floats) -> Floats:
        self.tally.evaluations += len(some) * len(others)
        if not (len(some) and len(others)):
            return np.zeros(len(some))
        rows, columns = take(self._data, some), take(self._data, others)
        if not isinstance(self._kernel, Normalized):
            return _times(self._kernel(rows, columns, n_jobs=self._n_jobs), weights)
        raw = self._kernel.kernel(rows, columns, n_jobs=self._n_jobs)
        return self._scales(self._kernel, some) * _times(raw, self._scales(self._kernel, others) * weights)

    def _scales(self, kernel: Normalized, numbers: Indices) -> Floats:
        """1 / sqrt(k(x, x)), computed once for each example."""
        new = numbers[np.isnan(self._known_scales[numbers])]
        if len(new):
            self._known_scales[new] = kernel.kernel.inverse_norms(take(self._data, new), n_jobs=self._n_jobs)
        return np.asarray(self._known_scales[numbers])

    def restricted(self, numbers: Indices) -> Source:
        data = take(self._data, numbers)
        return KernelSource(
            self._kernel, data, self._n_jobs, lambda: self.operator.restricted(numbers, data), self.tally
        )

    @property
    def is_compiled(self) -> bool:
        """Whether the operator is compiled, so that products are cheap; compiles it."""
        return self._kernel.reads == "trees" and self.operator.method == "compiled"

    def prefers_products(self, some: int, others: int) -> bool:
        cost = _TREE * (some + others) + _PAIR * some * others
        if cost < _SUBTREE * self.size:  # there are at least as many subtrees
            return False
        return self.is_compiled and cost > _SUBTREE * self.operator.n_subtrees

    @property
    def nbytes(self) -> int:
        made = self.__dict__.get("operator")
        return 0 if made is None else int(made.nbytes)


def _times(block: Floats, weights: Floats) -> Floats:
    """A product in a fixed order: that of a library may depend on threads."""
    return np.asarray(np.einsum("ij,j->i", block, weights))
