"""accelerate: a drop-in for a fitted scikit-learn machine, alone or inside others."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

import gristmill as gm

POLY = {"kernel": "poly", "degree": 3, "gamma": 0.5, "coef0": 0.3}
RNG = np.random.default_rng(8)
X = (RNG.random((160, 12)) < 0.4).astype(float)
TRAIN, TEST = X[:110], X[110:]
ORDER = np.argsort(np.argsort(X[:, :4].sum(axis=1) - X[:, 5] * X[:, 6] + RNG.normal(size=160) / 2))
NAMES = np.array(["fig", "apple", "plum", "pear", "date"])

ESTIMATORS = [
    SVC(**POLY),
    SVC(kernel="linear"),
    SVC(kernel="poly", degree=2, gamma="scale", coef0=1, class_weight="balanced"),
    NuSVC(**POLY, nu=0.2),
    SVR(**POLY),
    NuSVR(kernel="linear", nu=0.4),
    OneClassSVM(**POLY, nu=0.3),
    SVC(),
    SVC(kernel="sigmoid", gamma=0.05, coef0=-0.2),
    SVR(gamma=0.3),
    OneClassSVM(nu=0.3),
]
CONTAINERS = [pytest.param(np.asarray, id="dense"), pytest.param(sp.csr_matrix, id="sparse")]


def labels(n_classes):
    return NAMES[ORDER * n_classes // len(X)]


def y_of(estimator, n_classes=3):
    return ORDER.astype(float) if is_regressor(estimator) else labels(n_classes)


def fitted(estimator, n_classes=3, container=np.asarray):
    return clone(estimator).fit(container(TRAIN), y_of(estimator, n_classes)[:110])


def assert_same_answers(ours, theirs, table):
    for method in ("predict", "decision_function", "score_samples", "predict_proba"):
        if not hasattr(theirs, method):
            assert not hasattr(ours, method)
            continue
        got, expected = getattr(ours, method)(table), getattr(theirs, method)(table)
        if method == "predict" and not is_regressor(theirs):
            np.testing.assert_array_equal(got, expected)
        else:
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


# --- the same answers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["auto", "direct", "inverted"])
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_answers_are_sklearns(estimator, container, engine):
    svc = fitted(estimator, container=container)
    assert_same_answers(gm.accelerate(svc, engine=engine, n_jobs=2), svc, container(TEST))


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("estimator", [SVC(**POLY), NuSVC(**POLY, nu=0.1), SVC()], ids=str)
def test_classifiers_shape_their_scores_as_sklearn_does(estimator, n_classes, shape):
    svc = fitted(clone(estimator).set_params(decision_function_shape=shape), n_classes)
    assert_same_answers(gm.accelerate(svc), svc, TEST)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_ties_are_broken_as_sklearn_does(n_classes):
    svc = fitted(SVC(kernel="poly", degree=1, C=0.01, break_ties=True), n_classes)
    assert_same_answers(gm.accelerate(svc), svc, X)


def test_breaking_ties_of_pairs_is_refused_as_sklearn_does():
    svc = fitted(SVC(**POLY, break_ties=True, decision_function_shape="ovo"))
    for estimator in (svc, gm.accelerate(svc)):
        with pytest.raises(ValueError, match="break_ties must be False"):
            estimator.predict(TEST)


@pytest.mark.filterwarnings("ignore:.*probability.*:FutureWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", [SVC(**POLY), NuSVC(**POLY, nu=0.2), SVC()], ids=str)
def test_probabilities_are_sklearns(estimator, n_classes):
    svc = fitted(clone(estimator).set_params(probability=True, random_state=0), n_classes)
    accelerated = gm.accelerate(svc)
    assert_same_answers(accelerated, svc, TEST)
    np.testing.assert_allclose(accelerated.predict_log_proba(TEST), svc.predict_log_proba(TEST), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if not is_outlier_detector(e)], ids=str)
def test_score_is_sklearns(estimator):
    svc, y = fitted(estimator), y_of(estimator)[110:]
    assert gm.accelerate(svc).score(TEST, y) == pytest.approx(svc.score(TEST, y), rel=1e-12)


def test_the_direct_engine_takes_real_data_with_a_warning():
    svc = fitted(SVC(**POLY))
    accelerated = gm.accelerate(svc)
    with pytest.warns(gm.DirectScoringWarning, match="X holds values other than 0 and 1"):
        assert_same_answers(accelerated, svc, TEST * 0.5 - 0.1)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_real_support_is_scored_directly_with_a_warning(estimator):
    svc = clone(estimator).fit(TRAIN * 0.7, y_of(estimator)[:110])
    with pytest.warns(gm.DirectScoringWarning, match="support vectors hold values other than 0 and 1"):
        accelerated = gm.accelerate(svc)
    assert accelerated.scorer_.engine == "direct"
    assert_same_answers(accelerated, svc, TEST * 0.7)
    assert_same_answers(accelerated, svc, TEST)


# --- the same behaviour -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["support_", "dual_coef_", "intercept_", "n_features_in_", "n_support_", "classes_"])
def test_fitted_attributes_are_the_originals(name):
    svc = fitted(SVC(**POLY))
    np.testing.assert_array_equal(getattr(gm.accelerate(svc), name), getattr(svc, name))


@pytest.mark.parametrize("name", ["feature_names_in_", "no_such_", "_private_", "nothing"])
def test_attributes_the_original_lacks_are_missing(name):
    assert not hasattr(gm.accelerate(fitted(SVC(**POLY))), name)


@pytest.mark.parametrize("table", [TEST[:, :-1], TEST[0], TEST * np.nan], ids=["narrow", "flat", "NaN"])
@pytest.mark.parametrize("estimator", [ESTIMATORS[0], ESTIMATORS[4], ESTIMATORS[-1]], ids=str)
def test_data_that_sklearn_refuses_are_refused_alike(estimator, table):
    svc = fitted(estimator)
    with pytest.raises(ValueError) as theirs:  # noqa: PT011 - the message is compared below
        svc.predict(table)
    with pytest.raises(ValueError) as ours:  # noqa: PT011
        gm.accelerate(svc).predict(table)
    assert str(ours.value).splitlines()[0] == str(theirs.value).splitlines()[0]


def test_frames_give_feature_names_that_are_checked():
    frame = pd.DataFrame(X, columns=[f"f{n}" for n in range(12)])
    svc = SVC(**POLY).fit(frame[:110], labels(3)[:110])
    accelerated = gm.accelerate(svc)
    assert accelerated.machine_.feature_names == tuple(frame.columns)
    np.testing.assert_array_equal(accelerated.feature_names_in_, frame.columns)
    assert_same_answers(accelerated, svc, frame[110:])
    with pytest.raises(ValueError, match="feature names should match"):
        accelerated.predict(frame[frame.columns[::-1]])


@pytest.mark.parametrize("same", [is_classifier, is_regressor, is_outlier_detector], ids=lambda f: f.__name__)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_it_is_of_the_originals_kind(estimator, same):
    assert same(gm.accelerate(fitted(estimator))) is same(estimator)


def state_of(estimator):
    return {name: pickle.dumps(value) for name, value in vars(estimator).items()}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_the_original_stays_as_it_was(estimator):
    svc = fitted(estimator)
    before = state_of(svc)
    gm.accelerate(svc).predict(TEST)
    assert state_of(svc) == before


def test_answers_stay_when_the_original_is_fitted_again():
    svc = fitted(SVC(**POLY))
    accelerated, twin = gm.accelerate(svc), copy.deepcopy(svc)
    svc.fit(TRAIN, labels(2)[:110])
    assert_same_answers(accelerated, twin, TEST)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))], ids=["copy", "deepcopy", "pickle"]
)
def test_a_copy_gives_the_same_answers(again):
    svc = fitted(SVC(**POLY))
    assert_same_answers(again(gm.accelerate(svc)), svc, TEST)


# --- fitting again ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_fit_fits_the_estimator_again(estimator):
    accelerated = gm.accelerate(fitted(estimator))
    y = y_of(estimator, 2)[:60]
    assert accelerated.fit(TRAIN[:60], y) is accelerated
    assert_same_answers(accelerated, clone(estimator).fit(TRAIN[:60], y), TEST)


def test_a_clone_is_unfitted():
    accelerated = clone(gm.accelerate(fitted(SVC(**POLY)), engine="direct"))
    assert accelerated.engine == "direct"
    with pytest.raises(NotFittedError):
        accelerated.predict(TEST)


@pytest.mark.parametrize("estimator", [SVC(**POLY), SVR(**POLY)], ids=str)
def test_cross_validation_scores_are_sklearns(estimator):
    svc, y = fitted(estimator), y_of(estimator)
    np.testing.assert_allclose(cross_val_score(gm.accelerate(svc), X, y), cross_val_score(svc, X, y), rtol=1e-9)


def test_a_search_over_an_accelerated_estimator_finds_what_sklearns_does():
    svc, y = fitted(SVC(**POLY)), labels(3)
    ours = GridSearchCV(gm.accelerate(svc), {"estimator__C": [0.01, 1], "estimator__degree": [1, 2]}, cv=3).fit(X, y)
    theirs = GridSearchCV(svc, {"C": [0.01, 1], "degree": [1, 2]}, cv=3).fit(X, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert_same_answers(ours, theirs, X)
    assert svc.C == 1


# --- inside others ----------------------------------------------------------------------------------------------------

COMPOSED = {
    "Pipeline": make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVC(**POLY)),
    "GridSearchCV": GridSearchCV(SVC(**POLY), {"C": [0.1, 1], "degree": [1, 2]}, cv=3),
    "RandomizedSearchCV": RandomizedSearchCV(SVC(**POLY), {"C": [0.1, 1, 10]}, n_iter=2, cv=3, random_state=0),
    "CalibratedClassifierCV": CalibratedClassifierCV(SVC(**POLY), cv=3),
    "CalibratedClassifierCV without ensemble": CalibratedClassifierCV(SVC(**POLY), cv=3, ensemble=False),
    "OneVsRestClassifier": OneVsRestClassifier(SVC(**POLY)),
    "OneVsOneClassifier": OneVsOneClassifier(SVC(**POLY)),
    "GridSearchCV of a Pipeline": GridSearchCV(
        Pipeline([("encode", OneHotEncoder(handle_unknown="ignore")), ("svc", SVC(**POLY))]), {"svc__C": [0.1, 1]}, cv=3
    ),
    "OneVsRestClassifier of Pipelines": OneVsRestClassifier(make_pipeline(OneHotEncoder(), SVC(**POLY))),
}
composed = pytest.mark.parametrize("whole", COMPOSED.values(), ids=COMPOSED)


@composed
def test_answers_inside_others_are_sklearns(whole):
    theirs = fitted(whole)
    ours = gm.accelerate(theirs)
    assert type(ours) is type(theirs)
    assert found_scorers(ours)
    assert not found_scorers(theirs)
    assert_same_answers(ours, theirs, TEST)
    assert ours.score(TEST, labels(3)[110:]) == theirs.score(TEST, labels(3)[110:])


def found_scorers(whole):
    """The kinds of compiled scorers anywhere inside."""
    seen, todo, kinds = set(), [whole], set()
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, gm.Scorer):
            kinds.add(type(value._engine).__name__)
        elif isinstance(value, list | tuple):
            todo.extend(value)
        elif hasattr(value, "__dict__") and not isinstance(value, type):
            todo.extend(vars(value).values())
    return kinds


@composed
def test_unfitted_others_are_refused(whole):
    with pytest.raises(NotFittedError):
        gm.accelerate(clone(whole))


def test_a_label_that_every_example_has_is_no_obstacle():
    """OneVsRestClassifier then holds a constant in place of a machine."""
    Y = np.column_stack([labels(2) == "fig", np.ones(160), labels(3) == "plum"]).astype(int)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Label .* is present in all training examples", UserWarning)
        theirs = OneVsRestClassifier(SVC(**POLY)).fit(TRAIN, Y[:110])
    np.testing.assert_array_equal(gm.accelerate(theirs).predict(TEST), theirs.predict(TEST))


def test_one_hot_encoded_tables_are_binary_data():
    """Any table of categories, not only text: checklist 4.19."""
    frame = pd.DataFrame(
        {
            "colour": RNG.choice(["red", "green", "blue"], 300),
            "size": RNG.choice(["S", "M", "L", "XL"], 300),
            "used": RNG.choice([True, False], 300),
            "year": RNG.choice([2019, 2020, 2021], 300),
        }
    )
    y = np.where((frame["colour"] == "red") ^ (frame["size"] == "L") ^ frame["used"], "buy", "wait")
    theirs = make_pipeline(OneHotEncoder(), SVC(kernel="poly", degree=3, gamma=1, coef0=1)).fit(frame[:200], y[:200])
    ours = gm.accelerate(theirs)
    assert ours[-1].scorer_.engine != "direct"
    assert_same_answers(ours, theirs, frame[200:])
    assert ours.score(frame[200:], y[200:]) == 1


# --- what is refused --------------------------------------------------------------------------------------------------


def test_a_callable_is_refused_with_the_reason():
    with pytest.raises(ValueError, match="a machine needs the kernel 'rbf', 'poly', 'linear' or 'sigmoid'"):
        gm.accelerate(fitted(SVC(kernel=gm.PolynomialKernel(2))))


def test_a_precomputed_kernel_is_refused_with_the_reason():
    svc = SVC(kernel="precomputed").fit(TRAIN @ TRAIN.T, labels(3)[:110])
    with pytest.raises(ValueError, match="'precomputed': a machine needs the kernel"):
        gm.accelerate(svc)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_an_unfitted_estimator_is_refused(estimator):
    with pytest.raises(NotFittedError):
        gm.accelerate(clone(estimator))


@pytest.mark.parametrize("other", [LogisticRegression(), make_pipeline(LogisticRegression()), SVC, None], ids=str)
def test_other_estimators_are_refused(other):
    with pytest.raises(ValueError, match="cannot accelerate"):
        gm.accelerate(other)


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError, match="engine must be one of"):
        gm.accelerate(fitted(SVC(**POLY)), engine="fast")


@pytest.mark.parametrize("around", [lambda e: e, make_pipeline, lambda e: GridSearchCV(e, {"C": [1.0]}, cv=2)])
def test_our_own_estimators_are_compiled_already(around):
    clf = around(gm.KernelSVC(degree=2)).fit(TRAIN, labels(2)[:110])
    accelerated = gm.accelerate(clf, n_jobs=2)
    assert_same_answers(accelerated, clf, TEST)
    with pytest.raises(
        ValueError, match="KernelSVC chooses its engine itself; for engine='direct' compile its machine_"
    ):
        gm.accelerate(clf, engine="direct")


def test_one_of_ours_gets_threads_and_stays_as_it_was():
    clf = gm.KernelSVC(degree=2).fit(TRAIN, labels(2)[:110])
    assert gm.accelerate(clf) is clf
    assert gm.accelerate(clf, n_jobs=2).n_jobs == 2
    assert clf.n_jobs is None
    with pytest.raises(NotFittedError):
        gm.accelerate(gm.KernelSVC())
