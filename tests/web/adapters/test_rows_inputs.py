"""Rows of requests: the fast path gives the same as the checks one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.web.adapters.base import ExplainOptions, ModelRequest
from gristmill.web.adapters.rows import RowReader, RowsAdapter
from gristmill.web.limits import Limits, RefusedError
from tests.properties import share

NAMES = ["a", "b", "c", "1", "é"]
CELLS = st.one_of(
    st.integers(-1, 7), st.sampled_from([*NAMES, "x", ""]), st.booleans(), st.floats(0, 4), st.none(), st.just([1])
)
ROWS = st.one_of(st.lists(CELLS, max_size=6), st.lists(st.integers(0, 6), max_size=6), st.lists(st.sampled_from(NAMES)))


def machine(**more):
    return gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {1, 2}, {4}], [1.0, -0.5, 0.75], 0.0, **more)


@pytest.mark.parametrize("more", [{}, {"first_id": 1}, {"feature_names": NAMES}], ids=["from 0", "from 1", "named"])
@share(3)
@given(row=ROWS)
def test_both_ways_find_the_same(more, row):
    reader = RowReader(machine(**more), 0.0, Limits(features=5))
    assert outcome(reader.read, row) == outcome(reader._checked, row)


def outcome(read, row):
    try:
        return read(row, "rows[0]")
    except RefusedError as refusal:
        return refusal.as_dict()


@pytest.mark.parametrize("engine", ["direct", "inverted", "bits", "expanded", "split"])
def test_more_work_takes_more_effort(engine):
    adapter = RowsAdapter(machine().compile(engine), Limits())
    short, long = (adapter.read(row, "") for row in ([1], [0, 1, 2, 3]))
    plain, pairs, without = ExplainOptions(), ExplainOptions(interactions=True), ExplainOptions(without=True)
    assert adapter.estimated_nanoseconds(ModelRequest([])) == 0
    assert (
        0
        < adapter.estimated_nanoseconds(ModelRequest([short]))
        <= adapter.estimated_nanoseconds(ModelRequest([long]))
        < adapter.estimated_nanoseconds(ModelRequest([long, long]))
    )
    assert adapter.estimated_nanoseconds(ModelRequest([long])) < adapter.estimated_nanoseconds(
        ModelRequest([long], plain)
    )
    assert adapter.estimated_nanoseconds(ModelRequest([long], plain)) < min(
        adapter.estimated_nanoseconds(ModelRequest([long], one)) for one in (pairs, without)
    )


@pytest.mark.parametrize("engine", ["inverted", "split", "expanded"])
def test_names_that_no_support_row_has_take_effort_too(engine):
    adapter = RowsAdapter(machine(feature_names=[*NAMES, "never seen"]).compile(engine), Limits())
    row = adapter.read(["a", "never seen"], "")
    assert (
        0
        < adapter.estimated_nanoseconds(ModelRequest([row]))
        < adapter.estimated_nanoseconds(ModelRequest([row], ExplainOptions(without=True)))
    )


def test_many_small_rows_are_no_quick_work():
    adapter = RowsAdapter(machine().compile(), Limits())
    rows = [adapter.read([1], "")] * 100
    assert (
        adapter.estimated_nanoseconds(ModelRequest(rows))
        < 1e6
        < adapter.estimated_nanoseconds(ModelRequest(rows, ExplainOptions()))
    )
