"""Tables and bars: what they hold, what they leave out, and that any name is harmless."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.display.contributions import bar_table
from gristmill.display.frames import card, fold, grid, note, scroll, tiles
from gristmill.display.numbers import number, percent, signed
from gristmill.display.tables import facts, listed, matrix, table
from tests.display.parsed_pages import Page, assert_harmless

names = st.text(max_size=12) | st.just("<img src=x onerror=alert(1)>")
lines = st.lists(st.tuples(names, st.floats(allow_nan=True, allow_infinity=True)), max_size=8)


def widths(drawn):
    return [float(found) for found in re.findall(r'style="width:([\d.]+)%"', drawn)]


# --- bars -------------------------------------------------------------------------------------------------------------


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


# --- tables -----------------------------------------------------------------------------------------------------------


@given(names, st.lists(st.tuples(names, st.integers(), st.floats()), max_size=5))
def test_tables_hold_all_cells_and_name_their_heads(caption, rows):
    page = assert_harmless(table(caption, ["name", "count", "share"], rows, numeric=[1, 2]))
    assert len(page.all("td")) == 2 * len(rows)
    assert [one["scope"] for one in page.all("th")] == ["col"] * 3 + ["row"] * len(rows)
    (region,) = page.all("div")
    assert region["tabindex"] == "0"
    assert region["role"] == "region"


def test_a_numeric_first_column_names_no_row():
    page = Page(table("Weights", ["weight", "name"], [[1.5, "a"]], numeric=[0]))
    assert len(page.all("th")) == 2


@given(names, st.lists(st.tuples(names, names | st.floats() | st.none()), max_size=5))
def test_facts_are_harmless(caption, pairs):
    assert len(assert_harmless(facts(caption, pairs)).all("tr")) == len(pairs)


@given(st.integers(0, 40), st.randoms(use_true_random=False))
def test_matrices_keep_every_example(classes, random):
    counts = [[random.randrange(5) for _ in range(classes)] for _ in range(classes)]
    drawn = matrix("Confusion", [f"<{name}>" for name in range(classes)], counts)
    page = assert_harmless(drawn)
    cells = re.findall(r'<td[^>]*class="gm-number[^>]*>([\d,]+)</td>', drawn)
    assert len(cells) == min(classes, 30) ** 2
    assert sum(int(cell.replace(",", "")) for cell in cells) == sum(map(sum, counts))
    assert ("others" in page.text) == (classes > 30)


def test_matrices_show_the_most_frequent_of_many_classes():
    counts = np.diag(np.arange(1, 41))
    drawn = matrix("Confusion", list(map(str, range(40))), counts)
    shown = re.findall(r'<th scope="row">([^<]*)</th>', drawn)
    assert shown == [*map(str, range(11, 40)), "11 others"]
    assert f"{sum(range(1, 12))}</td></tr></tbody>" in drawn


def test_cells_of_a_matrix_are_blue_on_the_diagonal_and_orange_beside_it():
    drawn = matrix("Confusion", ["a", "b"], [[3, 1], [0, 4]])
    assert re.findall(r"background:(#\w{6})", drawn) == ["#0072B2", "#D55E00", "#0072B2"]
    assert 'title="a taken for b: 25\xa0%"' in drawn


@given(st.lists(names, max_size=30))
def test_lists_of_names_tell_how_many_there_are_more(some):
    found = listed(some)
    assert len(found) < 1000
    assert found.endswith(f"and {len(some) - 10} more") == (len(some) > 10)


# --- frames and numbers -----------------------------------------------------------------------------------------------


@given(names)
def test_frames_are_harmless(text):
    parts = [scroll(text, text), card(text, text), note(text), tiles([(text, text)]), fold(text, text, opened=True)]
    page = assert_harmless(grid(parts))
    assert "open" in page.all("details")[0]


@given(st.floats(-1e300, 1e300) | st.just(math.nan) | st.just(math.inf) | st.integers())
def test_numbers_are_read_back_as_what_they_were(value):
    read = float(number(value).replace("\u2212", "-").replace(",", ""))
    assert read == pytest.approx(float(value), rel=1e-3) or (math.isnan(read) and math.isnan(value))
    again = float(signed(value).replace("\u2212", "-"))
    assert again == pytest.approx(float(value), rel=1e-3) or (math.isnan(again) and math.isnan(value))


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.5, "50"), (1, "100"), (0.99951, "99.95"), (1 - 1e-9, "99.9999999"), (1 / 3, "33.3"), (1.5, "150")],
)
def test_shares_are_told_in_percent_and_nearly_all_is_not_all(share, told):
    assert percent(share) == f"{told}\xa0%"  # at which no line ends


def test_a_share_that_is_no_number_is_a_dash():
    assert percent(math.nan) == "\u2013"
