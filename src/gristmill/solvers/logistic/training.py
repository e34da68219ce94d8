"""Training of a logistic machine: rows become the conjunctions they share, and these get weights."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress, part_progress
from gristmill.base.threads import resolve_jobs
from gristmill.base.warnings import convergence_category, outside
from gristmill.data.rows import NO_VALUES, Rows
from gristmill.kernels import ConjunctionKernel
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Softmax
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.deduplicate import first_of
from gristmill.solvers.batch.problems import check_class_count, check_classes
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.training import factors_of
from gristmill.solvers.cost_scale import scaled_cost, squared_lengths
from gristmill.solvers.logistic.settings import LogisticSettings

_SEEDS = 1 << 32  # of the core's generator


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """What was learned, and how well its problem was solved.

    Parameters
    ----------
    machine : Machine
        Weights of conjunctions.
    C : float
    objective, gap : float
        1/2 |w|^2 + sum of C_i loss_i; it is at most `gap` above its minimum.
    passes : int
    converged : bool
    seconds : float
    """

    machine: Machine
    C: float
    objective: float
    gap: float
    passes: int
    converged: bool
    seconds: float


class LogisticInterrupted(KeyboardInterrupt):
    """Training was interrupted; `fit` is what was learned so far."""

    def __init__(self, fit: LogisticFit) -> None:
        super().__init__()
        self.fit = fit


def train_logistic(
    X: Rows,
    labels: Indices,
    classes: NDArray[Any],
    settings: LogisticSettings,
    *,
    weights: Floats | None = None,
    class_factors: Floats | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    first_id: int | None = None,
    start: Floats | None = None,
) -> LogisticFit:
    """Minimise 1/2 |w|^2 + sum of C_i loss(f(x_i), y_i) over all weights of conjunctions.

    Parameters
    ----------
    X : Rows
        Of values 0 and 1.
    labels : int array
        For each row the number of its class.
    classes : array
        Labels of the classes, two or more.
    settings : LogisticSettings
    weights : float array or None
        Factors of C, by row; 0 leaves one out.
    class_factors : float array or None
        More of them, by class; C='auto' is without these.
    n_jobs : int or None
    progress : callable or None
        Called with (done, total); what it raises stops the solver.
    first_id : int or None
        Of the machine, see there.
    start : float array, rows x outputs, or None
        Scores by a machine that is nearly the one to be learned.

    Raises
    ------
    LogisticInterrupted
        If the solver was interrupted; its `fit` is what was learned so far.
    """
    check_class_count(classes)
    factors = factors_of(weights, len(X), len(labels))
    C = settings.C
    if isinstance(C, str):
        C = scaled_cost(squared_lengths(settings.kernel, X), factors, loss="logistic")
    costs = np.asarray(C * (factors if class_factors is None else factors * class_factors[labels]))
    check_classes(labels, len(classes), costs)
    looking, expanding, solving = (part_progress(progress, part, 3) for part in range(3))
    run = _Run(X, settings, labels, classes, costs, n_jobs, first_id, looking, expanding)
    if start is not None:
        run.start(start[costs > 0])
    how = _provenance(settings, C, factors, class_factors)
    try:
        run.solve(solving)
    except KeyboardInterrupt as stop:
        run.judge()
        raise LogisticInterrupted(run.fit(C, how)) from stop
    fit = run.fit(C, how)
    if not fit.converged:
        warnings.warn(
            f"stopped after max_iter={settings.max_iter} passes, {fit.gap:.3g} above the minimum of the objective "
            f"({fit.objective:.6g}) at most: raise max_iter or tol, or take a smaller C",
            convergence_category(),
            stacklevel=outside(),
        )
    return fit


class _Run:
    """One training: rows that are equal are one, with the sum of their C and the shares of classes in it."""

    def __init__(
        self,
        X: Rows,
        settings: LogisticSettings,
        labels: Indices,
        classes: NDArray[Any],
        costs: Floats,
        n_jobs: int | None,
        first_id: int | None,
        looking: Progress | None,
        expanding: Progress | None,
    ) -> None:
        self._begin = time.perf_counter()
        self._settings = settings
        self._classes = classes
        self._jobs = resolve_jobs(n_jobs)
        self._first_id = first_id
        kept = costs > 0
        self._rows = TrainingRows(settings.kernel, X.take(np.flatnonzero(kept)), settings.budget)
        self._outputs = len(classes) if len(classes) > 2 else 1
        self._conjunctions(np.ones((self._rows.size, self._outputs)), looking)  # too many are refused before the work
        costs, targets = self._costs_and_targets(labels[kept], costs[kept])
        seed = settings.seed % _SEEDS
        self._solver = _core.LogisticSolver(self._rows.expanded(n_jobs, expanding), costs, targets, seed)

    def start(self, scores: Floats) -> None:
        """Begin where rows have these scores."""
        self._solver.start(np.ascontiguousarray(scores[first_of(self._rows.groups)]))

    def solve(self, progress: Progress | None) -> None:
        self._solver.solve(self._settings.tol, self._settings.max_iter, progress)

    def judge(self) -> None:
        """Find the bounds of what a solver that was stopped has reached."""
        self._solver.judge()

    def fit(self, C: float, provenance: dict[str, Any]) -> LogisticFit:
        machine = self._machine(provenance)
        own = self._solver
        seconds = time.perf_counter() - self._begin
        return LogisticFit(machine, C, own.objective, own.gap, own.passes, own.converged, seconds)

    def _costs_and_targets(self, labels: Indices, costs: Floats) -> tuple[Floats, Floats]:
        """Of different rows: the sum of C, and how it is spread over the classes; of two classes the second's part."""
        n, size = len(self._classes), self._rows.size
        by_class = np.bincount(self._rows.groups * n + labels, weights=costs, minlength=n * size).reshape(size, n)
        sums = by_class.sum(axis=1)
        shares = by_class / sums[:, None]
        return sums, np.ascontiguousarray(shares[:, 1:] if n == 2 else shares)

    def _conjunctions(self, values: Floats, progress: Progress | None = None) -> tuple[Rows, Floats]:
        """Conjunctions, and what each weighs in the machine of rows with these coefficients."""
        data, weights = self._rows.distinct, self._settings.kernel.subset_weights()
        offsets, ids, sums = _core.sum_conjunctions(
            data.offsets, data.ids, values, weights, self._settings.budget, self._jobs, progress
        )
        rows = Rows(offsets, ids, NO_VALUES, data.n_features, data.feature_names)
        return rows, sums.reshape(len(rows), self._outputs)

    def _machine(self, provenance: dict[str, Any]) -> Machine:
        values = self._solver.coefficients().reshape(-1, self._outputs)
        empty = self._settings.kernel.subset_weights()[0]
        conjunctions, weights = self._conjunctions(values)
        return Machine(
            ConjunctionKernel(),
            conjunctions,
            weights,
            [empty * math.fsum(column) for column in values.T.tolist()],  # rounded once, in whatever order
            self._classes,
            Scheme.BINARY if self._outputs == 1 else Scheme.ONE_VS_REST,
            first_id=self._first_id,
            probability=Softmax(),
            provenance=provenance,
        )


def _provenance(settings: LogisticSettings, C: float, factors: Floats, class_factors: Floats | None) -> dict[str, Any]:
    """With all that another training needs to know."""
    kernel = settings.kernel
    how: dict[str, Any] = {"trained": "logistic", "kernel": repr(kernel), "C": C, "tol": settings.tol}
    how |= {"seed": settings.seed, "polynomial": [kernel.degree, kernel.gamma, kernel.coef0]}
    if isinstance(settings.C, str):
        how["C_rule"] = settings.C
    if class_factors is not None and (class_factors != 1).any():
        how["class_factors"] = class_factors.tolist()
    if (factors != 1).any():
        how["weighted"] = True
    return how
