"""Trees in numbers, against counting them node by node."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.tree_summary import summarise_trees
from gristmill.evaluation.summaries import summarise_similarity
from tests.data.tree_strategies import to_strings, tree_lists
from tests.oracle.trees import children, label


def nodes(tree):
    return [tree, *(node for child in children(tree) for node in nodes(child))]


def levels(tree):
    return 1 + max(map(levels, children(tree)), default=0)


def shape(tree):
    """Equal for equal trees: a leaf may be a word or a tuple of one."""
    return (label(tree), *map(shape, children(tree)))


def production(tree):
    return f"{label(tree)} -> {' '.join(map(label, children(tree)))}"


def matches(counts, trees):
    return sum(times * times for times in counts.values()) / trees**2


@given(trees=tree_lists(min_size=1, max_size=8))
def test_counts_are_those_of_the_nodes(trees):
    summary = summarise_trees(gm.Forest.from_strings(to_strings(trees)), top=3)
    every = [node for tree in trees for node in nodes(tree)]
    inner = [node for node in every if children(node)]
    labels, productions = Counter(map(label, every)), Counter(map(production, inner))
    subtrees, different = {shape(node) for node in every}, {shape(tree) for tree in trees}
    assert summary.trees == len(trees)
    assert summary.nodes == len(every)
    assert summary.leaves == len(every) - len(inner)
    assert summary.nodes_per_tree == pytest.approx(len(every) / len(trees))
    assert summary.levels_per_tree == pytest.approx(np.mean([levels(tree) for tree in trees]))
    assert summary.deepest == max(map(levels, trees))
    assert summary.most_children == max(len(children(node)) for node in every)
    assert (summary.node_labels, summary.productions) == (len(labels), len(productions))
    assert (summary.subtrees, summary.different_trees) == (len(subtrees), len(different))
    assert summary.node_sharing == pytest.approx(len(every) / len(subtrees))
    assert summary.tree_sharing == pytest.approx(len(trees) / len(different))
    assert summary.label_matches == pytest.approx(matches(labels, len(trees)))
    assert summary.production_matches == pytest.approx(matches(productions, len(trees)))
    assert [times for _, times in summary.frequent] == sorted(productions.values(), reverse=True)[:3]
    assert all(productions[name] == times for name, times in summary.frequent)
    assert summary.marked == 0


@given(trees=tree_lists(min_size=1))
def test_marked_nodes(trees):
    forest = gm.Forest.from_strings(to_strings(trees), marks=True)
    marked = {"a*1", "b*2", "a*2", "a*12"}
    every = [label(node) for tree in trees for node in nodes(tree)]
    summary = summarise_trees(forest)
    assert summary.marked == sum(name in marked for name in every)
    assert summary.node_labels == len(set(every))


@given(trees=tree_lists(min_size=1, max_size=8), data=st.data())
def test_a_part_of_a_forest_counts_for_itself(trees, data):
    strings = to_strings(trees)
    numbers = data.draw(st.lists(st.integers(0, len(trees) - 1)))
    part = gm.Forest.from_strings(strings)[numbers]
    alone = gm.Forest.from_strings([strings[number] for number in numbers])
    assert summarise_trees(part, top=0) == summarise_trees(alone, top=0)


def test_no_trees():
    summary = summarise_trees(gm.Forest())
    assert (summary.trees, summary.nodes, summary.deepest, summary.node_sharing, summary.frequent) == (0, 0, 0, 0.0, [])
    assert summarise_similarity(gm.Forest()).pairs == 0


def test_labels_of_examples_the_most_frequent_first():
    summary = summarise_trees(gm.Forest.from_strings(["(a)"] * 4), np.array(["y", "x", "z", "z"]))
    assert list(summary.labels.items()) == [("z", 2), ("x", 1), ("y", 1)]


def test_deep_trees():
    depth = 6_000
    summary = summarise_trees(gm.Forest.from_strings(["(a " * depth + "b" + ")" * depth]))
    assert (summary.deepest, summary.nodes, summary.productions) == (depth + 1, depth + 1, 2)


# --- similarity -------------------------------------------------------------------------------------------------------


@given(trees=tree_lists(min_size=0, max_size=8))
def test_similarities_are_those_of_different_trees(trees):
    strings = list(dict.fromkeys(gm.Forest.from_strings(to_strings(trees))))
    found = summarise_similarity(gm.Forest.from_strings(to_strings(trees)))
    assert (found.trees, found.pairs) == (len(strings), len(strings) * (len(strings) - 1) // 2)
    values = [
        value
        for row, line in enumerate(gm.Normalized(gm.SubsetTreeKernel())(strings) if strings else [])
        for value in line[:row]
    ]
    assert found.bins == np.bincount([min(int(10 * value), 9) for value in values], minlength=10).tolist()
    assert found.average == pytest.approx(np.mean(values) if values else 0.0)


def test_trees_with_nothing_in_common_are_warned_of():
    found = summarise_similarity(gm.Forest.from_strings([f"(S{i} (A{i} x))" for i in range(9)]))
    assert found.nothing == 1.0
    assert "share nearly nothing" in found.warnings[0]
    assert len(found.warnings) == 1


def test_a_few_near_twins_are_warned_of():
    big = f"(S {'(NP (D the) (N dog)) ' * 20} (A (B (C (D (E (F (G {{}}))))))))"
    trees = [big.format("x"), big.format("y"), *(f"(S{i} (NP (D the) (N n{i})))" for i in range(9))]
    found = summarise_similarity(gm.Forest.from_strings(trees))
    assert found.bins[9] == 1
    assert any("share nearly everything" in warning for warning in found.warnings)


def test_alike_trees_are_not_warned_of():
    trees = [f"(S (NP (D the) (N {i}) (B b)) (VP (V {i % 2}) (C c)))" for i in range(9)]
    assert summarise_similarity(gm.Forest.from_strings(trees)).warnings == []


def test_large_forests_are_sampled_the_same_every_time():
    forest = gm.Forest.from_strings([f"(S (NP {i}) (VP {i % 7}))" for i in range(1000)])
    found = summarise_similarity(forest)
    assert (found.trees, found.pairs) == (400, 79_800)
    assert found == summarise_similarity(forest)


def test_the_asts_are_counted(corpora):
    forest, labels = gm.read_trees(corpora / "ast" / "java_methods.trees.gz")
    summary = summarise_trees(forest, labels)
    indexed = forest.indexed()
    assert (summary.trees, summary.nodes, summary.subtrees) == (
        35_834,
        int(forest.sizes()[0].sum()),
        indexed.n_subtrees,
    )
    assert (summary.node_labels, summary.productions) == (indexed.n_labels, indexed.n_productions)
