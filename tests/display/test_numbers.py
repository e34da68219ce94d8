"""Numbers and shares as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.display.numbers import number, percent, signed


@given(st.floats(-1e300, 1e300) | st.just(math.nan) | st.just(math.inf) | st.integers())
def test_numbers_are_read_back_as_what_they_were(value):
    read = float(number(value).replace("\u2212", "-").replace(",", ""))
    assert read == pytest.approx(float(value), rel=1e-3) or (math.isnan(read) and math.isnan(value))
    again = float(signed(value).replace("\u2212", "-"))
    assert again == pytest.approx(float(value), rel=1e-3) or (math.isnan(again) and math.isnan(value))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.5, "50"), (1, "100"), (0.99951, "99.95"), (1 - 1e-9, "99.9999999"), (1 / 3, "33.3"), (1.5, "150")],
)
def test_shares_are_written_in_percent_and_nearly_all_is_not_all(share, text):
    assert percent(share) == f"{text}\xa0%"  # at which no line ends


def test_a_share_that_is_no_number_is_a_dash():
    assert percent(math.nan) == "\u2013"
