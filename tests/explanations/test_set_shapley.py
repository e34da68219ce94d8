"""gristmill.explain on kernels of sets: exact values and interactions, of features that no support row has as well."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.explanations.machines_to_explain import large_machine
from tests.kernels.set_kernels import WITH_ORACLES, id_rows, table_of
from tests.oracle import shapley
from tests.properties import share

KERNELS = {name: kernel for name, (kernel, _) in WITH_ORACLES.items()}
few_features = st.frozensets(st.integers(0, 8), max_size=7)


@st.composite
def machines(draw, most_outputs=2):
    """A machine with any kernel of sets, its parts, and the kernel by the book."""
    kernel, oracle = WITH_ORACLES[draw(st.sampled_from(sorted(WITH_ORACLES)))]
    support = draw(st.lists(few_features, max_size=6))
    if support and draw(st.booleans()):
        support += [support[0], frozenset()]
    outputs = draw(st.integers(1, most_outputs))
    numbers = st.floats(-2, 2).map(lambda a: round(a, 3))
    coef = np.array(draw(st.lists(numbers, min_size=len(support) * outputs, max_size=len(support) * outputs)))
    coef = coef.reshape(len(support), outputs)
    intercept = draw(st.lists(numbers, min_size=outputs, max_size=outputs))
    return gm.Machine(kernel, id_rows(support), coef, intercept), (support, coef, intercept, oracle)


def numbers_of(found):
    """The oracle's answers in its order."""
    return np.array([float(one) for one in found.values()])


def assert_close(found, expected, size):
    assert np.abs(np.asarray(found) - expected).max(initial=0) <= 1e-12 * size


def subset_scores(machine, x):
    """Games of the outputs, read off the direct scores of all subsets."""
    subsets = shapley.subsets(x)
    scores = machine.compile("direct").decision_function(gm.ids([sorted(one) for one in subsets]))
    return [dict(zip(subsets, column, strict=True)).__getitem__ for column in scores.reshape(len(subsets), -1).T]


@share(2)
@given(machines(), few_features)
def test_values_and_interactions_equal_a_sum_over_all_subsets(case, x):
    machine, (support, coef, intercept, kernel) = case
    explanation = gm.explain(machine, id_rows([x]), interactions=True)
    players = sorted(x)
    for output, b in enumerate(intercept):
        game = shapley.set_game(support, coef[:, output], b, kernel, x)
        size = 1 + abs(b) + np.abs(coef[:, output]).sum()
        assert_close(explanation.values[:, output], numbers_of(shapley.values(game, players)), size)
        assert_close(explanation.interactions[:, output], numbers_of(shapley.interactions(game, players)), size)
        assert_close(explanation.base[output], game(frozenset()), size)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("outputs", [1, 7])
@pytest.mark.parametrize("name", ["rbf", "tanimoto", "sigmoid", "dice", "callable"])
def test_frequent_and_rare_features_give_what_all_subsets_do(name, outputs, sparse):
    machine, often, rng = large_machine(outputs, 150, 40, outputs, KERNELS[name], 0.4, sparse)
    features = [*range(40), 43]
    chance = np.append(often, 0.2) + 0.05
    rows = [sorted(rng.choice(features, size, replace=False, p=chance / chance.sum()).tolist()) for size in (6, 5, 4)]
    rows += [np.argsort(often)[:5].tolist(), [43], []]  # none of them frequent
    explanation = gm.explain(machine, gm.ids([sorted(row) for row in rows]), interactions=True)
    size = 1 + np.abs(machine.dense_coef()).sum()
    for explained, row in zip(explanation, map(sorted, rows), strict=True):
        for output, game in enumerate(subset_scores(machine, row)):
            assert_close(explained.values[:, output], numbers_of(shapley.values(game, row)), size)
            assert_close(explained.interactions[:, output], numbers_of(shapley.interactions(game, row)), size)


@pytest.mark.parametrize("name", ["rbf", "tanimoto", "sigmoid", "cosine", "dice", "callable"])
def test_rows_of_thousands_of_features_add_up(name):
    rng = np.random.default_rng(0)
    sizes = [*rng.integers(5, 60, size=6), 0, 1900]
    support = [sorted(rng.choice(2500, size, replace=False).tolist()) for size in sizes]
    kernel = gm.RBFKernel(0.001) if name == "rbf" else KERNELS[name]
    machine = gm.Machine(kernel, gm.ids(support), rng.normal(size=len(support)), 0.5)
    X = gm.ids([sorted(rng.choice(2600, 2000, replace=False).tolist()), support[0]])
    scores = machine.compile("direct").decision_function(X)
    size = np.abs(machine.dense_coef()).sum()
    explanation = gm.explain(machine, X)
    assert np.abs(explanation.scores[:, 0] - scores).max() <= 1e-12 * size
    against = gm.explain(machine, X, baseline=gm.ids([support[1]]))
    assert np.abs(against.scores[:, 0] - scores).max() <= 1e-12 * size


@pytest.mark.parametrize("gamma", [1e-9, 1e-3, 1.0, 700.0])
def test_interactions_of_long_rows_add_up_to_what_single_features_leave_open(gamma):
    """The sum of all interactions with a feature is what it adds at the end less what it adds at the beginning."""
    machine, _, rng = large_machine(3, 60, 300, 1, gm.RBFKernel(gamma), 0.3)
    x = sorted(rng.choice(310, 200, replace=False).tolist())
    found = gm.explain(machine, gm.ids([x]), interactions=True).interactions[:, 0]
    table = np.zeros((200, 200))
    table[np.triu_indices(200, 1)] = found
    table += table.T
    score = machine.compile("direct").decision_function
    last = score(gm.ids([x])) - score(gm.ids([x[:at] + x[at + 1 :] for at in range(200)]))
    first = score(gm.ids([[feature] for feature in x])) - score(gm.ids([[]]))
    assert np.abs(table.sum(axis=1) - (last - first)).max() <= 1e-10 * np.abs(machine.dense_coef()).sum()


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_any_number_of_threads_and_any_neighbours_give_the_same_bits(name):
    machine, often, rng = large_machine(3, 90, 11, 3, KERNELS[name])
    X = sp.csr_matrix(rng.random((60, 11)) < often + 0.1, dtype=float)
    one, three = (gm.explain(machine, X, interactions=True, n_jobs=jobs) for jobs in (1, 3))
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.interactions, three.interactions)
    alone = gm.explain(machine, X[41:42], interactions=True)
    assert np.array_equal(one[41].values, alone.values)
    assert np.array_equal(one[41].interactions, alone.interactions)


def test_values_alone_have_the_bits_that_they_have_with_interactions():
    for kernel in KERNELS.values():
        machine, _, rng = large_machine(9, 50, 12, 1, kernel)
        explainer, X = gm.Explainer(machine), gm.ids([sorted(rng.choice(12, 7, replace=False).tolist())])
        alone, paired = explainer(X), explainer(X, interactions=True)
        assert np.array_equal(alone.values, paired.values)


def test_a_feature_that_no_support_row_has_takes_rows_away_from_all_of_them():
    machine = gm.Machine(gm.TanimotoKernel(), [{0, 1}], [1.0], 0.0)
    (row,) = gm.explain(machine, [{0, 1, 900}])
    assert row.values[:, 0] == pytest.approx([(1 / 2 + 1 / 3) / 2, (1 / 2 + 1 / 3) / 2, -1 / 6])
    by_overlap = gm.explain(gm.Machine(gm.SigmoidKernel(), [{0, 1}], [1.0], 0.0), [{0, 1, 900}])
    assert by_overlap.values[2, 0] == 0


def test_a_machine_without_support_rows_has_its_intercept():
    for kernel in KERNELS.values():
        machine = gm.Machine(kernel, sp.csr_matrix((0, 5)), np.empty((0, 1)), 0.5)
        explanation = gm.explain(machine, [{0, 3}, set()], interactions=True)
        assert explanation.scores.ravel().tolist() == [0.5, 0.5]
        assert not explanation.values.any()
        assert not explanation.interactions.any()


def test_errors_of_a_given_kernel_come_through():
    longest = 3
    machine = gm.Machine(gm.SetKernel(table_of(lambda m, x, s: m * 1.0, longest)), [{0, 1}], [1.0], 0.0)
    with pytest.raises(ValueError, match="knows rows of up to 3 features"):
        gm.explain(machine, [set(range(7))])


# --- importance, estimators -------------------------------------------------------------------------------------------


def test_importance_is_the_mean_of_explanations():
    machine, often, rng = large_machine(3, 90, 30, 1, gm.RBFKernel(0.1))
    X = gm.ids(np.flatnonzero(row).tolist() for row in rng.random((40, 30)) < often)
    explanation, importance = gm.explain(machine, X), gm.importance(machine, X, interactions=True)
    sums = np.zeros(30)
    np.add.at(sums, explanation.ids, explanation.values[:, 0])
    assert np.allclose(importance.means[:, 0], sums / 40)
    assert importance.top_pairs(3)


def test_estimators_are_explained_as_they_predict():
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.random((80, 25)) < 0.3, dtype=float)
    y = np.where(np.asarray(X[:, :5].sum(axis=1)).ravel() > 1, "yes", "no")
    for kernel in (gm.RBFKernel(0.2), gm.TanimotoKernel(), gm.SigmoidKernel(0.2)):
        model = gm.KernelSVC(kernel=kernel).fit(X, y)
        assert np.allclose(gm.explain(model, X).scores[:, 0], model.decision_function(X))


def test_rules_are_not_for_kernels_without_conjunctions():
    with pytest.raises(ValueError, match=r"weigh no conjunctions, got RBFKernel"):
        gm.explain(gm.Machine(gm.RBFKernel(1.0), [{0}], [1.0], 0.0))
