"""Curves and heat maps: each bin is there with its words, ends are where values say, texts are escaped."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gristmill.display.shapes import heat_map, step_curve

NUMBERS = st.floats(-1e6, 1e6)
SVG = "{http://www.w3.org/2000/svg}"


def svg_of(drawing):
    return ElementTree.fromstring(drawing.svg)


def boxes(svg):
    """Titles of rectangles, and where they are."""
    return [
        (box.find(f"{SVG}title").text, *(float(box.get(name)) for name in ("x", "y", "width", "height")))
        for box in svg.iter(f"{SVG}rect")
    ]


@example([2.225073858507203e-309], 0)  # its reciprocal is infinite
@given(st.lists(NUMBERS, min_size=1, max_size=40), st.integers(0, 40))
def test_each_bin_of_a_curve_is_inside_the_picture(values, ordered):
    ordered = min(ordered, len(values))
    words = [f"bin {at}" for at in range(len(values))]
    svg = svg_of(step_curve("a curve", words, ordered, values, [1.0] * len(values)))
    found = boxes(svg)
    width, height = float(svg.get("width")), float(svg.get("height"))
    assert len(found) == 2 * len(values)
    for _, x, y, wide, high in found:
        assert 0 <= x <= x + wide <= width
        assert -0.1 <= y <= y + high <= height
    lines = list(svg.iter(f"{SVG}polyline"))
    assert [len(line.get("points").split()) for line in lines] == ([2 * ordered] if ordered else [])


def test_bars_end_where_values_say():
    found = boxes(svg_of(step_curve("a curve", ["low", "high", "none"], 2, [-1.0, 2.0, 0.0])))
    assert [title for title, *_ in found] == ["low: \u22121", "high: +2", "none: 0"]
    (_, _, top_of_low, _, low), (_, _, top_of_high, _, high), (_, _, _, _, none) = found
    assert (low, high, none) == (50.0, 100.0, 0.0)
    assert top_of_high + high == top_of_low


def test_shares_of_rows_hang_below():
    svg = svg_of(step_curve("a curve", ["a", "b"], 2, [1.0, 1.0], [0.25, 0.75]))
    assert [title for title, *_ in boxes(svg)[2:]] == ["a: 25\u00a0% of rows", "b: 75\u00a0% of rows"]


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_a_heat_map_has_a_cell_for_each_pair(n_rows, n_columns, data):
    values = data.draw(
        st.lists(st.lists(NUMBERS, min_size=n_columns, max_size=n_columns), min_size=n_rows, max_size=n_rows)
    )
    rows, columns = [f"r{at}" for at in range(n_rows)], [f"c{at}" for at in range(n_columns)]
    svg = svg_of(heat_map("a map", rows, columns, values, ("one", "other")))
    titles = [title.split(":")[0] for title, *_ in boxes(svg)]
    assert titles == [f"one {row}, other {column}" for row in rows for column in columns]


def test_the_strongest_cells_have_the_strongest_colours():
    svg = svg_of(heat_map("a map", ["r"], ["a", "b", "c"], [[-2.0, 1.0, 0.0]], ("x", "y")))
    opacity = [float(box.get("fill-opacity")) for box in svg.iter(f"{SVG}rect")]
    assert opacity[0] == pytest.approx(2 * opacity[1], abs=2e-3)
    assert opacity[2] == 0
    assert len({box.get("fill") for box in svg.iter(f"{SVG}rect")}) == 2


def test_words_are_escaped_and_shortened():
    drawn = step_curve("<b>", ["<script>" * 9, "b"], 0, [1.0, 0.0]).figure()
    assert "<script>" not in drawn
    assert "<b>" not in drawn
    assert "…" in drawn
