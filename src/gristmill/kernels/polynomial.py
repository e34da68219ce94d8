"""The polynomial kernel on sparse rows: the kernel of sets whose scores are sums of weights of conjunctions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.data.rows import Rows
from gristmill.kernels.overlap import OverlapKernel, check_finite, is_finite, squared_norms


@dataclass(frozen=True)
class PolynomialKernel(OverlapKernel):
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
        check_finite(self, "gamma", "coef0")
        if not is_finite(self.degree) or self.degree not in range(1001):
            raise ValueError(f"degree must be a whole number from 0 to 1000, got {self.degree!r}")
        object.__setattr__(self, "degree", int(self.degree))

    @property
    def _native(self) -> _core.PolynomialKernel:
        return _core.PolynomialKernel(self.degree, self.gamma, self.coef0)

    @property
    def _of_sets(self) -> _core.SetKernel:
        return _core.SetKernel.polynomial(self._native)

    @property
    def by_overlap(self) -> bool:
        return True

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

    @property
    def is_semidefinite(self) -> bool:
        """Whether no weight of a power of <x, y> is negative."""
        gamma, coef0 = int(np.sign(self.gamma)), int(np.sign(self.coef0))
        return all(gamma**power * coef0 ** (self.degree - power) >= 0 for power in range(self.degree + 1))

    @property
    def is_nonnegative(self) -> bool:
        return self.gamma >= 0 and self.coef0 >= 0

    def bound(self, A: Any) -> Floats:
        """k(a, a), which bounds k if no weight is negative; else infinity."""
        return self.diag(A) if self.is_nonnegative else np.full(len(self.examples(A)), np.inf)

    def vanishes(self, A: Any) -> Flags:
        """Whether gamma <a, a> + coef0 is 0; a small power of it may be 0 in doubles alone."""
        return np.asarray((self.gamma * squared_norms(self.examples(A)) + self.coef0 == 0) & (self.degree > 0))

    def of_products(self, dots: Floats, left: Floats, right: Floats) -> Floats:
        return self._of_dots(dots)

    def largest(self, lengths: Indices, longest: int) -> Floats:
        by_overlap = np.maximum.accumulate(np.abs(self.values(longest)))
        return np.asarray(by_overlap[np.minimum(lengths, longest)])

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
