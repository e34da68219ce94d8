"""Tables for properties: columns of all kinds, and the same content in every form that is read."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

import gristmill as gm

TRAINING = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
SETTINGS = st.fixed_dictionaries({"bins": st.integers(2, 6), "min_frequency": st.integers(1, 3)})
LETTERS = st.characters(codec="utf-8", exclude_characters="\0")  # an index of pandas takes "\0" for ""
WORDS = st.text(LETTERS, max_size=4) | st.sampled_from(["a", "b", "other", "missing", "7", "nan"])
NUMBERS = st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 0.1, 0.2, 1e-9, 2.5])
WHOLES = st.integers(-3, 40) | st.integers(-(2**53), 2**53)
TIMES = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1))
DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1))
CELLS = {
    "number": [NUMBERS, WHOLES, st.integers(0, 3), st.sampled_from([0.0, 1.0, 2.0, 3.5])],
    "category": [WORDS],
    "boolean": [st.booleans()],
    "date": [TIMES, DAYS],
}


@st.composite
def columns(draw, rows, kind):
    """Cells of one kind, perhaps with missing ones; from a few values or from many."""
    cells = draw(st.sampled_from(CELLS[kind]))
    if draw(st.booleans()):
        cells = st.sampled_from(draw(st.lists(cells, min_size=1, max_size=3)))
    if draw(st.booleans()):
        cells = st.one_of(st.none(), cells)
    return draw(st.lists(cells, min_size=rows, max_size=rows))


@st.composite
def tables(draw, kinds=("number", "category", "boolean", "date"), most=30):
    """A dict of columns."""
    rows = draw(st.integers(1, most))
    names = draw(st.lists(WORDS.filter(bool), min_size=1, max_size=4, unique=True))
    return {name: draw(columns(rows, draw(st.sampled_from(kinds)))) for name in names}


def as_dicts(table):
    names = list(table)
    return [dict(zip(names, cells, strict=True)) for cells in zip(*table.values(), strict=True)]


def as_pandas(table):
    return pd.DataFrame({name: pd.Series(cells) for name, cells in table.items()})


def as_polars(table):
    return pl.DataFrame({name: pl.Series(cells, strict=False) for name, cells in table.items()})


def as_structured(table):
    rows = list(zip(*table.values(), strict=True))
    return np.array(rows, dtype=[(name, object) for name in table])


def as_objects(table):
    """Without names."""
    found = np.empty((len(next(iter(table.values()))), len(table)), dtype=object)
    for number, cells in enumerate(table.values()):
        found[:, number] = cells
    return found


def as_lists(table):
    return [list(row) for row in zip(*table.values(), strict=True)]


NAMED = [as_dicts, as_pandas, as_polars, as_structured]
UNNAMED = [as_objects, as_lists]


def encoder_of(table, **settings):
    return gm.TableEncoder(**settings).fit(as_dicts(table))
