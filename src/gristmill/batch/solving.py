"""Solvers by name: which serves what, and how the core is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.batch.problems import Problem
from gristmill.batch.rows import TrainingRows
from gristmill.batch.settings import SvmSettings
from gristmill.kernels import PolynomialKernel, Progress

# Looking at a conjunction of one row costs dual-cd, over all its passes, so much of what smo spends on a pair of rows.
_CONJUNCTION_COST = 10


class Solver(Protocol):
    """What all solvers can do; solutions may be asked for at any time, also after an interruption."""

    def solve(self, n_jobs: int, progress: Any = None) -> None: ...

    def solution(self, problem: int) -> _core.DualSolution: ...


def choose_solver(settings: SvmSettings, rows: TrainingRows) -> str:
    """The solver that is asked for, or the one that should be fastest.

    'dual-cd' goes through the conjunctions of every row, 'smo' through the rows of the Gram matrix. So the first is for
    many examples of 0 and 1 that are not too long for the degree of a polynomial kernel; everything else is for the
    second.
    """
    if settings.solver != "auto":
        return settings.solver
    kernel = settings.kernel
    if not (isinstance(kernel, PolynomialKernel) and kernel.expandable and rows.is_counted):
        return "smo"
    conjunctions = _conjunctions(rows.distinct.lengths, kernel.degree)
    return "dual-cd" if _CONJUNCTION_COST * conjunctions < rows.size**2 else "smo"


def _conjunctions(lengths: NDArray[np.int64], degree: int) -> float:
    """Of 1 to `degree` features, in all rows of these lengths."""
    of_size = np.ones(len(lengths))
    total = 0.0
    for size in range(1, degree + 1):
        of_size *= np.maximum(lengths - size + 1, 0) / size
        total += float(of_size.sum())
    return total


def make_solver(
    settings: SvmSettings, rows: TrainingRows, problems: list[Problem], n_jobs: int | None, progress: Progress | None
) -> tuple[str, Solver]:
    """The solver and its name; `progress` watches what is computed before it can begin."""
    if choose_solver(settings, rows) == "dual-cd":
        try:
            return "dual-cd", _DualCd(settings, rows, problems, n_jobs, progress)
        except _core.PatternsTooLarge:
            if settings.solver == "dual-cd":
                raise
    return "smo", _smo(settings, rows, problems, n_jobs, progress)


def _smo(
    settings: SvmSettings, rows: TrainingRows, problems: list[Problem], n_jobs: int | None, progress: Progress | None
) -> _core.SmoSolver:
    native = rows.native(n_jobs, progress)
    duals = [problem.native(settings) for problem in problems]
    return _core.SmoSolver(native, duals, settings.tol, settings.max_iter, bool(settings.shrinking))


class _DualCd:
    """Coordinate descent; what it leaves, because steps of single variables hardly help any more, is for smo."""

    def __init__(
        self,
        settings: SvmSettings,
        rows: TrainingRows,
        problems: list[Problem],
        n_jobs: int | None,
        progress: Progress | None,
    ) -> None:
        _check_expands(settings, rows)
        self._settings, self._rows, self._problems = settings, rows, problems
        duals = [problem.native(settings) for problem in problems]
        expanded = rows.expanded(n_jobs, progress)
        self._descent = _core.DualCdSolver(expanded, duals, settings.tol, settings.max_iter, bool(settings.shrinking))
        self._finish: dict[int, tuple[Solver, int]] = {}  # of problems left: who finishes them, as which of its own

    def solve(self, n_jobs: int, progress: Any = None) -> None:
        self._descent.solve(n_jobs, _half(progress, 0))
        left = [number for number in range(len(self._problems)) if self._is_left(number)]
        if left:
            started = [replace(self._problems[number], start=self._descent.solution(number).alpha) for number in left]
            finish = _smo(self._settings, self._rows, started, n_jobs, None)
            self._finish = {number: (finish, at) for at, number in enumerate(left)}
            finish.solve(n_jobs, _half(progress, 1))

    def solution(self, problem: int) -> _core.DualSolution:
        solver, at = self._finish.get(problem, (self._descent, problem))
        return solver.solution(at)

    def _is_left(self, problem: int) -> bool:
        reached = self._descent.solution(problem)
        limit = self._settings.max_iter
        return not reached.converged and (limit < 0 or reached.iterations < limit)


def _half(progress: Any, which: int) -> Any:
    """The first or the second half of what is reported."""
    return progress and (lambda done, total: progress(which * total + done, 2 * total))


def _check_expands(settings: SvmSettings, rows: TrainingRows) -> None:
    kernel = settings.kernel
    if not (isinstance(kernel, PolynomialKernel) and kernel.expandable):
        raise ValueError(
            f"solver='dual-cd' needs a polynomial kernel, degree 1 to 12, gamma > 0 and coef0 >= 0, got {kernel}; "
            "solver='smo' serves every kernel"
        )
    if not rows.is_counted:
        raise ValueError(
            "solver='dual-cd' needs values of 0 and 1: it keeps weights of conjunctions; pass binarize=0.0 to turn "
            "every value above 0 into 1, or solver='smo' to compute with values as they are"
        )
