"""What is missing, rare and unseen."""

from __future__ import annotations

import json
import math
import re
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.tables.coders import JoinedCoder, NumberCoder, WordCoder
from gristmill.data.tables.encoding import Encoding
from gristmill.data.tables.fields import Field
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


@pytest.mark.parametrize("value", ["banana", "yes", 2, -3.5])
def test_what_is_no_boolean_is_refused(value):
    encoder = gm.TableEncoder().fit([{"b": True}, {"b": False}, {"b": False}])
    with pytest.raises(ValueError, match=rf"column 'b', row 1: got '{value}', .* it knows 'False', 'True'"):
        encoder.codes([{"b": 1}, {"b": value}])
    assert encoder.codes([{"b": value} for value in ("true", 0, "FALSE", None, "")])[:, 0].tolist() == [1, 0, 0, 0, 0]


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


# --- codings that pipelines need --------------------------------------------------------------------------------------

SIZE = Field("size", "size", "category", ("S", "M"), 0, None, None)
AGE = Field("age", "age", "number", ("<= 30", "> 30"), 2, None, None)


@pytest.mark.parametrize(
    ("coder", "cells", "got"),
    [
        (WordCoder(SIZE, {"S": 0, "M": 1}, None), ["S", "M", "XL"], "'size', row 2: got 'XL'"),
        (WordCoder(SIZE, {"S": 0, "M": 1}, None), ["S", None], "'size', row 1: got a missing value"),
        (NumberCoder(AGE, np.array([30.0, math.inf]), None), [20, None], "'age', row 1: got a missing number"),
    ],
)
def test_without_a_default_what_training_did_not_have_is_refused(coder, cells, got):
    name = coder.fields[0].name
    encoding = Encoding((name,), True, (coder,))
    again = Encoding.from_spec(json.loads(json.dumps(encoding.to_spec())))
    assert again == encoding
    assert again.codes([{name: cells[0]}]).tolist() == [[0]]
    with pytest.raises(ValueError, match=re.escape(f"column {got}, which training did not have; it knows")):
        again.codes([{name: cell} for cell in cells])


@pytest.mark.parametrize(("part", "value"), [("name", ["age"]), ("name", None), ("column", 3), ("n_ordered", 2.0)])
def test_fields_of_other_types_than_written_are_refused(part, value):
    """A file may say anything; what explains a machine takes names for texts."""
    spec = json.loads(
        json.dumps(Encoding(("age",), True, (NumberCoder(AGE, np.array([30.0, math.inf]), None),)).to_spec())
    )
    spec["coders"][0]["field"][part] = value
    with pytest.raises(ValueError, match="not the state of a table encoder"):
        Encoding.from_spec(spec)


@given(forms.tables(most=8), st.data())
def test_codings_of_a_column_lie_side_by_side(content, data):
    table = forms.as_dicts(content)
    one, other = (encoder_of(content, bins=bins, min_frequency=1).encoding_ for bins in (2, 4))
    unused = data.draw(st.sampled_from(one.names))
    coders = [
        JoinedCoder(() if name == unused else (first, second))
        for name, first, second in zip(one.names, one.coders, other.coders, strict=True)
    ]
    if len(coders) == 1:
        with pytest.raises(ValueError, match="not the state of a table encoder"):
            Encoding.from_spec(Encoding(one.names, True, tuple(coders)).to_spec())
        return
    both = Encoding.from_spec(json.loads(json.dumps(Encoding(one.names, True, tuple(coders)).to_spec())))
    rows = [{name: cell for name, cell in row.items() if name != unused} for row in table]
    for read in (both.codes, both.unseen):
        parts = [getattr(encoding, read.__name__)(table) for encoding in (one, other)]
        columns = [
            part[:, at]
            for name in one.names
            if name != unused
            for encoding, part in zip((one, other), parts, strict=True)
            for at, field in enumerate(encoding.fields)
            if field.column == name
        ]
        assert np.array_equal(read(rows), np.stack(columns, axis=1))


@given(forms.tables(most=8))
def test_other_names_of_columns_change_nothing_else(content):
    encoding = encoder_of(content, bins=4, min_frequency=1).encoding_
    names = [f"new {name}" for name in encoding.names]
    again = encoding.renamed(names)
    assert [field.name for field in again.fields] == [f"new {field.name}" for field in encoding.fields]
    assert [field.column for field in again.fields] == [f"new {field.column}" for field in encoding.fields]
    table = {f"new {name}": cells for name, cells in content.items()}
    assert np.array_equal(again.codes(forms.as_dicts(table)), encoding.codes(forms.as_dicts(content)))
    joined = Encoding(encoding.names, True, tuple(JoinedCoder((coder,)) for coder in encoding.coders))
    assert joined.renamed(names).fields == again.fields
