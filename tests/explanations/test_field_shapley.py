"""Fields of tables are explained as the definition says, by enumeration of all sets of fields."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gristmill as gm
from tests.explanations.machines_of_fields import (
    COUNTS,
    ENCODING,
    N_BINS,
    N_FIELDS,
    TABLE,
    as_row,
    assert_explains,
    field_of,
    machines_of_fields,
    rows_of_bins,
)
from tests.oracle import groups as oracle

few = settings(max_examples=30)


def explained(made, rows, **options):
    return gm.explain(made.machine, gm.ids(rows, N_BINS), interactions=True, **options)


@few
@given(made=machines_of_fields(), x=rows_of_bins())
def test_values_are_those_of_the_game_against_the_distribution_of_training(made, x):
    assert_explains(explained(made, [x])[0], made, field_of(), as_row(x), oracle.independent(COUNTS))


@few
@given(made=machines_of_fields(), x=rows_of_bins(), background=st.lists(rows_of_bins(), min_size=1, max_size=4))
def test_so_they_are_against_rows_which_all_count(made, x, background):
    found = explained(made, [x], background=gm.ids(background, N_BINS))
    assert_explains(found[0], made, field_of(), as_row(x), oracle.uniform([as_row(z) for z in background]))


@few
@given(made=machines_of_fields((1, 2, 3)), x=rows_of_bins())
def test_the_parts_of_a_date_are_one_player_among_columns(made, x):
    columns = [own.column for own in ENCODING.fields]
    names = list(dict.fromkeys(columns))
    column_of = {feature: names.index(columns[field]) for feature, field in field_of().items()}
    found = explained(made, [x], groups="columns")
    assert found.groups.names == tuple(names)
    assert_explains(found[0], made, column_of, as_row(x), oracle.independent(COUNTS))


@few
@given(made=machines_of_fields(), X=st.lists(rows_of_bins(), max_size=4))
def test_they_add_up_to_the_scores(made, X):
    scores = made.machine.compile("direct").decision_function(gm.ids(X, N_BINS)).reshape(len(X), len(made.intercept))
    np.testing.assert_allclose(explained(made, X).scores, scores, rtol=0, atol=1e-10 * made.scale())


@pytest.mark.parametrize("degree", [2, 5])
def test_threads_change_no_bit(degree):
    draw = np.random.default_rng(0)
    codes = np.stack([draw.integers(0, len(own.bins), 200) for own in ENCODING.fields], axis=1)
    rows = ENCODING.rows(codes.astype(np.uint16))
    machine = gm.Machine(gm.PolynomialKernel(degree), rows.take(np.arange(20)), draw.normal(size=20), 0.0)
    one, three = (
        gm.explain(machine.replace(encoding=ENCODING), rows, interactions=True, n_jobs=n_jobs) for n_jobs in (1, 3)
    )
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.interactions, three.interactions)


def fitted():
    draw = np.random.default_rng(1)
    table = pd.DataFrame({"age": draw.integers(18, 80, 300), "home": draw.choice(["own", "rent"], 300)})
    y = np.where((table["age"] > 40) ^ (table["home"] == "rent"), "good", "bad")
    return gm.TableClassifier(bins=5, C=1.0, degree=2).fit(table, y), table


def test_estimators_of_tables_explain_columns_and_their_bins_from_a_frame():
    clf, table = fitted()
    found = gm.explain(clf, table, interactions=True)
    np.testing.assert_allclose(found.scores[:, 0], clf.decision_function(table), atol=1e-12)
    labels = clf.encoder_.get_feature_names_out()
    for row, codes in zip(found[:5], clf.encoder_.codes(table), strict=False):
        assert row.names == tuple(labels[clf.encoder_.starts_[:-1] + codes])
    assert found.to_csr().shape == (300, 2)
    assert found[0].as_dict()["features"][0]["name"] in labels


def test_a_loaded_machine_explains_the_same(tmp_path):
    clf, table = fitted()
    clf.machine_.save(tmp_path / "model")
    loaded = gm.load(tmp_path / "model")
    one, other = (gm.explain(model, table[:9], interactions=True) for model in (clf, loaded))
    assert np.array_equal(one.values, other.values)
    assert np.array_equal(one.interactions, other.interactions)


def test_importance_in_fields_counts_rows_and_names_columns():
    clf, table = fitted()
    found = gm.importance(clf, table, interactions=True)
    assert found.counts.tolist() == [300, 300]
    assert {one.name for one in found.top()} == {"age", "home"}
    assert [one.name for one in found.top_pairs()] == ["age & home"]
    np.testing.assert_allclose(found.magnitudes, np.abs(gm.explain(clf, table).values.reshape(300, 2, 1)).mean(axis=0))


def test_bins_are_explained_on_request_as_before():
    clf, table = fitted()
    found = gm.explain(clf, table[:3], groups=False)
    assert found.groups is None
    assert found.base[0] == pytest.approx(clf.intercept_[0])


def test_a_row_in_two_bins_of_a_field_is_refused():
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0]], N_BINS), [1.0], 0.0, encoding=ENCODING)
    with pytest.raises(ValueError, match=r"row 1 is in two bins of 'size': .* use groups=False"):
        gm.explain(machine, gm.ids([[0], [0, 1]], N_BINS))


def test_real_values_go_with_polynomial_machines():
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 4]], N_BINS), [1.0], 0.0, encoding=ENCODING)
    x = np.zeros((1, N_BINS))
    x[0, [0, 4]] = 0.5, 1.0
    found = gm.explain(machine, machine.examples(gm.ids([[0, 4]], N_BINS)))
    assert found.scores[0, 0] == pytest.approx(9.0)


def test_without_the_counts_of_training_fields_are_compared_with_a_row_that_has_none():
    spec = ENCODING.to_spec()
    del spec["counts"]
    machine = gm.Machine(
        gm.ConjunctionKernel(), gm.ids([[0]], N_BINS), [1.0], 0.0, encoding=type(ENCODING).from_spec(spec)
    )
    with pytest.raises(ValueError, match="which this machine does not know: give rows as background"):
        gm.explain(machine, TABLE, background="fields")
    assert gm.explain(machine, TABLE).base[0] == 0.0
    assert gm.explain(machine, TABLE, background=TABLE).base[0] == pytest.approx(4 / 6)
    assert len(gm.explain(machine, TABLE, groups=False)) == len(TABLE)


def test_conjunctions_of_more_fields_are_compared_with_a_row_that_has_none_or_with_rows():
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0, 2, 5, 7]], N_BINS), [1.0], 0.5, encoding=ENCODING)
    x = gm.ids([[0, 2, 5, 7]], N_BINS)
    found = gm.explain(machine, x)
    assert found.base.tolist() == [0.5]
    assert found.values.ravel().tolist() == pytest.approx([0.25] * 4)
    assert gm.explain(machine, x, background=x).base.tolist() == [1.5]
    with pytest.raises(ValueError, match="conjunctions are of three fields at most: give rows as background"):
        gm.explain(machine, x, background="fields")


def test_values_beyond_double_are_refused():
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0], [0]], N_BINS), [1e308, 1e308], 0.0, encoding=ENCODING)
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(ValueError, match="leave the range of double"):
        gm.explain(machine, TABLE)


def test_an_empty_machine_explains_nothing():
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([], N_BINS), np.empty(0), 0.5, encoding=ENCODING)
    found = gm.explain(machine, TABLE[:2], interactions=True)
    assert found.base.tolist() == [0.5]
    assert not found.values.any()
    assert len(found.values) == 2 * N_FIELDS
