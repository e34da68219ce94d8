"""Warm starts from the solutions of an earlier fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.result import Solution, SvmFit, Task

_ROUNDING = 1e-12  # of the largest variable


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
