"""Cutting planes over all examples: the same machines as smo, whatever the kernel."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.solvers.cutting_plane import exact
from tests.oracle import cutting_planes as oracle
from tests.properties import share
from tests.solvers.cutting_plane.plane_problems import INTERCEPTS, POLY, Task, blobs, tasks

TOL = 1e-4
FEWER = share(1 / 3)


def by_smo(task, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.ConvergenceWarning)  # rounding leaves no room for 1e-8 at a large C
        return task.fitted(solver="smo", tol=1e-8, **options)


def outputs(task, fitted):
    """Of each output: its signs, coefficients of all examples, and b."""
    if fitted.classes_.size == 2:
        coef = np.zeros((len(task.y), 1))
        coef[fitted.support_, 0] = fitted.dual_coef_[0]
    else:
        coef = np.zeros((len(task.y), len(fitted.intercept_)))
        coef[fitted.support_] = sp.csr_matrix(fitted.machine_.coef).toarray()
    return [(side, coef[:, at], fitted.intercept_[at]) for at, side in enumerate(task.sides(fitted.classes_))]


def check_like_smo(task, tol=TOL, **options):
    """The objective from below and from above, feasible coefficients, and the same labels where it is clear."""
    smo, planes = by_smo(task), task.fitted(solver="cutting-plane", tol=tol, **options)
    room = tol * task.totals(planes) + 1e-7 * (task.totals(planes) + np.abs(smo.objective_))
    assert (np.abs(planes.objective_ - smo.objective_) <= room).all()
    assert planes.fit_status_ == 0
    costs = task.costs(planes)
    for at, (side, coef, b) in enumerate(outputs(task, planes)):
        alpha = coef * side
        assert alpha.min() >= 0
        assert (alpha <= task.caps(costs, side) * (side != 0) * (1 + 1e-9)).all()
        constant = (planes.intercept_scaling or 0) ** 2
        gram = task.gram + constant
        own = b - constant * coef.sum()  # 0 unless it is free
        if constant or not planes.fit_intercept:
            assert own == pytest.approx(0, abs=1e-9 * max(1, costs.sum()))
            own = 0.0
        else:
            assert coef.sum() == pytest.approx(0, abs=1e-9 * costs.sum())
        there = side != 0
        K, y = gram[np.ix_(there, there)], side[there]
        primal = oracle.objective(K, y, costs[there], coef[there], own)
        assert primal <= -smo.objective_[at] + room[at]
    if len(planes.classes_) == 2:
        check_labels(task, smo, planes, tol)
    return planes


def check_labels(task, smo, planes, tol):
    """w is within sqrt(2 gap) of the best one, b is not."""
    one, other = smo.decision_function(task.X), planes.decision_function(task.X)
    far = np.sqrt(2 * (tol + 1e-6) * task.totals(planes)[0] * task.gram.diagonal().max())
    shift = abs(smo.intercept_[0] - planes.intercept_[0]) * (planes.intercept_scaling is None)
    far += shift + 1e-6 if planes.intercept_scaling is None else far * planes.intercept_scaling + 1e-6
    assert (np.abs(one - other) <= far).all()
    clear = np.abs(one) > far
    np.testing.assert_array_equal(smo.predict(task.X)[clear], planes.predict(task.X)[clear])


# --- the same as smo --------------------------------------------------------------------------------------------------


@FEWER
@given(tasks())
def test_two_classes_are_solved_as_by_smo(task):
    check_like_smo(task)


@FEWER
@given(tasks(kinds=["rows", "trees", "fields"], classes=(3, 4)))
def test_more_classes_are_solved_as_by_smo(task):
    check_like_smo(task)


@FEWER
@given(tasks(sizes=(2, 14)), st.sampled_from([0, 1, 3]))
def test_planes_may_be_cut_at_the_master_and_soon_forgotten(task, patience):
    check_like_smo(task, tol=1e-3, line_search=False, patience=patience + 20)


@FEWER
@given(tasks(), st.sampled_from([1, 2, 5, 40]))
def test_patience_changes_nothing(task, patience):
    check_like_smo(task, patience=patience)


@FEWER
@given(tasks(sizes=(6, 40), classes=(2, 3), kinds=["rows", "trees", "fields"]), st.sampled_from([2, 5, 20]))
def test_large_problems_begin_with_a_sample(task, large):
    """What is large is made small, so that problems take that path."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(exact, "_LARGE", large)
        patched.setattr(exact, "_SAMPLE", 3)
        check_like_smo(task, tol=1e-3)


@pytest.mark.parametrize("options", INTERCEPTS, ids=str)
@pytest.mark.parametrize("band", [0.0, 0.25])
def test_examples_that_a_sample_did_not_tell_are_found(monkeypatch, options, band):
    monkeypatch.setattr(exact, "_LARGE", 20)
    monkeypatch.setattr(exact, "_BAND", band)
    X, y = blobs(600, features=14)
    task = task_of(X, y, C=0.3, **options)
    for tol in (1e-1, 1e-3, 1e-5):
        check_like_smo(task, tol=tol)


@pytest.mark.parametrize("kernel", ["sst", "ptk", "st"])
@pytest.mark.parametrize("large", [20, 10**9])
def test_trees_are_solved_as_by_smo(monkeypatch, kernel, large):
    monkeypatch.setattr(exact, "_LARGE", large)
    random = np.random.default_rng(3)
    trees = [f"(S (A {a}) (B {b} {c}) (C (D {a}) {c}))" for a, b, c in random.integers(6, size=(200, 3))]
    y = np.where(random.random(200) < 0.15, 0, [("A 1" in tree) != ("B 2" in tree) for tree in trees])
    made = gm.KernelSVC(kernel)._svm_kernel()
    task = Task(made, trees, made(trees), y, np.ones(200), {"C": 2.0}, trees)
    for tol in (1e-3, 1e-6):
        check_like_smo(task, tol=tol)


# --- odd examples -----------------------------------------------------------------------------------------------------


def task_of(X, y, weights=None, **options):
    X = np.asarray(X, dtype=float)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
    return Task(POLY, X, POLY(X), np.asarray(y), weights, options, [row.tobytes() for row in X])


@pytest.mark.parametrize("options", INTERCEPTS, ids=str)
@pytest.mark.parametrize(
    ("X", "y", "weights"),
    [
        (np.ones((4, 2)), [0, 1, 0, 1], None),
        (np.ones((5, 2)), [0, 1, 1, 1, 0], [1, 1, 1, 1, 5]),
        (np.zeros((3, 1)), [0, 1, 1], None),
        ([[1], [0], [1], [0]], [0, 1, 0, 1], [2, 0, 1, 3]),
        ([[1, 0], [0, 1]], [0, 1], None),
        (np.eye(6), [0, 0, 0, 0, 0, 1], None),
    ],
    ids=["one row", "one row with weights", "nothing", "one feature", "a pair", "one against all"],
)
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_odd_examples(X, y, weights, options, C):
    check_like_smo(task_of(X, y, weights, C=C, **options))


def test_weights_are_as_good_as_copies():
    X, y = blobs(60)
    times = np.random.default_rng(1).integers(1, 4, 60)
    one = task_of(X, y, times).fitted(solver="cutting-plane", tol=1e-6)
    other = task_of(np.repeat(X, times, axis=0), np.repeat(y, times)).fitted(solver="cutting-plane", tol=1e-6)
    np.testing.assert_array_equal(one.objective_, other.objective_)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), rtol=1e-12, atol=1e-12)


def test_a_free_intercept_matches_on_shifted_data():
    """5.08: all rows share features, which only a free intercept can make good for nothing."""
    X, y = blobs(150)
    shifted = np.hstack([X, np.ones((150, 6))])
    for options in INTERCEPTS:
        check_like_smo(task_of(shifted, y, C=0.05, **options), tol=1e-5)
    free, none = (task_of(shifted, y, C=0.05, **options).fitted(solver="cutting-plane") for options in INTERCEPTS[:2])
    assert free.intercept_[0] != 0
    assert none.intercept_[0] == 0


@pytest.mark.parametrize("line_search", [True, False])
def test_algorithm_1_and_its_twin(line_search):
    """The twin's planes lead to the same objective; tol is that of the mean loss."""
    X, y = blobs(60)
    gram = gm.Normalized(POLY)(X)
    for tol in (1e-2, 1e-4):
        run = oracle.solve(gram, y, np.full(60, 0.8), tol=tol)
        options = {"C": 0.8, "fit_intercept": False, "tol": tol, "line_search": line_search}
        clf = gm.KernelSVC("precomputed", solver="cutting-plane", **options).fit(gram, y)
        assert -clf.objective_[0] == pytest.approx(run.lower, abs=tol * 48)
        beta = np.zeros(60)
        beta[clf.support_] = clf.dual_coef_[0]
        assert oracle.objective(gram, y, np.full(60, 0.8), beta) <= run.lower + 2 * tol * 48


# --- determinism ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("large", [20, 10**9])
def test_threads_change_nothing(monkeypatch, large):
    monkeypatch.setattr(exact, "_LARGE", large)
    X, y = blobs(300)
    y3 = np.where(X[:, 4] > 0, 7, y)
    found = [gm.KernelSVC(degree=2, solver="cutting-plane", n_jobs=jobs).fit(X, y3) for jobs in (1, 3)]
    for other in found[1:]:
        assert found[0].dual_coef_.tobytes() == other.dual_coef_.tobytes()
        assert found[0].intercept_.tobytes() == other.intercept_.tobytes()


def test_an_output_is_solved_as_if_it_were_alone():
    X, y = blobs(120)
    y3 = np.where(X[:, 4] > 0, 2, y)
    several = gm.KernelSVC(degree=2, solver="cutting-plane", multiclass="ovr").fit(X, y3)
    for at, one in enumerate(several.classes_):
        alone = gm.KernelSVC(degree=2, solver="cutting-plane").fit(X, y3 == one)
        assert alone.objective_[0] == several.objective_[at]
        assert alone.intercept_[0] == several.intercept_[at]
