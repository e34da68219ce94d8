"""Normalised kernels whose k(x, x) is too small for double are refused, never silently 0; nothing counts as 1."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm

TREES = ["(S (NP a) (VP b))", "(S (NP a) (VP c))"]
SMALL = [
    gm.PartialTreeKernel(decay=1e-170, mu=0.4),  # decay^2 is 0
    gm.PartialTreeKernel(decay=1e-150, mu=0.4, single_nodes=False),
    gm.SubsetTreeKernel(decay=1e-300),
    gm.SubtreeKernel(decay=1e-320),
    gm.ProductionTreeKernel(decay=1e-300),
    gm.OrderedTreeKernel(decay=1e-310),
    0.5 * gm.SubsetTreeKernel(decay=1e-300) + gm.PartialTreeKernel(decay=1e-200),
]


@pytest.mark.parametrize("kernel", SMALL, ids=repr)
def test_trees_whose_norm_underflows_are_refused_everywhere(kernel):
    normalised = gm.Normalized(kernel)
    machine = gm.Machine(normalised, gm.Forest.from_strings(TREES), [1.0, -1.0], 0.0)
    ways = (
        lambda: normalised(TREES),
        lambda: normalised(TREES, TREES[:1]),
        lambda: normalised.direct(TREES),
        lambda: normalised.rows(TREES).take(np.array([0])),
        lambda: normalised.operator(TREES) @ np.ones(2),
        lambda: machine.compile("direct").decision_function(TREES),
        lambda: machine.compile("forest").decision_function(TREES),
    )
    for way in ways:
        with pytest.raises(ValueError, match=r"example 0 with itself is too small for double"):
            way()


@pytest.mark.parametrize("kernel", SMALL, ids=repr)
def test_they_are_not_refused_where_nothing_is_divided(kernel):
    assert np.all(kernel(TREES) >= 0)


def test_the_number_is_that_of_the_example():
    sequences = gm.SubsequenceKernel(decay=1e-200)
    with pytest.raises(ValueError, match="example 2 with itself"):
        gm.Normalized(sequences)(["", "", "ab"])


@pytest.mark.parametrize("decay", [0.4, 1e-200])
def test_trees_without_fragments_count_as_1(decay):
    assert gm.Normalized(gm.PartialTreeKernel(decay, single_nodes=False))(["(a)"])[0, 0] == 0


def test_a_polynomial_that_underflows_is_refused_and_one_that_is_0_is_not():
    rows = gm.ids([[0, 1], []])
    with pytest.raises(ValueError, match="example 0 with itself is too small"):
        gm.Normalized(gm.PolynomialKernel(100, gamma=1e-5, coef0=0.0))(rows)
    assert np.array_equal(gm.Normalized(gm.PolynomialKernel(2, coef0=0.0))(rows), [[1.0, 0.0], [0.0, 0.0]])
