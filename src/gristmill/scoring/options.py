"""The options of `Machine.compile`, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

from gristmill.base.files import PathLike
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize, check_binarize
from gristmill.machines.machine import Machine

_PAPER_RARE = 0.005  # splitSVM: features of less than 0.5 % of the support vectors are rare


@dataclass(frozen=True)
class CompileOptions:
    """What `Machine.compile` is given; see there."""

    engine: str = "auto"
    max_bytes: int | None = None
    binarize: Binarize = 0.0
    sigma: float = 0.0
    xi: int = 1
    certified: bool = False
    rare: float | None = None
    sample: Any = None
    progress: Progress | None = field(default=None, compare=False)
    cache: PathLike | None = field(default=None, compare=False)

    @property
    def approximates(self) -> bool:
        return self.sigma > 0 or self.xi > 1

    @property
    def rare_may_grow(self) -> bool:
        """Whether more features than `rare` says may count as rare, where the others do not fit."""
        return self.engine == "split" and self.rare is None

    def checked(self, machine: Machine) -> CompileOptions:
        """The same; ValueError for what is no option, or one of another kind of machine or engine."""
        check_binarize(self.binarize)
        self._check_numbers()
        if not machine.explains_features:
            self._check_no_row_options()
        if machine.explains_features and not machine.is_polynomial and (self.approximates or self.certified):
            raise ValueError(
                "sigma, xi and certified leave conjunctions out of an expansion; the conjunctions of this machine are "
                "its support rows: leave out some of those, as Rules.as_machine does"
            )
        self.rare_count(machine)
        plain = {"sigma": float(self.sigma), "xi": int(self.xi), "sample": self._checked_sample(machine)}
        return replace(self, max_bytes=None if self.max_bytes is None else int(self.max_bytes), **plain)

    def given(self) -> dict[str, Any]:
        """The options that change what is compiled, to compile the same again."""
        changed = {name: getattr(self, name) for name in ("sigma", "xi", "certified", "rare", "sample")}
        defaults = CompileOptions()
        some = {name: value for name, value in changed.items() if value is not getattr(defaults, name)}
        return {"max_bytes": self.max_bytes, "binarize": self.binarize, **some}

    def rare_count(self, machine: Machine) -> int | None:
        """Features in at most so many support rows are rare; None leaves that to the engine."""
        if self.engine != "split":
            if self.rare is not None:
                raise ValueError(f"rare belongs to engine='split', got engine={self.engine!r}")
            return None
        rare = _PAPER_RARE if self.rare is None else self.rare
        if isinstance(rare, Integral) and not isinstance(rare, bool) and rare >= 0:
            return max(int(rare) - 1, 0)
        if isinstance(rare, float) and 0 <= rare <= 1:
            return max(math.ceil(rare * machine.n_support) - 1, 0)
        raise ValueError(f"rare must be a number of support rows or a share of them from 0.0 to 1.0, got {rare!r}")

    def _check_numbers(self) -> None:
        if not (isinstance(self.sigma, Real) and math.isfinite(self.sigma) and self.sigma >= 0):
            raise ValueError(f"sigma must be a number from 0 on, got {self.sigma!r}")
        if not (isinstance(self.xi, Integral) and self.xi >= 1):
            raise ValueError(f"xi must be a whole number from 1 on, got {self.xi!r}")
        if self.engine != "expanded" and (self.approximates or self.certified):
            raise ValueError(f"sigma, xi and certified belong to engine='expanded', got engine={self.engine!r}")
        if self.max_bytes is not None and not (isinstance(self.max_bytes, Integral) and self.max_bytes >= 0):
            raise ValueError(f"max_bytes must be a whole number of bytes or None, got {self.max_bytes!r}")

    def _check_no_row_options(self) -> None:
        if self.sample is not None:
            raise ValueError("sample is for kernels on rows; leave it out for this machine")

    def _checked_sample(self, machine: Machine) -> Any:
        if self.sample is None or not machine.is_binary_valued or self.binarize is False:
            return None
        return machine.examples(self.sample, binarize=self.binarize)
