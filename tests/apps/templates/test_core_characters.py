"""Types and lower case of characters: those of Unicode, for every character there is."""

from __future__ import annotations

import contextlib
import io
import re
import unicodedata
from pathlib import Path

import pytest

from gristmill.apps.templates import View
from tests.oracle import templates as oracle

(TABLE,) = (Path(__file__).parents[3] / "core").rglob("character_ranges.hpp")
VERSION = re.search(r"Unicode ([0-9.]+)\.", TABLE.read_text())[1]
CHARACTERS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]

same_unicode = pytest.mark.skipif(
    unicodedata.unidata_version != VERSION,
    reason=f"the table was made from Unicode {VERSION}, not Python's own",
)


def is_assigned(character):
    return unicodedata.category(character) not in ("Cn", "Co")


@same_unicode
def test_the_type_of_every_character_is_that_of_its_category_and_script():
    known = [c for c in CHARACTERS if is_assigned(c)]
    (found,) = View("shape").values("".join(known))
    expected = oracle.shape(known)
    assert [(c, a, b) for c, a, b in zip(known, found, expected, strict=True) if a != b] == []


@same_unicode
def test_a_character_that_unicode_does_not_know_is_like_the_last_one_before_it():
    """But for its case."""
    last, expected = "", []
    for c in CHARACTERS[:0x20000]:
        if is_assigned(c):
            last = c
        else:
            expected.append((c, last))
    like = {last: oracle.type_of(last) for _, last in expected}
    (found,) = View("shape").values("".join(c for c, _ in expected))
    assert found.lower() == "".join(c if like[last] == "S" else like[last] for c, last in expected).lower()


@same_unicode
def test_the_lower_case_of_every_character_is_pythons_where_that_is_one_character():
    (found,) = View(lower=True).values("".join(CHARACTERS))
    expected = [oracle.lower(c) for c in CHARACTERS]
    assert [(c, a, b) for c, a, b in zip(CHARACTERS, found, expected, strict=True) if a != b] == []


@same_unicode
def test_the_table_is_what_its_tool_makes():
    tool = pytest.importorskip("tools.character_ranges")
    with contextlib.redirect_stdout(io.StringIO()) as made:
        tool.main()
    assert made.getvalue() == TABLE.read_text()


@pytest.mark.parametrize(
    ("view", "cell", "expected"),
    [
        ("shape", "McDonald's", "XxXxxxxx'x"),
        ("brief", "McDonald's", "XxXx'x"),
        ("brief", "1,000--aA", "d,d-xX"),
        ("type", "McDonald's", "XxXxSx"),
        ("shape", "第3回 ﾃｽﾄ", "CdC_KKK"),
        ("type", "東京タワーへ行く", "CKHCH"),
        ("type", "ไทย한국", "TG"),
        ("shape", "", ""),
        ("type", "--", "S"),
        ("type", "e\u0301t", "xLx"),
    ],
)
def test_shapes_and_types_of_words(view, cell, expected):
    assert View(view).values(cell) == [expected]


@pytest.mark.parametrize(
    ("cell", "expected"), [("ÀÉ", "àé"), ("İI", "İi"), ("ŽΣ", "ž\u03c3"), ("ẞ", "ß"), ("Ǆǅ", "ǆǆ")]
)
def test_lower_case_goes_character_by_character(cell, expected):
    assert View(lower=True).values(cell) == [expected]
