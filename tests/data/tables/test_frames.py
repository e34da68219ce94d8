"""One reading of tables, and tables that do not fit."""

from __future__ import annotations

import math
from datetime import date, time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import gristmill as gm
from tests.data.tables import table_strategies as forms
from tests.data.tables.table_strategies import SETTINGS, TRAINING, encoder_of

# --- one reading of data ----------------------------------------------------------------------------------------------


@given(forms.tables(), SETTINGS)
def test_every_form_of_a_table_gives_the_same(table, settings):
    known = encoder_of(table, **settings)
    codes = known.codes(forms.as_dicts(table))
    for form in forms.NAMED:
        other = gm.TableEncoder(**settings).fit(form(table))
        assert other.to_spec() == known.to_spec(), form
        assert np.array_equal(known.codes(form(table)), codes), form
    for form in forms.UNNAMED:
        assert np.array_equal(gm.TableEncoder(**settings).fit(form(table)).codes(form(table)), codes)


@given(forms.tables(), st.randoms())
def test_columns_come_in_any_order_and_rows_too(table, random):
    encoder, names = encoder_of(table), list(table)
    random.shuffle(names)
    turned = forms.as_dicts({name: table[name] for name in names})
    codes = encoder.codes(forms.as_dicts(table))
    assert np.array_equal(encoder.codes(turned), codes)
    order = list(range(len(turned)))
    random.shuffle(order)
    shuffled = [forms.as_dicts(table)[row] for row in order]
    assert gm.TableEncoder().fit(shuffled).to_spec() == encoder.to_spec()
    assert np.array_equal(encoder.codes(shuffled), codes[order])


def test_many_texts_of_polars():
    cells = ["b", None, "a", "", "b"] * 300
    encoder = gm.TableEncoder().fit(pl.DataFrame({"x": cells}))
    assert encoder.fields_[0].bins == ("", "a", "b", "other", "missing")
    assert encoder.codes(pl.DataFrame({"x": cells}))[:5, 0].tolist() == [2, 4, 1, 0, 2]
    assert encoder.to_spec() == encoder_of({"x": cells}).to_spec()


def test_mixed_objects_are_categories():
    cells = [1, "a", 2.5, True, None, date(2024, 5, 1), "a", np.str_("a"), b"a", math.nan, pd.NA, pd.NaT]
    encoder = gm.TableEncoder(min_frequency=1).fit(pd.DataFrame({"x": pd.Series(cells, dtype=object)}))
    assert encoder.fields_[0].bins == ("1", "2.5", "2024-05-01", "True", "a", "other", "missing")
    assert encoder.codes([{"x": cell} for cell in cells])[:, 0].tolist() == [0, 4, 1, 3, 6, 2, 4, 4, 4, 6, 6, 6]


def test_categories_are_known_by_their_text():
    encoder = gm.TableEncoder(min_frequency=1, kinds={"x0": "category"}).fit([[1], [2], [3]])
    assert encoder.codes([[1.0], ["2"], [3], [True]]).ravel().tolist() == [0, 1, 2, 3]
    assert encoder.codes(np.array([[3.0], [np.nan]])).ravel().tolist() == [2, 3]


BIG = [2**53, 2**53 + 1, None]
BIG_FRAMES = [
    pd.DataFrame({"x": pd.array(BIG, dtype="Int64")}),
    pl.DataFrame({"x": BIG}),
    [{"x": cell} for cell in BIG],
]


@pytest.mark.parametrize("table", BIG_FRAMES, ids=["pandas", "polars", "dicts"])
def test_categories_of_large_whole_numbers_are_exact_among_missing_ones(table):
    encoder = gm.TableEncoder(min_frequency=1, kinds={"x": "category"}).fit(table)
    assert encoder.fields_[0].bins == ("9007199254740992", "9007199254740993", "other", "missing")
    assert encoder.codes([{"x": 2**53 + 1}])[0, 0] == encoder.codes(table)[1, 0] == 1


@pytest.mark.parametrize("kind", ["category", "ordered"])
def test_what_stands_in_for_missing_whole_numbers_is_no_category(kind):
    encoder = gm.TableEncoder(min_frequency=1, kinds={"x": kind}).fit([{"x": 1}, {"x": None}])
    assert encoder.unseen([{"x": 0}, {"x": 1}, {"x": None}])[:, 0].tolist() == [True, False, False]


def test_categories_of_whole_numbers_may_come_as_float64():
    encoder = gm.TableEncoder(min_frequency=1, kinds={"x0": "category"}).fit([[2**53 - 1], [2**53 - 3]])
    assert not encoder.unseen(np.array([[2.0**53 - 1], [2.0**53 - 3]])).any()


def test_numbers_may_be_spelled_as_texts():
    encoder = gm.TableEncoder().fit([[1.5], [2.5], [None]])
    assert encoder.codes([["2.5"], ["1.5"], [""], [" 2.5 "]]).ravel().tolist() == [1, 0, 2, 1]
    for text in ("abc", "1_5"):
        with pytest.raises(ValueError, match=f"column 'x0', row 1: expected a number, got '{text}'"):
            encoder.codes([["1"], [text]])


FRAMES = [
    (pd.DataFrame({"x": pd.Series([1, None, 3], dtype="Int64")}), ("1", "3", "missing")),
    (pd.DataFrame({"x": pd.Series([1.5, None, 3], dtype="Float64")}), ("1.5", "3", "missing")),
    (pd.DataFrame({"x": pd.Series([True, None, False], dtype="boolean")}), ("False", "True", "missing")),
    (pd.DataFrame({"x": pd.Series([0.1, 0.2], dtype="float32")}), ("0.1", "0.2")),
    (pd.DataFrame({"x": pd.Series(["b", None], dtype="category")}), ("b", "other", "missing")),
    (pd.DataFrame({"x": pd.cut([1, 2, 3], 2)}), ("(0.998, 2.0]", "(2.0, 3.0]", "other")),
    (pl.DataFrame({"x": pl.Series(["b", None], dtype=pl.Categorical)}), ("b", "other", "missing")),
    (pl.DataFrame({"x": pl.Series([1, None], dtype=pl.UInt8)}), ("1", "missing")),
    (pl.DataFrame({"x": pl.Series([1, None], dtype=pl.Decimal(5, 1))}), ("1", "missing")),
    (pl.DataFrame({"x": pl.Series([2**100, 1], dtype=pl.Int128)}), ("1", "1.26765e+30")),
    (pl.DataFrame({"x": [time(9), time(17, 30)]}), ("09:00:00", "17:30:00", "other")),
    ([[time(9)], [time(17, 30)]], ("09:00:00", "17:30:00", "other")),
    ([[Decimal("1.5")], [Decimal("NaN")], [Decimal("sNaN")]], ("1.5", "missing")),
    (sp.csr_matrix([[3], [-2]]).todense(), ("-2", "3")),
    (pl.DataFrame({"x": pl.Series([None, None])}), ("other", "missing")),
    (pd.DataFrame({"x": [None, None]}), ("other", "missing")),
    (np.array([(b"q",), (b"p",)], dtype=[("x", "S1")]), ("p", "q", "other")),
    (np.array([("q",), ("p",)], dtype=[("x", "U1")]), ("p", "q", "other")),
    (np.array([["q"], ["p"]]), ("p", "q", "other")),
    (np.array([[True], [False]]), ("False", "True")),
    (np.array([[3], [-2]], dtype=np.int8), ("-2", "3")),
]


@pytest.mark.parametrize(("table", "bins"), FRAMES, ids=[str(bins) for _, bins in FRAMES])
def test_types_of_frames_and_arrays(table, bins):
    encoder = gm.TableEncoder(min_frequency=1).fit(table)
    assert encoder.fields_[0].bins == bins
    assert not encoder.unseen(table).any()


# --- columns that do not fit ------------------------------------------------------------------------------------------

NAMES = [
    ({"a": [1]}, r"yet now missing:\n- b"),
    ({"a": [1], "b": ["x"], "c": [0]}, r"unseen at fit time:\n- c"),
    ({"a": [1], "B": ["x"]}, r"unseen at fit time:\n- B\n(.|\n)*yet now missing:\n- b"),
]


@pytest.mark.parametrize(("columns", "message"), NAMES)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_missing_and_additional_columns_are_refused(frame, columns, message):
    with pytest.raises(ValueError, match=message):
        gm.TableEncoder().fit(TRAINING).codes(frame(columns))


def test_rows_may_lack_keys_where_training_had_missing_values():
    encoder = gm.TableEncoder().fit(TRAINING)
    assert encoder.codes([{"a": 2}]).tolist() == encoder.codes([{"a": 2, "b": None}]).tolist()
    assert encoder.codes([{"a": 2}, {"a": 1, "b": "x"}]).tolist() == [[1, 1], [0, 0]]
    with pytest.raises(ValueError, match=r"yet now missing:\n- a"):
        encoder.codes([{"b": "x"}])
    with pytest.raises(ValueError, match=r"rows lack keys that all rows of training had: 'a' \(row 1\)"):
        encoder.codes([{"a": 1}, {"b": "x"}])
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- A"):
        encoder.codes([{"a": 1, "A": 2}])


def test_columns_go_by_their_place_where_a_table_has_no_names():
    encoder = gm.TableEncoder().fit(TRAINING)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert encoder.codes([[2, "x"]]).tolist() == [[1, 0]]
    with pytest.warns(UserWarning, match="fitted without feature names"):
        gm.TableEncoder().fit([[2, "x"]]).codes(TRAINING)
    with pytest.raises(ValueError, match="X has 3 features, but TableEncoder is expecting 2 features"):
        gm.TableEncoder().fit([[2, "x"]]).codes([[2, "x", 3]])


REFUSED = [
    (pd.DataFrame({"a": []}), ValueError, "0 sample"),
    (pl.DataFrame(), ValueError, "0 sample"),
    ([], ValueError, "0 sample"),
    (np.empty((3, 0)), ValueError, "0 feature"),
    (np.arange(3), ValueError, "Expected 2D array, got 1D array"),
    (pd.Series([1, 2]), ValueError, r"a row is X.to_frame\(\).T"),
    ([1, 2], ValueError, "row 0 is of type int"),
    ([[1, 2], [1]], ValueError, "row 1 is of length 1"),
    ({"a": 1}, ValueError, r"a single row is a list of one dict: \[row\]"),
    ("table.csv", ValueError, "expected a table, got str"),
    (None, ValueError, "expected a table, got NoneType"),
    (7, TypeError, "cannot read a table from int"),
    (pl.LazyFrame({"a": [1]}), TypeError, "collect it first"),
    (sp.csr_matrix(np.eye(2)), TypeError, "Sparse data was passed"),
    (np.ma.masked_array(np.eye(2), np.eye(2)), ValueError, "fill it first"),
    (np.array([[1j]]), ValueError, "Complex data not supported"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "different names"),
    (pd.DataFrame([[1, 2]], columns=["a", 1]), TypeError, "string names"),
    (pd.DataFrame({"a": [timedelta(1)]}), ValueError, "column 'a' holds Duration"),
    ([[timedelta(1)]], ValueError, "column 'x0' holds timedelta"),
    ([[1j], [None]], ValueError, "column 'x0' holds complex"),
    ([[[1]]], TypeError, r"column 'x0', row 0 holds \[1\] of type list"),
    ([{1: 2}], TypeError, "keys of dict rows must be texts"),
    ([[10**400]], ValueError, "beyond those of float64"),
]


@pytest.mark.parametrize(("table", "error", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_what_is_no_table_is_refused(table, error, message):
    with pytest.raises(error, match=message):
        gm.TableEncoder().fit(table)


PARAMETERS = [{"bins": 1}, {"bins": 2.0}, {"bins": 10**6}, {"min_frequency": 0}, {"sparse_output": "yes"}]


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_parameters_that_are_refused(parameters):
    with pytest.raises(ValueError, match=f"{next(iter(parameters))} must be"):
        gm.TableEncoder(**parameters).fit([[1]])


def test_before_it_is_fitted():
    encoder = gm.TableEncoder()
    with pytest.raises(NotFittedError):
        encoder.codes([[1]])
    assert not hasattr(encoder, "fields_")
