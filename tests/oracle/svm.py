"""The dual problem of a support vector machine by the book.

Minimise 1/2 a'Qa + p'a with Q_st = y_s y_t (K_st + c), 0 <= a_s <= C_s, and y'a as it was if there is an equality.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Dual:
    """A problem: K is the Gram matrix of its variables."""

    K: np.ndarray
    y: np.ndarray
    p: np.ndarray
    C: np.ndarray
    equality: bool = True
    constant: float = 0.0

    @property
    def hessian(self):
        return np.outer(self.y, self.y) * (self.K + self.constant)


def objective(dual, a):
    """1/2 a'Qa + p'a."""
    return a @ dual.hessian @ a / 2 + dual.p @ a


def ends(dual, a):
    """Of -y (Qa + p): the values where y a may grow, and those where it may fall."""
    values = -dual.y * (dual.hessian @ a + dual.p)
    grows = np.where(dual.y > 0, a < dual.C, a > 0)
    falls = np.where(dual.y > 0, a > 0, a < dual.C)
    return np.where(grows, values, -np.inf), np.where(falls, values, np.inf)


def violation(dual, a):
    """m(a) - M(a) with an equality, else the largest projected gradient; 0 where nothing can move."""
    grows, falls = ends(dual, a)
    if dual.equality:
        return max(0.0, grows.max() - falls.min())
    return max(0.0, grows.max(), -falls.min())


def solve(dual, tol, start=None, max_steps=200_000):
    """The most violating pair again and again; without an equality the most violating variable."""
    a = np.zeros(len(dual.y)) if start is None else np.array(start, dtype=float)
    Q, K = dual.hessian, dual.K + dual.constant
    for _ in range(max_steps):
        if violation(dual, a) <= tol:
            return a
        grows, falls = ends(dual, a)
        if dual.equality:
            i, j = int(np.argmax(grows)), int(np.argmin(falls))
            step = (grows[i] - falls[j]) / max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)
            step = min(step, dual.C[i] - a[i] if dual.y[i] > 0 else a[i], a[j] if dual.y[j] > 0 else dual.C[j] - a[j])
            a[i] += dual.y[i] * step
            a[j] -= dual.y[j] * step
        else:
            s = int(np.argmax(np.maximum(grows, -falls)))
            a[s] -= (Q @ a + dual.p)[s] / max(Q[s, s], 1e-12)
        a = np.clip(a, 0, dual.C)
    return a


def intercept(dual, a):
    """LIBSVM's rule: the mean of y - f over the free variables, else the middle of what the others allow.

    As near to a bound as rounding comes is at it.
    """
    if not dual.equality:
        return dual.constant * (dual.y @ a)
    values = -dual.y * (dual.hessian @ a + dual.p)
    near = 1e-12 * np.minimum(dual.C, a.max())
    above, below = a > near, a < dual.C - near
    if (above & below).any():
        return values[above & below].mean()
    grows, falls = np.where(dual.y > 0, below, above), np.where(dual.y > 0, above, below)
    sides = [*([values[grows].max()] if grows.any() else []), *([values[falls].min()] if falls.any() else [])]
    return sum(sides) / max(len(sides), 1)
