"""The machines that engines are measured on: tasks and degrees of Kudo and Matsumoto 2003, trained in the run.

C = 1: no coefficient reaches it, so the machines have the hard margin, and weights of conjunctions are of the size for
which the paper's thresholds were chosen. Links between words stand in for the paper's Japanese dependency parsing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

import gristmill as gm
from benchmarks import conll, links, segmentation
from benchmarks.examples import Data, sample
from gristmill.scoring.scorer import Scorer

TRAIN = 20_000


@dataclass(frozen=True)
class Task:
    """What is decided, by a kernel of which degree, and the paper's threshold that keeps the accuracy."""

    name: str
    degree: int
    load: Callable[[], tuple[Data, Data]]
    sigma: float


TASKS = (
    Task("BaseNP", 2, conll.load, 0.005),
    Task("segmentation", 3, segmentation.load, 0.005),
    Task("links", 3, links.load, 0.0005),
)


@functools.cache
def trained(task: Task, size: int = TRAIN) -> gm.Machine:
    """An SVC trained on part of the task, as a machine."""
    X, y = sample(task.load()[0], size)
    svc = SVC(kernel="poly", degree=task.degree, gamma=1.0, coef0=1.0, C=1.0, cache_size=1000).fit(X, y)
    return gm.from_sklearn(svc)


def assert_exact(scorer: Scorer, X: Any, scores: NDArray[np.float64]) -> None:
    """Scores equal the definition's, given, within 1e-9 of |b| + sum_i |a_i| k(s_i, x)."""
    assert np.all(np.abs(scorer.decision_function(X) - scores) <= 1e-9 * magnitude(scorer.machine, X))


def magnitude(machine: gm.Machine, X: Any) -> NDArray[np.float64]:
    """|b| + sum_i |a_i| k(s_i, x)."""
    absolute = gm.Machine(machine.kernel, machine.support, np.abs(machine.coef), np.abs(machine.intercept))
    return absolute.compile("inverted").decision_function(X)
