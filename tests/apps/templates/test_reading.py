"""Templates from text: YamCha's and CRF++'s, with views; and what is said of text that is neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.apps.templates import Item, Look, Templates, View, parse_templates

YAMCHA = ("-", "__BOS__", "+", "__EOS__")
PLAIN, SIZED = ("whole", "shape", "brief", "type", "pieces"), ("prefix", "suffix", "grams")
CRFPP = ("_B-", "", "_B+", "")


def cell(name, *look, view=None):
    return Item(((name, Look(*look, view or View())),))


def items(text, columns=3):
    return list(parse_templates(text, columns).items)


# --- YamCha's ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F:0:0", [cell("F:+0:0:", 0, 0)]),
        ("F:-1..1:0", [cell(f"F:{row:+d}:0:", row, 0) for row in (-1, 0, 1)]),
        ("F:+1:0,2", [cell("F:+1:0:", 1, 0), cell("F:+1:2:", 1, 2)]),
        ("F:0:0..", [cell(f"F:+0:{column}:", 0, column) for column in range(3)]),
        ("F:0:1..2", [cell("F:+0:1:", 0, 1), cell("F:+0:2:", 0, 2)]),
        ("F:-2..-1,3:1", [cell(f"F:{row:+d}:1:", row, 1) for row in (-2, -1, 3)]),
        ("B:0:1", [cell("B:+0:1:", 0, 1, view=View("pieces"))]),
        ("T:-2..-1", [cell("T:-2:", -2, None), cell("T:-1:", -1, None)]),
        ("F:0:0:lower", [cell("F:+0:0:lower:", 0, 0, view=View(lower=True))]),
        ("F:0:0:shape", [cell("F:+0:0:shape:", 0, 0, view=View("shape"))]),
        ("F:0:0:brief", [cell("F:+0:0:brief:", 0, 0, view=View("brief"))]),
        ("F:0:0:type", [cell("F:+0:0:type:", 0, 0, view=View("type"))]),
        ("F:0:0:pieces", [cell("F:+0:0:pieces:", 0, 0, view=View("pieces"))]),
        ("F:0:0:grams:3", [cell("F:+0:0:grams:3:", 0, 0, view=View("grams", 3))]),
        ("F:0:0:suffix:1..2", [cell(f"F:+0:0:suffix:{n}:", 0, 0, view=View("suffix", n)) for n in (1, 2)]),
        ("F:0:0:lower+prefix:2", [cell("F:+0:0:lower+prefix:2:", 0, 0, view=View("prefix", 2, lower=True))]),
    ],
)
def test_short_forms_are_items(text, expected):
    assert items(text) == expected


@given(st.permutations(["F:-1..1:0..", "T:-2..-1", "F:0:1", "B:0:2", "F:0:0:suffix:1..3"]), st.data())
def test_items_come_in_the_order_of_the_text_each_once_however_words_are_divided(words, data):
    between = [data.draw(st.sampled_from([" ", "\n", "\t", "\n# a comment\n\n", "  \r\n "])) for _ in words]
    text = "".join(word + blank for word, blank in zip(words, between, strict=True))
    expected = dict.fromkeys(item for word in words for item in items(word))
    assert parse_templates(text, 3) == Templates(tuple(expected), YAMCHA)


# --- CRF++'s ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("U00:%x[-2,0]", cell("U00:", -2, 0)),
        ("U05:%x[-1,0]/%x[0,1]", Item((("U05:", Look(-1, 0)), ("/", Look(0, 1))))),
        ("U:%x[ +1 , 2 ]after", Item((("U:", Look(1, 2)),), "after")),
        ("  U:%x[0,0]  ", cell("U:", 0, 0)),
        ("U", Item((), "U")),
        ("U:word%", Item((), "U:word%")),
        ("U06:%x[0,0,suffix:3]", cell("U06:", 0, 0, view=View("suffix", 3))),
        ("U06:%x[0,0,lower+shape]", cell("U06:", 0, 0, view=View("shape", lower=True))),
        ("U06:%x[0,0,grams:2]!", Item((("U06:", Look(0, 0, View("grams", 2))),), "!")),
        ("U07:%t[-1]", cell("U07:", -1, None)),
        ("U07:%t[-2]|%x[0,0]", Item((("U07:", Look(-2, None)), ("|", Look(0, 0))))),
        ("B", cell("B/", -1, None)),
        ("B01:%x[0,0]", Item((("B01:", Look(0, 0)), ("/", Look(-1, None))))),
    ],
)
def test_lines_are_items(text, expected):
    assert parse_templates(text, 3) == Templates((expected,), CRFPP)


def test_a_file_of_crfpp_may_have_comments_and_empty_lines():
    text = "# Unigram\nU00:%x[0,0]\n\n  # more\nU01:%x[0,1]\n\n# Bigram\nB\n"
    assert [item.pieces[0][0] for item in items(text)] == ["U00:", "U01:", "B/"]


# --- all --------------------------------------------------------------------------------------------------------------


def test_templates_know_how_many_columns_they_need_and_whether_they_look_at_tags():
    assert (parse_templates("F:0:1", 5).columns, parse_templates("T:-1", 5).columns) == (2, 0)
    assert not parse_templates("F:0:1", 5).uses_tags
    assert parse_templates("U:%x[0,0]\nB", 5).uses_tags


@given(
    st.sampled_from(["whole", "shape", "brief", "type", "pieces", "prefix", "suffix", "grams"]),
    st.integers(1, 9),
    st.booleans(),
)
def test_a_view_is_spelled_as_it_is_read(kind, size, lower):
    view = View(kind, size if kind in SIZED else 0, lower)
    spelling = f"F:0:0:{view}" if str(view) else "F:0:0"
    ((_, look),) = items(spelling)[0].pieces
    assert look.view == view


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("F:0", "expected F:rows:columns"),
        ("F", "expected F:rows:columns"),
        ("G:0:0", "expected F:rows:columns"),
        ("T:-1:0", "expected F:rows:columns"),
        ("B:0:0:shape", "expected F:rows:columns"),
        ("F:a:0", "expected rows"),
        ("F::0", "expected rows"),
        ("F:0..:0", "expected rows"),
        ("F:1..-1:0", "no rows"),
        ("F:0..9999:0", "too many rows"),
        ("F:1e3:0", "expected rows"),
        ("F:²:0", "expected rows"),
        ("F:0:x", "expected columns"),
        ("F:0:-1", "columns count from 0"),
        ("F:0:0:colour", "expected a view"),
        ("F:0:0:suffix", "expected a view"),
        ("F:0:0:shape:2", "expected a view"),
        ("F:0:0:lower:2", "expected a view"),
        ("F:0:0:suffix:0", "between 1 and"),
        ("F:0:0:suffix:1..1001", "between 1 and"),
        ("F:0:0:suffix:", "expected sizes"),
        ("F:0:0:", "expected a view"),
        ("F:0:0:lower+", "expected a view"),
        ("F:0:3", "no column 3, counted from 0: tokens have 3 columns"),
        ("F:1001:0", "farther away than 1000"),
        ("T:0", "not known"),
        ("U:%x[0]", "expected %x"),
        ("U:%x[0,0,]", "expected a view"),
        ("U:%x[0,17]", "no column 17"),
        ("U:%x[-2000,0]", "farther away than 1000"),
        ("U:%t[1]", "not known"),
        ("U:%x[0,0", "expected %x"),
        ("U:%x[0,0,suffix:1,2]", "expected %x"),
        ("U:%x[0,0,suffix:1..2]", "one view"),
        ("U:%x[0,-1]", "column from 0"),
        ("U:%x[0,0,colour]", "expected a view"),
        ("U:%t[-1,0]", "expected %x"),
        ("U:%m[0,0]", "expected %x"),
        ("U:%x[0,0,grams:2]/%x[0,0]", "must be alone"),
        ("B:%x[0,0,pieces]", "must be alone"),
        ("U:%x[0,0]\nF:0:0", "begins with U or B"),
    ],
)
def test_other_text_is_refused_with_its_place(text, said):
    with pytest.raises(gm.FormatError, match=said) as error:
        parse_templates(f"# first\n\n   {text}", 3)
    assert (error.value.line, error.value.column) == ((3, 4) if "\n" not in text else (4, 1))


def test_the_place_is_that_of_the_word():
    with pytest.raises(gm.FormatError, match="expected columns") as error:
        parse_templates("F:0:0\nT:-1  F:0:x F:0:y", 1)
    assert (error.value.line, error.value.column) == (2, 7)


@pytest.mark.parametrize("text", ["", "# nothing", "\n \n"])
def test_templates_that_make_no_feature_are_refused(text):
    with pytest.raises(gm.FormatError, match="no feature"):
        parse_templates(text, 3)
