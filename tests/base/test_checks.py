"""Checks of parameters."""

from __future__ import annotations

import pytest

from gristmill.base.checks import check_positive_int


@pytest.mark.parametrize("value", [0, -1, 1.0, True, "1", None, 2**63, 10**30])
def test_what_cannot_be_counted_to_is_no_positive_number(value):
    with pytest.raises(ValueError, match="beam must be a whole number"):
        check_positive_int("beam", value)


@pytest.mark.parametrize("value", [1, 2**63 - 1])
def test_numbers_from_1_on_are_positive(value):
    check_positive_int("beam", value)
