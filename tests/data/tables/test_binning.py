"""Greedy bins of equal mass, against value by value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.data.tables.binning import equal_mass_bins
from tests.oracle import tables as oracle

COUNTS = st.lists(st.integers(1, 9) | st.integers(1, 400), min_size=1, max_size=60)


@given(COUNTS, st.integers(2, 12))
def test_bins_are_the_definition_s(counts, bins):
    found = equal_mass_bins(np.array(counts), bins).tolist()
    assert found == oracle.equal_mass_bins(counts, bins)


@given(COUNTS, st.integers(2, 12))
def test_few_bins_that_begin_with_the_first_value(counts, bins):
    found = equal_mass_bins(np.array(counts), bins)
    assert found[0] == 0
    assert (np.diff(found) > 0).all()
    assert min(2, len(counts)) <= len(found) <= bins


@given(st.lists(st.integers(1, 9), min_size=40, max_size=60), st.lists(st.integers(2, 38), max_size=3, unique=True))
def test_what_has_more_than_its_share_is_alone(counts, heavy):
    for value in heavy:
        counts[value] = 500
    starts = {*equal_mass_bins(np.array(counts), 8).tolist(), len(counts)}
    assert all({value, value + 1} <= starts for value in heavy)


def test_a_spike_of_most_values_leaves_the_other_bins_to_the_rest():
    starts = equal_mass_bins(np.array([9100, *[10] * 90]), 10)
    assert starts.tolist() == [0, 1, 11, 21, 31, 41, 51, 61, 71, 81]


@pytest.mark.parametrize("counts", [[1], [5, 5], [1] * 7])
def test_every_value_has_its_bin_where_there_are_few(counts):
    assert equal_mass_bins(np.array(counts), 7).tolist() == list(range(len(counts)))


def test_many_light_spikes_are_quick():
    starts = equal_mass_bins(np.tile([2, 1], 35_000), 65_000)
    assert 60_000 < len(starts) <= 65_000
