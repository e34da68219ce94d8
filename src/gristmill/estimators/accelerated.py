"""Drop-ins for fitted scikit-learn machines: same interface, same answers, compiled."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, OutlierMixin, RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection._search import BaseSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, _ConstantPredictor
from sklearn.pipeline import Pipeline
from sklearn.svm import OneClassSVM
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from gristmill.base.arrays import Floats
from gristmill.base.warnings import DirectScoringWarning
from gristmill.data.rows import Rows, are_ids, as_rows, ids_as_csr
from gristmill.estimators.base import KernelEstimator
from gristmill.estimators.containers import best_of
from gristmill.estimators.kernel_svm import most_confident
from gristmill.machines.formats.sklearn import from_sklearn, is_classifier, is_regressor
from gristmill.machines.probability import Sigmoid
from gristmill.machines.schemes import votes_and_confidence
from gristmill.scoring.deciding import class_numbers, trusted_scores
from gristmill.scoring.scorer import Scorer


def accelerate(svc: Any, *, engine: str = "auto", n_jobs: int | None = None) -> Any:
    """A drop-in for a fitted scikit-learn machine: same answers, compiled.

    Parameters
    ----------
    svc : fitted estimator
        SVC, NuSVC, SVR, NuSVR or OneClassSVM with kernel 'rbf', 'poly', 'linear' or 'sigmoid'; or a Pipeline that ends
        in one, a GridSearchCV or RandomizedSearchCV over one, a CalibratedClassifierCV, OneVsRestClassifier or
        OneVsOneClassifier around one. The original is left as it is. Estimators of gristmill are compiled already; they
        are taken in all of these places, for `n_jobs`.
    engine : str
        See `Machine.compile`.
    n_jobs : int or None
        Threads that prediction uses.

    Returns
    -------
    estimator
        With `predict`, `decision_function`, `predict_proba`, `score` and the fitted attributes of the original, and
        `machine_` and `scorer_`. Data with values other than 0 and 1 are scored exactly too, but directly, with a
        DirectScoringWarning.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> import gristmill as gm
    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]])
    >>> svc = SVC(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, ["a", "a", "b", "b"])
    >>> svc = gm.accelerate(svc)
    >>> svc.predict(X)
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    """
    options: dict[str, Any] = {"engine": engine, "n_jobs": n_jobs}
    if isinstance(svc, Pipeline):
        steps = [*svc.steps[:-1], (svc.steps[-1][0], accelerate(svc.steps[-1][1], **options))]
        return _changed(svc, steps=steps)
    if isinstance(svc, BaseSearchCV):
        return _changed(svc, best_estimator_=accelerate(best_of(svc), **options))
    if isinstance(svc, CalibratedClassifierCV):
        check_is_fitted(svc)
        calibrated = [_changed(c, estimator=accelerate(c.estimator, **options)) for c in svc.calibrated_classifiers_]
        return _changed(svc, calibrated_classifiers_=calibrated)
    if isinstance(svc, OneVsRestClassifier | OneVsOneClassifier):
        check_is_fitted(svc)
        # a label that every or no example has is a constant, not a machine
        parts = [e if isinstance(e, _ConstantPredictor) else accelerate(e, **options) for e in svc.estimators_]
        return _changed(svc, estimators_=parts)
    if isinstance(svc, KernelEstimator):
        return _own(svc, **options)
    return _wrapper(svc)(svc, **options)._adopt(svc)


def _own(estimator: Any, engine: str, n_jobs: int | None) -> Any:
    """One of ours: compiled by itself, so only the number of threads is left to change."""
    check_is_fitted(estimator)
    if engine != "auto":
        name = type(estimator).__name__
        raise ValueError(f"{name} chooses its engine itself; for engine={engine!r} compile its machine_")
    return estimator if n_jobs is None else _changed(estimator, n_jobs=n_jobs)


def _changed(estimator: Any, /, **attributes: Any) -> Any:
    changed = copy.copy(estimator)
    for name, value in attributes.items():
        setattr(changed, name, value)
    return changed


def _wrapper(svc: Any) -> type[_Accelerated]:
    if is_classifier(svc):
        return AcceleratedClassifier
    if is_regressor(svc):
        return AcceleratedRegressor
    if isinstance(svc, OneClassSVM):
        return AcceleratedOutlierDetector
    raise ValueError(
        f"cannot accelerate {type(svc).__name__}: expected a fitted SVC, NuSVC, SVR, NuSVR or OneClassSVM, alone or in "
        "a Pipeline, a search over parameters, CalibratedClassifierCV, OneVsRestClassifier or OneVsOneClassifier"
    )


class _Accelerated(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """What the drop-ins share: fitting a copy of the original, and scoring it compiled."""

    def __init__(self, estimator: Any = None, *, engine: str = "auto", n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.engine = engine
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> _Accelerated:
        """Fit a clone of the estimator and compile it."""
        return self._adopt(clone(self.estimator).fit(X, y, sample_weight=sample_weight))

    def _adopt(self, fitted: Any) -> _Accelerated:
        self.machine_ = from_sklearn(fitted)
        self._scorer = self.machine_.compile(self.engine)
        self.__dict__.pop("_direct_scorer", None)
        self.estimator_ = copy.copy(fitted)  # the original may be fitted again
        if not self.machine_.is_binary_valued:
            warnings.warn(
                "the support vectors hold values other than 0 and 1: scored exactly, but by the direct engine",
                DirectScoringWarning,
                stacklevel=3,
            )
        return self

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_") and not name.startswith("_") and "estimator_" in self.__dict__:
            return getattr(self.__dict__["estimator_"], name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.estimator is None or get_tags(self.estimator).input_tags.sparse
        return tags

    @property
    def scorer_(self) -> Scorer:
        """The machine, compiled; it reads data as `predict` does, and takes 0 and 1 where the support vectors do."""
        return self._scorer._read_by(self._compiled_data)

    def _compiled_data(self, X: Any) -> Rows:
        rows = self._data_to_score(X)
        if self._is_compiled_for(rows):
            return rows
        raise ValueError(
            "X holds values other than 0 and 1, which the compiled scorer does not take; predict and decision_function "
            "of the estimator compute with them"
        )

    def _is_compiled_for(self, rows: Rows) -> bool:
        return rows.is_binary or not self.machine_.is_binary_valued

    def _compiled_for(self, rows: Rows) -> Scorer:
        return self._scorer if self._is_compiled_for(rows) else self._direct()

    def _scorer_for(self, X: Any) -> tuple[Scorer, Rows]:
        """The compiled scorer, or the direct one for data it cannot take."""
        rows = self._data_to_score(X)
        if self._is_compiled_for(rows):
            return self._scorer, rows
        warnings.warn(
            "X holds values other than 0 and 1: scored exactly, but by the direct engine",
            DirectScoringWarning,
            stacklevel=3,
        )
        return self._direct(), rows

    def _data_to_score(self, X: Any) -> Rows:
        check_is_fitted(self)
        return data_to_score(self.estimator_, X)

    def _direct(self) -> Scorer:
        if "_direct_scorer" not in self.__dict__:
            self._direct_scorer = self.machine_.compile("direct", binarize=False)
        return self._direct_scorer


def _has_probabilities(classifier: Any) -> bool:
    return isinstance(classifier.machine_.probability, Sigmoid)


class AcceleratedClassifier(ClassifierMixin, _Accelerated):  # type: ignore[misc]
    """A compiled SVC or NuSVC; see `accelerate`."""

    def decision_function(self, X: Any) -> Floats:
        """Scores in the shape of `decision_function_shape` of the original."""
        scorer, rows = self._scorer_for(X)
        scores = trusted_scores(scorer, rows, self.n_jobs)
        if len(self.classes_) == 2:
            return scores[:, 0]
        if self.estimator_.decision_function_shape == "ovo":
            return scores
        return votes_and_confidence(scores, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class labels; `break_ties` as the original has it."""
        check_is_fitted(self)
        if self.estimator_.break_ties and self.estimator_.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        scorer, rows = self._scorer_for(X)
        if self.estimator_.break_ties and len(self.classes_) > 2:
            numbers = most_confident(scorer, rows, self._direct, self.n_jobs)
        else:
            numbers = class_numbers(scorer, rows, self.n_jobs)
        return np.asarray(self.estimator_.classes_[numbers])

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities by the sigmoids fitted with the original."""
        scorer, rows = self._scorer_for(X)
        return scorer.predict_proba(rows, self.n_jobs)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))


class AcceleratedRegressor(RegressorMixin, _Accelerated):  # type: ignore[misc]
    """A compiled SVR or NuSVR; see `accelerate`."""

    def predict(self, X: Any) -> Floats:
        """Predicted values."""
        scorer, rows = self._scorer_for(X)
        return scorer.decision_function(rows, self.n_jobs)


class AcceleratedOutlierDetector(OutlierMixin, _Accelerated):  # type: ignore[misc]
    """A compiled OneClassSVM; see `accelerate`."""

    def decision_function(self, X: Any) -> Floats:
        """Signed distance to the boundary, above 0 inside."""
        scorer, rows = self._scorer_for(X)
        return scorer.decision_function(rows, self.n_jobs)

    def score_samples(self, X: Any) -> Floats:
        """`decision_function` without the offset."""
        return np.asarray(self.decision_function(X) + self.offset_)

    def predict(self, X: Any) -> NDArray[Any]:
        """1 inside, -1 outside."""
        scorer, rows = self._scorer_for(X)
        return scorer.predict(rows, self.n_jobs)


def data_to_score(svc: Any, X: Any) -> Rows:
    """X as `predict` of a fitted scikit-learn machine reads it: lists are tables, values count as they are."""
    table = ids_as_csr(X, svc.n_features_in_)
    checked = validate_data(svc, table, accept_sparse="csr", dtype="numeric", reset=False)
    return as_rows(X if are_ids(X) else checked, binarize=False)
