"""Settings of online learning, checked once, and as options of the core."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from gristmill import _core
from gristmill.base.checks import check_choice, is_whole
from gristmill.kernels import PolynomialKernel
from gristmill.solvers.cost_scale import AUTO, check_cost, online_cost

UPDATES = ("perceptron", "pa", "pa1", "pa2")
NORMS = ("input", "kernel")
ENGINES = ("auto", "inverted", "expanded", "split", "slice", "reslice", "push")
RANKINGS = ("frequency", "appearance")
ARITHMETICS = ("auto", "integer", "double")
Switch = bool | Literal["auto"]

_CORE_ENGINES = {"inverted": _core.OnlineEngine.kernel, "push": _core.OnlineEngine.pushed}
_WITH_COST = ("pa1", "pa2")
_BOUNDED = ("perceptron", "pa1")  # no step is larger than 1 or C
_PRECISION = 20  # bits that the smallest step has at least
_SHORTEST = 64  # features: steps of shorter rows are as precise as those of rows of this length
_USUAL = 512  # features of a row, for the choice between integers and doubles
_LENGTHS = 32  # bits that the length of a row may take
_NARROW = 60  # bits that a margin of 1 may take, so that 64 are enough as a rule
_ALL = 2**62  # more features than can be
_PLENTY = 1 << 30  # bytes of an expansion by default


@dataclass(frozen=True)
class OnlineSettings:
    """See `OnlineKernelClassifier`, which has the same parameters."""

    kernel: PolynomialKernel
    C: float | Literal["auto"] = AUTO
    update: str = "pa1"
    norm: str = "input"
    epochs: int = 10
    averaged: bool = True
    engine: str = "auto"
    expanded: int | None = None
    reuse: Switch = "auto"
    early_termination: Switch = "auto"
    rank_by: str = "frequency"
    max_bytes: int | None = None
    arithmetic: str = "auto"
    budget: int | None = None

    def __post_init__(self) -> None:
        if not self.kernel.expandable:
            raise ValueError(
                f"online learning needs a kernel of degree 1 to 12 with gamma > 0 and coef0 >= 0, got {self.kernel}"
            )
        for name, known in _CHOICES.items():
            check_choice(name, getattr(self, name), known)
        check_cost(self.C)
        for name, least in (("epochs", 1), ("expanded", 0), ("max_bytes", 0), ("budget", 1)):
            value = getattr(self, name)
            if not (is_whole(value) and value >= least) and (name == "epochs" or value is not None):
                raise ValueError(f"{name} must be a whole number, {least} or more, got {value!r}")
        if self.arithmetic == "integer" and not self.has_integer_values:
            raise ValueError(f"arithmetic='integer' needs whole numbers gamma >= 1 and coef0 >= 0, got {self.kernel}")

    @property
    def has_integer_values(self) -> bool:
        """True when the kernel of binary rows is a whole number."""
        return self.kernel.gamma.is_integer() and self.kernel.coef0.is_integer()

    def cost(self, mean_kernel: float) -> float:
        """C, or opal's choice; 1 for rules that have no use for it, so that their streams may be cut anywhere."""
        if self.C != AUTO:
            return float(self.C)
        return online_cost(mean_kernel, self.epochs) if self.update in _WITH_COST else 1.0

    def exponents(self, cost: float, outputs: int) -> list[int] | None:
        """By the bits of a row's length: the e of the 2^-e that its steps are whole multiples of; None for doubles.

        Settings alone decide, never the data: a stream may be cut anywhere.

        cost : C times the smallest class weight
        """
        if self.arithmetic == "double" or not self.has_integer_values:
            return None
        if self.update == "perceptron":
            return [_PRECISION]
        found = [_PRECISION + self._bits(cost, 1 << bits, outputs) for bits in range(_LENGTHS)]
        if self.arithmetic == "integer":
            return found
        if self.update not in _BOUNDED or found[_USUAL.bit_length() - 1] > _NARROW:
            return None
        return [min(exponent, _NARROW) for exponent in found]

    def _bits(self, cost: float, length: int, outputs: int) -> int:
        """Before the first one of the smallest full step of a row of this length."""
        length = max(_SHORTEST, length)
        k = (int(self.kernel.gamma) * length + int(self.kernel.coef0)) ** self.kernel.degree
        norm = (length if self.norm == "input" else k) * min(outputs, 2)
        return max((norm - 1).bit_length(), 1 - math.frexp(cost)[1])

    def engine_options(self, stream: bool) -> dict[str, Any]:
        """The core's options: by the paper's names of its methods, for a stream or for examples that come again."""
        name = self.engine
        if name == "auto":
            name = "slice" if stream else "push"
        reuse = self.reuse if self.reuse != "auto" else self.kernel.degree >= 3  # the paper's choice
        return {
            "engine": _CORE_ENGINES.get(name, _core.OnlineEngine.sliced),
            "expanded": _ALL if self.expanded is None or name == "expanded" else self.expanded,
            "choose": name in ("slice", "reslice"),
            "reuse": name == "reslice" and reuse,
            "terminate": bool(self.early_termination),
            "max_bytes": _PLENTY if self.max_bytes is None else self.max_bytes,
        }


_CHOICES: dict[str, tuple[Any, ...]] = {
    "update": UPDATES,
    "norm": NORMS,
    "engine": ENGINES,
    "rank_by": RANKINGS,
    "arithmetic": ARITHMETICS,
    "reuse": ("auto", True, False),
    "early_termination": ("auto", True, False),
}
