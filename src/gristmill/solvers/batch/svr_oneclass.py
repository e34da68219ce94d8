"""Support vector regression and one-class machines: dual problems over the same rows, for smo.

Regression (epsilon-SVR) minimises 1/2 |w|^2 + C sum_i s_i max(0, |y_i - f(x_i)| - epsilon); each example has a variable
for either side of its tube. The one-class machine (Schoelkopf et al. 2001), as LIBSVM scales it, has 0 <= a_i <= s_i
and sum_i a_i = nu sum_i s_i. Examples that are equal, in regression with equal targets, are one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.result import SvmFit, Task
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.training import factors_of, solve_task, with_cost


def train_svr(
    X: Any,
    targets: Floats,
    settings: SvmSettings,
    epsilon: float,
    *,
    weights: Floats | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> SvmFit:
    """Regression with a tube of half width epsilon; see `train_svm` for the rest."""
    rows = TrainingRows.of(settings, X, None)
    targets = np.asarray(targets, dtype=np.float64)
    factors = factors_of(weights, len(rows), len(targets))
    settings = svr_settings(settings, rows, targets, factors)
    return solve_task(svr_task(rows, targets, settings, epsilon, factors), n_jobs, progress)


def svr_settings(settings: SvmSettings, rows: TrainingRows, targets: Floats, factors: Floats) -> SvmSettings:
    """The settings, with a number for C='auto'."""
    return with_cost(settings, rows, factors, _spread(targets, factors))


def svr_task(rows: TrainingRows, targets: Floats, settings: SvmSettings, epsilon: float, factors: Floats) -> Task:
    """The problem of a regression."""
    problem = _regression(rows.groups, targets, settings.cost * factors, epsilon)
    return Task.single(settings, rows, Scheme.REGRESSION, problem)


def train_one_class(
    X: Any,
    settings: SvmSettings,
    nu: float,
    *,
    weights: Floats | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> SvmFit:
    """The support of the distribution of X; about nu of it is left out. See `train_svm` for the rest."""
    rows = TrainingRows.of(settings, X, None)
    task = one_class_task(rows, settings, nu, factors_of(weights, len(rows), len(rows)))
    return solve_task(task, n_jobs, progress)


def one_class_task(rows: TrainingRows, settings: SvmSettings, nu: float, factors: Floats) -> Task:
    """The problem of the support of a distribution."""
    problem = _one_class(rows.groups, factors, nu)
    return Task.single(settings, rows, Scheme.ONE_CLASS, problem, np.array([-1, 1]))


def _spread(targets: Floats, factors: Floats) -> float:
    """The standard deviation of the targets: C='auto' must not depend on their unit."""
    mean = np.average(targets, weights=factors)
    return float(np.sqrt(np.average(np.square(targets - mean), weights=factors)))


def _regression(groups: Indices, targets: Floats, costs: Floats, epsilon: float) -> Problem:
    members = np.flatnonzero(costs > 0)
    pairs = np.stack([groups[members].astype(np.float64), targets[members]], axis=1)
    distinct, variables = np.unique(pairs, axis=0, return_inverse=True)
    size, y = len(distinct), distinct[:, 1]
    variables = variables.reshape(-1)
    bounds = np.bincount(variables, weights=costs[members], minlength=size)
    return Problem(
        np.tile(members, 2),
        np.tile(costs[members], 2),
        np.concatenate([variables, variables + size]).astype(np.intp),
        np.tile(distinct[:, 0], 2).astype(np.uint32),
        np.repeat(np.array([1, -1], dtype=np.int8), size),
        np.tile(bounds, 2).astype(np.float64),
        np.concatenate([epsilon - y, epsilon + y]),
    )


def _one_class(groups: Indices, costs: Floats, nu: float) -> Problem:
    problem = Problem.of(np.ones(len(groups), dtype=np.int8), costs, groups)
    before = np.concatenate([[0.0], np.cumsum(problem.bounds)])[:-1]
    start = np.clip(nu * problem.bounds.sum() - before, 0.0, problem.bounds)
    return replace(problem, linear=np.zeros(len(start)), start=start)
