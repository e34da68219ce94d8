"""gristmill.explain on rows of features."""

from __future__ import annotations

import json
import sys
import types
from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import gristmill as gm
from gristmill.explaining import RowExplanation
from oracle import polynomial, shapley
from strategies import as_dicts, feature_sets, odd_kernels, parts, rows

NAMES = ["money", "bank", "river"]


def bank_machine(**options):
    kernel = gm.PolynomialKernel(2)
    options = {"classes": ["water", "finance"], "feature_names": NAMES} | options
    return gm.Machine(kernel, [[0, 1], [1, 2]], [1.0, -0.5], 0.25, **options)


def scale_of(machine, X):
    """What rounding is measured by: |b| + sum_i |a_i| max |k|."""
    longest = max((len(row) for row in X), default=0)
    largest = np.abs(machine.kernel.values(longest)).max()
    return np.abs(machine.intercept).max() + np.abs(machine.dense_coef()).sum() * largest + 1e-300


def large_machine(seed, n_support, n_features, outputs, kernel, density=0.2, sparse=False):
    """Enough support rows for columns, features from nearly everywhere to nearly nowhere."""
    rng = np.random.default_rng(seed)
    share = np.minimum(1, 3 * density * rng.random(n_features) ** 3)
    support = sp.csr_matrix(rng.random((n_support, n_features)) < share, dtype=np.float64)
    coef = rng.normal(size=(n_support, outputs))
    if sparse:
        coef[rng.random(coef.shape) < 0.7] = 0
    return gm.Machine(kernel, support, sp.csr_matrix(coef) if sparse else coef, rng.normal(size=outputs)), share, rng


def by_overlap(machine, x):
    """Formulas A10 as printed, in plain loops."""
    degree, gamma, coef0 = machine.kernel.degree, machine.kernel.gamma, machine.kernel.coef0
    k = [(gamma * m + coef0) ** degree for m in range(len(x) + 2)]
    c = [sum((-1) ** (r - m) * comb(r, m) * k[m] for m in range(r + 1)) for r in range(min(degree, len(x)) + 1)]
    coef = machine.dense_coef()
    values, pairs = np.zeros((len(x), machine.n_outputs)), np.zeros((len(x), len(x), machine.n_outputs))
    for number, row in enumerate(machine.support.to_csr()):
        shared = [at for at, feature in enumerate(x) if feature in set(row.indices)]
        m = len(shared)
        pair = sum(comb(m - 2, r - 2) * c[r] / (r - 1) for r in range(2, min(degree, m) + 1)) if m > 1 else 0
        for at in shared:
            values[at] += coef[number] * (k[m] - k[0]) / m
            for other in shared:
                if at < other:
                    pairs[at, other] += coef[number] * pair
    return values, pairs[np.triu_indices(len(x), 1)]


# --- values and interactions ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(parts(kernel=odd_kernels(), features=7, longest=7), st.frozensets(st.integers(0, 7), max_size=6))
def test_values_and_interactions_equal_a_sum_over_all_subsets(machine, x):
    x = sorted(x)
    native = machine.machine()
    told = gm.explain(native, [x], interactions=True)[0]
    tolerance = 1e-9 * scale_of(native, [x])
    for output in range(machine.n_outputs):
        row = dict.fromkeys(x, 1)
        game = shapley.polynomial_game(machine.support, machine.column(output), machine.parameters, row)
        values, pairs = shapley.values(game, x), shapley.interactions(game, x)
        assert np.abs(told.values[:, output] - [float(values[f]) for f in x]).max(initial=0) <= tolerance
        assert np.abs(told.interactions[:, output] - [float(one) for one in pairs.values()]).max(initial=0) <= tolerance


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("outputs", [1, 2, 7, 40])
@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_frequent_and_rare_features_give_what_the_formula_says(degree, outputs, sparse):
    kernel = gm.PolynomialKernel(degree, 0.5, 1.5)
    machine, share, rng = large_machine(degree * 100 + outputs, 150, 40, outputs, kernel, 0.4, sparse)
    X = [sorted(np.flatnonzero(rng.random(44) < np.append(share, [0.5] * 4)).tolist()) for _ in range(6)]
    X += [[], [43], list(range(44)), [int(np.argmax(share))]]
    told = gm.explain(machine, X, interactions=True)
    for row, x in zip(told, X, strict=True):
        values, pairs = by_overlap(machine, x)
        tolerance = 1e-9 * scale_of(machine, [x])
        assert np.abs(row.values - values).max(initial=0) <= tolerance
        assert np.abs(row.interactions - pairs).max(initial=0) <= tolerance


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 400), st.integers(1, 60), st.integers(1, 3), st.floats(0.02, 0.6))
def test_machines_of_any_shape_give_what_the_formula_says(seed, n_support, n_features, outputs, density):
    machine, share, rng = large_machine(seed, n_support, n_features, outputs, gm.PolynomialKernel(3), density)
    x = np.flatnonzero(rng.random(n_features) < np.minimum(1, 2 * share)).tolist()
    told = gm.explain(machine, [x], interactions=True)[0]
    values, pairs = by_overlap(machine, x)
    assert np.abs(told.values - values).max(initial=0) <= 1e-9 * scale_of(machine, [x])
    assert np.abs(told.interactions - pairs).max(initial=0) <= 1e-9 * scale_of(machine, [x])


def test_rows_of_hundreds_of_features_add_up():
    machine, _, rng = large_machine(5, 90, 700, 2, gm.PolynomialKernel(2, 0.1), density=1.0)
    X = [sorted(rng.choice(700, size, replace=False).tolist()) for size in (700, 300, 260)]
    told = gm.explain(machine, X, interactions=True)
    scores = machine.compile("direct").decision_function(X)
    assert np.abs(told.scores - scores).max() <= 1e-9 * scale_of(machine, X)
    values, pairs = by_overlap(machine, X[2])
    assert np.abs(told[2].values - values).max() <= 1e-9 * scale_of(machine, X)
    assert np.abs(told[2].interactions - pairs).max() <= 1e-9 * scale_of(machine, X)


@settings(deadline=None)
@given(parts(), rows)
def test_base_and_values_add_up_to_the_score(machine, X):
    native = machine.machine()
    told = gm.explain(native, X)
    scores = native.compile("direct").decision_function(X).reshape(len(X), machine.n_outputs)
    empty = [float(polynomial.score([], [], b, machine.parameters, {})) for b in machine.intercept]
    for output in range(machine.n_outputs):
        column = machine.column(output)
        empty[output] = float(
            polynomial.score(machine.support, column, machine.intercept[output], machine.parameters, {})
        )
    assert np.abs(told.base - empty).max() <= 1e-9 * scale_of(native, X)
    assert np.abs(told.scores - scores).max(initial=0) <= 1e-9 * scale_of(native, X)


def test_any_number_of_threads_gives_the_same_bits():
    machine, share, rng = large_machine(3, 200, 50, 3, gm.PolynomialKernel(3))
    X = sp.csr_matrix(rng.random((300, 50)) < share, dtype=float)
    one, three = (gm.explain(machine, X, interactions=True, n_jobs=jobs) for jobs in (1, 3))
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.interactions, three.interactions)


def test_a_linear_machine_has_no_interactions_at_all():
    machine, _, _ = large_machine(4, 100, 30, 1, gm.PolynomialKernel(1, 0.3, 0.7))
    assert not gm.explain(machine, [list(range(30))], interactions=True).interactions.any()


def test_features_that_no_support_row_has_add_nothing():
    told = gm.explain(bank_machine(feature_names=None), [[1, 2, 900]])[0]
    assert told.values[2, 0] == 0
    assert [one.features for one in told.top()] == [(2,), (1,)]
    assert gm.explain(bank_machine(), [[1, 900]])[0].names == ("bank", "900")


def test_whole_numbers_are_named_as_data_files_have_them():
    assert gm.explain(bank_machine(classes=[-1.0, 1.0]), [[0]]).output_names == ("1",)
    assert gm.explain(bank_machine(classes=[0.5, 1.5]), [[0]]).output_names == ("1.5",)


def test_a_machine_without_support_rows_says_its_intercept():
    machine = gm.Machine(gm.PolynomialKernel(2), sp.csr_matrix((0, 5)), np.empty((0, 1)), 0.5)
    told = gm.explain(machine, [[0, 3], []], interactions=True)
    assert told.scores.ravel().tolist() == [0.5, 0.5]
    assert not told.values.any()
    assert not told.interactions.any()


def test_huge_degrees_are_told_or_refused():
    machine = gm.Machine(gm.PolynomialKernel(60, 0.05, 0.5), [[0, 1, 2], [1]], [1.0, -1.0], 0.0)
    told = gm.explain(machine, [[0, 1, 2]], interactions=True)
    assert told.scores[0, 0] == pytest.approx(machine.compile("direct").decision_function([[0, 1, 2]])[0], rel=1e-12)
    with pytest.raises(ValueError, match="range of double"):
        gm.explain(gm.Machine(gm.PolynomialKernel(1000, 9.0, 9.0), [[0, 1]], [1.0], 0.0), [[0, 1]])


# --- baselines, values that are not 0 or 1 ----------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(parts(features=6, longest=6), feature_sets, feature_sets)
def test_a_baseline_row_is_what_rows_are_compared_with(machine, x, other):
    x, other = (sorted(f for f in row if f < 6) for row in (x, other))
    native = machine.machine()
    told = gm.explain(native, [x], baseline=[other], interactions=True)
    scores = native.compile("direct").decision_function([x, other]).reshape(2, -1)
    tolerance = 1e-9 * scale_of(native, [range(6)])
    assert np.abs(told.base - scores[1]).max() <= tolerance
    assert np.abs(told.scores[0] - scores[0]).max() <= tolerance
    assert set(told.ids) == set(x) | set(other)
    assert told.data.tolist() == [float(feature in x) for feature in told.ids]
    here, there = as_dicts([x, other])
    players = shapley.players_of(here, there)
    game = shapley.polynomial_game(machine.support, machine.column(0), machine.parameters, here, there)
    values = shapley.values(game, players)
    expected = [float(values.get(feature, 0)) for feature in told.ids]
    assert np.abs(told.values[:, 0] - expected).max(initial=0) <= tolerance


def test_real_values_are_computed_with_where_the_machine_has_them():
    machine = gm.Machine(gm.PolynomialKernel(2), np.array([[0.5, 2.0], [1.0, 0.0]]), [1.0, -1.0], 0.0)
    X = np.array([[3.0, 0.25], [0.0, 1.0]])
    told = gm.explain(machine, X, interactions=True)
    assert told.scores.ravel() == pytest.approx(machine.compile().decision_function(X))
    assert told.data.tolist() == [3.0, 0.25, 1.0]
    assert told[0].names == ("0 = 3", "1 = 0.25")


def test_other_values_become_1_as_in_a_scorer_or_are_computed_with():
    machine, X = bank_machine(), np.array([[2.0, 1.0, 0.0]])
    with pytest.warns(gm.DataConversionWarning):
        told = gm.explain(machine, X)
    assert told.scores[0, 0] == pytest.approx(machine.compile().decision_function([[0, 1]])[0])
    real = gm.explain(machine, X, binarize=False)
    assert real.scores[0, 0] == pytest.approx(machine.compile(binarize=False).decision_function(X)[0])
    with pytest.raises(ValueError, match="0 and 1"):
        gm.explain(machine, X, binarize=None)


def test_a_baseline_must_be_one_row():
    with pytest.raises(ValueError, match="a single row, got 2"):
        gm.explain(bank_machine(), [[0]], baseline=[[0], [1]])


# --- what is said -----------------------------------------------------------------------------------------------------


def test_matrices_add_up_as_those_of_shap_do():
    machine, _, _ = large_machine(6, 100, 12, 2, gm.PolynomialKernel(3))
    told = gm.explain(machine, [list(range(12))], interactions=True)[0]
    for output in (0, 1):
        matrix = told.matrix(output)
        assert np.allclose(matrix, matrix.T)
        assert matrix.sum(axis=1) == pytest.approx(told.values[:, output])
        assert matrix.sum() == pytest.approx(told.score[output] - told.base[output])
        one, other = np.triu_indices(12, 1)
        assert 2 * matrix[one, other] == pytest.approx(told.interactions[:, output])


def test_the_heaviest_come_first_with_their_names():
    told = gm.explain(bank_machine(), [[0, 1, 2]], interactions=True)[0]
    assert [(one.name, one.value) for one in told.top(2)] == [("money", 4.0), ("bank", 2.0)]
    assert [one.name for one in told.top_pairs(1)] == ["money & bank"]
    assert told.top(0) == []


def test_an_output_is_named_numbered_or_the_winner():
    coef = np.array([[1.0, 0.0, -1.0], [0.0, 2.0, 1.0]])
    machine = gm.Machine(gm.PolynomialKernel(1), [[0], [1]], coef, [0.0, 0.0, 0.0], ["a", "b", "c"], "ovr")
    told = gm.explain(machine, [[1]])[0]
    assert told.told == 1
    assert told.output("c") == 2
    assert told.output(0) == 0
    with pytest.raises(ValueError, match="one of 'a', 'b', 'c', got 'd'"):
        told.output("d")
    with pytest.raises(ValueError, match="from 0 to 2"):
        told.output(3)


def test_a_drawing_shows_bars_and_sums_up_the_rest():
    machine, _, _ = large_machine(7, 100, 30, 1, gm.PolynomialKernel(2), density=0.5)
    told = gm.explain(machine, [list(range(30))], interactions=True)[0]
    lines = told.draw(top=5).splitlines()
    assert lines[0].startswith("baseline")
    assert all("#" in line or "--" in line for line in lines[1:6])
    assert "other features" in lines[6]
    assert lines[7].startswith("score (value)")
    assert "interactions" in lines[9]
    whole = gm.explain(machine, [list(range(30))] * 5)
    assert str(whole).count("baseline") == 3
    assert "2 more rows" in str(whole)
    assert repr(whole) == "Explanation(5 rows, 150 values, 1 outputs)"


def test_json_holds_what_is_drawn():
    told = json.loads(gm.explain(bank_machine(), [[0, 1], []], interactions=True).to_json())
    first, second = told["rows"]
    assert first["output"] == "finance"
    assert [one["name"] for one in first["features"]] == ["money", "bank"]
    assert first["interactions"] == [{"features": [0, 1], "name": "money & bank", "value": 2.0}]
    assert first["baseline"] + sum(one["value"] for one in first["features"]) == first["score"]
    assert second["features"] == []


def test_rows_are_taken_like_those_of_a_list():
    told = gm.explain(bank_machine(), [[0], [1], [2]])
    assert len(told) == 3
    assert isinstance(told[-1], RowExplanation)
    assert told[-1].names == ("river",)
    with pytest.raises(IndexError):
        told[3]


def test_interactions_that_were_not_asked_for_are_not_there():
    told = gm.explain(bank_machine(), [[0, 1]])[0]
    with pytest.raises(ValueError, match="interactions=True"):
        told.top_pairs()
    with pytest.raises(ValueError, match="interactions=True"):
        told.matrix()


def test_interactions_beyond_memory_are_refused_before_they_are_computed():
    machine = bank_machine(feature_names=None)
    for X in ([list(range(40_000))], [list(range(30_000))] * 2):
        with pytest.raises(ValueError, match=r"GiB: (a row of 40,000 features|use importance)"):
            gm.explain(machine, X, interactions=True)
    with pytest.raises(ValueError, match="GiB"):
        gm.explain(machine, [[0]] * 5000, baseline=[list(range(1000))], interactions=True)


# --- models of every kind ---------------------------------------------------------------------------------------------


def test_scorers_estimators_and_models_of_scikit_learn_have_machines():
    from sklearn.svm import SVC

    rng = np.random.default_rng(0)
    X = (rng.random((60, 8)) < 0.4).astype(float)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    svc = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y)
    scores = svc.decision_function(X)
    for model in (svc, gm.from_sklearn(svc), gm.from_sklearn(svc).compile()):
        assert gm.explain(model, X).scores.ravel() == pytest.approx(scores)
    online = gm.OnlineKernelClassifier(degree=2).fit(X, y)
    assert gm.explain(online, X).scores.ravel() == pytest.approx(online.decision_function(X))
    with pytest.raises(ValueError, match="got str"):
        gm.explain("model", X)


def test_columns_of_frames_are_matched_by_name():
    import pandas as pd

    frame = pd.DataFrame({"river": [1, 0], "money": [0, 1], "bank": [1, 1]})
    told = gm.explain(bank_machine(), frame)
    assert told[0].names == ("bank", "river")
    assert told.scores.ravel().tolist() == bank_machine().compile().decision_function([[1, 2], [0, 1]]).tolist()


def test_the_output_that_is_told_is_that_of_the_class_that_is_predicted():
    """Also where scores differ by no more than rounding."""
    third = 1 / 3
    coef = np.array([[third, 1.0], [third, 0.0], [third, 0.0]])
    machine = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [[0], [1], [2]], coef, [0.0, 0.0], ["a", "b"], "ovr")
    X = [[0, 1, 2], [2, 1, 0], [0]]
    answers = machine.compile().predict(X)
    assert [row.output_names[row.told] for row in gm.explain(machine, X)] == answers.tolist()


def test_of_pairs_of_classes_the_closest_rival_of_the_winner_is_told():
    coef = np.array([[3.0, 1.0, -5.0]])  # a : b, a : c, b : c
    machine = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [[0]], coef, [0.0] * 3, ["a", "b", "c"], "ovo")
    (row,) = gm.explain(machine, [[0]])
    assert (machine.compile().predict([[0]])[0], row.output_names[row.told]) == ("a", "a : c")
    away = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [[0]], -coef, [0.0] * 3, ["a", "b", "c"], "ovo")
    (row,) = gm.explain(away, [[0]])
    assert (away.compile().predict([[0]])[0], row.output_names[row.told]) == ("b", "a : b")


def test_features_of_the_baseline_alone_are_told_as_absent():
    (row,) = gm.explain(bank_machine(), [[0, 1]], baseline=[[1, 2]])
    assert row.names == ("money", "bank", "no river")
    assert "no river" in str(row)


def test_the_only_other_feature_is_shown_itself():
    machine, _, _ = large_machine(7, 100, 4, 1, gm.PolynomialKernel(2), density=1.0)
    (row,) = gm.explain(machine, [[0, 1, 2, 3]])
    assert "other" not in row.draw(top=3)
    assert "2 other features" in row.draw(top=2)


def test_names_that_would_steer_a_terminal_are_masked():
    (row,) = gm.explain(bank_machine(feature_names=["a\x1b[2J", "b\nc", "d"]), [[0, 1]])
    assert "\x1b" not in str(row)
    assert len(str(row).splitlines()) == 4


def test_numbers_beyond_double_are_refused():
    machine = gm.Machine(gm.PolynomialKernel(2), [[0], [0]], [1e308, 1e308], 0.0)
    with pytest.raises(ValueError, match="range of double"):
        gm.explain(machine, [[0]])


def test_what_does_not_go_together_is_refused():
    machine = bank_machine()
    tree = gm.Machine(gm.SubsetTreeKernel(), ["(a b)"], [1.0], 0.0)
    for wrong in ({"interactions": True}, {"baseline": [[0]]}, {"binarize": False}):
        with pytest.raises(ValueError, match="is for explaining rows"):
            gm.explain(machine, **wrong)
        with pytest.raises(ValueError, match="this machine is on trees"):
            gm.explain(tree, ["(a b)"], **wrong)
    for wrong in ({"top": 3}, {"output": 0}):
        with pytest.raises(ValueError, match="is for explaining the machine itself"):
            gm.explain(machine, [[0]], **wrong)
    with pytest.raises(ValueError, match=r"use gristmill\.explain"):
        gm.Explainer(tree)
    with pytest.raises(ValueError, match="0 or more, or None, got -1"):
        gm.explain(machine, [[0]])[0].top(-1)


def test_slices_are_lists_of_rows():
    told = gm.explain(bank_machine(), [[0], [1], [2]], interactions=True)
    assert [row.names for row in told[1:]] == [("bank",), ("river",)]
    assert json.loads(told[0].to_json())["features"][0]["name"] == "money"


# --- averages over a data set -----------------------------------------------------------------------------------------


def test_importance_is_the_mean_of_what_rows_are_told():
    machine, share, rng = large_machine(8, 150, 40, 2, gm.PolynomialKernel(3))
    X = sp.csr_matrix(rng.random((200, 40)) < share, dtype=float)
    told, found = gm.explain(machine, X, interactions=True), gm.importance(machine, X, interactions=True)
    dense = np.zeros((200, 40, 2))
    dense[np.repeat(np.arange(200), np.diff(told.offsets)), told.ids] = told.values
    assert found.magnitudes == pytest.approx(np.abs(dense).mean(axis=0))
    assert found.means == pytest.approx(dense.mean(axis=0))
    assert found.counts.tolist() == X.getnnz(axis=0).tolist()
    sums = {}
    for row in told:
        for at, (one, other) in enumerate(zip(*np.triu_indices(len(row.ids), 1), strict=True)):
            pair = int(row.ids[one]), int(row.ids[other])
            sums[pair] = sums.get(pair, 0) + np.abs(row.interactions[at])
    assert {tuple(map(int, pair)) for pair in found.pairs} == set(sums)
    signed = {}
    for row in told:
        for at, (one, other) in enumerate(zip(*np.triu_indices(len(row.ids), 1), strict=True)):
            signed.setdefault((int(row.ids[one]), int(row.ids[other])), []).append(row.interactions[at])
    for at, pair in enumerate(tuple(map(int, pair)) for pair in found.pairs):
        assert found.pair_magnitudes[at] == pytest.approx(sums[pair] / 200)
        assert found.pair_means[at] == pytest.approx(np.sum(signed[pair], axis=0) / 200)
        assert found.pair_counts[at] == len(signed[pair])


def test_a_stream_of_blocks_gives_what_all_rows_together_give():
    machine, share, rng = large_machine(9, 100, 30, 1, gm.PolynomialKernel(2))
    X = sp.csr_matrix(rng.random((90, 30)) < share, dtype=float)
    whole = gm.importance(machine, X, interactions=True)
    parts_of = gm.importance(machine, (X[at : at + 7] for at in range(0, 90, 7)), interactions=True)
    assert parts_of.rows == 90
    assert parts_of.magnitudes == pytest.approx(whole.magnitudes)
    assert parts_of.top_pairs(5)[0].name == whole.top_pairs(5)[0].name
    assert gm.importance(machine, iter([])).rows == 0


def test_importance_is_drawn_and_written():
    found = gm.importance(bank_machine(), [[0, 1], [1, 2], [900]], interactions=True)
    assert str(found).splitlines()[0] == "mean |value| over 3 rows"
    assert "money & bank" in str(found)
    told = json.loads(found.to_json(top=1))
    assert told["features"] == [{"feature": 0, "name": "money", "magnitude": pytest.approx(4 / 3), "count": 1}]
    assert len(told["interactions"]) == 1
    with pytest.raises(ValueError, match="interactions=True"):
        gm.importance(bank_machine(), [[0]]).top_pairs()
    assert "(none)" in str(gm.importance(bank_machine(), [[]]))


def test_progress_is_reported_block_by_block():
    seen = []
    machine, share, rng = large_machine(10, 100, 30, 1, gm.PolynomialKernel(2))
    X = sp.csr_matrix(rng.random((5000, 30)) < share, dtype=float)
    gm.importance(machine, X, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(4096, 5000), (5000, 5000)]
    seen.clear()
    gm.importance(machine, iter([X[:10], X[10:30]]), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(10, 0), (30, 0)]


def test_importance_looks_at_as_many_rows_together_as_fit():
    machine = bank_machine(feature_names=None)
    assert gm.importance(machine, [[0]] * 3000, baseline=[list(range(300))], interactions=True).rows == 3000
    assert gm.importance(machine, [[0]] * 20 + [list(range(5000))], interactions=True).rows == 21


def test_counts_are_of_rows_that_have_the_feature():
    found = gm.importance(bank_machine(), [[0], [0]], baseline=[[1, 2]])
    assert found.counts.tolist() == [2, 0, 0]


# --- shap -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def fake_shap(monkeypatch):
    """What shap.Explanation is given."""
    module = types.ModuleType("shap")
    module.Explanation = types.SimpleNamespace
    monkeypatch.setitem(sys.modules, "shap", module)


@pytest.mark.usefixtures("fake_shap")
def test_objects_for_shap_have_columns_for_the_features_that_are_there():
    told = gm.explain(bank_machine(), [[0, 1], [1, 2]], interactions=True)
    given = told.to_shap()
    assert given.feature_names == NAMES
    assert given.data.tolist() == [[1, 1, 0], [0, 1, 1]]
    assert given.base_values + given.values.sum(axis=1) == pytest.approx(told.scores.ravel())
    matrices = told.to_shap(interactions=True).values
    assert matrices.shape == (2, 3, 3)
    assert matrices.sum(axis=2) == pytest.approx(given.values)


@pytest.mark.usefixtures("fake_shap")
def test_features_beyond_the_largest_are_summed_up_for_shap():
    machine, _, _ = large_machine(11, 100, 30, 2, gm.PolynomialKernel(2))
    told = gm.explain(machine, [list(range(30)), list(range(15))])
    given = told.to_shap(max_features=4)
    assert given.feature_names[-1] == "26 other features"
    heaviest = np.argsort(
        -np.abs(told.values).sum(axis=1)[:30] - np.append(np.abs(told.values).sum(axis=1)[30:], [0] * 15)
    )
    assert given.feature_names[:-1] == [str(feature) for feature in sorted(heaviest[:4])]
    assert given.values.shape == (2, 5, 2)
    assert given.base_values + given.values.sum(axis=1) == pytest.approx(told.scores)
    assert told.to_shap(1).values == pytest.approx(told.to_shap().values[..., 1])


def test_without_shap_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match="pip install shap"):
        gm.explain(bank_machine(), [[0]]).to_shap()


def test_shap_takes_what_it_is_given():
    shap = pytest.importorskip("shap", reason="shap is not installed")
    told = gm.explain(bank_machine(), [[0, 1], [1, 2]]).to_shap()
    assert isinstance(told, shap.Explanation)
    assert told.shape == (2, 3)
    assert told[0].abs.values.max() == 4.0
