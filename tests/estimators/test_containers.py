"""The way from a container to its machine: the estimator inside, what X becomes, and the names of its columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder
from sklearn.svm import SVC

import gristmill as gm
from gristmill.estimators.containers import contained

TABLE = pd.DataFrame({"age": [20.0, 31.0, 55.0, 42.0] * 3, "housing": ["own", "rent", "own", "free"] * 3})
Y = np.array([0, 1, 0, 1] * 3)
TEXTS = ["good plot", "bad plot", "not good", "not bad"] * 3
STEPS = ColumnTransformer(
    [
        ("cat", OneHotEncoder(handle_unknown="ignore"), ["housing"]),
        ("num", KBinsDiscretizer(2, encode="onehot", quantile_method="linear"), ["age"]),
    ],
    sparse_threshold=1.0,
)


def test_an_estimator_contains_itself():
    clf = gm.KernelSVC()
    assert contained(clf).estimator is clf
    assert contained(clf).feature_names() is None
    assert contained(clf).transformed(TEXTS) is TEXTS


@pytest.mark.parametrize(
    "around",
    [
        lambda p: p,
        lambda p: Pipeline([("none", None), ("same", "passthrough"), ("inner", p)]),
        FrozenEstimator,
        lambda p: GridSearchCV(p, {"clf__C": [1.0]}, cv=2),
        lambda p: RandomizedSearchCV(p, {"clf__C": [0.5, 1.0]}, n_iter=1, cv=2, random_state=0),
        lambda p: CalibratedClassifierCV(p, ensemble=False, cv=2),
    ],
    ids=["itself", "a pipeline", "frozen", "grid", "random", "calibrated"],
)
def test_containers_end_in_their_estimator(around):
    pipeline = Pipeline([("encode", STEPS), ("k", SelectKBest(chi2, k=4)), ("clf", gm.KernelSVC())])
    model = around(pipeline.fit(TABLE, Y)).fit(TABLE, Y)
    inner, is_calibrated = contained(model), isinstance(model, CalibratedClassifierCV)
    assert isinstance(inner.estimator, gm.KernelSVC)
    assert inner.is_calibrated is is_calibrated
    assert inner.feature_names() == tuple(pipeline[:-1].get_feature_names_out())
    columns = inner.transformed(TABLE)
    assert sp.issparse(columns)
    if not is_calibrated:
        assert np.array_equal(inner.estimator.decision_function(columns), model.decision_function(TABLE))


def test_steps_without_names_leave_the_names_to_those_behind_them():
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    named = make_pipeline(lower, TfidfVectorizer(), SelectKBest(chi2, k=2), SVC()).fit(TEXTS, Y)
    assert set(contained(named).feature_names()) < {"bad", "good", "not", "plot"}
    nameless = make_pipeline(CountVectorizer(), FunctionTransformer(lambda X: X[:, ::-1]), SVC()).fit(TEXTS, Y)
    assert contained(nameless).feature_names() is None


def test_words_of_texts_name_hashed_columns():
    hashed = make_pipeline(HashingVectorizer(n_features=2**8, alternate_sign=False), SelectKBest(chi2, k=3), SVC())
    inner = contained(hashed.fit(TEXTS, Y))
    assert inner.hashes_words
    assert set(inner.feature_names(["Not a good PLOT"])) < {"not", "good", "plot"} | {str(n) for n in range(256)}
    assert not {"not", "good", "plot", "bad"} & set(inner.feature_names())


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CalibratedClassifierCV(gm.KernelSVC(), ensemble=True, cv=3), "holds 3 machines, one for each fold"),
        (OneVsRestClassifier(SVC()), "OneVsRestClassifier holds many machines"),
        (OneVsOneClassifier(SVC()), "OneVsOneClassifier holds many machines"),
        (GridSearchCV(SVC(), {"C": [1.0]}, cv=2, refit=False), "kept no fitted estimator; use refit=True"),
    ],
    ids=lambda value: "" if isinstance(value, str) else type(value).__name__,
)
def test_what_has_no_single_machine_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        contained(model.fit(np.eye(12), Y))
