"""Training a ranking machine by cutting planes over pairs; products are computed for examples."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gristmill.base.progress import Progress
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.problems import PairProblem, preferences
from gristmill.solvers.batch.result import SvmFit, Task
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.training import solve_task


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
    rows = TrainingRows.of(settings, X, None)
    better, worse = preferences(targets, queries)
    problem = PairProblem.between(better, worse, rows.groups, settings.C)
    return solve_task(Task.single(settings, rows, Scheme.REGRESSION, problem), n_jobs, progress)
