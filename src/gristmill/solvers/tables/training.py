"""Training of a plan: the core's solver on codes, over a path of C and rounds of reweighted pairs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.progress import Progress, part_progress
from gristmill.base.threads import resolve_jobs
from gristmill.base.warnings import convergence_category, outside
from gristmill.solvers.tables.model import TableModel, narrowed
from gristmill.solvers.tables.plan import TablePlan
from gristmill.solvers.tables.settings import TableSettings

_GONE = 0.01  # a scale of less than this share of what it was: the term is left out


@dataclass(frozen=True, eq=False)
class TableTask:
    """Rows of codes, what is to be learned of them and how much each counts.

    Parameters
    ----------
    codes : uint16 array, rows x fields, in Fortran order
    targets : float64 array
        0 and 1 for two classes, 0, 1, 2, ... for several, else values.
    weights : float64 array, above 0
    n_classes : int
        0: values.
    """

    codes: NDArray[Any]
    targets: Floats
    weights: Floats
    n_classes: int

    @property
    def outputs(self) -> int:
        return self.n_classes if self.n_classes > 2 else 1

    @property
    def loss(self) -> _core.TableLoss:
        if not self.n_classes:
            return _core.TableLoss.SQUARED
        return _core.TableLoss.SOFTMAX if self.n_classes > 2 else _core.TableLoss.LOGISTIC

    def take(self, rows: Indices | Flags) -> TableTask:
        codes = np.asfortranarray(self.codes[rows])
        return TableTask(codes, self.targets[rows], self.weights[rows], self.n_classes)


@dataclass(frozen=True, eq=False)
class TableFit:
    """What was learned, and how well its problem was solved.

    Parameters
    ----------
    model : TableModel
    objective, gap : float
        1/2 |V|^2 + C sum of losses; it is at most `gap` above its minimum.
    iterations : int
        Of the last round.
    converged : bool
    """

    model: TableModel
    objective: float
    gap: float
    iterations: int
    converged: bool


class TableRun:
    """One plan on one task; `solve` goes on from what it has."""

    def __init__(self, task: TableTask, plan: TablePlan, n_jobs: int | None) -> None:
        self.plan = plan
        self._solver = _core.TableSolver(
            narrowed(task.codes, plan.bins),
            np.array(plan.bins, dtype=np.uint32),
            plan.similarities(),
            [list(term) for term in plan.terms],
            plan.used(),
            plan.scales(),
            task.loss,
            task.outputs,
            task.targets,
            task.weights,
            resolve_jobs(n_jobs),
        )

    def solve(self, C: float, settings: TableSettings, progress: Progress | None = None) -> None:
        self._solver.solve(C, settings.tol, settings.max_iter, progress)

    def look(self, C: float) -> None:
        """Find the gradient where it is."""
        self._solver.solve(C, 0.0, 0)

    def reweight(self) -> None:
        """Terms of a size get shares of their scales, by how much of the function they have.

        Scales whose squares are as the norms of the terms make the sum of their norms what is minimised: the fixed
        point is that of learning the kernel, as a weighted sum, from the data (multiple kernel learning).
        """
        plain = replace(self.plan, factors=()).scales()
        norms = self._solver.norms() * self.plan.scales()
        factors = np.ones(len(plain))
        for own in self._groups():
            mean = norms[own].mean()
            factors[own] = np.sqrt(norms[own] / mean) if mean > 0 else 1.0
        factors[factors < _GONE] = 0.0
        self.plan = replace(self.plan, factors=tuple(factors.tolist()))
        self._solver.set_scales(self.plan.scales())

    def pair_norms(self) -> dict[tuple[int, ...], float]:
        """Of each pair how much of the function it has."""
        norms = self._solver.norms() * self.plan.scales()
        return {term: float(norm) for term, norm in zip(self.plan.terms, norms, strict=True) if len(term) == 2}

    def gradient_norms(self) -> Floats:
        """Of each term how steeply the objective falls by it."""
        return self._solver.gradient_norms()

    def start_from(self, other: TableRun) -> None:
        """Singles as the other run has them, the rest 0; both begin with the same singles."""
        known = other._solver.weights
        self._solver.set_weights(np.concatenate([known, np.zeros(len(self._solver.weights) - len(known))]))

    def model(self) -> TableModel:
        return TableModel(self.plan, self._solver.tables(), self._solver.intercepts)

    def fit(self) -> TableFit:
        own = self._solver
        return TableFit(self.model(), own.objective, own.gap, own.iterations, own.converged)

    def _groups(self) -> list[Indices]:
        """Pairs, and triples; singles keep their scales."""
        sizes = np.array([len(term) for term in self.plan.terms])
        return [own for size in (2, 3) if len(own := np.flatnonzero(sizes == size))]


class TableInterrupted(KeyboardInterrupt):
    """Training was interrupted; `fit` is what had been learned."""

    def __init__(self, fit: TableFit) -> None:
        super().__init__()
        self.fit = fit


def train(
    task: TableTask,
    plan: TablePlan,
    C: float,
    rounds: int,
    settings: TableSettings,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TableFit:
    """Solve, reweight pairs and solve again, so many rounds; the plan of the result has the last weights of terms."""
    run = TableRun(task, plan, n_jobs)
    try:
        for number in range(rounds + 1):
            if number:
                run.reweight()
            run.solve(C, settings, part_progress(progress, number, rounds + 1))
    except KeyboardInterrupt as stopped:
        raise TableInterrupted(run.fit()) from stopped
    fit = run.fit()
    if not fit.converged:
        warnings.warn(
            f"stopped after max_iter={settings.max_iter} iterations, {fit.gap:.3g} above the minimum at most: "
            "raise max_iter or tol",
            convergence_category(),
            stacklevel=outside(),
        )
    return fit
