"""Rows of the Gram matrix for solvers: from counts, from the whole matrix, or computed on demand.

The core counts rows of 0 and 1 for kernels of sets, and expands them for polynomial ones; real rows with few zeros it
multiplies as a matrix. For other kernels the whole matrix is computed if it fits, each pair once; otherwise rows are
computed when a solver needs them.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices, Uint32s
from gristmill.base.progress import Progress, halves
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Rows
from gristmill.kernels import Kernel, KernelRows, OverlapKernel, PolynomialKernel
from gristmill.kernels.conversion.rows import ConvertedRows
from gristmill.solvers.batch.converting import NOT_CONVERTED, ConversionChoice, check_convertible, converted
from gristmill.solvers.batch.deduplicate import first_of, groups_of, same_data, take, without
from gristmill.solvers.batch.gram import CallableRows, check_symmetric
from gristmill.solvers.batch.settings import PRECOMPUTED, Conversion, SvmKernel, SvmSettings
from gristmill.solvers.cost_scale import squared_lengths

_NONE = Conversion()
_SHARE = 4  # the part of max_bytes for a whole matrix: of a large one most rows are never used
_USED = 0.5  # share of all pairs that a solver uses; a whole matrix takes half of them as well
_BLOCK = 16  # rows computed at once; of larger blocks too many are not used


class TrainingRows:
    """Examples, their groups of equal ones, and rows of the Gram matrix of the different ones.

    Parameters
    ----------
    kernel : kernel, 'precomputed' or callable
    X : examples, or their Gram matrix
    max_bytes : int
        What rows may take.
    conversion : Conversion
        Whether and how trees are converted first.
    """

    def __init__(self, kernel: SvmKernel, X: Any, max_bytes: int, conversion: Conversion = _NONE) -> None:
        check_convertible(kernel, conversion)
        self.kernel = kernel
        self.max_bytes = max_bytes
        self.conversion = conversion
        self.choice = NOT_CONVERTED  # whether rows are those of converted trees, and why
        self.data = kernel.examples(X) if isinstance(kernel, Kernel) else _checked(kernel, X)
        self.groups: Indices = np.arange(len(self.data)) if isinstance(kernel, str) else groups_of(self.data)
        self.distinct = self._distinct()
        self._native: _core.SolverRows | None = None
        self._expanded: _core.ExpandedRows | None = None
        self._too_large = ""  # why there are no expanded ones
        self._fill: _Fill | None = None
        self._source: ConvertedRows | None = None  # of what a solver is given

    @classmethod
    def of(cls, settings: SvmSettings, X: Any, kept: TrainingRows | None) -> TrainingRows:
        """`kept` if it has this kernel and these examples; X may also be TrainingRows."""
        kernel, how = settings.kernel, (settings.budget, settings.conversion)
        made = X if isinstance(X, TrainingRows) else cls(kernel, X, *how)
        if not made.suits(kernel, *how):
            raise ValueError("these rows were made for another kernel, for other max_bytes or another conversion")
        if kept is None:
            return made
        return kept if kept.serves(made) else made._adopting(kept)

    def suits(self, kernel: SvmKernel, max_bytes: int, conversion: Conversion) -> bool:
        """True for rows of this kernel in this space, made in this way."""
        same = self.kernel is kernel or (isinstance(self.kernel, Kernel | str) and self.kernel == kernel)
        return same and (self.max_bytes, self.conversion) == (max_bytes, conversion)

    def serves(self, other: TrainingRows) -> bool:
        """True when the rows are the same."""
        if self is other:
            return True
        return self.suits(other.kernel, other.max_bytes, other.conversion) and same_data(self.data, other.data)

    def _adopting(self, kept: TrainingRows) -> TrainingRows:
        """With the conversion of `kept`, if it serves: another decay needs other rows, but the same conversion."""
        if not (kept.choice.converts and self.conversion == kept.conversion and isinstance(self.kernel, Kernel)):
            return self
        is_same = np.array_equal(self.groups, kept.groups) and same_data(self.data, kept.data)
        if is_same and kept.distinct.supports(self.kernel):
            self.distinct = kept.distinct
        return self

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def size(self) -> int:
        """Different examples."""
        return int(self.groups.max(initial=-1)) + 1

    @property
    def is_counted(self) -> bool:
        """True when a kernel is a function of the number of features that two rows share, and of their lengths."""
        return isinstance(self.kernel, OverlapKernel) and isinstance(self.data, Rows) and self.data.is_binary

    def squared_lengths(self) -> Floats:
        """Of the different examples in the space of the kernel: see `cost_scale`."""
        if isinstance(self.kernel, Kernel):
            return squared_lengths(self.kernel, self.distinct)
        if isinstance(self.kernel, str):
            return np.asarray(self.data.diagonal())
        return CallableRows(self.kernel, self.distinct, self.size).diag()

    @property
    def nbytes(self) -> int:
        """Bytes of the rows made so far."""
        held = sum(made.nbytes for made in (self._native, self._expanded) if made is not None)
        return held + (0 if self._source is None else self._source.nbytes)

    def native(self, n_jobs: int | None, progress: Progress | None) -> _core.SolverRows:
        """Rows as solvers of the core take them, made when first needed."""
        if self._native is None:
            self._native = self._make(n_jobs, progress)
        if self._fill is not None:
            self._fill.n_jobs = n_jobs
        return self._native

    def expanded(self, n_jobs: int | None, progress: Progress | None) -> _core.ExpandedRows:
        """Rows of 0 and 1 as the conjunctions they hold; PatternsTooLargeError, a ValueError, if they do not fit."""
        if self._too_large:
            raise _core.PatternsTooLargeError(self._too_large)
        if self._expanded is None:
            try:
                self._expanded = self._expand(n_jobs, progress)
            except _core.PatternsTooLargeError as error:
                self._too_large = str(error)  # the attempt takes long
                raise
        return self._expanded

    @property
    def are_expanded(self) -> bool:
        """Whether the conjunctions of the rows were found before."""
        return self._expanded is not None

    def _expand(self, n_jobs: int | None, progress: Progress | None) -> _core.ExpandedRows:
        assert isinstance(self.kernel, PolynomialKernel)
        data, kernel = self.distinct, self.kernel._native
        return _core.ExpandedRows(kernel, data.offsets, data.ids, self.max_bytes, resolve_jobs(n_jobs), progress)

    def _distinct(self) -> Any:
        """Examples of which no two are equal, as their groups are numbered."""
        if np.array_equal(self.groups, np.arange(len(self))):
            return self.data
        return take(self.data, first_of(self.groups))

    def _make(self, n_jobs: int | None, progress: Progress | None) -> _core.SolverRows:
        if isinstance(self.kernel, str):
            check_symmetric(self.data, "the precomputed matrix")
            return _core.gram_rows(self.data)
        if isinstance(self.kernel, OverlapKernel) and self.is_counted:
            data = self.distinct
            return _core.counted_rows(self.kernel._of_sets, data.offsets, data.ids, self.max_bytes)
        if not isinstance(self.kernel, Kernel):
            called = CallableRows(self.kernel, self.distinct, self.size)
            return self._whole(called, n_jobs, progress) or self._on_demand(called, called.diag(), 1)
        return self._converted(n_jobs, progress) or self._not_converted(self.kernel, n_jobs, progress)

    def _not_converted(self, kernel: Kernel, n_jobs: int | None, progress: Progress | None) -> _core.SolverRows:
        data = self.distinct
        if isinstance(kernel, OverlapKernel) and isinstance(data, Rows) and not data.is_binary:
            made = _core.product_rows(kernel._of_sets, data.offsets, data.ids, data.values, self.max_bytes)
            if made is not None:
                return made
        rows = kernel.rows(data)
        whole = self._whole(rows, n_jobs, progress)
        return whole or self._on_demand(rows, kernel.diag(data, n_jobs=n_jobs), _BLOCK)

    def _converted(self, n_jobs: int | None, progress: Progress | None) -> _core.SolverRows | None:
        """Rows of converted trees, if these are to be converted and there is room."""
        assert isinstance(self.kernel, Kernel)
        converting, making = halves(progress)
        given, how = self.distinct, self.conversion
        self.distinct, self.choice = converted(
            *(self.kernel, given, how),
            pairs=_USED * self.size**2,
            max_bytes=self.max_bytes,
            n_jobs=n_jobs,
            progress=converting,
        )
        rows = self.kernel.rows(self.distinct) if self.choice.converts else None
        if not isinstance(rows, ConvertedRows):
            return None
        try:
            self._source = rows
            return rows.for_solver(self.max_bytes, n_jobs, making)
        except _core.PatternsTooLargeError as error:
            if how.convert != "auto" or self.distinct is given:
                raise
            self.distinct, self.choice, self._source = given, ConversionChoice(False, str(error)), None
            return None

    def native_for_few(self, n_jobs: int | None) -> _core.SolverRows:
        """The same for a solver that needs few rows: no matrix is computed and no tree converted for it."""
        if self._native is not None or self.is_counted or isinstance(self.kernel, str):
            return self.native(n_jobs, None)
        if isinstance(self.kernel, Kernel):
            self._native = self._on_demand(
                self.kernel.rows(self.distinct), self.kernel.diag(self.distinct, n_jobs=n_jobs), _BLOCK
            )
        else:
            called = CallableRows(self.kernel, self.distinct, self.size)
            self._native = self._on_demand(called, called.diag(), 1)
        return self.native(n_jobs, None)

    def native_of(self, numbers: Indices, n_jobs: int | None) -> _core.SolverRows:
        """Rows of some of the different examples, against each other, for a kernel of the library."""
        assert isinstance(self.kernel, Kernel)
        rest = copy.copy(self)
        rest.distinct, rest.groups = take(self.distinct, numbers), np.arange(len(numbers))
        rest._native = rest._fill = rest._source = None
        return rest.native_for_few(n_jobs)

    def without(self, forgotten: Flags) -> tuple[TrainingRows, Indices, Indices]:
        """Rows of the other examples, in memory of their own; and the new numbers of examples and of groups, or -1."""
        kept = np.flatnonzero(~forgotten)
        lives = np.zeros(self.size, dtype=bool)
        lives[self.groups[kept]] = True
        examples, groups = _renumbered(~forgotten), _renumbered(lives)
        rest = copy.copy(self)
        rest.data = self.data[np.ix_(kept, kept)] if isinstance(self.kernel, str) else without(self.data, forgotten)
        rest.groups = groups[self.groups[kept]]
        rest.distinct, rest.choice = self._distinct_without(~lives, rest), NOT_CONVERTED
        rest._native = rest._fill = rest._source = None
        if self._expanded is not None:
            rest._expanded = self._expanded.take(np.flatnonzero(lives).astype(np.uint32))
        rest._too_large = ""
        return rest, examples, groups

    def _distinct_without(self, gone: Flags, rest: TrainingRows) -> Any:
        """Those of the other examples; rows need not be looked for again."""
        is_apart = isinstance(self.distinct, Rows) and self.distinct is not self.data
        return without(self.distinct, gone) if is_apart else rest._distinct()

    def rename(self, names: tuple[str, ...]) -> None:
        """Give the columns of rows other names."""
        self.data = replace(self.data, feature_names=names)
        self.distinct = replace(self.distinct, feature_names=names)

    @property
    def fits(self) -> bool:
        """Whether the Gram matrix is kept."""
        return 8 * self.size**2 <= self.max_bytes // _SHARE

    def _whole(self, rows: KernelRows, n_jobs: int | None, progress: Progress | None) -> _core.SolverRows | None:
        """The Gram matrix, if it fits."""
        return _core.gram_rows(rows.gram(n_jobs=n_jobs, progress=progress)) if self.fits else None

    def _on_demand(self, rows: KernelRows, diagonal: Floats, block: int) -> _core.SolverRows:
        self._fill = _Fill(rows)
        return _core.called_rows(self.size, np.ascontiguousarray(diagonal), self._fill, block, self.max_bytes)


class _Fill:
    """Computes rows for the core. It holds no reference to the core's objects: such a cycle would never be freed."""

    def __init__(self, provider: KernelRows) -> None:
        self._provider = provider
        self.n_jobs: int | None = None

    def __call__(self, numbers: Uint32s) -> Floats:
        return self._provider.take(numbers.astype(np.intp), n_jobs=self.n_jobs)


def _renumbered(kept: Flags) -> Indices:
    """For each number, that among those that are kept; -1 for the others."""
    return np.where(kept, np.cumsum(kept) - 1, -1)


def _checked(kernel: Any, X: Any) -> Any:
    """A checked Gram matrix, or examples for a callable."""
    if kernel != PRECOMPUTED:
        return X if hasattr(X, "shape") else list(X)
    matrix = np.ascontiguousarray(X, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = "x".join(map(str, matrix.shape))
        raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {shape} matrix.")
    if not np.isfinite(matrix).all():
        raise ValueError("the precomputed matrix holds NaN or infinity")
    return matrix
