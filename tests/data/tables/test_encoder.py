"""TableEncoder: scikit-learn's habits, and states."""

from __future__ import annotations

import io
import json
import pickle
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm
from gristmill.data.formats.delimited import MISSING, parse_delimited
from gristmill.data.tables.encoding import Encoding
from gristmill.data.tables.learning import Settings
from tests.data.tables import table_strategies as forms
from tests.data.tables.table_strategies import SETTINGS, TRAINING, encoder_of


@parametrize_with_checks([gm.TableEncoder(), gm.TableEncoder(sparse_output=False)])
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


# --- state ------------------------------------------------------------------------------------------------------------


@given(forms.tables(), SETTINGS)
def test_states_are_json_and_come_back(table, settings):
    encoder, rows = encoder_of(table, **settings), forms.as_dicts(table)
    spec = json.loads(json.dumps(encoder.to_spec(), allow_nan=False))
    for again in (gm.TableEncoder.from_spec(spec), pickle.loads(pickle.dumps(encoder)), clone(encoder).fit(rows)):
        assert again.to_spec() == encoder.to_spec() == spec
        assert again.get_params() == encoder.get_params()
        assert np.array_equal(again.codes(rows), encoder.codes(rows))
        assert again.n_features_in_ == encoder.n_features_in_
        assert again.feature_names_in_.tolist() == encoder.feature_names_in_.tolist()
    assert np.array_equal(Encoding.from_spec(spec).codes(rows), encoder.codes(rows))


def test_parameters_of_numpy_s_types_are_json_too():
    encoder = gm.TableEncoder(np.int64(3), min_frequency=np.int8(1), kinds={"x0": [np.int64(2), date(2024, 5, 1)]})
    spec = json.loads(json.dumps(encoder.fit([[2], [date(2024, 5, 1)]]).to_spec()))
    again = gm.TableEncoder.from_spec(spec)
    assert again.get_params() == {
        "bins": 3,
        "min_frequency": 1,
        "kinds": {"x0": ["2", "2024-05-01"]},
        "sparse_output": True,
    }
    assert again.fit([[2], [date(2024, 5, 1)]]).fields_ == encoder.fields_


def test_cells_are_read_as_in_the_file_of_training():
    rows = [{"size": size, "price": price} for size, price in [("S", 1), (None, 2), ("M", None)] * 5]
    known = gm.TableEncoder(min_frequency=1).fit(rows).encoding_
    read = Encoding.from_spec(json.loads(json.dumps(replace(known, missing=("", "?")).to_spec())))
    cells = [{"size": " S", "price": "1 "}, {"size": "?", "price": " ?"}, {"size": "\tM ", "price": 2}]
    same = [{"size": "S", "price": 1}, {"size": None, "price": None}, {"size": "M", "price": 2}]
    assert np.array_equal(read.codes(cells), known.codes(same))
    assert not read.unseen(cells).any()
    assert known.unseen([{"size": " S", "price": 1}]).tolist() == [[True, False]]
    ordered = pd.DataFrame({"size": pd.Categorical([" S", "?", "M"], ordered=True), "price": [1, None, 2]})
    assert np.array_equal(read.codes(ordered), known.codes(same))


NUMBERS, BOOLEANS, TEXTS = ["007", "7.0", "1e3", "-0", "12", "?"], ["true", "FALSE", "True", "?"], ["x", "007", "?"]


@given(
    st.sampled_from([NUMBERS, BOOLEANS, TEXTS]).flatmap(lambda cells: st.lists(st.sampled_from(cells), min_size=1)),
    st.sampled_from([None, "category", "number"]),
)
def test_frames_are_read_as_the_file_however_pandas_reads_it(cells, kind):
    text = "\n".join(["a,b", *(f"{cell},1" for cell in cells)])
    table = parse_delimited(text.encode())
    assume(kind != "number" or table.read(0).kind != "category")
    known = Encoding.learn(table, Settings(32, 1), {} if kind is None else {"a": kind})
    read = replace(known, missing=MISSING, kinds=tuple(table.read(at).kind for at in range(2)))
    assert Encoding.from_spec(json.loads(json.dumps(read.to_spec()))) == read
    for how in ({}, {"na_values": ["?"]}, {"dtype": str, "keep_default_na": False}):
        frame = pd.read_csv(io.StringIO(text), **how)
        assert np.array_equal(read.codes(frame), known.codes(table))
        assert not read.unseen(frame).any()


def damaged(spec):
    """States with one thing changed that makes codes without bins, or none at all."""
    number, category = spec["coders"][0], spec["coders"][1]
    changes = [
        (spec, "version", 2),
        (spec, "names", ["a"]),
        (spec, "names", ["a", "a"]),
        (spec, "coders", []),
        (spec, "kinds", ["number"]),
        (spec, "parameters", {"bins": 0}),
        (spec, "parameters", {"bons": 7}),
        (number, "coder", "magic"),
        (number, "edges", [1.5]),
        (number, "edges", [2.0, 1.0]),
        (number, "edges", [1.0, 2.0]),
        (number, "edges", ["nan", "inf"]),
        (number, "default", 9),
        (number["field"], "bins", ["1"]),
        (number["field"], "bins", ["1", "1"]),
        (number["field"], "missing", 7),
        (number["field"], "n_ordered", -1),
        (number["field"], "kind", "colour"),
        (category, "bin_of", {"x": 7}),
        (category, "bin_of", {"x": "y"}),
        (category, "bin_of", 3),
        (category, "rare", None),
        (category["field"], "other", "x"),
        (spec, "counts", 3),
        (spec, "missing", 7),
        (spec, "counts", [[1]]),
        (spec, "counts", [[-1] * len(own) for own in spec["counts"]]),
        (spec, "counts", [["x"] * len(own) for own in spec["counts"]]),
    ]
    for place, key, value in changes:
        before, place[key] = place.get(key), value
        yield json.loads(json.dumps(spec))
        place[key] = before


@given(forms.tables(), SETTINGS)
def test_rows_of_training_are_counted_by_their_bins(table, settings):
    encoder, rows = encoder_of(table, **settings), forms.as_dicts(table)
    codes = encoder.codes(rows)
    for at, (counts, own) in enumerate(zip(encoder.encoding_.counts, encoder.fields_, strict=True)):
        assert counts.tolist() == np.bincount(codes[:, at], minlength=len(own.bins)).tolist()


def test_states_without_counts_are_read():
    spec = gm.TableEncoder().fit(TRAINING).to_spec()
    del spec["counts"]
    again = gm.TableEncoder.from_spec(spec)
    assert again.encoding_.counts is None
    assert again.to_spec() == spec


def test_damaged_states_are_refused():
    encoder = gm.TableEncoder(min_frequency=1).fit(TRAINING)
    spec = encoder.to_spec() | {"missing": None}
    for changed in damaged(spec):
        with pytest.raises(ValueError, match=r"state of a table encoder|parameters|bins must be"):
            gm.TableEncoder.from_spec(changed)
    with pytest.raises(ValueError, match="expected the state of a table encoder"):
        gm.TableEncoder.from_spec([])


# --- scikit-learn -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse_output", [True, False])
def test_output_as_frames(sparse_output):
    encoder = gm.TableEncoder(min_frequency=1, sparse_output=sparse_output)
    index = TRAINING.set_index([["r", "s"]])
    expected = encoder.fit(index).transform(index)
    names = ["a = 1", "a = 2", "b = x", "b = other", "b = missing"]
    found = encoder.set_output(transform="pandas").fit_transform(index)
    assert found.columns.tolist() == names
    assert found.index.tolist() == ["r", "s"]
    assert np.array_equal(found.to_numpy(), expected.toarray() if sparse_output else expected)
    found = encoder.set_output(transform="polars").fit_transform(index)
    assert isinstance(found, pl.DataFrame)
    assert found.columns == names
    assert sp.issparse(encoder.set_output(transform="default").transform(index)) == sparse_output


def test_in_a_column_transformer():
    whole = ColumnTransformer([("table", gm.TableEncoder(min_frequency=1), ["b", "a"])], remainder="drop")
    made = make_pipeline(whole, gm.OnlineKernelClassifier()).fit(TRAINING, [0, 1])
    assert made.predict(TRAINING).tolist() == [0, 1]
    assert made[:-1].get_feature_names_out()[-1] == "table__a = 2"


def test_names_that_do_not_fit_are_refused():
    encoder = gm.TableEncoder().fit(TRAINING)
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        encoder.get_feature_names_out(["a", "c"])
    encoder.fit([[1, 2]])
    assert not hasattr(encoder, "feature_names_in_")


@pytest.mark.parametrize("given_as", [[[0, 9]], [[-1, 0]], [[0.5, 0, 0, 0, 1]], [[1.0, 1, 0, 1, 0]], [[1.0, 0, 0]]])
def test_codes_and_one_hot_columns_that_are_none(given_as):
    with pytest.raises(ValueError, match=r"codes must be numbers of bins|expected 5 one-hot columns"):
        gm.TableEncoder(min_frequency=1).fit(TRAINING).inverse_transform(np.array(given_as))


def test_fields_of_one_bin_are_told_apart_by_type():
    encoder = gm.TableEncoder().fit([[1, 2], [1, 2]])
    assert encoder.inverse_transform(np.zeros((1, 2), dtype=np.uint16)).tolist() == [["1", "2"]]
    assert encoder.inverse_transform(encoder.transform([[1, 2]]).toarray()).tolist() == [["1", "2"]]
