"""Tables: what they hold, what they leave out, and that any name is harmless."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gristmill.display.tables import facts, listed, matrix, table
from tests.display.parsed_pages import Page, assert_harmless

names = st.text(max_size=12) | st.just("<img src=x onerror=alert(1)>")


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
