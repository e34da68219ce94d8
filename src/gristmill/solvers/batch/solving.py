"""The solvers smo, dual-cd and cutting-plane: which one is chosen, and how the core is called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Int64s
from gristmill.base.progress import Progress
from gristmill.data.forest import Forest
from gristmill.kernels import Kernel, PolynomialKernel
from gristmill.solvers.batch.result import Solution
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.work import Work
from gristmill.solvers.cutting_plane import CuttingPlanes

# What dual-cd spends on a conjunction of one row, over all passes, relative to what smo spends on a pair of rows.
_CONJUNCTION_COST = 10

_MANY_TREES = 50_000  # different ones

_PARTS = 1_000_000  # of progress: coordinate descent is the first half


class Solver(Protocol):
    """What all solvers can do; `solution` may be called at any time, also after an interruption."""

    def solve(self, n_jobs: int, progress: Progress | None = None) -> None: ...

    def solution(self, problem: int) -> Solution: ...

    def statistics(self) -> dict[str, Any]:
        """Numbers for the provenance of the machine."""
        return {}


def choose_solver(settings: SvmSettings, rows: TrainingRows) -> str:
    """The solver of the settings; for 'auto' the one that should be fastest.

    'dual-cd' works on the conjunctions of every row, 'smo' on rows of the Gram matrix. 'dual-cd' serves many rows of 0
    and 1 that are short for the degree of the polynomial kernel. Very many trees, some of very many, and samples are
    for 'cutting-plane', which multiplies by the Gram matrix without computing it. 'smo' serves everything else.
    """
    if settings.sampling is not None:
        return "cutting-plane"
    if settings.solver != "auto":
        return settings.solver
    kernel = settings.kernel
    is_bounded = isinstance(kernel, Kernel) and kernel.is_semidefinite
    many = is_bounded and isinstance(rows.distinct, Forest) and max(rows.size, settings.part_of) > _MANY_TREES
    if many and settings.convert is not True:
        return "cutting-plane"
    if not (isinstance(kernel, PolynomialKernel) and kernel.expandable and rows.is_counted):
        return "smo"
    conjunctions = _conjunctions(rows.distinct.lengths, kernel.degree)
    return "dual-cd" if _CONJUNCTION_COST * conjunctions < rows.size**2 else "smo"


def _conjunctions(lengths: Int64s, degree: int) -> float:
    """Of 1 to `degree` features, in all rows of these lengths."""
    of_size = np.ones(len(lengths))
    total = 0.0
    for size in range(1, degree + 1):
        of_size *= np.maximum(lengths - size + 1, 0) / size
        total += float(of_size.sum())
    return total


def make_solver(work: Work) -> tuple[str, Solver]:
    """The solver and its name."""
    name = choose_solver(work.settings, work.rows)
    if name == "cutting-plane":
        planes = CuttingPlanes(work)
        if work.settings.solver == name or work.settings.sampling is not None or planes.multiplies_fast:
            return name, planes
    if name == "dual-cd":
        try:
            return "dual-cd", _DualCd(work)
        except _core.PatternsTooLargeError:
            if work.settings.solver == "dual-cd":
                raise
    return "smo", _Smo(work)


class _Smo(Solver):
    """Steps of two variables, over rows of the Gram matrix."""

    def __init__(self, work: Work) -> None:
        settings = work.settings
        self._limit = settings.max_iter
        duals = work.duals()
        native = work.rows.native(work.n_jobs, work.progress)
        self._steps = _core.SmoSolver(native, duals, settings.tol, settings.max_iter, settings.shrinking)

    def solve(self, n_jobs: int, progress: Progress | None = None) -> None:
        self._steps.solve(n_jobs, progress)

    def solution(self, problem: int) -> Solution:
        return Solution.of(self._steps.solution(problem), self._limit)


class _DualCd(Solver):
    """Coordinate descent; smo finishes problems in which steps of single variables hardly help any more."""

    def __init__(self, work: Work) -> None:
        settings = work.settings
        _check_expands(settings, work.rows)
        self._work, self._settings, self._problems = work, settings, work.problems
        duals = work.duals()
        expanded = work.rows.expanded(work.n_jobs, work.progress)
        self._descent = _core.DualCdSolver(expanded, duals, settings.tol, settings.max_iter, settings.shrinking)
        self._finish: dict[int, tuple[Solver, int]] = {}  # of problems given up: the smo solver and the number there

    def solve(self, n_jobs: int, progress: Progress | None = None) -> None:
        self._descent.solve(n_jobs, _part(progress, 0, _PARTS // 2))
        left = self._left()
        done, in_all = 0, sum(map(len, left.values()))
        for limit, numbers in left.items():
            begin, end = (_PARTS // 2 * (in_all + before) // in_all for before in (done, done + len(numbers)))
            self._hand_over(numbers, limit, n_jobs, _part(progress, begin, end))
            done += len(numbers)
        if progress is not None and not left:
            progress(_PARTS, _PARTS)

    def solution(self, problem: int) -> Solution:
        """That of smo, unless it was interrupted before it had evaluated its start."""
        reached = self._reached(problem)
        if problem not in self._finish:
            return reached
        solver, at = self._finish[problem]
        finished = replace(solver.solution(at), handed_over=True)
        return finished if finished.is_evaluated else replace(reached, handed_over=True)

    def _reached(self, problem: int) -> Solution:
        return Solution.of(self._descent.solution(problem), self._settings.max_iter)

    def _left(self) -> dict[int, list[int]]:
        """Problems that were given up, by the number of steps smo may take: one per variable and remaining pass."""
        left: dict[int, list[int]] = {}
        for number, problem in enumerate(self._problems):
            reached, limit = self._reached(number), self._settings.max_iter
            if not (reached.converged or reached.limited):
                steps = limit if limit < 0 else (limit - reached.iterations) * len(problem.signs)
                left.setdefault(steps, []).append(number)
        return left

    def _hand_over(self, numbers: list[int], limit: int, n_jobs: int, progress: Progress | None) -> None:
        started = [replace(self._problems[number], start=self._reached(number).alpha) for number in numbers]
        settings = replace(self._settings, max_iter=limit)
        finish = _Smo(Work(settings, self._work.rows, started, n_jobs, None))
        self._finish |= {number: (finish, at) for at, number in enumerate(numbers)}
        finish.solve(n_jobs, progress)


def _part(progress: Progress | None, begin: int, end: int) -> Progress | None:
    """Progress of work that covers `begin` to `end` of the whole."""
    return progress and (lambda done, total: progress(begin + (end - begin) * done // max(total, 1), _PARTS))


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
