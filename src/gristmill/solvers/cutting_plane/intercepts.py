"""The intercept of given weights: the middle of all that are optimal, as the other solvers choose it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats

_ROUNDING = 1e-10  # of all costs: sums of costs that differ by less are the same


def optimal_intercept(signs: NDArray[np.int8], values: Floats, costs: Floats) -> float:
    """The middle of the interval of b that minimise sum_v cost_v max(0, 1 - sign_v (value_v + b)).

    The loss is piecewise linear in b, and convex. Its slope starts at minus the costs of all positive variables, and
    grows by the cost of a variable where this one meets the margin, at b = sign - value.
    """
    meets = signs - values
    order = np.argsort(meets, kind="stable")
    slopes = np.cumsum(costs[order]) - costs[signs > 0].sum()
    level = _ROUNDING * costs.sum()
    last = len(slopes) - 1
    low, high = (min(int(np.searchsorted(slopes, limit)), last) for limit in (-level, level))
    return float(meets[order[low]] + meets[order[high]]) / 2


def hinge_loss(signs: NDArray[np.int8], values: Floats, costs: Floats, intercept: float) -> float:
    """What all margins below 1 cost together."""
    return float(costs @ np.maximum(1 - signs * (values + intercept), 0))
