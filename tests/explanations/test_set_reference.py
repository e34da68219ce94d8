"""Kernels of sets against a baseline or a background, with groups, with real values, and with columns dropped."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.explanations import dropped_shapley
from tests.across.interrupting import SOON, seconds_to_stop
from tests.explanations.test_set_shapley import KERNELS, assert_close, few_features, machines, numbers_of
from tests.kernels.set_kernels import id_rows
from tests.oracle import shapley
from tests.properties import share

few = st.frozensets(st.integers(0, 8), max_size=5)


def row_of(values, width=9):
    """A dense row of {feature: value}."""
    table = np.zeros((1, width))
    table[0, list(values)] = list(values.values())
    return table


def shares_of(expected, ids):
    """By entry; what is no player has 0."""
    return [float(expected.get(one, 0)) for one in ids]


def pair_shares_of(expected, ids):
    pairs = [(one, other) for at, one in enumerate(ids) for other in ids[at + 1 :]]
    return [float(expected.get(pair, 0)) for pair in pairs]


# --- baselines --------------------------------------------------------------------------------------------------------


@share(2)
@given(machines(), few, few)
def test_a_baseline_row_is_what_rows_are_compared_with(case, x, other):
    machine, (support, coef, intercept, kernel) = case
    explanation = gm.explain(machine, id_rows([x]), baseline=id_rows([other]), interactions=True)
    ids, players = explanation.ids.tolist(), sorted(x ^ other)[:7]
    assert ids == sorted(x | other)
    if len(x ^ other) > len(players):
        return
    for output, b in enumerate(intercept):
        game = shapley.set_game(support, coef[:, output], b, kernel, x, other)
        size = 1 + abs(b) + np.abs(coef[:, output]).sum()
        assert_close(explanation.values[:, output], shares_of(shapley.values(game, players), ids), size)
        pairs = pair_shares_of(shapley.interactions(game, players), ids)
        assert_close(explanation.interactions[:, output], pairs, size)
        assert_close(explanation.base[output], game(frozenset()), size)


@given(machines(most_outputs=1), few_features)
def test_an_empty_baseline_is_no_baseline(case, x):
    machine = case[0]
    game = gm.explanations.shapley.reference_explanation(machine, id_rows([x]), interactions=True)
    explanation = gm.explain(machine, id_rows([x]), interactions=True)
    size = 1 + np.abs(machine.dense_coef()).sum()
    assert_close(game.values, explanation.values, size)
    assert_close(game.interactions, explanation.interactions, size)


@given(machines(most_outputs=2), st.lists(few, min_size=1, max_size=4), st.lists(few, min_size=1, max_size=3))
def test_a_background_is_the_mean_of_its_rows(case, X, background):
    machine = case[0]
    found = gm.explain(machine, id_rows(X), background=id_rows(background), interactions=True)
    size = 1 + np.abs(machine.dense_coef()).sum()
    alone = [gm.explain(machine, id_rows(X), baseline=id_rows([one]), interactions=True) for one in background]
    assert_close(found.base, np.mean([one.base for one in alone], axis=0), size)
    for number, row in enumerate(found):
        table = np.zeros((9, machine.n_outputs))
        for one in alone:
            own = one.ids[one.offsets[number] : one.offsets[number + 1]]
            table[own] += one[number].values / len(alone)
        own = found.ids[found.offsets[number] : found.offsets[number + 1]]
        assert_close(row.values, table[own], size)


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(0)
    support, X = (sp.csr_matrix(rng.random((count, 30)) < 0.3, dtype=float) for count in (50, 20))
    for kernel in KERNELS.values():
        if "table" in str(kernel):
            continue
        machine = gm.Machine(kernel, support, rng.normal(size=(50, 2)), [0.0, 1.0])
        one, three = (gm.explain(machine, X, baseline=X[3], interactions=True, n_jobs=jobs) for jobs in (1, 3))
        assert np.array_equal(one.values, three.values)
        assert np.array_equal(one.interactions, three.interactions)


def test_ctrl_c_ends_a_single_long_row():
    rng = np.random.default_rng(0)
    support, X = (sp.csr_matrix(rng.random((count, 3000)) < 0.5, dtype=float) for count in (200, 2))
    machine = gm.Machine(gm.SetKernel(lambda m, x, s: m / (1.0 + x + s)), support, np.ones(200), 0.0)
    assert seconds_to_stop(lambda: gm.explain(machine, X[0], baseline=X[1])) < SOON


# --- groups -----------------------------------------------------------------------------------------------------------


GROUPS = {"a": [0, 1, 2], "b": [3, 4], "c": [7, 8]}
PLAYERS = {0: {0, 1, 2}, 1: {3, 4}, 2: {7, 8}, 3: {5}, 4: {6}} | {at - 4: {at} for at in range(9, 31)}


@share(2)
@given(machines(), few, few)
def test_groups_of_columns_are_players(case, x, other):
    machine, (support, coef, intercept, kernel) = case
    compared = {"groups": GROUPS, "baseline": id_rows([other]), "interactions": True}
    explanation = gm.explain(machine, id_rows([x]), **compared)
    named, ids = range(5), explanation.ids.tolist()
    for output, b in enumerate(intercept):
        single = shapley.set_game(support, coef[:, output], b, kernel, x, other)
        game = shapley.grouped(single, {name: frozenset(own) for name, own in PLAYERS.items()})
        size = 1 + abs(b) + np.abs(coef[:, output]).sum()
        assert_close(explanation.values[:, output], shares_of(shapley.values(game, named), ids), size)
        pairs = pair_shares_of(shapley.interactions(game, named), ids)
        assert_close(explanation.interactions[:, output], pairs, size)
        assert_close(explanation.base[output], game(frozenset()), size)


@given(machines(), few, few)
def test_groups_of_one_column_are_columns(case, x, other):
    machine, (_, coef, intercept, _) = case
    how = {"baseline": id_rows([other]), "interactions": True}
    grouped = gm.explain(machine, id_rows([x]), groups=[[at] for at in range(31)], **how)
    alone = gm.explain(machine, id_rows([x]), **how)
    size = 1 + np.abs(intercept).sum() + np.abs(coef).sum()
    assert grouped.ids.tolist() == alone.ids.tolist()
    assert_close(grouped.values, alone.values, size)
    assert_close(grouped.interactions, alone.interactions, size)


@pytest.mark.parametrize("name", ["rbf", "tanimoto", "sigmoid", "cosine", "dice", "callable"])
def test_groups_of_long_rows_add_up_with_any_number_of_threads(name):
    rng = np.random.default_rng(3)
    support, X = (sp.csr_matrix(rng.random((count, 120)) < 0.3, dtype=float) for count in (20, 4))
    machine = gm.Machine(KERNELS[name], support, rng.normal(size=(20, 2)), [0.0, 1.0])
    how = {"groups": [range(at, at + 10) for at in range(0, 120, 10)], "baseline": X[3], "interactions": True}
    one, three = (gm.explain(machine, X, n_jobs=jobs, **how) for jobs in (1, 3))
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.interactions, three.interactions)
    size = np.abs(machine.dense_coef()).sum()
    assert_close(one.scores, machine.compile("direct").decision_function(X), size)


def test_ctrl_c_ends_a_single_row_of_large_groups():
    support = sp.csr_matrix(np.random.default_rng(0).random((50, 600)) < 0.5, dtype=float)
    machine = gm.Machine(gm.TanimotoKernel(), support, np.ones(50), 0.0)
    groups = [range(at, at + 50) for at in range(0, 600, 50)]
    assert seconds_to_stop(lambda: gm.explain(machine, gm.ids([range(600)]), groups=groups)) < SOON


def test_groups_with_too_many_counts_are_refused():
    support, long = gm.ids([range(3000)], 4000), gm.ids([range(4000)], 4000)
    machine = gm.Machine(gm.TanimotoKernel(), support, [1.0], 0.0)
    with pytest.raises(ValueError, match=r"2 groups with 3001 x 4001 counts are more than 8388608 numbers; make fewer"):
        gm.explain(machine, long, groups=[range(2000), range(2000, 4000)])


def table_model(kernel):
    rng = np.random.default_rng(1)
    table = [{"rooms": int(rng.integers(1, 5)), "sky": str(rng.choice(["sun", "rain"]))} for _ in range(50)]
    y = [row["rooms"] > 2 or row["sky"] == "sun" for row in table]
    encoder = gm.TableEncoder().fit(table, y)
    model = gm.KernelSVC(kernel=kernel).fit(encoder.transform(table), y)
    return model.machine_.replace(encoding=encoder.encoding_), encoder, table


IN_TABLES = ["rbf", "tanimoto", "sigmoid", "cosine", "dice", "callable"]


@pytest.mark.parametrize("name", IN_TABLES)
def test_fields_are_compared_with_the_distribution_of_training(name):
    machine, encoder, table = table_model(KERNELS[name])
    explanation = gm.explain(machine, table[:5], groups=encoder, interactions=True)
    assert [len(row.values) for row in explanation] == [2] * 5
    score = machine.compile().decision_function
    assert np.allclose(explanation.scores[:, 0], score(encoder.transform(table[:5])))
    rooms, sky = (own / own.sum() for own in machine.encoding.counts)
    rows = gm.ids([[one, len(rooms) + other] for one in range(len(rooms)) for other in range(len(sky))])
    by_bins = score(rows).reshape(len(rooms), len(sky))
    for row, (own, other) in zip(explanation, encoder.transform(table[:5]).indices.reshape(5, 2), strict=True):
        neither, first = rooms @ by_bins @ sky, by_bins[own] @ sky
        second, both = rooms @ by_bins[:, other - len(rooms)], by_bins[own, other - len(rooms)]
        assert row.base[0] == pytest.approx(neither)
        assert row.interactions[0, 0] == pytest.approx(both - first - second + neither)
        assert row.values[0, 0] == pytest.approx((first - neither + both - second) / 2)


@pytest.mark.parametrize("name", IN_TABLES)
def test_rows_that_lack_a_field_are_compared_too(name):
    machine, encoder, table = table_model(KERNELS[name])
    rows = encoder.transform(table[:6]).tolil()
    rows[0], rows[1, :3] = 0, 0
    explanation = gm.explain(machine, rows.tocsr(), background="fields")
    assert np.allclose(explanation.scores[:, 0], machine.compile().decision_function(rows.tocsr()))


def test_a_feature_outside_all_groups_is_refused_where_it_counts():
    machine = gm.Machine(gm.RBFKernel(1.0), gm.ids([[0, 1]], n_features=3), [1.0], 0.0)
    with pytest.raises(ValueError, match="feature 7 is in no group"):
        gm.explain(machine, gm.ids([[0, 7]]), groups=[[0, 1], [2]])


# --- real values ------------------------------------------------------------------------------------------------------

real_rows = st.dictionaries(st.integers(0, 5), st.floats(-2, 2).map(lambda a: round(a, 2)).filter(bool), max_size=5)


@given(st.lists(real_rows, min_size=1, max_size=4), real_rows, st.none() | real_rows, st.floats(0, 3))
def test_real_values_under_rbf_equal_a_sum_over_all_subsets(support, x, other, gamma):
    table = np.concatenate([row_of(row) for row in [*support, {8: 0.5}]])
    coef = np.linspace(-1, 2, len(table))
    machine = gm.Machine(gm.RBFKernel(gamma), table, coef, 0.25)
    options = {} if other is None else {"baseline": row_of(other)}
    explanation = gm.explain(machine, row_of(x), interactions=True, **options)
    game = shapley.rbf_game([*support, {8: 0.5}], coef, 0.25, gamma, x, other or {})
    players, ids = shapley.players_of(x, other or {}), explanation.ids.tolist()
    assert_close(explanation.values[:, 0], shares_of(shapley.values(game, players), ids), 5)
    assert_close(explanation.interactions[:, 0], pair_shares_of(shapley.interactions(game, players), ids), 5)


def test_real_values_under_other_kernels_are_refused():
    machine = gm.Machine(gm.TanimotoKernel(), np.array([[0.5, 1.0]]), [1.0], 0.0)
    with pytest.raises(ValueError, match="values other than 0 and 1 are explained for polynomial and RBF"):
        gm.explain(machine, np.array([[2.0, 1.0]]))


# --- dropped columns --------------------------------------------------------------------------------------------------


@given(st.lists(few, max_size=6), few, st.floats(0, 3))
def test_dropped_columns_are_no_part_of_the_kernel(support, x, gamma):
    coef = np.column_stack([np.linspace(-1, 2, len(support)), np.ones(len(support))])
    machine = gm.Machine(gm.RBFKernel(gamma), id_rows(support), coef, [0.25, 0.0])
    explanation = gm.explain(machine, id_rows([x]), absent="dropped")
    ids = explanation.ids.tolist()
    assert ids == sorted(x.union(*support))
    if len(ids) > 8:
        return
    for output in range(2):
        rows = [dict.fromkeys(s, 1) for s in support]
        game = shapley.dropped_game(rows, coef[:, output], machine.intercept[output], gamma, dict.fromkeys(x, 1))
        assert_close(explanation.values[:, output], numbers_of(shapley.values(game, ids)), 10)
        assert_close(explanation.base[output], game(frozenset()), 10)


@given(st.lists(real_rows, min_size=1, max_size=4), real_rows, st.floats(0, 3))
def test_dropped_columns_may_have_real_values(support, x, gamma):
    table = np.concatenate([row_of(row) for row in [*support, {8: 0.5}]])
    coef = np.linspace(-1, 2, len(table))
    explanation = gm.explain(gm.Machine(gm.RBFKernel(gamma), table, coef, 0.25), row_of(x), absent="dropped")
    game = shapley.dropped_game([*support, {8: 0.5}], coef, 0.25, gamma, x)
    expected = shapley.values(game, explanation.ids.tolist())
    assert_close(explanation.values[:, 0], numbers_of(expected), 5)


def test_many_rows_are_explained_in_blocks_and_add_up(monkeypatch):
    rng = np.random.default_rng(0)
    support, X = (sp.csr_matrix(rng.random((count, 40)) < 0.3, dtype=float) for count in (60, 90))
    machine = gm.Machine(gm.RBFKernel(0.05), support, rng.normal(size=60), 0.5)
    whole = gm.explain(machine, X, absent="dropped")
    monkeypatch.setattr(dropped_shapley, "_NUMBERS", 500)
    explanation = gm.explain(machine, X, absent="dropped")
    scores = machine.compile("direct").decision_function(X)
    size = np.abs(machine.dense_coef()).sum()
    assert np.abs(explanation.scores[:, 0] - scores).max() <= 1e-12 * size
    assert_close(explanation.values, whole.values, size)


def test_dropped_columns_are_for_values_of_rbf_machines():
    machine = gm.Machine(gm.RBFKernel(1.0), [{0}], [1.0], 0.0)
    with pytest.raises(ValueError, match="for the RBF kernel, a product over columns, got TanimotoKernel"):
        gm.explain(machine.replace(kernel=gm.TanimotoKernel()), [{0}], absent="dropped")
    with pytest.raises(ValueError, match="values alone"):
        gm.explain(machine, [{0}], absent="dropped", interactions=True)
    for wrong in ({"baseline": [{0}]}, {"background": [{0}]}, {"groups": [[0]]}):
        with pytest.raises(ValueError, match="does not go with absent='dropped'"):
            gm.explain(machine, [{0}], absent="dropped", **wrong)
    with pytest.raises(ValueError, match="must be 'dropped' or None, got 'gone'"):
        gm.explain(machine, [{0}], absent="gone")
    with pytest.raises(ValueError, match="is for explaining rows"):
        gm.explain(machine, absent="dropped")
