"""Bars in tables: their lengths and sides, and that any name is harmless."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from gristmill.display.contributions import bar_table
from tests.display.parsed_pages import Page, assert_harmless

names = st.text(max_size=12) | st.just("<img src=x onerror=alert(1)>")
lines = st.lists(st.tuples(names, st.floats(allow_nan=True, allow_infinity=True)), max_size=8)


def widths(drawn):
    return [float(found) for found in re.findall(r'style="width:([\d.]+)%"', drawn)]


@given(names, lines)
def test_bars_are_harmless_and_within_their_column(caption, some):
    page = assert_harmless(drawn := bar_table(caption, some))
    two_sided = any(value < 0 for _, value in some)
    assert len(widths(drawn)) == len(some)
    assert all(0 <= width <= (50 if two_sided else 100) for width in widths(drawn))
    assert len(page.all("tr")) == 1 + len(some)


def test_the_largest_has_the_longest_bar_and_signs_have_sides():
    drawn = bar_table("Why", [("a", 2.0), ("b", -1.0), ("c", 0.5)])
    assert widths(drawn) == [50.0, 25.0, 12.5]
    sides = [one["class"] for one in Page(drawn).all("span")]
    assert sides == ["gm-bar gm-for", "gm-bar gm-against", "gm-bar gm-for"]
    assert "+2" in drawn
    assert "\u22121" in drawn


def test_where_nothing_takes_bars_begin_at_the_left():
    drawn = bar_table("What matters", [("a", 2.0), ("b", 1.0)])
    assert "gm-one-sided" in drawn
    assert widths(drawn) == [100.0, 50.0]
    assert "+" not in Page(drawn).text


def test_first_and_last_lines_have_no_bar():
    drawn = bar_table("Why", [("a", 1.0)], first=("baseline", -0.5), last=("score", 0.5))
    assert len(widths(drawn)) == 1
    assert Page(drawn).text.split()[-2:] == ["score", "0.5"]


def test_no_lines_and_zeros_can_be_drawn():
    assert widths(bar_table("Why", [])) == []
    assert widths(bar_table("Why", [("a", 0.0)])) == [0.0]
