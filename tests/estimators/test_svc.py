"""KernelSVC on vectors, Gram matrices and callables: scikit-learn's habits, and the answers of its SVC."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm

RNG = np.random.default_rng(8)
X = (RNG.random((150, 12)) < 0.4).astype(float)
NOISE = RNG.random(150)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE > 1, "yes", "no")
Y3 = np.where(X[:, 3] * X[:, 4] > 0, 7, np.where(X[:, 0] + NOISE > 0.6, 3, 5))
Y4 = np.where(NOISE > 0.8, "d", np.where(X[:, 3] > 0, "c", np.where(X[:, 0] > 0, "a", "b")))
REAL = RNG.normal(size=(120, 5))
FEW = np.where(REAL[:, 0] * REAL[:, 1] > 0, 2, np.where(REAL[:, 2] > 0.5, 1, 0))
LABELS = pytest.mark.parametrize("y", [Y2, Y3, Y4], ids=["two", "three", "four"])
TIGHT = 1e-8

pytestmark = pytest.mark.usefixtures("one_thread")


class Dot:
    """A plain kernel of two tables, the same to the last bit whatever their sizes."""

    def __call__(self, A, B):
        return (A @ B.T).toarray() if sp.issparse(A) else (A[:, None] * B).sum(axis=2)

    def __repr__(self):
        return "dot"  # names of tests must not hold addresses


dot = Dot()


@parametrize_with_checks(
    [
        gm.KernelSVC(),
        gm.KernelSVC(gamma=1e-4, C=100.0, binarize=False),  # values reach 100 there
        gm.KernelSVC("linear", multiclass="ovr", intercept_scaling=1.0, binarize=False),
        gm.KernelSVC(gm.Normalized(gm.PolynomialKernel(2)), binarize=False),
    ]
)
def test_scikit_learn_s_own_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.DataConversionWarning)
        check(estimator)


@parametrize_with_checks([gm.KernelSVC("precomputed"), gm.KernelSVC(dot)])
def test_scikit_learn_s_own_checks_of_gram_matrices_and_callables(estimator, check):
    check(estimator)


# --- as SVC -----------------------------------------------------------------------------------------------------------


def both(y, x=X, weights=None, **options):
    """The same problem for us and for SVC, to a tight tolerance."""
    own = gm.KernelSVC(degree=2, tol=TIGHT, **options).fit(x, y, weights)
    shared = {k: v for k, v in options.items() if k in ("C", "decision_function_shape", "break_ties", "class_weight")}
    other = SVC(kernel="poly", degree=2, gamma=1, coef0=1, tol=TIGHT, **shared)
    return own, other.fit(x, y, weights)


def assert_same(own, other, x=X):
    np.testing.assert_allclose(own.decision_function(x), other.decision_function(x), atol=1e-5)
    np.testing.assert_array_equal(own.predict(x), other.predict(x))
    np.testing.assert_allclose(own.intercept_, other.intercept_, atol=1e-5)
    assert own.dual_coef_.shape[0] == other.dual_coef_.shape[0]
    assert own.intercept_.shape == other.intercept_.shape == own.n_iter_.shape == own.objective_.shape
    np.testing.assert_array_equal(own.classes_, other.classes_)
    assert own.fit_status_ == other.fit_status_ == 0
    assert own.shape_fit_ == other.shape_fit_


@LABELS
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_the_solution_is_that_of_svc(y, shape):
    """Real values: no two examples are equal, and the solution is unique."""
    x = RNG.normal(size=X.shape)
    own, other = both(y, x, binarize=False, C=0.01, decision_function_shape=shape)
    assert_same(own, other, x)
    np.testing.assert_array_equal(own.support_, other.support_)
    np.testing.assert_array_equal(own.n_support_, other.n_support_)
    np.testing.assert_allclose(own.dual_coef_, other.dual_coef_, atol=1e-5)
    np.testing.assert_array_equal(own.support_vectors_, other.support_vectors_)


@LABELS
def test_scores_are_those_of_svc_where_examples_are_equal(y):
    own, other = both(y, C=0.1)
    assert_same(own, other)
    assert len(np.unique(X, axis=0)) < len(X)


@pytest.mark.parametrize("weighting", ["class_weight", "balanced", "sample_weight"])
def test_weights_are_those_of_svc(weighting):
    weights = RNG.integers(0, 4, len(X)).astype(float) if weighting == "sample_weight" else None
    by_class = {"class_weight": {3: 0.5, 7: 4.0}, "balanced": "balanced"}.get(weighting)
    own, other = both(Y3, weights=weights, class_weight=by_class, C=0.2)
    assert_same(own, other)
    np.testing.assert_allclose(own.class_weight_, other.class_weight_)


def test_ties_are_broken_as_in_svc():
    own, other = both(Y4, C=0.05, break_ties=True)
    assert_same(own, other)
    with pytest.raises(ValueError, match="break_ties must be False"):
        own.set_params(break_ties=True, decision_function_shape="ovo").predict(X)


@LABELS
def test_gram_matrices_and_callables_give_the_same(y):
    kernel = gm.PolynomialKernel(2)
    gram = kernel(X)
    own = gm.KernelSVC(kernel, tol=TIGHT, C=0.1).fit(X, y)
    by_gram = gm.KernelSVC("precomputed", tol=TIGHT, C=0.1).fit(gram, y)
    by_call = gm.KernelSVC(lambda A, B: (A @ B.T + 1) ** 2, tol=TIGHT, C=0.1).fit(X, y)
    for clf, data in ((by_gram, gram), (by_call, X)):
        np.testing.assert_allclose(clf.decision_function(data), own.decision_function(X), atol=1e-6)
        np.testing.assert_array_equal(clf.predict(data), own.predict(X))
        assert not hasattr(clf, "machine_")
        assert not hasattr(clf, "scorer_")
    other = SVC(kernel="precomputed", tol=TIGHT, C=0.1).fit(gram, y)
    assert_same(by_gram, other, gram)
    assert by_gram.support_vectors_.shape == other.support_vectors_.shape == (0, 0)
    assert len(by_call.support_vectors_) == len(by_call.support_)


def test_a_callable_takes_what_it_likes():
    words = ["kernel", "kennel", "colonel", "tree", "trees", "three"] * 2
    y = [0, 0, 0, 1, 1, 1] * 2

    def shared(A, B):
        return [[len(set(a) & set(b)) for b in B] for a in A]

    clf = gm.KernelSVC(shared, C=10).fit(words, y)
    np.testing.assert_array_equal(clf.predict(words), y)
    assert not hasattr(clf, "n_features_in_")


def test_a_callable_that_gives_nonsense_is_refused():
    with pytest.raises(ValueError, match="must give a matrix of shape"):
        gm.KernelSVC(lambda A, B: np.ones(3)).fit(X, Y2)
    with pytest.raises(ValueError, match="NaN"):
        gm.KernelSVC(lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, Y2)


def test_rows_that_are_not_kept_give_the_same():
    """So little memory that rows are computed again and again."""
    real, y = REAL[:60], FEW[:60]
    own = gm.KernelSVC(degree=2, binarize=False, tol=TIGHT).fit(real, y)
    options = {"tol": TIGHT, "max_bytes": 8 * 60 * 10}
    few = gm.KernelSVC(degree=2, binarize=False, **options).fit(real, y)
    called = gm.KernelSVC(lambda A, B: (A @ B.T + 1) ** 2, **options).fit(real, y)
    for clf in (few, called):
        np.testing.assert_array_equal(own.support_, clf.support_)
        np.testing.assert_allclose(own.dual_coef_, clf.dual_coef_, atol=1e-5)
    kept = gm.KernelSVC(degree=2, solver="smo", tol=TIGHT, max_bytes=2000).fit(X[:75], Y3[:75])
    own = gm.KernelSVC(degree=2, tol=TIGHT).fit(X[:75], Y3[:75])
    np.testing.assert_allclose(kept.decision_function(X), own.decision_function(X), atol=1e-5)


# --- other problems ---------------------------------------------------------------------------------------------------


def test_an_intercept_with_a_price_is_liblinear_s_problem():
    own = gm.KernelSVC("linear", intercept_scaling=2.0, tol=TIGHT).fit(X, Y2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        other = LinearSVC(loss="hinge", intercept_scaling=2.0, tol=1e-10, max_iter=100_000).fit(X, Y2)
    np.testing.assert_allclose(own.decision_function(X), other.decision_function(X), atol=1e-3)
    np.testing.assert_allclose(own.intercept_, other.intercept_, atol=1e-3)
    assert own.dual_coef_.sum() != pytest.approx(0, abs=1e-3)


def test_without_an_intercept_there_is_none():
    own = gm.KernelSVC("linear", fit_intercept=False, tol=TIGHT).fit(X, Y3)
    assert not own.intercept_.any()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        other = LinearSVC(loss="hinge", fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X, Y2)
    two = gm.KernelSVC("linear", fit_intercept=False, tol=TIGHT).fit(X, Y2)
    np.testing.assert_allclose(two.decision_function(X), other.decision_function(X), atol=1e-3)


def test_one_against_the_rest():
    own = gm.KernelSVC(degree=2, multiclass="ovr", tol=TIGHT, C=0.1).fit(X, Y4)
    assert own.dual_coef_.shape == (4, len(own.support_))
    scores = own.decision_function(X)
    for k, label in enumerate(own.classes_):
        one = gm.KernelSVC(degree=2, tol=TIGHT, C=0.1).fit(X, Y4 == label)
        np.testing.assert_allclose(scores[:, k], one.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(own.predict(X), own.classes_[scores.argmax(axis=1)])
    assert gm.KernelSVC(multiclass="ovr").fit(X, Y2).dual_coef_.shape[0] == 1


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_weights_are_counts(multiclass):
    counts = RNG.integers(1, 4, len(X))
    again = np.repeat(np.arange(len(X)), counts)
    one = gm.KernelSVC(degree=2, tol=TIGHT, multiclass=multiclass, C=0.1).fit(X, Y3, sample_weight=counts)
    other = gm.KernelSVC(degree=2, tol=TIGHT, multiclass=multiclass, C=0.1).fit(X[again], Y3[again])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-5)
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-8)


def test_equal_examples_share_in_proportion():
    clf = gm.KernelSVC(degree=2).fit([[1, 0], [1, 0], [0, 1], [1, 0]], [0, 0, 1, 0], sample_weight=[1, 2, 1, 0])
    np.testing.assert_array_equal(clf.support_, [0, 1, 2])
    first, second, third = clf.dual_coef_[0]
    assert second == pytest.approx(2 * first)
    assert first + second + third == pytest.approx(0)


# --- what a classifier does -------------------------------------------------------------------------------------------


@LABELS
def test_the_machine_answers_as_the_classifier_does(y, tmp_path):
    clf = gm.KernelSVC(degree=2, decision_function_shape="ovo").fit(X, y)
    clf.machine_.save(tmp_path / "machine")
    for engine in ("direct", "inverted", "expanded", "split"):
        scorer = gm.load(tmp_path / "machine").compile(engine)
        np.testing.assert_array_equal(scorer.predict(X), clf.predict(X))
        np.testing.assert_allclose(scorer.decision_function(X), clf.decision_function(X), rtol=1e-9, atol=1e-9)
    assert clf.machine_.n_support == len(clf.support_)
    np.testing.assert_array_equal(clf.support_vectors_, X[clf.support_])


def test_values_are_used_as_they_are_if_asked():
    clf = gm.KernelSVC(degree=2, binarize=False).fit(X, Y2)
    assert clf.scorer_.engine == "direct"
    half = 0.5 * X[:5]
    gram = gm.PolynomialKernel(2)(half, X[clf.support_])
    np.testing.assert_allclose(clf.decision_function(half), gram @ clf.dual_coef_[0] + clf.intercept_[0])
    with pytest.raises(ValueError, match="only 0 and 1"):
        gm.KernelSVC(binarize=None).fit(half, [0, 1, 0, 1, 0])
    with pytest.warns(gm.DataConversionWarning):
        gm.KernelSVC().fit(half, [0, 1, 0, 1, 0])


def test_containers_and_threads_change_nothing():
    clf = gm.KernelSVC(degree=2).fit(X, Y3)
    for other in (
        gm.KernelSVC(degree=2).fit(sp.csr_matrix(X), Y3),
        gm.KernelSVC(degree=2).fit(X.astype(bool), Y3),
        gm.KernelSVC(degree=2, n_jobs=2).fit(X, Y3),
        gm.KernelSVC(degree=2, shrinking=True).fit(X.tolist(), Y3.tolist()),
    ):
        assert other.machine_ == clf.machine_
    np.testing.assert_array_equal(clf.predict(sp.coo_matrix(X)), clf.predict(X))
    assert sp.issparse(gm.KernelSVC().fit(sp.csr_matrix(X), Y3).support_vectors_)


def test_shrinking_changes_nothing():
    one = gm.KernelSVC(degree=2, tol=TIGHT).fit(X, Y3)
    other = gm.KernelSVC(degree=2, tol=TIGHT, shrinking=False).fit(X, Y3)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-5)


def test_names_of_columns_reach_the_machine():
    frame = pd.DataFrame(X, columns=[f"f{n}" for n in range(X.shape[1])])
    clf = gm.KernelSVC(degree=2).fit(frame, Y2)
    assert clf.machine_.feature_names == tuple(frame.columns)
    np.testing.assert_array_equal(clf.machine_.compile().predict(frame[frame.columns[::-1]]), clf.predict(frame))


def test_it_travels():
    for options in ({}, {"warm_start": True}, {"kernel": dot}):
        clf = gm.KernelSVC(**{"degree": 2, **options}).fit(X, Y3)
        for again in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):
            np.testing.assert_array_equal(again.decision_function(X), clf.decision_function(X))
            np.testing.assert_array_equal(again.fit(X, Y3).predict(X), clf.predict(X))


def test_parameters_can_be_searched():
    grid = {"kernelsvc__degree": [1, 2], "kernelsvc__C": [0.01, 1.0]}
    search = GridSearchCV(make_pipeline(Binarizer(), gm.KernelSVC()), grid, cv=2).fit(X, Y2)
    assert search.best_score_ > 0.6
    gram = gm.PolynomialKernel(2)(X)
    by_gram = cross_val_predict(gm.KernelSVC("precomputed"), gram, Y3, cv=3)
    np.testing.assert_array_equal(by_gram, cross_val_predict(gm.KernelSVC(degree=2), X, Y3, cv=3))


@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
def test_probabilities_by_calibration_follow_the_scores(y):
    base = gm.KernelSVC(degree=2, C=0.1)
    assert not hasattr(base, "predict_proba")
    calibrated = CalibratedClassifierCV(base, ensemble=False).fit(X, y)
    chances = calibrated.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    if len(calibrated.classes_) == 2:
        scores = calibrated.calibrated_classifiers_[0].estimator.decision_function(X)
        order = np.argsort(scores)
        assert (np.diff(chances[order, 1]) >= 0).all()


def test_close_rows_of_real_values_are_settled_with_their_values():
    """break_ties asks the definition, which reads values as `predict` does."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 6)), rng.integers(0, 3, 40)
    clf = gm.KernelSVC(gm.Normalized(gm.PolynomialKernel(2)), binarize=False, break_ties=True).fit(X, y)
    real = rng.random((20, 6))
    expected = clf.machine_.compile("direct", binarize=False).decision_function(real)
    np.testing.assert_allclose(clf._learned.definition.decision_function(real), expected)
