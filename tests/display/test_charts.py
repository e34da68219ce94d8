"""Charts: any name, any numbers, the same bytes; and words for those who do not see them."""

from __future__ import annotations

import base64
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from gristmill.display.charts import STYLES, Plot, figure, svg
from tests.display.parsed_pages import assert_harmless

pytest.importorskip("matplotlib")

ODD = ["_hidden", "$a$", "<b>", "石臼", "", "\x00", "a" * 80]


def curve(name="one", **more):
    return Plot("roc", "A curve", "x", "y", {name: [(0.0, 0.0), (0.5, 0.8), (1.0, 1.0)]}, **more)


@pytest.mark.parametrize("name", ODD)
def test_any_name_is_text_in_the_chart(name):
    one = Plot("a", name, name, name, {name: [(0, 1), (1, 2)], f"{name} again": [(0, 2), (1, 3)]})
    root = ElementTree.fromstring(svg(one).encode())
    texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(name.replace("\x00", "\ufffd") in text for text in texts)
    assert_harmless(figure(one))


@pytest.mark.parametrize("style", STYLES)
def test_every_style_is_drawn_with_the_same_bytes(style):
    one = curve(styles={"one": style})
    assert svg(one) == svg(one)
    assert svg(one) != svg(curve(styles={"one": next(other for other in STYLES if other != style)}))


def test_an_unknown_style_is_refused():
    with pytest.raises(ValueError, match="'one': a series is drawn as one of marked, line"):
        curve(styles={"one": "pie"})


def test_series_without_points_can_be_drawn():
    empty = Plot("a", "t", "x", "y", {"none": [], "bars": []}, styles={"bars": "points"})
    assert empty.alt == "y against x: none without points; bars without points."
    ElementTree.fromstring(svg(empty).encode())


def test_a_figure_has_its_picture_inside_and_its_words_beside_it():
    page = assert_harmless(figure(curve()))
    (image,) = page.all("img")
    kind, _, data = image["src"].partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == svg(curve())
    assert image["alt"] == "y against x: one from 0 at 0 to 1 at 1."
    assert page.text == "A curve"


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e9])
@pytest.mark.parametrize("log", [False, True])
def test_axes_have_plain_numbers(scale, log):
    drawn = svg(Plot("t", "t", "x", "y", {"a": [(scale, scale), (100 * scale, 50 * scale)]}, log_x=log, log_y=log))
    assert "mathdefault" not in drawn
    assert "$" not in drawn


def test_bars_are_told_by_their_highest():
    text = Plot("h", "t", "score", "rows", {"a": [(0, 3), (1, 9), (2, 0)]}, styles={"a": "bars"}).alt
    assert text == "rows against score: a from 0 to 2, highest 9 at 1."


def test_the_settings_of_others_are_left_alone():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    svg(curve(log_x=True, log_y=True, diagonal=False))
    assert dict(mpl.rcParams) == before


def test_matplotlib_is_imported_when_something_is_drawn():
    program = "import sys, gristmill.display.charts; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'gristmill\[report\]'"):
        svg(curve())
