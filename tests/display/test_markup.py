"""Texts never become markup."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.display.markup import Html, element, joined, picture, printable, shortened, text_width
from tests.display.parsed_pages import Page

texts = st.text(st.characters(exclude_categories=[]), max_size=30) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "</td>",
        "&amp;",
        "a\x00b",
        "\ud800",
        '" onload="x',
        "'",
        "-->",
        "\u202ereversed",
        "\uffff",
    ]
)


@given(texts, texts)
def test_texts_and_attributes_are_read_as_they_were_written(text, title):
    page = Page(element("p", text, title=title, class_="x"))
    assert page.elements == [("p", {"title": printable(title), "class": "x"})]
    assert "".join(page.texts) == printable(text)


@given(texts, texts)
def test_what_is_written_is_also_xml(text, title):
    found = ElementTree.fromstring(element("text", text, data_name=title))
    assert (found.text or "") == printable(text)
    # XML reads white space in an attribute as spaces, whatever it was
    assert found.attrib["data-name"].split() == printable(title).split()


@given(texts)
def test_it_can_be_sent_as_utf8(text):
    assert element("p", text, title=text).encode().decode() == element("p", text, title=text)


def test_children_are_flattened_and_none_is_left_out():
    assert joined(["a", [None, element("b", 1)]], 2.5, Html("<i></i>")) == "a<b>1</b>2.5<i></i>"


@pytest.mark.parametrize("number", [np.int64(3), np.float64(3.0), np.float32(3.0)])
def test_numbers_of_arrays_are_text(number):
    assert element("b", number) == f"<b>{number}</b>"


def test_attributes_are_named_as_in_html():
    drawn = element("td", aria_label="a", class_="b", hidden=True, colspan=2, title=None, open=False)
    assert drawn == '<td aria-label="a" class="b" hidden colspan="2"></td>'


def test_an_element_may_have_an_attribute_called_name():
    assert element("meta", name="viewport") == '<meta name="viewport">'


@given(texts, st.integers(1, 20))
def test_shortened_texts_are_short_and_begin_alike(text, most):
    found = shortened(text, most)
    assert len(found) <= most
    assert found == text or (found.endswith("…") and text.startswith(found[:-1]))


@given(texts, texts)
def test_longer_texts_are_as_wide_as_their_parts(one, other):
    assert text_width(one + other, 10) == pytest.approx(text_width(one, 10) + text_width(other, 10))


def test_marks_above_letters_take_no_room_and_east_asian_characters_more():
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("石", 10) > text_width("M", 10) > text_width("m", 10)


def test_pictures_have_whole_sizes_and_the_attributes_they_are_given():
    found = picture("gm-tree", 10.2, 4, element("title", "a & b"), text_anchor="middle")
    assert found.startswith('<svg xmlns="http://www.w3.org/2000/svg" class="gm-tree" viewBox="0 0 11 4" width="11"')
    assert found.endswith(' text-anchor="middle" fill="currentColor"><title>a &amp; b</title></svg>')
