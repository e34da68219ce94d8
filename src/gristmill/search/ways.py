"""The ways to search: kernels of sets by columns of bits, of trees by products of the operator, others by Gram rows."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Indices, Int64s
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel, OverlapKernel
from gristmill.kernels.operators import KernelOperator

Found = tuple[Int64s, Int64s, Floats]  # where the neighbours of each query start; their numbers and similarities
_BLOCK_BYTES = 32 << 20  # of rows of the Gram matrix
_PRODUCT_BYTES = 64 << 20  # of columns of a product


@dataclass(frozen=True)
class Request:
    """Which neighbours are wanted."""

    k: int | None
    threshold: float | None


class Search(abc.ABC):
    """Examples that can be searched."""

    @abc.abstractmethod
    def find(self, queries: Any, own: bool, request: Request, threads: int, progress: Progress | None) -> Found:
        """The neighbours of each query; own: the queries are the examples, and none is its own neighbour."""


class ByOverlap(Search):
    """Binary rows, by length and as columns of bits."""

    def __init__(self, kernel: OverlapKernel, rows: Rows) -> None:
        self._native = _core.NearestSets(kernel._of_sets, rows.offsets, rows.ids)
        self._size = len(rows)

    @property
    def nbytes(self) -> int:
        return int(self._native.nbytes)

    def find(self, queries: Rows, own: bool, request: Request, threads: int, progress: Progress | None) -> Found:
        most = None if request.k is None else min(request.k, self._size + 1)
        found = self._native.find(queries.offsets, queries.ids, own, most, request.threshold, threads, progress)
        offsets, numbers, similarities = found
        return offsets, numbers, similarities


class ByGramRows(Search):
    """Anything that a kernel compares: a block of rows of the Gram matrix at a time."""

    def __init__(self, kernel: Kernel, data: Any) -> None:
        self._rows = kernel.rows(data)

    def find(self, queries: Any, own: bool, request: Request, threads: int, progress: Progress | None) -> Found:
        block = max(1, _BLOCK_BYTES // (8 * max(len(self._rows), 1)))
        return _selected(
            len(queries),
            block,
            lambda chosen: self._rows.against(queries.take(chosen), n_jobs=threads),
            own,
            request,
            progress,
        )


class ByProducts(Search):
    """Trees: the operator of all of them, times columns that are 1 at a query."""

    def __init__(self, operator: KernelOperator) -> None:
        self._operator = operator

    @property
    def nbytes(self) -> int:
        return self._operator.nbytes

    def find(self, queries: Any, own: bool, request: Request, threads: int, progress: Progress | None) -> Found:
        size = self._operator.shape[0]
        operator = self._operator if own else self._operator.extended(queries)
        first = 0 if own else size
        return _selected(
            len(queries),
            max(1, _PRODUCT_BYTES // (8 * max(operator.shape[0], 1))),
            lambda chosen: operator.apply(_columns(operator.shape[0], first + chosen), n_jobs=threads)[:size].T,
            own,
            request,
            progress,
        )


def _columns(size: int, ones: Indices) -> Floats:
    """A column for each of these places, which is 1 there and 0 elsewhere."""
    columns = np.zeros((size, len(ones)))
    columns[ones, np.arange(len(ones))] = 1.0
    return columns


def _selected(
    queries: int,
    block: int,
    similarities: Callable[[Indices], Floats],
    own: bool,
    request: Request,
    progress: Progress | None,
) -> Found:
    """The neighbours of so many queries, a block of whose similarities to all examples is made at a time."""
    numbers: list[Int64s] = []
    values: list[Floats] = []
    for begin in range(0, queries, block):
        chosen = np.arange(begin, min(begin + block, queries))
        for query, row in zip(chosen, similarities(chosen), strict=True):
            found = select(row, request, int(query) if own else None)
            numbers.append(found)
            values.append(row[found])
        if progress is not None:
            progress(int(chosen[-1]) + 1, queries)
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in numbers], dtype=np.int64)])
    return offsets, _joined(numbers, np.int64), _joined(values, np.float64)


def _joined(parts: list[Any], dtype: Any) -> Any:
    return np.concatenate(parts) if parts else np.empty(0, dtype=dtype)


def select(values: Floats, request: Request, itself: int | None) -> Int64s:
    """The numbers of the largest values: the largest first, of equal ones the smaller number."""
    numbers: Indices = np.arange(len(values))
    if itself is not None:
        numbers = np.delete(numbers, itself)
    if request.threshold is not None:
        numbers = numbers[values[numbers] >= request.threshold]
    if request.k is not None and request.k < len(numbers):
        last = np.partition(values[numbers], len(numbers) - request.k)[len(numbers) - request.k]
        numbers = numbers[values[numbers] >= last]
    order = np.argsort(-values[numbers], kind="stable")[: request.k]
    return numbers[order].astype(np.int64)
