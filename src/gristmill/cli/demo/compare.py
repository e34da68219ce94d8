"""The same SVC, scored by scikit-learn and by each engine: answers compared first, then timed. Then learning."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from gristmill.cli.demo.task import Task

ROUNDS = 3
ONLINE_C = 0.1


@dataclass(frozen=True)
class Line:
    """One engine."""

    engine: str
    microseconds: float  # an example, one thread, median of rounds
    speedup: float
    largest_difference: float
    agreement: float


@dataclass(frozen=True)
class Learned:
    """One way to learn."""

    learner: str
    seconds: float
    speedup: float
    accuracy: float
    n_support: int


@dataclass(frozen=True)
class Comparison:
    """One task."""

    title: str
    n_support: int
    accuracy: float
    lines: list[Line]
    learners: list[Learned]


def run(task: Task) -> Comparison:
    """Train, accelerate, compare."""
    from sklearn.svm import SVC

    from gristmill.estimators import accelerate

    svc = SVC(kernel="poly", decision_function_shape="ovo", **task.svc)
    learning = _time(lambda: svc.fit(task.X_train, task.y_train), 1)
    labels, scores = svc.predict(task.X_test), svc.decision_function(task.X_test)
    base = _time(lambda: svc.predict(task.X_test), 1) / len(labels)
    lines = [Line("scikit-learn", 1e6 * base, 1.0, 0.0, 1.0)]
    for engine in ("direct", "inverted", "expanded"):
        fast = accelerate(svc, engine=engine)
        seconds = _time(lambda: fast.predict(task.X_test), ROUNDS) / len(labels)  # noqa: B023
        difference = float(np.abs(fast.decision_function(task.X_test) - scores).max())
        agreement = float(np.mean(fast.predict(task.X_test) == labels))
        lines.append(Line(engine, 1e6 * seconds, base / seconds, difference, agreement))
    accuracy = float(np.mean(labels == task.y_test))
    learners = [Learned("SVC", learning, 1.0, accuracy, len(svc.support_)), _learn_online(task, learning)]
    return Comparison(task.title, len(svc.support_), accuracy, lines, learners)


def _learn_online(task: Task, base: float) -> Learned:
    from gristmill.estimators import OnlineKernelClassifier

    model = OnlineKernelClassifier(**{name: task.svc[name] for name in ("degree", "gamma", "coef0")}, C=ONLINE_C)
    seconds = _time(lambda: model.fit(task.X_train, task.y_train), ROUNDS)
    accuracy = float(model.score(task.X_test, task.y_test))
    return Learned("OnlineKernelClassifier", seconds, base / seconds, accuracy, model.machine_.n_support)


def _time(call: Callable[[], Any], rounds: int) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return median(seconds)
