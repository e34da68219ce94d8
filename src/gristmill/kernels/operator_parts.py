"""The parts of an operator: K W for one kernel, compiled or by rows, and for combined kernels.

Parts follow the structure of the kernel, rather than its components: a norm is applied after the inner sum.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.data.forest import Forest
from gristmill.kernels import FieldKernel, Kernel, Normalized, ScaledKernel, SumKernel
from gristmill.kernels.trees import TreeKernel

_NO_SCALES = np.ones(0)
NO_LIMIT = 2**63 - 1
_BLOCK_BYTES = 8 << 20  # rows at a time


@dataclass(frozen=True)
class Options:
    """How to make an operator."""

    method: str
    max_bytes: int
    threads: int
    progress: Progress | None


class Part(abc.ABC):
    """K W for one kernel."""

    method = ""
    reason = ""
    nbytes = 0

    @abc.abstractmethod
    def multiply(self, weights: Floats, threads: int, progress: Progress | None) -> Floats: ...

    @abc.abstractmethod
    def extended(self, data: Any, known: int, options: Options) -> Part:
        """The part for data whose first `known` examples are those of this part."""

    def restricted(self, kernel: Kernel, data: Any, numbers: Indices, options: Options) -> Part:
        """The part for the examples with these numbers, which are `data`."""
        return make_part(kernel, data, options)

    def leaves(self) -> Iterator[Part]:
        yield self


def make_part(kernel: Kernel, data: Any, options: Options) -> Part:
    """The part for a kernel."""
    if isinstance(kernel, TreeKernel):
        return _tree_part(kernel, data, options)
    if isinstance(kernel, Normalized):
        if isinstance(kernel.kernel, TreeKernel):
            return _tree_part(kernel, data, options)
        return _Normalized(kernel, make_part(kernel.kernel, data, options), data, options)
    if isinstance(kernel, ScaledKernel):
        return _Times(kernel.weight, make_part(kernel.kernel, data, options))
    if isinstance(kernel, FieldKernel):
        return make_part(kernel.kernel, kernel.kernel.examples(data[kernel.field]), options)
    if isinstance(kernel, SumKernel):
        return _Sum(_in_turn(kernel.parts, options, lambda part, left: make_part(part, data, left)))
    if options.method == "compiled":
        raise ValueError(f"only tree kernels can be compiled, got {kernel!r}; use method='auto'")
    return _plain_part(kernel, data, options, "not a tree kernel")


def _tree_part(kernel: TreeKernel | Normalized, forest: Forest, options: Options) -> Part:
    if options.method in ("gram", "rows"):
        return _plain_part(kernel, forest, options, "as asked")
    if options.method == "compiled":
        return Compiled.of(kernel, forest, options, NO_LIMIT, "as asked")
    try:
        return worthwhile_part(kernel, forest, options)
    except _core.OperatorTooLargeError as error:
        return _plain_part(kernel, forest, options, str(error))


def worthwhile_part(kernel: TreeKernel | Normalized, forest: Forest, options: Options) -> Compiled:
    """Compile; OperatorTooLargeError where that takes more than the matrix, or longer than passes over its rows."""
    max_bytes, max_steps = _core.worthwhile(len(np.unique(forest._roots)))
    limited = replace(options, max_bytes=min(options.max_bytes, max_bytes))
    return Compiled.of(kernel, forest, limited, max_steps, "distinct subtrees share work")


def _plain_part(kernel: Kernel, data: Any, options: Options, reason: str) -> Part:
    size = len(data) ** 2 * 8
    if options.method == "rows" or (options.method == "auto" and size > options.max_bytes):
        return _ByRows(kernel, data, reason)
    if size > options.max_bytes:
        raise ValueError(f"the Gram matrix takes {size} bytes, more than max_bytes={options.max_bytes}")
    return _Gram(kernel, data, options, reason)


def _in_turn(kernels: Any, options: Options, make: Any) -> list[Part]:
    """Parts that share max_bytes."""
    parts: list[Part] = []
    left = options.max_bytes
    for kernel in kernels:
        try:
            parts.append(make(kernel, replace(options, max_bytes=left)))
        except _core.OperatorTooLargeError as error:
            raise _core.OperatorTooLargeError(f"the sum takes more than max_bytes = {options.max_bytes}") from error
        left = max(left - parts[-1].nbytes, 0)
    return parts


# --- one kernel -------------------------------------------------------------------------------------------------------


class Compiled(Part):
    """A tree kernel compiled over the distinct subtrees, scaled on both sides if it is normalised."""

    method = "compiled"

    def __init__(
        self, kernel: TreeKernel | Normalized, native: _core.TreeOperator, scales: Floats, reason: str
    ) -> None:
        self.native = native
        self.reason = reason
        self.nbytes = native.nbytes + scales.nbytes
        self._kernel = kernel
        self._scales = scales

    @classmethod
    def of(
        cls,
        kernel: TreeKernel | Normalized,
        forest: Forest,
        options: Options,
        max_steps: int,
        reason: str,
        scales: Floats | None = None,
    ) -> Compiled:
        """Compile; `scales` are those of the trees, if they are known."""
        tree_kernel = cast(TreeKernel, kernel.kernel if isinstance(kernel, Normalized) else kernel)
        with _limit(options.max_bytes, _scale_bytes(kernel, forest)) as room:
            limits = (room, max_steps, options.threads, options.progress)
            native = _core.TreeOperator(tree_kernel._native, forest._store, forest._roots, *limits)
        return cls(kernel, native, _scales(kernel, forest, options) if scales is None else scales, reason)

    def multiply(self, weights: Floats, threads: int, progress: Progress | None) -> Floats:
        out = np.empty_like(weights)
        self.native.multiply(weights, self._scales, out, threads, progress)
        return out

    def extended(self, data: Any, known: int, options: Options) -> Part:
        with _limit(options.max_bytes, _scale_bytes(self._kernel, data)) as room:
            limits = (room, NO_LIMIT, options.threads, options.progress)
            native = self.native.extended(data._roots[known:], *limits)
        scales = np.concatenate([self._scales, _scales(self._kernel, data[known:], options)])
        return Compiled(self._kernel, native, scales, self.reason)

    def restricted(self, kernel: Kernel, data: Any, numbers: Indices, options: Options) -> Part:
        scales = self._scales[numbers] if len(self._scales) else self._scales
        return Compiled.of(self._kernel, data, options, NO_LIMIT, self.reason, scales)


@contextmanager
def _limit(max_bytes: int, taken: int) -> Iterator[int]:
    """The bytes left for the core; its error then names the whole limit."""
    message = f"the compiled operator takes more than max_bytes = {max_bytes}"
    if taken > max_bytes:
        raise _core.OperatorTooLargeError(message)
    try:
        yield max_bytes - taken
    except _core.OperatorTooLargeError as error:
        raise (_core.OperatorTooLargeError(message) if "max_bytes" in str(error) else error) from None


def _scale_bytes(kernel: Kernel, data: Any) -> int:
    return 8 * len(data) if isinstance(kernel, Normalized) else 0


def _scales(kernel: Kernel, data: Any, options: Options) -> Floats:
    if not isinstance(kernel, Normalized):
        return _NO_SCALES
    return kernel.kernel.inverse_norms(data, n_jobs=options.threads)


class _ByRows(Part):
    """Blocks of the rows that have a weight, computed for every product."""

    method = "rows"

    def __init__(self, kernel: Kernel, data: Any, reason: str) -> None:
        self.reason = reason
        self._kernel = kernel
        self._rows = kernel.rows(data)
        self.nbytes = int(getattr(self._rows, "nbytes", 0))

    def multiply(self, weights: Floats, threads: int, progress: Progress | None) -> Floats:
        return sum_of_rows(lambda numbers: self._rows.take(numbers, n_jobs=threads), weights, progress)

    def extended(self, data: Any, known: int, options: Options) -> Part:
        return _ByRows(self._kernel, data, self.reason)


class _Gram(Part):
    """The matrix itself."""

    method = "gram"

    def __init__(self, kernel: Kernel, data: Any, options: Options, reason: str, matrix: Floats | None = None) -> None:
        self.reason = reason
        self._kernel = kernel
        if matrix is None:
            matrix = kernel.rows(data).gram(n_jobs=options.threads, progress=options.progress)
        self._matrix = matrix
        self.nbytes = self._matrix.nbytes

    def multiply(self, weights: Floats, threads: int, progress: Progress | None) -> Floats:
        every = np.arange(len(weights))
        return matrix_product(self._matrix, every, every, weights, threads, progress)

    def extended(self, data: Any, known: int, options: Options) -> Part:
        return _plain_part(self._kernel, data, options, self.reason)

    def restricted(self, kernel: Kernel, data: Any, numbers: Indices, options: Options) -> Part:
        matrix = np.ascontiguousarray(self._matrix[np.ix_(numbers, numbers)])
        return _Gram(self._kernel, data, options, self.reason, matrix)


def sum_of_rows(take: Callable[[Indices], Floats], weights: Floats, progress: Progress | None = None) -> Floats:
    """K W for a symmetric K: takes only the rows with a weight, and adds them in their order."""
    used = np.flatnonzero(weights.any(axis=1))
    out = np.zeros_like(weights)
    block = max(1, _BLOCK_BYTES // (8 * max(len(weights), 1)))
    for begin in range(0, len(used), block):
        numbers = used[begin : begin + block]
        rows = take(numbers)
        for column in range(weights.shape[1]):
            out[:, column] += np.einsum("ij,i->j", rows, np.ascontiguousarray(weights[numbers, column]))
        if progress is not None:
            progress(begin + len(numbers), len(used))
    return out


def matrix_product(
    matrix: Floats, rows: Indices, columns: Indices, weights: Floats, threads: int, progress: Progress | None = None
) -> Floats:
    """Some rows times weights for some columns, in a fixed order: a BLAS product may depend on its threads."""
    out = np.empty((len(rows), weights.shape[1]))
    _core.multiply_matrix(matrix, rows, columns, weights, out, threads, progress)
    return out


# --- combined kernels -------------------------------------------------------------------------------------------------


class _Normalized(Part):
    def __init__(self, kernel: Normalized, inner: Part, data: Any, options: Options) -> None:
        self.nbytes = inner.nbytes
        self._kernel = kernel
        self._inner = inner
        self._scales = _scales(kernel, data, options)[:, None]

    def multiply(self, weights: Floats, threads: int, progress: Progress | None) -> Floats:
        return self._scales * self._inner.multiply(self._scales * weights, threads, progress)

    def extended(self, data: Any, known: int, options: Options) -> Part:
        return _Normalized(self._kernel, self._inner.extended(data, known, options), data, options)

    def leaves(self) -> Iterator[Part]:
        return self._inner.leaves()


class _Times(Part):
    def __init__(self, weight: float, inner: Part) -> None:
        self.nbytes = inner.nbytes
        self._weight = weight
        self._inner = inner

    def multiply(self, weights: Floats, threads: int, progress: Progress | None) -> Floats:
        return self._weight * self._inner.multiply(weights, threads, progress)

    def extended(self, data: Any, known: int, options: Options) -> Part:
        return _Times(self._weight, self._inner.extended(data, known, options))

    def leaves(self) -> Iterator[Part]:
        return self._inner.leaves()


class _Sum(Part):
    def __init__(self, parts: list[Part]) -> None:
        self.nbytes = sum(part.nbytes for part in parts)
        self._parts = parts

    def multiply(self, weights: Floats, threads: int, progress: Progress | None) -> Floats:
        total = self._parts[0].multiply(weights, threads, progress)
        for part in self._parts[1:]:
            total += part.multiply(weights, threads, progress)
        return total

    def extended(self, data: Any, known: int, options: Options) -> Part:
        return _Sum(_in_turn(self._parts, options, lambda part, left: part.extended(data, known, left)))

    def leaves(self) -> Iterator[Part]:
        for part in self._parts:
            yield from part.leaves()
