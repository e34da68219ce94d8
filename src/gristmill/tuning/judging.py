"""One kernel on one sample: machines for all C and all rounds, and what they answer. Jobs may run anywhere."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.kernels import PolynomialKernel
from gristmill.machines.schemes import decide
from gristmill.solvers.batch import train_svm
from gristmill.solvers.batch.deduplicate import take
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.online import OnlineLearner, OnlineSettings
from gristmill.tuning.blocks import Block, SharedRows, grown
from gristmill.tuning.cases import Cases
from gristmill.tuning.cost_path import coefficients, cost_path
from gristmill.tuning.grid import KernelSetting
from gristmill.tuning.solvers import Solving

_EPOCHS = 10  # of online learning, as OnlineKernelClassifier has


class Stop:
    """Tells jobs in other threads that nobody waits for them any more. Other processes are ended by other means."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    def __call__(self, done: int, total: int) -> None:
        if self._asked.is_set():
            raise KeyboardInterrupt

    def ask(self) -> None:
        self._asked.set()

    def __reduce__(self) -> Any:
        return Stop, ()


@dataclass(frozen=True)
class Job:
    """What one kernel has to do on one rung."""

    number: int
    about: KernelSetting
    costs: list[float]
    cases: Cases
    solving: Solving
    search: str
    size: int  # examples that are looked at
    sample_size: int  # the same, or that of cutting planes
    stop: Stop
    distinct: Any = None  # different examples of the sample; None: there is no Gram matrix
    problems: list[list[Problem]] | None = None  # with C = 1, by round
    before: Block | None = None
    keeps: bool = False  # whether the block is handed on
    n_jobs: int = 1


@dataclass(frozen=True)
class Answers:
    """Of one setting, by all its rounds."""

    answers: Indices  # class numbers, of all who judge
    support: float  # different support examples of a machine, on average
    seconds: float  # its own, and its share of what all C have in common
    converged: bool


@dataclass(frozen=True)
class Done:
    """What came of a job: an entry for each C."""

    number: int
    found: list[Answers]
    block: Block | None


def judge(job: Job) -> Done:
    """Learn and answer."""
    if job.distinct is not None:
        return _by_gram(job)
    return Done(job.number, _sliced(job) if job.search == "slicing" else _by_machines(job), None)


def _by_gram(job: Job) -> Done:
    """All machines share one Gram matrix; what it says of the judges is gathered once for all C of a round."""
    assert job.problems is not None
    clock = _Clock(job)
    block = grown(job.about.kernel, job.distinct, job.cases.held, job.before, job.n_jobs, job.stop)
    rows, settings = SharedRows(block.gram, 8 * block.gram.size), job.solving.on_gram()
    clock.shared()
    for number, problems in enumerate(job.problems):
        judges = job.cases.judges(number, job.size)
        columns = block.cross if block.cross is not None else block.gram.take(job.cases.groups[judges], axis=1)
        clock.shared()
        path = cost_path(rows, problems, job.costs, settings, job.n_jobs, job.stop)
        for at, solutions in enumerate(path):
            table = coefficients(problems, solutions, len(block.gram))
            scores = (table @ columns).T + np.array([solution.intercept for solution in solutions])
            clock.answers[at, judges] = _labels(job, scores)
            clock.note(at, len(np.unique(table.indices)), all(solution.converged for solution in solutions))
    return Done(job.number, clock.found(), block if job.keeps else None)


def _labels(job: Job, scores: Floats) -> Indices:
    return decide(job.cases.scheme, scores, len(job.cases.classes), job.cases.zero_class)


def _by_machines(job: Job) -> list[Answers]:
    """Without a Gram matrix: rows as solvers ask for them, and compiled machines."""
    clock, cases, kernel = _Clock(job), job.cases, job.about.kernel
    data, labels = cases.sample(job.size), cases.order.labels[: job.size]
    sampled = job.search == "cutting-plane"
    rows: TrainingRows | None = None  # made once: equal examples, expansions and kept rows serve all rounds and C
    for number in range(cases.order.rounds):
        fit = None
        weights, judges = cases.weights(number, job.size), cases.judges(number, job.size)
        some = cases.held if cases.held is not None else take(data, judges)
        for at, cost in enumerate(job.costs):
            settings = (
                job.solving.sampled(kernel, cost, job.sample_size) if sampled else job.solving.settings(kernel, cost)
            )
            rows = rows or TrainingRows.of(settings, data, None)
            how: dict[str, Any] = {"weights": weights, "n_jobs": job.n_jobs, "progress": job.stop}
            fit = train_svm(rows, labels, cases.classes, settings, initial=None if sampled else fit, **how)
            assert fit.machine is not None
            clock.answers[at, judges] = fit.machine.compile().decide(some, job.n_jobs)
            clock.note(at, len(fit.support), fit.converged)
    return clock.found()


def _sliced(job: Job) -> list[Answers]:
    """Passive-aggressive learning (PA-I, averaged), which has a C of its own."""
    clock, cases, kernel = _Clock(job), job.cases, job.about.kernel
    assert isinstance(kernel, PolynomialKernel)
    data, labels = cases.sample(job.size), cases.order.labels[: job.size].astype(np.int32)
    for number in range(cases.order.rounds):
        weights, judges = cases.weights(number, job.size), cases.judges(number, job.size)
        some = cases.held if cases.held is not None else take(data, judges)
        settings, smallest = OnlineSettings(kernel, epochs=_EPOCHS), float(weights[weights > 0].min())
        for at, cost in enumerate(job.costs):
            learner = OnlineLearner(replace(settings, C=cost), cases.classes, smallest_weight=smallest)
            learner.learn(data, labels, weights, passes=_EPOCHS, n_jobs=job.n_jobs, progress=job.stop)
            machine = learner.machine()
            clock.answers[at, judges] = machine.compile().decide(some, job.n_jobs)
            clock.note(at, machine.n_support, True)
    return clock.found()


class _Clock:
    """Gathers what machines answer, and how long each setting takes."""

    def __init__(self, job: Job) -> None:
        settings, rounds = len(job.costs), job.cases.order.rounds
        self.answers = np.zeros((settings, len(job.cases.judging_labels(job.size))), dtype=np.intp)
        self._support = np.zeros(settings)
        self._seconds = np.zeros(settings)
        self._converged = np.ones(settings, dtype=bool)
        self._rounds = rounds
        self._begin = time.perf_counter()

    def shared(self) -> None:
        """What ends now was for all settings."""
        self._seconds += self._elapsed() / len(self._seconds)

    def note(self, at: int, support: int, converged: bool) -> None:
        """What ends now was one machine of one setting."""
        self._seconds[at] += self._elapsed()
        self._support[at] += support / self._rounds
        self._converged[at] &= converged

    def found(self) -> list[Answers]:
        each = zip(self.answers, self._support, self._seconds, self._converged, strict=True)
        return [Answers(answers, float(some), float(took), bool(well)) for answers, some, took, well in each]

    def _elapsed(self) -> float:
        begin, self._begin = self._begin, time.perf_counter()
        return self._begin - begin
