"""Examples of roles: which nodes, which trees, and what became of arguments that make none."""

from __future__ import annotations

import pytest

import gristmill as gm
from gristmill.apps.roles import (
    Argument,
    Proposition,
    RoleCounts,
    Sentences,
    boundary_examples,
    read_propbank,
    role_examples,
)
from gristmill.apps.roles.nodes import RoleTrees

TREES = [
    "(TOP (S (NP (D The) (N dog)) (ADVP (R now)) (VP (V saw) (NP (NP (N cats)) (PP (P in) (NP (N trees))))) (. .)))",
    "(TOP (S (NP (PRP We)) (VP (V sleep))))",
]
TAGS = ["(TOP (S (NP D N) (ADVP R) (VP V (NP (NP N) (PP P (NP N)))) .))", "(TOP (S (NP PRP) (VP V)))"]
SEE = Proposition(("-", "0"), 3, "see.01", (Argument(0, 1, "ARG0"), Argument(2, 2, "ARGM-TMP"), Argument(4, 6, "ARG1")))
SLEEP = Proposition(("-", "1"), 1, "sleep.01", (Argument(0, 0, "ARG0"),))


def forest(*trees):
    return gm.Forest.from_strings(trees or TREES)


def pairs(made):
    return list(zip(made.trees, made.labels.tolist(), strict=True))


def of(*arguments, token=3, **more):
    return Proposition(("-", "0"), token, "see.01", tuple(Argument(*argument) for argument in arguments), **more)


# --- roles ------------------------------------------------------------------------------------------------------------


def test_other_arguments_of_the_same_predicate_are_negative():
    made = role_examples(forest(), [SEE, SLEEP], "ARG1", form="path")
    assert pairs(made) == [
        ("(S (NP*2 (D the) (N dog)) (VP (V*1 saw)))", -1),
        ("(S (ADVP*2 (R now)) (VP (V*1 saw)))", -1),
        ("(VP (V*1 saw) (NP*2 (NP (N cats)) (PP (P in) (NP (N trees)))))", 1),
    ]
    assert (made.counts.predicates, made.counts.arguments, made.counts.lost) == (1, 3, 0)


def test_predicates_without_the_role_on_demand():
    made = role_examples(forest(), [SEE, SLEEP], "ARG1", all_predicates=True)
    assert made.labels.tolist() == [-1, -1, 1, -1]
    assert made.trees[3] == "(TOP (S (NP*2 (PRP we)) (VP*1 (V sleep))))"  # highest nodes


def test_case_and_the_node_of_the_predicate():
    made = role_examples(forest(), [SLEEP], "ARG0", lowercase=False, predicate="tag")
    assert pairs(made) == [("(TOP (S (NP*2 (PRP We)) (VP (V*1 sleep))))", 1)]


def test_predicates_of_several_tokens():
    tree = "(S (NP (N dogs)) (VP (VP (V grow) (RP up)) (R now)))"
    grow = Proposition(("-", "0"), 1, "grow_up.01", (Argument(0, 0, "ARG1"),), (1, 2))
    nodes = {"tag": "(VP (V*1 grow) (RP up))", "highest": "(VP (V*1 grow) (RP up))", "span": "(VP*1 (V grow) (RP up))"}
    for kind, expected in nodes.items():
        made = role_examples(forest(tree), [grow], "ARG1", predicate=kind)
        assert expected in made.trees[0]
    made = role_examples(forest("(S (NP (N dogs)) (VP (V grow) (RP up) (R now)))"), [grow], "ARG1", predicate="span")
    assert (len(made), made.counts.predicates_without_node, made.counts.arguments_without_node) == (0, 1, 1)


def test_arguments_that_make_no_example_are_counted():
    made = role_examples(forest(), [of((0, 2, "ARG0"), (3, 3, "ARG1"), (2, 2, "ARG2"))], "ARG2")
    assert made.labels.tolist() == [1]
    assert (made.counts.arguments_without_node, made.counts.arguments_at_predicate) == (1, 1)
    assert made.counts.share_lost == pytest.approx(2 / 3)
    assert str(made.counts) == (
        "1 predicate with 3 arguments; 66.7% of the arguments lost (1 without a node, 1 at the node of the predicate)"
    )


def test_counts_in_words():
    assert str(RoleCounts()) == "0 predicates with 0 arguments; none lost"
    assert str(RoleCounts(1200, 1, 2, arguments_not_candidates=1)) == (
        "1,200 predicates with 1 argument, 2 predicates without a node; "
        "100.0% of the arguments lost (1 not among the candidates)"
    )


def test_all_roles_at_once():
    made = role_examples(forest(), [SEE, SLEEP], None, form="path")
    assert made.labels.tolist() == ["ARG0", "ARGM-TMP", "ARG1", "ARG0"]
    assert len(made.trees) == len(made) == 4
    assert len(role_examples(forest(), [], None)) == 0
    with pytest.raises(ValueError, match="max_positives are those of one role"):
        role_examples(forest(), [SEE], None, max_positives=3)
    clf = gm.KernelSVC("c-marked", C=10).fit(made.trees, made.labels)
    assert clf.predict(made.trees).tolist() == made.labels.tolist()


def test_equal_spans_with_two_roles_are_two_examples():
    made = role_examples(forest(), [of((0, 1, "ARG0"), (0, 1, "ARG1"))], "ARG1")
    assert made.labels.tolist() == [-1, 1]
    assert made.trees[0] == made.trees[1]


def test_an_argument_above_the_predicate():
    made = role_examples(forest(), [of((3, 6, "ARG1"))], "ARG1", form="minimal")
    assert made.trees[0] == "(VP*2 (V*1 saw) (NP (NP (N cats)) (PP (P in) (NP (N trees)))))"


def test_a_predicate_that_is_the_whole_tree():
    one = Proposition(("-", "0"), 0, "go.01", (Argument(0, 0, "ARG0"),))
    for tree in ("(go)", "(VB go)", "(TOP (VP (VB go)))"):
        for kind in ("tag", "highest", "span"):
            made = role_examples(forest(tree), [one], "ARG0", predicate=kind)
            assert len(made) + made.counts.arguments_at_predicate == 1
        assert len(boundary_examples(forest(tree), [one])) == 0


def test_as_many_positives_as_wanted():
    made = role_examples(forest(), [SEE, SLEEP, SEE], "ARG0", max_positives=2)
    assert made.labels.tolist() == [1, -1, -1, 1]
    assert len(role_examples(forest(), [SEE], "ARG0", max_positives=0)) == 0


def test_tokens_and_sentences_that_are_not_there():
    with pytest.raises(ValueError, match="token 9 is outside the sentence, which has 8"):
        role_examples(forest(), [of((0, 9, "ARG0"))], "ARG0")
    with pytest.raises(ValueError, match="there is no sentence"):
        role_examples(forest(), [Proposition(("d", "5"), 0)], "ARG0", all_predicates=True)
    with pytest.raises(ValueError, match="predicate must be one of"):
        role_examples(forest(), [], "ARG0", predicate="verb")
    with pytest.raises(ValueError, match="form must be one of"):
        role_examples(forest(), [], "ARG0", form="tree")
    with pytest.raises(ValueError, match="sentence '- 0': token -1 is outside the sentence"):
        role_examples(forest(), [of((-1, -1, "ARG0"))], "ARG0")
    with pytest.raises(ValueError, match="sentence '- 0': token -5 is outside the sentence"):
        boundary_examples(forest(), [of(token=-5)])


@pytest.mark.parametrize("wrong", [-1, 1.5, "3", True])
def test_how_many_examples_is_a_number(wrong):
    with pytest.raises(ValueError, match="limit must be a whole number from 0 on, or None, got"):
        boundary_examples(forest(), [SEE], limit=wrong)
    with pytest.raises(ValueError, match="max_positives must be a whole number from 0 on, or None, got"):
        role_examples(forest(), [SEE], "ARG0", max_positives=wrong)


def test_one_odd_tree_does_not_turn_words_into_tags():
    odd = forest(*TREES, "(S (NP a b) (VP (V c)))")  # two leaves are sisters
    trees = RoleTrees(Sentences(odd), lowercase=True, words=None)
    assert trees.words
    assert (trees.leaves.alone, trees.leaves.all) == (11, 13) == tuple(trees.leaves)
    assert str(trees.leaves) == "11 of 13 leaves have no sister"
    assert len(boundary_examples(odd, [SEE], candidates="all")) == 12


def test_equal_trees_count_as_often_as_they_are_there():
    words, tags = "(S (A a) (B b))", "(S a b c d)"
    assert RoleTrees(Sentences(forest(words, words, words, tags)), lowercase=True, words=None).words
    assert not RoleTrees(Sentences(forest(words, tags)), lowercase=True, words=None).words
    assert not RoleTrees(Sentences(forest(words, words, tags)), lowercase=True, words=None).words  # half of them
    assert RoleTrees(Sentences(forest(words, words, tags)), lowercase=True, words=True).words


def test_nothing_gives_nothing():
    for made in (role_examples(forest(), [], "ARG0"), boundary_examples(forest(), [])):
        assert (len(made), len(made.trees), made.counts.share_lost) == (0, 0, 0)


# --- boundaries -------------------------------------------------------------------------------------------------------


def test_the_highest_of_the_nodes_with_the_same_tokens():
    made = boundary_examples(forest(), [SLEEP, SEE])
    assert [(tree, label) for tree, label in pairs(made) if "*2" in tree][:4] == [
        ("(S (NP*2 (PRP we)) (VP (V*1 sleep)))", 1),
        ("(S (NP (D*2 the)) (VP (V*1 saw)))", -1),
        ("(S (NP (N*2 dog)) (VP (V*1 saw)))", -1),
        ("(S (NP*2 (D the) (N dog)) (VP (V*1 saw)))", 1),
    ]
    assert made.labels.tolist().count(1) == 4
    assert made.counts.lost == 0


def test_all_nodes_without_words_punctuation_and_what_is_above_the_predicate():
    made = boundary_examples(forest(), [SEE], candidates="all")
    assert len(made) == 4 + 1 + 7  # D N NP R; ADVP; N NP P N NP PP NP
    assert len(boundary_examples(forest(*TAGS), [SEE], candidates="all")) == 12
    with_words = boundary_examples(forest(), [SEE], candidates="all", words=False)
    assert len(with_words) == 12 + 6  # and words, but for the predicate and the full stop


def test_pruned_candidates_are_beside_the_way_up():
    assert [tree for tree, _ in pairs(boundary_examples(forest(), [SEE], candidates="pruned"))] == [
        "(S (NP*2 (D the) (N dog)) (VP (V*1 saw)))",
        "(S (ADVP*2 (R now)) (VP (V*1 saw)))",
        "(VP (V*1 saw) (NP*2 (NP (N cats)) (PP (P in) (NP (N trees)))))",
    ]


def test_pruned_candidates_below_pp_and_beside_coordinations():
    tree = "(S (NP (N we)) (VP (VP (V sat) (PP (P on) (NP (N it)))) (CC and) (VP (V ate))))"
    sat = Proposition(("-", "0"), 1, "sit.01", (Argument(2, 3, "ARG2"), Argument(5, 5, "ARG1")))
    made = boundary_examples(forest(tree), [sat], candidates="pruned")
    marked = [tree[: tree.index("*2")].rpartition("(")[2] for tree in made.trees]
    assert marked == ["NP", "P", "NP", "PP", "CC"]  # not the other VP
    assert made.counts.arguments_not_candidates == 1


def test_the_lowest_node_above_an_argument_stands_for_it_where_no_node_has_its_tokens():
    """Footnote 2: `dog now` has no node; its words are below S, which is above the predicate; `cats in` below NP."""
    see = of((0, 1, "ARG0"), (4, 5, "ARG1"), (1, 2, "ARG2"))
    lost, kept = (boundary_examples(forest(), [see], lowest_above=way) for way in (False, True))
    assert [tree for tree, label in pairs(lost) if label == 1] == ["(S (NP*2 (D the) (N dog)) (VP (V*1 saw)))"]
    assert [tree for tree, label in pairs(kept) if label == 1] == [
        "(S (NP*2 (D the) (N dog)) (VP (V*1 saw)))",
        "(VP (V*1 saw) (NP*2 (NP (N cats)) (PP (P in) (NP (N trees)))))",
    ]
    assert list(lost.trees) == list(kept.trees)
    assert (lost.counts.arguments_without_node, kept.counts.arguments_without_node) == (2, 0)
    assert (lost.counts.arguments_not_candidates, kept.counts.arguments_not_candidates) == (0, 1)


def test_unknown_candidates():
    with pytest.raises(ValueError, match="candidates must be one of 'all', 'highest', 'pruned', got 'some'"):
        boundary_examples(forest(), [], candidates="some")


# --- the corpus -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "predicates", "arguments", "exact"),
    [("ewt.dev", 4960, 9576, 9555), ("ewt.test", 4795, 9337, 9319), ("wsj_delex.dev_24", 4228, 8512, 8429)],
)
def test_arguments_that_are_exactly_a_constituent(corpora, name, predicates, arguments, exact):
    folder = corpora / "srl"
    sentences, propositions = read_propbank(folder / f"{name}.trees.gz", folder / f"{name}.props.gz")
    made = role_examples(sentences, propositions, "ARG2", all_predicates=True, form="path")
    counts = made.counts
    assert (counts.predicates, counts.arguments) == (predicates, arguments)
    assert arguments - counts.arguments_without_node == exact
    assert len(made) == exact - counts.arguments_at_predicate
    assert int((made.labels == 1).sum()) <= sum(
        argument.role == "ARG2" for proposition in propositions for argument in proposition.arguments
    )


def test_what_pruning_loses(corpora):
    """About 1 % of the arguments, and four of five candidates."""
    folder = corpora / "srl"
    sentences, propositions = read_propbank(folder / "ewt.dev.trees.gz", folder / "ewt.dev.props.gz")
    every, pruned = (boundary_examples(sentences, propositions, candidates=which) for which in ("highest", "pruned"))
    assert every.counts.arguments_not_candidates == 0
    assert pruned.counts.arguments_not_candidates == 86
    assert len(pruned) < len(every) / 4
    assert 0.06 < (every.labels == 1).mean() < 0.08
