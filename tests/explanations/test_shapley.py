"""gristmill.explain on rows of features: values and interactions are exact."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.data.strategies import as_dicts, feature_sets, odd_kernels, parts, rows
from tests.explanations.machines_to_explain import bank_machine, by_overlap, large_machine, scale_of
from tests.oracle import polynomial, shapley
from tests.properties import share

# --- values and interactions ------------------------------------------------------------------------------------------


@share(0.6)
@given(parts(kernel=odd_kernels(), features=7, longest=7), st.frozensets(st.integers(0, 7), max_size=6))
def test_values_and_interactions_equal_a_sum_over_all_subsets(machine, x):
    x = sorted(x)
    native = machine.machine()
    explanation = gm.explain(native, gm.ids([x]), interactions=True)[0]
    tolerance = 1e-9 * scale_of(native, [x])
    for output in range(machine.n_outputs):
        row = dict.fromkeys(x, 1)
        game = shapley.polynomial_game(machine.support, machine.column(output), machine.parameters, row)
        values, pairs = shapley.values(game, x), shapley.interactions(game, x)
        assert np.abs(explanation.values[:, output] - [float(values[f]) for f in x]).max(initial=0) <= tolerance
        assert (
            np.abs(explanation.interactions[:, output] - [float(one) for one in pairs.values()]).max(initial=0)
            <= tolerance
        )


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("outputs", [1, 2, 7, 40])
@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_frequent_and_rare_features_give_what_the_formula_says(degree, outputs, sparse):
    kernel = gm.PolynomialKernel(degree, 0.5, 1.5)
    machine, share, rng = large_machine(degree * 100 + outputs, 150, 40, outputs, kernel, 0.4, sparse)
    X = [sorted(np.flatnonzero(rng.random(44) < np.append(share, [0.5] * 4)).tolist()) for _ in range(6)]
    X += [[], [43], list(range(44)), [int(np.argmax(share))]]
    explanation = gm.explain(machine, gm.ids(X), interactions=True)
    for row, x in zip(explanation, X, strict=True):
        values, pairs = by_overlap(machine, x)
        tolerance = 1e-9 * scale_of(machine, [x])
        assert np.abs(row.values - values).max(initial=0) <= tolerance
        assert np.abs(row.interactions - pairs).max(initial=0) <= tolerance


@share(0.4)
@given(st.integers(0, 2**32), st.integers(1, 400), st.integers(1, 60), st.integers(1, 3), st.floats(0.02, 0.6))
def test_machines_of_any_shape_give_what_the_formula_says(seed, n_support, n_features, outputs, density):
    machine, share, rng = large_machine(seed, n_support, n_features, outputs, gm.PolynomialKernel(3), density)
    x = np.flatnonzero(rng.random(n_features) < np.minimum(1, 2 * share)).tolist()
    explanation = gm.explain(machine, gm.ids([x]), interactions=True)[0]
    values, pairs = by_overlap(machine, x)
    assert np.abs(explanation.values - values).max(initial=0) <= 1e-9 * scale_of(machine, [x])
    assert np.abs(explanation.interactions - pairs).max(initial=0) <= 1e-9 * scale_of(machine, [x])


def test_rows_of_hundreds_of_features_add_up():
    machine, _, rng = large_machine(5, 90, 700, 2, gm.PolynomialKernel(2, 0.1), density=1.0)
    X = [sorted(rng.choice(700, size, replace=False).tolist()) for size in (700, 300, 260)]
    explanation = gm.explain(machine, gm.ids(X), interactions=True)
    scores = machine.compile("direct").decision_function(gm.ids(X))
    assert np.abs(explanation.scores - scores).max() <= 1e-9 * scale_of(machine, X)
    values, pairs = by_overlap(machine, X[2])
    assert np.abs(explanation[2].values - values).max() <= 1e-9 * scale_of(machine, X)
    assert np.abs(explanation[2].interactions - pairs).max() <= 1e-9 * scale_of(machine, X)


@given(parts(), rows)
def test_base_and_values_add_up_to_the_score(machine, X):
    native = machine.machine()
    explanation = gm.explain(native, X)
    scores = native.compile("direct").decision_function(X).reshape(len(X), machine.n_outputs)
    empty = [float(polynomial.score([], [], b, machine.parameters, {})) for b in machine.intercept]
    for output in range(machine.n_outputs):
        column = machine.column(output)
        empty[output] = float(
            polynomial.score(machine.support, column, machine.intercept[output], machine.parameters, {})
        )
    assert np.abs(explanation.base - empty).max() <= 1e-9 * scale_of(native, X)
    assert np.abs(explanation.scores - scores).max(initial=0) <= 1e-9 * scale_of(native, X)


def test_any_number_of_threads_gives_the_same_bits():
    machine, share, rng = large_machine(3, 200, 50, 3, gm.PolynomialKernel(3))
    X = sp.csr_matrix(rng.random((300, 50)) < share, dtype=float)
    one, three = (gm.explain(machine, X, interactions=True, n_jobs=jobs) for jobs in (1, 3))
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.interactions, three.interactions)


def test_a_linear_machine_has_no_interactions_at_all():
    machine, _, _ = large_machine(4, 100, 30, 1, gm.PolynomialKernel(1, 0.3, 0.7))
    assert not gm.explain(machine, [set(range(30))], interactions=True).interactions.any()


def test_features_that_no_support_row_has_add_nothing():
    explanation = gm.explain(bank_machine(feature_names=None), [{1, 2, 900}])[0]
    assert explanation.values[2, 0] == 0
    assert [one.features for one in explanation.top()] == [(2,), (1,)]
    assert gm.explain(bank_machine(), [{1, 900}])[0].names == ("bank", "900")


def test_whole_numbers_are_named_as_data_files_have_them():
    assert gm.explain(bank_machine(classes=[-1.0, 1.0]), [{0}]).output_names == ("1",)
    assert gm.explain(bank_machine(classes=[0.5, 1.5]), [{0}]).output_names == ("1.5",)


def test_a_machine_without_support_rows_has_its_intercept():
    machine = gm.Machine(gm.PolynomialKernel(2), sp.csr_matrix((0, 5)), np.empty((0, 1)), 0.5)
    explanation = gm.explain(machine, [{0, 3}, set()], interactions=True)
    assert explanation.scores.ravel().tolist() == [0.5, 0.5]
    assert not explanation.values.any()
    assert not explanation.interactions.any()


def test_huge_degrees_are_explained_or_refused():
    machine = gm.Machine(gm.PolynomialKernel(60, 0.05, 0.5), [{0, 1, 2}, {1}], [1.0, -1.0], 0.0)
    explanation = gm.explain(machine, [{0, 1, 2}], interactions=True)
    assert explanation.scores[0, 0] == pytest.approx(
        machine.compile("direct").decision_function([{0, 1, 2}])[0], rel=1e-12
    )
    with pytest.raises(ValueError, match="range of double"):
        gm.explain(gm.Machine(gm.PolynomialKernel(1000, 9.0, 9.0), [{0, 1}], [1.0], 0.0), [{0, 1}])


# --- baselines, values that are not 0 or 1 ----------------------------------------------------------------------------


@share(0.4)
@given(parts(features=6, longest=6), feature_sets, feature_sets)
def test_a_baseline_row_is_what_rows_are_compared_with(machine, x, other):
    x, other = ({f for f in row if f < 6} for row in (x, other))
    native = machine.machine()
    explanation = gm.explain(native, [x], baseline=[other], interactions=True)
    scores = native.compile("direct").decision_function([x, other]).reshape(2, -1)
    tolerance = 1e-9 * scale_of(native, [range(6)])
    assert np.abs(explanation.base - scores[1]).max() <= tolerance
    assert np.abs(explanation.scores[0] - scores[0]).max() <= tolerance
    assert set(explanation.ids) == set(x) | set(other)
    assert explanation.data.tolist() == [float(feature in x) for feature in explanation.ids]
    here, there = as_dicts([x, other])
    players = shapley.players_of(here, there)
    game = shapley.polynomial_game(machine.support, machine.column(0), machine.parameters, here, there)
    values = shapley.values(game, players)
    expected = [float(values.get(feature, 0)) for feature in explanation.ids]
    assert np.abs(explanation.values[:, 0] - expected).max(initial=0) <= tolerance


def test_real_values_are_computed_with_where_the_machine_has_them():
    machine = gm.Machine(gm.PolynomialKernel(2), np.array([[0.5, 2.0], [1.0, 0.0]]), [1.0, -1.0], 0.0)
    X = np.array([[3.0, 0.25], [0.0, 1.0]])
    explanation = gm.explain(machine, X, interactions=True)
    assert explanation.scores.ravel() == pytest.approx(machine.compile().decision_function(X))
    assert explanation.data.tolist() == [3.0, 0.25, 1.0]
    assert explanation[0].names == ("0 = 3", "1 = 0.25")


def test_other_values_become_1_as_in_a_scorer_or_are_computed_with():
    machine, X = bank_machine(), np.array([[2.0, 1.0, 0.0]])
    with pytest.warns(gm.DataConversionWarning):
        explanation = gm.explain(machine, X)
    assert explanation.scores[0, 0] == pytest.approx(machine.compile().decision_function([{0, 1}])[0])
    real = gm.explain(machine, X, binarize=False)
    assert real.scores[0, 0] == pytest.approx(machine.compile(binarize=False).decision_function(X)[0])
    with pytest.raises(ValueError, match="0 and 1"):
        gm.explain(machine, X, binarize=None)


def test_a_baseline_must_be_one_row():
    with pytest.raises(ValueError, match="a single row, got 2"):
        gm.explain(bank_machine(), [{0}], baseline=[{0}, {1}])
