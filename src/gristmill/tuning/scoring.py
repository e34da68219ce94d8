"""Scorers of scikit-learn in a search: each is given the answers of a setting, as if a fitted classifier gave them.

The machines of a search are gone when they have answered, and most of them never were machines, so a scorer sees their
scores: `predict`, `decision_function`, `predict_proba`, `classes_`. Probabilities need no more training: the sigmoids
of one fold are fitted to the scores of the others, all of which are of examples that were left out.
"""

from __future__ import annotations

import difflib
import math
import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names

from gristmill.base.arrays import Floats, Indices
from gristmill.machines.probability import class_shares
from gristmill.machines.schemes import DecisionRule, Scheme, votes_and_confidence
from gristmill.solvers.batch.calibrating import FOLDS, sigmoids, stratified_folds
from gristmill.solvers.batch.deduplicate import take
from gristmill.tuning.dataset import SCORINGS, Dataset

Scorer = Callable[[Any, Any, Any], Any]  # as scikit-learn calls them: scorer(estimator, X, y)
_PROBED = 2  # examples of each class, with made-up scores


def scorer_of(scoring: Any) -> tuple[str, Scorer]:
    """The name of a scorer, and the scorer; ValueError for what is none."""
    if callable(scoring):
        return getattr(scoring, "__name__", None) or repr(scoring), scoring
    known = get_scorer_names()
    if isinstance(scoring, str) and scoring in known:
        return scoring, get_scorer(scoring)
    close = difflib.get_close_matches(str(scoring), [*SCORINGS, *known], n=3)
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise ValueError(
        f"scoring must be 'f1', 'accuracy', a name of sklearn.metrics.get_scorer_names() or a callable "
        f"scorer(estimator, X, y), got {scoring!r}{hint}"
    )


class Answers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier as a scorer knows it, for the examples of one validation part alone."""

    def __init__(
        self, data: Any, scores: Floats, scheme: Scheme, classes: NDArray[Any], shares: Callable[[], Floats]
    ) -> None:
        self.classes_ = classes
        self._data, self._scores, self._scheme, self._shares = data, scores, scheme, shares

    def predict(self, X: Any) -> NDArray[Any]:
        rule = DecisionRule(self._scheme, len(self.classes_), int(self._scheme is Scheme.BINARY))
        return np.asarray(self.classes_[rule.classes(self._of(X, self._scores))])

    def decision_function(self, X: Any) -> Floats:
        """In the shape of KernelSVC's."""
        scores = self._of(X, self._scores)
        if self._scheme is Scheme.ONE_VS_ONE:
            return votes_and_confidence(scores, len(self.classes_))
        return np.asarray(scores[:, 0]) if self._scheme is Scheme.BINARY else scores

    def predict_proba(self, X: Any) -> Floats:
        return self._of(X, self._shares())

    def _of(self, X: Any, values: Floats) -> Floats:
        if X is not self._data:
            raise ValueError("a scorer may only ask for the examples it is given: in a search others have no answers")
        return values

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"it asks for {name!r}; a search can tell predict, decision_function, predict_proba and classes_"
        )


def asks_for_probabilities(scorer: Scorer, name: str, dataset: Dataset) -> bool:
    """Whether it does; ValueError for a scorer that cannot score such classifiers: better now than after hours."""
    labels, asked = dataset.order.labels, []
    some = np.sort(
        np.concatenate([np.flatnonzero(labels == number)[:_PROBED] for number in range(len(dataset.classes))])
    )
    data, outputs = take(dataset.data, some), dataset.scheme.outputs(len(dataset.classes)) or 1
    scores = np.random.default_rng(0).normal(size=(len(some), outputs))

    def shares() -> Floats:
        asked.append(True)
        return _shares(dataset, scores, labels[some], np.arange(len(some)) % 2 == 0, dataset.scheme)

    answers = Answers(data, scores, dataset.scheme, dataset.classes, shares)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of so few examples
        _checked(_called(scorer, name, answers, data, dataset.classes[labels[some]]), name, may_be_nan=True)
    return bool(asked)


def split_scores(dataset: Dataset, scores: Floats, size: int, scheme: Scheme) -> tuple[float, ...]:
    """The score of each split, from the scores of all validation examples (examples x outputs)."""
    labels, found = dataset.validation_labels(size), []
    folds = dataset.order.folds[:size] if dataset.held_out_labels is None else _folds_of(labels)
    whole = _Shares(dataset, scores, labels, folds, scheme)
    for number in range(dataset.order.n_splits):
        at = dataset.validation(number, size)
        data = take(dataset.data, at) if dataset.held_out is None else dataset.held_out
        answers = Answers(data, scores[at], scheme, dataset.classes, lambda at=at: whole()[at])  # type: ignore[misc]
        given = _called(dataset.scorer, dataset.scoring, answers, data, dataset.classes[labels[at]])
        found.append(_checked(given, dataset.scoring))
    return tuple(found)


def split_noise(scores: tuple[float, ...]) -> Floats:
    """Influences whose differences are as long as the standard error of the mean; zeros for a single split."""
    return np.asarray((np.array(scores) - np.mean(scores)) / len(scores))


# --- probabilities ----------------------------------------------------------------------------------------------------


class _Shares:
    """Probabilities of all validation examples, each from sigmoids of the other folds; computed once, if at all."""

    def __init__(self, dataset: Dataset, scores: Floats, labels: Indices, folds: Indices, scheme: Scheme) -> None:
        self._given = dataset, scores, labels
        self._folds, self._scheme = folds, scheme
        self._found: Floats | None = None

    def __call__(self) -> Floats:
        if self._found is None:
            dataset, scores, labels = self._given
            self._found = np.empty((len(labels), len(dataset.classes)))
            for number in np.unique(self._folds):
                left = self._folds == number
                self._found[left] = _shares(dataset, scores, labels, left, self._scheme)[left]
        return self._found


def _shares(dataset: Dataset, scores: Floats, labels: Indices, left: NDArray[np.bool_], scheme: Scheme) -> Floats:
    """Of all examples, by sigmoids of those that are not left out."""
    kinds = len(dataset.classes)
    fitted = sigmoids(scores, labels, kinds, scheme, (~left).astype(np.float64))
    return class_shares(fitted, scheme, kinds, scores)


def _folds_of(labels: Indices) -> Indices:
    least = int(np.unique(labels, return_counts=True)[1].min())
    return stratified_folds(labels, min(FOLDS, max(least, 2)))


# --- calls ------------------------------------------------------------------------------------------------------------


def _called(scorer: Any, name: str, answers: Answers, data: Any, truth: NDArray[Any]) -> Any:
    try:
        return scorer(answers, data, truth)
    except Exception as error:
        message = f"scoring={name} cannot score the classifiers of this search: {type(error).__name__}: {error}"
        raise ValueError(message) from error


def _checked(value: Any, name: str, *, may_be_nan: bool = False) -> float:
    if isinstance(value, Real) and (math.isfinite(value) or (may_be_nan and math.isnan(value))):
        return float(value)
    raise ValueError(f"scoring={name} must give a finite number, the larger the better, got {value!r}")
