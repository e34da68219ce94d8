"""Problems solved from a solution whose bounds were lowered: its gradients are known, and few variables are wrong.

Of a large problem decomposition first sees the variables near the margin alone, with short rows of the kernel. What
moved there is scored once for all others, and a second decomposition of everything finds nothing to do, or does it.
Where conjunctions of the rows are known, coordinate descent visits free variables until they are settled, and in the
end those that the change may have moved over the margin, by a bound on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.kernels import Kernel
from gristmill.machines.machine import Machine
from gristmill.solvers.batch.deduplicate import take
from gristmill.solvers.batch.present import Present
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.result import Solution
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.solving import choose_solver

_LARGE = 10_000  # variables of a problem whose rest is worth leaving out
_FEW = 8  # wrong variables, for which finding conjunctions takes longer than decomposition
_BAND = 0.25  # how far beyond the margin, or below it, a variable at its bound is near


def solve_nearby(
    present: Present,
    problems: list[Problem],
    settings: SvmSettings,
    n_jobs: int | None,
    progress: Progress | None,
) -> tuple[str, list[Solution]]:
    """The solutions, and the solver that found them.

    Parameters
    ----------
    present : Present
        The start. It may be above the bounds.
    problems : list of Problem
        Of the same variables, with lower bounds.
    """
    rows = present.task.rows
    wrong = max((int((a > one.bounds).sum()) for a, one in zip(present.alphas, problems, strict=True)), default=0)
    if wrong and _has_conjunctions(rows, settings, wrong, n_jobs):
        found = _descended(rows, present.begun(problems), settings, n_jobs, progress)
        if all(one.converged or one.limited for one in found):
            return "dual-cd", found
        problems = [_continued(*each) for each in zip(problems, found, strict=True)]
    else:
        problems = present.exact().begun(problems)
        if wrong and isinstance(rows.kernel, Kernel) and max(len(problem.signs) for problem in problems) >= _LARGE:
            problems = _solved_near(rows, problems, present.intercept, settings, n_jobs, progress)
    solver = _core.SmoSolver(rows.native_for_few(n_jobs), *_options(problems, settings))
    return "smo", _solutions(solver, len(problems), settings, n_jobs, progress)


def _has_conjunctions(rows: TrainingRows, settings: SvmSettings, wrong: int, n_jobs: int | None) -> bool:
    """Whether the conjunctions of the rows are known, or worth being found."""
    if rows.are_expanded:
        return True
    if wrong <= _FEW or choose_solver(settings, rows) != "dual-cd":
        return False
    try:
        rows.expanded(n_jobs, None)
    except _core.PatternsTooLargeError:  # decomposition needs none
        return False
    return True


def _descended(
    rows: TrainingRows, problems: list[Problem], settings: SvmSettings, n_jobs: int | None, progress: Progress | None
) -> list[Solution]:
    solver = _core.DualCdSolver(rows.expanded(n_jobs, None), *_options(problems, settings))
    return _solutions(solver, len(problems), settings, n_jobs, progress)


def _options(problems: list[Problem], settings: SvmSettings) -> tuple[Any, ...]:
    duals = [problem.native(settings) for problem in problems]
    return duals, settings.tol, settings.max_iter, settings.shrinking


def _solutions(
    solver: Any, problems: int, settings: SvmSettings, n_jobs: int | None, progress: Progress | None
) -> list[Solution]:
    solver.solve(resolve_jobs(n_jobs), progress)
    return [Solution.of(solver.solution(number), settings.max_iter) for number in range(problems)]


def _continued(problem: Problem, reached: Solution) -> Problem:
    assert reached.gradient is not None
    return replace(problem, start=reached.alpha, gradient=reached.gradient)


# --- near the margin --------------------------------------------------------------------------------------------------


def _solved_near(
    rows: TrainingRows,
    problems: list[Problem],
    intercept: Floats,
    settings: SvmSettings,
    n_jobs: int | None,
    progress: Progress | None,
) -> list[Problem]:
    """The problems, begun where those of near variables alone have ended."""
    free = intercept if settings.is_balanced else np.zeros(len(problems))
    near = [_is_near(problem, float(b)) for problem, b in zip(problems, free, strict=True)]
    examples = np.unique(np.concatenate([one.examples[some] for one, some in zip(problems, near, strict=True)]))
    places = np.zeros(rows.size, dtype=np.intp)
    places[examples] = np.arange(len(examples))
    smaller = [_part(problem, some, places) for problem, some in zip(problems, near, strict=True)]
    solver = _core.SmoSolver(rows.native_of(examples.astype(np.intp), n_jobs), *_options(smaller, settings))
    found = _solutions(solver, len(problems), settings, n_jobs, progress)
    return _spread(rows, problems, near, found, settings, n_jobs)


def _is_near(problem: Problem, intercept: float) -> Flags:
    """Variables that are free, above their bound, or at a bound that they may soon leave."""
    slope, start = problem.signs * (problem.gradient + intercept), problem.start
    at_zero, at_bound = start <= 0, start == problem.bounds
    rests = (at_zero & (slope > _BAND)) | (at_bound & (slope < -_BAND))
    moves = (problem.bounds > 0) | (start > 0)
    return ~rests & moves if _has_room(problem, ~rests & moves) else moves


def _has_room(problem: Problem, some: Flags) -> bool:
    """Whether these can take what variables above their bounds give, in either direction."""
    excess = np.maximum(problem.start - problem.bounds, 0.0)
    more = np.where(some & (excess == 0), problem.bounds - problem.start, 0.0)
    less = np.where(some & (excess == 0), problem.start, 0.0)
    positive = problem.signs > 0
    rising, falling = (more[one].sum() + less[~one].sum() for one in (positive, ~positive))
    return bool(rising >= excess[positive].sum() and falling >= excess[~positive].sum())


def _part(problem: Problem, some: Flags, places: Indices) -> Problem:
    """Some of the variables; what members they have does not matter to a solver."""
    return replace(
        problem,
        examples=places[problem.examples[some]].astype(np.uint32),
        signs=problem.signs[some],
        bounds=problem.bounds[some],
        linear=problem.linear[some],
        start=problem.start[some],
        gradient=problem.gradient[some],
    )


def _spread(
    rows: TrainingRows,
    problems: list[Problem],
    near: list[Flags],
    found: list[Solution],
    settings: SvmSettings,
    n_jobs: int | None,
) -> list[Problem]:
    """With what has moved, in the gradients of all variables."""
    changes = np.zeros((rows.size, len(problems)))
    for output, (problem, some, one) in enumerate(zip(problems, near, found, strict=True)):
        moved = problem.signs[some] * (one.alpha - problem.start[some])
        changes[:, output] = np.bincount(problem.examples[some], weights=moved, minlength=rows.size)
    scores = _scores(rows, changes, n_jobs) + settings.constant * changes.sum(axis=0)
    started = []
    for output, (problem, some, one) in enumerate(zip(problems, near, found, strict=True)):
        start, gradient = problem.start.copy(), problem.gradient + scores[problem.examples, output]
        assert one.gradient is not None
        start[some], gradient[some] = one.alpha, one.gradient
        started.append(replace(problem, start=start, gradient=gradient))
    return started


def _scores(rows: TrainingRows, coef: Floats, n_jobs: int | None) -> Floats:
    """Of all different examples, by these coefficients of theirs."""
    moved = np.flatnonzero(coef.any(axis=1))
    if len(moved) == 0:
        return np.zeros(coef.shape)
    assert isinstance(rows.kernel, Kernel)
    machine = Machine(rows.kernel, take(rows.distinct, moved), coef[moved], np.zeros(coef.shape[1]))
    found = machine.compile(binarize=False).decision_function(rows.distinct, n_jobs)
    return np.asarray(found.reshape(coef.shape))
