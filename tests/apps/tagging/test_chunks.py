"""Chunks of tags, and schemes of tags."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps.tagging.chunks import SCHEMES, are_chunk_tags, chunks_of, convert_tags, detect_scheme
from tests.oracle import chunks as oracle

TYPES = st.sampled_from(["", "NP", "VP", "A-B"])
TAGS = st.one_of(
    st.just("O"), st.builds(lambda kind, label: f"{kind}-{label}" if label else kind, st.sampled_from("BIESUL"), TYPES)
)
SENTENCES = st.lists(st.lists(TAGS, max_size=9), max_size=5)


@st.composite
def chunked(draw):
    """The length of a sentence, and chunks that do not overlap."""
    found, at = [], 0
    for gap, length, label in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), TYPES), max_size=5)):
        found.append((at + gap, at + gap + length - 1, label))
        at += gap + length
    return at + draw(st.integers(0, 2)), found


@given(st.lists(TAGS, max_size=12))
def test_chunks_are_those_of_the_definition(tags):
    assert chunks_of(tags) == oracle.chunks(tags)


@given(chunked(), st.sampled_from(SCHEMES))
def test_what_a_scheme_writes_is_read_again(sentence, scheme):
    length, found = sentence
    assert chunks_of(oracle.encode(found, length, scheme)) == found


@given(SENTENCES, st.sampled_from(SCHEMES))
def test_conversion_writes_the_same_chunks(sentences, scheme):
    expected = [oracle.encode(oracle.chunks(tags), len(tags), scheme) for tags in sentences]
    assert convert_tags(sentences, scheme) == expected


@given(SENTENCES, st.sampled_from(SCHEMES), st.sampled_from(SCHEMES))
def test_conversion_goes_there_and_back(sentences, scheme, other):
    there = convert_tags(sentences, scheme)
    assert convert_tags(convert_tags(there, other), scheme) == there


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 3)), min_size=2), st.sampled_from(SCHEMES))
def test_a_scheme_is_recognised_by_its_tags(places, scheme):
    found, at = [(0, 1, "NP"), (2, 3, "NP")], 4  # a chunk that touches another tells all schemes apart
    for gap, length in places:
        found.append((at + gap, at + gap + length - 1, "NP"))
        at += gap + length
    assert detect_scheme([oracle.encode(found, at, scheme)]) == scheme


def test_a_scheme_is_recognised_in_spite_of_some_errors():
    assert detect_scheme([["B-NP", "I-NP"]] * 5 + [["I-NP", "I-NP"]]) == "IOB2"


def test_tags_without_chunks_are_in_the_most_usual_scheme():
    assert detect_scheme([["O", "O"], []]) == detect_scheme([]) == "IOB2"


@pytest.mark.parametrize(
    ("tags", "chunks"),
    [
        ("I-NP I-NP", [(0, 1, "NP")]),
        ("O I-NP B-NP", [(1, 1, "NP"), (2, 2, "NP")]),
        ("B-NP I-VP I-NP", [(0, 0, "NP"), (1, 1, "VP"), (2, 2, "NP")]),
        ("E-NP E-NP I-NP", [(0, 0, "NP"), (1, 1, "NP"), (2, 2, "NP")]),
        ("B-NP E-NP B-NP", [(0, 1, "NP"), (2, 2, "NP")]),
        ("S-NP S-NP I-NP", [(0, 0, "NP"), (1, 1, "NP"), (2, 2, "NP")]),
        ("B-NP L-NP U-NP", [(0, 1, "NP"), (2, 2, "NP")]),
        ("B I O B", [(0, 1, ""), (3, 3, "")]),
        ("B-A-B I-A-B", [(0, 1, "A-B")]),
        ("", []),
    ],
)
def test_chunks_of_tags_that_are_not_well_formed(tags, chunks):
    assert chunks_of(tags.split()) == chunks


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        ("IOB1", "I-NP I-NP B-NP I-VP O I-NP"),
        ("IOB2", "B-NP I-NP B-NP B-VP O B-NP"),
        ("IOE1", "I-NP E-NP I-NP I-VP O I-NP"),
        ("IOE2", "I-NP E-NP E-NP E-VP O E-NP"),
        ("BIOES", "B-NP E-NP S-NP S-VP O S-NP"),
    ],
)
def test_what_schemes_look_like(scheme, tags):
    assert convert_tags([["B-NP", "I-NP", "B-NP", "B-VP", "O", "B-NP"]], scheme) == [tags.split()]


def test_chunks_end_where_sentences_end():
    assert convert_tags([["B-NP"], [], ["I-NP"]], "BIOES") == [["S-NP"], [], ["S-NP"]]


@pytest.mark.parametrize("tag", ["", "X-NP", "NN", "O-NP", "b-NP", "-NP", "BNP", "é"])
def test_other_tags_are_refused(tag):
    assert not are_chunk_tags(["O", tag])
    with pytest.raises(ValueError, match=f"'{tag}' is not the tag of a chunk"):
        chunks_of(["O", tag])


def test_other_schemes_are_refused():
    with pytest.raises(ValueError, match="must be IOB1, IOB2, IOE1, IOE2 or BIOES, got 'iob2'"):
        convert_tags([["O"]], "iob2")


def test_a_converter_knows_all_tags_it_may_write():
    assert _core.TagConverter(["B-NP", "I-VP"], "IOE2").tags == ["I-NP", "E-NP", "I-VP", "E-VP"]
    assert _core.TagConverter(["I", "O"], "BIOES").tags == ["O", "B", "I", "E", "S"]


@pytest.mark.parametrize("numbers", [[-1], [2]])
def test_numbers_without_a_tag_are_refused(numbers):
    numbers, starts = np.array(numbers, np.int32), np.array([0, 1])
    for work in (_core.ChunkTags(["O", "B"]).chunks, _core.TagConverter(["O", "B"], "IOB2").convert):
        with pytest.raises(ValueError, match="a number has no tag"):
            work(numbers, starts)


@pytest.mark.parametrize("starts", [[], [0], [1, 2], [0, 3], [0, 3, 2]])
def test_sentences_that_are_not_all_tokens_are_refused(starts):
    numbers, starts = np.zeros(2, np.int32), np.array(starts, np.int64)
    for work in (_core.ChunkTags(["O"]).chunks, _core.TagConverter(["O"], "IOB2").convert):
        with pytest.raises(ValueError, match="must ascend from 0 to the number of tokens"):
            work(numbers, starts)
