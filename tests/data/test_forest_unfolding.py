"""Trees of a file may be far larger than the file: who looks at every node says no, kernels compute on the graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.relations import tree_views
from tests.data.doubled_trees import chain, doubled

FOLDED = "though all their subtrees and links are but"


@given(levels=st.integers(0, 100))
def test_sizes_are_counted_without_overflow(levels):
    nodes, leaves, depth = (int(sizes[0]) for sizes in doubled(levels).sizes())
    assert (nodes, leaves, depth) == (min(2 ** (levels + 1) - 1, 2**40), min(2**levels, 2**40), levels + 1)


def test_half_a_million_nodes_are_taken_one_by_one_and_more_are_not():
    doubled(18).check_unfolding()
    with pytest.raises(ValueError, match=r"tree 1 alone 1048575, .*" + FOLDED):
        doubled(19, roots=[3, 19, 4]).check_unfolding()


def test_many_trees_count_together():
    with pytest.raises(ValueError, match=FOLDED):
        doubled(15, roots=[15] * 100).check_unfolding()


def test_trees_that_were_read_may_be_larger():
    wide = "(S" + " (A b)" * 400_000 + ")"
    gm.Forest.from_strings([wide]).check_unfolding()


@pytest.mark.parametrize("levels", [30, 70])
def test_what_lists_nodes_refuses_a_tree_of_a_thousand_million(levels):
    forest = doubled(levels)
    for lists in (list, lambda trees: trees[0], lambda trees: list(tree_views(trees)), lambda trees: str(trees[:][0])):
        with pytest.raises(ValueError, match=FOLDED):
            lists(forest)


def test_texts_do_not_grow_far_beyond_their_labels():
    with pytest.raises(ValueError, match="the text of the trees takes more than 67108864 bytes"):
        list(doubled(8, leaf="n" * 2**19))


def test_such_trees_are_kept_and_drawn():
    forest = doubled(70)
    assert forest.n_subtrees == 71
    assert gm.Forest.from_flat(*forest.flat()) == forest
    assert "71 different subtrees" in forest._repr_html_()


def test_all_subtrees_of_a_chain_as_trees_are_refused_by_kernels_and_still_counted():
    forest = chain(20_000, roots=range(20_001))
    assert int(forest.sizes()[0].sum()) == sum(range(1, 20_002))
    with pytest.raises(ValueError, match="different subtrees, counted for each tree"):
        gm.SubsetTreeKernel().rows(forest)


def test_a_tree_of_more_nodes_than_kernels_count_is_named():
    with pytest.raises(ValueError, match=r"tree 1 has 2\^32 - 1 nodes or more"):
        gm.SubsetTreeKernel()(doubled(32, roots=[1, 32]))


KERNELS = [
    gm.SubtreeKernel(0.1),
    gm.SubsetTreeKernel(0.1, leaves=True),
    gm.PartialTreeKernel(0.1, 0.1),
    gm.Normalized(gm.ProductionTreeKernel(0.1)),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_every_engine_computes_on_the_graph(kernel):
    support, trees = doubled(30, roots=[30, 12, 3]), doubled(29, leaf="m") + doubled(30, roots=[28, 5])
    machine = gm.Machine(kernel, support, [1.0, -0.5, 2.0], 0.25, classes=["a", "b"])
    expected = kernel.direct(trees, support) @ machine.coef[:, 0] + 0.25
    for engine in ("direct", "forest"):
        scores = machine.compile(engine).decision_function(trees)
        assert np.allclose(scores, expected, rtol=1e-9), engine
    assert np.allclose(kernel(trees, support), kernel.direct(trees, support), rtol=1e-9)
    found = kernel.operator(support) @ np.ones(3)
    assert np.allclose(found, kernel.direct(support) @ np.ones(3), rtol=1e-9)
