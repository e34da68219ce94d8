"""Estimators with kernels of sets: scikit-learn's answers and its gamma; what others than 'smo' refuse."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC, SVR, OneClassSVM
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm

RNG = np.random.default_rng(5)
X = (RNG.random((120, 12)) < 0.4).astype(float)
REAL = RNG.normal(loc=2.0, size=(90, 5))
NOISE = RNG.random(120)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE > 1, "yes", "no")
Y4 = np.where(NOISE > 0.8, "d", np.where(X[:, 3] > 0, "c", np.where(X[:, 0] > 0, "a", "b")))
OF_REAL = np.where(REAL[:, 0] * REAL[:, 1] > 4, 2, np.where(REAL[:, 2] > 2.5, 1, 0))
NAMES = ["rbf", "tanimoto", "cosine", "dice"]
TIGHT = 1e-8

pytestmark = pytest.mark.usefixtures("one_thread")


@parametrize_with_checks(
    [gm.KernelSVC("rbf", binarize=False)],
    expected_failed_checks=lambda _: dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "weights do not count for gamma='scale', as in SVC",
    ),
)
def test_scikit_learn_s_own_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.DataConversionWarning)
        check(estimator)


# --- gamma ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
@pytest.mark.parametrize("name", ["rbf", "sigmoid", "poly"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize(("x", "y"), [(X, Y2), (REAL, OF_REAL)], ids=["binary", "real"])
def test_gamma_is_scikit_learn_s(name, gamma, container, x, y):
    own = gm.KernelSVC(name, gamma=gamma, binarize=False, C=1e-3).fit(container(x), y)
    other = SVC(kernel=name, gamma=gamma, C=1e-3).fit(container(x), y)
    assert own.gamma_ == pytest.approx(other._gamma, rel=1e-13)
    assert own.machine_.kernel.gamma == own.gamma_


def test_defaults_are_scikit_learn_s_but_for_poly():
    for name in ("rbf", "sigmoid"):
        kernel = gm.KernelSVC(name).fit(X, Y2).machine_.kernel
        assert kernel.gamma == pytest.approx(1 / (12 * X.var()), rel=1e-13)
        assert getattr(kernel, "coef0", 0.0) == 0.0
    assert gm.KernelSVC("poly").fit(X, Y2).machine_.kernel == gm.PolynomialKernel(2, 1.0, 1.0)


def test_gamma_is_found_after_binarize():
    with pytest.warns(gm.DataConversionWarning):
        found = gm.KernelSVC("rbf").fit(X * 3 - 1, Y2)
    assert found.gamma_ == gm.KernelSVC("rbf").fit(X, Y2).gamma_


def test_weights_do_not_count_for_gamma():
    weights = np.arange(len(X)) % 3
    assert gm.KernelSVC("rbf").fit(X, Y2, weights).gamma_ == gm.KernelSVC("rbf").fit(X, Y2).gamma_


def test_gamma_of_values_that_are_all_equal_is_1():
    same = np.ones((4, 3))
    assert gm.KernelSVC("rbf").fit(same, [0, 0, 1, 1]).gamma_ == SVC().fit(same, [0, 0, 1, 1])._gamma == 1.0


def test_kernels_without_gamma_have_none_fitted():
    for kernel in ("tanimoto", gm.SetKernel(lambda m, x, s: 1.0 * m)):
        fitted = gm.KernelSVC(kernel).fit(X, Y2)
        with pytest.raises(AttributeError, match="there is no gamma_ for kernel="):
            fitted.gamma_  # noqa: B018
    with pytest.raises(AttributeError, match="'gamma_' before it is fitted"):
        gm.KernelSVC("rbf").gamma_  # noqa: B018


@pytest.mark.parametrize("gamma", ["wide", True, -1.0, float("nan")])
def test_a_gamma_that_is_none_is_refused(gamma):
    with pytest.raises(ValueError, match="gamma must be"):
        gm.KernelSVC("rbf", gamma=gamma).fit(X, Y2)


# --- the same machines ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [Y2, Y4], ids=["two", "four"])
@pytest.mark.parametrize("C", [0.3, 5.0])
def test_rbf_learns_what_svc_learns(y, C):
    own, other = gm.KernelSVC("rbf", C=C, tol=TIGHT).fit(X, y), SVC(C=C, tol=TIGHT).fit(X, y)
    np.testing.assert_allclose(own.decision_function(X), other.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(own.predict(X), other.predict(X))


def test_rbf_learns_what_svc_learns_from_real_values():
    own, other = gm.KernelSVC("rbf", tol=TIGHT, binarize=False), SVC(tol=TIGHT)
    own.fit(REAL, OF_REAL), other.fit(REAL, OF_REAL)
    np.testing.assert_allclose(own.dual_coef_, other.dual_coef_, atol=1e-5)
    np.testing.assert_array_equal(own.support_, other.support_)
    np.testing.assert_array_equal(own.predict(REAL), other.predict(REAL))


@pytest.mark.parametrize("name", NAMES)
def test_kernels_of_sets_learn_what_their_gram_matrices_do(name):
    own = gm.KernelSVC(name, tol=TIGHT).fit(X, Y4)
    gram = own.machine_.kernel(X)
    other = SVC(kernel="precomputed", tol=1e-6).fit(gram, Y4)  # TIGHT takes LIBSVM 1e8 steps with the cosine
    np.testing.assert_allclose(own.decision_function(X), other.decision_function(gram), atol=1e-5)
    np.testing.assert_array_equal(own.predict(X), other.predict(gram))


@pytest.mark.parametrize("options", [{}, {"kernel": "sigmoid", "gamma": 0.02, "coef0": -0.5}], ids=["rbf", "sigmoid"])
def test_regression_and_one_class_learn_what_scikit_learn_s_do(options):
    own = {"kernel": "rbf", "tol": TIGHT, **options}
    target = X @ np.arange(12) + NOISE
    ours, theirs = gm.KernelSVR(**own).fit(X, target), SVR(**own).fit(X, target)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-5)
    inside, other = gm.KernelOneClassSVM(**own, nu=0.3).fit(X), OneClassSVM(**own, nu=0.3).fit(X)
    np.testing.assert_allclose(inside.decision_function(X), other.decision_function(X), atol=1e-5)
    assert (inside.predict(X) != other.predict(X)).sum() <= (np.abs(other.decision_function(X)) < 1e-6).sum()


def test_a_ranker_takes_them():
    target = X @ np.arange(12)
    for name in NAMES:
        ranker = gm.KernelRanker(name, C=0.1).fit(X, target)
        assert ranker.score(X, target) > 0.9


def test_probabilities_are_fitted():
    found = gm.KernelSVC("rbf", probability=True).fit(X, Y4).predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


# --- scikit-learn's habits --------------------------------------------------------------------------------------------


def test_searches_clones_and_pickles():
    search = GridSearchCV(gm.KernelSVC("rbf"), {"gamma": ["scale", "auto", 0.5]}, cv=3).fit(X, Y2)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert again.gamma_ == search.best_estimator_.gamma_
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    assert clone(again).get_params() == again.get_params()
    expected = cross_val_score(SVC(), X, Y2, cv=3)
    np.testing.assert_array_equal(cross_val_score(gm.KernelSVC("rbf"), X, Y2, cv=3), expected)


def test_warm_starts_go_on_with_the_rows_of_the_same_gamma():
    warm = gm.KernelSVC("rbf", warm_start=True, C=0.1, tol=TIGHT).fit(X, Y2)
    warm.set_params(C=1.0).fit(X, Y2)
    cold = gm.KernelSVC("rbf", C=1.0, tol=TIGHT).fit(X, Y2)
    np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("name", ["rbf", "sigmoid", "tanimoto"])
@pytest.mark.parametrize("keep", [True, False])
def test_forgetting_finds_gamma_anew(name, keep):
    options = {"kernel": name, "keep_examples": keep, "tol": TIGHT, "coef0": -0.5}
    fitted, gone = gm.KernelSVC(**options).fit(X, Y4), [0, 7, 50]
    fitted.forget(gone, *(() if keep else (X, Y4)))
    rest = np.delete(np.arange(len(X)), gone)
    expected = gm.KernelSVC(**options).fit(X[rest], Y4[rest])
    np.testing.assert_allclose(fitted.decision_function(X), expected.decision_function(X), atol=1e-5)
    assert getattr(fitted, "gamma_", 0) == getattr(expected, "gamma_", 0)
    assert fitted.shape_fit_ == expected.shape_fit_ == (117, 12)
    assert ("gamma" in fitted.receipt_.recomputed) == (name != "tanimoto")


def test_regression_and_one_class_forget_too():
    target, rest = X @ np.arange(12), np.arange(5, len(X))
    for estimator, y in ((gm.KernelSVR("rbf", tol=TIGHT), target), (gm.KernelOneClassSVM("rbf", tol=TIGHT), None)):
        found = clone(estimator).fit(X, y).forget(np.arange(5), X, y)
        expected = clone(estimator).fit(X[rest], None if y is None else y[rest])
        np.testing.assert_allclose(found._score(X), expected._score(X), atol=1e-5)
        assert found.gamma_ == expected.gamma_


def test_what_depends_on_all_examples_is_not_left_one_out():
    fitted = gm.KernelSVC("rbf", keep_examples=True).fit(X, Y2)
    with pytest.raises(ValueError, match=r"gamma is another number without each example: fit with gamma=0\."):
        gm.leave_one_out(fitted)
    fitted.set_params(gamma=fitted.gamma_).fit(X, Y2)
    assert len(gm.leave_one_out(fitted).numbers) == len(X)
    with pytest.raises(ValueError, match="is not known to be positive semidefinite"):
        gm.leave_one_out(gm.KernelSVC("sigmoid", gamma=0.1, keep_examples=True).fit(X, Y2))


# --- features that were not there in training -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["poly", *NAMES, "sigmoid"])
def test_ids_beyond_the_columns_of_training_count_for_the_length_as_in_the_machine(name):
    fitted = gm.KernelSVC(name, gamma=0.1).fit(X, Y2)
    rows = gm.ids([[0, 3], [0, 3, 40, 41], [70], []])
    machine = fitted.machine_
    wide = np.zeros((4, 71))
    for at, row in enumerate(([0, 3], [0, 3, 40, 41], [70], [])):
        wide[at, row] = 1
    padded = np.zeros((machine.n_support, 71))
    padded[:, :12] = machine.support.to_csr().toarray()
    expected = machine.kernel(wide, padded) @ machine.dense_coef()[:, 0] + machine.intercept
    np.testing.assert_allclose(fitted.decision_function(rows), expected, atol=1e-12)
    np.testing.assert_array_equal(fitted.decision_function(rows), machine.compile().decision_function(rows))
    assert (fitted.predict(rows) == machine.compile().predict(rows)).all()


def test_tables_of_another_width_are_refused():
    with pytest.raises(ValueError, match="X has 13 features, but KernelSVC is expecting 12"):
        gm.KernelSVC("rbf").fit(X, Y2).predict(np.zeros((1, 13)))


# --- C="auto" ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "expected"), [("tanimoto", 0.5), ("dice", 0.5), ("cosine", 1.0)])
def test_the_scale_of_kernels_that_are_1_of_a_row_with_itself(name, expected):
    rows = X[X.any(axis=1)]
    assert gm.KernelSVC(name, C="auto").fit(rows, Y2[X.any(axis=1)]).C_ == pytest.approx(expected)


def test_the_scale_of_rbf_is_measured_from_the_empty_row():
    found = gm.KernelSVC("rbf", C="auto").fit(X, Y2)
    lengths = np.sqrt(2 - 2 * np.exp(-found.gamma_ * X.sum(axis=1)))
    assert found.C_ == pytest.approx(1 / lengths.mean() ** 2)


# --- kernels that are not positive semidefinite -----------------------------------------------------------------------

INDEFINITE = ["sigmoid", gm.SetKernel(lambda m, x, s: 1.0 * (m > 0)), gm.SigmoidKernel(0.1) + gm.RBFKernel(0.1)]


@pytest.mark.parametrize("kernel", INDEFINITE, ids=["sigmoid", "given", "sum"])
def test_smo_bounds_nothing_of_an_indefinite_kernel(kernel):
    fitted = gm.KernelSVC(kernel).fit(X, Y2)
    assert fitted.machine_.provenance["solver"] == "smo"
    assert np.isnan(fitted.bounds_).all()


@pytest.mark.parametrize("kernel", INDEFINITE, ids=["sigmoid", "given", "sum"])
@pytest.mark.parametrize("options", [{"solver": "cutting-plane"}, {"sampling": "uniform"}], ids=str)
def test_cutting_planes_refuse_indefinite_kernels_with_the_remedy(kernel, options):
    with pytest.raises(ValueError, match=r"solver='cutting-plane' minimises .* solver='smo' of KernelSVC"):
        gm.KernelSVC(kernel, **options).fit(X, Y2)
    with pytest.raises(ValueError, match="KernelRanker minimises"):
        gm.KernelRanker(kernel).fit(X, NOISE)


def test_a_given_kernel_that_is_said_to_be_semidefinite_is_taken():
    kernel = gm.SetKernel(lambda m, x, s: 1.0 * m, semidefinite=True)
    planes = gm.KernelSVC(kernel, solver="cutting-plane", C=0.1, tol=1e-5).fit(X, Y2)
    expected = gm.KernelSVC("linear", C=0.1, tol=1e-5).fit(X, Y2)
    low, high = planes.bounds_[0]
    assert low <= -expected.objective_[0] + 1e-3
    assert high >= low


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize(("gamma", "coef0"), [(0.02, 0.0), (0.02, -0.5), (0.01, 1.0)])
@pytest.mark.parametrize(("x", "y"), [(X, Y2), (REAL - 2, OF_REAL)], ids=["binary", "real"])
def test_sigmoid_learns_what_svc_learns(x, y, gamma, coef0, C):
    """Where it hardly is indefinite; else there are several solutions, and SVC's depends on the order of examples."""
    options = {"kernel": "sigmoid", "gamma": gamma, "coef0": coef0, "C": C, "tol": TIGHT}
    own, other = gm.KernelSVC(binarize=False, **options).fit(x, y), SVC(**options).fit(x, y)
    np.testing.assert_allclose(own.decision_function(x), other.decision_function(x), atol=1e-4)
    np.testing.assert_array_equal(own.predict(x), other.predict(x))


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_the_solution_of_a_very_indefinite_problem_does_not_depend_on_the_order_and_is_stationary(C):
    options = {"gamma": "scale", "coef0": 0.0, "C": C, "tol": 1e-6}
    fitted = gm.KernelSVC("sigmoid", **options).fit(X, Y2)
    order = np.random.default_rng(0).permutation(len(X))
    again = gm.KernelSVC("sigmoid", **options).fit(X[order], Y2[order])
    np.testing.assert_allclose(again.decision_function(X), fitted.decision_function(X), atol=1e-9)
    gram = fitted.machine_.kernel(X)
    signed = np.zeros(len(gram))
    signed[fitted.support_] = fitted.dual_coef_[0]
    signs = np.where(Y2 == "yes", 1, -1)
    gains = signs - gram @ signed  # of moving along y; at a solution none that may rise is above one that may fall
    may_rise = np.where(signs > 0, signed < C - 1e-9, signed < -1e-9)
    may_fall = np.where(signs > 0, signed > 1e-9, signed > -C + 1e-9)
    assert gains[may_rise].max() - gains[may_fall].min() <= 1e-6 + 1e-9
