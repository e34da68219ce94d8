"""Cutting planes by the book: Algorithm 1 with all examples in every plane, in the dual, without a line search.

Minimise 1/2 |w|^2 + total * sum_i share_i max(0, 1 - y_i (w phi_i + b)); b is 0 unless `balanced`. A plane is kept as
what each example counts in it, so its Gram matrix H is made anew from K in every round. The printed slack (the dual
objective over the total, see docs/formulas.md E2) is there to show what it does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import clarabel
import numpy as np
from scipy import sparse

from tests.oracle import plane_qp


@dataclass
class Run:
    """Planes and what they come to."""

    planes: list = field(default_factory=list)  # share_i c_i of each example
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of planes
    beta: np.ndarray = field(default_factory=lambda: np.zeros(0))  # w = sum_i beta_i phi_i
    b: float = 0.0
    slack: float = 0.0
    lower: float = 0.0


def problem_of(K, y, planes, total, balanced):
    """H, h and e of these planes."""
    signed = np.array(planes) * y
    return plane_qp.Problem(signed @ K @ signed.T, np.sum(planes, axis=1), signed.sum(axis=1), total, balanced)


def corrected_slack(problem, a):
    return (problem.h @ a - a @ problem.H @ a) / problem.total


def printed_slack(problem, a):
    """Line 6 as it is printed."""
    return plane_qp.objective(problem, a) / problem.total


def largest_loss(problem, a, b):
    """What the slack is by definition."""
    return max(0.0, plane_qp.losses(problem, a, b).max())


def solve(
    K,
    y,
    costs,
    *,
    tol,
    balanced=False,
    slack: Callable[[plane_qp.Problem, np.ndarray], float] = corrected_slack,
    max_rounds=1000,
):
    """Rounds until the loss is at most `tol` above the slack."""
    total = costs.sum()
    shares = costs / total
    run = Run(beta=np.zeros(len(y)))
    if balanced:  # else b may be anything at first
        run.planes = [shares * (y == sign) for sign in (1, -1)]
    for _ in range(max_rounds):
        margins = y * (K @ run.beta + run.b)
        loss = shares @ np.maximum(1 - margins, 0)
        if run.weights.any() and loss <= run.slack + tol:
            return run
        run.planes.append(shares * (margins <= 1))
        problem = problem_of(K, y, run.planes, total, balanced)
        run.weights, run.b = _solve_planes(problem)
        run.beta = y * (run.weights @ np.array(run.planes))
        run.slack = slack(problem, run.weights)
        run.lower = plane_qp.objective(problem, run.weights)
    raise AssertionError("it does not end")


def objective(K, y, costs, beta, b=0.0):
    """1/2 |w|^2 + sum_i cost_i max(0, 1 - y_i f_i)."""
    values = K @ beta
    return beta @ values / 2 + costs @ np.maximum(1 - y * (values + b), 0)


def _solve_planes(problem):
    """Weights of planes and the intercept, by an interior-point method: that is the price of the equality."""
    n, tie = len(problem.h), int(problem.balanced)
    A = np.vstack([problem.e[None, :]] * tie + [np.ones((1, n)), -np.eye(n)])
    bounds = np.concatenate([np.zeros(tie), [problem.total], np.zeros(n)])
    cones = [clarabel.ZeroConeT(1)] * tie + [clarabel.NonnegativeConeT(n + 1)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    P = sparse.csc_matrix(np.triu(problem.H))
    found = clarabel.DefaultSolver(P, -problem.h, sparse.csc_matrix(A), bounds, cones, settings).solve()
    return np.maximum(found.x, 0), float(found.z[0]) if tie else 0.0
