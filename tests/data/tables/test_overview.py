"""What is said of columns holds of their cells."""

from __future__ import annotations

import statistics

import pandas as pd
from hypothesis import given

from gristmill.data.tables.frames import read_table
from gristmill.data.tables.overview import overview
from tests.data.tables import table_strategies as forms


@given(forms.tables(kinds=("number", "category", "boolean")))
def test_missing_different_and_typical_values_are_those_of_the_cells(table):
    for one, (name, cells) in zip(overview(read_table(forms.as_dicts(table))), table.items(), strict=True):
        known = [cell for cell in cells if cell is not None]
        assert (one.name, one.missing) == (name, len(cells) - len(known))
        if one.kind == "number":
            known = [float(cell) + 0.0 for cell in known]
        assert one.distinct == len(set(known))
        if not known:
            assert one.typical is None
        elif one.kind == "number":
            assert one.typical == statistics.median_low(known)
        else:
            texts = list(map(str, known))
            assert texts.count(one.typical) == max(map(texts.count, texts))


def test_dates_are_shown_as_they_are_written():
    dates = pd.DataFrame({"day": pd.to_datetime(["2024-05-01", "2024-05-03", "2024-05-09"])})
    (one,) = overview(read_table(dates))
    assert (one.kind, one.distinct, one.typical) == ("date", 3, "2024-05-03")
