"""What fitted machines lie in, pipelines, searches, calibration: the estimator inside, and what X becomes for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from gristmill.estimators.hashed_words import words_of_columns


@dataclass(frozen=True)
class Contained:
    """The estimator that a container ends in, and the transformers before it.

    Parameters
    ----------
    estimator : fitted estimator
    steps : tuple of fitted transformers
        X goes through them, one after the other.
    is_calibrated : bool
        Whether the container answers by probabilities instead of the estimator's scores.
    """

    estimator: Any
    steps: tuple[Any, ...] = ()
    is_calibrated: bool = False

    def transformed(self, X: Any) -> Any:
        """X as the estimator gets it."""
        for step in self.steps:
            X = step.transform(X)
        return X

    @property
    def hashes_words(self) -> bool:
        """Whether words of texts become columns whose names only texts can tell."""
        return any(isinstance(step, HashingVectorizer) for step in self.steps)

    def feature_names(self, X: Any = None) -> tuple[str, ...] | None:
        """The names of the estimator's columns by `get_feature_names_out`; None where the last step has none.

        A step without names leaves those after it to their own. X: texts whose words name the columns of hashes.
        """
        names = None
        for number, step in enumerate(self.steps):
            if isinstance(step, HashingVectorizer) and X is not None:
                before = replace(self, steps=self.steps[:number])
                names = words_of_columns(step, before.transformed(X))
            else:
                names = _names_after(step, names)
        return None if names is None else tuple(map(str, names))


def contained(model: Any) -> Contained:
    """The estimator inside a Pipeline, a search, a FrozenEstimator or a CalibratedClassifierCV with one of it.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> import gristmill as gm
    >>> from gristmill.estimators.containers import contained
    >>> pipeline = make_pipeline(gm.TableEncoder(), gm.KernelSVC()).fit([["a"], ["b"]] * 5, [0, 1] * 5)
    >>> contained(pipeline).feature_names()
    ('x0 = a', 'x0 = b', 'x0 = other')
    """
    if isinstance(model, Pipeline):
        own = tuple(step for _, step in model.steps[:-1] if step is not None and step != "passthrough")
        inner = contained(model.steps[-1][1])
        return replace(inner, steps=own + inner.steps)
    if isinstance(model, BaseSearchCV):
        return contained(best_of(model))
    if isinstance(model, FrozenEstimator):
        return contained(model.estimator)
    if isinstance(model, CalibratedClassifierCV):
        return replace(contained(_only_one(model)), is_calibrated=True)
    if isinstance(model, OneVsRestClassifier | OneVsOneClassifier | OutputCodeClassifier):
        raise ValueError(
            f"{type(model).__name__} holds many machines: take one of its estimators_, or a KernelSVC, which has one "
            "machine for all classes"
        )
    return Contained(model)


def best_of(search: Any) -> Any:
    """The estimator that a search found and fitted."""
    check_is_fitted(search)
    if not hasattr(search, "best_estimator_"):
        raise ValueError("the search kept no fitted estimator; use refit=True")
    return search.best_estimator_


def _only_one(calibrated: Any) -> Any:
    check_is_fitted(calibrated)
    several = calibrated.calibrated_classifiers_
    if len(several) != 1:
        raise ValueError(
            f"CalibratedClassifierCV holds {len(several)} machines, one for each fold, and averages their "
            "probabilities: fit it with ensemble=False, or take one of its calibrated_classifiers_"
        )
    return several[0].estimator


def _names_after(step: Any, names: Any) -> Any:
    try:
        return step.get_feature_names_out(names)
    except (AttributeError, ValueError):  # it has none, or knows other columns than these
        return None
