"""SimpleImputer in front of an encoder: missing values are in the bin of what fills them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, KBinsDiscretizer, OneHotEncoder

import gristmill as gm
from gristmill.estimators.encodings.machine import encoding_of
from tests.estimators.encodings.same_columns import assert_same_columns, fitted, frames


@given(frames(kinds=("text",)), st.sampled_from(["error", "ignore"]), st.sampled_from(["a", "none", None]))
def test_categories(tables, handle_unknown, value):
    training, table = (frame.astype(object) for frame in tables)
    imputer = SimpleImputer(strategy="constant" if value else "most_frequent", fill_value=value)
    step = fitted(make_pipeline(imputer, OneHotEncoder(handle_unknown=handle_unknown)), training)
    assert_same_columns(step, table)


@given(frames(kinds=("number", "whole")), st.sampled_from(["mean", "median", "most_frequent", "constant"]))
def test_numbers(tables, strategy):
    training, table = (frame.astype(float) for frame in tables)  # the imputer refuses whole numbers then
    for last in (KBinsDiscretizer(3, encode="onehot", quantile_method="linear"), Binarizer(threshold=0.3)):
        assert_same_columns(fitted(make_pipeline(SimpleImputer(strategy=strategy), last), training), table)


@pytest.mark.parametrize("keep", [True, False])
def test_columns_without_any_value_are_left_out_or_filled(keep):
    table = pd.DataFrame({"x": [1.0, np.nan], "empty": [np.nan, np.nan], "y": [np.nan, 2.0]})
    step = fitted(make_pipeline(SimpleImputer(keep_empty_features=keep), Binarizer()), table)
    assert_same_columns(step, table)
    assert_same_columns(step, table.fillna(3.0))


def test_of_two_imputers_the_first_fills():
    table = pd.DataFrame({"c": ["a", "b", np.nan]}, dtype=object)
    first, second = (SimpleImputer(strategy="constant", fill_value=value) for value in ("a", "b"))
    assert_same_columns(make_pipeline(first, second, OneHotEncoder()).fit(table), table)


def test_behind_an_encoder_there_is_nothing_to_fill():
    table = pd.DataFrame({"c": ["a", "b", np.nan]})
    assert_same_columns(make_pipeline(OneHotEncoder(), SimpleImputer(strategy="most_frequent")).fit(table), table)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing_values": -1}, "takes -1 for missing"),
        ({"add_indicator": True}, "adds indicators"),
    ],
)
def test_other_options_are_refused(options, message):
    step = make_pipeline(SimpleImputer(**options), Binarizer()).fit(pd.DataFrame({"x": [1.0, -1.0]}))
    with pytest.raises(ValueError, match=f"cannot hold this SimpleImputer: it {message}"):
        encoding_of([step])


def test_a_table_encoder_wants_to_see_missing_values():
    step = fitted(make_pipeline(SimpleImputer(), gm.TableEncoder()), pd.DataFrame({"x": [1.0, np.nan]}))
    with pytest.raises(ValueError, match="Let the TableEncoder see them"):
        encoding_of([step])
