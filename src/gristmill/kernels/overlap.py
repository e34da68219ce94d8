"""Kernels of sets: of two rows they see how many features they share, and how many each has."""

from __future__ import annotations

import abc
import sys
from numbers import Real
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.examples import aligned
from gristmill.data.rows import Rows, as_rows, over_shared_columns
from gristmill.kernels.base import FeatureKernel, KernelRows, validate_no_fields


class OverlapKernel(FeatureKernel):
    """A kernel g(m, |x|, |s|) of binary rows that share m features and have |x| and |s|.

    With the dot product in place of m and squared lengths in place of |x| and |s| most are kernels of real rows.
    """

    @property
    @abc.abstractmethod
    def _of_sets(self) -> _core.SetKernel:
        """The core's own."""

    @abc.abstractmethod
    def of_products(self, dots: Floats, left: Floats, right: Floats) -> Floats:
        """k of dot products and the squared lengths of both rows; arrays that broadcast."""

    @abc.abstractmethod
    def largest(self, lengths: Indices, longest: int) -> Floats:
        """At least the largest ``|k|`` of a row of each of these lengths with any row of up to `longest` features."""

    @property
    def by_overlap(self) -> bool:
        """Whether binary rows are compared by their overlap alone, whatever their lengths."""
        return False

    @property
    def expandable(self) -> bool:
        """Whether scores are sums of weights of conjunctions, which engines other than direct and inverted need."""
        return False

    def longest(self, support: Rows) -> int:
        """All features of a row are looked at together."""
        return max(2, int(support.lengths.max(initial=0)))

    def examples(self, X: Any) -> Rows:
        """X as Rows; values are used as given."""
        validate_no_fields(X)
        rows = as_rows(X, binarize=False)
        if not (self.takes_values or rows.is_binary):
            other = rows.values[rows.values != 1][0]
            raise ValueError(f"{self!r} compares sets of features: values must be 0 and 1, got {other:g}")
        return rows

    def diag(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        """k(a, a) for each row of A."""
        squares = squared_norms(self.examples(A))
        return self.of_products(squares, squares, squares)

    def direct(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """The Gram matrix by the definition, from dot products."""
        left = self.examples(A)
        right = left if B is None else self.examples(B)
        return SetRows(self, right)._against_real(aligned(left, right))

    def rows(self, A: Any) -> SetRows:
        """A provider of rows of the Gram matrix of A, for solvers."""
        return SetRows(self, self.examples(A))


def squared_norms(rows: Rows) -> Floats:
    """<a, a> of each row."""
    if rows.is_binary:
        return rows.lengths.astype(np.float64)
    csr = rows.to_csr()
    return np.asarray(csr.multiply(csr).sum(axis=1), dtype=np.float64).ravel()


def check_finite(kernel: Any, *names: str) -> None:
    """Make these attributes floats; ValueError for anything but finite numbers."""
    for name in names:
        if not is_finite(getattr(kernel, name)):
            raise ValueError(f"{name} must be a finite number, got {getattr(kernel, name)!r}")
        object.__setattr__(kernel, name, float(getattr(kernel, name)))


def is_finite(value: Any) -> bool:
    """Whether it is a number in the range of double."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and bool(-sys.float_info.max <= value <= sys.float_info.max)


class SetRows(KernelRows):
    """Rows of the Gram matrix of a kernel of sets; binary rows use an inverted index."""

    def __init__(self, kernel: OverlapKernel, rows: Rows) -> None:
        self.kernel = kernel
        self.data = rows
        self._native = _core.SetRows(kernel._of_sets, rows.offsets, rows.ids) if rows.is_binary else None

    def __len__(self) -> int:
        return len(self.data)

    def take(self, numbers: Indices, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """The rows with these numbers."""
        rows = self.data.one(int(numbers[0])) if len(numbers) == 1 else self.data.take(numbers)
        return self.against(rows, n_jobs=n_jobs, progress=progress)

    def gram(self, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """All rows."""
        return self.against(self.data, n_jobs=n_jobs, progress=progress)

    def against(self, X: Any, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """k(x, s) for the rows x of X and all rows s of the provider."""
        queries = aligned(self.kernel.examples(X), self.data)
        if self._native is None or not queries.is_binary:
            return self._against_real(queries)
        out = np.empty((len(queries), len(self)))
        self._native.fill(queries.offsets, queries.ids, out, resolve_jobs(n_jobs), progress)
        return out

    def _against_real(self, queries: Rows) -> Floats:
        own, theirs = over_shared_columns(queries, self.data)
        width = max(own.n_features, theirs.n_features)
        left, right = own.to_csr(width), theirs.to_csr(width)
        dots = np.asarray((left @ right.T).toarray(), dtype=np.float64)
        return self.kernel.of_products(dots, squared_norms(queries)[:, None], squared_norms(self.data))
