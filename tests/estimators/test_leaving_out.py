"""Leave-one-out predictions against the loop that learns anew without each example."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from tests.estimators.test_forgetting import TREES, VALUES, WEIGHTS, Y2, Y3, N, X
from tests.oracle import forgetting as oracle

SOME = np.arange(0, N, 3)


def leaves_out(model, X, y, weights=None):
    """As the loop does."""
    arguments = [] if y is None else [y]
    model.fit(X, *arguments, sample_weight=weights)
    found = gm.leave_one_out(model, X, y, weights, indices=SOME)
    assert found.scores == pytest.approx(oracle.left_out(model, X, y, weights, SOME), abs=1e-6)
    return found


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
@pytest.mark.parametrize("solver", ["smo", "dual-cd"])
def test_classes_are_those_of_the_loop(solver, multiclass):
    for y, weights in ((Y2, None), (Y3, WEIGHTS)):
        found = leaves_out(gm.KernelSVC(degree=2, C=0.2, solver=solver, multiclass=multiclass, tol=1e-8), X, y, weights)
        assert 0 < found.solved.sum() < len(SOME) or y is Y3
        assert found.score == np.mean(found.predictions == y[SOME])


def test_where_nothing_is_free_the_interval_of_the_intercept_moves():
    rows = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1], [0, 0, 0]], dtype=float)
    y = np.array([1, 1, 0, 0, 1, 0])
    model = gm.KernelSVC("linear", C=1e-3, tol=1e-10).fit(rows, y)
    found = gm.leave_one_out(model, rows, y)
    assert found.scores == pytest.approx(oracle.left_out(model, rows, y, None, range(6)), abs=1e-9)


def test_other_problems_and_kernels():
    leaves_out(gm.KernelSVC(degree=2, C=0.1, fit_intercept=False, tol=1e-8), X, Y2)
    leaves_out(gm.KernelSVC(degree=2, C=0.1, intercept_scaling=2.0, solver="smo", tol=1e-8), X, Y2)
    leaves_out(gm.KernelSVR(C=0.1, tol=1e-8), X, VALUES, WEIGHTS)
    leaves_out(gm.KernelOneClassSVM(nu=0.3, tol=1e-8), X, None)
    leaves_out(gm.KernelSVC("sst", C=0.5, tol=1e-8), TREES, Y2)


def test_all_examples_are_left_out_where_none_are_named():
    clf = gm.KernelSVC(degree=2, keep_examples=True).fit(X, Y2)
    found = [gm.leave_one_out(clf, n_jobs=jobs) for jobs in (1, 3)]
    assert len(found[0]) == N
    assert np.array_equal(found[0].scores, found[1].scores)
    idle = np.setdiff1d(np.arange(N), clf.support_)
    assert not found[0].solved[idle].any()
    assert found[0].scores[idle, 0] == pytest.approx(clf.decision_function(X[idle]))
    assert json.loads(found[0].to_json())["solved"] == int(found[0].solved.sum())


def test_progress_can_stop_it():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gm.leave_one_out(gm.KernelSVC(degree=2, keep_examples=True).fit(X, Y2), progress=stop)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"C": "auto"}, "fit with C="),
        ({"class_weight": "balanced"}, "class_weight="),
        ({"solver": "cutting-plane"}, "too coarse"),
    ],
)
def test_what_depends_on_all_examples_is_refused_by_name(how, message):
    with pytest.raises(ValueError, match=message):
        gm.leave_one_out(gm.KernelSVC(degree=2, keep_examples=True, **how).fit(X, Y2))


def test_a_class_of_one_example_is_refused():
    y = np.array(["a"] + ["b"] * (N - 1))
    with pytest.raises(ValueError, match="class 'a' has 1 example"):
        gm.leave_one_out(gm.KernelSVC(degree=2, keep_examples=True).fit(X, y))


def test_others_are_refused():
    with pytest.raises(ValueError, match="got OnlineKernelClassifier"):
        gm.leave_one_out(gm.OnlineKernelClassifier().fit(X, Y2))
