"""A page is one file: it fetches nothing, runs nothing but its own script, and can be walked through."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.display.document import document
from gristmill.display.markup import element
from gristmill.display.trees import svg_tree
from tests.display.parsed_pages import Page, addresses, assert_harmless


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


def test_only_the_script_of_the_page_runs():
    script = "document.title = 'a < b';"
    source = document("A page", "text", script=script)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{digest}&#x27;" in source
    assert f"<script>{script}</script>" in source
    assert addresses(source) == []


@pytest.mark.parametrize("script", ["'</script>'", "'</SCRIPT >'", "x <!-- y"])
def test_scripts_that_would_end_early_are_refused(script):
    with pytest.raises(ValueError, match="cannot hold"):
        document("A page", "text", script=script)


def test_the_first_link_skips_to_the_content():
    page = Page(document("A page", element("h1", "Hello")))
    assert page.all("a")[0]["href"] == "#content"
    assert page.all("main") == [{"id": "content", "tabindex": "-1"}]
