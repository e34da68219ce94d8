"""TableEncoder: tables in every form, what their words say, what is missing, rare and unseen."""

from __future__ import annotations

import json
import math
import pickle
from datetime import date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm
from gristmill.data.tables.encoding import Encoding
from tests.data.tables import table_strategies as forms
from tests.oracle import tables as oracle

SETTINGS = st.fixed_dictionaries({"bins": st.integers(2, 6), "min_frequency": st.integers(1, 3)})


@parametrize_with_checks([gm.TableEncoder(), gm.TableEncoder(sparse_output=False)])
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


def encoder_of(table, **settings):
    return gm.TableEncoder(**settings).fit(forms.as_dicts(table))


def words_of(cells, **settings):
    """The bins of a single column."""
    return gm.TableEncoder(**settings).fit([{"x": cell} for cell in cells]).fields_[0].bins


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


def test_numbers_may_be_spelled_as_texts():
    encoder = gm.TableEncoder().fit([[1.5], [2.5], [None]])
    assert encoder.codes([["2.5"], ["1.5"], [""], [" 2.5 "]]).ravel().tolist() == [1, 0, 2, 1]
    with pytest.raises(ValueError, match=r"column 'x0', row 1: expected a number, got 'abc'"):
        encoder.codes([["1"], ["abc"]])


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


# --- what words say ---------------------------------------------------------------------------------------------------


@given(forms.tables(), SETTINGS)
def test_words_are_true_of_the_rows_of_training(table, settings):
    encoder = encoder_of(table, **settings)
    codes = encoder.codes(forms.as_dicts(table))
    for field, bins in zip(encoder.fields_, codes.T, strict=True):
        cells = table[field.column]
        finite = [c for c in cells if isinstance(c, int | float) and not oracle.is_missing(c) and math.isfinite(c)]
        whole = all(float(cell).is_integer() and abs(cell) < 1e15 for cell in finite)
        assert all(oracle.says(field, int(number), cell, whole) for number, cell in zip(bins, cells, strict=True))


@given(forms.tables(), SETTINGS)
def test_codes_one_hot_columns_and_words_are_the_same(table, settings):
    encoder, rows = encoder_of(table, **settings), forms.as_dicts(table)
    codes, one_hot = encoder.codes(rows), encoder.transform(rows)
    assert codes.dtype == np.uint16
    assert codes.flags.f_contiguous
    assert (codes < [len(field.bins) for field in encoder.fields_]).all()
    assert one_hot.format == "csr"
    assert one_hot.has_sorted_indices
    expected = np.zeros((len(rows), encoder.starts_[-1]))
    for row, own in enumerate(codes):
        expected[row, encoder.starts_[:-1] + own] = 1
    assert np.array_equal(one_hot.toarray(), expected)
    words = [[field.bins[n] for field, n in zip(encoder.fields_, row, strict=True)] for row in codes]
    for given_as in (codes, one_hot, expected, pd.DataFrame(expected)):
        assert encoder.inverse_transform(given_as).tolist() == words


@given(forms.tables(), SETTINGS)
def test_names_differ_and_begin_with_their_column(table, settings):
    encoder = encoder_of(table, **settings)
    names = encoder.get_feature_names_out().tolist()
    assert len(set(names)) == len(names) == encoder.starts_[-1]
    columns = [field.column for field in encoder.fields_ for _ in field.bins]
    assert all(name.startswith(column) for name, column in zip(names, columns, strict=True))


@given(forms.columns(30, "number"), st.integers(2, 8))
def test_numbers_get_few_bins_and_every_value_one_where_there_are_few(cells, bins):
    field = encoder_of({"x": cells}, bins=bins).fields_[0]
    distinct = {cell for cell in cells if not oracle.is_missing(cell)}
    assert field.n_ordered == len(distinct) if len(distinct) <= bins else 2 <= field.n_ordered <= bins
    assert len(field.bins) == field.n_ordered + (field.missing is not None)
    assert (field.missing is not None) == any(map(oracle.is_missing, cells))


@given(forms.columns(30, "number"), st.integers(2, 8), st.lists(forms.NUMBERS, min_size=2, max_size=9))
def test_larger_numbers_are_in_no_earlier_bin(cells, bins, others):
    encoder = encoder_of({"x": cells}, bins=bins, kinds={"x": "number"}) if any(c is not None for c in cells) else None
    codes = encoder.codes([{"x": value} for value in sorted(others)])[:, 0] if encoder else np.zeros(1)
    assert (np.diff(codes.astype(int)) >= 0).all()


def test_names_of_whole_numbers_fractions_and_spikes():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 91, 3000),
            "gain": np.where(rng.random(3000) < 0.9, 0, rng.integers(1, 20_000, 3000)),
            "bmi": rng.normal(26, 4, 3000),
            "few": rng.integers(0, 3, 3000),
        }
    )
    encoder = gm.TableEncoder(bins=5).fit(frame)
    assert encoder.get_feature_names_out().tolist() == [
        *("age <= 30", "age 31-46", "age 47-60", "age 61-76", "age >= 77"),
        *("gain = 0", "gain 1-5000", "gain 5001-10000", "gain 10001-15000", "gain >= 15001"),
        *("bmi <= 22.6", "bmi 22.6-25", "bmi 25-27", "bmi 27-29", "bmi > 29"),
        *("few = 0", "few = 1", "few = 2"),
    ]


# --- missing, rare, unseen --------------------------------------------------------------------------------------------


@given(forms.columns(12, "category"), forms.columns(12, "category"), st.integers(1, 3))
def test_what_is_rare_is_other_and_what_is_new_is_unseen(cells, others, least):
    encoder = encoder_of({"x": cells}, min_frequency=least, kinds={"x": "category"})
    field, rows = encoder.fields_[0], [{"x": cell} for cell in others]
    if field.missing is None:
        rows = [row | {"x": row["x"]} for row in rows]
    kept = {cell for cell in cells if cell is not None and cells.count(cell) >= least}
    assert set(field.bins[: field.other]) == kept
    for cell, code, unseen in zip(others, encoder.codes(rows)[:, 0], encoder.unseen(rows)[:, 0], strict=True):
        assert bool(unseen) == (cell not in cells)
        if cell is None:
            assert code == (field.other if field.missing is None else field.missing)
        else:
            assert field.bins[code] == cell if cell in kept else code == field.other


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA, pd.NaT, np.float32("nan")])
def test_unseen_missing_values_go_to_other_or_to_the_bin_of_most_rows(missing):
    rows = [[1, "a", True]] * 5 + [[2, "a", False]] * 7
    encoder = gm.TableEncoder().fit(rows)
    assert encoder.inverse_transform(encoder.codes([[missing, missing, missing]])).tolist() == [["2", "other", "False"]]
    assert encoder.unseen([[missing, missing, missing], [1, "a", True]]).tolist() == [[True] * 3, [False] * 3]


def test_a_column_without_any_value_takes_all():
    encoder = gm.TableEncoder(kinds={"x0": "number"}).fit([[None, None], [None, None]])
    assert [field.bins for field in encoder.fields_] == [("missing",), ("other", "missing")]
    assert encoder.codes([[5, "a"], [None, None]]).tolist() == [[0, 0], [0, 1]]
    assert encoder.unseen([[5, "a"], [None, None]]).tolist() == [[True, True], [False, False]]


def test_special_words_give_way_to_categories():
    bins = words_of(["other", "missing", "(missing)", None], min_frequency=1)
    assert bins == ("(missing)", "missing", "other", "(other)", "((missing))")


def test_ten_thousand_categories():
    cells = [f"c{number}" for number in range(10_000)] * 5 + [f"r{number}" for number in range(20_000)]
    encoder = gm.TableEncoder().fit(np.array(cells, dtype=object)[:, None])
    assert len(encoder.fields_[0].bins) == 10_001
    codes = encoder.codes([["c9999"], ["r0"], ["new"]])[:, 0].tolist()
    assert [encoder.fields_[0].bins[code] for code in codes] == ["c9999", "other", "other"]
    assert encoder.unseen([["c9999"], ["r0"], ["new"]])[:, 0].tolist() == [False, False, True]


def test_codes_have_16_bits(monkeypatch):
    monkeypatch.setattr("gristmill.data.tables.learning.MOST_OWN", 2)
    assert words_of(["c", "c", "b", "a", "a"], min_frequency=1) == ("a", "c", "other")


# --- kinds ------------------------------------------------------------------------------------------------------------

ORDERED = [
    pd.DataFrame({"x": pd.Categorical(["S", "L", None, "S"], ["S", "M", "L"], ordered=True)}),
    pl.DataFrame({"x": pl.Series(["S", "L", None, "S"], dtype=pl.Enum(["S", "M", "L"]))}),
]


@pytest.mark.parametrize("frame", ORDERED, ids=["pandas", "polars"])
def test_ordered_categories_keep_their_order(frame):
    encoder = gm.TableEncoder().fit(frame)
    field = encoder.fields_[0]
    assert (field.bins, field.n_ordered, field.kind) == (("S", "L", "other", "missing"), 2, "ordered")
    told = gm.TableEncoder(kinds={"x": ["S", "M", "L"]}).fit([{"x": cell} for cell in ["S", "L", None, "S"]])
    assert told.fields_ == encoder.fields_
    for other in [*ORDERED, [{"x": cell} for cell in ["S", "L", None, "S"]]]:
        assert encoder.codes(other)[:, 0].tolist() == [0, 1, 3, 0]
    assert encoder.codes([{"x": "M"}, {"x": "XL"}])[:, 0].tolist() == [0, 2]
    assert encoder.unseen([{"x": "M"}, {"x": "XL"}])[:, 0].tolist() == [False, True]


def test_many_levels_are_put_together_with_their_neighbours():
    levels = [f"l{number}" for number in range(9)]
    encoder = gm.TableEncoder(bins=3, kinds={"x0": levels}).fit([[level] for level in levels])
    assert encoder.fields_[0].bins == ("l0 to l2", "l3 to l5", "l6 to l8", "other")
    assert encoder.get_feature_names_out()[0] == "x0 = l0 to l2"


def test_a_number_told_to_be_ordered_is_in_the_order_of_its_size():
    assert words_of([10, 9, 10, 2], kinds={"x": "ordered"}) == ("2", "9", "10", "other")


@given(forms.columns(20, "date"), st.integers(2, 40))
def test_dates_give_the_parts_that_differ(cells, bins):
    encoder = encoder_of({"when": cells}, bins=bins, kinds={"when": "date"})
    known = [cell for cell in cells if cell is not None]
    parts = {part: {oracle.part(cell, part) for cell in known} for part in ["year", "month", "day of week", "hour"]}
    if not any(isinstance(cell, datetime) and cell.time() != datetime.min.time() for cell in known):
        del parts["hour"]
    differ = [part for part, values in parts.items() if len(values) > 1] or ["year"]
    assert [field.name for field in encoder.fields_] == [f"when: {part}" for part in differ]
    assert {(field.kind, field.column) for field in encoder.fields_} == {("date", "when")}


def test_words_of_dates():
    days = [date(2024, 1, 1) + timedelta(days=number) for number in range(0, 366)]
    encoder = gm.TableEncoder(bins=7).fit(pl.DataFrame({"when": days}))
    assert [field.bins[0] for field in encoder.fields_] == ["January to February", "Monday"]
    assert encoder.get_feature_names_out()[-1] == "when: day of week = Sunday"
    assert encoder.codes([{"when": "2024-12-29"}, {"when": datetime(2031, 1, 1, 5)}]).tolist() == [[6, 6], [0, 2]]
    hours = gm.TableEncoder().fit([[datetime(2024, 1, 1, hour)] for hour in (7, 9)])
    assert hours.get_feature_names_out().tolist() == ["x0: hour = 7", "x0: hour = 9"]


def test_years_are_numbers_and_clocks_are_read_where_they_are():
    dates = [datetime(year, 1, 1, 23, tzinfo=timezone(timedelta(hours=9))) for year in range(1990, 2020)]
    encoder = gm.TableEncoder(bins=3).fit([[day] for day in dates])
    assert encoder.get_feature_names_out()[:3].tolist() == [
        *("x0: year <= 2000", "x0: year 2001-2010", "x0: year >= 2011")
    ]
    local = pd.DataFrame({"x0": pd.to_datetime(["2024-01-01 00:30", "2024-01-01 01:30"]).tz_localize("Asia/Tokyo")})
    assert gm.TableEncoder().fit(local).fields_[0].bins == ("0", "1")
    turned = pl.DataFrame(
        {"x0": pl.Series(local["x0"].dt.tz_localize(None).tolist()).dt.replace_time_zone("Asia/Tokyo")}
    )
    assert gm.TableEncoder().fit(turned).fields_ == gm.TableEncoder().fit(local).fields_


def test_booleans_are_told_in_several_ways():
    encoder = gm.TableEncoder(kinds={"x0": "boolean"}).fit([[1], [0], [1]])
    assert encoder.codes([[True], ["false"], ["0"], [1.0], [None], ["maybe"]])[:, 0].tolist() == [1, 0, 0, 1, 1, 1]
    assert encoder.unseen([[True], ["false"], [None], ["maybe"]])[:, 0].tolist() == [False, False, True, True]
    with pytest.raises(ValueError, match="told to be boolean and holds '7'"):
        gm.TableEncoder(kinds={"x0": "boolean"}).fit([[7], [0]])


KINDS = [
    ({"y": "number"}, "kinds names columns that X does not have"),
    ({"x": "numeric"}, "must be one of 'number', 'category'"),
    ({"x": 3}, "must be a kind or the list of levels"),
    ({"x": ["a", "a"]}, "must be one or more different ones"),
    ({"x": "date"}, "expected a date .as 2024-05-31., got 'own'"),
    ({"x": "number"}, "expected a number, got 'own'"),
    ("number", "kinds must be a dict"),
]


@pytest.mark.parametrize(("kinds", "message"), KINDS)
def test_kinds_that_do_not_fit(kinds, message):
    with pytest.raises(ValueError, match=message):
        gm.TableEncoder(kinds=kinds).fit([{"x": "own"}])


def test_numbers_are_no_dates_and_dates_no_numbers():
    with pytest.raises(ValueError, match="'x0' is a column of dates and was given numbers"):
        gm.TableEncoder(kinds={"x0": "date"}).fit([[3]])
    with pytest.raises(ValueError, match="'x0' is a column of numbers and was given dates"):
        gm.TableEncoder().fit([[3], [4]]).codes([[date(2024, 1, 1)]])
    assert gm.TableEncoder(min_frequency=1, kinds={"x0": "category"}).fit([[date(2024, 1, 1)]]).fields_[0].bins == (
        "2024-01-01",
        "other",
    )


# --- columns that do not fit ------------------------------------------------------------------------------------------

TRAINING = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
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
    (pd.Series([1, 2]), ValueError, "Expected 2D array, got 1D array"),
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


def damaged(spec):
    """States with one thing changed that makes codes without bins, or none at all."""
    number, category = spec["coders"][0], spec["coders"][1]
    changes = [
        (spec, "version", 2),
        (spec, "names", ["a"]),
        (spec, "names", ["a", "a"]),
        (spec, "coders", []),
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
    ]
    for place, key, value in changes:
        before, place[key] = place[key], value
        yield json.loads(json.dumps(spec))
        place[key] = before


def test_damaged_states_are_refused():
    encoder = gm.TableEncoder(min_frequency=1).fit(TRAINING)
    spec = encoder.to_spec()
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


# --- real tables ------------------------------------------------------------------------------------------------------


def test_real_tables_keep_their_spikes(corpora):
    adult = pl.read_csv(corpora / "tables" / "adult.csv.gz").drop("income")
    encoder = gm.TableEncoder().fit(adult)
    names = set(encoder.get_feature_names_out())
    assert {"capital_gain = 0", "capital_gain = 99999", "age 40-41", "race = Black", "education_num = 13"} <= names
    assert np.array_equal(encoder.codes(adult), encoder.codes(adult.to_dicts()))
