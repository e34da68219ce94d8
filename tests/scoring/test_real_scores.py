"""Real values: scores are the definition's to the last bit, whether support rows are a matrix or walked along."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.oracle import real_rows as oracle

KERNELS = {
    "rbf": (gm.RBFKernel(0.3), functools.partial(oracle.rbf, gamma=0.3)),
    "poly": (gm.PolynomialKernel(3, 0.5, 1.0), functools.partial(oracle.polynomial, degree=3, gamma=0.5, coef0=1.0)),
    "sigmoid": (gm.SigmoidKernel(0.2, 0.1), functools.partial(oracle.sigmoid, gamma=0.2, coef0=0.1)),
    "tanimoto": (gm.TanimotoKernel(), oracle.tanimoto),
    "dice": (gm.DiceKernel(), oracle.dice),
    "cosine": (gm.CosineKernel(), oracle.cosine),
}
numbers = st.sampled_from([0.0, 0.0, 1.0, -0.5, 0.1, 3.0, 1e-3])


def matrices(rows, columns):
    return st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@pytest.mark.parametrize("name", KERNELS)
@given(data=st.data())
def test_scores_are_the_definition_s(name, data):
    kernel, value = KERNELS[name]
    columns = data.draw(st.integers(1, 5))
    support = np.array(data.draw(matrices(data.draw(st.integers(1, 20)), columns)))
    X = np.array(data.draw(matrices(3, columns)))
    coef = np.linspace(-1, 2, len(support))
    found = gm.Machine(kernel, support, coef, 0.5).compile(binarize=False).decision_function(X)
    for x, score in zip(X, found, strict=True):
        values = [value(x, s) for s in support]
        assert abs(score - (coef @ values + 0.5)) <= 1e-12 * (0.5 + np.abs(coef * values).sum())


def test_a_matrix_of_support_rows_changes_no_bit():
    random = np.random.default_rng(2)
    support, X = random.normal(size=(43, 19)), random.normal(size=(37, 19))
    support[random.random(support.shape) < 0.3] = 0.0
    X[random.random(X.shape) < 0.3] = 0.0
    each = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), support, np.eye(43), np.zeros(43)).compile()
    wanted = [[oracle.dot(x, s) for s in support] for x in X]
    for n_jobs in (1, 3):
        np.testing.assert_array_equal(each.decision_function(X, n_jobs=n_jobs), wanted)
    alone = np.vstack([each.decision_function(X[at : at + 1]) for at in range(len(X))])
    np.testing.assert_array_equal(alone, wanted)


def test_rows_with_features_that_no_support_row_has_count_their_squares():
    random = np.random.default_rng(3)
    support = random.normal(size=(20, 4))
    X = random.normal(size=(5, 9))
    wide = np.hstack([support, np.zeros((20, 5))])
    machine = gm.Machine(gm.RBFKernel(0.2), wide, np.ones(20), 0.0)
    wanted = [sum(oracle.rbf(x, s, 0.2) for s in wide) for x in X]
    np.testing.assert_allclose(machine.compile().decision_function(X), wanted, rtol=1e-13)
