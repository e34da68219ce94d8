"""TableEncoder among other steps: its own bins, under the names of the user's columns."""

from __future__ import annotations

import warnings

import pandas as pd
from hypothesis import given
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

import gristmill as gm
from gristmill.estimators.encodings.machine import encoding_of
from tests.data.tables.table_strategies import as_dicts, as_pandas, tables
from tests.estimators.encodings.same_columns import assert_same_columns


@given(tables(), tables())
def test_a_table_encoder_alone_is_its_own_encoding(content, other):
    encoder = gm.TableEncoder(bins=4, min_frequency=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        encoder.fit(as_dicts(content))
    encoding, places = encoding_of([encoder])
    assert encoding == encoder.encoding_
    assert places.tolist() == list(range(encoder.starts_[-1]))


@given(tables())
def test_columns_in_another_order(content):
    table = as_pandas(content)
    reverse = ColumnTransformer([("all", gm.TableEncoder(bins=4, min_frequency=1), list(table)[::-1])])
    assert_same_columns(reverse.fit(table), table)


def test_columns_that_went_through_an_array_have_the_users_names():
    table = pd.DataFrame(
        {"b": [1.0, 2.0, 3.0], "day": pd.date_range("2024-01-01", periods=3, freq="40D"), "a": list("xyz")}
    )
    order = ColumnTransformer([("one", "passthrough", ["a"]), ("two", "passthrough", ["day", "b"])])
    step = make_pipeline(order, gm.TableEncoder(min_frequency=1)).fit(table)
    encoding, _ = encoding_of([step])
    assert [field.name for field in encoding.fields][:2] == ["b", "day: month"]
    assert encoding.feature_names[-4:] == ["a = x", "a = y", "a = z", "a = other"]
    assert_same_columns(step, table)
