"""The same SVC, scored by scikit-learn and by each engine: answers compared first, then timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from gristmill.demo.task import Task

ROUNDS = 3


@dataclass(frozen=True)
class Line:
    """One engine."""

    engine: str
    microseconds: float  # an example, one thread, median of rounds
    speedup: float
    largest_difference: float
    agreement: float


@dataclass(frozen=True)
class Comparison:
    """One task."""

    title: str
    n_support: int
    accuracy: float
    lines: list[Line]


def run(task: Task) -> Comparison:
    """Train, accelerate, compare."""
    from sklearn.svm import SVC

    from gristmill.estimators import accelerate

    svc = SVC(kernel="poly", decision_function_shape="ovo", **task.svc).fit(task.X_train, task.y_train)
    labels, scores = svc.predict(task.X_test), svc.decision_function(task.X_test)
    base = _time(lambda: svc.predict(task.X_test), 1) / len(labels)
    lines = [Line("scikit-learn", 1e6 * base, 1.0, 0.0, 1.0)]
    for engine in ("direct", "inverted", "expanded"):
        fast = accelerate(svc, engine=engine)
        seconds = _time(lambda: fast.predict(task.X_test), ROUNDS) / len(labels)  # noqa: B023
        difference = float(np.abs(fast.decision_function(task.X_test) - scores).max())
        agreement = float(np.mean(fast.predict(task.X_test) == labels))
        lines.append(Line(engine, 1e6 * seconds, base / seconds, difference, agreement))
    return Comparison(task.title, len(svc.support_), float(np.mean(labels == task.y_test)), lines)


def _time(call: Callable[[], Any], rounds: int) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return median(seconds)
