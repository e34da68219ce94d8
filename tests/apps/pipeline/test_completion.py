"""Columns and trees that are filled in: what is given stays, and a partly given tree becomes a whole one."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps.pipeline.completion import OPEN, completed, joined_heads, sentences_of_text
from gristmill.base.errors import FormatError


def conllu(*lines: str) -> str:
    """Lines with blanks for tabs; an empty one ends a sentence."""
    return "".join(line if line.startswith("#") else re.sub(" +", "\t", line) for line in (f"{one}\n" for one in lines))


def parsed(*lines: str) -> _core.Conllu:
    return _core.Conllu.parse(conllu(*lines).encode())


def numbers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def with_trees(text: _core.Conllu, heads: list[int], relations: list[int]) -> str:
    """Completed by heads counted from 1 within their sentence, 0 for the root."""
    found = {"heads": numbers(*heads) - 1, "relations": (numbers(*relations), ["det", "nsubj", "root"])}
    return completed(text, found).filled().decode()


# --- columns ----------------------------------------------------------------------------------------------------------

TAGGED = ["1 The _ _ DT _ _ _ _ _", "2 cat _ NOUN _ _ _ _ _ _", ""]


def test_cells_that_are_given_stay():
    found = completed(parsed(*TAGGED), {"upos": (numbers(0, 0), ["X"]), "xpos": (numbers(1, 1), ["X", "Y"])})
    assert found.filled().decode() == conllu("1 The _ X DT _ _ _ _ _", "2 cat _ NOUN Y _ _ _ _ _", "")


def test_a_given_cell_may_be_a_word_of_the_filling_or_none():
    found = completed(parsed(*TAGGED), {"upos": (numbers(1, 1), ["NOUN", "X", "X"])})
    assert found.columns.column(2) == ["X", "NOUN"]


def test_nothing_may_be_filled_in():
    found = completed(parsed(*TAGGED), {"feats": (numbers(0, 1), ["_", "Case=Nom"])})
    assert found.columns.column(4) == ["", "Case=Nom"]


# --- trees ------------------------------------------------------------------------------------------------------------

OPEN_TREE = ["# sent_id = 1", "1 The _ _ _ _ _ _ _ _", "2-3 cats _ _ _ _ _ _ _ _", "2 cat _ _ _ _ _ _ _ _"]
OPEN_TREE += ["3 s _ _ _ _ _ _ _ SpaceAfter=No", ""]
KNOWN_TREE = ["# sent_id = 2", "1 Dogs _ _ _ _ 2 nsubj 2:nsubj _", "1.1 too _ _ _ _ _ _ 2:nsubj _"]
KNOWN_TREE += ["2 bark _ _ _ _ 0 root 0:root _", ""]


def test_sentences_without_trees_get_them():
    assert with_trees(parsed(*OPEN_TREE), [2, 0, 2], [0, 2, 1]) == conllu(
        "# sent_id = 1",
        "1 The _ _ _ _ 2 det _ _",
        "2-3 cats _ _ _ _ _ _ _ _",
        "2 cat _ _ _ _ 0 root _ _",
        "3 s _ _ _ _ 2 nsubj _ SpaceAfter=No",
        "",
    )


def test_sentences_with_trees_stay_as_they_are_beside_others_with_their_enhanced_dependencies():
    text = parsed(*KNOWN_TREE, *OPEN_TREE, *KNOWN_TREE)
    found = with_trees(text, [0, 1, 2, 0, 2, 0, 1], [2, 1, 0, 2, 1, 2, 1])
    assert found.startswith(conllu(*KNOWN_TREE))
    assert found.endswith(conllu(*KNOWN_TREE))
    assert "The\t_\t_\t_\t_\t2\tdet" in found


def test_given_heads_and_relations_of_a_sentence_stay():
    text = parsed("1 The _ _ _ _ 3 _ _ _", "2 old _ _ _ _ _ amod _ _", "3 cat _ _ _ _ _ _ _ _", "")
    assert with_trees(text, [2, 0, 2], [0, 2, 1]) == conllu(
        "1 The _ _ _ _ 3 det _ _", "2 old _ _ _ _ 0 amod _ _", "3 cat _ _ _ _ 2 nsubj _ _", ""
    )


def test_a_word_whose_predicted_head_does_not_fit_depends_on_the_root_and_says_so():
    text = parsed("1 The _ _ _ _ 2 det _ _", "2 cat _ _ _ _ _ _ _ _", "3 naps _ _ _ _ 0 root _ _", "")
    assert with_trees(text, [0, 1, 2], [2, 1, 1]) == conllu(
        "1 The _ _ _ _ 2 det _ _", "2 cat _ _ _ _ 3 dep _ _", "3 naps _ _ _ _ 0 root _ _", ""
    )


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([0, 0, OPEN], "two roots"),
        ([2, 1, OPEN], "word [12] is above itself"),
        ([4, OPEN, OPEN], "the head 4 is no word of a sentence of 3"),
        ([1, OPEN, OPEN], "word 1 is above itself"),
    ],
)
def test_given_heads_that_are_no_tree_are_refused(heads, message):
    with pytest.raises(FormatError, match=message):
        joined_heads(heads, [0, 1, 1])


def test_errors_name_the_sentence():
    text = parsed("1 Oh _ _ _ _ 0 root _ _", "2 dear _ _ _ _ 0 root _ _", "3 me _ _ _ _ _ _ _ _", "")
    with pytest.raises(FormatError, match=r"the sentence Oh dear me: .* two roots"):
        with_trees(text, [0, 1, 1], [2, 1, 1])


def is_tree(heads: list[int]) -> bool:
    """One root, from which all words are reached."""
    reached = {0}
    while more := {at for at, head in enumerate(heads, 1) if head in reached} - reached:
        reached |= more
    return heads.count(0) == 1 and len(reached) == len(heads) + 1


@st.composite
def tree_heads(draw):
    """A tree of words in any order."""
    order = draw(st.permutations(range(1, draw(st.integers(1, 7)) + 1)))
    heads = [0] * len(order)
    for at, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, at - 1))]
    return heads


@given(st.data())
@settings(max_examples=300)
def test_joined_heads_are_a_tree_that_has_all_given_arcs(data):
    known = data.draw(tree_heads())
    predicted = data.draw(tree_heads().filter(lambda one: len(one) == len(known)) | st.just(known))
    kept = data.draw(st.lists(st.booleans(), min_size=len(known), max_size=len(known)))
    partly = [head if keep else OPEN for head, keep in zip(known, kept, strict=True)]
    joined = joined_heads(partly, predicted)
    assert is_tree(joined)
    assert all(head in (OPEN, found) for head, found in zip(partly, joined, strict=True))
    if not any(kept):
        assert joined == predicted


# --- sentences --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("1\ta\n\n", ["1\ta\n\n"]),
        ("# a\n\n1\ta\n\n\n# b\n1\tb", ["# a\n\n1\ta\n\n", "\n# b\n1\tb"]),
        ("1\ta\r\n\r\n1\tb\r\n \r\n# end", ["1\ta\r\n\r\n", "1\tb\r\n \r\n# end"]),
        ("# alone\n", ["# alone\n"]),
    ],
)
def test_pieces_have_a_sentence_each(text, pieces):
    assert sentences_of_text(text.encode()) == [piece.encode() for piece in pieces]
