"""C by the scale of the data: the definition, what does not change it, and data without any scale."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.rows import as_rows
from gristmill.solvers.cost_scale import FACTORS, check_cost, online_cost, scaled_cost, squared_lengths
from tests.data import strategies
from tests.oracle import cost_scale as oracle

TREES = gm.Forest.from_strings(["(S (A a) (B b))", "(S (A a))", "(X x)"])
ROWS = as_rows([{0, 1, 2}, set(), {5}])
LOSSES = pytest.mark.parametrize("loss", FACTORS)


@LOSSES
@given(data=st.data(), rows=strategies.rows, kernel=strategies.kernels())
def test_equals_the_definition(loss, data, rows, kernel):
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    squares = squared_lengths(kernel, as_rows(rows))
    got = scaled_cost(squares, np.array(weights, dtype=float), loss=loss)
    assert got == pytest.approx(oracle.cost(kernel, rows, weights, FACTORS[loss]), rel=1e-9)


@given(lengths=st.lists(st.floats(0.125, 1e6), min_size=1, max_size=8), data=st.data())
def test_weights_are_repetitions_in_any_order(lengths, data):
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(lengths), max_size=len(lengths)))
    squares = np.array(lengths)
    repeated = np.repeat(squares, weights)[::-1]
    assert scaled_cost(squares, np.array(weights, dtype=float)) == pytest.approx(scaled_cost(repeated), rel=1e-12)
    assert scaled_cost(repeated) == scaled_cost(repeated[::-1])


@given(factor=st.integers(-20, 20))
def test_the_same_machine_for_any_unit_of_the_kernel(factor):
    """C k is what a machine is made of: with k scaled, C is scaled back."""
    squares, scale = np.array([1.0, 4.0, 9.0]), 2.0**factor
    assert scaled_cost(scale * squares) * scale == pytest.approx(scaled_cost(squares))


@LOSSES
@pytest.mark.parametrize("squares", [[], [0.0, 0.0], [-3.0], [1e-320], [np.inf]])
def test_data_without_scale_have_a_c_of_one(loss, squares):
    assert scaled_cost(np.array(squares, dtype=float), loss=loss) == 1.0


def test_weights_of_zero_leave_nothing():
    assert scaled_cost(np.array([4.0]), np.zeros(1)) == 1.0


def test_lengths_are_distances_from_the_empty_example():
    poly = gm.PolynomialKernel(2, 1.0, 3.0)
    np.testing.assert_allclose(squared_lengths(poly, ROWS), [27.0, 0.0, 7.0])
    np.testing.assert_allclose(squared_lengths(gm.Normalized(poly), ROWS), [1.0, 0.0, 0.5])
    np.testing.assert_allclose(squared_lengths(gm.Normalized(gm.SubsetTreeKernel()), TREES), 1.0)


def test_lengths_of_parts_add_up():
    tree, poly = gm.Normalized(gm.SubsetTreeKernel()).on("trees"), gm.PolynomialKernel(2, 1.0, 3.0).on("rows")
    both = gm.Examples(trees=TREES, rows=ROWS)
    np.testing.assert_allclose(squared_lengths(tree + 0.5 * poly, both), [14.5, 1.0, 4.5])


def test_passes_of_online_learning_add_up_to_one():
    assert 10 * 4.0 * online_cost(4.0, epochs=10) == pytest.approx(1.0)
    assert online_cost(0.0, epochs=10) == 1.0


@pytest.mark.parametrize("C", ["auto", 1, 0.5, np.float32(2)])
def test_good_costs_pass(C):
    check_cost(C)


@pytest.mark.parametrize("C", ["Auto", 0, -1.0, np.nan, np.inf, True, None, [1.0]])
def test_bad_costs_are_refused(C):
    with pytest.raises(ValueError, match="C must be a finite number above 0 or 'auto', got"):
        check_cost(C)
