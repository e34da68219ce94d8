"""A job of a search: train one kernel for all C on one sample, and predict the validation examples.

C ascends. If no variable of a problem is at its bound, the conditions of optimality do not depend on C, and the
solution holds for every larger C; with normalised kernels that is soon the case. Otherwise the solution may be a start.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Floats, Indices
from gristmill.base.progress import Progress
from gristmill.kernels import PolynomialKernel
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import DecisionRule
from gristmill.scoring.compile import scorer_for
from gristmill.scoring.deciding import class_numbers
from gristmill.solvers.batch import train_svm
from gristmill.solvers.batch.deduplicate import take
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.result import Solution, SvmFit
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.solving import make_solver
from gristmill.solvers.batch.work import Work
from gristmill.solvers.cost_scale import AUTO, scaled_cost, squared_lengths
from gristmill.solvers.online import OnlineLearner, OnlineSettings
from gristmill.tuning.blocks import Block, SharedRows, extend_block
from gristmill.tuning.dataset import Dataset
from gristmill.tuning.grid import Cost, KernelSetting
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
    costs: list[Cost]
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
    C: float  # for 'auto' on average, too
    seconds: float  # of this C, and its share of what all C have in common
    converged: bool
    scores: tuple[float, ...] | None = None  # of the splits, by a scorer; None: they are counted from labels


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
    squares = squared_lengths(job.kernel_setting.kernel, job.distinct) if AUTO in job.costs else np.empty(0)
    rows, settings = SharedRows(block.gram, 8 * block.gram.size), job.options.on_gram()
    clock.shared()
    for number, problems in enumerate(job.problems):
        validation = job.dataset.validation(number, job.size)
        columns = block.cross if block.cross is not None else block.gram.take(job.dataset.groups[validation], axis=1)
        clock.shared()
        costs = _numbers(job, squares, number)
        ascending = np.argsort(costs, kind="stable")
        path = cost_path(rows, problems, [costs[at] for at in ascending], settings, job.n_jobs, job.stop)
        for at, solutions in zip(ascending.tolist(), path, strict=True):
            table = coefficients(problems, solutions, len(block.gram))
            scores = (table @ columns).T + np.array([solution.intercept for solution in solutions])
            clock.answer(at, validation, _labels(job, scores), scores)
            converged = all(solution.converged for solution in solutions)
            clock.note(at, len(np.unique(table.indices)), converged, costs[at])
    return JobResult(job.number, clock.predictions(), block if job.keeps else None)


def _numbers(job: Job, squares: Floats, split: int) -> list[float]:
    """C of each setting in one split, as KernelSVC finds it for these examples."""
    learned, groups = job.dataset.order.is_learned(split, job.size), job.dataset.groups[: job.size]
    counts = np.bincount(groups, weights=learned, minlength=len(squares)).astype(np.float64)
    return [scaled_cost(squares, counts) if isinstance(cost, str) else cost for cost in job.costs]


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
        learned, validation = dataset.order.is_learned(number, job.size), dataset.validation(number, job.size)
        some = dataset.held_out if dataset.held_out is not None else take(data, validation)
        weights = {"weights": learned.astype(np.float64), "class_factors": dataset.factors(labels[learned])}
        for at, cost in enumerate(job.costs):
            settings = (
                job.options.sampled(kernel, cost, job.sample_size) if sampled else job.options.settings(kernel, cost)
            )
            rows = rows or TrainingRows.of(settings, data, None)
            how: dict[str, Any] = {**weights, "n_jobs": job.n_jobs, "progress": job.stop}
            initial: SvmFit | None = fit if kernel.is_semidefinite and not sampled else None
            fit = train_svm(rows, labels, dataset.classes, settings, initial=initial, **how)
            assert fit.machine is not None
            clock.ask(at, validation, fit.machine, some)
            clock.note(at, len(fit.support), fit.converged, fit.settings.cost)
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
            clock.ask(at, validation, machine, some)
            clock.note(at, machine.n_support, True, learner.cost or 0.0)
    return clock.predictions()


class _Clock:
    """Collects predictions and the seconds of each setting."""

    def __init__(self, job: Job) -> None:
        self._job = job
        settings, splits = len(job.costs), job.dataset.order.n_splits
        self._predicted = np.zeros((settings, len(job.dataset.validation_labels(job.size))), dtype=np.intp)
        self._scores: list[Floats | None] = [None] * settings  # of all validation examples, where there is a scorer
        self._scheme = job.dataset.scheme
        self._support = np.zeros(settings)
        self._costs: list[list[float]] = [[] for _ in range(settings)]
        self._seconds = np.zeros(settings)
        self._converged = np.ones(settings, dtype=bool)
        self._rounds = splits
        self._begin = time.perf_counter()

    def shared(self) -> None:
        """The time since the last call was for all settings."""
        self._seconds += self._elapsed() / len(self._seconds)

    def note(self, at: int, support: int, converged: bool, cost: float) -> None:
        """The time since the last call was for one machine of one setting."""
        self._seconds[at] += self._elapsed()
        self._support[at] += support / self._rounds
        self._costs[at].append(cost)
        self._converged[at] &= converged

    def ask(self, at: int, validation: Indices, machine: Machine, data: Any) -> None:
        """Answers of a machine for the validation examples of one split."""
        scorer, scored = scorer_for(machine, data), self._job.dataset.scorer is not None
        self._scheme = machine.scheme  # online learning has one output for each class
        scores = scorer.decision_function(data, self._job.n_jobs).reshape(len(data), -1) if scored else None
        self.answer(at, validation, class_numbers(scorer, data, self._job.n_jobs), scores)

    def answer(self, at: int, validation: Indices, predicted: Indices, scores: Floats | None) -> None:
        self._predicted[at, validation] = predicted
        if scores is None or self._job.dataset.scorer is None:
            return
        kept = self._scores[at]
        if kept is None:
            kept = self._scores[at] = np.empty((self._predicted.shape[1], scores.shape[1]))
        kept[validation] = scores

    def predictions(self) -> list[Predictions]:
        each = zip(self._predicted, self._support, self._costs, self._seconds, self._converged, strict=True)
        return [
            Predictions(predicted, float(some), fmean(costs), float(took), bool(well), self._judged(scores))
            for (predicted, some, costs, took, well), scores in zip(each, self._scores, strict=True)
        ]

    def _judged(self, scores: Floats | None) -> tuple[float, ...] | None:
        if scores is None:
            return None
        from gristmill.tuning.scoring import split_scores

        return split_scores(self._job.dataset, scores, self._job.size, self._scheme)

    def _elapsed(self) -> float:
        begin, self._begin = self._begin, time.perf_counter()
        return self._begin - begin
