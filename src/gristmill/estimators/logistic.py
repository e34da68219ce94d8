"""Logistic regression on conjunctions of features, as a scikit-learn classifier."""

from __future__ import annotations

import functools
import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from gristmill.base.arrays import Floats, Indices
from gristmill.base.checks import seed_of
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize
from gristmill.estimators.base import class_weights, example_weights
from gristmill.estimators.forgetting import (
    NOT_KEPT,
    TrainingExamples,
    check_left,
    checked_labels,
    chosen,
)
from gristmill.estimators.row_classifier import RowClassifier
from gristmill.machines.machine import Machine
from gristmill.machines.store import digest_of
from gristmill.scoring.scorer import Scorer
from gristmill.solvers.batch.forgetting import purged_names
from gristmill.solvers.cost_scale import AUTO
from gristmill.solvers.logistic import LogisticFit, LogisticInterrupted, LogisticSettings, train_logistic
from gristmill.solvers.logistic.forgetting import relative_gap
from gristmill.solvers.receipt import Receipt


class KernelLogisticRegression(RowClassifier):
    """Logistic regression with a polynomial kernel on binary features: a weight for every conjunction of features.

    What it learns is a sum of weights: one for the intercept, one for each feature, each pair (degree 2) and each
    triple (degree 3) of features that some row has. Scores are log odds, so that probabilities need no calibration.

    Minimises ``1/2 |w|^2 + C sum_i s_i loss_i``, where w is in the space of the kernel and s_i are weights of samples
    times those of classes. For two classes ``loss = log(1 + exp(-y f(x)))`` and there is one score; for more there is
    one for each class, and the loss is that of **softmax** (multinomial), not of one class against the rest.

    Parameters
    ----------
    kernel : 'poly' or PolynomialKernel
        'poly' is PolynomialKernel(degree, gamma, coef0).
    degree, gamma, coef0 : int, float, float
        gamma > 0, coef0 >= 0. The kernel says what the weight of a conjunction costs by its size: see
        `PolynomialKernel.subset_weights`.
    C : float or 'auto'
        The price of losses. 'auto': 10 over the square of the mean length of the rows in the space of the kernel.
    tol : float
        Training stops as soon as the objective is proven to be within so much, relative to that of w = 0, of its
        minimum.
    max_iter : int
        Passes over the data.
    class_weight : dict, 'balanced' or None
        Factors of C by class.
    binarize : float or None
        Values above it become 1, the others 0, with a warning; None refuses other values than 0 and 1.
    max_bytes : int or None
        Memory for conjunctions, those of the machine and those that rows share, each; None is 4 GiB. Where there are
        more, `PatternsTooLargeError`, a ValueError, says so before training starts.
    random_state : int, RandomState, Generator or None
        Of the order in which rows are visited.
    keep_examples : bool
        Whether `fit` keeps its examples, for `forget`.
    n_jobs : int or None
        Threads, for finding conjunctions and for prediction; they never change a result.
    verbose : int
        0: silent. 1 or more: lines on standard error, at most one a second.
    progress : callable or None
        Called with (done, total) some twenty times a second. Raise KeyboardInterrupt in it to stop.

    Attributes
    ----------
    machine_ : Machine
        What was learned, as weights of conjunctions (`ConjunctionKernel`): for `save`, `explain` and all else.
    scorer_ : Scorer
        The machine, compiled.
    classes_ : array
    class_weight_ : array
        The factor of C of each class.
    intercept_ : array
        One per score.
    C_ : float
    bounds_ : tuple of float
        The minimum of the objective is between them; the second is what was reached.
    n_iter_ : int
        Passes.
    fit_status_ : int
        0: within `tol`; 1: stopped before.
    receipt_ : Receipt
        Of the last `forget`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The **intercept is regularised**: it is the weight of the conjunction of no features, and costs what the kernel
    says, ``coef0 ** degree`` being its variance. With coef0=0 there is none. A row without features scores the
    intercept.

    Rows that are equal and of one class are one with the sum of their weights; a row of weight 2 and one that occurs
    twice are the same. Rows of weight 0 are left out.

    An interrupted `fit` keeps what was learned so far and raises KeyboardInterrupt again.

    Solved by dual coordinate descent (Yu, Huang and Lin 2011), which takes many passes where C is far above 'auto'.

    Examples
    --------
    >>> import gristmill as gm
    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    >>> clf = gm.KernelLogisticRegression(degree=2, C=1.0).fit(X, ["a", "a", "b", "b"])
    >>> clf.predict(X)
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    >>> clf.predict_proba(X).round(2)
    array([[0.74, 0.26],
           [0.82, 0.18],
           [0.21, 0.79],
           [0.31, 0.69]])
    >>> low, high = clf.bounds_
    >>> print(clf.machine_.n_support, high - low < 1e-3)
    6 True
    """

    _learned: _Learned
    _examples: TrainingExamples | None = None
    _size: int

    def __init__(
        self,
        kernel: Any = "poly",
        *,
        degree: int = 2,
        gamma: float = 1.0,
        coef0: float = 1.0,
        C: Any = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
        class_weight: Any = None,
        binarize: Binarize = 0.0,
        max_bytes: int | None = None,
        random_state: Any = 0,
        keep_examples: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, feature_names: Any = None) -> KernelLogisticRegression:
        """Learn from X and y; `sample_weight` multiplies C, 0 leaves an example out.

        `feature_names` are for X without names: a sparse matrix, an array, ids.
        """
        kernel, seed = self._polynomial_kernel(), seed_of(self.random_state)
        settings: LogisticSettings = self._settings_for(LogisticSettings, kernel=kernel, seed=seed)
        rows, y = self._rows(X, y, reset=True)
        rows = replace(rows, feature_names=self._column_names(feature_names))
        rows = rows.copy() if self.keep_examples else rows
        classes, labels = np.unique(y, return_inverse=True)
        by_class = class_weights(self.class_weight, classes, y)
        weights = example_weights(sample_weight, y)
        keep = functools.partial(self._keep, classes=classes, by_class=by_class)
        try:
            with self._reporting() as progress:
                how: dict[str, Any] = {"weights": weights, "n_jobs": self.n_jobs, "progress": progress}
                how["class_factors"] = by_class
                keep(train_logistic(rows, labels, classes, settings, **how))
        except LogisticInterrupted as stopped:
            keep(stopped.fit)
            raise
        self._examples = TrainingExamples(rows, y, weights) if self.keep_examples else None
        self._size = len(rows)
        return self

    def forget(self, indices: Any, X: Any = None, y: Any = None, sample_weight: Any = None) -> KernelLogisticRegression:
        """Forget training examples, see `KernelSVC.forget`: the problem of the others is solved from the machine.

        A logistic loss pushes all examples, so all weights change. C='auto' and balanced class weights are found anew.
        """
        check_is_fitted(self)
        begin, before = time.perf_counter(), self.machine_
        examples = self._training_examples(X, y, sample_weight)
        forgotten = chosen(indices, len(examples))
        rest = examples.without(forgotten, None)
        labels = np.searchsorted(self.classes_, rest.targets)
        check_left(labels, rest.factors, self.classes_, "forgetting them")
        names = None if hasattr(self, "feature_names_in_") else before.feature_names
        if (purged := purged_names(names, examples.data, forgotten)) is not None:
            rest = replace(rest, data=replace(rest.data, feature_names=purged))
        fit, by_class = self._fit_to(rest, labels)
        self._keep(fit, classes=self.classes_, by_class=by_class)
        self._examples, self._size = rest if self.keep_examples else None, len(rest)
        self.receipt_ = self._receipt(before, fit, (examples, rest), time.perf_counter() - begin)
        return self

    def _fit_to(self, examples: TrainingExamples, labels: Indices) -> tuple[LogisticFit, Floats]:
        """From the machine so far."""
        seed, by_class = seed_of(self.random_state), self.class_weight_
        settings: LogisticSettings = self._settings_for(LogisticSettings, kernel=self._polynomial_kernel(), seed=seed)
        if isinstance(self.class_weight, str):
            by_class = class_weights(self.class_weight, self.classes_, examples.targets)
        own = replace(examples.data, feature_names=None)
        scores = self._learned.scorer.decision_function(own, self.n_jobs).reshape(len(own), -1)
        how: dict[str, Any] = {"weights": examples.weights, "class_factors": by_class, "n_jobs": self.n_jobs}
        with self._reporting() as progress:
            how |= {"progress": progress, "first_id": self.machine_.first_id, "start": scores}
            return train_logistic(examples.data, labels, self.classes_, settings, **how), by_class

    def _training_examples(self, X: Any, y: Any, sample_weight: Any) -> TrainingExamples:
        if X is None:
            if self._examples is None:
                raise ValueError(NOT_KEPT)
            return self._examples
        rows = replace(self._data_to_score(X), feature_names=self.machine_.feature_names)
        labels = checked_labels(y, len(rows), self.classes_)
        if len(rows) != self._size:
            raise ValueError(f"this was learned from {self._size} examples, got {len(rows)}: give all of them again")
        return TrainingExamples(rows, labels, example_weights(sample_weight, labels))

    def _receipt(
        self, before: Machine, fit: LogisticFit, examples: tuple[TrainingExamples, TrainingExamples], seconds: float
    ) -> Receipt:
        anew = ["C"] if self.C == AUTO else []
        anew += ["class weights"] if isinstance(self.class_weight, str) else []
        gone = len(examples[0]) - len(examples[1])
        gap = relative_gap(fit)
        sides = examples[0].digest, examples[1].digest, digest_of(before), digest_of(fit.machine)
        return Receipt(
            gone, len(examples[1]), gone, "logistic", fit.passes, self.tol, gap, gap, tuple(anew), *sides, seconds
        )

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of classes."""
        rows = self._data_to_score(X)
        return self._learned.scorer.predict_proba(rows, self.n_jobs)

    def predict_log_proba(self, X: Any) -> Floats:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _keep(self, fit: LogisticFit, *, classes: NDArray[Any], by_class: Floats) -> None:
        self._learned = _Learned(fit)
        self.classes_ = classes
        self.class_weight_ = by_class
        self.intercept_ = fit.machine.intercept
        self.C_ = fit.C
        self.bounds_ = (fit.objective - fit.gap, fit.objective)
        self.n_iter_ = fit.passes
        self.fit_status_ = int(not fit.converged)


class _Learned:
    """The machine, and its scorer, compiled when needed."""

    def __init__(self, fit: LogisticFit) -> None:
        self.machine: Machine = fit.machine

    def __getstate__(self) -> dict[str, Any]:
        return {"machine": self.machine}

    @functools.cached_property
    def scorer(self) -> Scorer:
        return self.machine.compile()

    def scorer_for(self, data: Any) -> Scorer:
        return self.scorer
