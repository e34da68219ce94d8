"""Training a classifier or a ranking machine from examples, whatever the kernel, also from an earlier solution."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.checks import check_positive
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.base.warnings import convergence_category, outside
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.problems import (
    PairProblem,
    Problem,
    check_class_count,
    check_classes,
    class_problems,
    preferences,
    scheme_of,
)
from gristmill.solvers.batch.result import Solution, SvmFit, SvmInterrupted, Task, make_fit
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.solving import make_solver
from gristmill.solvers.batch.work import Work
from gristmill.solvers.cost_scale import AUTO, scaled_cost

_ROUNDING = 1e-12  # of the largest variable, between two starts
_STEPS = 1000  # of progress, for each problem and for the Gram matrix


def train_svm(
    X: Any,
    labels: NDArray[Any],
    classes: NDArray[Any],
    settings: SvmSettings,
    *,
    weights: Floats | None = None,
    class_factors: Floats | None = None,
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
    class_factors : float array or None
        More of them, by class. They say what errors cost and not how often examples count, for C='auto'.
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
    task = make_task(X, labels, classes, settings, (weights, class_factors), kept, first_id)
    return solve_task(task, n_jobs, progress, initial)


def train_ranker(
    X: Any,
    targets: NDArray[Any],
    queries: NDArray[Any] | None,
    settings: SvmSettings,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> SvmFit:
    """Examples of one query that have a higher target are to score higher; see `train_svm` for the rest."""
    check_positive("C", settings.C)  # 'auto' knows examples, not pairs
    rows = TrainingRows.of(settings, X, None)
    better, worse = preferences(targets, queries)
    problem = PairProblem.between(better, worse, rows.groups, settings.cost)
    return solve_task(Task.single(settings, rows, Scheme.REGRESSION, problem), n_jobs, progress)


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
    warn_unless_converged(task.settings, solutions)
    return fitted(solutions)


def make_task(
    X: Any,
    labels: NDArray[Any],
    classes: NDArray[Any],
    settings: SvmSettings,
    weights: tuple[Floats | None, Floats | None],
    kept: TrainingRows | None,
    first_id: int | None,
) -> Task:
    """The problems of all outputs; see `train_svm`. `weights` are those of examples and of classes."""
    check_class_count(classes)
    rows = TrainingRows.of(settings, X, kept)
    labels = np.asarray(labels, dtype=np.intp)
    counts, by_class = factors_of(weights[0], len(rows), len(labels)), weights[1]
    settings = with_cost(settings, rows, counts)
    costs = np.asarray(settings.cost * (counts if by_class is None else counts * by_class[labels]))
    check_classes(labels, len(classes), costs)
    scheme = scheme_of(len(classes), settings)
    problems = class_problems(labels, len(classes), scheme, costs, rows.groups)
    return Task(settings, rows, labels, classes, scheme, problems, first_id)


def factors_of(weights: Floats | None, examples: int, labels: int) -> Floats:
    """The factor of C of each example, checked."""
    factors = np.ones(examples) if weights is None else np.asarray(weights, dtype=np.float64)
    if not examples == labels == len(factors):
        raise ValueError(f"got {examples} examples, {labels} labels and {len(factors)} weights")
    if not (np.isfinite(factors).all() and (factors >= 0).all()):
        raise ValueError("weights must be finite and not below 0")
    if not (factors > 0).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    return factors


def with_cost(settings: SvmSettings, rows: TrainingRows, factors: Floats, spread: float = 1.0) -> SvmSettings:
    """The settings, with a number for C='auto'."""
    if settings.C != AUTO:
        return settings
    weights = np.bincount(rows.groups, weights=factors, minlength=rows.size).astype(np.float64)
    return replace(settings, C=scaled_cost(rows.squared_lengths(), weights, spread=spread), auto_cost=True)


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


def warn_unless_converged(settings: SvmSettings, solutions: list[Solution]) -> None:
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


@dataclass(frozen=True)
class WarmStart:
    """The problems of a task with their starts, and what is known of each start as a solution."""

    problems: list[Problem]
    known: list[Solution | None]

    @classmethod
    def of(cls, task: Task, initial: SvmFit | None) -> WarmStart:
        """From the solutions of an earlier fit, where the variables are the same."""
        if initial is None or len(initial.problems) != len(task.problems):
            return cls(task.problems, [None] * len(task.problems))
        pairs = [_start(task, number, initial) for number in range(len(task.problems))]
        return cls([problem for problem, _ in pairs], [known for _, known in pairs])

    def or_start(self, number: int, reached: Solution) -> Solution:
        """The solution of a solver, or that of the start if the solver was interrupted before it evaluated it."""
        known = self.known[number]
        return reached if reached.is_evaluated or known is None else known


def _start(task: Task, number: int, initial: SvmFit) -> tuple[Problem, Solution | None]:
    now, old = task.problems[number], initial.problems[number]
    if not now.is_like(old):
        return now, None
    before = initial.solution(number)
    started = now.starting(before.alpha, old.bounds, task.settings.is_balanced)
    factor = _factor(started.start, before.alpha) if _is_the_same(task, initial) else None
    return started, None if factor is None else before.scaled(factor, started.start)


def _is_the_same(task: Task, initial: SvmFit) -> bool:
    """True for the same kernel rows and the same kind of intercept."""
    kinds = [(settings.is_balanced, settings.constant) for settings in (task.settings, initial.settings)]
    return task.rows is initial.rows and kinds[0] == kinds[1]


def _factor(now: Floats, before: Floats) -> float | None:
    """The factor between all variables, if there is one: another C scales all alike, other weights do not."""
    largest = int(before.argmax()) if before.any() else 0
    factor = float(now[largest] / before[largest]) if before.any() else 1.0
    is_one = np.abs(now - factor * before).max(initial=0.0) <= _ROUNDING * np.abs(now).max(initial=0.0)
    return factor if is_one else None
