"""The examples of a search, permuted, with their folds or held-out examples, and scores of predictions.

Influences say how much each validation example moves a score (delta method, infinitesimal jackknife). The F1 of a class
is F = 2 t / s: t true positives, s the number of true plus the number of predicted members. One example more changes F
by ((2 if it is a true positive) - F (how often it counts in s)) / s. Influences add up to 0. The root of the sum of
their squares is the standard error of the score; for differences of influences, of the difference of two scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.display.words import listed_labels, quoted_label
from gristmill.evaluation.metrics import accuracy, class_scores
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.deduplicate import groups_of, take
from gristmill.solvers.batch.problems import Problem, class_problems

SCORINGS = ("f1", "accuracy")


@dataclass(frozen=True)
class Order:
    """A random order of the examples in which every prefix is stratified; labels and folds follow it.

    The members of each class are shuffled and spread evenly over the order; folds take turns. So the first r examples
    are a stratified sample for every r, with stratified folds, and each sample is a prefix of the next one.
    """

    examples: Indices  # their numbers before
    labels: Indices  # class numbers
    folds: Indices  # the fold of each; all -1 with held-out examples
    n_folds: int  # 0 with held-out examples

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def n_splits(self) -> int:
        """How many times a setting is trained and validated."""
        return max(self.n_folds, 1)

    def validation(self, number: int, size: int) -> Indices:
        """Positions among the first `size` that validate one split."""
        return np.flatnonzero(self.folds[:size] == number)

    def is_learned(self, number: int, size: int) -> Flags:
        """Whether each of the first `size` is in the training part of a split."""
        return np.asarray(self.folds[:size] != number)


def stratified_order(labels: Indices, n_folds: int, seed: int) -> Order:
    """For class numbers that all occur; n_folds = 0: no folds."""
    rng = np.random.default_rng(seed)
    places, folds = np.empty(len(labels)), np.full(len(labels), -1, dtype=np.intp)
    before = 0
    for number in range(int(labels.max()) + 1):
        members = rng.permutation(np.flatnonzero(labels == number))
        places[members] = (np.arange(len(members)) + rng.random()) / len(members)
        if n_folds:
            folds[members] = (before + np.arange(len(members))) % n_folds  # the next class continues: folds fill evenly
        before += len(members)
    order = np.lexsort((labels, places))
    return Order(order, labels[order], folds[order], n_folds)


def check_folds(labels: Indices, classes: NDArray[Any], folds: int) -> None:
    """Raise ValueError unless every fold can hold every class."""
    counts = np.bincount(labels, minlength=len(classes))
    rare = int(counts.argmin())
    if counts[rare] < folds:
        raise ValueError(
            f"class {quoted_label(classes[rare])} has {counts[rare]} examples, fewer than folds={folds}; "
            "use fewer folds, leave the class out, or give a development set, held_out=(X, y)"
        )


def smallest_sample(order: Order, n_classes: int) -> int:
    """The size of the smallest sample with two examples of every class (or all it has), with folds one in each fold."""
    least = max(order.n_folds, 2)
    return 1 + max(int(np.flatnonzero(order.labels == number)[:least][-1]) for number in range(n_classes))


def influences(scoring: str, truth: Indices, predicted: Indices, n_classes: int) -> Floats:
    """How much each example moves `score`."""
    right = truth == predicted
    if scoring == "accuracy":
        return np.asarray((right - right.mean()) / len(truth))
    truths, given = (np.bincount(labels, minlength=n_classes) for labels in (truth, predicted))
    occurring = truths + given
    times = np.maximum(occurring, 1)
    f1 = 2 * np.bincount(truth[right], minlength=n_classes) / times
    share = (np.arange(2) == 1) if n_classes == 2 else (occurring > 0) / np.count_nonzero(occurring)
    one = share / times
    return np.asarray(2 * right * one[truth] - (f1 * one)[truth] - (f1 * one)[predicted])


@dataclass(frozen=True)
class Dataset:
    """Everything but the settings; arrays follow the order of `order`."""

    data: Any
    order: Order
    groups: Indices  # equal examples share a number; numbered by first appearance
    firsts: Indices  # the first example of each group
    classes: NDArray[Any]
    scheme: Scheme
    class_weight: Any
    scoring: str
    held_out: Any = None  # validation examples in place of folds
    held_out_labels: Indices | None = None
    scorer: Any = None  # as scikit-learn's; None: `scoring` is counted from labels
    asks_probability: bool = False  # whether the scorer does

    @classmethod
    def of(cls, data: Any, order: Order, **rest: Any) -> Dataset:
        """From examples in their given order."""
        permuted = take(data, order.examples)
        kinds = groups_of(permuted)
        firsts, numbers = np.unique(kinds, return_index=True)[1], np.empty(int(kinds.max()) + 1, dtype=np.intp)
        firsts.sort()
        numbers[kinds[firsts]] = np.arange(len(firsts))
        return cls(permuted, order, numbers[kinds], firsts, **rest)

    def __len__(self) -> int:
        return len(self.order)

    def __getstate__(self) -> dict[str, Any]:
        """Examples move in their given order: so their subtrees are numbered, and sums of kernels added, as here."""
        return {**self.__dict__, "data": self.in_given_order()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"data": take(state["data"], state["order"].examples)})

    @property
    def zero_class(self) -> int:
        """The class of a score of exactly 0, as in the machines of `train_svm`."""
        return int(self.scheme is Scheme.BINARY)

    def distinct(self, size: int) -> int:
        """The number of different examples among the first `size`."""
        return int(np.searchsorted(self.firsts, size))

    def gram_bytes(self, size: int) -> int:
        """Of the Gram matrix of the different examples among the first `size`, with columns for held-out examples."""
        distinct = self.distinct(size)
        return 8 * distinct * (distinct + (0 if self.held_out_labels is None else len(self.held_out_labels)))

    def different(self, size: int) -> Any:
        """The different examples among the first `size`."""
        return take(self.data, self.firsts[: self.distinct(size)])

    def sample(self, size: int) -> Any:
        """The first `size` examples."""
        return self.data if size == len(self) else take(self.data, np.arange(size))

    def in_given_order(self) -> Any:
        """All examples in their given order."""
        return take(self.data, np.argsort(self.order.examples))

    def labels_in_given_order(self) -> NDArray[Any]:
        """Labels of all examples in their given order."""
        return self.classes[self.order.labels[np.argsort(self.order.examples)]]

    def validation_labels(self, size: int) -> Indices:
        """Class numbers of all validation examples for a sample of this size."""
        return self.order.labels[:size] if self.held_out_labels is None else self.held_out_labels

    def validation(self, number: int, size: int) -> Indices:
        """Which of those validate one split."""
        if self.held_out_labels is not None:
            return np.arange(len(self.held_out_labels))
        return self.order.validation(number, size)

    def weights(self, number: int, size: int) -> Floats:
        """Factors of C in one split, 0 for its validation examples."""
        learned, labels = self.order.is_learned(number, size), self.order.labels[:size]
        return np.where(learned, self.factors(labels[learned])[labels], 0.0)

    def factors(self, labels: Indices) -> Floats:
        """Factors of C by class number, for training examples with these labels."""
        return class_factors(self.class_weight, self.classes, labels)

    def problems(self, size: int) -> list[list[Problem]]:
        """For each split the dual problems of all outputs, with C = 1."""
        labels, groups, kinds = self.order.labels[:size], self.groups[:size], len(self.classes)
        weights = [self.weights(number, size) for number in range(self.order.n_splits)]
        return [class_problems(labels, kinds, self.scheme, factors, groups) for factors in weights]

    def scores(self, predicted: Indices, size: int) -> list[float]:
        """The score of each split."""
        labels = self.validation_labels(size)
        splits = [self.validation(number, size) for number in range(self.order.n_splits)]
        return [score(self.scoring, labels[some], predicted[some], len(self.classes)) for some in splits]

    def influences(self, predicted: Indices, size: int) -> Floats:
        """Influences on the score of all splits together: a single fold may hold one example of a rare class."""
        return influences(self.scoring, self.validation_labels(size), predicted, len(self.classes))


def score(scoring: str, truth: Indices, predicted: Indices, n_classes: int) -> float:
    """Accuracy, or F1: of the second of two classes, or the mean over all classes that occur."""
    if scoring == "accuracy":
        return accuracy(truth, predicted)
    of_classes = {one.label: one.f1 for one in class_scores(truth, predicted)}
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
    """Raise ValueError unless it is None, 'balanced', or factors above 0 by class."""
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
