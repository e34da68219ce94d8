"""The solution there is, of all examples: variables, gradients and scores, from a fit that kept them or from a machine.

What a machine does not keep is found again: a variable is the sum of the coefficients of its examples, and a gradient
is the score of an example and the linear term.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Floats, Indices
from gristmill.solvers.batch.problems import PairProblem, Problem
from gristmill.solvers.batch.result import SvmFit, Task

_ROUNDING = 1e-12  # of a bound: coefficients of equal examples are shares of it


@dataclass(frozen=True)
class Present:
    """A solution of the problems of a task.

    Parameters
    ----------
    task : Task
        Of all examples, with the costs of that solution.
    alphas : list of arrays
        Per problem and variable.
    intercept : float array
        Per problem.
    gradients : callable
        Gives signs * (Qa + p) per problem and variable.
    nearly : list of (float array, float array), or None
        Gradients that are known, and how far off they are at most.
    objective : float array
        Per problem; of gradients that are nearly known.
    """

    task: Task
    alphas: list[Floats]
    intercept: Floats
    gradients: Callable[[], list[Floats]]
    nearly: list[tuple[Floats, Floats]] | None = None
    objective: Floats | None = None

    @classmethod
    def of(cls, fit: SvmFit, task: Task, scores: Callable[[Any], Floats]) -> Present:
        """Of a fit of this task; `scores` gives those of examples as the kernel compares them."""
        if fit.alphas and all(map(_is_whole, task.problems, fit.alphas)):
            alphas, known = fit.alphas, fit.gradients
        else:
            alphas, known = variables_of(task.problems, fit.coef, fit.support), []
        made = lambda: found_gradients(task, fit.intercept, scores(task.rows.distinct))  # noqa: E731
        if not (known and all(map(_is_whole, task.problems, known))):
            return cls(task, alphas, fit.intercept, made)
        if not any(map(len, fit.gradient_errors)):
            return cls(task, alphas, fit.intercept, lambda: known)
        nearly = list(zip(known, fit.gradient_errors, strict=True))
        return cls(task, alphas, fit.intercept, made, nearly, fit.objective)

    def exact(self) -> Present:
        """With gradients that are exact."""
        return replace(self, nearly=None, objective=None)

    def begun(self, problems: list[Problem]) -> list[Problem]:
        """These problems, of the same variables, from here."""
        if self.nearly is not None and self.objective is not None:
            known = zip(problems, self.alphas, self.nearly, self.objective, strict=True)
            return [problem.begun(alpha, *near, float(value)) for problem, alpha, near, value in known]
        exact = zip(problems, self.alphas, self.gradients(), strict=True)
        return [replace(problem, start=alpha, gradient=gradient) for problem, alpha, gradient in exact]


def variables_of(problems: list[Problem], coef: Any, support: Indices) -> list[Floats]:
    """The variables of each problem, from the coefficients of support examples, of these numbers, by output."""
    found = []
    for output, problem in enumerate(problems):
        column = coef[:, [output]].toarray()[:, 0] if sp.issparse(coef) else coef[:, output]
        values = np.zeros(1 + max(int(problem.members.max(initial=0)), int(support.max(initial=0))))
        values[support] = column
        found.append(_variables(problem, values[problem.members]))
    return found


def _variables(problem: Problem, values: Floats) -> Floats:
    """From the signed coefficient of each member; of the two sides of a regression one is 0."""
    if isinstance(problem, PairProblem):
        raise ValueError("coefficients of examples do not say those of pairs")
    own = np.maximum(values * problem.signs[problem.variables], 0.0)
    alpha = np.bincount(problem.variables, weights=own, minlength=len(problem.signs)).astype(np.float64)
    return np.where(alpha > problem.bounds * (1 - _ROUNDING), problem.bounds, alpha)


def found_gradients(task: Task, intercept: Floats, scores: Floats) -> list[Floats]:
    """From the scores of different examples, one column per output. A priced intercept is part of the kernel."""
    free = intercept if task.settings.is_balanced else np.zeros(len(intercept))
    return [
        np.ascontiguousarray((scores[:, output] - free[output])[problem.examples] + problem.signs * problem.linear)
        for output, problem in enumerate(task.problems)
    ]


def _is_whole(problem: Problem, values: Floats) -> bool:
    return len(values) == len(problem.signs)
