"""Features of two thousand million: nothing takes memory by the largest id."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.base.id_table import IdTable, place_among
from gristmill.data.rows import over_shared_columns
from gristmill.explanations.rules import rules_of
from gristmill.machines.linear import as_weights
from gristmill.web.adapters.rows import Completion

LAST = 2**31 - 2
LISTS = [[0, 1, LAST], [1, 2**27], [0, 2**27, LAST - 1]]
MOST = 32 << 20  # bytes
IDS = gm.ids(LISTS)
COLUMNS = [0, 1, 2**27, LAST - 1, LAST]
NARROW = gm.ids([[COLUMNS.index(one) for one in row] for row in LISTS])


def _machine(kernel, rows=IDS):
    return gm.Machine(kernel, rows, [1.0, -0.5, 2.0], 0.25, classes=[-1, 1])


WAYS = {
    "direct": lambda machine, rows: machine.compile("direct").decision_function(rows),
    "auto": lambda machine, rows: machine.compile().decision_function(rows),
    "definition": lambda machine, rows: machine.kernel.direct(rows, machine.support),
    "real values": lambda machine, rows: machine.kernel(rows.to_csr() * 0.5, machine.support),
    "explain": lambda machine, rows: gm.explain(machine, rows)[0].values,
    "importance": lambda machine, rows: [one.value for one in gm.importance(machine, rows).top()],
    "interactions": lambda machine, rows: gm.importance(machine, rows, interactions=True).pair_magnitudes,
}


@pytest.fixture
def little_memory():
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST


@pytest.mark.parametrize("way", WAYS)
def test_wide_machines_are_as_their_narrow_twins(way, little_memory):
    wide = WAYS[way](_machine(gm.PolynomialKernel(2)), IDS)
    assert np.array_equal(wide, WAYS[way](_machine(gm.PolynomialKernel(2), NARROW), NARROW))


def test_importances_know_their_features(little_memory):
    found = gm.importance(_machine(gm.PolynomialKernel(2)), iter([IDS.one(0), IDS.one(1)]))
    twin = gm.importance(_machine(gm.PolynomialKernel(2), NARROW), iter([NARROW.one(0), NARROW.one(1)]))
    assert [one.features for one in found.top()] == [(COLUMNS[one.features[0]],) for one in twin.top()]
    counts = [[entry["count"] for entry in one.as_dict()["features"]] for one in (found, twin)]
    assert counts[0] == counts[1]
    assert found.features.tolist() == [0, 1, 2**27, LAST]


def test_rules_and_their_coverage(little_memory):
    rules, twin = (rules_of(_machine(gm.PolynomialKernel(2), rows), top=5) for rows in (IDS, NARROW))
    assert [one.weight for one in rules] == [one.weight for one in twin]
    assert np.array_equal(rules.coverage(IDS).listed, twin.coverage(NARROW).listed)
    assert [one.weight for one in rules.matching(IDS.one(2))] == [one.weight for one in twin.matching(NARROW.one(2))]


def test_counterfactuals(little_memory):
    found, twin = (gm.counterfactual(_machine(gm.PolynomialKernel(2), rows), rows.one(1)) for rows in (IDS, NARROW))
    assert [one.cost for one in found] == [one.cost for one in twin]


def test_a_kernel_that_sees_lengths_cannot_list_all_columns(little_memory):
    with pytest.raises(ValueError, match="all columns may change where the lengths of rows count, but there are"):
        gm.counterfactual(_machine(gm.RBFKernel(0.5)), IDS.one(1))


def test_groups_cannot_list_all_columns(little_memory):
    with pytest.raises(ValueError, match=r"all columns are players .* at most 1,048,576 can be listed"):
        gm.explain(_machine(gm.PolynomialKernel(2)), IDS, groups={"a": [0, 1]})


def test_weights_of_linear_machines(little_memory):
    weights, twin = (as_weights(_machine(gm.PolynomialKernel(1), rows)) for rows in (IDS, NARROW))
    assert np.array_equal(weights.coef, twin.coef)
    assert weights.rows.ids.tolist() == [COLUMNS[at] for at in twin.rows.ids]


def test_linear_models_of_opal_are_refused(tmp_path, little_memory):
    machine = gm.Machine(gm.PolynomialKernel(1, coef0=0.0), gm.ids([[1, LAST]]), [1.0], 0.0, [-1, 1], first_id=0)
    with pytest.raises(ValueError, match="opal's linear models have a weight for each column"):
        gm.write(machine, tmp_path / "model", format="opal")


@pytest.mark.parametrize("known", ["libsvm", "svmlight", "tinysvm"])
def test_formats_list_entries_alone(known, tmp_path, little_memory):
    machine = _machine(gm.PolynomialKernel(2, coef0=1.0), gm.ids([[1, LAST - 1], [2, 3], [2**27]]))
    gm.write(machine, tmp_path / "model", format=known)
    assert (tmp_path / "model").stat().st_size < 2000


def test_names_are_completed(little_memory):
    assert Completion(_machine(gm.PolynomialKernel(2)))("2147", 5)


# --- what it is made of -----------------------------------------------------------------------------------------------

some_ids = st.lists(st.integers(0, LAST), unique=True, max_size=8)


@given(known=some_ids, asked=some_ids)
def test_a_table_finds_what_is_there(known, asked):
    values = {one: at for at, one in enumerate(known)}
    table = IdTable(np.array(known, dtype=np.int64), np.arange(len(known)), absent=-1)
    assert table.of(np.array(asked + known, dtype=np.int64)).tolist() == [values.get(one, -1) for one in asked + known]


@given(known=some_ids.map(sorted), asked=some_ids)
def test_places_among_ids(known, asked):
    found = place_among(np.array(known, dtype=np.int64), np.array(asked, dtype=np.int64))
    assert found.tolist() == [known.index(one) if one in known else len(known) for one in asked]


@given(rows=st.lists(some_ids, min_size=1, max_size=4), others=st.lists(some_ids, min_size=1, max_size=4))
def test_shared_columns_keep_what_rows_have_in_common(rows, others):
    left, right = over_shared_columns(gm.ids(rows), gm.ids(others))
    shared = [[len(set(a) & set(b)) for b in others] for a in rows]
    columns = [[set(rows.one(at).ids.tolist()) for at in range(len(rows))] for rows in (left, right)]
    assert [[len(a & b) for b in columns[1]] for a in columns[0]] == shared
