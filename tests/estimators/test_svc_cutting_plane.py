"""KernelSVC by cutting planes: interruption, warm starts, progress, limits, scikit-learn's manners, what is refused."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm
from gristmill.solvers.batch import SvmSettings, solving, train_one_class, train_svr
from gristmill.solvers.cutting_plane import exact
from tests.across.interrupting import SOON, seconds_to_stop

RNG = np.random.default_rng(8)
X = (RNG.random((150, 12)) < 0.4).astype(float)
NOISE = RNG.random(150)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE > 1, "yes", "no")
Y3 = np.where(X[:, 3] * X[:, 4] > 0, 7, np.where(X[:, 0] + NOISE > 0.6, 3, 5))
POLY = gm.PolynomialKernel(2)
WAYS = pytest.mark.parametrize(
    "way",
    [
        {},
        {"line_search": False},
        {"sampling": "uniform", "sample_size": 60},
        {"sampling": "balanced", "sample_size": 60},
        {"sampling": "importance", "sample_size": 60},
    ],
    ids=["exact", "no line search", "uniform", "balanced", "importance"],
)


def planes(**options):
    return gm.KernelSVC(**{"degree": 2, "C": 0.3, "solver": "cutting-plane", **options})


@pytest.fixture(params=[10**9, 20], ids=["at once", "in stages"])
def large(request, monkeypatch):
    """Problems of all sizes are solved at once, or as large ones are."""
    monkeypatch.setattr(exact, "_LARGE", request.param)
    return request.param


# --- interrupted ------------------------------------------------------------------------------------------------------


def check_is_feasible(clf, y, weights=1.0):
    """0 <= a <= C of all equal examples together, and balanced."""
    assert clf.fit_status_ == 1
    assert np.isfinite(clf.dual_coef_).all()
    assert np.isfinite(clf.intercept_).all()
    signs = np.where(y[clf.support_] == clf.classes_[1], 1, -1)
    alpha = clf.dual_coef_[0] * signs
    assert (alpha >= 0).all()
    assert alpha.sum() <= 2 * clf.C * len(y)
    assert clf.dual_coef_.sum() == pytest.approx(0, abs=1e-9 * clf.C * len(y))
    assert set(clf.predict(X)) <= set(clf.classes_)


@WAYS
def test_an_interrupted_fit_keeps_what_was_learned(large, way):
    """At every round there is; before the first one there is nothing to keep."""
    calls, kept = [], 0
    cold = planes(progress=lambda *call: calls.append(call), **way).fit(X, Y2)
    assert len(calls) > 8
    for stop in sorted({1, 2, 3, 4, 5, 7, len(calls) // 3, len(calls) // 2}):
        heard = []

        def interrupt(done, total, heard=heard, stop=stop):
            heard.append(done)
            if len(heard) == stop:
                raise KeyboardInterrupt

        clf = planes(progress=interrupt, **way)
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X, Y2)
        if stop > 4 and large > 1000:
            assert len(clf.support_) > 0
        if hasattr(clf, "support_"):
            kept += 1
            check_is_feasible(clf, Y2)
    assert kept > 0
    assert (clf.predict(X) == cold.predict(X)).mean() > 0.7


def test_more_classes_are_interrupted_together(large):
    heard = []

    def interrupt(done, total):
        heard.append((done, total))
        if len(heard) == 60:
            raise KeyboardInterrupt

    for multiclass in ("ovo", "ovr"):
        heard.clear()
        clf = planes(progress=interrupt, multiclass=multiclass)
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X, Y3)
        assert heard[-1][1] == 3000
        assert clf.fit_status_ == 1
        assert set(clf.predict(X)) <= {3, 5, 7}


@WAYS
def test_learning_goes_on_from_an_interruption(way):
    heard = []

    def interrupt(done, total):
        heard.append(done)
        if len(heard) == 20:
            raise KeyboardInterrupt

    clf = planes(progress=interrupt, warm_start=True, **way)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, Y2)
    clf.set_params(progress=None).fit(X, Y2)
    assert clf.fit_status_ == 0
    agreement = (clf.predict(X) == planes().fit(X, Y2).predict(X)).mean()
    assert agreement > (0.99 if "sampling" not in way else 0.9)


def test_ctrl_c_is_heard():
    table = RNG.normal(size=(3000, 40))
    y = RNG.integers(0, 2, 3000)
    clf = gm.KernelSVC("linear", C=1e3, tol=1e-12, binarize=False, solver="cutting-plane")
    assert seconds_to_stop(lambda: clf.fit(table, y), after=0.5) < SOON
    if hasattr(clf, "fit_status_"):  # a busy machine may not have begun
        assert clf.fit_status_ == 1
        assert clf.predict(table).shape == y.shape


def test_what_progress_raises_comes_out():
    class StopError(Exception):
        pass

    def stop(done, total):
        raise StopError

    clf = planes(progress=stop)
    with pytest.raises(StopError):
        clf.fit(X, Y2)
    with pytest.raises(NotFittedError):
        clf.predict(X)


# --- progress and limits ----------------------------------------------------------------------------------------------


@WAYS
@pytest.mark.parametrize("tol", [1e-5, 1e-3, 0.5, 1.0, 10.0])
def test_progress_ascends_to_the_end(large, way, tol):
    tol = max(tol, 1e-3) if "sampling" in way else tol
    calls = []
    planes(progress=lambda *call: calls.append(call), tol=tol, **way).fit(X, Y3)
    done = [call[0] for call in calls]
    assert {call[1] for call in calls} == {3000}
    assert done == sorted(done)
    assert done[0] >= 0
    assert done[-1] == 3000


@WAYS
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_few_rounds_are_warned_about(large, way, rounds):
    clf = planes(max_iter=rounds, tol=1e-9, **way)
    with pytest.warns(ConvergenceWarning, match=f"max_iter={rounds}") as caught:
        clf.fit(X, Y2)
    assert caught[0].filename == __file__
    assert clf.n_iter_[0] <= rounds
    assert len(clf.support_) > 0
    check_is_feasible(clf, Y2)


def test_rounds_that_are_enough_are_not_warned_about(large):
    clf = planes().fit(X, Y2)
    again = planes(max_iter=int(clf.n_iter_[0]) + 1).fit(X, Y2)
    assert again.fit_status_ == 0
    assert again.dual_coef_.tobytes() == clf.dual_coef_.tobytes()


@pytest.mark.parametrize("tol", [1e-16, 1e-300])
def test_a_tol_below_rounding_ends(large, tol):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = planes(tol=tol).fit(X, Y2)
    best = planes(solver="smo", tol=1e-9).fit(X, Y2)
    assert clf.objective_[0] == pytest.approx(best.objective_[0], rel=1e-8)
    assert all("rounding leaves no room" in str(each.message) for each in caught)
    assert clf.fit_status_ == bool(caught)


@WAYS
@pytest.mark.parametrize("tol", [1.0, 1e6, 1e300])
def test_a_huge_tol_ends_at_once(large, way, tol):
    clf = planes(tol=tol, **way).fit(X, Y2)
    assert clf.fit_status_ == 0
    assert clf.n_iter_[0] <= 5
    assert np.isfinite(clf.decision_function(X)).all()


def test_bounds_hold_what_was_asked_for(large):
    for tol in (1e-1, 1e-3, 1e-5):
        clf = planes(tol=tol).fit(X, Y3)
        low, high = clf.bounds_.T
        np.testing.assert_array_equal(low, -clf.objective_)
        pairs = [(Y3 == one) | (Y3 == other) for one, other in ((3, 5), (3, 7), (5, 7))]
        totals = np.array([0.3 * pair.sum() for pair in pairs])
        assert (low <= high * (1 + 1e-12)).all()
        assert (high - low <= tol * totals * (1 + 1e-9)).all()
    assert np.isnan(planes(solver="smo").fit(X, Y2).bounds_[0, 1])


# --- warm starts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"intercept_scaling": 1.0}], ids=str)
def test_a_path_of_c_ends_where_a_cold_start_does(large, y, options):
    path = planes(tol=1e-5, warm_start=True, **options)
    for C in (0.01, 0.1, 1.0, 1.0, 0.05):
        path.set_params(C=C).fit(X, y)
        cold = planes(tol=1e-5, C=C, **options).fit(X, y)
        np.testing.assert_allclose(path.objective_, cold.objective_, atol=1e-5 * C * len(X))
        np.testing.assert_allclose(path.bounds_, cold.bounds_, atol=2e-5 * C * len(X))


@pytest.mark.parametrize(
    "other", [{"solver": "smo"}, {"sampling": "uniform", "sample_size": 50}], ids=["smo", "samples"]
)
def test_solvers_go_on_from_each_other(other):
    cold = planes(tol=1e-6).fit(X, Y2)
    clf = planes(warm_start=True).set_params(**other).fit(X, Y2)
    clf.set_params(solver="cutting-plane", sampling=None, tol=1e-6).fit(X, Y2)
    assert clf.bounds_[0, 1] == pytest.approx(cold.bounds_[0, 1], abs=1e-6 * 0.3 * 150)
    clf.set_params(**other).fit(X, Y2)
    clf.set_params(solver="smo", sampling=None).fit(X, Y2)
    assert clf.objective_[0] == pytest.approx(cold.objective_[0], abs=2e-4 * 0.3 * 150)


def test_a_warm_start_takes_other_weights_and_other_data():
    path = planes(tol=1e-6, warm_start=True).fit(X, Y3)
    weights = RNG.integers(1, 4, len(X)).astype(float)
    for data, y, w in ((X, Y3, weights), (X[::-1], Y3, weights), (X, Y2, None), (X[:100], Y2[:100], None)):
        path.fit(data, y, w)
        cold = planes(tol=1e-6).fit(data, y, w)
        np.testing.assert_allclose(path.objective_, cold.objective_, atol=1e-6 * 0.9 * len(y))


# --- which solver -----------------------------------------------------------------------------------------------------


TREES = [f"(S (A {a}) (B {b}))" for a, b in RNG.integers(9, size=(60, 2))]
LABELS = ["A 1" in tree or "B 2" in tree for tree in TREES]


def test_many_trees_are_for_cutting_planes(monkeypatch):
    monkeypatch.setattr(solving, "_MANY_TREES", 10)
    solvers = {
        name: gm.KernelSVC("sst", **options).fit(TREES, LABELS).machine_.provenance["solver"]
        for name, options in {"auto": {}, "smo": {"solver": "smo"}, "convert": {"convert": True}}.items()
    }
    assert solvers == {"auto": "cutting-plane", "smo": "smo", "convert": "smo"}
    assert gm.KernelSVC(degree=2).fit(X, Y2).machine_.provenance["solver"] != "cutting-plane"
    assert gm.KernelSVR("sst").fit(TREES, np.arange(60.0)).machine_.provenance["solver"] == "smo"
    assert gm.KernelOneClassSVM("sst").fit(TREES).machine_.provenance["solver"] == "smo"


def test_few_trees_are_not():
    assert gm.KernelSVC("sst").fit(TREES, LABELS).machine_.provenance["solver"] == "smo"


def test_sampling_alone_says_which():
    assert planes(solver="auto", sampling="uniform").fit(X, Y2).machine_.provenance["solver"] == "cutting-plane"


# --- as scikit-learn wants it -----------------------------------------------------------------------------------------


def refused(estimator):
    """A Gram matrix whose entries are cut to whole numbers, or less their mean, is none."""
    checks = ("check_estimators_dtypes", "check_positive_only_tag_during_fit")
    return dict.fromkeys(checks, "it is not positive semidefinite") if estimator.kernel == "precomputed" else {}


@parametrize_with_checks(
    [
        gm.KernelSVC(solver="cutting-plane"),
        gm.KernelSVC("precomputed", solver="cutting-plane"),
        gm.KernelSVC(sampling="uniform", sample_size=200, tol=0.01),
    ],
    expected_failed_checks=refused,
)
def test_scikit_learn_s_own_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.DataConversionWarning)
        check(estimator)


def test_parameters_are_kept_and_cloned():
    options = {
        "sampling": "balanced",
        "sample_size": 77,
        "confirm": "all",
        "line_search": False,
        "patience": 3,
        "random_state": 5,
    }
    clf = planes(**options)
    assert options.items() <= clf.get_params().items()
    assert options.items() <= clone(clf).get_params().items()
    one, other = clf.fit(X, Y2), clone(clf).fit(X, Y2)
    assert one.dual_coef_.tobytes() == other.dual_coef_.tobytes()
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(again.decision_function(X), one.decision_function(X))


def test_numbers_of_numpy_are_numbers():
    grid = {"sample_size": np.array([30, 60]), "patience": np.arange(5, 7), "C": np.array([0.1, 1.0])}
    search = GridSearchCV(planes(sampling="uniform", tol=0.01), grid, cv=2).fit(X, Y2)
    assert isinstance(search.best_estimator_.machine_.provenance["sample_size"], int)


def test_machines_are_saved_and_loaded(tmp_path):
    clf = planes(sampling="importance", sample_size=50).fit(X, Y3)
    clf.machine_.save(tmp_path / "m")
    machine = gm.load(tmp_path / "m")
    assert machine.provenance["sampling"] == "importance"
    np.testing.assert_array_equal(machine.compile().predict(X), clf.predict(X))


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampling": "all"}, "sampling must be one of 'uniform', 'balanced', 'importance', got 'all'"),
        ({"sampling": "uniform", "solver": "smo"}, "sampling='uniform' is of solver='cutting-plane', got solver='smo'"),
        ({"sampling": "uniform", "solver": "dual-cd"}, "got solver='dual-cd'"),
        ({"sample_size": 0}, "sample_size must be a whole number from 1 on, got 0"),
        ({"sample_size": 2.5}, "sample_size must be"),
        ({"sample_size": True}, "sample_size must be"),
        ({"patience": 0}, "patience must be a whole number from 1 on, got 0"),
        ({"patience": None}, "patience must be"),
        ({"confirm": "none"}, "confirm must be one of 'sample', 'all', got 'none'"),
        ({"line_search": 1}, "line_search must be True or False, got 1"),
        ({"solver": "cutting-planes"}, "solver must be one of 'auto', 'smo', 'dual-cd', 'cutting-plane'"),
        ({"random_state": "x"}, "random_state must be .*, got 'x'"),
        ({"random_state": -1}, "random_state must be .*, got -1"),
        ({"kernel": "sst", "convert": True}, "convert=True is of solver='smo'"),
        ({"tol": 0.0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        planes(**options).fit(X, Y2)


def test_other_machines_refuse_cutting_planes():
    for estimator in (gm.KernelSVR, gm.KernelOneClassSVM):
        with pytest.raises(TypeError, match="solver"):
            estimator(solver="cutting-plane")
    settings = SvmSettings(POLY, solver="cutting-plane")
    with pytest.raises(ValueError, match="is for classification; use solver='smo'"):
        train_svr(X, NOISE, settings, 0.1)
    with pytest.raises(ValueError, match="is for classification; use solver='smo'"):
        train_one_class(X, settings, 0.5)


def test_matrices_that_are_no_kernels_are_refused():
    gram = POLY(X)
    gram[3, 5] += 1
    with pytest.raises(ValueError, match=r"symmetric, but \[3, 5\] is"):
        planes(kernel="precomputed").fit(gram, Y2)
    with pytest.raises(ValueError, match="symmetric"):
        planes(kernel=lambda A, B: A @ B.T + np.arange(len(B))).fit(X, Y2)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        planes(kernel="precomputed").fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])


@WAYS
def test_examples_that_make_no_sense_are_refused(way):
    clf = planes(**way)
    with pytest.raises(ValueError, match="got 1 class"):
        clf.fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="belong to the same class"):
        clf.fit(X, Y2, sample_weight=(Y2 == "no").astype(float))
    with pytest.raises(ValueError, match="NaN"):
        clf.fit(np.full_like(X, np.nan), Y2)
