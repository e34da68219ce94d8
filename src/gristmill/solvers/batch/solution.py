"""What a solver found for one problem."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats


@dataclass(frozen=True)
class Solution:
    """The variables of a dual problem, and how good they are."""

    alpha: Floats
    intercept: float
    objective: float
    violation: float  # infinite as long as nobody has looked
    iterations: int
    converged: bool
    limited: bool = False  # True when max_iter was the end of it
    handed_over: bool = False  # True when another solver went on from what the first had found
    primal: float | None = None  # the objective of the machine itself, where the solver knows it

    @classmethod
    def of(cls, native: _core.DualSolution, limit: int) -> Solution:
        """What the core found in at most so many iterations; a limit below 0 is none."""
        return cls(
            np.asarray(native.alpha),
            native.intercept,
            native.objective,
            native.violation,
            native.iterations,
            native.converged,
            limited=not native.converged and 0 <= limit <= native.iterations,
        )

    @property
    def is_judged(self) -> bool:
        """False when a solver was interrupted before it had looked at all variables."""
        return not math.isinf(self.violation)

    def scaled(self, factor: float, alpha: Floats) -> Solution:
        """What is known of `factor` times these variables where the linear part is -1; `alpha` are those, rounded."""
        total = float(self.alpha.sum())
        return replace(
            self,
            alpha=alpha,
            intercept=factor * self.intercept,
            objective=factor * factor * (self.objective + total) - factor * total,
            violation=self.violation if factor == 1 else math.inf,
            iterations=0,
            converged=False,
        )
