"""What is missing, rare and unseen."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.data.tables import table_strategies as forms
from tests.data.tables.table_strategies import encoder_of


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


@pytest.mark.parametrize("kind", ["number", "date", "boolean", "ordered", "category"])
@pytest.mark.parametrize("missing", [None, math.nan, pd.NaT, pd.NA, np.datetime64("NaT")])
def test_a_batch_may_hold_nothing_but_missing_values(kind, missing):
    cells = {"number": [1, None], "date": [date(2024, 1, 1), None], "boolean": [True, None]}.get(kind, ["a", None])
    encoder = gm.TableEncoder(min_frequency=1, kinds={"x": kind}).fit([{"x": cell} for cell in cells])
    field = encoder.fields_[0]
    assert encoder.codes([{"x": missing}, {"x": missing}])[:, 0].tolist() == [field.missing] * 2
    assert not encoder.unseen([{"x": missing}]).any()
    assert encoder.codes(pd.DataFrame({"x": [missing]}))[0, 0] == field.missing
    if kind in ("number", "date", "boolean"):  # a form that was not filled in
        assert encoder.codes([{"x": ""}])[0, 0] == field.missing


def test_special_words_give_way_to_categories():
    bins = encoder_of({"x": ["other", "missing", "(missing)", None]}, min_frequency=1).fields_[0].bins
    assert bins == ("(missing)", "missing", "other", "(other)", "((missing))")


def test_ten_thousand_categories():
    cells = [f"c{number}" for number in range(10_000)] * 5 + [f"r{number}" for number in range(20_000)]
    encoder = gm.TableEncoder().fit(np.array(cells, dtype=object)[:, None])
    assert len(encoder.fields_[0].bins) == 10_001
    codes = encoder.codes([["c9999"], ["r0"], ["new"]])[:, 0].tolist()
    assert [encoder.fields_[0].bins[code] for code in codes] == ["c9999", "other", "other"]
    assert encoder.unseen([["c9999"], ["r0"], ["new"]])[:, 0].tolist() == [False, False, True]


def test_codes_have_16_bits(monkeypatch):
    monkeypatch.setattr("gristmill.data.tables.learning.MAX_OWN_BINS", 2)
    assert encoder_of({"x": ["c", "c", "b", "a", "a"]}, min_frequency=1).fields_[0].bins == ("a", "c", "other")
