"""What notebooks show: harmless, small however large the thing is, and about the thing."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.apps.decisions import Decision, SentenceExplanation
from gristmill.apps.parsing.tree import DependencyTree, Word
from gristmill.data.forest_view import first_nodes
from gristmill.display.stylesheet import notebook_stylesheet
from tests.display.parsed_pages import assert_harmless

EVIL = "<script>alert('x')</script>"
NAMES = [EVIL, "</style>", "& so on", '"quoted"', "石臼", "a\x00b"]
TREES = ["(S (NP (D the) (N dog)) (VP barks))", "(S (NP (D a) (N cat)) (VP sleeps))", "(S (VP go))", "(S (VP stop))"]


@pytest.fixture(scope="module")
def machine():
    coef = np.array([1.0, -2.0, 0.5])
    return gm.Machine(
        gm.PolynomialKernel(2), [{0, 1}, {2, 3}, {4, 5}], coef, 0.25, classes=[EVIL, "yes"], feature_names=NAMES
    )


@pytest.fixture(scope="module")
def tree_machine():
    forest = gm.Forest.from_strings(TREES)
    return gm.Machine("sst", forest, [1.0, -1.0, 0.5, -0.5], 0.0, classes=["cat", "dog"])


def shown(thing):
    """The text of what a notebook shows, after looking at its markup."""
    drawn = thing._repr_html_()
    assert drawn.count(f"<style>{notebook_stylesheet()}</style>") == 1
    assert len(drawn) < 300_000
    return assert_harmless(drawn).text.replace(notebook_stylesheet(), "")


# --- machines and scorers ---------------------------------------------------------------------------------------------


def test_a_machine_is_told_by_its_numbers(machine):
    text = shown(machine)
    for explained in (
        "kernel PolynomialKernel(degree=2",
        f"classes {EVIL}, yes",
        "support rows 3",
        "features 6",
        "values 0 and 1",
    ):
        assert explained in text


def test_a_machine_without_classes_names_none(machine):
    assert "classes" not in shown(gm.Machine(machine.kernel, machine.support, machine.coef, 0.0))


def test_a_machine_on_trees_counts_its_trees(tree_machine):
    assert "support trees 4" in shown(tree_machine)


def test_a_machine_of_many_classes_lists_the_first():
    many = gm.Machine(gm.PolynomialKernel(1), [{0}], np.ones((1, 500)), np.zeros(500), range(500), "ovr")
    assert "8, 9 and 490 more" in shown(many)


@pytest.mark.parametrize("engine", ["direct", "inverted", "expanded", "split"])
def test_a_scorer_says_what_its_report_says(machine, engine):
    scorer = machine.compile(engine)
    text = shown(scorer)
    assert f"engine {engine} (as asked)" in text
    assert all(f"{name} {value}" in text for name, value in scorer.report().facts())


def test_a_scorer_of_trees_says_what_its_report_says(tree_machine):
    assert "engine forest" in shown(tree_machine.compile())


def test_collections_are_listed_as_far_as_there_is_room(machine):
    many = gm.Machines({f"part {number}": machine for number in range(50)})
    assert "Machines (50)" in shown(many)
    assert "30 more machines" in shown(many)
    assert "machines 50, 150 support examples" in shown(many.compile("direct"))


# --- data -------------------------------------------------------------------------------------------------------------


def test_the_first_trees_of_a_forest_are_drawn():
    forest = gm.Forest.from_strings(TREES)
    text = shown(forest)
    assert "4 trees" in text
    assert "the first 3" in text
    assert "barks" in text
    assert "stop" not in text
    assert "the first" not in shown(forest[:2])
    assert "0 trees" in shown(forest[:0])


def test_a_tree_that_has_a_billion_nodes_is_drawn_in_part():
    assert "more nodes are not drawn" in shown(gm.Forest.from_flat(*doubled(30)))


def doubled(levels):
    """The arrays of a tree that is twice the same tree below each node."""
    nodes = [0, *(part for node in range(levels) for part in (1, node, node))]
    ends = [1, *range(4, 4 + 3 * levels, 3)]
    return (
        b"xd",
        np.array([1, 2]),
        np.zeros(2, dtype=np.uint32),
        np.array(ends),
        np.array(nodes, dtype=np.uint32),
        np.array([levels], dtype=np.uint32),
    )


@pytest.mark.parametrize("most", [1, 5, 100])
def test_the_first_nodes_of_a_tree_are_those_of_its_brackets(most):
    forest = gm.Forest.from_strings(["(S (NP*1 dog) (NP*1 dog) (VP barks))"], marks=True)
    labels, parents = first_nodes(forest.flat(), most)[0]
    assert labels == ["S", "NP*1", "dog", "NP*1", "dog", "VP", "barks"][:most]
    assert parents == [-1, 0, 1, 0, 3, 0, 5][:most]


def test_examples_name_their_fields():
    assert "trees trees" in shown(gm.Examples(trees=gm.Forest.from_strings(TREES), vectors=[{0}] * 4))


def test_a_dependency_tree_takes_the_colours_of_the_page():
    tree = DependencyTree((Word("dogs", head=2, deprel="nsubj"), Word(EVIL, head=0, deprel="root")))
    drawn = tree._repr_html_()
    assert_harmless(drawn)
    assert tree.svg() in drawn


# --- explanations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interactions", [False, True])
def test_a_row_is_bars_from_its_baseline_to_its_score(machine, interactions):
    row = gm.explain(machine, [{0, 1, 4}], interactions=interactions)[0]
    text = shown(row)
    assert "baseline" in text
    assert "What each feature adds to the score of yes" in text
    assert EVIL in text
    assert ("pairs" in text) == interactions


def test_features_beyond_the_first_share_a_line():
    wide = gm.Machine(gm.PolynomialKernel(2), [set(range(40))], [1.0], 0.0)
    row = gm.explain(wide, [set(range(40))])[0]
    assert "30 other features" in shown(row)


def test_the_first_of_many_rows_are_drawn(machine):
    text = shown(gm.explain(machine, [{0, 1}] * 10))
    assert "row 2" in text
    assert "row 3" not in text
    assert "7 more rows" in text
    shown(gm.explain(machine, []))


def test_importance_names_what_matters(machine):
    text = shown(gm.importance(machine, [{0, 1}, {2, 3}], interactions=True))
    assert "Mean |value| over 2 rows" in text
    assert "Mean |interaction|" in text


def test_rules_are_a_table(machine):
    rules = gm.explain(machine)
    text = shown(rules)
    assert rules.summary() in text
    assert EVIL in text


def test_of_many_rules_the_first_are_shown():
    wide = gm.Machine(gm.PolynomialKernel(2), [set(range(12))], [1.0], 0.0)
    rules = gm.explain(wide)
    assert f"{len(rules) - 30} more" in shown(rules)


def test_fragments_are_a_table(tree_machine):
    assert "(NP (D the) (N dog))" in shown(gm.explain(tree_machine))


def test_a_tree_is_drawn_with_what_its_nodes_add(tree_machine):
    explained = gm.explain(tree_machine, TREES)
    assert "baseline" in shown(explained[0])
    assert 'fill="#D55E00"' in explained[1]._repr_html_()
    assert "1 more tree" in shown(explained)
    assert "1 more trees" not in shown(explained)


def test_features_beside_a_tree_have_bars_of_their_own():
    examples = gm.Examples(trees=gm.Forest.from_strings(TREES[:2]), vectors=[{0, 1}, {2}])
    kernel = gm.SubsetTreeKernel().on("trees") + gm.PolynomialKernel(2).on("vectors")
    machine = gm.Machine(kernel, examples, [1.0, -1.0], 0.0, classes=["cat", "dog"])
    assert "What vectors add" in shown(gm.explain(machine, examples)[0])


def test_a_sentence_is_its_answer_and_its_decisions(machine):
    row = gm.explain(machine, [{0, 1}])[0]
    step = Decision.of(row, 0, EVIL, "yes")
    found = SentenceExplanation((EVIL,), (step,) * 100, tags=("yes",))
    text = shown(found)
    assert f"{EVIL}/yes" in text
    assert "40 more decisions" in text
    assert f"{EVIL} -> yes" in shown(step)


# --- searches ---------------------------------------------------------------------------------------------------------


def test_a_search_is_a_table_with_the_best_first():
    rows = [[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1]] * 3
    found = gm.tune(rows, [EVIL, EVIL, "b", "b"] * 3, kernels="poly", C=[0.1, 1], folds=2, refit=False)
    text = shown(found)
    assert "the best is" in text
    assert "settings on" in text
