"""Rows without each of their features."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gristmill.explanations.ablation import ablated_rows

any_row = st.dictionaries(st.integers(0, 30), st.sampled_from([1.0, 0.5, -2.0]), max_size=8)


@given(any_row)
def test_each_row_lacks_one_feature(row):
    features = sorted(row)
    values = [row[feature] for feature in features]
    rows = ablated_rows(features, values, 31)
    expected = np.zeros((len(features), 31))
    expected[:, features] = values
    expected[np.arange(len(features)), features] = 0
    np.testing.assert_array_equal(rows.to_csr().toarray(), expected)


def test_rows_of_ones_are_binary():
    assert ablated_rows([1, 4], [1.0, 1.0], 5).is_binary
    assert ablated_rows([1], [0.5], 5).is_binary  # nothing is left of it
    assert not ablated_rows([1, 4], [1.0, 0.5], 5).is_binary
