"""KernelSVC and LIBSVM (through scikit-learn) on parts of the real data sets."""

from __future__ import annotations

import gzip
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

import gristmill as gm
from benchmarks import conll
from benchmarks.examples import matrices
from gristmill.kernels import as_kernel

SOLVERS = ["smo", "dual-cd"]


def objective(K, svc, y):
    """1/2 a'Qa - sum a of a fitted SVC of two classes."""
    coef = np.zeros(len(y))
    coef[svc.support_] = sp.csr_matrix(svc.dual_coef_).toarray()[0]  # of sparse data it is sparse
    return coef @ K @ coef / 2 - np.abs(coef).sum()


@pytest.fixture(scope="module")
def tables(corpora):
    """1,000 examples each, and 500 others."""
    (tokens, tags), _ = matrices(islice(conll._examples("train"), 1500), [])
    X, y = gm.read_svmlight(corpora / "binary" / "a9a.gz")
    return {"base_np": (tokens, np.char.endswith(tags, "-NP")), "a9a": (sp.csr_matrix(X)[:1500], y[:1500])}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("name", ["base_np", "a9a"])
def test_objective_support_and_scores_are_those_of_libsvm(tables, name, degree, solver):
    X, y = tables[name]
    X, y, test = X[:1000], y[:1000], X[1000:]
    kernel, C = gm.PolynomialKernel(degree), 0.001
    K = kernel(X)
    svc = SVC(kernel="poly", degree=degree, gamma=1, coef0=1, C=C).fit(X, y)
    clf = gm.KernelSVC(kernel, C=C, solver=solver).fit(X, y)
    assert clf.objective_[0] == pytest.approx(objective(K, svc, y), rel=1e-6)
    assert np.abs(clf.decision_function(test) - svc.decision_function(test)).max() < 1e-3
    assert len(np.setxor1d(clf.support_, svc.support_)) <= 0.01 * len(svc.support_) + 2
    tight = SVC(kernel="poly", degree=degree, gamma=1, coef0=1, C=C, tol=1e-8).fit(X, y)
    clf.set_params(tol=1e-8).fit(X, y)
    assert np.abs(clf.decision_function(test) - tight.decision_function(test)).max() < 1e-6


@pytest.mark.parametrize("name", ["sst", "ptk"])
def test_trees_are_as_with_a_gram_matrix(corpora, name):
    with gzip.open(corpora / "qc" / "train.tk.gz", "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in islice(file, 500)]
    y, trees = np.array([label == "NUM" for label, _ in lines]), gm.Forest.from_strings([tree for _, tree in lines])
    K = as_kernel(name)(trees)
    svc = SVC(kernel="precomputed", tol=1e-8).fit(K, y)
    clf = gm.KernelSVC(name, tol=1e-8).fit(trees, y)
    assert clf.objective_[0] == pytest.approx(objective(K, svc, y), rel=1e-8)
    assert clf.support_.tolist() == svc.support_.tolist()
    assert np.allclose(clf.dual_coef_, svc.dual_coef_, atol=1e-5)
