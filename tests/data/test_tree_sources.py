"""Trees as Python objects: every source becomes the post-order it stands for, and nothing that is no tree gets in."""

from __future__ import annotations

import ast
import enum
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.data.tree_sources import PostOrder, add_ast, add_element, add_nested, add_parents
from tests.data.post_orders import DEPTH, TREES, WIDTH, assert_is_chain, bracketed, brackets, tree_of, trees_of


def nested(tree):
    return tree_of(add_nested, tree)


def lists_of(tree):
    return [tree[0], *map(lists_of, tree[1:])]


def bare_leaves(tree):
    return (tree[0], *map(bare_leaves, tree[1:])) if len(tree) > 1 else tree[0]


class NltkTree(list):
    """What nltk.Tree shows of itself: a list of children with a label method."""

    def __init__(self, label, children):
        super().__init__(children)
        self._label = label

    def label(self):
        return self._label


class NltkParentedTree(NltkTree):
    def __init__(self, label, children):
        super().__init__(label, children)
        self._parent = None
        for child in self:
            if isinstance(child, NltkParentedTree):
                child._parent = self


class Nonterminal:
    def __init__(self, symbol):
        self._symbol = symbol

    def __str__(self):
        return self._symbol


def nltk_of(tree, kind):
    return kind(tree[0], [nltk_of(child, kind) if len(child) > 1 else child[0] for child in tree[1:]])


def parents_of(tree):
    """The tree in pre-order, as labels and parents."""
    labels, parents, pending = [], [], [(tree, None)]
    while pending:
        (label, *children), parent = pending.pop()
        pending += [(child, len(labels)) for child in reversed(children)]
        labels.append(label)
        parents.append(parent)
    return labels, parents


# nested tuples and lists


def test_nested_post_order():
    out = PostOrder()
    add_nested(out, ("S", ("NP", ("D", "the"), ("N", "dog")), ("VP", "barks")))
    assert out.labels == ["the", "D", "dog", "N", "NP", "barks", "VP", "S"]
    assert out.children == [0, 1, 0, 1, 2, 0, 1, 2]


@given(TREES)
def test_nested_round_trip(tree):
    assert nested(tree) == tree
    assert nested(lists_of(tree)) == tree
    assert nested(bare_leaves(tree)) == tree


@given(st.lists(TREES, max_size=5))
def test_trees_are_appended_one_after_the_other(trees):
    out = PostOrder()
    for tree in trees:
        add_nested(out, tree)
    assert trees_of(out) == trees


def test_every_source_appends_to_the_same_lists():
    out = PostOrder()
    add_nested(out, "a")
    add_ast(out, ast.parse("x").body[0])
    add_element(out, ET.fromstring("<b>c</b>"))
    add_parents(out, ["d", "e"], [-1, 0])
    assert [bracketed(tree) for tree in trees_of(out)] == ["a", "(Expr (Name x))", "(b c)", "(d e)"]


@pytest.mark.parametrize("leaf", ["a", ("a",), ["a"]])
def test_one_leaf(leaf):
    assert nested(leaf) == ("a",)
    assert nested(("S", leaf)) == ("S", ("a",))


def test_equal_labels_above_each_other_are_no_cycle():
    assert nested(("a", ("a", "a"), "a")) == ("a", ("a", ("a",)), ("a",))


def test_shared_subtrees_are_no_cycle():
    shared = ["NP", "dog"]
    assert nested(["S", shared, ["VP", shared]]) == ("S", ("NP", ("dog",)), ("VP", ("NP", ("dog",))))


def test_whole_numbers_are_labels():
    assert nested((1, 2, (np.int32(3), 4))) == ("1", ("2",), ("3", ("4",)))


@pytest.mark.parametrize("label", ["\0", "a\0b", " ", "(", "é", "語", "\U0001f33e", "\ud7ff\ue000"])
def test_unusual_labels_are_kept(label):
    assert nested((label, label)) == (label, (label,))


def test_str_subclasses_keep_their_text():
    class Tag(str, enum.Enum):  # noqa: UP042 - its str() is not its text
        NOUN = "NN"

    assert nested((Tag.NOUN, np.str_("dog"))) == ("NN", ("dog",))


@pytest.mark.parametrize("kind", [tuple, list])
def test_deep_nested(kind):
    tree = kind(["a"])
    for _ in range(DEPTH - 1):
        tree = kind(["a", tree])
    out = PostOrder()
    add_nested(out, tree)
    assert_is_chain(out, DEPTH)


def test_wide_nested():
    out = PostOrder()
    add_nested(out, ("S", *map(str, range(WIDTH))))
    assert out.labels == [*map(str, range(WIDTH)), "S"]
    assert out.children == [0] * WIDTH + [WIDTH]


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (None, r"expected a tree, .*got None"),
        (("S", None), r"expected a tree, .*got None"),
        (("S", 1.5), r"expected a tree, .*got 1\.5"),
        (("S", b"dog"), r"expected a tree, .*got b'dog'"),
        ({"S": "dog"}, r"expected a tree, .*got \{'S': 'dog'\}"),
        (("S", iter("dog")), r"expected a tree, .*str_"),
        ((), r"starts with its label, got \(\); write \('label', child, \.\.\.\)"),
        (("S", []), r"starts with its label, got \[\]"),
        ((("S", "a"), "b"), r"starts with its label, got \(\('S', 'a'\), 'b'\)"),
        ((None, "a"), r"must be a str or an int, got None; convert it"),
        ((1.5, "a"), r"must be a str or an int, got 1\.5"),
        ((b"S", "a"), r"must be a str or an int, got b'S'"),
        ("", r"must not be empty, got ''; give the node a name"),
        (("", "a"), "must not be empty"),
        (("S", ""), "must not be empty"),
        ("\ud800", r"valid Unicode, got '\\ud800' with a lone surrogate; decode"),
        (("S", "a\udfffb"), "lone surrogate"),
        (NltkTree(None, ["a"]), "must be a str or an int, got None"),
        (NltkTree("", ["a"]), "must not be empty"),
        (NltkTree("S", [None]), "expected a tree"),
    ],
)
def test_refused_nested(tree, message):
    out = PostOrder(["kept"], [0])
    with pytest.raises(ValueError, match=message):
        add_nested(out, tree)
    assert out == PostOrder(["kept"], [0])


def test_a_tree_refused_late_leaves_nothing_behind():
    out = PostOrder()
    with pytest.raises(ValueError, match="empty"):
        add_nested(out, ("S", ("NP", "dog"), ("VP", "")))
    assert out == PostOrder()


def test_a_refusal_of_a_deep_tree_is_short():
    deep = ["a"]
    for _ in range(DEPTH):
        deep = ["a", deep]
    with pytest.raises(ValueError, match="starts with its label") as error:
        add_nested(PostOrder(), [deep])
    assert len(str(error.value)) < 500


def test_cyclic_lists_are_refused():
    own_child = ["S", "a"]
    own_child.append(own_child)
    with pytest.raises(ValueError, match="the node 'S' contains itself; a tree has no cycles"):
        add_nested(PostOrder(), own_child)
    bottom = ["NP", "dog"]
    top = ("S", ["VP", "barks", bottom])
    bottom.append(top)
    with pytest.raises(ValueError, match="the node 'S' contains itself"):
        add_nested(PostOrder(), top)
    with pytest.raises(ValueError, match="the node 'VP' contains itself"):
        add_nested(PostOrder(), ("ROOT", top[1]))


# nltk


@pytest.mark.parametrize("kind", [NltkTree, NltkParentedTree])
@given(tree=TREES)
def test_nltk_round_trip(kind, tree):
    assert nested(nltk_of(tree, kind)) == tree


def test_nltk_labels_of_any_kind():
    tree = NltkTree(Nonterminal("S"), [NltkTree(("NP", 3), ["dog"]), NltkTree(1.5, []), "."])
    assert nested(tree) == ("S", ("('NP', 3)", ("dog",)), ("1.5",), (".",))


def test_nltk_trees_mix_with_tuples():
    assert nested(("S", NltkTree("NP", [("N", "dog")]))) == ("S", ("NP", ("N", ("dog",))))


def test_deep_nltk():
    tree = NltkTree("a", [])
    for _ in range(DEPTH - 1):
        tree = NltkTree("a", [tree])
    out = PostOrder()
    add_nested(out, tree)
    assert_is_chain(out, DEPTH)


def test_cyclic_nltk_is_refused():
    tree = NltkTree("S", ["a"])
    tree.append(NltkTree("NP", [tree]))
    with pytest.raises(ValueError, match="the node 'S' contains itself"):
        add_nested(PostOrder(), tree)


def test_a_label_that_is_no_method_makes_no_nltk_tree():
    class Labelled(list):
        label = "NP"

    assert nested(Labelled(["S", "a"])) == ("S", ("a",))


# parents


@pytest.mark.parametrize("root", [-1, None])
def test_parents(root):
    assert brackets(add_parents, ["S", "NP", "VP", "dog", "barks"], [root, 0, 0, 1, 2]) == "(S (NP dog) (VP barks))"
    assert brackets(add_parents, ["dog", "NP", "barks", "S"], [1, 3, 3, root]) == "(S (NP dog) barks)"
    assert brackets(add_parents, ["a"], [root]) == "a"


def test_children_keep_the_order_of_their_indices():
    assert brackets(add_parents, "saw dogs He two".split(), [-1, 0, 0, 1]) == "(saw (dogs two) He)"


def test_parents_in_arrays():
    assert brackets(add_parents, np.array(["a", "b"]), np.array([1, -1], dtype=np.int16)) == "(b a)"
    assert brackets(add_parents, (7, 8), (None, np.int64(0))) == "(7 8)"


@given(TREES, st.randoms())
def test_parents_round_trip(tree, random):
    labels, parents = parents_of(tree)
    assert tree_of(add_parents, labels, parents) == tree
    places = list(range(len(labels)))
    random.shuffle(places)
    moved = sorted(range(len(labels)), key=places.__getitem__)
    out = PostOrder()
    add_parents(out, [labels[at] for at in moved], [-1 if at == 0 else places[parents[at]] for at in moved])
    assert sorted(out.labels) == sorted(labels)
    assert len(trees_of(out)) == 1


@pytest.mark.parametrize("upwards", [True, False])
def test_deep_parents(upwards):
    parents = [*range(1, DEPTH), -1] if upwards else range(-1, DEPTH - 1)
    out = PostOrder()
    add_parents(out, [str(node) for node in range(DEPTH)], parents)
    assert_is_chain(out, DEPTH)
    assert out.labels[0] == ("0" if upwards else str(DEPTH - 1))


def test_wide_parents():
    out = PostOrder()
    add_parents(out, [str(node) for node in range(WIDTH + 1)], [-1] + [0] * WIDTH)
    assert out.labels == [*map(str, range(1, WIDTH + 1)), "0"]


@pytest.mark.parametrize(
    ("labels", "parents", "message"),
    [
        ([], [], r"one root, got 0 \[\] among 0 nodes"),
        (["a", "b"], [1, 0], r"one root, got 0 \[\] among 2 nodes; mark one node with -1 or None"),
        (["a"], [0], "one root, got 0"),
        (["a", "b", "c"], [-1, 0, None], r"one root, got 2 \[0, 2\] among 3 nodes"),
        (["a", "b", "c"], [-1, 2, 1], "node 1 hangs on a cycle of parents; .* lead to the root 0"),
        (["a", "b"], [-1, 1], "node 1 hangs on a cycle of parents"),
        (["a", "b", "c", "d"], [3, 2, 1, -1], "node 1 hangs on a cycle of parents"),
        (["a", "b"], [-1, 2], r"parent of node 1 must lie in 0\.\.1, or be -1 for the root, got 2"),
        (["a", "b"], [-2, 0], r"parent of node 0 must lie in 0\.\.1, or be -1 for the root, got -2"),
        (["a", "b"], [-1, 0.0], r"parent of node 1 must be an int or None, got 0\.0"),
        (["a", "b"], [-1, "0"], "parent of node 1 must be an int or None, got '0'"),
        (["a", "b"], [-1], "got 2 labels and 1 parents"),
        ("ab", [-1, 0], "expected a list of labels, got the str 'ab'"),
        (["a", None], [-1, 0], "must be a str or an int, got None"),
        (["a", ""], [-1, 0], "must not be empty"),
        (["a", "\ud800"], [-1, 0], "lone surrogate"),
    ],
)
def test_refused_parents(labels, parents, message):
    out = PostOrder()
    with pytest.raises(ValueError, match=message):
        add_parents(out, labels, parents)
    assert out == PostOrder()
