"""The slope of a softmax that makes probabilities of scores (temperature scaling: Guo, Pleiss, Sun, Weinberger 2017).

    P(class k | scores f) = exp(s f_k) / sum_j exp(s f_j),   s minimises the mean of -log P(true class)

The loss is convex in s. As in Platt's sigmoids (1999), 1 / (n + 2) of each true class is given to all classes alike, so
that s is finite where every score is right.
"""

from __future__ import annotations

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.machines.probability import ScaledSoftmax

_STEPS = 100  # of Newton's method; ten are enough as a rule
_DIGITS = 9  # of a slope that are kept: the last ones depend on the machine's exp()


def fitted_softmax(scores: Floats, labels: Indices) -> ScaledSoftmax:
    """Of scores (examples x classes) of examples that were not learned from; -inf: a class that could not be known."""
    if not len(scores):
        raise ValueError("there is no example whose class is known: probabilities cannot be fitted")
    top = scores.max(axis=1, keepdims=True)
    below = scores - top  # what is the same for all classes changes nothing
    known = np.isfinite(below)
    unit = float(-below[known].min()) or 1.0
    slope = _least(np.where(known, below / unit, 0.0), known, labels)
    return ScaledSoftmax(np.array([float(f"{slope / unit:.{_DIGITS}g}")]))


def _least(below: Floats, known: np.ndarray, labels: Indices) -> float:
    """The slope of the least loss, by bisection between bounds where a step of Newton's leaves them."""
    shared = 1 / (len(below) + 2)
    wanted = (1 - shared) * below[np.arange(len(below)), labels] + shared * below.sum(axis=1) / known.sum(axis=1)
    low, high, slope = 0.0, np.inf, 1.0
    for _ in range(_STEPS):
        shares = np.where(known, np.exp(slope * below), 0.0)
        shares /= shares.sum(axis=1, keepdims=True)
        means = (shares * below).sum(axis=1)
        gradient = float((means - wanted).sum())
        low, high = (slope, high) if gradient < 0 else (low, slope)
        curved = float((shares * below**2).sum() - (means**2).sum())
        step = slope - gradient / curved if curved > 0 else np.inf
        new = step if low < step < high else (low + high) / 2 if high < np.inf else 2 * slope
        if abs(new - slope) <= 1e-13 * slope:
            return new
        slope = new
    return slope
