"""What a batch solver is told: checked once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from gristmill.kernels import Kernel

SOLVERS = ("auto", "smo", "dual-cd")
SCHEMES = ("ovo", "ovr")
PRECOMPUTED = "precomputed"
PLENTY = 4 << 30  # bytes of rows that are kept, if nothing is said

SvmKernel = Kernel | str | Callable[[Any, Any], Any]  # the only str is 'precomputed'


@dataclass(frozen=True)
class SvmSettings:
    """See `KernelSVC`, which has the same parameters."""

    kernel: SvmKernel
    C: float = 1.0
    solver: str = "auto"
    tol: float = 1e-3
    max_iter: int = -1
    fit_intercept: bool = True
    intercept_scaling: float | None = None
    scheme: str = "ovo"
    shrinking: bool = True
    max_bytes: int | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.kernel, Kernel) or self.kernel == PRECOMPUTED or callable(self.kernel)):
            raise ValueError(f"kernel must be a gristmill kernel, 'precomputed' or a callable, got {self.kernel!r}")
        for name in ("C", "tol", "intercept_scaling"):
            check_positive(name, getattr(self, name), or_none=name == "intercept_scaling")
        check_choice("solver", self.solver, SOLVERS)
        check_choice("scheme", self.scheme, SCHEMES)
        for name in ("fit_intercept", "shrinking"):
            check_flag(name, getattr(self, name))
        if not _is_whole(self.max_iter) or not (self.max_iter == -1 or self.max_iter >= 1):
            raise ValueError(f"max_iter must be a whole number above 0, or -1 for no limit, got {self.max_iter!r}")
        if self.max_bytes is not None and not (_is_whole(self.max_bytes) and self.max_bytes > 0):
            raise ValueError(f"max_bytes must be a whole number above 0 or None, got {self.max_bytes!r}")
        self._make_plain()

    def _make_plain(self) -> None:
        """NumPy's numbers become Python's, which JSON and the core take."""
        for name, kind in _KINDS.items():
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else kind(value))

    @property
    def is_balanced(self) -> bool:
        """True when the intercept is free, and the two sides of the dual weigh the same."""
        return self.fit_intercept and self.intercept_scaling is None

    @property
    def constant(self) -> float:
        """What a constant feature with a price adds to the kernel."""
        if not self.fit_intercept or self.intercept_scaling is None:
            return 0.0
        return self.intercept_scaling**2

    @property
    def budget(self) -> int:
        """Bytes of rows that may be kept."""
        return PLENTY if self.max_bytes is None else self.max_bytes


_KINDS: dict[str, Callable[[Any], Any]] = {
    "C": float,
    "tol": float,
    "intercept_scaling": float,
    "max_iter": int,
    "max_bytes": int,
    "fit_intercept": bool,
    "shrinking": bool,
}


def check_positive(name: str, value: Any, *, or_none: bool = False) -> None:
    """Refuse what is no finite number above 0."""
    if or_none and value is None:
        return
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number above 0{' or None' * or_none}, got {value!r}")


def check_not_negative(name: str, value: Any) -> None:
    """Refuse what is no finite number, 0 or above."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number, 0 or above, got {value!r}")


def check_share(name: str, value: Any) -> None:
    """Refuse what is no number above 0 up to 1."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) <= 1:
        raise ValueError(f"{name} must be a number above 0, up to 1, got {value!r}")


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def check_choice(name: str, value: Any, known: tuple[str, ...]) -> None:
    """Refuse what is not among the known names."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
