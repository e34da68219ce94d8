"""Support rows with equal coefficients are counted, not looked at: scores, labels and bits are those of all rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from tests.kernels.set_kernels import WITH_ORACLES, features, id_rows
from tests.oracle import sets as oracle

NAMES = sorted(WITH_ORACLES)
MANY = (64, 65, 256, 257, 300, 319, 320)  # of 256 rows a block is full; of fewer than 64 none is made


@st.composite
def repeated(draw):
    """Different sets, how often each is a support row, and its coefficients for two outputs."""
    pool = draw(st.lists(features, min_size=1, max_size=5, unique_by=frozenset))
    times = draw(st.lists(st.sampled_from([1, 2, 63, *MANY]), min_size=len(pool), max_size=len(pool)))
    coef = draw(st.lists(st.sampled_from([-1.0, 1.0, 0.25, -3.7]), min_size=2 * len(pool), max_size=2 * len(pool)))
    return pool, np.array(times), np.array(coef).reshape(-1, 2)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_scores_are_the_definition_s(name, data):
    kernel, value = WITH_ORACLES[name]
    pool, times, coef = data.draw(repeated())
    outputs = data.draw(st.integers(1, 2))
    which = np.repeat(np.arange(len(pool)), times)
    which = which[np.random.default_rng(0).permutation(len(which))]
    machine = gm.Machine(kernel, id_rows([pool[at] for at in which]), coef[which, :outputs], [0.5] * outputs)
    queries = data.draw(st.lists(features, min_size=1, max_size=4))
    scores = machine.compile("inverted").decision_function(id_rows(queries)).reshape(len(queries), -1)
    for x, row in zip(queries, scores, strict=True):
        for output, score in enumerate(row):
            one = (pool, times * coef[:, output], 0.5, value, x)
            assert abs(score - oracle.score(*one)) <= 1e-9 * oracle.magnitude(*one)


@pytest.fixture(scope="module")
def bounded():
    """As an SVM leaves them: most coefficients are C, features are frequent and rare."""
    random = np.random.default_rng(5)
    frequent = random.random((3000, 12)) < 0.4
    rare = random.random((3000, 300)) < 0.004
    X = np.hstack([frequent, rare])
    coef = np.where(random.random(2600) < 0.8, np.sign(random.normal(size=2600)), random.normal(size=2600))
    return X[:2600], coef, X[2600:]


@pytest.mark.parametrize("name", NAMES)
def test_all_kinds_of_rows_together_score_as_the_definition(name, bounded):
    kernel, _ = WITH_ORACLES[name]
    support, coef, X = bounded
    kept = support.sum(axis=1) <= 10
    machine = gm.Machine(kernel, support[kept], coef[kept], 0.25)
    wanted = machine.compile("direct").decision_function(X[X.sum(axis=1) <= 10])
    scorer = machine.compile("inverted")
    found = scorer.decision_function(X[X.sum(axis=1) <= 10])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(coef).sum())
    np.testing.assert_array_equal(scorer.decision_function(X[X.sum(axis=1) <= 10], n_jobs=3), found)


def test_several_outputs_need_equal_coefficients_for_all_of_them(bounded):
    support, coef, X = bounded
    several = np.stack([coef, np.roll(coef, 7), np.where(np.arange(len(coef)) % 3 == 0, coef, 0.0)], axis=1)
    machine = gm.Machine(gm.RBFKernel(0.1), support, several, [0.0, 1.0, -1.0])
    wanted = machine.compile("direct").decision_function(X)
    found = machine.compile("inverted").decision_function(X)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(coef).sum())


def test_labels_are_the_definition_s_also_where_scores_cancel(bounded):
    support, _, X = bounded
    coef = np.repeat([0.3, -0.3], len(support))
    machine = gm.Machine(gm.RBFKernel(0.1), np.vstack([support, support]), coef, 0.0, classes=["no", "yes"])
    wanted = machine.compile("direct").predict(X)
    np.testing.assert_array_equal(machine.compile("inverted").predict(X), wanted)


def test_rows_too_long_to_be_counted_are_scored_all_the_same():
    random = np.random.default_rng(0)
    support = random.random((200, 500)) < 0.6
    machine = gm.Machine(gm.TanimotoKernel(), support, np.ones(200), 0.0)
    X = random.random((5, 500)) < 0.6
    wanted = machine.compile("direct").decision_function(X)
    np.testing.assert_allclose(machine.compile("inverted").decision_function(X), wanted, rtol=1e-12)


@pytest.mark.parametrize("share", [1.0, 0.01])
def test_memory_is_counted(share):
    random = np.random.default_rng(0)
    support = random.random((5000, 200)) < 0.2
    coef = np.where(random.random(5000) < share, 1.0, random.normal(size=5000))
    machine = gm.Machine(gm.RBFKernel(0.1), support, coef, 0.0)
    native = _core.InvertedScorer(machine._native)
    entries = int(support.sum())
    assert entries <= native.nbytes <= 40 * entries
