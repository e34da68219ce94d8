"""One round of one kernel for all C: what a smaller one has settled is not asked again, what is nearly so is a start.

If no variable of a problem is at its bound, the conditions of optimality say nothing of C any more, and the solution is
that of every larger C. With normalised kernels that is soon the case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from gristmill.base.progress import Progress
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.solution import Solution
from gristmill.solvers.batch.solving import Work, make_solver

_MOVING = 0.05  # of all variables, at their bounds: with more of them a start is no help


def cost_path(
    rows: TrainingRows,
    problems: list[Problem],
    costs: Sequence[float],
    settings: SvmSettings,
    n_jobs: int,
    progress: Progress | None,
) -> Iterator[list[Solution]]:
    """Solutions for each C, ascending; problems are those for C = 1."""
    priced = problems
    reached: list[Solution | None] = [None] * len(problems)
    for cost in costs:
        before, priced = priced, [_priced(problem, cost) for problem in problems]
        left = [at for at, one in enumerate(reached) if one is None or not _is_settled(one, before[at])]
        started = [_started(priced[at], before[at], reached[at]) for at in left]
        if left:
            solver = make_solver(Work(replace(settings, C=cost), rows, started, n_jobs, progress))[1]
            solver.solve(n_jobs, progress)
            for number, at in enumerate(left):
                reached[at] = solver.solution(number)
        yield [one for one in reached if one is not None]


def coefficients(problems: list[Problem], solutions: list[Solution], size: int) -> sp.csr_matrix:
    """Outputs x different examples."""
    values = [solution.alpha * problem.signs for problem, solution in zip(problems, solutions, strict=True)]
    outputs = np.repeat(np.arange(len(problems)), [len(some) for some in values])
    columns = np.concatenate([problem.examples for problem in problems]).astype(np.int64)
    table = sp.csr_matrix((np.concatenate(values), (outputs, columns)), shape=(len(problems), size))
    table.eliminate_zeros()
    return table


def _priced(problem: Problem, cost: float) -> Problem:
    return replace(problem, costs=cost * problem.costs, bounds=cost * problem.bounds)


def _is_settled(solution: Solution, problem: Problem) -> bool:
    return solution.converged and bool((solution.alpha < problem.bounds).all())


def _started(problem: Problem, before: Problem, reached: Solution | None) -> Problem:
    """From the solution for a smaller C, which is feasible, if that is nearly the same; else zeros are a better start.

    Variables at their bounds are going to move, and to compute where a start is takes a row for each that is not 0.
    """
    if reached is None or np.mean(reached.alpha >= before.bounds) > _MOVING:
        return problem
    return replace(problem, start=reached.alpha)
