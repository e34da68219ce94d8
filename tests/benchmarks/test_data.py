"""The data that benchmarks measure on."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import conll
from benchmarks.corpus import treebank
from benchmarks.examples import matrices, sample
from benchmarks.links import decisions
from benchmarks.lists import load_parts, pairs
from benchmarks.segmentation import boundaries, character_type


def test_ids_are_ranks_by_frequency_in_the_training_part():
    train = [(["b", "a"], 1), (["c", "a"], -1), (["c", "d"], 1)]
    test = [(["new", "d", "d2"], 1), (["new", "a", "d2"], -1), ([], 1)]
    (X, y), (queries, wanted) = matrices(train, test)  # a and c twice, b and d once, ties as first seen
    assert X.toarray().tolist() == [[1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0]]
    assert queries.toarray().tolist() == [[0, 0, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1], [0] * 6]
    assert (y.tolist(), wanted.tolist()) == ([1, -1, 1], [1, -1, 1])


def test_rows_are_sorted():
    (X, _), _ = matrices([(["a", "b"], 1), (["b"], 1)], [])
    assert X.indices.tolist() == [0, 1, 0]


def test_a_sample_keeps_rows_and_labels_together():
    data, _ = matrices([([f"f{i}"], i) for i in range(50)], [])
    X, y = sample(data, 10)
    assert len(set(y.tolist())) == 10
    assert X.indices.tolist() == y.tolist()


@pytest.mark.parametrize(
    ("characters", "kind"),
    [
        ("のをぁゞ", "hiragana"),
        ("アーヴヶｱﾞ", "katakana"),
        ("年々一〇", "kanji"),
        ("a\uff3aéμ", "letter"),
        ("07\uff17", "digit"),
        ("。、・「\uff05\uff5e♪-", "symbol"),
    ],
)
def test_character_types(characters, kind):
    assert {character_type(character) for character in characters} == {kind}


def test_the_window_of_a_boundary_is_two_characters_back_to_three_ahead():
    examples = [(list(features), label) for features, label in boundaries(["行", "く", "3", "カ所", "へ", "。"])]
    assert [label for _, label in examples] == [1, 1, 1, -1, 1, 1]
    assert examples[2][0] == [
        *("c-2=行", "t-2=kanji", "c-1=く", "t-1=hiragana", "c+0=3", "t+0=digit"),
        *("c+1=カ", "t+1=katakana", "c+2=所", "t+2=kanji", "c+3=へ", "t+3=hiragana"),
    ]


def test_nothing_stands_for_what_lies_outside_the_sentence():
    features, label = next(boundaries(["はい"]))
    assert list(features) == ["c+0=は", "t+0=hiragana", "c+1=い", "t+1=hiragana"]
    assert label == -1
    assert list(boundaries(["。"])) == []


def tokens_of(*heads):
    return [[str(at), f"F{at}", f"L{at}", f"U{at}", f"X{at}", "_", str(head)] for at, head in enumerate(heads, 1)]


def test_link_decisions_follow_the_gold_tree():
    """F1 <- F2 -> F3: read F1 and F2, link F1 to F2, read F3, link it to F2, link F2 to the root."""
    examples = list(decisions(tokens_of(2, 0, 2)))
    assert [label for _, label in examples] == [-1, 1, -1, 1, 1]
    assert examples[3][0] == [
        *("if=f2", "il=l2", "iu=U2", "ix=X2", "jf=f3", "jl=l3", "ju=U3", "jx=X3"),
        *("ix-2=<root>", "ix-1=X1", "ix+1=X3", "ix+2=<pad>", "il-1=l1", "il+1=l3"),
        *("jx-2=X1", "jx-1=X2", "jx+1=<pad>", "jx+2=<pad>", "jl-1=l2", "jl+1=<pad>"),
        *("bf=<pad>", "bx=<pad>", "b2x=<pad>", "d=1", "ic=1,0", "jc=0,0"),
    ]


def test_link_decisions_end_where_the_gold_tree_crosses_itself():
    crossing = tokens_of(3, 4, 0, 3)  # 1 <- 3 and 2 <- 4: all is read, and the topmost words 3 and 4 cannot be linked
    assert [label for _, label in decisions(crossing)] == [-1, -1, -1]


FRUIT = """
1 eat eat VERB VB _ 0 root
2 fruit fruit NOUN NN _ 1 obj
3 such such ADJ JJ _ 5 case
4 as as ADP IN _ 3 fixed
5 Apples apple NOUN NNS _ 2 nmod
6 , , PUNCT , _ 7 punct
7 pears pear NOUN NNS _ 5 conj
8 and and CCONJ CC _ 9 cc
9 nuts nut NOUN NNS _ 5 conj
10 at at ADP IN _ 11 case
11 home home NOUN NN _ 1 obl
"""


def test_words_of_one_list_belong_together():
    tokens = [line.split() for line in FRUIT.strip().split("\n")]
    found = {(features[0], features[6]): label for features, label in pairs(tokens)}
    together = {("al=apple", "bl=pear"), ("al=apple", "bl=nut"), ("al=pear", "bl=nut")}
    apart = {(f"al={one}", "bl=home") for one in ("fruit", "apple", "pear")}
    assert {pair for pair, label in found.items() if label == 1} == together
    assert {pair for pair, label in found.items() if label == -1} == apart | {
        ("al=fruit", f"bl={one}") for one in ("apple", "pear", "nut")
    }


def test_a_pair_is_described_by_its_words_and_by_the_list():
    tokens = [line.split() for line in FRUIT.strip().split("\n")]
    features = next(set(features) for features, _ in pairs(tokens) if {"al=apple", "bl=nut"} <= set(features))
    words = {"al=apple", "au=NOUN", "ax=NNS", "as=les", "a<as", "a>,", "bl=nut", "bu=NOUN", "bx=NNS", "bs=uts"}
    between = {"b<and", "b>at", "sep=,", "sep=and", "first=,", "last=and", "seps=2", "nouns=1", "verb=False", "d=4"}
    assert features == words | between | {"same part of speech"}


@pytest.mark.slow
def test_pairs_out_of_lists_are_split_at_random(corpora):
    parts = load_parts()
    assert [len(y) for _, y in parts] == [44_311, 10_000, 10_000]
    assert len({round(float((y == 1).mean()), 2) for _, y in parts}) <= 2


def test_sizes_of_the_test_parts(corpora):
    linked = [label for sentence in treebank("en_ewt-ud-test") for _, label in decisions(sentence)]
    assert len(linked) == 47_953
    words = [[token[1] for token in sentence] for sentence in treebank("ja_gsd-megagon-test")]
    split = [label for sentence in words for _, label in boundaries(sentence)]
    assert (len(split), split.count(1)) == (20_779, sum(map(len, words)) - len(words))


def test_chunk_tags_and_noun_phrases_are_the_same_examples(corpora):
    (X, tags), (queries, wanted) = conll.load_tags()
    (same_X, inside), (same_queries, wanted_inside) = conll.load()
    assert same_X is X
    assert same_queries is queries
    assert (X.shape, queries.shape) == ((211_727, 95_841), (47_377, 95_841))
    assert len(np.unique(tags)) == 22
    assert set(tags[inside == 1]) == set(wanted[wanted_inside == 1]) == {"B-NP", "I-NP"}
    assert "O" in tags[inside == -1]
