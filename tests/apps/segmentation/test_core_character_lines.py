"""Lines as characters: segmented text that is never lost, and features by the definition."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps.segmentation.engine import CLASSES
from gristmill.apps.segmentation.segmenter import CHARACTERS, Segmenter
from gristmill.apps.templates import parse_templates
from tests.oracle import segmenter as oracle

line_text = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30) | st.text(
    "aあ漢 \t\u3000\r\x00\u2028", max_size=30
)
words = st.text("abあ", min_size=1, max_size=4)
corpus = st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=6)


def lines_of(text, segmented=False):
    return _core.CharacterLines(text.encode(), segmented)


def decided(size, data):
    return np.array(data.draw(st.lists(st.sampled_from([0, 1]), min_size=size, max_size=size)), dtype=np.int32)


# --- text -------------------------------------------------------------------------------------------------------------


@given(st.lists(line_text, max_size=4).map("\n".join))
def test_characters_are_all_but_white_space(text):
    lines = lines_of(text)
    expected = [pair for line in text.split("\n") for pair in oracle.characters(line)]
    assert lines.columns().column(0) == [character for character, _ in expected]
    assert lines.walls().tolist() == lines.ends().tolist() == [wall for _, wall in expected]


@given(line_text, st.data())
def test_a_segmented_line_is_the_definition(line, data):
    lines = lines_of(line)
    classes = decided(lines.characters, data)
    assert lines.segmented(classes).decode() == oracle.segmented(line, classes.tolist())


@given(line_text)
def test_a_joined_line_is_the_definition(line):
    assert Segmenter.joined(line) == oracle.joined(line)


@given(st.lists(line_text, max_size=4), st.sampled_from(["", "\n", "\r\n"]), st.data())
def test_every_text_is_had_again(lines, end, data):
    text = "\n".join(lines) + end
    parsed = lines_of(text)
    assert Segmenter.joined(parsed.segmented(decided(parsed.characters, data)).decode()) == text


@given(st.lists(line_text, max_size=4).map("\n".join), st.data())
def test_boundaries_of_segmented_text_are_those_it_was_made_with(text, data):
    lines = lines_of(text)
    classes = decided(lines.characters, data)
    again = lines_of(lines.segmented(classes).decode(), True)
    assert again.ends().tolist() == ((classes == 1) | lines.walls()).tolist()
    assert again.walls().tolist() == lines.walls().tolist()


@given(st.lists(line_text, max_size=4).map("\n".join), st.data())
def test_spans_are_the_words_between_white_space_and_boundaries(text, data):
    lines = lines_of(text)
    classes = decided(lines.characters, data)
    places = lines.spans(classes).tolist()
    found = [text[begin:end] for begin, end in zip(places[::2], places[1::2], strict=True)]
    spaced = [" " if oracle.is_space(character) else character for character in lines.segmented(classes).decode()]
    assert found == [word for word in "".join(spaced).split(" ") if word]


# --- features ---------------------------------------------------------------------------------------------------------


def test_the_features_of_the_paper_are_characters_and_types_with_their_positions():
    names = _core.Strings([])
    columns = lines_of("また行きたい").columns()
    window = parse_templates(CHARACTERS, 1).compile(CLASSES)
    offsets, ids = _core.extract_rows(window, columns, np.zeros(6, np.int32), names, True, False)
    rows = [{names.words()[i] for i in ids[a:b]} for a, b in pairwise(offsets.tolist())]
    assert rows[2] == {
        *("F:-2:0:ま", "F:-1:0:た", "F:+0:0:行", "F:+1:0:き", "F:+2:0:た", "F:+3:0:い"),
        *("F:-2:0:type:H", "F:-1:0:type:H", "F:+0:0:type:C", "F:+1:0:type:H", "F:+2:0:type:H", "F:+3:0:type:H"),
    }
    assert {len(row) for row in rows} == {12}


@given(corpus, st.lists(words, max_size=3).map(" ".join))
def test_a_dictionary_says_which_words_may_begin_end_and_go_on(sentences, line):
    book = _core.Dictionary([word for sentence in sentences for word in sentence], oracle.LONGEST)
    characters = oracle.characters(line)
    expected = oracle.facts(
        "".join(character for character, _ in characters),
        [wall for _, wall in characters],
        Counter(word for sentence in sentences for word in sentence),
    )
    assert (lines_of(line).columns(book).column(1) if line else []) == expected


@given(corpus)
def test_while_learning_a_sentence_sees_the_words_of_others_alone(sentences):
    lines = lines_of("".join(f"{' '.join(sentence)}\n" for sentence in sentences), True)
    book = _core.Dictionary([], oracle.LONGEST)
    book.learn(lines)
    expected = []
    for number, sentence in enumerate(sentences):
        text = "".join(sentence)
        expected += oracle.facts(text, [False] * len(text), oracle.known_elsewhere(sentences, number))
    assert lines.columns(book, True).column(1) == expected


def test_words_that_are_too_long_are_no_facts():
    book = _core.Dictionary(["a" * 13, "b" * 12], 12)
    assert book.words() == ["b" * 12]
    assert lines_of("a" * 13 + "b" * 12).columns(book).column(1)[12] == "L0,R8,I0"
