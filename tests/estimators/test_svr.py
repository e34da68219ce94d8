"""KernelSVR and KernelOneClassSVM: scikit-learn's habits, and the answers of its SVR and OneClassSVM."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVR, OneClassSVM
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm
from gristmill.estimators import one_class
from gristmill.scoring.deciding import class_numbers
from gristmill.solvers.batch import solving

RNG = np.random.default_rng(12)
X = RNG.normal(size=(90, 4))
Y = X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=90)
BINARY = (RNG.random((90, 8)) < 0.4).astype(float)
TREES = [f"(S (A {'abc'[n % 3]}) (B {'xyzw'[n % 4]}) (C {n % 7}))" for n in range(60)]
WEIGHTS = RNG.integers(1, 4, 90).astype(float)
POLY = {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1, "tol": 1e-8}
TIGHT = {"degree": 2, "tol": 1e-8, "binarize": False}

pytestmark = pytest.mark.usefixtures("one_thread")


@parametrize_with_checks(
    [
        gm.KernelSVR(),
        gm.KernelSVR(degree=2, gamma=1e-2, binarize=False),
        gm.KernelOneClassSVM(),
        gm.KernelOneClassSVM(degree=2, gamma=1e-2, binarize=False),
    ],
    expected_failed_checks=lambda estimator: (
        {"check_non_transformer_estimators_n_iter": "all values there are above 0: one example, and nothing to do"}
        if isinstance(estimator, gm.KernelOneClassSVM) and estimator.binarize is not False
        else {}
    ),
)
def test_scikit_learn_s_own_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.DataConversionWarning)
        check(estimator)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 100.0])
def test_regression_is_that_of_svr(weights, epsilon):
    """As far as SVR goes, which keeps kernels as floats of 32 bits."""
    own = gm.KernelSVR(epsilon=epsilon, C=0.5, **TIGHT).fit(X, Y, weights)
    other = SVR(epsilon=epsilon, C=0.5, **POLY).fit(X, Y, weights)
    np.testing.assert_allclose(own.predict(X), other.predict(X), atol=2e-4)
    np.testing.assert_allclose(own.intercept_, other.intercept_, atol=2e-4)
    np.testing.assert_array_equal(own.n_support_, other.n_support_)
    np.testing.assert_array_equal(own.support_, other.support_)
    np.testing.assert_allclose(own.dual_coef_, other.dual_coef_, atol=1e-3)
    assert own.machine_.scheme == "regression"
    assert own.score(X, Y) == pytest.approx(other.score(X, Y), abs=1e-3)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("nu", [0.05, 0.3, 0.9])
def test_one_class_is_that_of_scikit_learn(weights, nu):
    own = gm.KernelOneClassSVM(nu=nu, **TIGHT).fit(X, sample_weight=weights)
    other = OneClassSVM(nu=nu, **POLY).fit(X, sample_weight=weights)
    np.testing.assert_allclose(own.decision_function(X), other.decision_function(X), rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose(own.score_samples(X), other.score_samples(X), rtol=1e-6)
    assert own.offset_ == pytest.approx(float(other.offset_[0]), rel=1e-6)
    assert (own.predict(X) == other.predict(X)).mean() > 0.9  # those on the boundary may fall to either side
    assert own.dual_coef_.sum() == pytest.approx(nu * (90 if weights is None else weights.sum()))


def test_equal_examples_are_one():
    counts = RNG.integers(1, 4, 90)
    again = np.repeat(np.arange(90), counts)
    targets = np.round(2 * Y) / 2
    one = gm.KernelSVR(degree=2, tol=1e-8).fit(BINARY, targets, counts)
    other = gm.KernelSVR(degree=2, tol=1e-8).fit(BINARY[again], targets[again])
    np.testing.assert_allclose(one.predict(BINARY), other.predict(BINARY), atol=1e-6)
    one = gm.KernelOneClassSVM(degree=2, tol=1e-8).fit(BINARY, sample_weight=counts)
    other = gm.KernelOneClassSVM(degree=2, tol=1e-8).fit(BINARY[again])
    np.testing.assert_allclose(one.score_samples(BINARY), other.score_samples(BINARY), rtol=1e-6)


@pytest.mark.parametrize("estimator", [gm.KernelSVR, gm.KernelOneClassSVM])
def test_trees_and_gram_matrices(estimator, tmp_path):
    y = RNG.normal(size=60)
    kernel = gm.Normalized(gm.SubsetTreeKernel())
    own = estimator(kernel, tol=1e-8).fit(TREES, y)
    by_gram = estimator("precomputed", tol=1e-8).fit(kernel(TREES), y)
    scores = own.predict(TREES) if estimator is gm.KernelSVR else own.decision_function(TREES)
    others = by_gram.predict if estimator is gm.KernelSVR else by_gram.decision_function
    np.testing.assert_allclose(scores, others(kernel(TREES)), atol=1e-6)
    own.machine_.save(tmp_path / "machine")
    np.testing.assert_allclose(gm.load(tmp_path / "machine").compile().decision_function(TREES), scores, atol=1e-9)
    again = pickle.loads(pickle.dumps(own))
    np.testing.assert_array_equal(again.predict(TREES), own.predict(TREES))
    assert not hasattr(clone(own), "machine_")


def test_regression_can_be_validated_and_warns():
    assert cross_val_score(gm.KernelSVR(degree=2, binarize=False), X, Y, cv=3).mean() > 0.7
    with pytest.warns(ConvergenceWarning) as caught:
        assert gm.KernelSVR(degree=2, max_iter=2, binarize=False).fit(X, Y).fit_status_ == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("estimator", [gm.KernelSVR, gm.KernelOneClassSVM])
def test_what_is_kept_is_small_and_as_scikit_learn_has_it(estimator):
    own = estimator(degree=2).fit(BINARY, Y)
    assert type(own.n_iter_) is int
    assert own.n_iter_ > 0
    assert (own._learned.fit.problems, own._learned.fit.alphas, own._learned.fit.rows) == ([], [], None)


@pytest.mark.parametrize("estimator", [gm.KernelSVR, gm.KernelOneClassSVM])
def test_an_interrupted_fit_keeps_what_was_learned(estimator, monkeypatch):
    monkeypatch.setattr(solving._Smo, "solve", stop)
    own = estimator(degree=2)
    with pytest.raises(KeyboardInterrupt):
        own.fit(BINARY, Y)
    assert own.fit_status_ == 1
    assert own.predict(BINARY).shape == (90,)


def stop(self, n_jobs, progress=None):
    raise KeyboardInterrupt


def test_labels_of_one_class_are_decided_by_the_scorer(monkeypatch):
    """Which is certain of them, or asks the definition."""
    own = gm.KernelOneClassSVM(degree=2, nu=0.3, tol=1e-9).fit(BINARY)
    on_the_boundary = np.abs(own.decision_function(BINARY)) < 1e-6
    assert on_the_boundary.any()
    expected = own.machine_.compile("direct").predict(BINARY)
    asked = []
    monkeypatch.setattr(one_class, "class_numbers", lambda *how: asked.append(how[0]) or class_numbers(*how))
    labels = own.predict(BINARY)
    assert [one.machine for one in asked] == [own.machine_]
    np.testing.assert_array_equal(labels, expected)
    assert set(labels) == {-1, 1}


@pytest.mark.parametrize("epsilon", [-1.0, "0.1", np.inf, True])
def test_a_tube_that_makes_no_sense_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be"):
        gm.KernelSVR(epsilon=epsilon).fit(BINARY, Y)


@pytest.mark.parametrize("nu", [0, 1.5, "half", True])
def test_a_share_that_makes_no_sense_is_refused(nu):
    with pytest.raises(ValueError, match="nu must be"):
        gm.KernelOneClassSVM(nu=nu).fit(BINARY)
