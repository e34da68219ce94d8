"""A page is one file: it fetches nothing, runs nothing, and can be walked through."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from gristmill.display.markup import element
from gristmill.display.page import document, fold, grid, note, scroll, tiles
from gristmill.display.trees import svg_tree
from tests.display.parsed_pages import Page, assert_harmless


@given(st.text(max_size=30))
def test_pages_are_harmless_whatever_they_are_called(text):
    source = document(text, element("h1", text), description=text)
    page = assert_harmless(source)
    assert source.startswith('<!doctype html>\n<html lang="en">')
    assert [one for one, _ in page.elements].count("title") == 1


def test_the_policy_allows_nothing_from_outside():
    page = Page(document("A page", svg_tree(["a"], [-1])))
    (policy,) = [one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert "script-src" not in rules
    assert not re.search(r"https?:|\*|'self'", policy)


def test_the_first_link_skips_to_the_content():
    page = Page(document("A page", element("h1", "Hello")))
    assert page.all("a")[0]["href"] == "#content"
    assert page.all("main") == [{"id": "content", "tabindex": "-1"}]


@given(st.text(max_size=12))
def test_frames_are_harmless(text):
    parts = [scroll(text, text), note(text), tiles([(text, text)]), fold(text, text, opened=True)]
    page = assert_harmless(grid(parts))
    assert "open" in page.all("details")[0]
