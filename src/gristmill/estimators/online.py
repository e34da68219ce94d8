"""Online learning with conjunctive features, as a scikit-learn classifier."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import unique_labels

from gristmill.base.arrays import Floats
from gristmill.base.checks import seed_of
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize, Rows
from gristmill.display.words import listed_labels
from gristmill.estimators.base import class_weights, example_weights
from gristmill.estimators.row_classifier import RowClassifier
from gristmill.machines.machine import Machine
from gristmill.scoring.scorer import Scorer
from gristmill.solvers.online import OnlineLearner, OnlineSettings, OnlineStats


class OnlineKernelClassifier(RowClassifier):
    """Perceptron and passive-aggressive learning with a polynomial kernel on binary features, exact and fast.

    Examples are visited one by one; where the margin is too small, the example joins the support rows with a step of
    the size that the rule says. Two classes share one output; more classes have one each, and a step moves the right
    class away from its highest rival (the first of equals), with twice the norm.

    Parameters
    ----------
    kernel : 'poly' or PolynomialKernel
        'poly' is PolynomialKernel(degree, gamma, coef0).
    degree, gamma, coef0 : int, float, float
        Degree 1 to 12, gamma > 0, coef0 >= 0.
    C : float or 'auto'
        The largest step of PA-I; for PA-II the larger, the less a step is softened. 'auto': 1 / (epochs * mean
        k(x, x)) over the first data, as opal does; `C_` has the number.
    update : {'pa1', 'perceptron', 'pa', 'pa2'}
        With loss = 1 - margin and the norm N: 'pa1' steps by min(C, loss / N), 'pa' by loss / N, 'pa2' by
        loss / (N + 1 / 2C), all where the loss is above 0; 'perceptron' by 1 where the margin is not above 0.
    norm : {'input', 'kernel'}
        N is the number of active features, as in the paper's program, or k(x, x). With 'input' steps are large for
        higher degrees, and 'pa' and 'pa2' may grow without bound.
    epochs : int
        Passes over the data in `fit`.
    averaged : bool
        Answer with the mean of the models after each example instead of the last one.
    shuffle : bool
        Visit the examples in another order in each pass of `fit`.
    random_state : int, RandomState or None
        Of the shuffling.
    engine : {'auto', 'inverted', 'expanded', 'split', 'slice', 'reslice', 'push'}
        How margins are found; all learn the same. 'inverted': an inverted index (the paper's PAI KERNEL). 'expanded':
        the weights of all conjunctions (KE). 'split': those of the `expanded` first features, the kernel for the others
        (SP). 'slice': feature by feature, whichever way is shorter (SL-). 'reslice': also reuses parts of margins found
        before (SL). 'push': for examples that are visited again; steps are pushed to the examples they concern.
        'auto': 'push' in `fit`, 'slice' in `partial_fit`.
    expanded : int or None
        How many features are expanded; None: all, as far as `max_bytes` goes.
    reuse : {'auto', True, False}
        Whether 'reslice' reuses; 'auto': from degree 3 on, where it pays.
    early_termination : {'auto', True, False}
        Whether 'expanded', 'split', 'slice' and 'reslice' stop as soon as no step can be needed; 'auto' is True. For
        two classes only; changes nothing that is learned.
    rank_by : {'frequency', 'appearance'}
        Which features come first: the most frequent of the first data, or those seen first.
    max_bytes : int or None
        Memory for the weights of conjunctions in 'expanded', 'split', 'slice' and 'reslice' (1 GiB if None): when it is
        reached, half as many features are expanded.
    arithmetic : {'auto', 'integer', 'double'}
        'integer': steps are rounded up to whole units of 2^-e, sums are exact, and every engine takes the same steps,
        bit for bit. It needs whole numbers gamma >= 1 and coef0 >= 0. e is that of the row that is learned from:
        20 + ceil(-log2(min(C w, 1 / N))), with the smallest class weight w and the norm N (doubled for more than two
        classes) of a row of its length, rounded up to a power of two, at least 64; 20 for the perceptron. 'double':
        steps as they are, engines agree up to rounding. 'auto': 'integer' where it can be and steps have a bound
        ('perceptron' and 'pa1'), unless e is above 60 for rows of 512 features; e is then at most 60 for all rows.
    budget : int or None
        At most so many support rows while learning: the oldest one is forgotten for a new one. An approximation, and
        the same for every engine; the averaged machine remembers all rows.
    class_weight : dict, 'balanced' or None
        Factors of C by class; 'balanced' in `fit` only.
    binarize : float or None
        Values above it become 1, the others 0, with a warning; None refuses other values than 0 and 1.
    warm_start : bool
        `fit` continues from what was learned before.
    init : Machine or None
        A machine to start from, as a saved one: same kernel and classes, no intercept.
    n_jobs : int or None
        Threads, for prediction and for learning with the engine push in integers; they never change a result.
    verbose : int
        0: silent. 1 or more: lines on standard error, at most one a second, that say how far `fit` is, and one at its
        end.
    progress : callable or None
        Called with (visits done, visits in all) some twenty times a second.

    Attributes
    ----------
    machine_ : Machine
        What was learned; equal rows are merged.
    scorer_ : Scorer
        The machine, compiled.
    classes_ : array
    C_ : float
        C, or what 'auto' found.
    stats_ : OnlineStats
        Examples, updates, mistakes, margins cut short, mean loss, support rows, seconds.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Examples are learned from in the order given, so data sorted by class should be shuffled. An interrupted `fit` keeps
    what was learned so far and raises KeyboardInterrupt again. In integer arithmetic `partial_fit` learns the same from
    a stream however it is cut, to the last bit; only C='auto' is chosen by the first part; give a number
    where a stream may be cut anywhere.

    Examples
    --------
    >>> import gristmill as gm
    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    >>> clf = gm.OnlineKernelClassifier(degree=2).fit(X, ["a", "a", "b", "b"])
    >>> clf.predict(X)
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    >>> clf.machine_.n_support
    4
    """

    _learned: _Learned
    _names: tuple[str, ...] | None = None  # of the columns

    def __init__(
        self,
        kernel: Any = "poly",
        *,
        degree: int = 2,
        gamma: float = 1.0,
        coef0: float = 1.0,
        C: Any = "auto",
        update: str = "pa1",
        norm: str = "input",
        epochs: int = 10,
        averaged: bool = True,
        shuffle: bool = False,
        random_state: Any = 0,
        engine: str = "auto",
        expanded: int | None = None,
        reuse: Any = "auto",
        early_termination: Any = "auto",
        rank_by: str = "frequency",
        max_bytes: int | None = None,
        arithmetic: str = "auto",
        budget: int | None = None,
        class_weight: Any = None,
        binarize: Binarize = 0.0,
        warm_start: bool = False,
        init: Machine | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, feature_names: Any = None) -> OnlineKernelClassifier:
        """Learn from X and y in `epochs` passes; `sample_weight` multiplies C, 0 leaves an example out.

        `feature_names` are for X without names: a sparse matrix, an array, ids.
        """
        going_on = self.warm_start and hasattr(self, "_learner")
        settings = self._settings()
        rows, y = self._rows(X, y, reset=not going_on)
        self._take_column_names(feature_names, first=not going_on)
        classes = unique_labels(y)
        if going_on and not np.isin(classes, self.classes_).all():
            raise ValueError(
                f"warm_start: y has classes other than those of before, {listed_labels(self.classes_)}: "
                f"{listed_labels(classes)}"
            )
        if not going_on:
            self._begin(settings, classes, class_weights(self.class_weight, classes, y))
        weights = self._weights(y, sample_weight)
        seed = seed_of(self.random_state) if self.shuffle else None
        self._learn(rows, y, weights, passes=settings.epochs, seed=seed)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, feature_names: Any = None
    ) -> OnlineKernelClassifier:
        """Learn from X and y in one pass, in order, continuing from what was learned before.

        classes : array, needed in the first call
            All labels that will ever come.
        feature_names : list of str or None
            Of X without names; they stay for later calls.
        """
        first = not hasattr(self, "_learner")
        if first and classes is None:
            raise ValueError("the first call of partial_fit needs classes: all labels that will ever come")
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight='balanced' needs all of y: give weights by class to partial_fit")
        settings = self._settings()
        rows, y = self._rows(X, y, reset=first)
        self._take_column_names(feature_names, first=first)
        if classes is not None:
            classes = unique_labels(classes)
            if not first and not np.array_equal(classes, self.classes_):
                raise ValueError(
                    f"classes {listed_labels(classes)} are not those of the first call, {listed_labels(self.classes_)}"
                )
        if first:
            self._begin(settings, classes, class_weights(self.class_weight, classes, y))
        if not np.isin(y, self.classes_).all():
            raise ValueError(
                f"y holds labels that are not in classes, {listed_labels(self.classes_)}: "
                f"{listed_labels(unique_labels(y))}"
            )
        self._learn(rows, y, self._weights(y, sample_weight), stream=True)
        return self

    def forget(self, *_: Any, **__: Any) -> None:
        """Refused: each step depends on all steps before it."""
        raise ValueError(
            "an online learner cannot forget: each step depends on all steps before it; fit anew without the examples, "
            "or use KernelSVC or KernelLogisticRegression, which can"
        )

    @property
    def stats_(self) -> OnlineStats:
        """What learning took and did."""
        self._after_fit("stats_")
        return self._learner.stats()

    def _settings(self) -> OnlineSettings:
        settings: OnlineSettings = self._settings_for(OnlineSettings, kernel=self._polynomial_kernel())
        return settings

    def _begin(self, settings: OnlineSettings, classes: NDArray[Any], weights: Floats) -> None:
        self._learner = OnlineLearner(settings, classes, smallest_weight=float(weights.min()), init=self.init)
        self._by_class = weights
        self.classes_ = classes
        self._learned = _Learned(self._learner, None)

    def _weights(self, y: NDArray[Any], sample_weight: Any) -> Floats:
        """Factors of C by example; empty where all are 1."""
        by_class = None if (self._by_class == 1).all() else self._by_class[np.searchsorted(self.classes_, y)]
        weights = example_weights(sample_weight, y, by_class)
        return np.empty(0) if weights is None else weights

    def _learn(self, rows: Rows, y: NDArray[Any], weights: Floats, **how: Any) -> None:
        self._learned = _Learned(self._learner, self._names)
        labels = np.searchsorted(self.classes_, y).astype(np.int32)
        self.C_ = self._learner.ensure_begun(rows, weights)
        with self._reporting() as progress:
            self._learner.learn(rows, labels, weights, n_jobs=self.n_jobs, progress=progress, **how)

    def _take_column_names(self, given: Any, *, first: bool) -> None:
        """Those of the first data stay, unless others are given."""
        if first or given is not None:
            self._names = self._column_names(given)


class _Learned:
    """The machine of a learner and its scorer, each made when needed."""

    def __init__(self, learner: OnlineLearner, feature_names: Any) -> None:
        self.learner = learner
        self.feature_names = feature_names

    @functools.cached_property
    def machine(self) -> Machine:
        return self.learner.machine(feature_names=self.feature_names)

    @functools.cached_property
    def scorer(self) -> Scorer:
        return self.machine.compile()

    def scorer_for(self, data: Any) -> Scorer:
        return self.scorer
