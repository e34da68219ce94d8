"""Pictures of dependency trees, on a terminal and as SVG."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps.parsing import arc_svg
from gristmill.apps.parsing.arc_drawing import draw_arcs, shown
from gristmill.apps.parsing.arc_svg import svg_arcs
from gristmill.display.bars import cells
from gristmill.display.markup import text_width

SVG = "{http://www.w3.org/2000/svg}"
WORDS = st.text(min_size=1, max_size=6)


@st.composite
def trees(draw, most=12):
    """Heads of any trees: in some order every word hangs below one that came before it, or is a root."""
    order = draw(st.permutations(range(1, draw(st.integers(0, most)) + 1)))
    heads = {word: draw(st.sampled_from([0, *order[:at]])) for at, word in enumerate(order)}
    return [heads[word] for word in range(1, len(order) + 1)]


@st.composite
def projective(draw, most=14):
    """Heads of a tree whose arcs do not cross."""
    heads, waiting = [0] * draw(st.integers(0, most)), []
    waiting.append((0, 1, len(heads)))
    while waiting:
        head, first, last = waiting.pop()
        if first <= last:
            end = draw(st.integers(first, last))
            top = draw(st.integers(first, end))
            heads[top - 1] = head
            waiting += [(top, first, top - 1), (top, top + 1, end), (head, end + 1, last)]
    return heads


@st.composite
def sentences(draw):
    heads = draw(trees())
    forms, relations, tags = (draw(st.lists(WORDS, min_size=len(heads), max_size=len(heads))) for _ in range(3))
    return forms, heads, relations, tags


# --- On a terminal ----------------------------------------------------------------------------------------------------


def lines_of(heads):
    """The arcs alone: words and relations are of one letter."""
    drawn = draw_arcs(["w"] * len(heads), heads, ["r"] * len(heads))
    return [line[len("w  r  ") :] for line in drawn.splitlines()]


def given_joint(line):
    """Where the line of the head is joined: right of the arrow, first of all joints."""
    return next((at for at in range(line.find("◄") + 1, len(line)) if line[at] in "┐┘┤┬┴┼"), None)


def heads_drawn(lines):
    """What a reader takes the heads to be."""
    rows = [line.ljust(max(map(len, lines), default=0)) for line in lines]
    return [head_drawn(rows, at) if "◄" in row else 0 for at, row in enumerate(rows)]


def head_drawn(rows, at):
    column = given_joint(rows[at])
    first = next(row for row in range(at, -1, -1) if rows[row][column] in "┐┬")
    last = next(row for row in range(at, len(rows)) if rows[row][column] in "┘┴")
    joined = [row for row in range(first, last + 1) if rows[row][column] not in "│"]
    return next(row + 1 for row in joined if "◄" not in rows[row] or given_joint(rows[row]) != column)


@given(trees())
def test_heads_can_be_read_from_the_drawing(heads):
    assert heads_drawn(lines_of(heads)) == heads


@given(projective())
def test_lines_of_projective_trees_do_not_cross(heads):
    assert not any(re.search("[─◄]│", line) for line in lines_of(heads))
    assert heads_drawn(lines_of(heads)) == heads


@given(sentences())
def test_every_word_tag_and_relation_has_its_line(sentence):
    forms, heads, relations, tags = sentence
    lines = draw_arcs(forms, heads, relations, tags=tags).splitlines()
    for line, *texts in zip(lines, forms, tags, relations, strict=True):
        assert all(shown(text).rstrip() in line for text in texts)


@given(sentences())
def test_every_word_is_below_its_head_in_an_indented_tree(sentence):
    forms, heads, relations, tags = sentence
    forms = [f"{at}:{form}" for at, form in enumerate(forms, 1)]
    lines = draw_arcs(forms, heads, relations, tags=tags, style="tree").splitlines()
    labels = ["  ".join(map(shown, texts)).rstrip() for texts in zip(forms, tags, relations, strict=True)]
    depths, path = [], []
    for line in lines:
        indent = re.match("[│├└─ ]*", line)[0]
        path[len(indent) // 3 :] = [int(re.match("[0-9]+", line[len(indent) :])[0])]
        depths.append((path[-2] if len(path) > 1 else 0, path[-1], line[len(indent) :]))
    assert sorted((word, head, label) for head, word, label in depths) == [
        (at, head, label) for at, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
    ]


@given(sentences(), st.integers(1, 60), st.sampled_from(["arcs", "tree"]))
def test_no_line_is_wider_than_it_may_be(sentence, width, style):
    forms, heads, relations, tags = sentence
    narrow = draw_arcs(forms, heads, relations, tags=tags, style=style, width=width).splitlines()
    assert len(narrow) == len(forms)
    assert all(cells(line) <= width for line in narrow)
    wide = draw_arcs(forms, heads, relations, tags=tags, style=style)
    assert draw_arcs(forms, heads, relations, tags=tags, style=style, width=10000) == wide


def test_crossing_lines_pass_below():
    drawn = draw_arcs(["a", "b", "c", "d"], [3, 4, 0, 3], ["v", "x", "root", "z"])
    assert drawn.splitlines() == [
        "a  v     ◄──┐",
        "b  x     ◄┐ │",
        "c  root  ─│─┤",
        "d  z     ─┴◄┘",
    ]


def test_a_tag_is_between_word_and_relation():
    assert (
        draw_arcs(["a", "bc"], [2, 0], ["det", "root"], tags=["DET", "N"]) == "a   DET  det   ◄┐\nbc  N    root  ─┘\n"
    )


def test_wide_and_combining_characters_keep_arcs_in_their_column():
    drawn = draw_arcs(["漢字", "e\u0301", "ab"], [0, 1, 1], ["root", "x", "y"])
    assert drawn.splitlines() == ["漢字  root  ─┐", "e\u0301     x     ◄┤", "ab    y     ◄┘"]


def test_columns_are_cut_before_arcs_are():
    words, relations = ["incomprehensibilities", "漢字漢字"], ["root", "nsubj"]
    drawn = [draw_arcs(words, [0, 1], relations, width=width).splitlines() for width in (17, 13)]
    assert drawn == [["incom…  root   ─┐", "漢字…   nsubj  ◄┘"], ["in…  root  ─┐", "漢…  nsu…  ◄┘"]]
    assert draw_arcs(["abcdef", "b"], [0, 1], ["root", "x"], width=3).splitlines() == ["ab…", "b …"]


def test_what_a_screen_would_obey_is_not_written():
    drawn = draw_arcs(["\x1b[31m", "a\u202eb", "c\nd"], [0, 1, 1], ["root", "x\r", "y"])
    assert drawn.count("\n") == 3
    assert not set("\x1b\r\u202e") & set(drawn)
    assert "\ufffd[31m" in drawn


@pytest.mark.parametrize("style", ["arcs", "tree"])
def test_small_and_large_sentences(style):
    assert draw_arcs([], [], [], style=style) == ""
    assert draw_arcs(["a"], [0], ["root"], style=style) == "a  root\n"
    words = [f"w{at}" for at in range(200)]
    assert draw_arcs(words, list(range(200)), words, style=style).count("\n") == 200
    assert draw_arcs(words, np.array([0] + [1] * 199), words, style=style).count("\n") == 200


def test_a_chain_of_ten_thousand_words_is_narrow():
    words = ["w"] * 10000
    drawn = draw_arcs(words, list(range(10000)), words)
    assert max(map(len, drawn.splitlines())) == len("w  w  ─┬─┐")


@pytest.mark.parametrize("draw", [draw_arcs, svg_arcs])
def test_what_is_no_tree_is_refused(draw):
    with pytest.raises(ValueError, match="expected relations for 2 words, got 1"):
        draw(["a", "b"], [0, 1], ["root"])
    with pytest.raises(ValueError, match="expected tags for 1 words, got 0"):
        draw(["a"], [0], ["root"], tags=[])
    with pytest.raises(ValueError, match="the head of word 2 is 3: expected 0 to 2"):
        draw(["a", "b"], [0, 3], ["root", "x"])
    with pytest.raises(ValueError, match="the head of word 1 is -1: expected 0 to 1"):
        draw(["a"], [-1], ["root"])
    with pytest.raises(ValueError, match="word 2 is above itself"):
        draw(["a", "b", "c"], [0, 3, 2], ["root", "x", "y"])


def test_other_styles_and_widths_are_refused():
    with pytest.raises(ValueError, match="expected style 'arcs' or 'tree', got 'flat'"):
        draw_arcs([], [], [], style="flat")
    with pytest.raises(ValueError, match="expected a width of 1 or more, got 0"):
        draw_arcs([], [], [], width=0)


# --- SVG --------------------------------------------------------------------------------------------------------------


def texts_of(picture, size):
    return [
        (float(text.get("x")), float(text.get("y")), text.text)
        for group in picture.iter(f"{SVG}g")
        if group.get("font-size") == str(size)
        for text in group.iter(f"{SVG}text")
    ]


@given(sentences())
def test_pictures_are_sound_xml_with_all_texts(sentence):
    forms, heads, relations, tags = sentence
    picture = ElementTree.fromstring(svg_arcs(forms, heads, relations, tags=tags))
    expected = sorted(shown(text) for text in (*forms, *relations, *tags))
    assert sorted(text.text for text in picture.iter(f"{SVG}text")) == expected
    assert [text for *_, text in texts_of(picture, arc_svg._WORD)] == list(map(shown, forms))
    assert len(list(picture.iter(f"{SVG}path"))) == 2 * len(forms)
    assert picture.find(f"{SVG}title").text or not forms
    assert {one.tag.removeprefix(SVG) for one in picture.iter()} <= {"svg", "title", "desc", "g", "path", "text"}


@given(sentences())
def test_everything_is_inside_the_picture(sentence):
    forms, heads, relations, tags = sentence
    picture = ElementTree.fromstring(svg_arcs(forms, heads, relations, tags=tags))
    left, top, width, height = map(float, picture.get("viewBox").split())
    for text in picture.iter(f"{SVG}text"):
        assert left <= float(text.get("x")) <= width
        assert top + arc_svg._LABEL / 2 <= float(text.get("y")) <= height
    for path in picture.iter(f"{SVG}path"):
        across, down = map(float, re.match(r"M([-0-9.]+),([-0-9.]+)", path.get("d")).groups())
        assert left <= across <= width
        assert top <= down <= height


@given(projective(), st.data())
def test_texts_of_a_row_do_not_overlap(heads, data):
    relations = data.draw(st.lists(st.text("lmW漢", min_size=1, max_size=15), min_size=len(heads), max_size=len(heads)))
    picture = ElementTree.fromstring(svg_arcs(relations[::-1], heads, relations))
    for size in (arc_svg._LABEL, arc_svg._WORD):
        found = sorted((y, x, text_width(text, size)) for x, y, text in texts_of(picture, size))
        for (row, left, width), (other, right, more) in pairwise(found):
            assert row != other or left + width / 2 <= right - more / 2 + 0.2


def test_words_are_told_to_those_who_do_not_see():
    picture = ElementTree.fromstring(svg_arcs(["<a>", '"b" & c'], [2, 0], ["x<y", "root"]))
    assert picture.get("role") == "img"
    assert picture[0].tag == f"{SVG}title"
    assert picture.find(f"{SVG}title").text == '<a> "b" & c'
    assert picture.find(f"{SVG}desc").text == '<a>: x<y of "b" & c; "b" & c: root'


def test_the_only_colour_is_that_of_the_text_around():
    text = svg_arcs(["a", "b"], [0, 1], ["root", "x"])
    assert set(re.findall(r'(?:fill|stroke|color)="([^"]*)"', text)) == {"currentColor", "none"}
    assert "style" not in text


def test_wide_characters_have_more_room():
    narrow, wide = (
        ElementTree.fromstring(svg_arcs([form] * 3, [0, 1, 2], ["x"] * 3)).get("viewBox").split()[2]
        for form in ("abcdef", "漢字漢字漢字")
    )
    assert int(narrow) * 1.3 < int(wide)


def test_labels_keep_clear_of_legs_that_cross_their_arc():
    picture = ElementTree.fromstring(svg_arcs(["a", "b", "c"], [3, 0, 2], ["over", "root", "right"]))
    place = next(x for x, _, text in texts_of(picture, arc_svg._LABEL) if text == "over")
    left, middle, right = (x for x, *_ in texts_of(picture, arc_svg._WORD))
    assert abs(place - middle) > arc_svg._BESIDE
    assert left < place < right


def test_pictures_of_small_and_large_sentences():
    assert list(ElementTree.fromstring(svg_arcs([], [], [])).iter(f"{SVG}text")) == []
    assert len(list(ElementTree.fromstring(svg_arcs(["a"], [0], ["root"])).iter(f"{SVG}path"))) == 2
    words = [f"w{at}" for at in range(200)]
    for heads in (range(200), [0] + [1] * 199, [*range(2, 201), 0]):
        picture = ElementTree.fromstring(svg_arcs(words, list(heads), words, tags=words))
        assert len(texts_of(picture, arc_svg._WORD)) == 200
