"""OneHotEncoder as an encoding: with all of its options the columns are its own, or the table is refused as it does."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder

from gristmill.estimators.encodings.machine import encoding_of
from tests.estimators.encodings.same_columns import assert_same_columns, fitted, frames

OPTIONS = st.fixed_dictionaries(
    {
        "drop": st.sampled_from([None, "first", "if_binary"]),
        "handle_unknown": st.sampled_from(["error", "ignore", "infrequent_if_exist", "warn"]),
        "min_frequency": st.sampled_from([None, 2, 4, 0.3]),
        "max_categories": st.sampled_from([None, 1, 2, 3]),
        "sparse_output": st.booleans(),
    }
)


@given(frames(), OPTIONS)
def test_columns_are_those_of_the_encoder(tables, options):
    training, table = tables
    step = fitted(OneHotEncoder(**options), training)
    assert_same_columns(step, training)
    assert_same_columns(step, table)


@given(frames(kinds=("text", "whole"), missing=False), st.data())
def test_named_categories_may_be_dropped(tables, data):
    training, table = tables
    drop = [data.draw(st.sampled_from(training[name].tolist())) for name in training]
    assume(not any(isinstance(one, float) for one in drop))
    assert_same_columns(OneHotEncoder(drop=drop, handle_unknown="ignore").fit(training), table)


@given(frames(), st.booleans())
def test_arrays_without_names_are_read_by_place(tables, ignore):
    training, table = (frame.to_numpy(dtype=object) for frame in tables)
    step = OneHotEncoder(handle_unknown="ignore" if ignore else "error").fit(training)
    assert_same_columns(step, table)


def test_categories_that_are_given_keep_their_order():
    table = pd.DataFrame({"size": ["S", "L", "M", "XL"]})
    step = OneHotEncoder(categories=[["S", "M", "L"]], handle_unknown="ignore").fit(table)
    assert_same_columns(step, table)
    encoding, _ = encoding_of([step])
    assert encoding.feature_names == ["size = S", "size = M", "size = L", "size = other"]


def test_large_whole_numbers_are_exact():
    table = pd.DataFrame({"c": [2**62, 2**62 + 1, -(2**62)]})
    assert_same_columns(OneHotEncoder(handle_unknown="ignore").fit(table[:2]), table)


def test_words_tell_merged_unknown_and_missing_categories():
    table = pd.DataFrame({"c": ["a"] * 5 + ["b", "other"] + [np.nan] * 3})
    encoding, places = encoding_of([OneHotEncoder(min_frequency=2, handle_unknown="ignore").fit(table)])
    assert encoding.feature_names == ["c = a", "c = missing", "c = other", "c = (other)"]
    assert places.tolist() == [0, 1, 2]
    shown = pd.DataFrame({"c": ["b", "boat", None, "a"]})
    assert encoding.codes(shown)[:, 0].tolist() == [2, 3, 1, 0]


def test_booleans_and_numbers_are_equal_as_in_sklearn():
    flags = OneHotEncoder(handle_unknown="ignore").fit(pd.DataFrame({"c": [True, False]}))
    numbers = OneHotEncoder(handle_unknown="ignore").fit(pd.DataFrame({"c": [0, 1, 2]}))
    for step in (flags, numbers):
        for cells in ([1, 0, 2], [True, False, True], [1.0, 0.0, 0.5]):
            assert_same_columns(step, pd.DataFrame({"c": cells}))


def test_an_unknown_category_is_refused_where_the_encoder_refuses_it():
    encoding, _ = encoding_of([OneHotEncoder().fit(pd.DataFrame({"c": ["a", "b"]}))])
    with pytest.raises(ValueError, match=re.escape("column 'c', row 1: got 'boat', which training did not have")):
        encoding.codes([{"c": "a"}, {"c": "boat"}])
    with pytest.raises(ValueError, match="row 0: got a missing value"):
        encoding.codes([{"c": None}])


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([None, np.nan, "a"], "categories of column 'c' have the same text"),
        ([b"a", b"b"], "has a category b'a' of type bytes"),
        ([2.0**53, 0.5], "of type float"),
    ],
)
def test_categories_that_no_text_tells_apart_are_refused(cells, message):
    step = OneHotEncoder().fit(pd.DataFrame({"c": pd.Series(cells, dtype=object if message else None)}))
    with pytest.raises(ValueError, match=message):
        encoding_of([step])
