"""The ways to search: kernels of sets by columns of bits in the core, others through rows of the Gram matrix."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Indices, Int64s
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel, OverlapKernel

Found = tuple[Int64s, Int64s, Floats]  # where the neighbours of each query start; their numbers and similarities
_BLOCK_BYTES = 32 << 20  # of rows of the Gram matrix


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
        size = len(self._rows)
        numbers: list[Int64s] = []
        similarities: list[Floats] = []
        block = max(1, _BLOCK_BYTES // (8 * max(size, 1)))
        for begin in range(0, len(queries), block):
            chosen = np.arange(begin, min(begin + block, len(queries)))
            rows = self._rows.against(queries.take(chosen), n_jobs=threads)
            for query, row in zip(chosen, rows, strict=True):
                found = select(row, request, int(query) if own else None)
                numbers.append(found)
                similarities.append(row[found])
            if progress is not None:
                progress(int(chosen[-1]) + 1, len(queries))
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in numbers], dtype=np.int64)])
        return offsets, _joined(numbers, np.int64), _joined(similarities, np.float64)


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
