"""Steps that put others together: their columns, in their order, are those of the encoding."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_selection import SelectKBest, VarianceThreshold, chi2
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, KBinsDiscretizer, OneHotEncoder, StandardScaler

import gristmill as gm
from gristmill.estimators.encodings.machine import encoding_of
from tests.estimators.encodings.same_columns import assert_same_columns, fitted, frames

TABLE = pd.DataFrame(
    {
        "age": [20.0, 31.0, np.nan, 55.0, 42.0, 42.0],
        "housing": ["own", "rent", "own", np.nan, "free", "own"],
        "member": [True, False, False, True, True, False],
        "unused": pd.to_timedelta([1] * 6, "D"),
        "joined": pd.date_range("2024-01-01", periods=6, freq="20D"),
    }
)
OTHERS = TABLE.assign(housing=["boat", "own", None, "free", "own", "rent"], age=[1.0, 99.0, 31.0, 20.0, np.nan, 42.0])
AGES = make_pipeline(SimpleImputer(), KBinsDiscretizer(3, encode="onehot", quantile_method="linear"))
HOUSING = OneHotEncoder(handle_unknown="ignore")


@pytest.mark.parametrize(
    "columns",
    [
        [("a", HOUSING, ["housing"]), ("b", AGES, ["age"])],
        [("a", AGES, [0]), ("b", HOUSING, slice(1, 2)), ("c", "passthrough", [False, False, True, False, False])],
        [("a", HOUSING, make_column_selector(pattern="hous")), ("b", "drop", ["age"]), ("c", HOUSING, [])],
        [("a", gm.TableEncoder(bins=3, min_frequency=1), ["joined", "housing", "age"]), ("b", HOUSING, ["housing"])],
        [("a", AGES, ["age"]), ("b", make_pipeline(SimpleImputer(), Binarizer(threshold=40)), ["age"])],
    ],
    ids=["named", "by place", "selected", "tables", "twice"],
)
def test_columns_of_a_column_transformer(columns):
    step = fitted(ColumnTransformer(columns), TABLE)
    assert_same_columns(step, TABLE, binarize=0.0)
    assert_same_columns(step, OTHERS, binarize=0.0)


def test_columns_that_are_not_used_may_be_of_any_type_or_absent():
    step = fitted(ColumnTransformer([("a", HOUSING, ["housing"])], remainder="drop"), TABLE)
    encoding, _ = encoding_of([step])
    codes = encoding.codes(TABLE)
    assert np.array_equal(codes, encoding.codes(TABLE[["housing"]]))
    assert np.array_equal(codes[:2], encoding.codes([{"housing": "own", "unused": object()}, {"housing": "rent"}]))
    assert np.array_equal(type(encoding).from_spec(encoding.to_spec()).codes(TABLE), codes)


def test_the_remainder_passes_through():
    table = TABLE[["housing", "member"]]
    assert_same_columns(fitted(ColumnTransformer([("a", HOUSING, ["housing"])], remainder="passthrough"), table), table)


@given(frames(kinds=("text", "whole"), missing=False), st.integers(1, 3))
def test_unions_pipelines_and_selection(tables, k):
    training, table = tables
    step = make_pipeline(ColumnTransformer([("all", HOUSING, list(training))]), VarianceThreshold())
    y = np.arange(len(training)) % 2
    constant = all(training[name].nunique() < 2 for name in training)
    if not constant:
        assert_same_columns(fitted(step, training), table)
        chosen = make_pipeline(HOUSING, None, "passthrough", SelectKBest(chi2, k=k))
        assert_same_columns(fitted(chosen, training, y), table)


@given(frames(kinds=("number", "whole"), missing=False))
def test_a_union_may_make_several_fields_of_a_column(tables):
    training, table = tables
    both = FeatureUnion([("one", HOUSING), ("same", FunctionTransformer()), ("off", "drop"), ("above", Binarizer())])
    assert_same_columns(fitted(both, training), table, binarize=0.5)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (StandardScaler(), "cannot hold this StandardScaler: it is none of the transformers that give bins"),
        (FunctionTransformer(np.sign), "it calls a function. Apply it to the table before"),
        (make_pipeline(OneHotEncoder(sparse_output=False), OneHotEncoder()), "it takes what an encoder made"),
        (FeatureUnion([("a", HOUSING)], transformer_weights={"a": 2.0}), "transformer_weights"),
        (ColumnTransformer([("a", HOUSING, ["x"])], transformer_weights={"a": 2.0}), "transformer_weights"),
        (
            make_pipeline(HOUSING, FeatureUnion([("a", "passthrough"), ("b", "passthrough")])),
            "comes to the estimator twice",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else None,
)
def test_what_gives_no_bins_is_refused_by_name(step, message):
    with pytest.raises(ValueError, match=message):
        encoding_of([fitted(step, pd.DataFrame({"x": [1.0, 2.0]}))])


def test_a_frozen_transformer_is_the_one_inside():
    table = TABLE[["housing"]]
    assert_same_columns(
        make_pipeline(FrozenEstimator(HOUSING.fit(table)), VarianceThreshold()).fit(table), OTHERS[["housing"]]
    )


@given(frames(missing=False), st.sampled_from(["pandas", "polars"]))
def test_frames_of_polars_and_frames_between_steps(tables, output):
    training, table = (pl.DataFrame(frame.to_dict("list")) for frame in tables)
    inner = ColumnTransformer([("all", OneHotEncoder(handle_unknown="ignore", sparse_output=False), list(tables[0]))])
    step = make_pipeline(inner, VarianceThreshold(threshold=-0.0)).set_output(transform=output)
    if any(len(set(column)) > 1 for column in training.iter_columns()):
        fitted(step, training)
        assert_same_columns(step, table)
        assert_same_columns(step, training)


def test_a_derived_class_may_do_anything_and_is_refused():
    class MyEncoder(OneHotEncoder):
        pass

    with pytest.raises(ValueError, match="cannot hold this MyEncoder"):
        encoding_of([fitted(MyEncoder(), TABLE[["housing"]])])
