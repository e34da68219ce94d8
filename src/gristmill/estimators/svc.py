"""Support vector classification with any kernel, as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.checks import check_choice, check_flag, seed_of
from gristmill.base.progress import Progress
from gristmill.data.rows import Binarize
from gristmill.estimators.base import class_weights, example_weights
from gristmill.estimators.forgetting import TrainingExamples, check_left, checked_labels
from gristmill.estimators.kernel_svm import KernelSVM, most_confident
from gristmill.machines.probability import class_shares
from gristmill.machines.schemes import DecisionRule, Scheme, votes_and_confidence
from gristmill.scoring.deciding import class_numbers
from gristmill.solvers.batch import SvmFit, SvmSettings, train_svm
from gristmill.solvers.batch.calibrating import train_with_probability
from gristmill.solvers.batch.forgetting import Forgetting
from gristmill.solvers.batch.problems import check_class_count, class_problems
from gristmill.solvers.batch.result import Task
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmKernel
from gristmill.solvers.batch.training import with_cost
from gristmill.solvers.cost_scale import AUTO


def _has_probability(estimator: KernelSVC) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class KernelSVC(ClassifierMixin, KernelSVM):  # type: ignore[misc]
    """C-support vector classification with any kernel: on rows, on trees and sequences, sums, Gram matrices.

    Solutions are exact up to `tol`, and those of LIBSVM and scikit-learn's SVC: objective, signs, order and shapes of
    what is learned are theirs. Equal examples are computed once, and all classes share the rows of one kernel.

    Parameters
    ----------
    kernel : str, kernel or callable
        'poly' is PolynomialKernel(degree, gamma, coef0), 'linear' is PolynomialKernel(1, 1, 0), 'rbf' is
        RBFKernel(gamma), 'sigmoid' is SigmoidKernel(gamma, coef0); 'tanimoto', 'cosine' and 'dice' compare rows, too.
        'st', 'sst', 'sst-bow', 'ptk', 'uptk', 'lo', 'c', 'lo-marked' and 'c-marked' are normalised tree kernels,
        'subsequence' is one on sequences; or any kernel of the library, also sums and kernels on fields of `Examples`.
        'precomputed': X is a Gram matrix. A callable is called as kernel(A, B) and gives the Gram matrix of A and B.
        Either must be symmetric (up to rounding; a callable is checked where the matrix fits into `max_bytes`).
    degree : int
        Of 'poly'.
    gamma : float, 'scale', 'auto' or None
        Of 'poly', 'rbf' and 'sigmoid'; `gamma_` has the number. 'scale' is 1 / (n_features * X.var()) and 'auto' is
        1 / n_features, as in SVC, of X as it is compared (after `binarize`). None: 1 for 'poly', 'scale' for others.
    coef0 : float or None
        Of 'poly' and 'sigmoid'. None: 1 for 'poly', 0 for 'sigmoid'.
    C : float or 'auto'
        The price of an error, LIBSVM's C. 'auto': by the scale of the data, 1 over the squared mean length of the
        examples in the space of the kernel, measured from the empty example and weighted by `sample_weight`; `C_` has
        the number.
    solver : {'auto', 'smo', 'dual-cd', 'cutting-plane'}
        'smo' serves every kernel, row by row of the Gram matrix. 'dual-cd' serves polynomial kernels with gamma > 0 and
        coef0 >= 0 on values of 0 and 1, through the weights of conjunctions. 'cutting-plane' serves every positive
        semidefinite kernel, and hundreds of thousands of trees in seconds, through products with the whole Gram matrix.
        All solve the same problem; 'auto' takes the one that should be fastest. 'sigmoid' is not semidefinite: 'smo'
        trains with it as LIBSVM does, and what it finds is no minimum.
    tol : float
        The largest violation of the optimality conditions that is left, as LIBSVM measures it. For 'cutting-plane': how
        far the objective may be above the minimum, over the sum of all C, and at most 20 times `tol` of the objective
        itself: a coarser test. Use 1e-5 to compare machines with those of other solvers.
    sampling : {None, 'uniform', 'balanced', 'importance'}
        Of 'cutting-plane'. None: planes of all examples, exact. Others make each plane of `sample_size` examples and
        are approximate, the better the larger the samples: 'uniform' looks at a sample only, so that the work with the
        kernel does not grow with the examples; 'balanced' does so with as many of either class, weighted back;
        'importance' looks at all examples and samples those that have a loss.
    sample_size : int
        Examples of a sampled plane.
    confirm : {'sample', 'all'}
        Whether a sampled test of 'uniform' or 'balanced' that would end the training is repeated on a fresh sample, or
        on all examples.
    line_search : bool
        Of 'cutting-plane' without sampling: whether planes are made near the best point so far, which takes a third of
        the rounds, or at the solution of the planes before.
    patience : int
        Of 'cutting-plane': a plane without weight is kept for so many rounds.
    random_state : int, RandomState or None
        Of samples.
    max_iter : int
        At most so many steps ('smo'), passes ('dual-cd') or planes ('cutting-plane') for each output; -1: no limit.
        Where 'smo' finishes what 'dual-cd' has begun, each pass that is left gives it a step for every variable. Where
        `max_iter` ends a solver, there is a ConvergenceWarning, and `fit_status_` is 1.
    fit_intercept : bool
        Whether scores have an intercept b.
    intercept_scaling : float or None
        What b costs: see Notes.
    multiclass : {'ovo', 'ovr'}
        For more than two classes: an output for each pair of classes, and they vote (as LIBSVM and SVC do), or one for
        each class against the rest, and the highest wins.
    decision_function_shape : {'ovr', 'ovo'}
        For more than two classes and multiclass 'ovo': 'ovr' gives a score per class, made of votes and scores as in
        SVC; 'ovo' gives the scores of pairs.
    break_ties : bool
        With multiclass 'ovo': scores break ties of votes, as in SVC, instead of the order of classes.
    probability : bool
        Whether there is `predict_proba`: a sigmoid for each output, fitted to the scores of examples that were left out
        of five more trainings, as by scikit-learn's CalibratedClassifierCV(method='sigmoid', cv=5, ensemble=False). For
        pairs of classes (multiclass 'ovo') the probabilities of pairs are coupled, as in LIBSVM. A class of fewer than
        five examples makes fewer folds. The machine is the same, and keeps its sigmoids in files.
    shrinking : bool
        Whether solvers leave variables at their bounds alone for a while. Changes nothing that is learned.
    class_weight : dict, 'balanced' or None
        Factors of C by class.
    binarize : float, None or False
        For kernels on vectors: values above it become 1, the others 0, with a warning; None refuses other values than 0
        and 1; False computes with values as they are, for which 'smo', 'cutting-plane' and the scorer 'direct' serve.
    max_bytes : int or None
        Memory for rows of the kernel, or for weights of conjunctions; None is 4 GiB.
    convert : bool or 'auto'
        Whether trees are converted for the kernel first (`ConvertedForest`): True, for K_lo, K_c and the subset tree
        kernel; 'auto' converts where counts over samples say that it is faster. What is learned is the same up to
        `tol`. A ConvertedForest that serves the kernel is used as it is, whatever is said here.
    warm_start : bool
        `fit` starts from what the last one learned if the labels are the same (and scales it into the new C), and uses
        its rows of the kernel again if X is the same. What is learned is the same up to `tol` (of a kernel that is not
        positive semidefinite it may be another solution). What the next fit starts from is kept only where this is
        True.
    keep_examples : bool
        Whether `fit` keeps its examples, and where its solvers ended, for `forget` and `gristmill.leave_one_out`.
        Without it these are given the examples again.
    n_jobs : int or None
        Threads, for learning and prediction; they never change a result.
    verbose : int
        0: silent. 1 or more: lines on standard error, at most one a second, that say how far `fit` is, and one at its
        end.
    progress : callable or None
        Called with (done, total). Raise KeyboardInterrupt in it to stop.

    Attributes
    ----------
    machine_ : Machine
        What was learned; not for Gram matrices and callables.
    scorer_ : Scorer
        The machine, compiled.
    classes_ : array
    C_ : float
        C, or what 'auto' found.
    class_weight_ : array
        The factor of C of each class.
    support_ : array
        Numbers of the support vectors, by class, then ascending.
    support_vectors_ : array, sparse matrix, Forest or Examples
        What the kernel compares, values of 0 and 1 if they were binarized.
    n_support_ : array
        How many of each class.
    dual_coef_ : array
        Signed coefficients: (1, support vectors) for two classes; as in SVC (classes - 1, support vectors) for
        multiclass 'ovo', a row per rival class; (classes, support vectors) for 'ovr'.
    intercept_, n_iter_, objective_ : array
        Per output: b, steps (passes where 'dual-cd' was enough, see `machine_.provenance`), and the
        dual objective 1/2 a'Qa - sum a, as LIBSVM prints it.
    bounds_ : array
        Of 'cutting-plane', per output: what the minimum of the objective in the Notes is not below (samples: on average
        only), and the objective of what was learned; NaN where it is not known, as for kernels that are not positive
        semidefinite.
    gamma_ : float
        Of kernels that have one.
    fit_status_ : int
        0 if all solvers came to their end, else 1.
    receipt_ : Receipt
        Of the last `forget`.
    shape_fit_ : tuple
    n_features_in_, feature_names_in_
        As in scikit-learn; only for vectors.

    Notes
    -----
    With w in the space of the kernel, phi(x) the example in that space and weights s_i (those of samples times those of
    classes), each output minimises

    * ``1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i (w phi(x_i) + b))`` with ``fit_intercept=True, intercept_scaling=None``:
      b is free. This is LIBSVM's and SVC's problem;
    * ``1/2 (|w|^2 + v^2) + C sum_i s_i max(0, 1 - y_i (w phi(x_i) + b))``, b = s v, with ``intercept_scaling=s``: a
      constant feature s with a price like all others. This is LIBLINEAR's (L1-loss) problem;
    * ``1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i w phi(x_i))`` with ``fit_intercept=False``: no b.

    An example of weight 2 and an example that occurs twice are the same; where equal examples of one class are support
    vectors, the coefficient is shared in proportion to their weights. With 'cutting-plane' the first of them has all of
    it and the others are no support vectors, so that entries of `dual_coef_` may exceed C.

    An interrupted `fit` keeps what was learned so far and raises KeyboardInterrupt again (before the first step of a
    solver there is nothing to keep).

    Folds of `probability` are stratified and follow the order of the examples, without chance. Examples of weight 0 are
    in none; weights count for sigmoids, too, those of classes do not.

    Examples
    --------
    >>> import gristmill as gm
    >>> X = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]]
    >>> clf = gm.KernelSVC(degree=2).fit(X, ["a", "a", "b", "b"])
    >>> clf.predict(X)
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    >>> clf.machine_.n_support
    4

    Trees come as bracketed strings or as a `Forest`:

    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (C a) (B b))", "(S (C c) (B b))"]
    >>> gm.KernelSVC("sst", C=10).fit(trees, [0, 0, 1, 1]).predict(["(S (A d) (B e))", "(S (C d))"])
    array([0, 1])

    A path of C, each from the solution before and with the same rows of the kernel:

    >>> clf = gm.KernelSVC(degree=2, warm_start=True)
    >>> for C in (0.01, 0.1, 1.0):
    ...     print(C, clf.set_params(C=C).fit(X, [0, 0, 1, 1]).n_support_)
    0.01 [2 2]
    0.1 [2 2]
    1.0 [2 2]

    Probabilities:

    >>> clf = gm.KernelSVC(degree=2, probability=True).fit(X, ["a", "a", "b", "b"])
    >>> clf.predict_proba(X).shape
    (4, 2)
    >>> clf.scorer_.predict_proba(X).shape
    (4, 2)
    """

    def __init__(
        self,
        kernel: Any = "poly",
        *,
        degree: int = 2,
        gamma: Any = None,
        coef0: float | None = None,
        C: Any = 1.0,
        solver: str = "auto",
        sampling: str | None = None,
        sample_size: int = 1000,
        confirm: str = "sample",
        line_search: bool = True,
        patience: int = 20,
        random_state: Any = 0,
        tol: float = 1e-3,
        max_iter: int = -1,
        fit_intercept: bool = True,
        intercept_scaling: float | None = None,
        multiclass: str = "ovo",
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        probability: bool = False,
        shrinking: bool = True,
        class_weight: Any = None,
        binarize: Binarize = 0.0,
        max_bytes: int | None = None,
        convert: bool | str = "auto",
        warm_start: bool = False,
        keep_examples: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self._store(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, feature_names: Any = None) -> KernelSVC:
        """Learn from X and y; `sample_weight` multiplies C, 0 leaves an example out.

        `feature_names` are for X without names: a sparse matrix, an array, ids.
        """
        settings = self._settings()
        data, y = self._training_data(X, y, settings.kernel, feature_names)
        settings = self._settings_on(settings, data)
        check_classification_targets(y)
        lasts = self.warm_start or self.keep_examples
        data = data.copy() if lasts else data  # a forest may grow, arrays may be written to
        classes, labels = np.unique(y, return_inverse=True)
        check_class_count(classes)
        by_class = class_weights(self.class_weight, classes, y)
        weights = example_weights(sample_weight, y)
        how: dict[str, Any] = {"weights": weights, "n_jobs": self.n_jobs}
        how |= {"class_factors": None if (by_class == 1).all() else by_class, "initial": self._initial(classes)}

        def keep(fit: SvmFit) -> None:
            self._keep_classes(fit, classes, by_class, settings.kernel, is_sparse=sp.issparse(X))
            self._keep_examples(TrainingExamples(data, y, weights), fit)

        train = train_with_probability if self.probability else train_svm
        self._learn(partial(train, data, labels, classes, settings, **how), keep)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Scores: of shape (examples,) for two classes, above 0 is classes_[1]; else see `decision_function_shape`."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return np.asarray(scores[:, 0])
        if self._learned.fit.scheme is Scheme.ONE_VS_ONE and self.decision_function_shape == "ovr":
            return votes_and_confidence(scores, len(self.classes_))
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Class labels."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        return np.asarray(self.classes_[self._decide(X)])

    @available_if(_has_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, a column per class; the most probable one may differ from `predict` where scores are close."""
        check_is_fitted(self)
        fit = self._learned.fit
        if fit.probability is None:
            raise NotFittedError("this machine was learned without probabilities: fit again with probability=True")
        return class_shares(fit.probability, fit.scheme, len(self.classes_), self._scores(X))

    @available_if(_has_probability)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))

    def _decide(self, X: Any) -> Indices:
        """Class numbers."""
        learned = self._learned
        breaks_ties = self.break_ties and learned.fit.scheme is Scheme.ONE_VS_ONE
        if learned.fit.machine is None:
            scores, size = self._scores(X), len(self.classes_)
            if breaks_ties:
                return np.asarray(votes_and_confidence(scores, size).argmax(axis=1))
            return DecisionRule(learned.fit.scheme, size, int(size == 2)).classes(scores)
        data = self._data_to_score(X)
        if breaks_ties:
            return most_confident(learned.scorer_for(data), data, lambda: learned.definition, self.n_jobs)
        return class_numbers(learned.scorer_for(data), data, self.n_jobs)

    def _settings(self) -> SvmSettings:
        check_choice("decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))
        for name in ("break_ties", "warm_start", "probability", "keep_examples"):
            check_flag(name, getattr(self, name))
        return self._svm_settings(seed=seed_of(self.random_state))

    def _keep_classes(
        self, fit: SvmFit, classes: NDArray[Any], by_class: Floats, kernel: SvmKernel, *, is_sparse: bool
    ) -> None:
        self.classes_ = classes
        self.class_weight_ = by_class
        self.bounds_ = fit.bounds
        lasts = self.warm_start or self.keep_examples
        self._keep(fit if lasts else fit.without_state(), kernel, is_sparse=is_sparse)

    def _initial(self, classes: NDArray[Any]) -> Any:
        """The result of the last fit, for a warm start from it."""
        is_warm = self.warm_start and hasattr(self, "_learned") and np.array_equal(classes, self.classes_)
        return self._learned.fit if is_warm else None

    # --- forgetting ---------------------------------------------------------------------------------------------------

    def _targets(self, y: Any, size: int) -> NDArray[Any]:
        return checked_labels(y, size, self.classes_)

    def _task(self, examples: TrainingExamples, fit: SvmFit) -> Task:
        rows = examples.rows or TrainingRows.of(fit.settings, examples.data, None)
        labels = np.searchsorted(self.classes_, examples.targets)
        costs = fit.settings.cost * (examples.factors * self.class_weight_[labels])
        known = fit.problems if examples.rows is not None else []
        problems = known or class_problems(labels, len(self.classes_), fit.scheme, costs, rows.groups)
        first_id = None if fit.machine is None else fit.machine.first_id
        return Task(fit.settings, rows, labels, self.classes_, fit.scheme, problems, first_id)

    def _asked(self, task: Task, examples: TrainingExamples, forgotten: Flags) -> tuple[Forgetting, tuple[str, ...]]:
        weights = np.where(forgotten, 0.0, examples.factors)
        check_left(task.labels, weights, self.classes_, "forgetting them")
        settings, anew = task.settings, []
        if self.C == AUTO:
            settings = with_cost(replace(settings, C=AUTO), task.rows, weights)
            anew.append("C")
        anew += ["class weights"] if self._is_balanced else []
        anew += ["probabilities"] if self.probability else []
        by_class = self._class_factors(examples, forgotten)
        return Forgetting(forgotten, settings.cost * (weights * by_class[task.labels]), settings), tuple(anew)

    @property
    def _is_balanced(self) -> bool:
        return isinstance(self.class_weight, str) and self.class_weight == "balanced"

    def _class_factors(self, examples: TrainingExamples, forgotten: Flags) -> Floats:
        if not self._is_balanced or examples.y is None:
            return self.class_weight_
        return class_weights("balanced", self.classes_, examples.y[~forgotten])

    def _found_anew(self, fit: SvmFit, examples: TrainingExamples, forgotten: Flags) -> SvmFit:
        """With probabilities, which are fitted to machines of parts of all examples."""
        if not self.probability:
            return fit
        by_class, labels = self._class_factors(examples, forgotten), np.searchsorted(self.classes_, examples.targets)
        settings = replace(fit.settings, C=AUTO) if self.C == AUTO else fit.settings  # each fold has its own
        with self._reporting() as progress:
            return train_with_probability(
                *(fit.rows, labels[~forgotten], self.classes_, settings),
                weights=None if examples.weights is None else examples.weights[~forgotten],
                class_factors=None if (by_class == 1).all() else by_class,
                n_jobs=self.n_jobs,
                progress=progress,
                initial=fit,
                first_id=None if fit.machine is None else fit.machine.first_id,
            )

    def _keep_forgotten(self, fit: SvmFit, examples: TrainingExamples, forgotten: Flags) -> None:
        by_class, kernel = self._class_factors(examples, forgotten), fit.settings.kernel
        self._keep_classes(fit, self.classes_, by_class, kernel, is_sparse=self._learned.is_sparse)
