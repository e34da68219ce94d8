"""Raw text as the core sees it: characters, gaps, places, pairs that tell, against slow definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from gristmill.base.errors import FormatError
from tests.oracle import tokenizer as oracle

TEXTS = st.text(alphabet="aB.é海 \n\t\u3000", max_size=40)
LONG = st.text(alphabet="aB ", max_size=80)
NOTHING = np.zeros(0, dtype=np.int32)


def columns(text, places, *, cases=None, learned=NOTHING):
    found = _core.RawText(text.encode()).columns(np.array(places, dtype=np.int64), cases, None, learned)
    return [[found.column(column)[at] for column in range(found.columns)] for at in range(len(places))]


@given(TEXTS)
def test_characters_gaps_and_where_they_are(text):
    raw = _core.RawText(text.encode())
    assert len(raw) == len(oracle.places(text))
    assert raw.gaps().tolist() == oracle.gaps(text)
    line = oracle.normalized(text)
    spans = raw.spans(np.ones(len(raw), dtype=np.int32)).reshape(-1, 3)
    assert spans[:, 0].tolist() == [line[at][1] for at in oracle.places(text)]


@given(st.one_of(TEXTS, LONG))
def test_what_is_seen_of_places(text):
    places = range(len(oracle.places(text)))
    assert [cells[:13] for cells in columns(text, places)] == [oracle.cells(text, place) for place in places]


@given(TEXTS, st.integers(1, 4), st.data())
def test_pairs_that_tell(text, least, data):
    raw = _core.RawText(text.encode())
    endings = data.draw(st.lists(st.integers(0, 2), min_size=len(raw), max_size=len(raw)))
    known = _core.KnownPairs.learn(raw, np.array(endings, dtype=np.int32), least)
    expected = oracle.pairs(text, endings, least)
    assert known.pairs() == [sorted(pair for pair in expected if expected[pair] == ending) for ending in range(3)]
    again = _core.KnownPairs(known.pairs())
    assert again.pairs() == known.pairs()
    assert again.endings(raw).tolist() == known.endings(raw).tolist()


def test_pairs_that_tell_decide_and_paragraphs_end_sentences():
    known = _core.KnownPairs([["ab"], ["b a"], []])
    assert known.endings(_core.RawText(b"ab ab\n\nba")).tolist() == [0, 1, 0, 2, -1, 2]


@given(st.lists(st.sampled_from(["the", "The", "Tom", "tom's", "Tom's", "x1"]), max_size=6), st.integers(0, 1))
def test_how_words_are_written_within_sentences(within, own):
    text = "a The Tom's tom X1"
    learned = np.full(len(oracle.places(text)), 2 - own, dtype=np.int32)
    found = columns(text, range(len(learned)), cases=_core.WordCases(within), learned=learned)
    assert [cells[13] for cells in found] == [oracle.facts(cells[10], within, own) for cells in found]


def test_text_that_is_not_utf8_is_refused_with_its_place():
    with pytest.raises(FormatError) as error:
        _core.RawText(b"a\nb\xff", 5)
    assert (error.value.line, error.value.column) == (6, 2)


def test_conllu_of_text():
    raw = _core.RawText(b"Va au\n bois.  Va.\n\nOui")
    endings = np.array([0, 1, 0, 1, 0, 0, 0, 1, 2, 0, 1, 2, 0, 0, 2], dtype=np.int32)
    assert raw.conllu(endings, 7).decode() == "".join(
        [
            "# newpar\n# sent_id = 7\n# text = Va au bois.\n",
            *(_line(1, "Va"), _line(2, "au"), _line(3, "bois", "SpaceAfter=No"), _line(4, "."), "\n"),
            "# sent_id = 8\n# text = Va.\n",
            *(_line(1, "Va", "SpaceAfter=No"), _line(2, "."), "\n"),
            "# newpar\n# sent_id = 9\n# text = Oui\n",
            *(_line(1, "Oui"), "\n"),
        ]
    )


def test_a_token_with_a_space_in_it_has_one():
    raw = _core.RawText("Trả \n lời".encode())
    assert "1\tTrả lời\t" in raw.conllu(np.array([0, 0, 0, 0, 0, 2], dtype=np.int32)).decode()


def _line(number, form, misc="_"):
    return f"{number}\t{form}" + "\t_" * 7 + f"\t{misc}\n"
