"""KernelLogisticRegression: the minimum by the book, machines of conjunctions, scikit-learn's habits."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm
from tests.oracle import logistic as oracle

RNG = np.random.default_rng(8)
X = (RNG.random((200, 12)) < 0.4).astype(float)
X[5] = 0  # an empty row
NOISE = RNG.random(200)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE > 1.2, "yes", "no")
Y3 = np.where(X[:, 3] * X[:, 4] > 0, 7, np.where(X[:, 0] + NOISE > 0.6, 3, 5))
CASES = pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])


def sets_of(table):
    return [frozenset(np.flatnonzero(row).tolist()) for row in table]


@parametrize_with_checks([gm.KernelLogisticRegression(), gm.KernelLogisticRegression(degree=3, C=100.0)])
def test_scikit_learn_s_own_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.DataConversionWarning)
        warnings.simplefilter("ignore", gm.ConvergenceWarning)
        check(estimator)


# --- what is learned --------------------------------------------------------------------------------------------------


@CASES
@pytest.mark.parametrize(("degree", "gamma", "coef0"), [(1, 1.0, 1.0), (2, 0.5, 2.0), (3, 1.0, 0.0)])
def test_the_minimum_is_that_of_explicit_columns(y, degree, gamma, coef0):
    parameters = {"degree": degree, "gamma": gamma, "coef0": coef0}
    clf = gm.KernelLogisticRegression(**parameters, C=0.125, tol=1e-9).fit(X, y)
    classes, labels = np.unique(y, return_inverse=True)
    matrix = oracle.columns(sets_of(X), tuple(parameters.values()))
    outputs = 1 if len(classes) == 2 else 3
    w, low, high = oracle.solve(matrix, labels, np.full(len(X), 0.125), outputs)
    assert clf.bounds_[0] - 1e-6 <= high
    assert clf.bounds_[1] + 1e-6 >= low
    assert clf.bounds_[1] - clf.bounds_[0] <= 1e-9 * 0.125 * len(X) * np.log(len(classes))
    np.testing.assert_allclose(clf.decision_function(X).reshape(len(X), -1), matrix @ w, atol=1e-3)
    np.testing.assert_allclose(clf.intercept_, clf.decision_function(np.zeros((1, 12))).ravel(), atol=1e-12)
    assert (coef0 > 0) == bool(clf.intercept_.any())


def test_linear_is_scikit_learn_s_with_a_constant_feature():
    """|w|^2 / 2 + C losses, the intercept as the weight of a column of ones."""
    kernel = gm.PolynomialKernel(1, 1.0, 1.0)
    clf = gm.KernelLogisticRegression(kernel, C=0.5, tol=1e-9).fit(X, Y2)
    other = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-9, max_iter=10_000)
    ones = PolynomialFeatures(1).fit_transform(X)
    np.testing.assert_allclose(clf.decision_function(X), other.fit(ones, Y2).decision_function(ones), atol=1e-4)


def test_degree_2_is_scikit_learn_s_on_explicit_pairs():
    clf = gm.KernelLogisticRegression(C=0.05, tol=1e-9).fit(X, Y3)
    columns = PolynomialFeatures(2, interaction_only=True).fit_transform(X)
    sizes = np.concatenate([[0], np.ones(12, dtype=int), np.full(66, 2)])
    columns = columns * np.sqrt(gm.PolynomialKernel(2).subset_weights())[sizes]
    other = LogisticRegression(C=0.05, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(columns, Y3)
    np.testing.assert_allclose(clf.predict_proba(X), other.predict_proba(columns), atol=1e-4)
    np.testing.assert_array_equal(clf.predict(X), other.predict(columns))


@CASES
def test_weights_are_repetitions(y):
    counts = np.random.default_rng(1).integers(0, 4, len(X))
    how = {"C": 0.1, "tol": 1e-10}
    weighted = gm.KernelLogisticRegression(**how).fit(X, y, sample_weight=counts)
    repeated = gm.KernelLogisticRegression(**how).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-12)
    automatic = gm.KernelLogisticRegression().fit(X, y, sample_weight=counts)
    assert automatic.C_ == pytest.approx(
        gm.KernelLogisticRegression().fit(np.repeat(X, counts, axis=0), np.repeat(y, counts)).C_
    )


def test_class_weights_are_weights():
    how = {"C": 0.1, "tol": 1e-10}
    by_class = gm.KernelLogisticRegression(class_weight={"yes": 3.0}, **how).fit(X, Y2)
    by_example = gm.KernelLogisticRegression(**how).fit(X, Y2, sample_weight=np.where(Y2 == "yes", 3.0, 1.0))
    np.testing.assert_allclose(by_class.decision_function(X), by_example.decision_function(X), atol=1e-12)
    assert by_class.class_weight_.tolist() == [1.0, 3.0]
    balanced = gm.KernelLogisticRegression(class_weight="balanced").fit(X, Y2)
    assert balanced.class_weight_ @ np.unique(Y2, return_counts=True)[1] == pytest.approx(len(X))


def test_automatic_c_is_by_the_scale():
    for degree in (1, 2, 3):
        clf = gm.KernelLogisticRegression(degree=degree).fit(X, Y2)
        lengths = np.sqrt((X.sum(axis=1) + 1) ** degree - 1)
        assert clf.C_ == pytest.approx(10 / lengths.mean() ** 2)
        assert clf.machine_.provenance["C"] == clf.C_


@CASES
def test_probabilities(y):
    clf = gm.KernelLogisticRegression(C=0.1).fit(X, y)
    shares = clf.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(clf.classes_[shares.argmax(axis=1)], clf.predict(X))
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(X)), shares)
    labels = np.searchsorted(clf.classes_, y)
    likely = oracle.losses(clf.decision_function(X).reshape(len(X), -1), labels)[0]
    np.testing.assert_allclose(-np.log(shares[np.arange(len(X)), labels]), likely, atol=1e-12)


def test_contrary_labels_of_equal_rows_have_the_probability_of_their_shares():
    clf = gm.KernelLogisticRegression(C=1e6, tol=1e-12).fit([[1, 0]] * 4 + [[0, 1]] * 2, [0, 1, 1, 1, 0, 1])
    np.testing.assert_allclose(clf.predict_proba([[1, 0], [0, 1]])[:, 1], [0.75, 0.5], atol=1e-4)


def test_it_learns():
    digits = load_digits()
    table, y = digits.data > 7, digits.target
    assert gm.KernelLogisticRegression(C=1.0).fit(table[:1200], y[:1200]).score(table[1200:], y[1200:]) > 0.9
    assert cross_val_score(gm.KernelLogisticRegression(), X, Y2, cv=3).mean() > 0.75


# --- the machine ------------------------------------------------------------------------------------------------------


@CASES
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_machine_is_weights_of_conjunctions(y, degree, tmp_path):
    clf = gm.KernelLogisticRegression(degree=degree, C=0.1).fit(X, y)
    machine = clf.machine_
    assert isinstance(machine.kernel, gm.ConjunctionKernel)
    assert machine.rows.lengths.max() == degree
    assert machine.rows.lengths.min() == 1
    machine.save(tmp_path / "model.safetensors")
    loaded = gm.load(tmp_path / "model.safetensors")
    assert loaded == machine
    exact = machine.compile("direct").decision_function(X)
    for engine in ("auto", "expanded", "inverted"):
        scorer = loaded.compile(engine)
        np.testing.assert_allclose(scorer.decision_function(X), exact, atol=1e-12)
        np.testing.assert_allclose(scorer.predict_proba(X), clf.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(loaded.compile().predict(X), clf.predict(X))


@CASES
def test_explanations_add_up_to_scores(y):
    frame = pd.DataFrame(X, columns=[f"f{n}" for n in range(12)])
    clf = gm.KernelLogisticRegression(C=0.1).fit(frame, y)
    assert clf.machine_.feature_names == tuple(frame.columns)
    shares = gm.explain(clf, frame)
    rows = np.repeat(np.arange(len(X)), np.diff(shares.offsets))
    totals = np.tile(shares.base, (len(X), 1))
    np.add.at(totals, rows, shares.values)
    np.testing.assert_allclose(totals, clf.decision_function(frame).reshape(len(X), -1), atol=1e-12)


# --- scikit-learn's habits --------------------------------------------------------------------------------------------


@CASES
def test_threads_change_no_bit(y):
    one = gm.KernelLogisticRegression(degree=3, n_jobs=1).fit(X, y)
    three = gm.KernelLogisticRegression(degree=3, n_jobs=3).fit(X, y)
    assert one.machine_ == three.machine_
    assert one.bounds_ == three.bounds_


def test_the_order_of_visits_is_by_random_state():
    how = {"C": 1.0, "tol": 1e-3}
    first, again, other = (gm.KernelLogisticRegression(random_state=s, **how).fit(X, Y2) for s in (1, 1, 2))
    assert first.machine_ == again.machine_
    assert first.machine_ != other.machine_


def test_kinds_of_data_give_the_same():
    clf = gm.KernelLogisticRegression(C=0.1).fit(X, Y2)
    for other in (sp.csr_matrix(X), sp.csr_array(X), X.astype(bool), X.tolist(), gm.ids(sets_of(X))):
        assert gm.KernelLogisticRegression(C=0.1).fit(other, Y2).machine_.coef.tolist() == clf.machine_.coef.tolist()
        np.testing.assert_array_equal(clf.predict(other), clf.predict(X))


@CASES
def test_pickles_and_clones(y):
    clf = gm.KernelLogisticRegression(degree=3, C=0.5).fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    assert again.machine_ == clf.machine_
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    assert clone(clf).get_params() == clf.get_params()
    search = GridSearchCV(gm.KernelLogisticRegression(), {"C": [0.01, 0.1], "degree": [1, 2]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.5


def test_before_fit_there_is_nothing():
    clf = gm.KernelLogisticRegression()
    with pytest.raises(NotFittedError):
        clf.predict(X)
    with pytest.raises(AttributeError, match="before it is fitted"):
        clf.machine_  # noqa: B018


@CASES
def test_an_interrupted_fit_keeps_what_was_learned(y):
    def stop(done, total):
        if 3 * done > 2 * total:  # the last third is the solver's
            raise KeyboardInterrupt

    clf = gm.KernelLogisticRegression(C=1e4, tol=0.0, max_iter=10**9, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert clf.fit_status_ == 1
    assert 0 < clf.bounds_[0] <= clf.bounds_[1]
    assert clf.score(X, y) > 0.8


def test_an_interrupted_search_for_conjunctions_keeps_nothing():
    def stop(done, total):
        raise KeyboardInterrupt

    clf = gm.KernelLogisticRegression(progress=stop)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, Y2)
    assert not hasattr(clf, "classes_")


def test_progress_rises_to_its_total():
    seen = []
    gm.KernelLogisticRegression(progress=lambda done, total: seen.append(done / total)).fit(X, Y2)
    assert seen == sorted(seen)
    assert seen[-1] == 1


def test_too_few_passes_warn():
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 passes, .* above the minimum of the objective"):
        clf = gm.KernelLogisticRegression(C=10.0, max_iter=2).fit(X, Y2)
    assert clf.n_iter_ == 2
    assert clf.fit_status_ == 1
    assert clf.bounds_[0] < clf.bounds_[1]


def test_verbose_says_how_far_it_is(capsys):
    gm.KernelLogisticRegression(verbose=1).fit(X, Y2)
    assert "KernelLogisticRegression: fitted" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kernel": "rbf"}, "kernel must be 'poly' or a PolynomialKernel, got 'rbf'"),
        ({"gamma": -1.0}, "gamma > 0 and coef0 >= 0, got gamma=-1.0"),
        ({"coef0": -1.0}, "gamma > 0 and coef0 >= 0, got gamma=1.0 and coef0=-1.0"),
        ({"C": 0}, "C must be a finite number above 0 or 'auto', got 0"),
        ({"C": "best"}, "C must be a finite number above 0 or 'auto', got 'best'"),
        ({"tol": -1.0}, "tol must be a finite number, 0 or above"),
        ({"max_iter": 0}, "max_iter must be a whole number from 1 on"),
        ({"max_bytes": 0}, "max_bytes must be a whole number above 0 or None"),
        ({"binarize": False}, "binarize must be a threshold or None"),
        ({"random_state": "x"}, "random_state must be"),
        ({"max_bytes": 3000, "degree": 3}, "conjunctions .*take more than max_bytes = 3000"),
    ],
)
def test_bad_parameters_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        gm.KernelLogisticRegression(**changed).fit(X, Y2)


def test_data_without_two_classes_are_refused():
    with pytest.raises(ValueError, match="The number of classes has to be greater than one; got 1 class"):
        gm.KernelLogisticRegression().fit(X, np.zeros(200))
    with pytest.raises(ValueError, match="all samples with positive weights belong to the same class"):
        gm.KernelLogisticRegression().fit(X, Y2, sample_weight=(Y2 == "yes") * 1.0)
    with pytest.raises(ValueError, match="at least one non-zero number"):
        gm.KernelLogisticRegression().fit(X, Y2, sample_weight=np.zeros(200))


@pytest.mark.parametrize("rows", [np.zeros((4, 3)), np.ones((4, 3))], ids=["empty", "constant"])
def test_rows_that_are_all_the_same(rows):
    clf = gm.KernelLogisticRegression(C=1e4, tol=1e-10).fit(rows, [0, 1, 1, 1])
    np.testing.assert_allclose(clf.predict_proba(rows)[:, 1], 0.75, atol=1e-3)


def test_without_features_and_intercept_nothing_is_learned():
    clf = gm.KernelLogisticRegression(coef0=0.0).fit(np.zeros((4, 3)), [0, 1, 1, 1])
    assert clf.machine_.n_support == 0
    np.testing.assert_array_equal(clf.predict_proba(np.zeros((1, 3))), [[0.5, 0.5]])
