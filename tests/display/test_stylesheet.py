"""Colours can be read by day, by night, in notebooks and on tinted ground."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.display import stylesheet

DECLARED = re.compile(r"--gm-([a-z-]+):\s*(#[0-9a-f]{6});")
TEXTS = ["text", "muted", "link", "for-text", "against-text", "error"]
SHAPES = ["edge", "focus", "for", "against"]
GROUNDS = ["paper", "raised"]
WHITE, NIGHT = "#ffffff", "#111111"  # pages of notebooks


def colours(name):
    """Of the light page, and of the dark one, which changes some of them."""
    light, _, dark = stylesheet.colours().partition("@media")
    found = dict(DECLARED.findall(light))
    return found | dict(DECLARED.findall(dark)) if name == "dark" else found


def channels(colour):
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def luminance(colour):
    """Of a colour in sRGB, as WCAG defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def over(colour, share, ground):
    """What is seen of so much of a colour on some ground."""
    mixed = (share * a + (1 - share) * b for a, b in zip(channels(colour), channels(ground), strict=True))
    return "#" + "".join(f"{round(255 * one):02x}" for one in mixed)


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXTS)
def test_text_stands_out(name, text, ground):
    assert contrast(colours(name)[text], colours(name)[ground]) >= 4.5


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_bars_edges_and_the_focus_stand_out(name, shape, ground):
    assert contrast(colours(name)[shape], colours(name)[ground]) >= 3


@given(st.sampled_from(["light", "dark"]), st.sampled_from(GROUNDS), st.floats(-1, 1))
def test_text_on_tinted_ground_can_be_read(name, ground, share):
    known = colours(name)
    assert contrast(known["text"], _tinted(share, known[ground])) >= 4.5


@pytest.mark.parametrize(("text", "ground"), [("#000000", WHITE), ("#eeeeee", NIGHT)])
@pytest.mark.parametrize("share", [-1.0, 0.0, 1.0])
def test_text_in_notebooks_can_be_read(text, ground, share):
    muted = (
        int(re.search(r"--gm-muted: color-mix\(in srgb, currentColor (\d+)%", stylesheet.notebook_stylesheet())[1])
        / 100
    )
    assert contrast(over(text, muted, ground), ground) >= 4.5
    assert contrast(text, _tinted(share, ground)) >= 4.5
    assert contrast(stylesheet.tone(share), ground) >= 3


def _tinted(share, ground):
    drawn = stylesheet.tint(share)
    return over(drawn[:7], int(drawn[7:], 16) / 255, ground)


def test_bars_have_the_colours_of_tints():
    for sheet in (stylesheet.stylesheet(), stylesheet.notebook_stylesheet()):
        assert {stylesheet.FOR.lower(), stylesheet.AGAINST.lower()} <= set(
            re.findall(r"--gm-(?:for|against): (#\w+)", sheet)
        )


@pytest.mark.parametrize("share", [float("nan"), float("inf"), -7.0])
def test_shares_beyond_all_bounds_have_a_colour(share):
    assert re.fullmatch(r"#[0-9A-F]{8}", stylesheet.tint(share))
    assert 0 <= stylesheet.strength(share) <= stylesheet.STRONGEST


@pytest.mark.parametrize("sheet", [stylesheet.stylesheet, stylesheet.notebook_stylesheet])
def test_every_variable_is_declared_and_every_bracket_closed(sheet):
    text = sheet()
    declared = set(re.findall(r"(--gm-[a-z-]+):", text))
    assert set(re.findall(r"var\((--gm-[a-z-]+)\)", text)) <= declared
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize("sheet", [stylesheet.stylesheet, stylesheet.notebook_stylesheet, stylesheet.colours])
def test_nothing_is_fetched(sheet):
    assert not re.search(r"url\(|@import|</style|https?:", sheet())


def test_notebooks_keep_the_style_to_parts_of_ours():
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/|@media[^{]*\{", "", stylesheet.notebook_stylesheet()))
    assert selectors
    assert all(one.strip().startswith(".gm-") for group in selectors for one in group.split(","))


def test_paper_is_light_whatever_the_screen_is():
    assert "@media screen and (prefers-color-scheme: dark)" in stylesheet.colours()
