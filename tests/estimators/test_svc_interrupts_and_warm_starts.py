"""KernelSVC on the way to its solution and back: warnings, interruption, warm starts, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV

import gristmill as gm
from tests.across.interrupting import SOON, seconds_to_stop

RNG = np.random.default_rng(8)
X = (RNG.random((150, 12)) < 0.4).astype(float)
NOISE = RNG.random(150)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE > 1, "yes", "no")
Y3 = np.where(X[:, 3] * X[:, 4] > 0, 7, np.where(X[:, 0] + NOISE > 0.6, 3, 5))
Y4 = np.where(NOISE > 0.8, "d", np.where(X[:, 3] > 0, "c", np.where(X[:, 0] > 0, "a", "b")))
REAL = RNG.normal(size=(120, 5))
FEW = np.where(REAL[:, 0] * REAL[:, 1] > 0, 2, np.where(REAL[:, 2] > 0.5, 1, 0))
HARD = (RNG.random((600, 40)) < 0.4).astype(float)  # with labels by chance and a large C
POLY = gm.PolynomialKernel(2)
LABELS = pytest.mark.parametrize("y", [Y2, Y3, Y4], ids=["two", "three", "four"])


# --- on the way -------------------------------------------------------------------------------------------------------


def test_few_steps_are_warned_about():
    clf = gm.KernelSVC(degree=2, max_iter=3)
    with pytest.warns(ConvergenceWarning, match="max_iter=3") as caught:
        clf.fit(X, Y2)
    assert issubclass(caught[0].category, gm.ConvergenceWarning)
    assert caught[0].filename == __file__
    assert clf.fit_status_ == 1
    assert clf.n_iter_.max() <= 3
    assert clf.dual_coef_.sum() == pytest.approx(0)
    clf.predict(X)


@pytest.mark.parametrize("classes", [2, 3])
def test_an_interrupted_fit_keeps_what_was_learned(classes):
    def stop(done, total):
        assert total == 1000 * len(clf_outputs)
        raise KeyboardInterrupt

    y = RNG.integers(0, classes, len(HARD))
    clf_outputs = [None] * (1 if classes == 2 else 3)
    clf = gm.KernelSVC("linear", C=1e6, solver="smo", progress=stop)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(HARD, y)
    assert clf.fit_status_ == 1
    assert clf.n_support_.sum() == len(clf.support_) == clf.dual_coef_.shape[1] == clf.machine_.n_support > 0
    assert (clf.dual_coef_.min(), clf.dual_coef_.max()) >= (-1e6, -1e6)
    assert clf.predict(HARD).shape == y.shape


def test_ctrl_c_is_heard_and_learning_goes_on_from_there():
    y = RNG.integers(0, 2, len(HARD))
    clf = gm.KernelSVC("linear", C=1e6, solver="smo", warm_start=True)
    assert seconds_to_stop(lambda: clf.fit(HARD, y)) < SOON
    before = clf.objective_[0]
    with pytest.warns(ConvergenceWarning):
        clf.set_params(max_iter=1000).fit(HARD, y)
    assert clf.objective_[0] < before


@pytest.mark.parametrize(
    ("kernel", "solver"),
    [(POLY, "smo"), (POLY, "dual-cd"), (POLY, "auto"), (gm.Normalized(POLY), "smo")],
    ids=["smo", "dual-cd", "auto", "matrix"],
)
def test_progress_ascends_to_the_end(kernel, solver):
    calls = []
    gm.KernelSVC(kernel, solver=solver, progress=lambda *call: calls.append(call)).fit(X, Y3)
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert calls[-1][0] == calls[-1][1]


def test_what_progress_raises_comes_out():
    class StopError(Exception):
        pass

    def stop(done, total):
        raise StopError

    with pytest.raises(StopError):
        gm.KernelSVC(progress=stop).fit(X, Y2)


@LABELS
@pytest.mark.parametrize("binarize", [0.0, False])
def test_a_path_of_c_ends_where_a_cold_start_does(y, binarize):
    table = X + 0.01 * RNG.normal(size=X.shape) if binarize is False else X
    path = gm.KernelSVC(degree=2, tol=1e-6, warm_start=True, binarize=binarize)
    rows = None
    for C in (0.01, 0.1, 1.0, 0.05):
        path.set_params(C=C).fit(table, y)
        cold = gm.KernelSVC(degree=2, tol=1e-6, C=C, binarize=binarize).fit(table, y)
        np.testing.assert_allclose(path.objective_, cold.objective_, rtol=1e-5)
        np.testing.assert_allclose(path.decision_function(table), cold.decision_function(table), atol=1e-3)
        assert rows is None or path._learned.fit.rows is rows
        rows = path._learned.fit.rows
    assert path.fit(table, y).n_iter_.max() == 0
    assert clone(path).set_params(warm_start=False).fit(table, y)._learned.fit.rows is None


@pytest.mark.parametrize("kind", [sp.csr_matrix, np.array])
def test_a_warm_start_sees_data_that_were_changed_in_place(kind):
    table = kind(X)
    path = gm.KernelSVC(degree=2, tol=1e-6, warm_start=True).fit(table, Y3)
    gram = gm.PolynomialKernel(2)(X)
    by_gram = gm.KernelSVC("precomputed", tol=1e-6, warm_start=True).fit(gram, Y3)
    if sp.issparse(table):
        table.indices[: table.indptr[75]] = 11 - table.indices[: table.indptr[75]]
    else:
        table[:75] = table[:75, ::-1].copy()
    gram[:] = gm.PolynomialKernel(2)(table)
    cold = gm.KernelSVC(degree=2, tol=1e-6).fit(table, Y3)
    np.testing.assert_allclose(path.fit(table, Y3).decision_function(X), cold.decision_function(X), atol=1e-3)
    np.testing.assert_allclose(by_gram.fit(gram, Y3).decision_function(gram), cold.decision_function(table), atol=1e-3)


def test_a_warm_start_takes_other_weights_and_other_data():
    path = gm.KernelSVC(degree=2, tol=1e-6, warm_start=True).fit(X, Y3)
    weights = RNG.integers(1, 4, len(X)).astype(float)
    for data, y, w in ((X, Y3, weights), (X[::-1], Y3, weights), (X, Y2, None), (X[:100], Y2[:100], None)):
        path.fit(data, y, w)
        cold = gm.KernelSVC(degree=2, tol=1e-6).fit(data, y, w)
        np.testing.assert_allclose(path.decision_function(X), cold.decision_function(X), atol=1e-3)
    free = path.set_params(fit_intercept=False).fit(X[:100], Y2[:100])
    assert not free.intercept_.any()
    bound = free.set_params(fit_intercept=True).fit(X[:100], Y2[:100])
    assert bound.dual_coef_.sum() == pytest.approx(0, abs=1e-9)


def test_numbers_of_numpy_are_numbers():
    search = GridSearchCV(gm.KernelSVC(degree=2), {"C": np.arange(1, 4), "degree": np.arange(1, 3)}, cv=2).fit(X, Y3)
    assert search.best_estimator_.machine_.provenance["C"] in (1.0, 2.0, 3.0)
    options = {"tol": np.float32(1e-3), "shrinking": np.True_, "break_ties": np.False_, "max_iter": np.int64(-1)}
    one, other = (gm.KernelSVC(**chosen).fit(X, Y3) for chosen in (options, {"tol": float(options["tol"])}))
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_only_a_warm_start_keeps_what_the_next_fit_needs():
    cold = gm.KernelSVC(degree=2, n_jobs=1).fit(X, Y3)
    warm = gm.KernelSVC(degree=2, n_jobs=1, warm_start=True).fit(X, Y3)
    assert (cold._learned.fit.problems, cold._learned.fit.alphas, cold._learned.fit.rows) == ([], [], None)
    assert len(warm._learned.fit.problems) == len(warm._learned.fit.alphas) == 3
    assert len(pickle.dumps(cold)) < len(pickle.dumps(warm)) - sum(alpha.nbytes for alpha in warm._learned.fit.alphas)
    again = cold.set_params(warm_start=True).fit(X, Y3)
    np.testing.assert_array_equal(again.dual_coef_, warm.dual_coef_)


# --- what is refused --------------------------------------------------------------------------------------------------


def test_nothing_is_there_before_it_is_fitted():
    clf = gm.KernelSVC()
    for name in ("machine_", "scorer_", "support_vectors_", "support_"):
        assert not hasattr(clf, name)
    for method in (clf.predict, clf.decision_function):
        with pytest.raises(NotFittedError):
            method(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "gaussian"}, "'poly', 'linear', 'rbf', .* 'precomputed', 'st', 'sst'"),
        ({"kernel": 3}, "kernel must be"),
        ({"degree": -1}, "degree must be"),
        ({"gamma": "wide"}, "gamma must be"),
        ({"C": 0}, "C must be a finite number above 0"),
        ({"C": -1.0}, "C must be"),
        ({"C": np.inf}, "C must be"),
        ({"C": np.nan}, "C must be"),
        ({"C": "1"}, "C must be"),
        ({"tol": 0.0}, "tol must be"),
        ({"solver": "sgd"}, "solver must be one of 'auto', 'smo', 'dual-cd'"),
        ({"multiclass": "one"}, "multiclass must be one of 'ovo', 'ovr'"),
        ({"decision_function_shape": "all"}, "decision_function_shape must be one of 'ovr', 'ovo'"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"max_iter": 1.5}, "max_iter must be"),
        ({"intercept_scaling": 0}, "intercept_scaling must be"),
        ({"fit_intercept": 2}, "fit_intercept must be"),
        ({"break_ties": "no"}, "break_ties must be True or False"),
        ({"warm_start": 1}, "warm_start must be True or False"),
        ({"max_bytes": 0}, "max_bytes must be"),
        ({"binarize": 2}, "binarize must be"),
        ({"class_weight": {"no": 0.0}}, "above 0"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"solver": "dual-cd", "coef0": -1}, "dual-cd.* coef0 >= 0"),
        ({"solver": "dual-cd", "kernel": gm.Normalized(gm.PolynomialKernel(2))}, "polynomial kernel"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        gm.KernelSVC(**options).fit(X, Y2)


def test_a_matrix_that_is_not_symmetric_is_refused():
    gram = POLY(X)
    gram[3, 5] += 1
    with pytest.raises(ValueError, match=r"symmetric, but \[3, 5\] is"):
        gm.KernelSVC("precomputed").fit(gram, Y2)
    with pytest.raises(ValueError, match="symmetric"):
        gm.KernelSVC(lambda A, B: A @ B.T + np.arange(len(B))).fit(X, Y2)


def test_dual_cd_says_why_it_wants_zeros_and_ones():
    with pytest.raises(ValueError, match=r"dual-cd.* needs values of 0 and 1"):
        gm.KernelSVC(solver="dual-cd", binarize=False).fit(REAL, FEW)


def test_examples_that_make_no_sense_are_refused():
    clf = gm.KernelSVC()
    with pytest.raises(ValueError, match="The number of classes has to be greater than one; got 1 class"):
        clf.fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="got 1 class"):
        clf.fit(X[:1], [1])
    with pytest.raises(ValueError, match="NaN"):
        clf.fit(np.full_like(X, np.nan), Y2)
    with pytest.raises(ValueError, match="Negative values"):
        clf.fit(X, Y2, sample_weight=np.full(len(X), -1.0))
    with pytest.raises(ValueError, match="at least one non-zero"):
        clf.fit(X, Y2, sample_weight=np.zeros(len(X)))
    with pytest.raises(ValueError, match="belong to the same class"):
        clf.fit(X, Y2, sample_weight=(Y2 == "no").astype(float))
    with pytest.raises(ValueError, match="class number 2 has no example"):
        clf.fit(X, Y3, sample_weight=(Y3 != 7).astype(float))
    with pytest.raises(ValueError, match="square matrix"):
        gm.KernelSVC("precomputed").fit(X, Y2)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        gm.KernelSVC("precomputed").fit(sp.csr_matrix(gm.PolynomialKernel(2)(X)), Y2)


def test_conflicting_and_equal_examples_have_an_answer():
    clf = gm.KernelSVC().fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert clf.decision_function(np.ones((1, 2))) == pytest.approx(0, abs=1e-9)
    clf = gm.KernelSVC().fit(np.zeros((5, 2)), [0, 1, 1, 1, 0], sample_weight=[1, 1, 1, 1, 5])
    assert np.isfinite(clf.decision_function(np.ones((1, 2)))).all()
    for C in (1e-12, 1e9):
        assert np.isfinite(gm.KernelSVC(degree=1, C=C).fit(X[:6], [0, 0, 0, 1, 1, 1]).dual_coef_).all()
