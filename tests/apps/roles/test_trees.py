"""Trees with labelled arguments: written, read back, refused where they could not be."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import gristmill as gm
from gristmill.apps.roles import (
    Argument,
    Proposition,
    Sentences,
    labelled_trees,
    marked_predicates,
    read_labelled,
    read_labelled_trees,
    write_labelled_trees,
    write_propositions,
)
from tests.apps.roles.labelled_sentences import PROPOSITIONS, TREES


def test_labelled_trees_are_read_as_they_were_written(tmp_path):
    sentences = Sentences(TREES)
    write_labelled_trees(tmp_path / "trees", sentences, PROPOSITIONS)
    read, propositions = read_labelled_trees(tmp_path / "trees")
    assert propositions == PROPOSITIONS == read_labelled(tmp_path / "trees")
    assert read.trees == TREES
    assert read.names == sentences.names
    write_propositions(tmp_path / "props", PROPOSITIONS)
    assert read_labelled(tmp_path / "props") == PROPOSITIONS


def test_a_tree_for_each_predicate_of_a_sentence_without_words(tmp_path):
    sentences = Sentences(gm.Forest.from_strings(["(S (NP N) (VP V (S (VP TO V))))"]))
    both = [
        Proposition(("-", "0"), 1, "want.01", (Argument(0, 0, "ARG0"), Argument(2, 3, "ARG1"))),
        Proposition(("-", "0"), 3, "go.01", (Argument(0, 0, "ARG0"), Argument(0, 0, "ARG1"))),
    ]
    assert list(labelled_trees(sentences, both)) == [
        "(S (*ARG0 (NP N)) (VP (*V V) (*ARG1 (S (VP TO V)))))",
        "(S (*ARG0|ARG1 (NP N)) (VP V (S (VP TO (*V V)))))",
    ]
    write_labelled_trees(tmp_path / "trees", sentences, both)
    read, propositions = read_labelled_trees(tmp_path / "trees")
    assert propositions == both
    assert read.trees == sentences.trees


def test_predicates_of_several_tokens(tmp_path):
    tree, flat = "(S (N we) (VP (VP (V grow) (RP up)) (R so)))", "(S (N we) (VP (V grow) (RP up) (R so)))"
    sentences = Sentences(gm.Forest.from_strings([tree, flat]))
    first, second, without = (
        Proposition(("-", number), token, predicate=(1, 2)) for number, token in (("0", 1), ("0", 2), ("1", 1))
    )
    assert list(labelled_trees(sentences, [first, second, without])) == [
        "(S (N we) (VP (*V (VP (V grow) (RP up))) (R so)))",
        "(S (N we) (VP (VP (V grow) (*V (RP up))) (R so)))",  # the token is known, the others are lost
        "(S (N we) (VP (*V (V grow)) (RP up) (R so)))",
    ]
    write_labelled_trees(tmp_path / "trees", sentences, [first, second, without])
    assert read_labelled(tmp_path / "trees") == [
        first,
        replace(second, predicate=None),
        replace(without, predicate=None),
    ]


@pytest.mark.parametrize(
    ("tree", "wrong", "message"),
    [
        ("(S a b)", Proposition(("-", "0"), 0, arguments=(Argument(1, 1, "A|B"),)), "stands between roles, got 'A|B'"),
        ("(S a b)", Proposition(("-", "0"), 0, arguments=(Argument(1, 1, "A)"),)), "without white space and brackets"),
        ("(S a b)", Proposition(("-", "0"), 0, arguments=(Argument(1, 1, "V"),)), "V is the predicate itself"),
        ("(S a b)", Proposition(("-", "0"), 0, arguments=(Argument(1, 1, "A"),) * 2), "an argument is there twice"),
        ("(S a b)", Proposition(("-", "0"), 0, "a\tb"), "a name must be a word"),
        ("(S a b)", Proposition(("-", "0"), 0, "a\nb"), "a name must be a word"),
        ("(S a b)", Proposition(("-", "0"), 0, "a(b"), "a name must be a word"),
        ("(S a b)", Proposition(("-", "0"), -1), "sentence '- 0', token -1"),
        ("(S (*T* a) b)", Proposition(("-", "0"), 0), "a node '*T*' of the trees looks like that of a role"),
    ],
)
def test_trees_that_could_not_be_read_are_not_written(tmp_path, tree, wrong, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        write_labelled_trees(tmp_path / "trees", Sentences(gm.Forest.from_strings([tree])), [wrong])
    assert not (tmp_path / "trees").exists()


def test_traces_are_leaves_and_documents_have_any_name(tmp_path):
    sentences = Sentences(gm.Forest.from_strings(["(S (NP *T*-1) (* (V go)))"]), [("#1", "0")])
    go = Proposition(("#1", "0"), 1, arguments=(Argument(0, 0, "A"),))
    write_labelled_trees(tmp_path / "trees", sentences, [go])
    assert read_labelled(tmp_path / "trees") == [go]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d\t0\tr\t(S (*V a) (*A|A b))\n", "sentence 'd 0', token 0: an argument is there twice"),
        ("d\t0\tr\t(S (*V a) (*A| b))\n", "an argument is two tokens and a role"),
        ("d\t0\tr\t(S (*V a))\nd\t0\ts\t(S (*V a))\n", "sentence 'd 0', token 0: the predicate is there twice"),
        ("d\t0\t(S a)\n", "expected document, sentence and roleset"),
        ("(S a)\n", "expected document, sentence and roleset"),
        ("d\t0\tr\t(S a)\n", "expected one node \\*V, the predicate, got 0"),
        ("d\t0\tr\t(S (*V a) (*V b))\n", "got 2"),
        ("d\t0\tr\t(S (*V a))\nd\t0\tr\t(S (*V b))\n", "tree 1 is another one of sentence d 0 than tree 0"),
    ],
)
def test_trees_that_are_not_labelled(tmp_path, text, message):
    (tmp_path / "trees").write_text(text)
    with pytest.raises(gm.FormatError, match=message):
        read_labelled_trees(tmp_path / "trees")


def test_no_labelled_trees(tmp_path):
    (tmp_path / "empty").write_text("")
    assert read_labelled(tmp_path / "empty") == []
    assert read_labelled_trees(tmp_path / "empty")[1] == []


def test_marked_predicates():
    trees = gm.Forest.from_strings(["(S (NP N*3) (VP (V*1 go)))", "(S a)"], marks=True)
    sentences, found = marked_predicates(Sentences(trees))
    assert [(one.sentence, one.token) for one in found] == [(("-", "0"), 0), (("-", "0"), 1)]
    assert not sentences.trees.has_marks
    several = gm.Forest.from_strings(["(S a)", "(S (VP*1 a b))"], marks=True)
    message = r"tree 1, counted from 0, sentence 'd 5': VP\*1 has 2 tokens; put the mark on the predicate itself"
    with pytest.raises(ValueError, match=message):
        marked_predicates(Sentences(several, [("d", "4"), ("d", "5")]))


def test_nodes_of_one_token_are_one_predicate():
    trees = gm.Forest.from_strings(["(S (NP N) (VP*1 (V*1 go)))"], marks=True)
    assert marked_predicates(Sentences(trees))[1] == [Proposition(("-", "0"), 1)]
