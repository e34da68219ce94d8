"""Rows of real data with few zeros: products of a matrix, the definition's, with the same bits whatever is computed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.data.rows import as_rows
from gristmill.solvers.batch import SvmSettings, train_svm
from gristmill.solvers.batch.rows import TrainingRows
from tests.scoring.test_real_scores import KERNELS

RNG = np.random.default_rng(8)
REAL = RNG.normal(size=(300, 11))
LABELS = (REAL[:, 0] * REAL[:, 1] + 0.3 * RNG.normal(size=300) > 0).astype(np.intp)
CLASSES = np.arange(2)


def solver_rows(kernel, X, max_bytes=1 << 20):
    data = as_rows(X, binarize=False)
    return _core.product_rows(kernel._of_sets, data.offsets, data.ids, data.values, max_bytes)


@pytest.mark.parametrize("name", sorted(set(KERNELS) - {"sigmoid"}))
@given(data=st.data())
def test_machines_are_those_of_the_gram_matrix(name, data):
    kernel, value = KERNELS[name]
    rows = data.draw(st.integers(9, 40))
    X = np.round(REAL[:rows], data.draw(st.integers(0, 3)))
    gram = np.array([[value(a, b) for b in X] for a in X])
    settings = {"C": data.draw(st.sampled_from([0.1, 1.0])), "tol": 1e-10}
    labels = LABELS[:rows]
    found = gm.KernelSVC(kernel, binarize=False, **settings).fit(X, labels).decision_function(X)
    wanted = gm.KernelSVC("precomputed", **settings).fit(gram, labels).decision_function(gram)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-7 * np.abs(gram).max() * rows)


def test_threads_and_memory_change_no_bit():
    fits = []
    for max_bytes, n_jobs in ((1 << 22, 1), (1 << 22, 2), (8 * 300 * 3, 1), (8 * 300 * 40, 2)):
        settings = SvmSettings(gm.RBFKernel(0.2), C=5.0, max_bytes=max_bytes)
        fits.append(train_svm(REAL, LABELS, CLASSES, settings, n_jobs=n_jobs))
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.alphas[0], fits[0].alphas[0])
        np.testing.assert_array_equal(fit.intercept, fits[0].intercept)


def test_zeros_decide_whether_there_is_a_matrix():
    kernel = gm.RBFKernel(0.2)
    assert solver_rows(kernel, REAL).size == 300
    sparse = sp.random(300, 200, density=0.02, random_state=0, format="csr")
    assert solver_rows(kernel, sparse) is None
    assert solver_rows(kernel, np.zeros((20, 3))) is None
    rows = TrainingRows(kernel, sparse, 1 << 22)
    assert rows.native(1, None).size == rows.size


def test_memory_is_limited_and_counted():
    kernel = gm.RBFKernel(0.2)
    with pytest.raises(ValueError, match="two rows take 4800 bytes"):
        solver_rows(kernel, REAL, 3000)
    assert 8 * 300 * 11 <= solver_rows(kernel, REAL).nbytes <= 1 << 17


def test_values_beyond_the_range_of_double_are_refused():
    with pytest.raises(ValueError, match="finite"):
        train_svm(REAL * 1e120, LABELS, CLASSES, SvmSettings(gm.PolynomialKernel(3)))
