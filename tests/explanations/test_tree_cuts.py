"""Subtrees that are cut off: no fewer give another label."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.explanations.tree_cuts import tree_cuts
from tests.properties import share

NESTED = st.recursive(
    st.sampled_from("abc"),
    lambda below: st.tuples(st.sampled_from("ABC"), st.lists(below, min_size=1, max_size=3)).map(
        lambda p: (p[0], *p[1])
    ),
    max_leaves=5,
)
TREES = st.tuples(st.sampled_from("ABC"), NESTED, NESTED)


def paths(tree, here=()):
    """Of all nodes but the root."""
    if isinstance(tree, str):
        return []
    below = [(*here, at) for at in range(1, len(tree))]
    return [one for path, child in zip(below, tree[1:], strict=True) for one in [path, *paths(child, path)]]


def without(tree, cuts, here=()):
    """The tree without the subtrees at these paths; a node without children is a leaf."""
    if isinstance(tree, str):
        return tree
    kept = [without(child, cuts, (*here, at)) for at, child in enumerate(tree[1:], 1) if (*here, at) not in cuts]
    return (tree[0], *kept) if kept else tree[0]


def apart(cuts):
    return not any(one != other and other[: len(one)] == one for one in cuts for other in cuts)


@share(0.5)
@given(st.lists(TREES, min_size=2, max_size=4), TREES, st.data())
def test_no_fewer_cuts_give_another_label(support, tree, data):
    coef = data.draw(st.lists(st.sampled_from([-2.0, -1.0, 1.0, 3.0]), min_size=len(support), max_size=len(support)))
    kernel = data.draw(st.sampled_from([gm.SubsetTreeKernel(0.5, leaves=True), gm.PartialTreeKernel(0.5)]))
    intercept = data.draw(st.sampled_from([-3.5, -0.5, 0.5]))
    machine = gm.Machine(kernel, gm.Forest.from_nested(support), coef, intercept, ["no", "yes"])
    scorer, nodes = machine.compile(), paths(tree)

    def label(one):
        return scorer.predict(gm.Forest.from_nested([one]))[0]

    own = label(tree)
    fewest = None
    for size in range(1, 4):
        sets = [cuts for cuts in combinations(nodes, size) if apart(cuts)]
        if any(label(without(tree, cuts)) != own for cuts in sets):
            fewest = size
            break
    found = tree_cuts(machine, gm.Forest.from_nested([tree]), max_changes=3)
    assert found.is_proven
    assert [len(answer) for answer in found] == ([] if fewest is None else [fewest])
    for answer in found:
        assert scorer.predict(answer.row)[0] == answer.prediction != own == found.prediction


SUPPORT = ["(S (NP dogs) (VP bark))", "(S (NP dogs) (VP (V sleep)))"]


def loud():
    kernel = gm.SubsetTreeKernel(1.0)
    return gm.Machine(kernel, gm.Forest.from_strings(SUPPORT), [1.0, -0.5], -1.0, classes=["quiet", "loud"])


def test_the_cheapest_changes_of_a_tree_are_cuts():
    found = gm.counterfactual(loud(), "(S (NP cats) (VP bark))", k=2)
    assert [str(answer) for answer in found] == ["without (NP cats)", "without bark"]
    assert list(found[0].row) == ["(S (VP bark))"]
    assert found.as_dict()["answers"][0]["changes"][0]["after"] == "cut off"


def test_when_trees_run_out_that_is_said():
    found = gm.counterfactual(loud(), "(S (NP cats) (VP bark))", "loud")
    assert found[0].changes == ()
    found = gm.counterfactual(loud(), "(S (NP cats) (VP bark))", max_nodes=1)
    assert not found.is_proven
    assert found.lower_bound == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "green"}, "target must be one of the classes"),
        ({"costs": {"NP": 2}}, "costs is for rows of features"),
        ({"x": SUPPORT}, "expected a single tree, got 2"),
    ],
)
def test_questions_without_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        gm.counterfactual(loud(), **{"x": SUPPORT[0], **options})
