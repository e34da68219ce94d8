"""Settings of kernel logistic regression, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.base.checks import check_not_negative, check_positive_int, is_whole
from gristmill.kernels import PolynomialKernel
from gristmill.solvers.batch.settings import PLENTY
from gristmill.solvers.cost_scale import AUTO, check_cost


@dataclass(frozen=True)
class LogisticSettings:
    """See `KernelLogisticRegression`, which has the same parameters."""

    kernel: PolynomialKernel
    C: float | str = AUTO
    tol: float = 1e-4
    max_iter: int = 1000
    max_bytes: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, PolynomialKernel):
            raise ValueError(f"kernel must be 'poly' or a PolynomialKernel, got {self.kernel!r}")
        if not self.kernel.expandable:
            raise ValueError(
                "a kernel that is a sum over conjunctions has gamma > 0 and coef0 >= 0, "
                f"got gamma={self.kernel.gamma!r} and coef0={self.kernel.coef0!r}"
            )
        check_cost(self.C)
        check_not_negative("tol", self.tol)
        check_positive_int("max_iter", self.max_iter)
        if self.max_bytes is not None and not (is_whole(self.max_bytes) and self.max_bytes > 0):
            raise ValueError(f"max_bytes must be a whole number above 0 or None, got {self.max_bytes!r}")

    @property
    def budget(self) -> int:
        """Bytes that conjunctions may take."""
        return PLENTY if self.max_bytes is None else self.max_bytes
