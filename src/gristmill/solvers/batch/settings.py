"""Settings of batch solvers, checked once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gristmill.base.checks import check_choice, check_flag, check_positive, check_positive_int, is_whole
from gristmill.kernels import Kernel
from gristmill.kernels.base import check_symmetric
from gristmill.kernels.conversion.forest import check_min_support
from gristmill.solvers.cost_scale import check_cost

SOLVERS = ("auto", "smo", "dual-cd", "cutting-plane")
SAMPLINGS = ("uniform", "balanced", "importance")
CONFIRM = ("sample", "all")
MULTICLASS = ("ovo", "ovr")
_FLOATS = ("tol", "intercept_scaling", "max_embeddings")
_INTS = ("max_iter", "max_bytes", "max_size", "min_support", "sample_size", "seed", "patience")
_FLAGS = ("fit_intercept", "shrinking", "line_search")
PRECOMPUTED = "precomputed"
PLENTY = 4 << 30  # bytes of rows that are kept by default

SvmKernel = Kernel | str | Callable[[Any, Any], Any]  # the only str is 'precomputed'


@dataclass(frozen=True)
class Conversion:
    """Whether trees are converted, and the limits of `ConvertedForest`."""

    convert: bool | str = False  # or 'auto'
    max_size: int = 20
    max_embeddings: float = 20.0
    min_support: int = 2


@dataclass(frozen=True)
class SvmSettings:
    """See `KernelSVC`, which has the same parameters."""

    kernel: SvmKernel
    C: float | Literal["auto"] = 1.0
    solver: str = "auto"
    tol: float = 1e-3
    max_iter: int = -1
    fit_intercept: bool = True
    intercept_scaling: float | None = None
    multiclass: str = "ovo"
    shrinking: bool = True
    max_bytes: int | None = None
    convert: bool | str = "auto"
    max_size: int = 20  # of conversion, as the next ones
    max_embeddings: float = 20.0
    min_support: int = 2
    sampling: str | None = None  # of cutting planes, as the next ones
    sample_size: int = 1000
    seed: int = 0
    confirm: str = "sample"
    line_search: bool = True
    patience: int = 20
    auto_cost: bool = False  # C was 'auto' before it was a number
    part_of: int = 0  # examples of the whole problem, where those to be solved are some of them

    def __post_init__(self) -> None:
        if not (isinstance(self.kernel, Kernel) or self.kernel == PRECOMPUTED or callable(self.kernel)):
            raise ValueError(f"kernel must be a gristmill kernel, 'precomputed' or a callable, got {self.kernel!r}")
        if isinstance(self.kernel, Kernel):
            check_symmetric(self.kernel, "training")
        check_cost(self.C)
        for name in _FLOATS:
            check_positive(name, getattr(self, name), or_none=name == "intercept_scaling")
        check_choice("solver", self.solver, SOLVERS)
        check_choice("multiclass", self.multiclass, MULTICLASS)
        if self.sampling is not None:
            check_choice("sampling", self.sampling, SAMPLINGS)
            if self.solver not in ("cutting-plane", "auto"):
                raise ValueError(f"sampling={self.sampling!r} is of solver='cutting-plane', got solver={self.solver!r}")
        if self.solver == "cutting-plane" or self.sampling is not None:
            check_semidefinite(self.kernel)
        check_choice("confirm", self.confirm, CONFIRM)
        for name in ("sample_size", "patience"):
            check_positive_int(name, getattr(self, name))
        for name in _FLAGS:
            check_flag(name, getattr(self, name))
        if not is_whole(self.max_iter) or not (self.max_iter == -1 or self.max_iter >= 1):
            raise ValueError(f"max_iter must be a whole number above 0, or -1 for no limit, got {self.max_iter!r}")
        if self.max_bytes is not None and not (is_whole(self.max_bytes) and self.max_bytes > 0):
            raise ValueError(f"max_bytes must be a whole number above 0 or None, got {self.max_bytes!r}")
        check_convert(self.convert)
        if self.convert is True and (self.solver == "cutting-plane" or self.sampling is not None):
            raise ValueError("convert=True is of solver='smo': cutting planes multiply by trees as they are")
        check_positive_int("max_size", self.max_size)
        check_min_support(self.min_support)
        self._make_plain()

    def _make_plain(self) -> None:
        """Turn NumPy's numbers into Python's, for JSON and the core."""
        floats = _FLOATS if isinstance(self.C, str) else (*_FLOATS, "C")
        flags = _FLAGS if isinstance(self.convert, str) else (*_FLAGS, "convert")
        kinds: tuple[tuple[Any, tuple[str, ...]], ...] = ((float, floats), (int, _INTS), (bool, flags))
        for kind, names in kinds:
            for name in names:
                value = getattr(self, name)
                object.__setattr__(self, name, None if value is None else kind(value))

    @property
    def is_balanced(self) -> bool:
        """True when the intercept is free, and the two sides of the dual weigh the same."""
        return self.fit_intercept and self.intercept_scaling is None

    @property
    def cost(self) -> float:
        """C, once training has found it."""
        assert not isinstance(self.C, str)
        return self.C

    @property
    def constant(self) -> float:
        """What the constant feature of `intercept_scaling` adds to the kernel."""
        if not self.fit_intercept or self.intercept_scaling is None:
            return 0.0
        return self.intercept_scaling**2

    @property
    def conversion(self) -> Conversion:
        """Whether and how trees are converted."""
        return Conversion(self.convert, self.max_size, self.max_embeddings, self.min_support)

    @property
    def budget(self) -> int:
        """Bytes of rows that may be kept."""
        return PLENTY if self.max_bytes is None else self.max_bytes


def check_semidefinite(kernel: SvmKernel, what: str = "solver='cutting-plane'") -> None:
    """ValueError for a kernel that is not known to be positive semidefinite: `what` needs one."""
    if isinstance(kernel, Kernel) and kernel.is_symmetric and not kernel.is_semidefinite:
        raise ValueError(
            f"{what} minimises what has a minimum only for positive semidefinite kernels, and {kernel!r} is not known "
            "to be one; solver='smo' of KernelSVC trains with it as LIBSVM does, and of a SetKernel you can say "
            "semidefinite=True"
        )


def check_convert(value: Any) -> None:
    """Raise ValueError unless it is True, False or 'auto'."""
    if not (isinstance(value, bool | np.bool_) or (isinstance(value, str) and value == "auto")):
        raise ValueError(f"convert must be True, False or 'auto', got {value!r}")
