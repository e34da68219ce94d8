"""What columns become: words that are true, kinds, dates."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.data.tables import table_strategies as forms
from tests.data.tables.table_strategies import SETTINGS, encoder_of
from tests.oracle import tables as oracle

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
    field = encoder_of({"x": cells}, bins=bins, kinds={"x": "number"}).fields_[0]
    distinct = {cell for cell in cells if not oracle.is_missing(cell)}
    assert field.n_ordered == len(distinct) if len(distinct) <= bins else 2 <= field.n_ordered <= bins
    assert len(field.bins) == field.n_ordered + (field.missing is not None)
    assert (field.missing is not None) == any(map(oracle.is_missing, cells))


@given(forms.columns(30, "number"), st.integers(2, 8), st.lists(forms.NUMBERS, min_size=2, max_size=9))
def test_larger_numbers_are_in_no_earlier_bin(cells, bins, others):
    encoder = encoder_of({"x": cells}, bins=bins, kinds={"x": "number"})
    codes = encoder.codes([{"x": value} for value in sorted(others)])[:, 0]
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


def test_levels_put_together_may_be_called_as_another_level():
    levels = ["a", "b", "a to b"]
    encoder = gm.TableEncoder(bins=2, kinds={"x0": levels}).fit([["a"], ["b"], ["a to b"], ["a to b"]])
    assert encoder.fields_[0].bins == ("a to b", "a to b (2)", "other")


def test_hours_are_shared_out_evenly_however_round_their_numbers_are():
    hours = np.repeat(np.arange(24), [49] * 10 + [0, 10] + [41] * 10 + [45] * 2)
    encoder = gm.TableEncoder(bins=2).fit([[datetime(2023, 1, 1, hour)] for hour in hours.tolist()])
    assert encoder.fields_[0].bins == ("0 to 11", "12 to 23")


def test_a_number_told_to_be_ordered_is_in_the_order_of_its_size():
    assert encoder_of({"x": [10, 9, 10, 2]}, kinds={"x": "ordered"}).fields_[0].bins == ("2", "9", "10", "other")


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


def test_one_moment_in_two_places_is_two_times_of_the_clock():
    moment = datetime(2024, 1, 1, 0, 30, tzinfo=UTC)
    rows = [[moment], [moment.astimezone(timezone(timedelta(hours=9)))], [None], [np.datetime64("2024-01-01T05")]]
    assert gm.TableEncoder().fit(rows).codes(rows)[:, 0].tolist() == [0, 2, 3, 1]


def test_booleans_are_told_in_several_ways():
    encoder = gm.TableEncoder(kinds={"x0": "boolean"}).fit([[1], [0], [1]])
    assert encoder.codes([[True], ["false"], ["0"], [1.0], [None]])[:, 0].tolist() == [1, 0, 0, 1, 1]
    assert encoder.codes([["TRUE"], ["FALSE"]])[:, 0].tolist() == [1, 0]
    assert encoder.unseen([[True], ["false"], [None]])[:, 0].tolist() == [False, False, True]
    with pytest.raises(ValueError, match="expected a boolean, got '7'"):
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
    with pytest.raises(ValueError, match="'x0': expected dates, got numbers"):
        gm.TableEncoder(kinds={"x0": "date"}).fit([[3]])
    with pytest.raises(ValueError, match="'x0': expected numbers, got dates"):
        gm.TableEncoder().fit([[3], [4]]).codes([[date(2024, 1, 1)]])
    assert gm.TableEncoder(min_frequency=1, kinds={"x0": "category"}).fit([[date(2024, 1, 1)]]).fields_[0].bins == (
        "2024-01-01",
        "other",
    )


# --- real tables ------------------------------------------------------------------------------------------------------


def test_real_tables_keep_their_spikes(corpora):
    adult = pl.read_csv(corpora / "tables" / "adult.csv.gz").drop("income")
    encoder = gm.TableEncoder().fit(adult)
    names = set(encoder.get_feature_names_out())
    assert {"capital_gain = 0", "capital_gain = 99999", "age 40-41", "race = Black", "education_num = 13"} <= names
    assert np.array_equal(encoder.codes(adult), encoder.codes(adult.to_dicts()))
