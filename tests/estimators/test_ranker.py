"""KernelRanker: preferences learned by cutting planes over pairs."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import gristmill as gm
from gristmill.solvers.batch.problems import preferences

TREES = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (C a) (B b))", "(S (C c))", "(S (A d) (B b))", "(S (C d) (B c))"]


def pairs_of(y, qid):
    """By the definition."""
    return [(i, j) for i in range(len(y)) for j in range(len(y)) if qid[i] == qid[j] and y[i] > y[j]]


def as_classification(K, y, pairs):
    """The same problem for an SVM without intercept: the Gram matrix of differences, in either direction."""
    D = np.zeros((len(pairs), len(y)))
    for at, (i, j) in enumerate(pairs):
        D[at, i], D[at, j] = 1, -1
    D = np.vstack([D[::2], -D[1::2]])
    signs = np.repeat([1, -1], [(len(pairs) + 1) // 2, len(pairs) // 2])
    return D @ K @ D.T, D, signs


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 1.0, 100.0]))
def test_the_same_as_an_svm_on_differences(seed, C):
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 12))
    X = (random.random((n, 6)) < 0.5).astype(float)
    y, qid = random.integers(0, 3, n), random.integers(0, 2, n)
    kernel = gm.PolynomialKernel(2)
    pairs = [(i, j) for i, j in pairs_of(y, qid) if not np.array_equal(X[i], X[j])]  # the others cost what they cost
    if len(pairs) < 2:
        return
    K = kernel(X)
    G, D, signs = as_classification(K, y, pairs)
    svm = gm.KernelSVC("precomputed", C=C, fit_intercept=False, solver="smo", tol=1e-9).fit(G, signs)
    alpha = np.zeros(len(signs))
    alpha[svm.support_] = svm.dual_coef_[0]
    ranker = gm.KernelRanker(kernel, C=C, tol=1e-9).fit(X, y, qid)
    scale = C * len(signs)
    assert -ranker.objective_[0] == pytest.approx(-svm.objective_[0], abs=1e-7 * scale)
    differences = D @ (ranker.predict(X) - K @ (D.T @ alpha))
    assert np.abs(differences).max() <= 1e-3 * max(1.0, np.abs(D @ K @ D.T @ alpha).max())


def test_preferences_are_those_within_queries():
    y, qid = np.array([2, 1, 1, 0, 5]), np.array(["b", "a", "b", "b", "a"])
    better, worse = preferences(y, qid)
    assert sorted(zip(better.tolist(), worse.tolist(), strict=True)) == sorted(pairs_of(y, qid))
    assert len(preferences(y, None)[0]) == 9


def test_trees_are_ranked_and_equal_ones_folded():
    y = [3, 2, 1, 0, 3, 0]
    ranker = gm.KernelRanker("sst", C=10).fit(TREES + TREES, y + y)
    assert ranker.score(TREES, y) == 1.0
    assert len(ranker.support_) <= len(TREES)
    alone = gm.KernelRanker("sst", C=40, tol=1e-8).fit(TREES, y)  # each pair of trees is there four times
    twice = gm.KernelRanker("sst", C=10, tol=1e-8).fit(TREES + TREES, y + y)
    np.testing.assert_allclose(alone.predict(TREES), twice.predict(TREES), atol=1e-5)


def test_the_machine_travels(tmp_path):
    ranker = gm.KernelRanker("ptk").fit(TREES, [3, 2, 1, 0, 3, 0])
    ranker.machine_.save(tmp_path / "ranker")
    loaded = gm.load(tmp_path / "ranker")
    assert loaded.provenance["ranks"] is True
    scores = loaded.compile().decision_function(TREES)
    np.testing.assert_array_equal(np.ravel(scores), ranker.predict(TREES))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ranker)).predict(TREES), ranker.predict(TREES))


def test_scores_of_other_orders():
    ranker = gm.KernelRanker("linear").fit([[1, 0], [0, 1], [1, 1]], [1, 0, 1])
    assert ranker.score([[1, 0], [0, 1]], [0, 1]) == 0.0
    assert ranker.score([[0, 1], [0, 1]], [0, 1]) == 0.5


@pytest.mark.parametrize(
    ("y", "qid", "said"),
    [
        ([1, 1, 1], None, "nothing to rank"),
        ([1, 2, 3], [0, 1, 2], "nothing to rank"),
        ([1, 2, 3], [0, 1], "inconsistent numbers of samples"),
    ],
)
def test_bad_input_is_refused(y, qid, said):
    with pytest.raises(ValueError, match=said):
        gm.KernelRanker("linear").fit([[1, 0], [0, 1], [1, 1]], y, qid)


def test_scikit_learn_s_rules():
    ranker = gm.KernelRanker("sst", C=3)
    assert clone(ranker).get_params() == ranker.get_params()
    with pytest.raises(ValueError, match="patience"):
        gm.KernelRanker("sst", patience=0).fit(TREES, range(6))
