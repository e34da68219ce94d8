"""What every solver starts from."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill import _core
from gristmill.base.progress import Progress
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings


@dataclass(frozen=True)
class Work:
    """The input of a solver; `progress` reports what is computed before the solver starts."""

    settings: SvmSettings
    rows: TrainingRows
    problems: list[Problem]
    n_jobs: int | None
    progress: Progress | None

    def duals(self) -> list[_core.DualProblem]:
        return [problem.native(self.settings) for problem in self.problems]
