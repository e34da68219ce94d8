"""The polynomial kernel on sparse rows."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.examples import aligned
from gristmill.data.rows import Rows, as_rows
from gristmill.kernels.base import FeatureKernel, KernelRows, validate_no_fields


@dataclass(frozen=True)
class PolynomialKernel(FeatureKernel):
    """The polynomial kernel k(x, y) = (gamma <x, y> + coef0)^degree.

    On binary rows <x, y> is the number of shared features, and the kernel is an inner product over all conjunctions of
    up to `degree` features.

    Parameters
    ----------
    degree : int
        0 or more; the fast engines support 1 to 12.
    gamma, coef0 : float
        Any finite numbers; the fast engines need gamma > 0 and coef0 >= 0.

    Examples
    --------
    >>> import gristmill as gm
    >>> gm.PolynomialKernel(degree=2)(gm.ids([[1, 2, 3], [7]]), gm.ids([[2, 3, 9]]))
    array([[9.],
           [1.]])
    >>> gm.PolynomialKernel(degree=3).subset_weights()
    array([ 1.,  7., 12.,  6.])
    """

    degree: int = 2
    gamma: float = 1.0
    coef0: float = 1.0

    def __post_init__(self) -> None:
        for name in ("gamma", "coef0"):
            if not _is_finite(getattr(self, name)):
                raise ValueError(f"{name} must be a finite number, got {getattr(self, name)!r}")
            object.__setattr__(self, name, float(getattr(self, name)))
        if not _is_finite(self.degree) or self.degree not in range(1001):
            raise ValueError(f"degree must be a whole number from 0 to 1000, got {self.degree!r}")
        object.__setattr__(self, "degree", int(self.degree))

    @property
    def _native(self) -> _core.PolynomialKernel:
        return _core.PolynomialKernel(self.degree, self.gamma, self.coef0)

    @property
    def expandable(self) -> bool:
        """True when no conjunction has a negative weight; the engines other than direct and inverted need that."""
        return 1 <= self.degree <= 12 and self.gamma > 0 and self.coef0 >= 0

    def values(self, largest: int) -> Floats:
        """k as a function of the number of shared features: k(0), ..., k(largest)."""
        return self._native.values(largest)

    def subset_weights(self) -> Floats:
        """c(0), ..., c(degree) with k(m) = sum_r c(r) binomial(m, r): what a conjunction of r features weighs."""
        return self._native.subset_weights()

    @property
    def formula(self) -> str:
        return f"({self.gamma:g} <x, y> + {self.coef0:g})^{self.degree}"

    def longest(self, support: Rows) -> int:
        return min(self.degree, int(support.lengths.max(initial=0)))

    def examples(self, X: Any) -> Rows:
        """X as Rows; values are used as given."""
        validate_no_fields(X)
        return as_rows(X, binarize=False)

    def bound(self, A: Any) -> Floats:
        """k(a, a), which bounds k if no weight is negative; else infinity."""
        positive = self.gamma >= 0 and self.coef0 >= 0
        return self.diag(A) if positive else np.full(len(self.examples(A)), np.inf)

    def diag(self, A: Any, *, n_jobs: int | None = None) -> Floats:
        """k(a, a) for each row of A."""
        rows = self.examples(A)
        if rows.is_binary:
            return self.values(int(rows.lengths.max(initial=0)))[rows.lengths]
        csr = rows.to_csr()
        return self._of_dots(np.asarray(csr.multiply(csr).sum(axis=1), dtype=np.float64).ravel())

    def direct(self, A: Any, B: Any = None, *, n_jobs: int | None = None, progress: Progress | None = None) -> Floats:
        """The Gram matrix by the definition, from dot products."""
        left = self.examples(A)
        right = left if B is None else self.examples(B)
        return PolynomialRows(self, right)._against_real(aligned(left, right))

    def rows(self, A: Any) -> PolynomialRows:
        """A provider of rows of the Gram matrix of A, for solvers."""
        return PolynomialRows(self, self.examples(A))

    def _of_dots(self, dots: Floats) -> Floats:
        """The kernel of real dot products, by the same repeated squaring as the core's."""
        result, exponent = np.ones_like(dots), self.degree
        with np.errstate(over="ignore", invalid="ignore"):
            base = self.gamma * dots + self.coef0
            while exponent:
                if exponent % 2:
                    result *= base
                base *= base
                exponent //= 2
        if not np.isfinite(result).all():
            raise ValueError("the kernel leaves the range of double; use a smaller degree, gamma or coef0")
        return result


def _is_finite(value: Any) -> bool:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and bool(-sys.float_info.max <= value <= sys.float_info.max)


class PolynomialRows(KernelRows):
    """Rows of the Gram matrix of a polynomial kernel; binary rows use an inverted index."""

    def __init__(self, kernel: PolynomialKernel, rows: Rows) -> None:
        self.kernel = kernel
        self.data = rows
        self._native = _core.PolynomialRows(kernel._native, rows.offsets, rows.ids) if rows.is_binary else None

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
        left, right = queries.to_csr(), self.data.to_csr()
        width = max(left.shape[1], right.shape[1])
        left.resize(left.shape[0], width)
        right.resize(right.shape[0], width)
        return self.kernel._of_dots(np.asarray((left @ right.T).toarray(), dtype=np.float64))
