"""Engines of machines with kernels of sets: scores are the definition's, labels and bits never change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.kernels.set_kernels import WITH_ORACLES, features, id_rows
from tests.oracle import sets as oracle

NAMES = sorted(WITH_ORACLES)
ENGINES = ("direct", "inverted", "bits", "auto")
weights = st.floats(-10, 10, allow_subnormal=False)


@st.composite
def machines(draw, kernel, most=8):
    """A machine of one or two outputs, as sets and weights and as it is."""
    support = draw(st.lists(features, max_size=most))
    outputs = draw(st.integers(1, 2))
    coef = np.array(draw(st.lists(weights, min_size=len(support) * outputs, max_size=len(support) * outputs)))
    coef = coef.reshape(len(support), outputs)
    intercept = np.array(draw(st.lists(weights, min_size=outputs, max_size=outputs)))
    return support, coef, intercept, gm.Machine(kernel, id_rows(support), coef, intercept)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_scores_are_the_definition_s(name, data):
    kernel, value = WITH_ORACLES[name]
    support, coef, intercept, machine = data.draw(machines(kernel))
    queries = data.draw(st.lists(features, min_size=1, max_size=4))
    for engine in ENGINES:
        scores = machine.compile(engine).decision_function(id_rows(queries)).reshape(len(queries), -1)
        for x, row in zip(queries, scores, strict=True):
            for output, score in enumerate(row):
                one = (support, coef[:, output], intercept[output], value, x)
                assert abs(score - oracle.score(*one)) <= 1e-9 * oracle.magnitude(*one)


@pytest.fixture(scope="module")
def crowd():
    """Sets of which some features are frequent (kept as columns) and most are rare, for a machine and to be scored."""
    random = np.random.default_rng(3)

    def one():
        frequent = np.flatnonzero(random.random(4) < 0.5)
        rare = 4 + random.integers(0, 27, size=random.integers(0, 8))
        return set(frequent.tolist()) | set(rare.tolist())

    return [one() for _ in range(400)], [one() for _ in range(60)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("outputs", [1, 3])
def test_many_rows_score_alike_whatever_the_engine_and_threads(name, outputs, crowd):
    kernel, _ = WITH_ORACLES[name]
    support, queries = crowd
    coef = np.random.default_rng(0).normal(size=(len(support), outputs))
    machine = gm.Machine(kernel, id_rows(support), coef, np.zeros(outputs))
    X = id_rows(queries)
    expected = machine.compile("direct").decision_function(X)
    allowed = 1e-9 * np.abs(coef).sum(axis=0).max()
    for engine in ENGINES:
        scorer = machine.compile(engine)
        found = scorer.decision_function(X)
        np.testing.assert_allclose(found, expected, rtol=0, atol=allowed)
        np.testing.assert_array_equal(scorer.decision_function(X, n_jobs=3), found)


@pytest.mark.parametrize("name", NAMES)
def test_rows_with_rare_features_alone_are_scored_by_those_they_touch(name, crowd):
    kernel, _ = WITH_ORACLES[name]
    support = [one - {0, 1, 2, 3} for one in crowd[0]]
    coef = np.random.default_rng(0).normal(size=len(support))
    machine = gm.Machine(kernel, id_rows(support), coef, [0.5])
    X = id_rows([{one} for one in range(4, 31)] + [set(), {0, 1}])
    expected = machine.compile("direct").decision_function(X)
    found = machine.compile("inverted").decision_function(X)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(coef).sum())


@pytest.mark.parametrize(
    "kernel",
    [
        gm.SetKernel(lambda m, x, s: np.where(m > 0, 1e-12, 1.0)),
        gm.PolynomialKernel(3, 1.0, -1.0),  # 0 where one feature is shared
        gm.SigmoidKernel(1.0, -1.0),
    ],
)
def test_values_that_vanish_where_features_are_shared_are_not_lost_in_rounding(kernel):
    support = id_rows([{0, 4 + one % 20} for one in range(200)])
    machine = gm.Machine(kernel, support, np.full(200, 1e3), [0.0])
    expected = machine.compile("direct").decision_function(id_rows([{0}]))
    np.testing.assert_allclose(machine.compile("inverted").decision_function(id_rows([{0}])), expected, rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_labels_are_those_of_the_definition_also_where_scores_cancel(name, data):
    kernel, _ = WITH_ORACLES[name]
    support = data.draw(st.lists(features, min_size=1, max_size=4))
    coef = np.array(data.draw(st.lists(st.sampled_from([0.1, 0.3, 1.0]), min_size=len(support), max_size=len(support))))
    twice = gm.Machine(kernel, id_rows(support + support), np.concatenate([coef, -coef]), 0.0, classes=["no", "yes"])
    X = id_rows(data.draw(st.lists(features, min_size=1, max_size=4)))
    expected = twice.compile("direct").predict(X)
    for engine in ENGINES:
        np.testing.assert_array_equal(twice.compile(engine).predict(X), expected)


@pytest.mark.parametrize("name", ["rbf", "tanimoto"])
@pytest.mark.parametrize("engine", ["expanded", "split"])
def test_kernels_without_an_expansion_have_no_tables(name, engine):
    machine = gm.Machine(WITH_ORACLES[name][0], id_rows([{1}]), [1.0], 0.0)
    with pytest.raises(ValueError, match=r"engine must be one of|needs a polynomial kernel"):
        machine.compile(engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_cache_is_not_written_where_there_are_no_tables(engine, tmp_path):
    machine = gm.Machine(gm.RBFKernel(0.5), id_rows([{1}, {2, 3}]), [1.0, -1.0], 0.0)
    scorer = machine.compile(engine, cache=tmp_path / "scorer")
    assert scorer.decision_function(id_rows([{1}])) > 0
    assert not list(tmp_path.iterdir())


def test_real_values_are_scored_by_the_definition():
    random = np.random.default_rng(0)
    support, X = random.normal(size=(20, 5)), random.normal(size=(9, 5))
    coef = random.normal(size=20)
    for kernel in (gm.RBFKernel(0.3), gm.SigmoidKernel(0.1, 0.2), gm.CosineKernel(), gm.TanimotoKernel()):
        scorer = gm.Machine(kernel, support, coef, 1.0).compile()
        np.testing.assert_allclose(scorer.decision_function(X), kernel(X, support) @ coef + 1.0, rtol=1e-12, atol=1e-12)


def test_machines_are_saved_and_come_back(tmp_path):
    for name in sorted(set(NAMES) - {"callable"}):
        machine = gm.Machine(WITH_ORACLES[name][0], id_rows([{1}, {1, 2}]), [1.0, -1.0], 0.5)
        machine.save(tmp_path / name)
        assert gm.load(tmp_path / name) == machine
