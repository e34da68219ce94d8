"""Relations between nodes: marked trees against their definition, for any number of marks."""

from __future__ import annotations

import ast
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data import relations
from gristmill.data.relations import inserting
from gristmill.data.relations.fragments import Fragments
from gristmill.data.relations.subtree_pool import SubtreePool
from tests.data.tree_strategies import to_string, trees
from tests.oracle.relations import around, outline

LABELS = ["a", "b", "c"]
SENTENCE = "(S (NP (D the) (N dog)) (ADVP (R now)) (VP (V saw) (NP (NP (N cats)) (PP (P in) (NP (N trees))))) (. .))"


def forest_of(*strings, marks=False):
    return gm.Forest.from_strings(strings, marks=marks)


def view_of(string):
    (found,) = relations.tree_views(forest_of(string))
    return found


@st.composite
def marked(draw, min_size=1):
    """A tree, and marks of some of its nodes."""
    tree = draw(trees(LABELS))
    nodes = st.integers(0, len(outline(tree)) - 1)
    return tree, draw(st.dictionaries(nodes, st.integers(1, 3), min_size=min_size, max_size=4))


# --- nodes ------------------------------------------------------------------------------------------------------------


@given(trees(LABELS))
def test_a_view_says_where_nodes_stand(tree):
    found, expected = view_of(to_string(tree)), outline(tree)
    assert found.labels == [node.label for node in expected]
    assert found.spans == [node.span for node in expected]
    assert found.begins == [node.begin for node in expected]
    assert [[at, *found.path_to_root(at)[1:]] for at in range(len(found))] == [node.way for node in expected]
    for at, children in enumerate(found.children):
        assert [found.places[child] for child in children] == list(range(len(children)))
        assert all(found.parents[child] == at for child in children)


@given(trees(LABELS))
def test_the_highest_of_the_nodes_that_cover_the_same_leaves(tree):
    found, expected = view_of(to_string(tree)), outline(tree)
    for at, node in enumerate(expected):
        same = [other for other, one in enumerate(expected) if one.span == node.span]
        highest = min(same, key=lambda other: len(expected[other].way))
        assert found.covering(*node.span) == highest
        assert found.is_highest(at) == (at == highest)


@given(trees(LABELS), st.data())
def test_the_lowest_node_above_leaves_is_the_smallest_that_has_them(tree, data):
    found, expected = view_of(to_string(tree)), outline(tree)
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(found.leaves) - 1)] * 2)))
    above = [at for at, node in enumerate(expected) if node.span[0] <= first and node.span[1] >= last]
    size = min(expected[at].span[1] - expected[at].span[0] for at in above)
    smallest = [at for at in above if expected[at].span[1] - expected[at].span[0] == size]
    assert found.lowest_above(first, last) == min(smallest, key=lambda at: len(expected[at].way))


def test_unary_chains_and_spans_that_are_no_node():
    tree = view_of("(TOP (S (NP (N dogs)) (VP (V bark) (R now))))")
    assert tree.labels[tree.covering(0, 0)] == "NP"
    assert tree.labels[tree.covering(0, 2)] == "TOP"
    assert tree.labels[tree.covering(2, 2)] == "R"
    assert tree.covering(0, 1) is None
    assert tree.covering(0, 99) is None


def test_a_tree_of_one_node():
    tree = view_of("(a)")
    assert (tree.labels, tree.parents, tree.spans, tree.covering(0, 0)) == (["a"], [0], [(0, 0)], 0)
    for form in relations.FORMS:
        assert list(relations.mark(forest_of("(a)"), [(0, {0: 7})], form)) == ["(a*7)"]


def test_positions_of_nodes_that_parents_give():
    parents = [3, 0, 0, -1, 3]
    forest = gm.Forest.from_parents([list("abcde")], [parents])
    (tree,) = relations.tree_views(forest)
    assert [tree.labels[at] for at in relations.post_order(parents)] == list("abcde")


# --- forms ------------------------------------------------------------------------------------------------------------


@given(st.lists(marked(), min_size=1, max_size=4), st.sampled_from(relations.FORMS))
def test_forms_are_what_they_are_defined_as(examples, form):
    forest = forest_of(*(to_string(tree) for tree, _ in examples))
    found = relations.mark(forest, ((number, marks) for number, (_, marks) in enumerate(examples)), form)
    assert list(found) == list(forest_of(*(to_string(around(*example, form)) for example in examples), marks=True))


@given(marked())
def test_paths_without_what_is_below(example):
    tree, marks = example
    found = relations.mark(forest_of(to_string(tree)), [(0, marks)], "path", below=False)
    assert list(found) == list(forest_of(to_string(around(tree, marks, "path", below=False)), marks=True))


@given(marked(), st.sampled_from(relations.FORMS))
def test_pairs_have_no_rules_of_their_own(example, form):
    tree, marks = example
    pool = SubtreePool(forest_of(to_string(tree)))
    fragments = Fragments(pool, pool.view(0), form, below=True)
    assert fragments.tree(marks) == fragments._any_number(marks)


@given(marked(), st.sampled_from(relations.FORMS))
def test_spanning_is_the_same_for_trees_that_have_marks(example, form):
    tree, marks = example
    forest = forest_of(to_string(tree))
    whole = relations.mark(forest, [(0, marks)])
    assert relations.marked_nodes(whole) == [dict(sorted(marks.items()))]
    assert relations.unmarked(whole) == forest
    assert relations.spanning(whole, form) == relations.mark(forest, [(0, marks)], form)


def test_three_marks_of_a_sentence():
    dog, saw, in_ = 3, 9, 14
    assert list(relations.mark(forest_of(SENTENCE), [(0, {saw: 1, dog: 2, in_: 3})], "minimal")) == [
        "(S (NP (N*2 dog)) (ADVP (R now)) (VP (V*1 saw) (NP (NP (N cats)) (PP (P*3 in)))))"
    ]


def test_marks_that_are_there_stay_unless_the_node_gets_another():
    forest = forest_of("(S (A*1 a) (B*2 b))", marks=True)
    assert list(relations.mark(forest, [(0, {1: 5})])) == ["(S (A*5 a) (B*2 b))"]
    assert list(relations.mark(forest, [(0, {})])) == list(forest)


def test_very_deep_trees_with_many_marks():
    size = 5000
    forest = gm.Forest.from_parents([["a"] * size], [[-1, *range(size - 1)]])
    nodes = {node: 1 + node % 3 for node in range(0, size, 2)}
    for form in relations.FORMS:
        (found,) = relations.marked_nodes(relations.mark(forest, [(0, nodes)], form))
        assert len(found) == len(nodes)
    assert relations.mark(forest, [(0, {0: 1, size - 1: 2})], "path").sizes()[0].tolist() == [size]


@pytest.mark.parametrize(
    ("example", "form", "message"),
    [
        ((1, {0: 1}), "whole", "example 0: there are 1 trees"),
        ((-1, {0: 1}), "whole", "but none -1"),
        ((0, {5: 1}), "whole", "has 5 nodes, counted from 0, but none 5"),
        ((0, {-1: 1}), "path", "but none -1"),
        ((0, {0: 0}), "whole", "a mark is a whole number from 1 to 4294967295, got 0"),
        ((0, {0: 2**32}), "whole", "a mark is a whole number from 1 to 4294967295, got 4294967296"),
        ((0, {0: 1.0}), "whole", "a mark is a whole number from 1 to 4294967295, got 1.0"),
        ((0, {0: True}), "whole", "got True"),
        ((0, {0: "1"}), "whole", "got '1'"),
        ((0, {1.0: 1}), "whole", "but none 1.0"),
        ((0, {"a": 1}), "path", "but none 'a'"),
        ((0.0, {0: 1}), "whole", "but none 0.0"),
        ((0, [1]), "whole", r"example 0: expected the number of a tree and a dict .* got \(0, \[1\]\)"),
        ((0, {0: 1}, 2), "whole", "expected the number of a tree and a dict"),
        ({0: 1}, "whole", "expected the number of a tree and a dict"),
        (0, "whole", "expected the number of a tree and a dict"),
        ((0, {}), "minimal", "no marked node"),
        ((0, {0: 1}), "smallest", "form must be one of 'whole', 'subtree', 'minimal', 'path', got 'smallest'"),
    ],
)
def test_what_is_refused(example, form, message):
    with pytest.raises(ValueError, match=message):
        relations.mark(forest_of("(S (A a) (B b))"), [example], form)


def test_only_paths_go_without_what_is_below():
    with pytest.raises(ValueError, match="below=False is for form 'path'"):
        relations.mark(forest_of("(a)"), [], "minimal", below=False)


def test_no_examples():
    assert len(relations.mark(forest_of("(a)"), [])) == 0
    assert len(relations.mark(forest_of(), [])) == 0
    assert relations.marked_nodes(forest_of()) == []
    assert len(relations.unmarked(forest_of())) == 0


# --- nodes above others -----------------------------------------------------------------------------------------------


@given(marked(min_size=0))
def test_nodes_that_were_put_in_come_out_again(example):
    tree, marks = example
    forest = forest_of(to_string(tree))
    inserted = relations.marks_as_nodes(relations.mark(forest, [(0, marks)]))
    assert not inserted.has_marks
    assert inserted.sizes()[0] == forest.sizes()[0] + len(marks)
    assert relations.without_nodes(inserted, lambda label: label.startswith("*")) == forest


def test_marks_as_nodes_are_seen_by_unmarked_kernels():
    left, right = ("(S (NP*1 a) (NP b))", "(S (NP a) (NP*1 b))")
    forest = relations.marks_as_nodes(forest_of(left, right, marks=True), "mark-{}".format)
    assert list(forest) == ["(S (mark-1 (NP a)) (NP b))", "(S (NP a) (mark-1 (NP b)))"]
    gram = gm.SubsetTreeKernel()(forest)
    assert gram[0, 1] < gram[0, 0]


def test_a_root_of_several_children_stays():
    assert list(relations.without_nodes(forest_of("(x (x a (x b)) (x c))"), "x".__eq__)) == ["(x a b c)"]
    assert list(relations.without_nodes(forest_of("(x (x a))", "(x)"), "x".__eq__)) == ["(a)", "(x)"]


@pytest.mark.parametrize(
    ("example", "message"),
    [
        ((0, {9: "x"}), "tree 0 has 2 nodes, counted from 0, but none 9"),
        ((0, {0: ""}), "a string that is not empty"),
        ((0, {0: None}), "a string that is not empty"),
        ((-1, {0: "x"}), "there are 1 trees, counted from 0, but none -1"),
        ((1, {0: "x"}), "but none 1"),
        ((0, "x"), "expected the number of a tree and a dict"),
    ],
)
def test_labels_and_nodes_to_insert_are_checked(example, message):
    with pytest.raises(ValueError, match=f"example 0: .*{message}"):
        relations.insert_above(forest_of("(S a)"), [example])


def test_numpy_numbers_are_whole_numbers():
    assert list(relations.mark(forest_of("(S a)"), [(np.int64(0), {np.uint8(0): np.int32(3)})])) == ["(S a*3)"]


def test_every_node_is_looked_at_once_however_deep_the_tree():
    class Parents(list):
        n_asked = 0

        def __getitem__(self, at):
            Parents.n_asked += 1
            return super().__getitem__(at)

    size = 1000
    forest = gm.Forest.from_parents([["a"] * size], [[-1, *range(size - 1)]])
    (tree,) = relations.tree_views(forest)
    chain = replace(tree, parents=Parents(tree.parents))
    assert inserting._and_above(chain, range(size)) == set(range(size))
    assert Parents.n_asked == size
    every = relations.insert_above(forest, [(0, dict.fromkeys(range(size), "b"))])
    assert every.sizes()[0].tolist() == [2 * size]


# --- pairs ------------------------------------------------------------------------------------------------------------


def test_pairs_of_entities_in_a_dependency_tree():
    """The path between two words is that of their heads."""
    words = "dogs chased the cats in trees".split()
    parents = [1, -1, 3, 1, 1, 4]
    forest = gm.Forest.from_parents([words], [parents])
    chosen = list(relations.pairs(forest, {"dogs", "trees", "cats"}, ordered=False))
    assert list(relations.mark(forest, chosen, "path", below=False)) == [
        "(chased dogs*1 cats*2)",
        "(chased dogs*1 (in trees*2))",
        "(chased cats*1 (in trees*2))",
    ]
    at = relations.post_order(parents)
    assert chosen[0] == (0, {at[0]: 1, at[3]: 2})


def test_pairs_are_ordered_or_not_nested_or_not():
    forest = forest_of("(a (a b) b)")
    assert [marks for _, marks in relations.pairs(forest, {"a"})] == [{1: 1, 3: 2}, {3: 1, 1: 2}]
    assert [marks for _, marks in relations.pairs(forest, {"a"}, ordered=False)] == [{1: 1, 3: 2}]
    assert list(relations.pairs(forest, {"a"}, nested=False)) == []
    assert [marks for _, marks in relations.pairs(forest, {"a"}, {"b"}, nested=False)] == [{1: 1, 2: 2}]
    both = [marks for _, marks in relations.pairs(forest, {"a", "b"}, {"b"}, ordered=False)]
    assert both.count({0: 1, 2: 2}) == 1
    assert {2: 1, 0: 2} not in both
    with pytest.raises(ValueError, match="got the string 'a'"):
        next(relations.pairs(forest, "a"))


def test_relations_of_other_structures():
    page = ET.fromstring("<page><person><name>Ann</name></person><p/><firm>Mill</firm></page>")
    forest = gm.Forest.from_xml([page])
    assert list(relations.mark(forest, relations.pairs(forest, {"person"}, {"firm"}), "minimal")) == [
        "(page (person*1 (name Ann)) p (firm*2 Mill))"
    ]
    code = gm.Forest.from_ast([ast.parse("a = f(b)").body[0]])
    assert list(relations.mark(code, relations.pairs(code, {"Call"}, {"b"}), "path", below=False)) == [
        "(Call*1 (Name b*2))"
    ]
