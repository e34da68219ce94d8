"""What expanded machines look up: all subsets of a row whose beginnings are stored, and what they find there."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.row_engines import cost_terms
from tests.oracle import conjunctions as oracle

DEGREES = [1, 2, 3, 4, 5]
KEEPERS = [("split", {"rare": 0}), ("expanded", {"xi": 2}), ("expanded", {"sigma": 1e-9})]  # all features are expanded
feature_sets = st.lists(st.frozensets(st.integers(0, 8), max_size=7), min_size=1, max_size=8)


def all_expanded(degree, support, coef=None):
    """Coefficients are positive, so that no weight is zero."""
    coef = np.arange(1, len(support) + 1) if coef is None else coef
    machine = gm.Machine(gm.PolynomialKernel(degree), support, coef, np.zeros(np.shape(coef)[1:] or 1))
    return machine.compile("split", rare=0)


def skewed(seed, rows, length, features):
    rng = np.random.default_rng(seed)
    return [frozenset((rng.zipf(1.4, length) % features).tolist()) for _ in range(rows)]


def ranks_of(support):
    """Features by number of support rows that have them, the most frequent first; ties by id."""
    counts = {f: sum(f in s for s in support) for f in set().union(*support)}
    return {f: rank for rank, f in enumerate(sorted(counts, key=lambda f: (-counts[f], f)))}


def visited(degree, support, row, n_dense):
    """Subsets of two features and more that are in the block, or whose beginning, without their most frequent feature,
    some support row has."""
    ranks = ranks_of(support)
    known = sorted((f for f in row if f in ranks), key=ranks.__getitem__)
    found = 0
    for size in range(2, degree + 1):
        for s in combinations(known, size):
            in_block = all(ranks[f] < n_dense for f in s)
            found += in_block or size == 2 or any(set(s[1:]) <= other for other in support)
    return found


# --- visits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("degree", DEGREES)
def test_a_row_of_stored_subsets_visits_all_of_them(degree, outputs):
    """A support row with every feature stores all subsets: a row of m features then looks at C(m, k) of k features."""
    everything, rows = frozenset(range(14)), skewed(0, 40, 9, 14)
    coef = np.ones((2, outputs)) if outputs > 1 else [1.0, 1.0]
    visits = all_expanded(degree, [everything, frozenset({0, 1})], coef).visits(rows)
    assert visits.rows == len(rows)
    assert visits.features == sum(map(len, rows))
    assert visits.conjunctions == sum(comb(len(row), size) for row in rows for size in range(2, degree + 1))
    assert visits.support_rows == 0


@pytest.mark.parametrize("degree", DEGREES)
@given(support=feature_sets, rows=feature_sets)
def test_visits_are_those_of_the_definition(degree, support, rows):
    scorer = all_expanded(degree, support)
    dense = scorer.report().tiers[0]
    assert scorer.visits(rows).conjunctions == sum(visited(degree, support, row, dense) for row in rows)


@pytest.mark.parametrize("degree", DEGREES)
def test_visits_of_blocks_and_combs_are_those_of_the_definition(degree):
    support, rows = skewed(1, 300, 10, 200), skewed(2, 60, 12, 220)
    scorer = all_expanded(degree, support)
    dense, common, rare = scorer.report().tiers
    assert rare == 0
    assert min(dense, common) > 10 or degree not in (2, 3)
    assert scorer.visits(rows).conjunctions == sum(visited(degree, support, row, dense) for row in rows)


def test_rare_features_visit_the_support_rows_that_have_them():
    support, rows = skewed(3, 300, 10, 200), skewed(4, 60, 12, 220)
    counts = {f: sum(f in s for s in support) for f in range(220)}
    machine = gm.Machine(gm.PolynomialKernel(2), support, np.ones(300), 0.0)
    visits = machine.compile("split", rare=5).visits(rows)
    assert visits.support_rows == sum(counts[f] for row in rows for f in row if counts[f] < 5)
    common = [sum(counts[f] >= 5 for f in row) for row in rows]
    assert visits.conjunctions == sum(comb(n, 2) for n in common)


def test_dropped_conjunctions_are_visited_no_more():
    support, rows = skewed(5, 300, 10, 200), skewed(6, 60, 12, 200)
    machine = gm.Machine(gm.PolynomialKernel(3), support, np.ones(300), 0.0)
    found = [machine.compile("expanded", sigma=sigma).visits(rows).conjunctions for sigma in (1e-9, 20, 200, 1e6)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < found[0]


@pytest.mark.parametrize("degree", DEGREES)
def test_expected_visits_are_counted_ones_where_everything_is_stored(degree):
    """What engines are chosen by: of a sample, all conjunctions are expected to be looked up."""
    machine = gm.Machine(gm.PolynomialKernel(degree), [frozenset(range(30)), {0}], [1.0, 1.0], 0.0)
    rows = skewed(7, 50, 9, 30)
    options = CompileOptions(engine="split", rare=0, sample=machine.examples(rows))
    expected = {term.name: term.count for term in cost_terms(machine, options)["expanded"]}
    visits = machine.compile("split", rare=0, sample=rows).visits(rows)
    assert expected["entries"] + expected["probes"] == pytest.approx(visits.conjunctions / visits.rows)


@pytest.mark.parametrize("engine", ["direct", "inverted"])
def test_engines_without_conjunctions_say_so(engine):
    scorer = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0).compile(engine)
    with pytest.raises(ValueError, match=f"engine '{engine}' looks no conjunctions up"):
        scorer.visits([{0}])


# --- what is found ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("engine", "options"), KEEPERS, ids=str)
@pytest.mark.parametrize("degree", [2, 3, 4])
@given(support=feature_sets, seed=st.integers(0, 99))
def test_lookups_are_those_of_a_dictionary(degree, engine, options, support, seed):
    """Scores of rows are sums over a dictionary of the kept weights, whatever the rows have besides."""
    coef = np.random.default_rng(seed).integers(-8, 9, len(support)) / 8
    scorer = gm.Machine(gm.PolynomialKernel(degree), support, coef, 0.5).compile(engine, **options)
    sigma, xi = options.get("sigma", 0), options.get("xi", 1)
    weights = oracle.kept(support, coef, (degree, 1, 1), sigma, xi)
    rows = [*support, *(s | {n} for s in support for n in (3, 77)), frozenset(range(9)), frozenset()]
    wanted = [float(oracle.score(weights, coef, 0.5, (degree, 1, 1), row)) for row in rows]
    np.testing.assert_allclose(scorer.decision_function(rows), wanted, rtol=0, atol=1e-9)


def test_the_quadratic_expansion_is_that_of_isozaki_and_kazawa():
    """XQK: f(x) = W0 + sum_h (W1[h] + sum_(k > h) W2[h, k]), W0 = b + sum a, W1 = 3 sum a X, W2 = 2 sum a X X."""
    rng = np.random.default_rng(8)
    support, rows = (rng.random((60, 15)) < 0.3).astype(float), (rng.random((40, 15)) < 0.4).astype(float)
    coef = rng.normal(size=60)
    constant, single = 0.7 + coef.sum(), 3 * coef @ support
    pairs = np.triu(2 * np.einsum("i,ih,ik->hk", coef, support, support), 1)
    wanted = constant + rows @ single + np.einsum("nh,hk,nk->n", rows, pairs, rows)
    scorer = gm.Machine(gm.PolynomialKernel(2), support, coef, 0.7).compile("split", rare=0)
    np.testing.assert_allclose(scorer.decision_function(rows), wanted, rtol=1e-9)
    assert scorer.report().conjunctions == np.count_nonzero(single) + np.count_nonzero(pairs)
