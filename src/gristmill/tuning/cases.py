"""The examples of a search in the form that all settings share: permuted, equal ones found, problems of each round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats, Indices
from gristmill.display.words import listed_labels, quoted_label
from gristmill.evaluation.metrics import accuracy, class_scores
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.deduplicate import groups_of, take
from gristmill.solvers.batch.problems import Problem, class_problems
from gristmill.tuning.influences import influences
from gristmill.tuning.samples import Order

MEASURES = ("f1", "accuracy")


@dataclass(frozen=True)
class Cases:
    """Everything but the settings; arrays are by place in the order."""

    data: Any
    order: Order
    groups: Indices  # equal examples have one number, by first appearance: those of a sample come first
    firsts: Indices  # the first example of each group
    classes: NDArray[Any]
    scheme: Scheme
    class_weight: Any
    measure: str
    held: Any = None  # examples that judge in place of folds
    held_labels: Indices | None = None

    @classmethod
    def of(cls, data: Any, order: Order, **rest: Any) -> Cases:
        """For examples as they came."""
        permuted = take(data, order.examples)
        kinds = groups_of(permuted)
        firsts, numbers = np.unique(kinds, return_index=True)[1], np.empty(int(kinds.max()) + 1, dtype=np.intp)
        firsts.sort()
        numbers[kinds[firsts]] = np.arange(len(firsts))
        return cls(permuted, order, numbers[kinds], firsts, **rest)

    def __len__(self) -> int:
        return len(self.order)

    @property
    def zero_class(self) -> int:
        """What a score of exactly 0 means, as in the machines of `train_svm`."""
        return int(self.scheme is Scheme.BINARY)

    def distinct(self, size: int) -> int:
        """How many different examples there are among the first `size`."""
        return int(np.searchsorted(self.firsts, size))

    def sample(self, size: int) -> Any:
        """The first examples, all of them."""
        return self.data if size == len(self) else take(self.data, np.arange(size))

    def as_they_came(self) -> Any:
        """All examples in the order in which they were given."""
        return take(self.data, np.argsort(self.order.examples))

    def labels_as_they_came(self) -> NDArray[Any]:
        """Of all examples, in that order."""
        return self.classes[self.order.labels[np.argsort(self.order.examples)]]

    def judging_labels(self, size: int) -> Indices:
        """Class numbers of all who judge a sample of this size."""
        return self.order.labels[:size] if self.held_labels is None else self.held_labels

    def judges(self, number: int, size: int) -> Indices:
        """Which of those judge one round."""
        return np.arange(len(self.held_labels)) if self.held_labels is not None else self.order.judges(number, size)

    def weights(self, number: int, size: int) -> Floats:
        """Factors of C in one round, 0 for those that it does not learn from."""
        learned, labels = self.order.is_learned(number, size), self.order.labels[:size]
        return np.where(learned, self.factors(labels[learned])[labels], 0.0)

    def factors(self, labels: Indices) -> Floats:
        """Of C, by class number, for those who learn from these labels."""
        return class_factors(self.class_weight, self.classes, labels)

    def problems(self, size: int) -> list[list[Problem]]:
        """For each round those of all outputs, with C = 1."""
        labels, groups, kinds = self.order.labels[:size], self.groups[:size], len(self.classes)
        weights = [self.weights(number, size) for number in range(self.order.rounds)]
        return [class_problems(labels, kinds, self.scheme, factors, groups) for factors in weights]

    def scores(self, answers: Indices, size: int) -> list[float]:
        """Of each round, by the measure."""
        labels = self.judging_labels(size)
        rounds = [self.judges(number, size) for number in range(self.order.rounds)]
        return [score(self.measure, labels[some], answers[some], len(self.classes)) for some in rounds]

    def influences(self, answers: Indices, size: int) -> Floats:
        """Of each who judges, on the score of all rounds together: single folds may hold a rare class once only."""
        return influences(self.measure, self.judging_labels(size), answers, len(self.classes))


def score(measure: str, truth: Indices, answers: Indices, n_classes: int) -> float:
    """Accuracy, or F1: of the second of two classes, the mean over all that occur of more."""
    if measure == "accuracy":
        return accuracy(truth, answers)
    of_classes = {one.label: one.f1 for one in class_scores(truth, answers)}
    return of_classes.get(1, 0.0) if n_classes == 2 else float(np.mean(list(of_classes.values())))


def class_factors(class_weight: Any, classes: NDArray[Any], labels: Indices) -> Floats:
    """Factors of C by class number, as KernelSVC has them for these labels."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        counts = np.bincount(labels, minlength=len(classes))
        return np.asarray(len(labels) / (len(classes) * np.maximum(counts, 1)))
    return np.array([class_weight.get(label, 1.0) for label in classes.tolist()], dtype=np.float64)


def check_class_weight(class_weight: Any, classes: NDArray[Any]) -> None:
    """None, 'balanced', or factors above 0 of classes that there are."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {class_weight!r}")
    unknown = [label for label in class_weight if label not in classes.tolist()]
    if unknown:
        raise ValueError(
            f"class_weight names {quoted_label(unknown[0])}, which is not one of the classes {listed_labels(classes)}"
        )
    try:
        factors = class_factors(class_weight, classes, np.empty(0, dtype=np.intp))
    except (TypeError, ValueError):
        raise ValueError(f"class weights must be numbers, got {class_weight!r}") from None
    if not (np.isfinite(factors).all() and (factors > 0).all()):
        raise ValueError(f"class weights must be above 0, got {class_weight!r}")
