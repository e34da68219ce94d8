"""Trees with vectors next to them: nodes and features together are the score, features have Shapley values."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.rows import Rows
from gristmill.explanations import explain_trees
from tests.data.tree_strategies import tree_lists
from tests.explanations.machines_to_explain import random_machine
from tests.kernels.test_trees import forest, random_trees
from tests.oracle import shapley
from tests.properties import share

SST, PTK = gm.SubsetTreeKernel().on("trees"), gm.PartialTreeKernel().on("trees")
BAG = gm.Normalized(gm.PolynomialKernel(1, 1.0, 0.0)).on("words")
KERNELS = [
    0.5 * gm.Normalized(gm.SubsetTreeKernel()).on("trees") + 0.5 * BAG,
    SST + gm.PolynomialKernel(2).on("words"),
    gm.Normalized(SST + PTK + gm.PolynomialKernel(3, 0.5).on("words")),
    SST + BAG + 2.0 * gm.Normalized(gm.PolynomialKernel(2)).on("words"),
    SST + gm.PolynomialKernel(2).on("words") + gm.Normalized(gm.PolynomialKernel(2)).on("real"),
    gm.PolynomialKernel(2).on("words"),
]
kernels = st.sampled_from(KERNELS)


@st.composite
def examples(draw, **sizes):
    some = draw(tree_lists(**sizes))
    rows = st.lists(st.integers(0, 4), unique=True, max_size=4).map(sorted)
    words = draw(st.lists(rows, min_size=len(some), max_size=len(some)))
    real = st.lists(st.sampled_from([0.0, 0.5, -1.0, 2.0]), min_size=3, max_size=3)
    numbers = draw(st.lists(real, min_size=len(some), max_size=len(some)))
    dense = np.array(numbers).reshape(len(some), 3)
    table = np.array([[float(at in row) for at in range(5)] for row in words]).reshape(len(some), 5)
    return gm.Examples(trees=forest(some), words=table, real=dense)


@given(kernel=kernels, support=examples(min_size=1), x=examples(), seed=st.integers(0, 99))
def test_nodes_and_features_add_up_to_the_score(kernel, support, x, seed):
    machine = random_machine(kernel, support, 2, seed)
    found = explain_trees(machine, x)
    gram, coef = kernel.direct(x, support), machine.dense_coef()
    expected, bound = gram @ coef + machine.intercept, 1e-9 * (abs(machine.intercept) + abs(gram) @ abs(coef))
    for one, score, most in zip(found, expected, bound, strict=True):
        features = sum(field.values.sum(axis=0) for field in one.vector_features)
        for total in (one.score, one.total(), one.base + one.rooted.sum(axis=0) + features):
            assert (abs(total - score) <= most).all()


@given(kernel=kernels, support=examples(min_size=1), x=examples(min_size=1, max_size=1))
@share(0.6)
def test_features_get_their_shapley_values_with_norms_held_fixed(kernel, support, x):
    """f without some words, by the kernels themselves; norms are those of the whole example."""
    machine = random_machine(kernel, support, 1, 1)
    (found,) = explain_trees(machine, x)
    fields = {field.field: field for field in found.vector_features}
    assert set(fields) == {"words", "real"} & set(_fields(kernel))
    for name, field in fields.items():
        whole = x[name].to_csr().toarray()[0]

        def game(chosen, name=name, whole=whole):
            row = np.where(np.isin(np.arange(len(whole)), list(chosen)), whole, 0.0)
            return _part(kernel, machine.dense_coef()[:, 0], support, x, name, row)

        players = np.flatnonzero(whole).tolist()
        expected = shapley.values(game, players)
        np.testing.assert_allclose(field.values[:, 0], [expected[p] for p in field.ids], atol=1e-9)


def _fields(kernel):
    if isinstance(kernel, gm.kernels.FieldKernel):
        return [kernel.field]
    parts = kernel.parts if isinstance(kernel, gm.kernels.SumKernel) else [kernel.kernel]
    return [field for part in parts for field in _fields(part)]


def _part(kernel, coef, support, x, field, row):
    """What kernels on the field add to f(x) if it had this row."""
    if isinstance(kernel, gm.kernels.SumKernel):
        return sum(_part(part, coef, support, x, field, row) for part in kernel.parts)
    if isinstance(kernel, gm.kernels.ScaledKernel):
        return kernel.weight * _part(kernel.kernel, coef, support, x, field, row)
    if isinstance(kernel, gm.kernels.FieldKernel):
        own = kernel.field == field
        return _part(kernel.kernel, coef, support[field], x[field], None, row) if own else 0.0
    if isinstance(kernel, gm.Normalized):
        norms = [np.where(d > 0, d, 1.0) ** -0.5 for d in (kernel.kernel.diag(support), kernel.kernel.diag(x))]
        return norms[1][0] * _part(kernel.kernel, coef * norms[0], support, x, field, row)
    return float(coef @ ((kernel.gamma * (support.to_csr() @ row) + kernel.coef0) ** kernel.degree))


@pytest.fixture(scope="module")
def explanation():
    names, trees = ("is", "ran", "where", "who"), ["(S (A who) (B ran))", "(S (A where) (B ran))", "(S (A who) (B is))"]
    ids = np.array([1, 3, 1, 2, 0, 3], dtype=np.int32)
    X = gm.Examples(trees=trees, words=Rows(np.array([0, 2, 4, 6]), ids, n_features=4, feature_names=names))
    coef = [[1.0, -0.5, 0.0], [-1.0, 1.0, 0.5], [0.5, 0.0, 1.0]]
    machine = gm.Machine(KERNELS[0], X, coef, [0.0, 0.1, 0.2], ["a", "b", "c"], "ovr")
    return gm.explain(machine, X[1:2])[0]


def test_features_have_the_names_that_support_rows_have(explanation):
    (words,) = explanation.vector_features
    assert (words.field, words.names, words.ids.tolist()) == ("words", ("ran", "where"), [1, 2])
    assert [one.name for one in explanation.top_vector_features(1, "b")] == ["where"]
    assert [one.name for one in explanation.top_vector_features(output="b")] == ["where", "ran"]
    assert explanation.top_vector_features(output="b")[0].value == words.values[1, 1]


def test_features_stand_below_the_tree(explanation):
    lines = explanation.draw("b").splitlines()
    assert lines[0].startswith("b: ")
    assert lines[6] == "words"
    assert [line.split()[0] for line in lines[7:]] == ["where", "ran"]
    assert max(line.count("#") for line in lines) == 40  # one scale for both
    drawn = sum(float(line.split()[-2] if line[-1] in "#-" else line.split()[-1]) for line in lines[1:6] + lines[7:])
    assert explanation.base[1] + drawn == pytest.approx(explanation.score[1], abs=1e-3)


def test_json_has_the_features_and_adds_up(explanation):
    found = json.loads(explanation.to_json())
    assert [one["name"] for one in found["vector_features"]["words"]] == ["ran", "where"]
    for output, score in enumerate(found["score"]):
        nodes = sum(node["shared"][output] for node in found["nodes"])
        words = sum(word["values"][output] for word in found["vector_features"]["words"])
        assert found["baseline"][output] + nodes + words == pytest.approx(score)


def test_one_output_alone(explanation):
    only = explanation.only("c")
    assert (only.output_names, only.score.tolist()) == (("c",), [explanation.score[2]])
    assert only.draw() == explanation.draw("c")
    assert only.total() == pytest.approx(explanation.score[[2]])


def test_features_that_no_support_row_has_are_left_out():
    X = gm.Examples(trees=["(a b)", "(a c)"], words=[{0}, {1}])
    machine = gm.Machine(SST + BAG, X, [1.0, -1.0], 0.0)
    (found,) = explain_trees(machine, gm.Examples(trees=["(a b)"], words=[{1, 7}]))
    assert found.vector_features[0].ids.tolist() == [1]
    assert found.score == pytest.approx(
        machine.compile().decision_function(gm.Examples(trees=["(a b)"], words=[{1, 7}]))
    )


def test_large_examples_add_up_with_any_number_of_threads():
    some = forest(random_trees(40, 3, ["a", "b", "c*1"], 40))
    rng = np.random.default_rng(0)
    X = gm.Examples(trees=some, words=(rng.random((40, 30)) < 0.3).astype(float), real=rng.normal(size=(40, 5)))
    machine = random_machine(KERNELS[4], X[:25], 3)
    found = explain_trees(machine, X[20:])
    adds_up_with_features(machine, X[20:], found)
    for one, other in zip(found, explain_trees(machine, X[20:], n_jobs=3), strict=True):
        np.testing.assert_array_equal(one.score, other.score)
        np.testing.assert_array_equal(one.shared, other.shared)


def adds_up_with_features(machine, x, found):
    scores = machine.compile("direct").decision_function(x)
    np.testing.assert_allclose([one.total() for one in found], scores, rtol=1e-9, atol=1e-9)


def test_rooted_shares_have_features_too():
    X = gm.Examples(trees=["(a b)", "(a c)"], words=[{0}, {1}])
    machine = gm.Machine(SST + BAG, X, [1.0, -1.0], 0.5)
    (found,) = explain_trees(machine, X[:1], shares="rooted")
    assert found.shared is None
    assert found.total() == pytest.approx(found.score)
    assert found.vector_features[0].values.any()
