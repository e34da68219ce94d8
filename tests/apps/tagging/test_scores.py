"""Scores of tags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps.tagging.chunks import convert_tags
from gristmill.apps.tagging.scores import ChunkScore, score_chunks
from tests.oracle import chunks as oracle

CHUNK_TAGS = st.sampled_from(["O", "B-NP", "I-NP", "E-NP", "S-NP", "B-VP", "I-VP", "B", "I"])
WORD_TAGS = st.sampled_from(["O", "NN", "-LRB-", "B-NP", "PRP$"])


def pairs(tags):
    """Gold and predicted tags of some sentences."""
    tokens = st.lists(st.lists(st.tuples(tags, tags), max_size=8), max_size=4)
    return tokens.map(lambda sentences: tuple([[pair[side] for pair in one] for one in sentences] for side in (0, 1)))


@given(pairs(CHUNK_TAGS))
def test_scores_count_chunks_by_the_definition(sides):
    scores = score_chunks(*sides)
    expected = [ChunkScore(label, *numbers) for label, numbers in sorted(oracle.counts(*sides).items())]
    assert list(scores.types) == expected
    assert scores.total.gold == sum(score.gold for score in expected)
    assert scores.total.predicted == sum(score.predicted for score in expected)
    assert scores.total.correct == sum(score.correct for score in expected)


@given(pairs(CHUNK_TAGS))
def test_accuracy_is_that_of_tags(sides):
    equal = [
        expected == given for gold, mine in zip(*sides, strict=True) for expected, given in zip(gold, mine, strict=True)
    ]
    scores = score_chunks(*sides)
    assert (scores.tokens, scores.correct_tokens) == (len(equal), sum(equal))
    assert scores.accuracy == pytest.approx(sum(equal) / max(len(equal), 1))


@given(pairs(WORD_TAGS))
def test_other_tags_are_types_of_tokens(sides):
    counted = oracle.counts(*sides, oracle.single_tokens)
    scores = score_chunks(*sides, raw=True)
    expected = [ChunkScore(label, *numbers) for label, numbers in sorted(counted.items())]
    assert list(scores.types) == expected


@given(pairs(CHUNK_TAGS), st.sampled_from(["IOB1", "IOE1", "BIOES"]))
def test_chunks_are_compared_whatever_the_scheme(sides, scheme):
    gold, mine = sides
    assert score_chunks(gold, convert_tags(mine, scheme)).types == score_chunks(gold, mine).types


def test_tags_are_taken_as_they_are_when_one_is_not_of_a_chunk():
    scores = score_chunks([["B-NP", "DT"]], [["B-NP", "NN"]])
    assert [(score.type, score.gold, score.predicted, score.correct) for score in scores.types] == [
        ("B-NP", 1, 1, 1),
        ("DT", 1, 0, 0),
        ("NN", 0, 1, 0),
    ]


def test_chunk_tags_that_are_not_are_refused_where_chunks_are_wanted():
    with pytest.raises(ValueError, match="'DT' is not the tag of a chunk"):
        score_chunks([["DT"]], [["O"]], raw=False)


def test_the_text_is_that_of_conlleval():
    gold = [["B-NP", "I-NP", "O", "B-LONGER-THAN-ALL-OTHERS"], ["B-VP"], []]
    mine = [["B-NP", "I-NP", "B-NP", "O"], ["B-VP"], []]
    assert score_chunks(gold, mine).conlleval().splitlines() == [
        "processed 5 tokens with 3 phrases; found: 3 phrases; correct: 2.",
        "accuracy:  60.00%; precision:  66.67%; recall:  66.67%; FB1:  66.67",
        "LONGER-THAN-ALL-OTHERS: precision:   0.00%; recall:   0.00%; FB1:   0.00  0",
        "               NP: precision:  50.00%; recall: 100.00%; FB1:  66.67  2",
        "               VP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1",
    ]


def test_the_text_has_chunks_without_a_type_twice_as_that_of_conlleval():
    scores = score_chunks([["B", "O"]], [["B", "B"]])
    line = "                 : precision:  50.00%; recall: 100.00%; FB1:  66.67  2"
    assert scores.conlleval().splitlines()[2:] == [line, line]


def test_nothing_is_scored_as_nothing():
    for nothing in ([], [[]]):
        scores = score_chunks(nothing, nothing)
        assert scores.conlleval() == "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n"
        assert scores.accuracy == scores.total.f1 == 0.0


def test_scores_as_a_dictionary():
    scores = score_chunks([["B-NP", "B-NP"]], [["B-NP", "O"]])
    found = {"precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3), "gold": 2, "predicted": 1, "correct": 1}
    assert scores.as_dict() == {
        "total": {"type": "all", **found},
        "types": [{"type": "NP", **found}],
        "accuracy": 0.5,
        "tokens": 2,
        "correct_tokens": 1,
    }


def test_sentences_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="gold has 1 sentences, predicted 2"):
        score_chunks([["O"]], [["O"], ["O"]])
    with pytest.raises(ValueError, match="sentence 1 has 2 tags in gold, 1 in predicted"):
        score_chunks([["O"], ["O", "O"]], [["O"], ["O"]])
