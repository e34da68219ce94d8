"""The words of trees: the same as a plain walk over the tree finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.apps.tree_classification import model
from gristmill.apps.tree_classification.model import WordBag, leaf_words
from tests.data.tree_strategies import tree_lists
from tests.oracle import tree_words as oracle

ODD = ["a", "b\\", "(", ")", "a b", "\u00a0", "\\(", "é", "\t", '"', "a*1"]


def escaped(word):
    return "".join(f"\\{letter}" if letter in "\\() \t\n" else letter for letter in word)


def test_a_tree_of_one_node_is_its_word():
    assert leaf_words(gm.Forest.from_strings(["(word)", "(two\\ words)", "(S (A a) b)"])) == [
        ["word"],
        ["two\\ words"],
        ["a", "b"],
    ]


@given(tree_lists(labels=ODD))
def test_leaves_are_found_whatever_their_letters(trees):
    found = leaf_words(gm.Forest.from_nested([("root", tree) for tree in trees]))
    assert found == [[escaped(word) for word in oracle.words(tree)] for tree in trees]


@given(tree_lists(min_size=1), tree_lists(), st.integers(1, 4))
def test_rows_share_the_words_that_trees_share(known, new, ngrams):
    left, right = (gm.Forest.from_nested([("root", tree) for tree in trees]) for trees in (known, new))
    bag = WordBag.of(left, ngrams)
    got = gm.Normalized(gm.PolynomialKernel(1, 1.0, 0.0))(bag.rows(right), bag.rows(left))
    expected = [[oracle.kernel(x, s, ngrams) for s in known] for x in new]
    assert np.allclose(got, np.array(expected).reshape(len(new), len(known)), rtol=0, atol=1e-12)


def test_the_vocabulary_is_sorted_and_names_the_columns():
    bag = WordBag.of(gm.Forest.from_strings(["(S b a)", "(S c)"]), 2)
    assert bag.vocabulary == (" b", " c", "a", "a ", "b", "b a", "c", "c ")
    rows = bag.rows(gm.Forest.from_strings(["(S c)"]))
    assert rows.feature_names == bag.vocabulary
    assert rows.ids.tolist() == [1, 6, 7]


def test_words_that_were_never_seen_count_in_the_length_of_a_row():
    rows = WordBag(["a"]).rows(gm.Forest.from_strings(["(S a x y)", "(S z)"]))
    assert rows.lengths.tolist() == [3, 1]
    assert rows.feature_names is None


def test_too_many_words_for_a_file_are_refused(monkeypatch):
    monkeypatch.setattr(model, "_LARGEST", 10)
    with pytest.raises(ValueError, match="smaller ngrams"):
        WordBag.of(gm.Forest.from_strings(["(S a b c d)"]))
    with pytest.raises(ValueError, match="a word twice"):
        WordBag(["a", "a"])
