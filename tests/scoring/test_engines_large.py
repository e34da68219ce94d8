"""Machines large enough for blocks, combs, lists of weights and rare lines at once, against the inverted engine."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gristmill as gm
from gristmill.data.rows import Rows

SUPPORT, FEATURES = 500, 700
DEGREES = [1, 2, 3, 4, 5, 6, 12]
OUTPUTS = [1, 2, 9, 30]


def skewed(rng, rows, length, features=FEATURES):
    return [set((rng.zipf(1.4, length) % features).tolist()) for _ in range(rows)]


@pytest.fixture(scope="module")
def queries():
    rng = np.random.default_rng(11)
    x = [*skewed(rng, 150, 10), *skewed(rng, 10, 60), set(), {FEATURES}, {FEATURES + 5, 2**31 - 2}]
    return [*x, *x[:100], *x[150:]]  # many of them twice


@pytest.fixture(
    scope="module", params=[(d, o) for d in DEGREES for o in OUTPUTS], ids=lambda p: f"degree {p[0]}, {p[1]} outputs"
)
def large(request, queries):
    """The machine, and its scores with what they may be off by."""
    degree, outputs = request.param
    rng = np.random.default_rng(12)
    kernel = gm.PolynomialKernel(degree, 0.4, 0.9)
    coef = rng.normal(size=(SUPPORT, outputs))
    if outputs == 30:
        coef *= rng.random((SUPPORT, outputs)) < 0.1  # lists of weights beside whole rows
    support = skewed(rng, SUPPORT, 7 if degree > 6 else 9)
    machine = gm.Machine(kernel, support, coef, rng.normal(size=outputs))
    magnitude = gm.Machine(kernel, support, abs(coef), abs(machine.intercept)).compile("inverted")
    return machine, machine.compile("inverted").decision_function(queries), 1e-9 * magnitude.decision_function(queries)


def assert_scores(scorer, large, queries):
    _, wanted, allowed = large
    scores = scorer.decision_function(queries)
    assert (abs(scores - wanted) <= allowed).all()
    assert (abs(scores - wanted) <= 2 * scorer.error_bound(queries)).all()
    return scores


def test_split_scores_are_the_same_wherever_the_line_is(large, queries):
    for rare in (None, 0, 1, 2, 7, 0.0, 0.02, 1.0):
        assert_scores(large[0].compile("split", rare=rare), large, queries)


def test_expanded_scores_are_the_same_within_any_memory(large, queries):
    free = large[0].compile("expanded")
    assert_scores(free, large, queries)
    least = large[0].compile("split", rare=SUPPORT + 1).nbytes
    for share in (0.0, 0.3, 0.7):
        limit = int(least + share * max(free.nbytes - least, 0))
        for engine in ("expanded", "split", "auto"):
            scorer = large[0].compile(engine, max_bytes=limit)
            assert scorer.nbytes <= limit
            assert_scores(scorer, large, queries)


def test_tiers_move_with_rare(large):
    machine = large[0]
    counts = np.unique(machine.support.ids, return_counts=True)[1]
    for rare in (0, 1, 2, 7, SUPPORT + 1):
        dense, common, left = machine.compile("split", rare=rare).report().tiers
        assert dense + common + left == len(counts)
        assert left == (0 if machine.kernel.degree == 1 else (counts < rare).sum())
        assert dense == 0 or machine.kernel.degree in (2, 3)


@pytest.mark.parametrize("options", [{"rare": 0}, {"rare": 3}, {"rare": 1.0}], ids=str)
def test_bits_do_not_depend_on_threads_neighbours_or_repeats(options, large, queries):
    scorer = large[0].compile("split", **options)
    scores = scorer.decision_function(queries)
    for n_jobs in (2, 3):
        np.testing.assert_array_equal(scorer.decision_function(queries, n_jobs), scores)
    for row in range(0, len(queries), 9):
        np.testing.assert_array_equal(scorer.decision_function([queries[row]])[0], scores[row])
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(queries)), 5))
    np.testing.assert_array_equal(scorer.decision_function([queries[row] for row in order]), scores[order])


def test_mined_scores_lie_within_their_bound(large, queries):
    machine, wanted, _ = large
    for options in ({"sigma": 0.05}, {"xi": 2}, {"sigma": 1.0, "xi": 3}):
        scorer = machine.compile("expanded", **options)
        assert (abs(scorer.decision_function(queries) - wanted) <= scorer.error_bound(queries)).all(), options


@pytest.mark.parametrize("degree", [2, 3])
def test_all_three_kinds_of_features_occur(degree, queries):
    rng = np.random.default_rng(12)
    machine = gm.Machine(gm.PolynomialKernel(degree), skewed(rng, SUPPORT, 9), rng.normal(size=SUPPORT), 0.0)
    assert min(machine.compile("split", rare=3).report().tiers) > 20


# --- more features than 16 bits can count -----------------------------------------------------------------------------


@cache
def neighbours(features, outputs):
    """Neighbours in twos; the last with the first as well. All features are in two rows."""
    support = np.sort(np.stack([np.arange(features), (np.arange(features) + 1) % features], axis=1), axis=1)
    rows = Rows(np.arange(0, support.size + 1, 2), support.ravel().astype(np.int32), n_features=features)
    coef = np.random.default_rng(2).integers(-8, 9, (features, outputs)) / 8
    return gm.Machine(gm.PolynomialKernel(2), rows, coef, np.zeros(outputs))


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("features", [65533, 65534, 65535, 65536, 65537])
@pytest.mark.parametrize(
    "options", [{"engine": "expanded"}, {"engine": "split", "rare": 0}, {"engine": "expanded", "xi": 2}], ids=str
)
def test_columns_around_the_limit_of_16_bits(features, outputs, options):
    machine = neighbours(features, outputs)
    x = [
        {0, 1},
        {0, features - 1},
        {features - 2, features - 1},
        {0, 1, 2, features - 1},
        {features},
        {7, 65000, 65001},
    ]
    scorer = machine.compile(**options)
    gap = abs(scorer.decision_function(x) - machine.compile("direct").decision_function(x)).reshape(len(x), outputs)
    bound = scorer.error_bound(x).reshape(len(x), outputs)
    assert (gap <= bound).all()
    assert scorer.exact == (gap.max() == 0)


@pytest.fixture(scope="module", params=[1, 3])
def wide(request):
    """120,000 features, most of them in one row, ids up to 2^31 - 2."""
    rng = np.random.default_rng(13)
    rows = [row | set(range(1000 + 5 * n, 1005 + 5 * n)) for n, row in enumerate(skewed(rng, 24000, 6, 1000))]
    rows = [{feature * 17000 for feature in row} for row in rows]
    rows[-1].add(2**31 - 2)
    coef = rng.normal(size=(len(rows), request.param))
    machine = gm.Machine(
        gm.PolynomialKernel(2, 0.5, 1.0),
        rows,
        coef,
        np.zeros(request.param),
        list(range(max(2, request.param))),
        "ovr" if request.param > 1 else None,
    )
    strange = [row.union(rng.integers(0, 2**31 - 1, 3).tolist()) for row in rows[:40]]
    merged = [rows[n] | rows[n + 1] for n in range(0, 4000, 40)]
    return machine, [*rows[::200], *strange, *merged, rows[-1], {2**31 - 2}, set()]


@pytest.mark.parametrize(
    "options", [{"engine": "expanded"}, {"engine": "split", "rare": 0}, {"engine": "split", "rare": 3}], ids=str
)
def test_wide_machines_equal_the_definition(options, wide):
    machine, x = wide
    scorer, direct = machine.compile(**options), machine.compile("direct")
    assert (abs(scorer.decision_function(x) - direct.decision_function(x)) <= scorer.error_bound(x)).all()
    np.testing.assert_array_equal(scorer.predict(x), direct.predict(x))


@pytest.mark.parametrize("options", [{"sigma": 0.5}, {"xi": 2}], ids=str)
def test_wide_machines_are_mined_within_their_bounds(options, wide):
    machine, x = wide
    scorer, direct = machine.compile("expanded", certified=True, **options), machine.compile("direct")
    assert (
        sum(scorer.report().tiers[:2]) == 65_534
    )  # columns of 16 bits; features beyond are compared with those that have them
    assert (abs(scorer.decision_function(x) - direct.decision_function(x)) <= scorer.error_bound(x)).all()
    np.testing.assert_array_equal(scorer.predict(x), direct.predict(x))
