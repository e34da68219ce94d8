"""Estimators that forget: equal to learning anew from the other examples, and what is said about it."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gristmill as gm
from gristmill.solvers.batch.forgetting import relative_gap
from tests.oracle import forgetting as oracle

N = 60
RNG = np.random.default_rng(5)
X = (RNG.random((N, 7)) < 0.35).astype(float)
NOISE = RNG.random(N)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE > 1.2, "yes", "no")
Y3 = np.where(NOISE > 0.75, "maybe", Y2)
VALUES = X.sum(axis=1) + NOISE
WEIGHTS = RNG.integers(0, 4, N).astype(float)
TREES = [f"(S (A {a}) (B {b}))" for a, b in RNG.choice(list("abcd"), size=(N, 2))]
TIGHT = {"smo": 1e-8, "dual-cd": 1e-8, "cutting-plane": 1e-6}
CLOSE = {"smo": 1e-6, "dual-cd": 1e-6, "cutting-plane": 2e-3}  # of scores
KEPT = pytest.mark.parametrize("kept", [True, False], ids=["kept", "given again"])


def forgets(model, X, y, weights, gone, *, kept, close=1e-6):
    """Forgets as the oracle does; the model."""
    model.set_params(keep_examples=kept)
    arguments = [part for part in (y,) if part is not None]
    model.fit(X, *arguments, sample_weight=weights)
    given = {} if kept else {"X": X, "y": y, "sample_weight": weights}
    assert model.forget(gone, **given) is model
    anew = oracle.without(model, X, y, weights, gone)
    assert oracle.scores(model, X) == pytest.approx(oracle.scores(anew, X), abs=close)
    receipt = model.receipt_
    assert (receipt.forgotten, receipt.remaining) == (len(gone), len(X) - len(gone))
    assert receipt.violation <= receipt.tol
    assert 0 <= receipt.gap <= 1e-3
    assert receipt.data_before != receipt.data_after
    return model


gone_sets = st.sets(st.integers(0, N - 1), min_size=1, max_size=12).map(sorted)


@settings(max_examples=8)
@given(gone_sets, st.booleans(), st.booleans(), st.sampled_from(["smo", "dual-cd"]), st.sampled_from(["ovo", "ovr"]))
def test_forgetting_is_learning_anew_without_them(gone, kept, weighted, solver, multiclass):
    for y in (Y2, Y3):
        weights = WEIGHTS if weighted else None
        model = gm.KernelSVC(degree=2, C=0.1, solver=solver, tol=TIGHT[solver], multiclass=multiclass)
        forgets(model, X, y, weights, gone, kept=kept, close=CLOSE[solver])


@KEPT
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
def test_cutting_planes_forget(y, kept):
    model = gm.KernelSVC(degree=2, C=0.1, solver="cutting-plane", tol=TIGHT["cutting-plane"])
    forgets(model, X, y, WEIGHTS, [1, 4, 30], kept=kept, close=CLOSE["cutting-plane"])


@pytest.mark.parametrize("intercept", [{"fit_intercept": False}, {"intercept_scaling": 2.0}], ids=["none", "priced"])
@pytest.mark.parametrize("solver", ["smo", "dual-cd"])
def test_other_intercepts_are_forgotten_with(intercept, solver):
    forgets(gm.KernelSVC(degree=2, C=0.1, solver=solver, tol=1e-8, **intercept), X, Y3, None, [0, 7, 8], kept=True)


@KEPT
def test_all_kinds_of_machines_forget(kept):
    gone = [2, 3, 40]
    forgets(gm.KernelSVR(C=0.1, tol=1e-8), X, VALUES, WEIGHTS, gone, kept=kept)
    forgets(gm.KernelOneClassSVM(nu=0.3, tol=1e-8), X, None, None, gone, kept=kept)
    forgets(gm.KernelSVC("sst", C=0.5, tol=1e-8), TREES, Y2, None, gone, kept=kept)
    call = gm.KernelSVC(lambda A, B: (A @ B.T + 1) ** 2, C=0.5, tol=1e-8)
    forgets(call, X, Y2, None, gone, kept=kept)


@KEPT
def test_gram_matrices_lose_rows_and_columns(kept):
    K = (X @ X.T + 1) ** 2
    clf = gm.KernelSVC("precomputed", C=0.5, tol=1e-8, keep_examples=kept).fit(K, Y2)
    clf.forget([3, 9], **({} if kept else {"X": K, "y": Y2}))
    rest = np.delete(np.arange(N), [3, 9])
    anew = gm.KernelSVC("precomputed", C=0.5, tol=1e-8).fit(K[np.ix_(rest, rest)], Y2[rest])
    assert clf.shape_fit_ == (N - 2, N - 2)
    assert clf.decision_function(K[:, rest]) == pytest.approx(anew.decision_function(K[:, rest]), abs=1e-6)


def test_one_of_equal_examples_leaves_the_others():
    twice, labels = np.concatenate([X, X]), np.concatenate([Y2, Y2])
    forgets(gm.KernelSVC(degree=2, C=0.1, tol=1e-8), twice, labels, None, list(range(0, N, 3)), kept=True)


def test_a_ranker_forgets_preferences():
    queries = RNG.integers(0, 4, N)
    model = gm.KernelRanker(C=0.1, tol=1e-5, keep_examples=True).fit(X, VALUES, queries).forget([0, 5])
    again = gm.KernelRanker(C=0.1, tol=1e-5).fit(X, VALUES, queries).forget([0, 5], X, VALUES, qid=queries)
    rest = np.delete(np.arange(N), [0, 5])
    anew = gm.KernelRanker(C=0.1, tol=1e-5).fit(X[rest], VALUES[rest], queries[rest])
    for one in (model, again):
        assert one.predict(X) == pytest.approx(anew.predict(X), abs=1e-9)
    assert model.receipt_.recomputed == ("preferences",)


@KEPT
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
def test_logistic_machines_go_on_from_the_machine_so_far(y, kept):
    how = {"degree": 2, "tol": 1e-9, "class_weight": "balanced"}
    clf = gm.KernelLogisticRegression(**how, keep_examples=kept).fit(X, y, WEIGHTS)
    clf.forget([1, 2, 50], **({} if kept else {"X": X, "y": y, "sample_weight": WEIGHTS}))
    rest = np.delete(np.arange(N), [1, 2, 50])
    anew = gm.KernelLogisticRegression(**how).fit(X[rest], y[rest], WEIGHTS[rest])
    assert clf.predict_proba(X) == pytest.approx(anew.predict_proba(X), abs=1e-4)
    assert clf.C_ == anew.C_
    assert clf.receipt_.recomputed == ("C", "class weights")
    assert clf.receipt_.steps <= anew.n_iter_


# --- what depends on all examples -------------------------------------------------------------------------------------


def test_what_depends_on_all_examples_is_found_anew():
    how = {"degree": 2, "C": "auto", "class_weight": "balanced", "probability": True, "tol": 1e-8}
    clf = forgets(gm.KernelSVC(**how), X, Y3, None, [1, 2, 3], kept=True)
    rest = np.delete(np.arange(N), [1, 2, 3])
    anew = gm.KernelSVC(**how).fit(X[rest], Y3[rest])
    assert clf.receipt_.recomputed == ("C", "class weights", "probabilities")
    assert clf.C_ == anew.C_
    assert clf.class_weight_.tolist() == anew.class_weight_.tolist()
    assert clf.predict_proba(X) == pytest.approx(anew.predict_proba(X), abs=1e-6)


def test_names_that_only_forgotten_examples_had_are_gone():
    rows = gm.ids([[0, 1], [1, 2], [0, 2], [1, 3]], 4)
    names = ["a", "b", "c", "secret"]
    clf = gm.KernelSVC("linear", keep_examples=True).fit(rows.to_csr(), [0, 1, 0, 1], feature_names=names)
    clf.forget([3])
    assert clf.machine_.feature_names == ("a", "b", "c", "forgotten 3")
    assert b"secret" not in pickle.dumps(clf)
    assert clf._examples.data.feature_names == ("a", "b", "c", "forgotten 3")


def test_forgotten_trees_are_in_no_kept_graph():
    trees = [*TREES, "(S (A secret) (B b))"]
    clf = gm.KernelSVC("sst", keep_examples=True).fit(trees, [*Y2, "yes"]).forget([N])
    assert b"secret" not in pickle.dumps(clf)
    assert b"secret" not in b"".join(array.tobytes() for array in map(np.asarray, clf.support_vectors_.flat()[:1]))


def test_examples_are_numbered_anew():
    clf = gm.KernelSVC(degree=2, keep_examples=True).fit(X, Y2)
    clf.forget([0, 1]).forget([0])
    anew = gm.KernelSVC(degree=2).fit(X[3:], Y2[3:])
    assert clf.shape_fit_ == (N - 3, 7)
    assert len(clf._examples) == N - 3
    assert set(clf.support_) <= set(range(N - 3))
    assert clf.decision_function(X) == pytest.approx(anew.decision_function(X), abs=0.01)


def test_one_after_the_other_is_forgotten_from_gradients_that_are_nearly_known():
    rng = np.random.default_rng(2)
    many = (rng.random((600, 30)) < 0.25).astype(float)
    labels = np.where(many[:, :3].sum(axis=1) + rng.random(600) > 1.4, "yes", "no")
    clf = gm.KernelSVC(degree=2, C=0.01, solver="dual-cd", tol=1e-5, keep_examples=True).fit(many, labels)
    left, nearly = np.arange(600), 0
    for _ in range(6):
        at = int(clf.support_[rng.integers(len(clf.support_))])
        gap = relative_gap(clf._learned.fit)
        clf.forget(at)
        left = np.delete(left, at)
        nearly += sum(map(len, clf._learned.fit.gradient_errors)) > 0
        assert clf.receipt_.solver == "dual-cd"
        assert clf.receipt_.gap <= 2 * gap + 1e-9  # relative, and not finer than slopes are settled
    assert nearly
    anew = gm.KernelSVC(degree=2, C=0.01, solver="dual-cd", tol=1e-5).fit(many[left], labels[left])
    assert clf.decision_function(many) == pytest.approx(anew.decision_function(many), abs=1e-3)
    assert clf.objective_ == pytest.approx(anew.objective_, rel=1e-6)
    again = gm.leave_one_out(clf, indices=[0, 5, 9])
    assert again.scores == pytest.approx(
        gm.leave_one_out(anew_kept(clf, many[left], labels[left]), indices=[0, 5, 9]).scores, abs=1e-3
    )


def anew_kept(clf, X, y):
    return gm.KernelSVC(**clf.get_params()).fit(X, y)


def test_masks_name_examples_too():
    mask = np.zeros(N, dtype=bool)
    mask[[2, 5]] = True
    found = [gm.KernelSVC(degree=2, keep_examples=True).fit(X, Y2).forget(which) for which in (mask, [5, 2])]
    assert found[0].machine_ == found[1].machine_
    assert found[0].receipt_.machine_after == found[1].receipt_.machine_after


def test_threads_change_no_bit():
    found = [
        gm.KernelSVC(degree=2, keep_examples=True, n_jobs=jobs).fit(X, Y3).forget([2, 5, 6]).machine_ for jobs in (1, 3)
    ]
    assert found[0] == found[1]


def test_an_example_of_no_weight_in_the_machine_changes_nothing():
    clf = gm.KernelSVC(degree=2, C=0.1, keep_examples=True).fit(X, Y2)
    idle = np.setdiff1d(np.arange(N), clf.support_)
    before = clf.machine_
    clf.forget(idle[:2])
    assert clf.receipt_.support_forgotten == clf.receipt_.steps == 0
    assert clf.machine_.support == before.support
    assert np.array_equal(clf.machine_.coef, before.coef)


def test_receipts_are_plain_data():
    clf = gm.KernelSVC(degree=2, keep_examples=True).fit(X, Y2)
    before = clf.machine_
    clf.forget(clf.support_[:1])
    found = json.loads(clf.receipt_.to_json())
    assert found["forgotten"] == 1
    assert found["machine_before"] != found["machine_after"]
    assert "forgotten" in str(clf.receipt_)
    assert "Forgotten" in clf.receipt_._repr_html_()
    assert clf.machine_ != before
    assert not hasattr(clf.fit(X, Y2), "receipt_")


def test_an_interruption_changes_nothing():
    def stop(done, total):
        if hasattr(clf, "machine_"):
            raise KeyboardInterrupt

    clf = gm.KernelSVC(degree=2, tol=1e-9, C=10, keep_examples=True, solver="smo")
    clf.fit(X, Y2)
    before, support = clf.machine_, clf.support_
    clf.set_params(progress=stop)
    with pytest.raises(KeyboardInterrupt):
        clf.forget(support[:3])
    assert clf.machine_ is before
    assert len(clf._examples) == N


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([N], "no training example"),
        ([-1], "no training example"),
        (range(N), "nothing would be left"),
        (["a"], "numbers of training examples"),
        (np.zeros(3, dtype=bool), "mask"),
        (np.flatnonzero(Y2 == "yes"), "'yes'"),
    ],
)
def test_examples_that_cannot_be_forgotten_are_refused(indices, message):
    clf = gm.KernelSVC(degree=2, keep_examples=True).fit(X, Y2)
    with pytest.raises(ValueError, match=message):
        clf.forget(indices)


def test_other_examples_are_refused():
    clf = gm.KernelSVC(degree=2).fit(X, Y2)
    with pytest.raises(ValueError, match="keep_examples=True"):
        clf.forget([0])
    with pytest.raises(ValueError, match="60 examples, got 59"):
        clf.forget([0], X[1:], Y2[1:])
    with pytest.raises(ValueError, match="support vectors"):
        clf.forget([0], 1 - X, Y2)
    with pytest.raises(ValueError, match="labels that are not"):
        clf.forget([0], X, np.where(Y2 == "yes", "other", Y2))
    with pytest.raises(ValueError, match="give X as well"):
        gm.KernelSVC(degree=2, keep_examples=True).fit(X, Y2).forget([0], y=Y2)


def test_learners_that_cannot_forget_say_why():
    with pytest.raises(ValueError, match="each step depends"):
        gm.OnlineKernelClassifier().fit(X, Y2).forget([0])
    with pytest.raises(ValueError, match="bins and categories"):
        gm.TableClassifier().forget([0])
