"""A job of a search: train one kernel for all C on one sample, and predict the validation examples.

C ascends. If no variable of a problem is at its bound, the conditions of optimality do not depend on C, and the
solution holds for every larger C; with normalised kernels that is soon the case. Otherwise the solution may be a start.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.kernels import PolynomialKernel
from gristmill.machines.schemes import DecisionRule
from gristmill.scoring.compile import scorer_for
from gristmill.scoring.deciding import class_numbers
from gristmill.solvers.batch import train_svm
from gristmill.solvers.batch.deduplicate import take
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.result import Solution
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.solving import make_solver
from gristmill.solvers.batch.work import Work
from gristmill.solvers.online import OnlineLearner, OnlineSettings
from gristmill.tuning.blocks import Block, SharedRows, extend_block
from gristmill.tuning.dataset import Dataset
from gristmill.tuning.grid import KernelSetting
from gristmill.tuning.solvers import SolverOptions

_MOVING = 0.05  # share of variables at their bounds; with more, a warm start does not help


def cost_path(
    rows: TrainingRows,
    problems: list[Problem],
    costs: Sequence[float],
    settings: SvmSettings,
    n_jobs: int,
    progress: Progress | None,
) -> Iterator[list[Solution]]:
    """Solutions for each C, ascending; problems are those for C = 1."""
    scaled = problems
    reached: list[Solution | None] = [None] * len(problems)
    for cost in costs:
        before, scaled = scaled, [_with_cost(problem, cost) for problem in problems]
        left = [at for at, one in enumerate(reached) if one is None or not _is_settled(one, before[at])]
        started = [_warm_started(scaled[at], before[at], reached[at]) for at in left]
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


def _with_cost(problem: Problem, cost: float) -> Problem:
    return replace(problem, costs=cost * problem.costs, bounds=cost * problem.bounds)


def _is_settled(solution: Solution, problem: Problem) -> bool:
    return solution.converged and bool((solution.alpha < problem.bounds).all())


def _warm_started(problem: Problem, before: Problem, reached: Solution | None) -> Problem:
    """Start from the solution for a smaller C, which is feasible, if few variables were at their bounds; else from 0.

    Variables at their bounds will move, and the gradient of a start takes a kernel row for each variable above 0.
    """
    if reached is None or np.mean(reached.alpha >= before.bounds) > _MOVING:
        return problem
    return replace(problem, start=reached.alpha)


_EPOCHS = 10  # of online learning, as in OnlineKernelClassifier


class Stop:
    """Tells jobs in other threads to stop; joblib ends other processes itself."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def __call__(self, done: int, total: int) -> None:
        if self._event.is_set():
            raise KeyboardInterrupt

    def set(self) -> None:
        self._event.set()

    def __reduce__(self) -> Any:
        return Stop, ()


@dataclass(frozen=True)
class Job:
    """One kernel in one round."""

    number: int
    kernel_setting: KernelSetting
    costs: list[float]
    dataset: Dataset
    options: SolverOptions
    search: str
    size: int  # training examples
    sample_size: int  # the same, or the sample size of cutting planes
    stop: Stop
    distinct: Any = None  # different examples of the sample; None: there is no Gram matrix
    problems: list[list[Problem]] | None = None  # with C = 1, by split
    before: Block | None = None
    keeps: bool = False  # whether the block is returned
    n_jobs: int = 1


@dataclass(frozen=True)
class Predictions:
    """Of one setting, from all splits."""

    predicted: Indices  # class numbers, of all validation examples
    support: float  # different support examples of a machine, on average
    seconds: float  # of this C, and its share of what all C have in common
    converged: bool


@dataclass(frozen=True)
class JobResult:
    """Predictions for each C, and the block if it is kept."""

    number: int
    predictions: list[Predictions]
    block: Block | None


def run_job(job: Job) -> JobResult:
    """Train and predict."""
    if job.distinct is not None:
        return _by_gram(job)
    return JobResult(job.number, _sliced(job) if job.search == "slicing" else _by_machines(job), None)


def _by_gram(job: Job) -> JobResult:
    """All machines share one Gram matrix; its columns for the validation examples are gathered once per split."""
    assert job.problems is not None
    clock = _Clock(job)
    block = extend_block(
        job.kernel_setting.kernel, job.distinct, job.dataset.held_out, job.before, job.n_jobs, job.stop
    )
    rows, settings = SharedRows(block.gram, 8 * block.gram.size), job.options.on_gram()
    clock.shared()
    for number, problems in enumerate(job.problems):
        validation = job.dataset.validation(number, job.size)
        columns = block.cross if block.cross is not None else block.gram.take(job.dataset.groups[validation], axis=1)
        clock.shared()
        path = cost_path(rows, problems, job.costs, settings, job.n_jobs, job.stop)
        for at, solutions in enumerate(path):
            table = coefficients(problems, solutions, len(block.gram))
            scores = (table @ columns).T + np.array([solution.intercept for solution in solutions])
            clock.predicted[at, validation] = _labels(job, scores)
            clock.note(at, len(np.unique(table.indices)), all(solution.converged for solution in solutions))
    return JobResult(job.number, clock.predictions(), block if job.keeps else None)


def _labels(job: Job, scores: Floats) -> Indices:
    dataset = job.dataset
    return DecisionRule(dataset.scheme, len(dataset.classes), dataset.zero_class).classes(scores)


def _by_machines(job: Job) -> list[Predictions]:
    """Without a Gram matrix: solvers compute rows when needed, compiled machines predict."""
    clock, dataset, kernel = _Clock(job), job.dataset, job.kernel_setting.kernel
    data, labels = dataset.sample(job.size), dataset.order.labels[: job.size]
    sampled = job.search == "cutting-plane"
    rows: TrainingRows | None = None  # made once, for all splits and C
    for number in range(dataset.order.n_splits):
        fit = None
        weights, validation = dataset.weights(number, job.size), dataset.validation(number, job.size)
        some = dataset.held_out if dataset.held_out is not None else take(data, validation)
        for at, cost in enumerate(job.costs):
            settings = (
                job.options.sampled(kernel, cost, job.sample_size) if sampled else job.options.settings(kernel, cost)
            )
            rows = rows or TrainingRows.of(settings, data, None)
            how: dict[str, Any] = {"weights": weights, "n_jobs": job.n_jobs, "progress": job.stop}
            fit = train_svm(rows, labels, dataset.classes, settings, initial=None if sampled else fit, **how)
            assert fit.machine is not None
            clock.predicted[at, validation] = class_numbers(scorer_for(fit.machine, some), some, job.n_jobs)
            clock.note(at, len(fit.support), fit.converged)
    return clock.predictions()


def _sliced(job: Job) -> list[Predictions]:
    """Passive-aggressive learning (PA-I, averaged); its C is not that of an SVM."""
    clock, dataset, kernel = _Clock(job), job.dataset, job.kernel_setting.kernel
    assert isinstance(kernel, PolynomialKernel)
    data, labels = dataset.sample(job.size), dataset.order.labels[: job.size].astype(np.int32)
    for number in range(dataset.order.n_splits):
        weights, validation = dataset.weights(number, job.size), dataset.validation(number, job.size)
        some = dataset.held_out if dataset.held_out is not None else take(data, validation)
        settings, smallest = OnlineSettings(kernel, epochs=_EPOCHS), float(weights[weights > 0].min())
        for at, cost in enumerate(job.costs):
            learner = OnlineLearner(replace(settings, C=cost), dataset.classes, smallest_weight=smallest)
            learner.learn(data, labels, weights, passes=_EPOCHS, n_jobs=job.n_jobs, progress=job.stop)
            machine = learner.machine()
            clock.predicted[at, validation] = class_numbers(scorer_for(machine, some), some, job.n_jobs)
            clock.note(at, machine.n_support, True)
    return clock.predictions()


class _Clock:
    """Collects predictions and the seconds of each setting."""

    def __init__(self, job: Job) -> None:
        settings, splits = len(job.costs), job.dataset.order.n_splits
        self.predicted = np.zeros((settings, len(job.dataset.validation_labels(job.size))), dtype=np.intp)
        self._support = np.zeros(settings)
        self._seconds = np.zeros(settings)
        self._converged = np.ones(settings, dtype=bool)
        self._rounds = splits
        self._begin = time.perf_counter()

    def shared(self) -> None:
        """The time since the last call was for all settings."""
        self._seconds += self._elapsed() / len(self._seconds)

    def note(self, at: int, support: int, converged: bool) -> None:
        """The time since the last call was for one machine of one setting."""
        self._seconds[at] += self._elapsed()
        self._support[at] += support / self._rounds
        self._converged[at] &= converged

    def predictions(self) -> list[Predictions]:
        each = zip(self.predicted, self._support, self._seconds, self._converged, strict=True)
        return [Predictions(predicted, float(some), float(took), bool(well)) for predicted, some, took, well in each]

    def _elapsed(self) -> float:
        begin, self._begin = self._begin, time.perf_counter()
        return self._begin - begin
