"""Features that the core extracts are those of the definition."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps.columns import columns_of
from gristmill.apps.templates import View, parse_templates
from tests.apps.templates.template_strategies import (
    TAGS,
    bags,
    cells,
    plain_views,
    sentences,
    sized_views,
    templates,
    whole_views,
)
from tests.oracle import templates as oracle
from tests.oracle import yamcha


@st.composite
def tasks(draw):
    """Templates, sentences and tags, None where there is none."""
    columns = draw(st.integers(1, 3))
    text = draw(sentences(columns))
    tags = [draw(st.lists(st.sampled_from([None, *TAGS]), min_size=len(s), max_size=len(s))) for s in text]
    return columns, draw(templates(columns)), text, tags


def extracted(task, names, grow, backward=False):
    """The rows of all tokens, as lists of numbers."""
    columns, own, text, tags = task
    labels = np.array([-1 if tag is None else TAGS.index(tag) for given in tags for tag in given], dtype=np.int32)
    offsets, ids = _core.extract_rows(own.compile(TAGS), columns_of(text, columns), labels, names, grow, backward)
    return [ids[begin:end].tolist() for begin, end in pairwise(offsets)]


def defined(task, backward=False):
    """A set of strings for each token."""
    _, own, text, tags = task
    return [found for s, given in zip(text, tags, strict=True) for found in oracle.features(own, s, given, backward)]


def spelled(rows, names):
    words = names.words()
    return [{words[number] for number in row} for row in rows]


@given(whole_views | sized_views | plain_views | bags, cells)
def test_a_view_sees_what_its_definition_says(view, cell):
    assert view.values(cell) == oracle.values(view, cell)


@pytest.mark.parametrize("cell", ["", ",", ",,a", "a,,b,", ",a"])
@pytest.mark.parametrize("kind", ["whole", "shape", "brief", "type", "pieces", "prefix", "suffix", "grams"])
def test_views_of_cells_with_little_in_them(kind, cell):
    view = View(kind, 1 if kind in ("prefix", "suffix", "grams") else 0)
    assert view.values(cell) == oracle.values(view, cell)


@given(tasks(), st.booleans())
def test_rows_are_the_features_of_the_definition(task, backward):
    names = _core.Strings([])
    rows = extracted(task, names, grow=True, backward=backward)
    assert spelled(rows, names) == defined(task, backward)


@given(tasks(), st.booleans())
def test_rows_ascend_and_hold_each_feature_once(task, backward):
    rows = extracted(task, _core.Strings([]), grow=True, backward=backward)
    assert all(row == sorted(set(row)) for row in rows)


@given(tasks(), st.booleans(), st.data())
def test_a_closed_book_gives_the_features_it_has(task, backward, data):
    expected = defined(task, backward)
    every = sorted(set().union(*expected))
    known = data.draw(st.lists(st.sampled_from([*every, "unheard of"]), unique=True, max_size=10))
    names = _core.Strings(known)
    rows = extracted(task, names, grow=False, backward=backward)
    assert spelled(rows, names) == [found & set(known) for found in expected]
    assert names.words() == known


@given(tasks(), tasks())
def test_a_book_that_grows_keeps_the_numbers_it_has_given(first, second):
    names = _core.Strings([])
    rows = extracted(first, names, grow=True)
    before = names.words()
    extracted(second, names, grow=True)
    assert names.words()[: len(before)] == before
    assert extracted(first, names, grow=False) == rows


@given(tasks(), st.data())
def test_sentences_do_not_know_of_each_other(task, data):
    """What was met before changes nothing."""
    columns, own, text, tags = task
    at = data.draw(st.integers(0, len(text)))
    names = _core.Strings([])
    rows = extracted(task, names, grow=True)
    halves = [(columns, own, text[:at], tags[:at]), (columns, own, text[at:], tags[at:])]
    assert [row for half in halves for row in extracted(half, names, grow=False)] == rows


# --- other programs' definitions --------------------------------------------------------------------------------------


@given(sentences(2), st.sampled_from(["forward", "backward"]), st.data())
def test_short_templates_make_the_features_of_yamcha(text, direction, data):
    tags = [data.draw(st.lists(st.sampled_from(TAGS), min_size=len(s), max_size=len(s))) for s in text]
    parameters = {
        "features": "-2:0 -2:1 -1:0 -1:1 0:0 0:1 1:0 1:1",
        "bow_features": "-1:1 0:0",
        "tag_features": "-2 -1",
        "parsing_direction": direction,
    }
    own = parse_templates("F:-2..1:0.. B:-1:1 B:0:0 T:-2..-1", 2)
    names = _core.Strings([])
    rows = extracted((2, own, text, tags), names, grow=True, backward=direction == "backward")
    expected = [yamcha.features(parameters, s, given) for s, given in zip(text, tags, strict=True)]
    assert spelled(rows, names) == [set(found) for several in expected for found in several]


@given(sentences(2))
def test_lines_make_the_features_of_crfpp(text):
    lines = ["U00:%x[-2,0]", "U01:%x[0,1]x%x[1,0]", "U02:%x[-1,0]/%x[0,0]/%x[1,0]", "U03", "U04:%x[7,1]%"]
    own = parse_templates("\n".join(lines), 2)
    names = _core.Strings([])
    rows = extracted((2, own, text, [[None] * len(s) for s in text]), names, grow=True)
    assert spelled(rows, names) == [found for s in text for found in oracle.crfpp_features(lines, s)]


def test_a_bigram_line_looks_at_the_tag_before_and_makes_nothing_of_the_first_token():
    own, names = parse_templates("B\nB1:%x[0,0]", 1), _core.Strings([])
    rows = extracted((1, own, [[("a",), ("b",)]], [["O", "ß"]]), names, grow=True)
    assert spelled(rows, names) == [set(), {"B/O", "B1:b/O"}]


# --- what the core remembers ------------------------------------------------------------------------------------------

FORGETTING = {  # templates, and what fills a memo in so many sentences
    "cells": ("F:-1..1:0 F:0:0:suffix:2", lambda n: [f"w{n}-{i}" for i in range(11_000)], 97),
    "conjunctions": (
        "\n".join(f"U{item}:%x[0,0]/%x[1,0]/%x[-1,0]" for item in range(15)),
        lambda n: [f"{n}-{i}" for i in range(1000)],
        100,
    ),
    "bags": ("F:0:0:grams:2", lambda n: [f"{n}" + "xy" * 50_000], 90),
}


@pytest.mark.parametrize("kind", FORGETTING)
def test_nothing_depends_on_when_a_memo_is_forgotten(kind):
    """Between sentences that fill it, one comes again and again."""
    short, filling, count = FORGETTING[kind]
    own, again = parse_templates(short, 1), ["the", "cat", "sat", "the"]
    expected = oracle.features(own, [(word,) for word in again], [None] * 4)
    names = _core.Strings(sorted(set().union(*expected)))
    text = "\n\n".join("\n".join(words) for n in range(count) for words in (filling(n), again))
    columns = _core.Columns.parse(text.encode())
    labels = np.full(columns.tokens, -1, dtype=np.int32)
    offsets, ids = _core.extract_rows(own.compile([]), columns, labels, names, False, False)
    ends = columns.starts()[2::2]
    for rows in ([ids[offsets[end - i] : offsets[end - i + 1]] for i in range(4, 0, -1)] for end in ends):
        assert spelled(rows, names) == expected


def test_templates_may_look_as_far_as_they_are_allowed_to():
    own, names = parse_templates("F:-1000,1000:0", 1), _core.Strings([])
    text = [[(f"{i}",) for i in range(1500)], [("a",)], []]
    task = (1, own, text, [[None] * len(s) for s in text])
    assert spelled(extracted(task, names, grow=True), names) == defined(task)


def test_labels_must_fit_the_tokens():
    window = parse_templates("T:-1", 1).compile(["O"])
    for labels in ([0], [0, 1], [0, -2]):
        with pytest.raises(ValueError, match="labels"):
            _core.extract_rows(
                window, columns_of([["a", "b"]]), np.array(labels, dtype=np.int32), _core.Strings([]), True, False
            )


def test_tokens_must_have_the_columns_of_the_templates():
    window = parse_templates("F:0:1", 2).compile(["O"])
    with pytest.raises(ValueError, match="too few columns"):
        _core.extract_rows(window, columns_of([["a"]]), np.zeros(1, dtype=np.int32), _core.Strings([]), True, False)
