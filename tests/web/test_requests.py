"""JSON as the server reads it: what Python's json gives, except what parsers read in different ways."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gristmill.web.limits import RefusedError
from gristmill.web.requests import dump, parse

NUMBERS = st.integers(-(10**400), 10**400) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)
TOKENS = ["{", "}", "[", "]", ",", ":", '"', '"a"', "1", "-", "1e999", "0.5", "\\", "\\ud83d", "\\ude00", "\\u0000"]
TOKENS += ["null", "NaN", "Infinity", "\ufeff", " ", "\n", "\x00", "é", "00", "1_0", "٣", "1" * 5000]


def same(one, other):
    """Equal, and of the same kinds: 1 is not True, nor 1.0, nor 0.0 -0.0."""
    return repr(one) == repr(other)


def read(body):
    """What is found, or why there is nothing."""
    try:
        return parse(body)
    except RefusedError as refusal:
        return refusal


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_values_are_those_of_json(value, escaped, indent):
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    assert same(parse(text.encode()), json.loads(text))
    assert same(json.loads(dump(value)), value)


@given(st.lists(st.sampled_from(TOKENS)).map("".join).map(str.encode) | st.binary())
@example(b'{"a": 1, "a": 1}')
@example(b'"\\ud83d\\ude00"')
@example(b'"\\ud83d"')
@example(b'{"\\ude00": []}')
@example(b"-1e999")
@example(b"[" * 100_000)
def test_anything_else_is_refused_and_nothing_more_than_json_is_taken(body):
    found = read(body)
    if isinstance(found, RefusedError):
        assert found.code == "bad_json"
        found.message.encode()
    else:
        assert same(found, json.loads(body.decode()))
        assert json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_answer_holds_what_json_has_not(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump([value])
