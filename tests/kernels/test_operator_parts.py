"""Products with Gram matrices that exist, and operators over some of the examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.kernels.operator_parts import matrix_product, sum_of_rows

TREES = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (C a) (B b))", "(S (C c))", "(S (A d) (B b))", "(A a)"]


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(0, 40), st.integers(1, 19))
def test_some_rows_times_some_columns(seed, n_rows, n_columns, width):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(41, 43))
    rows, columns = random.integers(0, 41, n_rows), random.integers(0, 43, n_columns)
    weights = random.normal(size=(n_columns, width))
    found = matrix_product(matrix, rows, columns, weights, 1)
    np.testing.assert_allclose(found, matrix[np.ix_(rows, columns)] @ weights, atol=1e-12)
    np.testing.assert_array_equal(matrix_product(matrix, rows, columns, weights, 2), found)
    alone = [matrix_product(matrix, rows, columns, weights[:, [k]].copy(), 1)[:, 0] for k in range(width)]
    np.testing.assert_array_equal(np.stack(alone, axis=1), found)  # whatever the other columns are


@pytest.mark.parametrize(("rows", "columns"), [([3], [0]), ([-1], [0]), ([0], [3]), ([0], [-1])])
def test_numbers_beyond_the_matrix_are_refused(rows, columns):
    with pytest.raises(IndexError, match="no such row or column"):
        matrix_product(np.eye(3), np.array(rows), np.array(columns), np.ones((1, 1)), 1)


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        _core.multiply_matrix(np.eye(3), np.arange(3), np.arange(2), np.ones((3, 1)), np.empty((3, 1)), 1)


def test_only_rows_with_a_weight_are_taken():
    K = np.arange(16.0).reshape(4, 4)
    K = K + K.T
    taken = []

    def take(numbers):
        taken.extend(numbers.tolist())
        return K[numbers]

    weights = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [1.0, -1.0]])
    np.testing.assert_array_equal(sum_of_rows(take, weights), K @ weights)
    assert taken == [1, 3]


@pytest.mark.parametrize("method", ["auto", "compiled", "gram", "rows"])
@pytest.mark.parametrize(
    "kernel", [gm.SubsetTreeKernel(), gm.Normalized(gm.SubsetTreeKernel()), gm.Normalized(gm.PartialTreeKernel())]
)
def test_an_operator_over_some_examples(kernel, method):
    forest = gm.Forest.from_strings(TREES)
    numbers = np.array([4, 0, 3])
    part = kernel.operator(forest, method=method).restricted(numbers, forest[numbers])
    fresh = kernel.operator(forest[numbers], method=method)
    assert part.shape == (3, 3)
    weights = np.array([0.5, -1.0, 2.0])
    np.testing.assert_allclose(part @ weights, fresh @ weights, rtol=1e-14)
    np.testing.assert_allclose(part @ weights, kernel.direct(forest[numbers]) @ weights, rtol=1e-12)


def test_an_operator_of_a_sum_over_some_examples():
    kernel = gm.Normalized(gm.SubsetTreeKernel()).on("trees") + 0.5 * gm.PolynomialKernel(2).on("vectors")
    data = gm.Examples(trees=gm.Forest.from_strings(TREES), vectors=np.eye(6))
    numbers = np.array([1, 5])
    part = kernel.operator(data).restricted(numbers, data[numbers])
    np.testing.assert_allclose(part @ np.ones(2), kernel(data[numbers]).sum(axis=1), rtol=1e-12)
