"""Columns of pandas frames: the same as those of dicts, whatever their type, in whole frames and row by row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.tables import pandas_columns
from gristmill.data.tables.frames import read_table

TEXTS = st.lists(st.one_of(st.none(), st.sampled_from("abcdefgh")), min_size=1, max_size=12)
TYPES = ["object", "str", "string", "category"]


@given(TEXTS, st.sampled_from(TYPES), st.lists(st.sampled_from("hgfedcbaxy"), unique=True))
def test_rows_of_texts_are_those_of_dicts(cells, dtype, more):
    """Also where a column has many more categories than rows."""
    series = pd.Series(cells, dtype=dtype)
    if dtype == "category":
        series = series.cat.add_categories([one for one in more if one not in set(series.cat.categories)])
    frame, rows = pd.DataFrame({"x": series}), [{"x": cell} for cell in cells]
    known = gm.TableEncoder(min_frequency=1).fit(rows)
    assert gm.TableEncoder(min_frequency=1).fit(frame).to_spec() == known.to_spec()
    whole = known.codes(rows)
    assert np.array_equal(known.codes(frame), whole)
    for at in range(len(cells)):
        assert np.array_equal(known.codes(frame.iloc[at : at + 1]), whole[at : at + 1])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_levels_keep_their_order_in_a_frame_of_few_rows(numbers):
    levels = pd.CategoricalDtype([str(9 - number) for number in range(10)], ordered=True)
    frame = pd.DataFrame({"x": pd.Series(map(str, numbers), dtype=levels)})
    column = read_table(frame).read(0)
    assert column.kind == "ordered"
    assert column.texts == list(levels.categories)
    assert [column.texts[code] for code in column.codes] == list(map(str, numbers))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "int64"])
def test_numbers_are_not_copied(dtype):
    for rows in (1, 3, 1000):
        frame = pd.DataFrame({"x": np.arange(rows, dtype=dtype)})
        column = read_table(frame).read(0)
        assert column.values.dtype == dtype
        assert np.shares_memory(column.values, frame["x"].to_numpy())


@given(st.lists(st.sampled_from(["int8", "float64", "float32", "uint64"]), min_size=1, max_size=4), st.integers(1, 3))
def test_frames_of_one_type_or_several_give_the_numbers_of_their_columns(dtypes, rows):
    columns = {f"x{at}": np.arange(at, at + rows).astype(dtype) for at, dtype in enumerate(dtypes)}
    table = read_table(pd.DataFrame(columns))
    for at, values in enumerate(columns.values()):
        assert table.read(at).values.dtype == values.dtype
        assert np.array_equal(table.read(at).numbers(), values.astype(np.float64))


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([True, None], dtype="boolean"),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([pd.Timestamp("2024-05-01", tz="UTC")]),
        pd.Series([1, "a"], dtype=object),
    ],
    ids=lambda series: str(series.dtype),
)
def test_other_types_are_left_to_narwhals(series):
    assert pandas_columns.column_of_native("x", series) is None


def test_what_is_no_frame_of_pandas_or_has_names_twice_is_left_to_narwhals():
    class Own(pd.DataFrame):
        pass

    assert pandas_columns.natives_of(Own({"x": [1]})) is None
    assert pandas_columns.natives_of(pd.DataFrame([[1, 2]], columns=["x", "x"])) is None
    assert pandas_columns.natives_of([[1]]) is None
    assert len(pandas_columns.natives_of(pd.DataFrame({"x": [1], "y": [2]}))) == 2
