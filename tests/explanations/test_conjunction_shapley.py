"""Shapley values and interactions of given conjunctions are those of the game, against any row."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.data.conjunctions import FEATURES, given_conjunctions, random_conjunctions, random_rows
from tests.oracle import given_conjunctions as oracle
from tests.oracle import shapley

short_rows = st.frozensets(st.integers(0, FEATURES - 1), max_size=6)


def close(got, wanted, made, output):
    scale = abs(Fraction(made.intercept[output])) + sum(abs(Fraction(a)) for a in made.column(output))
    return abs(Fraction(float(got)) - wanted) <= Fraction(1, 10**12) * (scale + 1)


def assert_explains(explanation, made, x, reference):
    """Values and interactions of one row are those of the definition; other features have none."""
    players = sorted(x ^ reference)
    features = sorted(x | reference)
    assert explanation.ids.tolist() == features
    pairs = list(combinations(features, 2))
    for output in range(made.n_outputs):
        game = oracle.game(made.support, made.column(output), x, reference)
        values, found = shapley.values(game, players), shapley.interactions(game, players)
        for at, feature in enumerate(features):
            assert close(explanation.values[at, output], values.get(feature, 0), made, output)
        for at, pair in enumerate(pairs):
            assert close(explanation.interactions[at, output], found.get(pair, 0), made, output)


@given(made=given_conjunctions(max_outputs=3), x=short_rows)
def test_values_and_interactions_are_those_of_the_game(made, x):
    assert_explains(gm.explain(made.machine(), [x], interactions=True)[0], made, x, frozenset())


@given(made=given_conjunctions(max_outputs=2), x=short_rows, reference=short_rows)
def test_so_they_are_against_any_row(made, x, reference):
    found = gm.explain(made.machine(), [x], interactions=True, baseline=[reference])
    assert_explains(found[0], made, x, reference)


@given(made=given_conjunctions(), x=st.lists(short_rows, min_size=1, max_size=3), reference=short_rows | st.none())
def test_they_add_up_to_the_score(made, x, reference):
    machine = made.machine()
    explanation = gm.explain(machine, x, baseline=None if reference is None else [reference])
    scores = machine.compile("direct").decision_function(x).reshape(len(x), made.n_outputs)
    np.testing.assert_allclose(explanation.scores, scores, rtol=0, atol=1e-9)


@pytest.mark.parametrize("outputs", [1, 5])
@pytest.mark.parametrize("baseline", [None, gm.ids([[0, 1, 5, 30]], 60)])
def test_threads_change_no_bit(outputs, baseline):
    machine = random_conjunctions(3000, 60, outputs=outputs, longest=4)
    X = random_rows(100, 70, 15)
    one, three = (gm.explain(machine, X, interactions=True, baseline=baseline, n_jobs=n) for n in (1, 3))
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.interactions, three.interactions)


def test_a_polynomial_machine_and_its_conjunctions_are_explained_alike():
    draw = np.random.default_rng(2)
    support = [draw.choice(12, 5, replace=False).tolist() for _ in range(30)]
    machine = gm.Machine(gm.PolynomialKernel(3), gm.ids(support), draw.normal(size=(30, 2)), [0.5, -1.0])
    same = gm.explain(machine, top=100_000).as_machine()
    X, other = random_rows(20, 12, 8), gm.ids([[0, 3, 11]])
    for baseline in (None, other):
        left, right = (gm.explain(one, X, interactions=True, baseline=baseline) for one in (machine, same))
        np.testing.assert_allclose(right.values, left.values, atol=1e-8)
        np.testing.assert_allclose(right.interactions, left.interactions, atol=1e-8)
        np.testing.assert_allclose(right.base, left.base, atol=1e-9)


def test_importance_is_the_mean():
    machine = random_conjunctions(300, 20, longest=2)
    X = random_rows(40, 20, 6)
    found = gm.importance(machine, X, interactions=True)
    values = np.abs(gm.explain(machine, X).to_csr(0)).mean(axis=0)
    np.testing.assert_allclose(found.magnitudes[:, 0], np.asarray(values).ravel(), atol=1e-12)
    assert len(found.top_pairs(3)) == 3


def test_real_values_are_refused():
    machine = random_conjunctions(30, 3, longest=2)
    with pytest.raises(ValueError, match=r"must hold only 0 and 1, got 0\.5"):
        gm.explain(machine, np.array([[0.5, 1.0, 0.0]]), binarize=False)
    with pytest.warns(gm.DataConversionWarning):
        gm.explain(machine, np.array([[0.5, 1.0, 0.0]]))


def test_values_beyond_double_are_refused():
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0], [0]]), [1e308, 1e308], 0.0)
    with pytest.raises(ValueError, match="leave the range of double: scale the coefficients down"):
        gm.explain(machine, [{0}])
