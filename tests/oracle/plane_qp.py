"""The problem of cutting planes by the book, and clarabel's solution of it.

Minimise 1/2 a'Ha - h'a with a >= 0, sum a <= total, and e'a = 0 if balanced.
"""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Problem:
    H: np.ndarray
    h: np.ndarray
    e: np.ndarray
    total: float
    balanced: bool


def objective(problem, a):
    """h'a - 1/2 a'Ha."""
    return problem.h @ a - a @ problem.H @ a / 2


def losses(problem, a, b):
    """h - Ha - b e."""
    return problem.h - problem.H @ a - b * problem.e


def residual(problem, a, xi, b):
    """How far a, xi and b are from the conditions of optimality."""
    excess = losses(problem, a, b) - xi
    parts = [0.0, *excess, *-excess[a > 0]]
    if a.sum() < problem.total * (1 - 1e-12):
        parts.append(xi)
    if problem.balanced:
        parts.append(abs(problem.e @ a) / problem.total)
    return max(parts)


def rounding(problem, a):
    """What a rounding of each entry of H may do to a loss."""
    return np.finfo(float).eps * (1 + (np.abs(problem.H) @ a).max(initial=0))


def best_objective(problem):
    """By an interior-point method, for z = a / total; None if it gives up."""
    n = len(problem.h)
    tie = [problem.e[None, :]] if problem.balanced else []
    A = np.vstack([*tie, np.ones((1, n)), -np.eye(n)])
    bounds = np.concatenate([np.zeros(len(tie)), [1.0], np.zeros(n)])
    cones = [clarabel.ZeroConeT(len(tie)), clarabel.NonnegativeConeT(n + 1)][0 if tie else 1 :]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    P = sparse.csc_matrix(np.triu(problem.H * problem.total))
    solver = clarabel.DefaultSolver(P, -problem.h, sparse.csc_matrix(A), bounds, cones, settings)
    found = solver.solve()
    if found.status != clarabel.SolverStatus.Solved:
        return None
    return -found.obj_val * problem.total
