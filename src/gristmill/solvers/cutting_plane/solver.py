"""The solver 'cutting-plane': all problems of a task, which share products of one kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gristmill.base.progress import Progress
from gristmill.solvers.batch.problems import PairProblem, Problem
from gristmill.solvers.batch.result import Solution
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.work import Work
from gristmill.solvers.cutting_plane.exact import ExactRun, Run
from gristmill.solvers.cutting_plane.parts import PairPart, Part, drive
from gristmill.solvers.cutting_plane.sampled import ImportanceRun, UniformRun
from gristmill.solvers.cutting_plane.sources import KernelSource, Source, source_of

_PARTS = 1000  # of progress, for each problem


class CuttingPlanes:
    """Solves all problems together: the products of a round are computed at once."""

    def __init__(self, work: Work) -> None:
        settings = work.settings
        for problem in work.problems:
            _check_classifies(problem)
        self._source = source_of(work.rows, work.n_jobs, settings.sample_size if settings.sampling else None)
        self._tol = settings.tol
        self._runs = [_run(problem, self._source, settings, at) for at, problem in enumerate(work.problems)]
        self._driving = drive([run.run() for run in self._runs])

    def solve(self, n_jobs: int, progress: Progress | None = None) -> None:
        """Run rounds until all problems are solved; the source has its own threads."""
        done, total = 0, _PARTS * len(self._runs)
        for _ in self._driving:
            if progress is not None:
                done = max(done, sum(map(self._done, self._runs)))  # gaps of samples go up and down
                progress(done, total)
        if progress is not None:
            progress(total, total)

    def solution(self, problem: int) -> Solution:
        return self._runs[problem].solution()

    @property
    def multiplies_fast(self) -> bool:
        """Whether the kernel compiles, so that products are cheap."""
        return isinstance(self._source, KernelSource) and self._source.is_compiled

    def statistics(self) -> dict[str, Any]:
        """Products and kernel values that were computed, and bytes of the operator."""
        tally = self._source.tally
        return {
            "products": tally.products,
            "kernel_evaluations": tally.evaluations,
            "operator_bytes": self._source.nbytes,
        }

    def _done(self, run: Run) -> int:
        """By the logarithm of the gap, which falls about evenly."""
        if not math.isfinite(run.gap) or run.gap >= 1:
            return 0
        share = math.log(max(run.gap, self._tol)) / math.log(self._tol) if self._tol < 1 else 1.0
        return int(_PARTS * min(share, 1.0))


def _run(problem: Problem, source: Source, settings: SvmSettings, number: int) -> Run:
    if isinstance(problem, PairProblem):
        return ExactRun(problem, PairPart(source, problem.better, problem.worse), settings)
    whole = Part(source, problem.examples.astype(np.intp), settings.constant)
    if settings.sampling is None:
        return ExactRun(problem, whole, settings)
    make = ImportanceRun if settings.sampling == "importance" else UniformRun
    return make(problem, whole, settings, number)


def _check_classifies(problem: Problem) -> None:
    if not (problem.linear == -1).all():
        raise ValueError("solver='cutting-plane' is for classification; use solver='smo'")
