"""Explanations of trees as people see them: nodes in order, the heaviest ones, drawings, JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

import gristmill as gm
from gristmill.explanations.tree_nodes import explain_trees
from tests.data.tree_strategies import trees
from tests.kernels.test_trees import forest, relabelled

same_bits = np.testing.assert_array_equal

DOGS = ["(S (NP (D the) (N dogs)) (VP bark))", "(S (NP (D the) (N cats)) (VP sleep))"]


def explained(tree=DOGS[0], **options):
    coef, classes = [[1.0, 0.5, -0.5], [-1.0, 0.25, 2.0]], ["a", "b", "c"]
    machine = gm.Machine(gm.SubsetTreeKernel(1.0), DOGS, coef, [0.0, 1.0, 2.0], classes, "ovr")
    return explain_trees(machine, [tree], **options)[0]


def test_nodes_stand_in_pre_order():
    found = explained()
    assert found.labels == ("S", "NP", "D", "the", "N", "dogs", "VP", "bark")
    assert found.parents.tolist() == [-1, 0, 1, 2, 1, 4, 0, 6]
    assert found.tree == DOGS[0]
    assert [found.text(node) for node in (0, 1, 5, 6)] == [DOGS[0], "(NP (D the) (N dogs))", "dogs", "(VP bark)"]
    assert found.text(0, 10) == "(S (NP (D…"


@given(tree=trees())
def test_text_is_the_tree(tree):
    tree = relabelled(tree, lambda name: f"n{name}")
    x = forest([tree])
    (found,) = explain_trees(gm.Machine(gm.SubsetTreeKernel(), [], np.empty((0, 1)), 0.0), x)
    assert found.text(0, 1000) == (x[0] if len(found) > 1 else found.labels[0])


def test_outputs_have_names():
    found = explained()
    same_bits(found.shares("c"), found.shared[:, 2])
    same_bits(found.shares(1, "rooted"), found.rooted[:, 1])
    for output, problem in (("d", "one of 'a', 'b', 'c', got 'd'"), (3, "from 0 to 2 or a name, got 3")):
        with pytest.raises(ValueError, match=problem):
            found.draw(output)
    with pytest.raises(ValueError, match="shares are 'shared' or 'rooted', got 'all'"):
        found.draw(kind="all")


def test_the_heaviest_come_first():
    found = explained()
    heaviest = found.top(100, "c")
    assert [abs(one.share) for one in heaviest] == sorted(
        (abs(found.shares("c"))[found.shares("c") != 0]), reverse=True
    )
    assert found.top(1, "c")[0].text == found.text(heaviest[0].node)


def test_a_drawing_has_a_line_for_each_node():
    first, *lines = explained().draw("a", "rooted").splitlines()
    assert first == "a: 11 = 0 + 11"
    assert lines[1].split()[:2] == ["├─", "NP"]
    assert [line.count("#") for line in lines] == [40, 12, 0, 0, 6, 0, 6, 0]
    below = explained("(S (NP (D the) (N cats)) (VP sleep))").draw("a")
    assert "-------" in below
    wide = explained("(S (NP (D 犬) (N dogs)) (VP a\\\nb))").draw()
    assert "\ufffd" in wide


def test_a_drawing_masks_control_characters_and_zeros_have_no_sign():
    machine = gm.Machine(gm.SubsetTreeKernel(1.0), DOGS, [-1.0, -2.0], -0.0, ["a", "b\x1b[2J"])
    first = str(gm.explain(machine, DOGS)[0]).splitlines()[0]
    assert first.startswith("b\ufffd[2J: ")
    assert " = 0 - " in first


def test_explanations_go_into_json():
    found = json.loads(json.dumps(explained().as_dict()))
    assert found["outputs"] == ["a", "b", "c"]
    assert found["nodes"][1] == {"label": "NP", "parent": 0} | {
        kind: getattr(explained(), kind)[1].tolist() for kind in ("rooted", "shared")
    }
    assert "shared" not in explained(shares="rooted").as_dict()["nodes"][0]
