"""Training a support vector machine from examples, whatever the kernel."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.base.warnings import convergence_category, outside
from gristmill.solvers.batch.problems import check_class_count, check_classes, class_problems, scheme_of
from gristmill.solvers.batch.result import Solution, SvmFit, SvmInterrupted, Task, make_fit
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.solving import Work, make_solver
from gristmill.solvers.batch.warm_start import WarmStart

_STEPS = 1000  # of progress, for each problem and for the Gram matrix


def train_svm(
    X: Any,
    labels: NDArray[Any],
    classes: NDArray[Any],
    settings: SvmSettings,
    *,
    weights: Floats | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    initial: SvmFit | None = None,
    rows: TrainingRows | None = None,
    first_id: int | None = None,
) -> SvmFit:
    """Solve the dual problems of all outputs.

    Parameters
    ----------
    X : examples as the kernel takes them, their Gram matrix, or TrainingRows of them
    labels : int array
        For each example the number of its class.
    classes : array
        Labels of the classes, two or more.
    settings : SvmSettings
    weights : float array or None
        Factors of C, by example; 0 leaves one out.
    n_jobs : int or None
    progress : callable or None
        Called with (done, total); what it raises stops the solvers.
    initial : SvmFit or None
        Where to start from, if the examples and classes are the same.
    rows : TrainingRows or None
        Rows kept from before (`SvmFit.rows`; those of `initial` if None), used if they are of this kernel and X.
    first_id : int or None
        Of the machine, see there.

    Raises
    ------
    SvmInterrupted
        If a solver was interrupted; its `fit` is what was learned so far.
    """
    kept = initial.rows if rows is None and initial is not None else rows
    task = _task(X, labels, classes, settings, weights, kept, first_id)
    return solve_task(task, n_jobs, progress, initial)


def solve_task(task: Task, n_jobs: int | None, progress: Progress | None, initial: SvmFit | None = None) -> SvmFit:
    """Solve all problems of the task; see `train_svm`."""
    begin = time.perf_counter()
    phases = _Phases(progress, len(task.problems))
    start = WarmStart.of(task, initial)
    name, solver = make_solver(Work(task.settings, task.rows, start.problems, n_jobs, phases.before))

    def found() -> list[Solution]:
        return [start.or_start(number, solver.solution(number)) for number in range(len(start.problems))]

    def fitted(solutions: list[Solution]) -> SvmFit:
        return make_fit(task, solutions, solver=name, seconds=time.perf_counter() - begin, more=solver.statistics())

    try:
        solver.solve(resolve_jobs(n_jobs), phases.solving)
    except KeyboardInterrupt as stop:
        reached = found()
        if name == "cutting-plane" and not any(solution.alpha.any() for solution in reached):
            raise  # before the first round there is no solution
        raise SvmInterrupted(fitted(reached)) from stop
    solutions = found()
    _warn_unless_converged(task.settings, solutions)
    return fitted(solutions)


def _task(
    X: Any,
    labels: NDArray[Any],
    classes: NDArray[Any],
    settings: SvmSettings,
    weights: Floats | None,
    kept: TrainingRows | None,
    first_id: int | None,
) -> Task:
    check_class_count(classes)
    rows = TrainingRows.of(settings, X, kept)
    labels = np.asarray(labels, dtype=np.intp)
    costs = costs_of(settings.C, weights, len(rows), len(labels))
    check_classes(labels, len(classes), costs)
    scheme = scheme_of(len(classes), settings)
    problems = class_problems(labels, len(classes), scheme, costs, rows.groups)
    return Task(settings, rows, labels, classes, scheme, problems, first_id)


def costs_of(C: float, weights: Floats | None, examples: int, labels: int) -> Floats:
    """C of each example."""
    factors = np.ones(examples) if weights is None else np.asarray(weights, dtype=np.float64)
    if not examples == labels == len(factors):
        raise ValueError(f"got {examples} examples, {labels} labels and {len(factors)} weights")
    if not (np.isfinite(factors).all() and (factors >= 0).all()):
        raise ValueError("weights must be finite and not below 0")
    if not (factors > 0).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return np.asarray(C * factors)


class _Phases:
    """One progress over two phases: rows, then problems."""

    def __init__(self, progress: Progress | None, problems: int) -> None:
        self._progress = progress
        self._problems = problems
        self._rows = 0

    @property
    def before(self) -> Progress | None:
        return None if self._progress is None else self._fill

    @property
    def solving(self) -> Progress | None:
        return None if self._progress is None else self._step

    def _fill(self, done: int, total: int) -> None:
        assert self._progress is not None
        self._rows = _STEPS
        self._progress(_STEPS * done // max(total, 1), self._rows + _STEPS * self._problems)

    def _step(self, done: int, total: int) -> None:
        assert self._progress is not None
        steps = _STEPS * self._problems
        self._progress(self._rows + steps * done // max(total, 1), self._rows + steps)


def _warn_unless_converged(settings: SvmSettings, solutions: list[Solution]) -> None:
    unsolved = [solution for solution in solutions if not solution.converged]
    if not unsolved:
        return
    limited = any(solution.limited for solution in unsolved)
    if limited:
        why, advice = f"max_iter={settings.max_iter}", "raise max_iter, or tol if that is good enough"
    elif settings.sampling is not None:
        why, advice = "samples give no more progress", "raise sample_size, or tol if that is good enough"
    else:
        why, advice = "rounding leaves no room", "raise tol, or use a smaller kernel or C"
    warnings.warn(
        f"Solver terminated early ({why}): the largest violation is "
        f"{max(solution.violation for solution in unsolved):.3g}, above tol={settings.tol:g}; {advice}",
        convergence_category(),
        stacklevel=outside(),
    )
