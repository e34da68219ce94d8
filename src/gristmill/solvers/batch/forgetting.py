"""Examples forgotten: from the solution of all examples to that of those that remain, exact up to the tolerance.

The variables of forgotten examples get a bound of 0. The gradient of the solution is known, or one scoring of all
examples away, so decomposition begins where nothing but these variables is wrong, and needs rows of the kernel for
those alone that move. Where the bounds of all others change as well, and for cutting planes, whose test is another, the
solver of the problem starts from the variables that remain.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gristmill.base.arrays import Flags, Floats
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.solvers.batch.nearby import solve_nearby
from gristmill.solvers.batch.present import Present
from gristmill.solvers.batch.problems import Problem, balance
from gristmill.solvers.batch.result import Solution, SvmFit, Task, make_fit
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.training import solve_task, warn_unless_converged

_MANY = 0.1  # share of the support vectors of a problem, beyond which its own solver is faster


@dataclass(frozen=True)
class Forgetting:
    """What is asked for.

    Parameters
    ----------
    forgotten : bool array
        By example.
    costs : float array
        C of each example from now on; those of forgotten ones do not matter.
    settings : SvmSettings
        With a number for C.
    total : float or None
        Of a one-class machine: the sum of all variables.
    """

    forgotten: Flags
    costs: Floats
    settings: SvmSettings
    total: float | None = None


def forget(
    present: Present, asked: Forgetting, solver: str, *, n_jobs: int | None = None, progress: Progress | None = None
) -> SvmFit:
    """The fit of the remaining examples; `solver` is the one that found the present solution."""
    begin = time.perf_counter()
    costs = np.where(asked.forgotten, 0.0, asked.costs)
    problems = [problem.with_costs(costs) for problem in present.task.problems]
    if not _is_local(present, problems, asked, solver):
        return _solved_from_start(present, problems, asked, n_jobs, progress)
    name, solutions = solve_nearby(present, problems, asked.settings, n_jobs, progress)
    warn_unless_converged(asked.settings, solutions)
    task, solutions = _without(present.task, problems, solutions, asked)
    return make_fit(task, solutions, solver=name, seconds=time.perf_counter() - begin)


def _is_local(present: Present, problems: list[Problem], asked: Forgetting, solver: str) -> bool:
    """True where only forgotten variables are wrong, and few of them support the machine."""
    if solver == "cutting-plane" or asked.total is not None:
        return False
    before = present.task.problems
    if not all(_is_kept(old, new, asked) for old, new in zip(before, problems, strict=True)):
        return False
    wrong = sum(int((alpha > new.bounds).sum()) for alpha, new in zip(present.alphas, problems, strict=True))
    support = sum(int((alpha > 0).sum()) for alpha in present.alphas)
    return wrong <= max(_MANY * support, 1)


def _is_kept(old: Problem, new: Problem, asked: Forgetting) -> bool:
    """Whether the costs of the others are what they were."""
    stays = ~asked.forgotten[old.members]
    return np.array_equal(old.costs[stays], new.costs[stays])


def _without(
    task: Task, problems: list[Problem], solutions: list[Solution], asked: Forgetting
) -> tuple[Task, list[Solution]]:
    """The task of the remaining examples, and its solutions."""
    rows, examples, groups = task.rows.without(asked.forgotten)
    smaller = [problem.restricted(examples, groups) for problem in problems]
    lives = [problem.bounds > 0 for problem in problems]
    rest = [
        replace(
            one,
            alpha=one.alpha[some],
            gradient=_some(one.gradient, some),
            gradient_errors=_some(one.gradient_errors, some),
        )
        for one, some in zip(solutions, lives, strict=True)
    ]
    labels = task.labels[~asked.forgotten]
    return replace(task, settings=asked.settings, rows=rows, labels=labels, problems=smaller), rest


def _some(values: Floats | None, some: Flags) -> Floats | None:
    return values if values is None or len(values) == 0 else values[some]


# --- by the solver of the problem -------------------------------------------------------------------------------------


def _solved_from_start(
    present: Present, problems: list[Problem], asked: Forgetting, n_jobs: int | None, progress: Progress | None
) -> SvmFit:
    rows, examples, groups = present.task.rows.without(asked.forgotten)
    known = zip(present.task.problems, problems, present.alphas, strict=True)
    smaller = [_started(old, new, alpha, asked).restricted(examples, groups) for old, new, alpha in known]
    labels = present.task.labels[~asked.forgotten]
    task = replace(present.task, settings=asked.settings, rows=rows, labels=labels, problems=smaller)
    return solve_task(task, n_jobs, progress)


def _started(old: Problem, new: Problem, alpha: Floats, asked: Forgetting) -> Problem:
    """With what remains of the variables, in proportion where the bounds of all have changed."""
    if _is_kept(old, new, asked):
        start = np.minimum(alpha, new.bounds)
    else:
        start = np.where(alpha >= old.bounds, new.bounds, alpha * (new.bounds / old.bounds))
    if asked.total is not None:
        start = filled(start, new.bounds, asked.total)
    elif asked.settings.is_balanced:
        balance(start, new.signs > 0)
    return replace(new, start=start)


def filled(start: Floats, bounds: Floats, total: float) -> Floats:
    """The start with this sum: what is missing goes to the first that have room, what is too much comes from them."""
    missing = total - float(start.sum())
    room = bounds - start if missing > 0 else start
    before = np.concatenate([[0.0], np.cumsum(room)])[:-1]
    moved = np.clip(abs(missing) - before, 0.0, room)
    return np.asarray(np.clip(start + np.sign(missing) * moved, 0.0, bounds))


def purged_names(names: tuple[str, ...] | None, before: Any, forgotten: Flags) -> tuple[str, ...] | None:
    """The names without those of columns that forgotten examples alone had; None where there are none of those."""
    if names is None or not isinstance(before, Rows):
        return None
    had = np.bincount(before.ids, minlength=len(names))
    gone = np.bincount(before.take(np.flatnonzero(forgotten)).ids, minlength=len(names))
    lost = np.flatnonzero((gone > 0) & (gone == had))
    if len(lost) == 0:
        return None
    changed = list(names)
    for column in lost.tolist():
        changed[column] = f"forgotten {column}"
    return tuple(changed)


# --- how good it is ---------------------------------------------------------------------------------------------------


def relative_gap(fit: SvmFit) -> float:
    """How far the objective of any output may be above its minimum, relative to itself.

    With z = signs * (gradient + b) primal and dual objective differ by the sum of a z where z > 0, and of (C - a) |z|
    where z < 0: nothing cancels.
    """
    return max((_gap(fit, output) for output in range(len(fit.problems))), default=0.0)


def _gap(fit: SvmFit, output: int) -> float:
    problem, alpha, gradient = fit.problems[output], fit.alphas[output], fit.gradients[output]
    dual = -float(fit.objective[output])
    if len(gradient) == 0:  # cutting planes know the objective of the machine
        gap = float(fit.primal[output]) - dual
    else:
        free = float(fit.intercept[output]) if fit.settings.is_balanced else 0.0
        z = problem.signs * (gradient + free)
        gap = float(np.where(z > 0, alpha * z, (alpha - problem.bounds) * z).sum())
    size = abs(dual + gap)
    return gap / size if size > 0 else gap
