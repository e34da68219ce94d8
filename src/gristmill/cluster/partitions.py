"""What workers do with a partition: count it, key it, choose from it, score it. Plain functions of plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats, Int64s
from gristmill.cluster.examples import KeyedExamples
from gristmill.cluster.keys import Keys
from gristmill.cluster.models import SharedModel
from gristmill.machines.schemes import Scheme
from gristmill.scoring.scorer import Scorer
from gristmill.solvers.batch.problems import class_sides

LOSS_UNITS = 1 << 20  # of a loss of 1; losses are rounded up, so that a sum of them is a bound
_SAFE = 2.0**62  # what sums of int64 may reach


@dataclass(frozen=True)
class RawPartition:
    """A block of examples as it was read."""

    data: Any  # Rows or Forest
    labels: NDArray[Any]
    weights: Int64s  # in units


@dataclass(frozen=True)
class Survey:
    """What is counted of a partition: weights and numbers of the examples of each class, and the width of rows."""

    classes: list[Any]
    units: list[int]
    counts: list[int]
    n_features: int
    feature_names: tuple[str, ...] | None = None


def survey(raw: RawPartition) -> Survey:
    """Of the examples with a weight above 0."""
    used = raw.weights > 0
    classes, numbers = np.unique(raw.labels[used], return_inverse=True)
    units = np.zeros(len(classes), dtype=np.int64)
    np.add.at(units, numbers, raw.weights[used])
    counts = np.bincount(numbers, minlength=len(classes))
    width, names = getattr(raw.data, "n_features", 0), getattr(raw.data, "feature_names", None)
    return Survey(classes.tolist(), units.tolist(), counts.tolist(), width, names)


def keyed(raw: RawPartition, classes: NDArray[Any]) -> KeyedExamples:
    """The different examples of a partition, by key."""
    used = raw.weights > 0
    labels = np.zeros(len(raw.labels), dtype=np.intp)
    labels[used] = np.searchsorted(classes, raw.labels[used])
    return KeyedExamples.of(raw.data, labels, raw.weights)


def below(examples: KeyedExamples, thresholds: Sequence[int]) -> KeyedExamples:
    """The examples whose key is below the threshold of their class; a threshold is one of the first half of a key."""
    limits = np.array([min(limit, 2**64 - 1) for limit in thresholds], dtype=np.uint64)
    return examples.take(np.flatnonzero(examples.keys[:, 0] <= limits[examples.labels]))


@dataclass(frozen=True)
class Question:
    """What a round asks of every partition; it moves to each worker once."""

    model: SharedModel
    scheme: Scheme
    n_classes: int
    tol: float
    working_set: Keys
    room: int  # how many examples there is room for


@dataclass(frozen=True)
class Answer:
    """What a partition says to a machine."""

    losses: list[list[int]]  # per output and class: sums of weight times loss, in units of both
    n_violators: int  # examples outside the working set with a loss above tol in any output
    violators: KeyedExamples  # those with the smallest keys, as far as there is room


def answer(examples: KeyedExamples, question: Question, n_jobs: int | None = None) -> Answer:
    """Score a partition by the machine of the round."""
    margins = margins_of(examples, question.model.opened(), question.scheme, question.n_classes, n_jobs)
    losses = np.maximum(1.0 - margins, 0.0)
    violates = (losses > question.tol).any(axis=1) & ~examples.are_in(question.working_set)
    numbers = np.flatnonzero(violates)
    return Answer(
        _by_class(losses, examples, question.n_classes), len(numbers), examples.take(numbers[: question.room])
    )


def _by_class(losses: Floats, examples: KeyedExamples, n_classes: int) -> list[list[int]]:
    members = [np.flatnonzero(examples.labels == label) for label in range(n_classes)]
    return [[loss_units(column[some], examples.weights[some]) for some in members] for column in losses.T]


def margins_of(examples: KeyedExamples, scorer: Scorer, scheme: Scheme, n_classes: int, n_jobs: int | None) -> Floats:
    """y f(x) per example and output; infinite where an example takes no part."""
    signs = np.stack(class_sides(examples.labels, n_classes, scheme), axis=1)
    if len(examples) == 0:
        return np.zeros(signs.shape)
    scores = scorer.decision_function(examples.data, n_jobs).reshape(signs.shape)
    return np.where(signs == 0, np.inf, signs * scores)


def loss_units(losses: Floats, weights: Int64s) -> int:
    """The sum of weights times losses, each loss rounded up to whole units."""
    some = np.flatnonzero(losses)
    units, factors = np.ceil(losses[some] * LOSS_UNITS), weights[some]
    if float(np.dot(units, factors.astype(np.float64))) < _SAFE:
        return int(np.dot(units.astype(np.int64), factors))
    return sum(int(unit) * factor for unit, factor in zip(units.tolist(), factors.tolist(), strict=True))
