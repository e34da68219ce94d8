"""Rows of the Gram matrix of converted trees (Kazama and Torisawa 2005, Algorithm 4.1).

A row adds up what the patterns of its tree give to all trees that share them; malicious pairs have been computed
before, by dynamic programming. Exact for every decay.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Indices, Uint32s
from gristmill.base.progress import Progress, halves
from gristmill.base.threads import resolve_jobs
from gristmill.kernels.base import KernelRows, inverse_norms
from gristmill.kernels.conversion.forest import ConvertedForest, are_converted_together
from gristmill.kernels.trees import TreeKernel, TreeRows

_ONE = np.ones(0)
_LEAST_ROWS = 2  # that a solver needs at a time


class ConvertedRows(KernelRows):
    """Rows for any kernel that the conversion of a forest supports.

    Trees of the same conversion are compared by their patterns, others over distinct subtrees.
    """

    def __init__(self, kernel: TreeKernel, forest: ConvertedForest, *, normalised: bool = False) -> None:
        self.kernel = kernel
        self.normalised = normalised
        self.data: ConvertedForest = forest[:]
        self._columns, self._places = _distinct(forest.numbers())
        self._native: _core.ConvertedRows | None = None
        self._making = threading.Lock()

    def __len__(self) -> int:
        return len(self.data)

    @property
    def nbytes(self) -> int:
        """Bytes of the rows and of the conversion."""
        return self.data.stats.nbytes + (0 if self._native is None else self._native.nbytes)

    @property
    def work(self) -> float:
        """Average number of additions for an entry, the paper's Q."""
        return self.native().work

    def native(self, n_jobs: int | None = None, progress: Progress | None = None) -> _core.ConvertedRows:
        """Rows of the core, made on first use; this computes all malicious pairs."""
        with self._making:
            if self._native is None:
                mined = self.data.mined
                where = (mined.patterns, self.kernel._native, mined.indexed, self._columns)
                self._native = _core.ConvertedRows(*where, resolve_jobs(n_jobs), progress)
            return self._native

    @functools.cached_property
    def _scales(self) -> Floats:
        """The factors of all trees of the conversion; empty for 1."""
        if not self.normalised:
            return _ONE
        return inverse_norms(self.native().diagonal)

    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        forest = self.kernel.examples(X)
        if isinstance(forest, ConvertedForest) and are_converted_together(forest, self.data):
            return self._filled(forest.numbers(), n_jobs, progress)
        return self._others.against(forest, n_jobs=n_jobs, progress=progress)

    def take(self, numbers: Indices, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        return self._filled(self.data[np.arange(len(self))[numbers]].numbers(), n_jobs, progress)

    def gram(self, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        making, filling = self._phases(progress)
        native = self.native(n_jobs, making)
        out = np.empty((len(self._columns), len(self._columns)))
        native.fill_symmetric(self._some_scales(self._columns), out, resolve_jobs(n_jobs), filling)
        return out if self._places is None else out[np.ix_(self._places, self._places)]

    def for_solver(self, max_bytes: int, n_jobs: int | None, progress: Progress | None) -> _core.SolverRows:
        """Rows computed on demand for a solver: faster than filling new memory with all of them.

        Rows are cached in what the conversion and its malicious pairs leave of max_bytes; PatternsTooLargeError, a
        ValueError, if that is too little.
        """
        if self._places is not None:
            raise ValueError("a solver needs distinct examples")
        native = self.native(n_jobs, progress)
        room = max_bytes - self.nbytes
        if room < _LEAST_ROWS * 8 * len(self):
            raise _core.PatternsTooLargeError(
                f"converted trees take {self.nbytes} bytes, which leaves too little of max_bytes = {max_bytes} for "
                f"rows of {len(self)} trees; raise max_bytes, or compare the trees without a conversion (convert=False)"
            )
        return _core.asked_rows(native, self._some_scales(self._columns), room)

    def _phases(self, progress: Progress | None) -> tuple[Progress | None, Progress | None]:
        """Progress of making the rows of the core, unless done, and of filling the result."""
        return halves(progress) if self._native is None else (None, progress)

    def _filled(self, queries: Uint32s, n_jobs: int | None, progress: Progress | None) -> Floats:
        making, filling = self._phases(progress)
        native = self.native(n_jobs, making)
        out = np.empty((len(queries), len(self._columns)))
        scales = self._some_scales(queries), self._some_scales(self._columns)
        native.fill(queries, *scales, out, resolve_jobs(n_jobs), filling)
        return out if self._places is None else out[:, self._places]

    def _some_scales(self, numbers: Uint32s) -> Floats:
        if not self.normalised:
            return _ONE
        scales = np.ascontiguousarray(self._scales[numbers])
        if not scales.all():
            raise ValueError(
                "the kernel of a tree with itself leaves the range of double; use a smaller decay, or leave out such "
                "large trees"
            )
        return scales

    @functools.cached_property
    def _others(self) -> TreeRows:
        """Rows for trees that were not converted."""
        return TreeRows(self.kernel, self.data.plain, normalised=self.normalised)


def _distinct(numbers: Uint32s) -> tuple[Uint32s, Indices | None]:
    """Distinct numbers, and the place of each number among them; None if all are distinct."""
    columns, places = np.unique(numbers, return_inverse=True)
    return (numbers, None) if len(columns) == len(numbers) else (columns, places)
