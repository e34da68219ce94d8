"""Rows of the Gram matrix for solvers: counted, kept whole, or asked for when needed.

Rows of 0 and 1 with a polynomial kernel are counted by the core, or expanded. Other kernels are computed as a whole
where the matrix fits, each pair once; beyond that a solver asks for the rows it needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.batch.equal import Numbers, first_of, groups_of, same_data, take
from gristmill.batch.settings import PRECOMPUTED, SvmKernel, SvmSettings
from gristmill.data import Rows
from gristmill.kernels import Kernel, KernelRows, PolynomialKernel, Progress
from gristmill.threads import resolve_jobs

Floats = NDArray[np.float64]

_SHARE = 4  # of max_bytes that a whole matrix may take: in a large one most rows are never asked for
_BLOCK = 16  # rows asked for at once: more are computed for nothing too often


class TrainingRows:
    """Examples, which of them are equal, and rows of the Gram matrix of those that are not.

    Parameters
    ----------
    kernel : kernel, 'precomputed' or callable
    X : examples, or their Gram matrix
    max_bytes : int
        What rows may take.
    """

    def __init__(self, kernel: SvmKernel, X: Any, max_bytes: int) -> None:
        self.kernel = kernel
        self.max_bytes = max_bytes
        self.data = kernel.examples(X) if isinstance(kernel, Kernel) else _checked(kernel, X)
        self.groups: Numbers = np.arange(len(self.data)) if isinstance(kernel, str) else groups_of(self.data)
        self.distinct = self._distinct()
        self._native: _core.SolverRows | None = None
        self._expanded: _core.ExpandedRows | None = None
        self._n_jobs: int | None = None

    @classmethod
    def of(cls, settings: SvmSettings, X: Any, kept: TrainingRows | None) -> TrainingRows:
        """Those that were kept, if they are of this kernel and these examples."""
        made = cls(settings.kernel, X, settings.budget)
        return made if kept is None or not kept.serves(made) else kept

    def serves(self, other: TrainingRows) -> bool:
        """True when the rows are the same."""
        same_kernel = self.kernel is other.kernel or (
            isinstance(self.kernel, Kernel | str) and self.kernel == other.kernel
        )
        return same_kernel and self.max_bytes == other.max_bytes and same_data(self.data, other.data)

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def size(self) -> int:
        """Different examples."""
        return int(self.groups.max(initial=-1)) + 1

    @property
    def is_counted(self) -> bool:
        """True when a kernel is a function of the number of features that two rows share."""
        return isinstance(self.kernel, PolynomialKernel) and isinstance(self.data, Rows) and self.data.is_binary

    def native(self, n_jobs: int | None, progress: Progress | None) -> _core.SolverRows:
        """Rows as solvers of the core take them, made when first needed."""
        self._n_jobs = n_jobs
        if self._native is None:
            self._native = self._make(progress)
        return self._native

    def expanded(self, n_jobs: int | None, progress: Progress | None) -> _core.ExpandedRows:
        """Rows of 0 and 1 as the conjunctions they hold; PatternsTooLarge, a ValueError, if they do not fit."""
        assert isinstance(self.kernel, PolynomialKernel)
        if self._expanded is None:
            data, threads = self.distinct, resolve_jobs(n_jobs)
            kernel = self.kernel._native
            self._expanded = _core.ExpandedRows(kernel, data.offsets, data.ids, self.max_bytes, threads, progress)
        return self._expanded

    def _distinct(self) -> Any:
        """Examples of which no two are equal, as their groups are numbered."""
        if np.array_equal(self.groups, np.arange(len(self))):
            return self.data
        return take(self.data, first_of(self.groups))

    def _make(self, progress: Progress | None) -> _core.SolverRows:
        if isinstance(self.kernel, str):
            return _core.gram_rows(self.data)
        if isinstance(self.kernel, PolynomialKernel) and self.is_counted:
            data = self.distinct
            return _core.counted_rows(self.kernel._native, data.offsets, data.ids, self.max_bytes)
        provider = self.kernel.rows(self.distinct) if isinstance(self.kernel, Kernel) else _Called(self.kernel, self)
        if 8 * self.size**2 <= self.max_bytes // _SHARE:
            return _core.gram_rows(provider.gram(n_jobs=self._n_jobs, progress=progress))
        return self._called(provider)

    def _called(self, provider: KernelRows) -> _core.SolverRows:
        def fill(numbers: NDArray[np.uint32]) -> Floats:
            return provider.take(numbers.astype(np.intp), n_jobs=self._n_jobs)

        diagonal = provider.diag() if isinstance(provider, _Called) else self._diagonal()
        return _core.called_rows(self.size, diagonal, fill, _BLOCK, self.max_bytes)

    def _diagonal(self) -> Floats:
        assert isinstance(self.kernel, Kernel)
        return np.ascontiguousarray(self.kernel.diag(self.distinct, n_jobs=self._n_jobs))


class _Called(KernelRows):
    """Rows by a function of two lists of examples."""

    def __init__(self, function: Any, rows: TrainingRows) -> None:
        self._function = function
        self._data = rows.distinct
        self._size = rows.size

    def __len__(self) -> int:
        return self._size

    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return called_gram(self._function, X, self._data)

    def take(self, numbers: NDArray[np.intp], *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return self.against(take(self._data, numbers))

    def gram(self, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return called_gram(self._function, self._data, self._data)

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


def _checked(kernel: Any, X: Any) -> Any:
    """A Gram matrix, or what a callable is called with."""
    if kernel != PRECOMPUTED:
        return X if hasattr(X, "shape") else list(X)
    matrix = np.ascontiguousarray(X, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = "x".join(map(str, matrix.shape))
        raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {shape} matrix.")
    if not np.isfinite(matrix).all():
        raise ValueError("the precomputed matrix holds NaN or infinity")
    return matrix
