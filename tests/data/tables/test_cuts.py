"""Cuts between bins of numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gristmill.data.tables.binning import equal_mass_bins
from gristmill.data.tables.cuts import LARGEST, are_whole, at_round_gaps, cuts_between, short_decimal
from gristmill.data.tables.words import number_words

STEPS = [Fraction(10) ** exponent for exponent in range(0, -20, -1)]
VALUES = st.lists(st.floats(allow_nan=False) | st.integers(-99, 99).map(float), min_size=2, max_size=60, unique=True)


def sorted_values(given_values):
    return np.unique(np.array(given_values) + 0.0)


@given(VALUES, st.integers(2, 8))
def test_cuts_lie_between_the_values_of_their_bins(given_values, bins):
    values = sorted_values(given_values)
    whole, starts = are_whole(values), equal_mass_bins(np.ones(len(values), dtype=int), bins)
    cuts = cuts_between(values, starts, whole)
    assert (values[starts[1:] - 1] <= cuts).all()
    assert (cuts < values[starts[1:]]).all()
    assert not whole or np.isinf(values).any() or (cuts == np.rint(cuts)).all()


@given(VALUES, st.integers(2, 8))
def test_words_differ(given_values, bins):
    values = sorted_values(given_values)
    whole, starts = are_whole(values), equal_mass_bins(np.ones(len(values), dtype=int), bins)
    words = number_words(values, starts, cuts_between(values, starts, whole), whole)
    assert len(words) == len(starts) == len(set(words))


@given(st.floats(1, 8.9), st.floats(1e-6, 1))
def test_no_decimal_of_fewer_digits_fits(low, width):
    high, middle = low + width, low + width / 2
    assume(low < middle < high)
    found = short_decimal(middle, low, high)
    assert low <= found <= high
    coarsest = next(step for step in STEPS if Fraction(high) // step * step >= Fraction(low))
    assert Fraction(repr(found)) % coarsest == 0


@given(st.lists(st.integers(0, 500), min_size=20, max_size=80, unique=True), st.integers(2, 6))
def test_rounder_starts_move_little_mass(given_values, bins):
    values, counts = sorted_values(given_values), np.arange(len(given_values)) % 5 + 1
    starts = equal_mass_bins(counts, bins)
    moved = at_round_gaps(values, counts, starts, True)
    assert moved[0] == 0
    assert (np.diff([*moved, len(values)]) > 0).all()
    before, after = (np.add.reduceat(counts, own) for own in (starts, moved))
    assert (after >= 0.75 * before - 1e-9).all()


@pytest.mark.parametrize(
    ("values", "starts", "words"),
    [
        ([-math.inf, 1, 2], [0, 1], ["-inf", "finite"]),
        ([1, 2, math.inf], [0, 2], ["finite", "inf"]),
        ([-math.inf, 1, 2, math.inf], [0, 1, 3], ["-inf", "finite", "inf"]),
        ([-math.inf, math.inf], [0, 1], ["-inf", "inf"]),
        ([-math.inf, 0.5, 1, 7.5, math.inf], [0, 1, 3, 4], ["-inf", "<= 4", "7.5", "inf"]),
    ],
)
def test_infinity_is_a_value_at_the_end(values, starts, words):
    values, starts = np.array(values, dtype=float), np.array(starts)
    whole = are_whole(values)
    cuts = cuts_between(values, starts, whole)
    assert list(number_words(values, starts, cuts, whole)) == words
    assert set(cuts[np.abs(cuts) > 1e300].tolist()) <= {-math.inf, LARGEST}


def test_a_bin_of_one_whole_number_holds_nothing_else():
    values = np.array([0.0, 100, 200, 300, 7298, 7500, 7600])
    assert cuts_between(values, np.array([0, 1, 4, 5]), True).tolist() == [0, 7297, 7298]


def test_numbers_between_two_bins_of_one_value_go_to_the_nearer():
    assert cuts_between(np.array([1.0, 2.0, 5.0]), np.array([0, 1, 2]), False).tolist() == [1.5, 4.0]


def test_names_of_fractions_are_short():
    values = np.unique(np.random.default_rng(0).normal(size=5000))
    counts = np.ones(len(values), dtype=int)
    starts = at_round_gaps(values, counts, equal_mass_bins(counts, 10), False)
    words = number_words(values, starts, cuts_between(values, starts, False), False)
    assert list(words[:2]) == ["<= -1.3", "-1.3 to -0.8"]
    assert max(map(len, words)) <= len("-0.85 to -0.55")
    sizes = np.diff([*starts, len(values)])
    assert sizes.min() > 350
    assert sizes.max() < 650
