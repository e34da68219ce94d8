"""Bundles of planes, moved by hand: what they know against NumPy, clarabel and brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from tests.oracle import cutting_planes as oracle
from tests.oracle import plane_qp
from tests.properties import share
from tests.solvers.cutting_plane.plane_problems import Hand, Problem, errata, problems

MANY = 10_000  # rounds of patience
FEWER = share(1 / 3)


def size_of(problem):
    """What roundings are relative to."""
    return problem.total + np.abs(problem.K).max(initial=1) * problem.total**2


def check_point(problem, point):
    """A point is what its dual says, and it is feasible."""
    dual, K = point.dual, problem.K
    assert dual.min() >= 0
    assert (dual <= problem.costs * (1 + 1e-9)).all()
    np.testing.assert_array_equal(point.weights, dual * problem.y)
    if problem.balanced:
        assert problem.y @ dual == pytest.approx(0, abs=1e-9 * problem.total)
    else:
        assert point.intercept == 0
    values = K @ point.weights
    slip = 1e-11 * (1 + np.abs(K) @ dual + abs(point.intercept))
    assert (np.abs(point.margins - problem.y * (values + point.intercept)) <= slip).all()
    expected = oracle.objective(K, problem.y, problem.costs, point.weights, point.intercept)
    assert point.objective == pytest.approx(expected, rel=1e-9, abs=1e-12 * size_of(problem))
    assert point.loss == pytest.approx(problem.shares @ np.maximum(1 - point.margins, 0), rel=1e-12, abs=1e-15)


def check_planes(hand):
    """The master problem is that of the planes as NumPy sees them: H, h and e are right."""
    problem, bundle = hand.problem, hand.bundle
    seen = oracle.problem_of(problem.K, problem.y, hand.planes, problem.total, problem.balanced)
    a = bundle.plane_weights
    assert len(a) == len(bundle) == len(hand.planes)
    limit = 1e-11 + 100 * plane_qp.rounding(seen, a)
    assert plane_qp.residual(seen, a, bundle.slack, bundle.master.intercept) <= limit
    assert bundle.residual <= limit
    assert bundle.lower == pytest.approx(plane_qp.objective(seen, a), rel=1e-9, abs=limit * problem.total)
    np.testing.assert_allclose(bundle.master.dual, a @ np.array(hand.planes), rtol=1e-12, atol=1e-15 * problem.total)
    members = np.flatnonzero(np.sum(hand.planes, axis=0) > 0)
    np.testing.assert_array_equal(bundle.members(), members)


# --- Algorithm 1 ------------------------------------------------------------------------------------------------------


def test_the_slack_is_not_the_one_that_was_printed():
    problem = errata()
    hand = Hand(problem)
    hand.first()
    hand.solve()
    while hand.bundle.master.loss > hand.bundle.slack + 1e-4:
        hand.add(hand.bundle.cut(1.0))
        hand.solve()
    seen = oracle.problem_of(problem.K, problem.y, hand.planes, problem.total, False)
    a = hand.bundle.plane_weights
    assert hand.bundle.slack == pytest.approx(0.1415, abs=2e-4)
    assert hand.bundle.slack == pytest.approx(oracle.largest_loss(seen, a, 0.0), abs=1e-12)
    assert oracle.corrected_slack(seen, a) == pytest.approx(hand.bundle.slack, abs=1e-12)
    assert oracle.printed_slack(seen, a) == pytest.approx(0.3169, abs=2e-4)
    assert hand.bundle.master.objective - hand.bundle.lower <= 1e-4 * problem.total * (1 + 1e-9)


def test_the_twin_finds_the_figures_of_the_errata_and_the_printed_slack_ends_too_early():
    problem = errata()
    run = oracle.solve(problem.K, problem.y, problem.costs, tol=1e-4)
    seen = oracle.problem_of(problem.K, problem.y, run.planes, problem.total, False)
    assert run.slack == pytest.approx(0.141519, abs=1e-6)
    assert oracle.largest_loss(seen, run.weights, 0.0) == pytest.approx(run.slack, abs=1e-8)
    assert oracle.printed_slack(seen, run.weights) == pytest.approx(0.316912, abs=1e-6)
    early = oracle.solve(problem.K, problem.y, problem.costs, tol=1e-4, slack=oracle.printed_slack)
    ends = [oracle.objective(problem.K, problem.y, problem.costs, each.beta) for each in (run, early)]
    assert ends[0] - run.lower <= 1e-4 * problem.total
    assert ends[1] - run.lower > 0.05 * problem.total


@FEWER
@given(problems())
def test_planes_cut_at_the_master_are_algorithm_1(problem):
    """Solutions of the planes may not be unique, so planes may differ; what they lead to may not."""
    problem = replace(problem, costs=np.clip(problem.costs, 0.01, 10))
    run = oracle.solve(problem.K, problem.y, problem.costs, tol=1e-5, balanced=problem.balanced)
    hand = Hand(problem)
    hand.first()
    hand.solve()
    while hand.bundle.master.loss > hand.bundle.slack + 1e-5:
        hand.add(hand.bundle.cut(1.0))
        hand.solve()
    slip = 3e-5 * problem.total
    assert hand.bundle.lower == pytest.approx(run.lower, abs=slip)
    ends = oracle.objective(problem.K, problem.y, problem.costs, run.beta, run.b)
    assert hand.bundle.master.objective == pytest.approx(ends, abs=slip)


# --- rounds -----------------------------------------------------------------------------------------------------------


@given(problems(), st.integers(0, 8), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_every_round_knows_what_its_planes_and_points_are(problem, rounds, toward):
    hand = Hand(problem)
    hand.first()
    last, lower = np.inf, -np.inf
    for _ in range(rounds):
        hand.solve()
        check_planes(hand)
        check_point(problem, hand.bundle.master)
        hand.bundle.search()
        best = hand.bundle.best
        check_point(problem, best)
        slip = 1e-12 * size_of(problem)
        assert best.objective <= min(last, hand.bundle.master.objective) + slip
        assert hand.bundle.lower >= lower - slip
        last, lower = best.objective, hand.bundle.lower
        hand.add(hand.bundle.cut(toward))


@given(problems(), st.integers(1, 12), st.data())
def test_nothing_is_below_the_planes(problem, rounds, data):
    hand = Hand(problem)
    hand.first()
    for _ in range(rounds):
        hand.round()
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    slip = 1e-12 * size_of(problem)
    for _ in range(20):
        beta = random.normal(size=len(problem.y)) * problem.costs * random.choice([0.01, 0.3, 1.0, 10.0])
        b = random.normal() if problem.balanced else 0.0
        assert oracle.objective(problem.K, problem.y, problem.costs, beta, b) >= hand.bundle.lower - slip


@given(problems(), st.integers(0, 6), st.data())
def test_sampled_planes_count_as_they_are_told(problem, more, data):
    hand = Hand(problem)
    hand.first()
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    for _ in range(more):
        variables = random.choice(len(problem.y), size=random.integers(1, len(problem.y) + 1), replace=False)
        hand.add_sample(variables, random.random(len(variables)) / len(variables))
        hand.bundle.solve(MANY)
        check_planes(hand)
        if random.random() < 0.3:
            hand.solve()
            hand.add(hand.bundle.cut(1.0))


@given(problems(), st.sampled_from([0, 1, 2, 5]))
def test_planes_that_go_change_nothing_that_is_found(problem, patience):
    hand, keeper = Hand(problem), Hand(problem)
    for each, kept in ((hand, patience), (keeper, MANY)):
        each.first()
        for _ in range(400):
            if each.round(patience=kept) <= 1e-4:
                break
        else:
            pytest.fail("it does not end")
    slip = 2e-4 * problem.total + 1e-12 * size_of(problem)
    assert hand.bundle.best.objective == pytest.approx(keeper.bundle.best.objective, abs=slip)
    assert len(hand.bundle) <= len(keeper.bundle) + 400
    assert hand.bundle.master.objective >= hand.bundle.lower - slip


@pytest.mark.parametrize("balanced", [False, True])
def test_planes_go_after_so_many_rounds_but_not_those_that_hold_the_intercept(balanced):
    problem = replace(errata(), balanced=balanced)
    hand = Hand(problem)
    hand.first()
    sizes = []
    for _ in range(60):
        hand.bundle.solve(0)
        used = hand.bundle.plane_weights > 0
        sizes.append(len(used))
        assert used[2 * balanced :].all()
        assert len(hand.bundle) >= 2 * balanced
        hand.bundle.place(problem.K @ hand.bundle.master.weights)
        hand.bundle.search()
        hand.add(hand.bundle.cut(0.1))
    assert max(sizes) < 50
    assert np.isfinite(hand.bundle.master.intercept)


def test_a_plane_waits_for_as_many_rounds_as_it_is_given():
    problem = Problem(np.eye(2), np.array([1.0, -1.0]), np.ones(2), False)
    hand = Hand(problem)
    hand.first()
    hand.add(hand.bundle.cut_where(np.array([False, False])))  # of nothing: never with a weight
    for waited in range(1, 4):
        hand.bundle.solve(2)
        assert len(hand.bundle) == (2 if waited <= 2 else 1)


def test_a_plane_that_is_nothing_is_below_0_by_rounding_only():
    """Examples that cancel: a square of -1e-18 is 0."""
    random = np.random.default_rng(7)
    rows = np.round(random.normal(size=(40, 3)), 2)
    for _ in range(200):
        some = random.choice(40, size=6)
        X = np.vstack([rows[some], rows[some[::-1]]])
        shares = random.choice([0.1, 0.3, 0.7], size=6)
        problem = Problem(X @ X.T, np.repeat([1.0, -1.0], 6), np.concatenate([shares, shares[::-1]]), False)
        hand = Hand(problem)
        hand.first()
        hand.solve()
        assert hand.bundle.lower == pytest.approx(problem.total)


# --- the line search --------------------------------------------------------------------------------------------------


def along(problem, first, second, k):
    """The objective on the way from (beta, b) to another; both are pairs."""
    beta = (1 - k) * first[0] + k * second[0]
    return oracle.objective(problem.K, problem.y, problem.costs, beta, (1 - k) * first[1] + k * second[1])


def golden(function, low=0.0, high=1.0):
    """Where a convex function is least."""
    ratio = (5**0.5 - 1) / 2
    for _ in range(60):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if function(a) <= function(b) else (a, high)
    return (low + high) / 2


def pair_of(point):
    return point.weights, point.intercept


def check_search(hand):
    """The best point is the lowest on its way, by a grid and by golden section."""
    problem, bundle = hand.problem, hand.bundle
    first, second = pair_of(bundle.best), pair_of(bundle.master)
    bundle.search()
    check_point(problem, bundle.best)

    def function(k):
        return along(problem, first, second, k)

    found = oracle.objective(problem.K, problem.y, problem.costs, *pair_of(bundle.best))
    slip = 1e-11 * (problem.total + abs(found) + function(0.0) + function(1.0))
    assert found <= min(map(function, np.linspace(0, 1, 101))) + slip
    assert found == pytest.approx(function(golden(function)), abs=max(slip, 1e-9 * abs(found)))


@FEWER
@given(problems(), st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), max_size=6))
def test_a_search_finds_the_best_point_on_its_way(problem, cuts):
    hand = Hand(problem)
    hand.first()
    for toward in cuts:
        hand.solve()
        check_search(hand)
        hand.add(hand.bundle.cut(toward))


@FEWER
@given(problems(max_size=6), st.data())
def test_a_search_from_anywhere_finds_the_best_point(problem, data):
    """From whole numbers: margins of exactly 1, equal ends and equal breakpoints are common."""
    problem = replace(problem, K=np.round(problem.K), costs=np.full(len(problem.y), 2.0), balanced=False)
    problem = replace(problem, K=problem.K @ problem.K.T / 4)  # positive semidefinite after rounding
    hand = Hand(problem)
    dual = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=(n := len(problem.y)), max_size=n))
    )
    hand.bundle.start(dual, problem.K @ (dual * problem.y), 0.0)
    check_point(problem, hand.bundle.best)
    hand.add(hand.bundle.cut(0.0))
    for _ in range(3):
        hand.solve()
        check_search(hand)
        hand.add(hand.bundle.cut(1.0))


def test_a_search_without_a_rise_stays_where_it_is():
    """All rows are nothing: every point is as good as any other."""
    problem = Problem(np.zeros((3, 3)), np.array([1.0, -1, 1]), np.ones(3), False)
    hand = Hand(problem)
    hand.first()
    hand.solve()
    hand.bundle.search()
    assert hand.bundle.best.objective == hand.bundle.lower == pytest.approx(3)


# --- other than from nothing ------------------------------------------------------------------------------------------


@given(problems(), st.data())
def test_a_start_is_the_best_point_until_there_is_a_better_one(problem, data):
    problem = replace(problem, balanced=False)
    fractions = data.draw(st.lists(st.floats(0, 1), min_size=len(problem.y), max_size=len(problem.y)))
    hand, dual = Hand(problem), np.array(fractions) * problem.costs
    hand.bundle.start(dual, problem.K @ (dual * problem.y), 0.0)
    check_point(problem, hand.bundle.best)
    before = hand.bundle.best.objective
    hand.first()
    slip = 1e-12 * size_of(problem)
    for _ in range(400):
        if hand.round() <= 1e-4:
            break
        assert hand.bundle.best.objective <= before + slip
    cold = Hand(problem)
    cold.first()
    while cold.round() > 1e-4:
        pass
    assert hand.bundle.best.objective == pytest.approx(cold.bundle.best.objective, abs=2e-4 * problem.total + slip)


@FEWER
@given(problems(max_size=16), st.integers(0, 6))
def test_more_variables_are_as_if_they_had_been_there(problem, rounds):
    """Planes of before are planes of all; the total is that of all from the start."""
    n = len(problem.y)
    some = max(2, n // 2)
    part = replace(problem, K=problem.K[:some, :some], y=problem.y[:some], costs=problem.costs[:some])
    hand = Hand(part)
    hand.bundle = _core.Bundle(part.y.astype(np.int8), part.costs, problem.total, problem.balanced)
    hand.first()
    for _ in range(rounds):
        hand.solve()
        hand.bundle.search()
        hand.add(hand.bundle.cut(0.1))
    best = hand.bundle.best.weights
    products = problem.K[some:, :some] @ best
    hand.bundle.extend(problem.y[some:].astype(np.int8), problem.costs[some:], products)
    assert hand.bundle.variables == n
    hand.problem, hand.planes = problem, [np.pad(plane, (0, n - some)) for plane in hand.planes]
    check_point(problem, hand.bundle.best)
    hand.solve()
    check_planes(hand)
    check_point(problem, hand.bundle.master)
    check_search(hand)
    for _ in range(400):
        if hand.round() <= 1e-4:
            break
    cold = Hand(problem)
    cold.first()
    while cold.round() > 1e-4:
        pass
    slip = 2e-4 * problem.total + 1e-12 * size_of(problem)
    assert hand.bundle.best.objective == pytest.approx(cold.bundle.best.objective, abs=slip)


def test_the_same_rounds_give_the_same_bits():
    def facts():
        hand = Hand(replace(errata(), balanced=True))
        hand.first()
        for _ in range(20):
            hand.round(patience=3)
        best = hand.bundle.best
        return best.dual.tobytes(), best.margins.tobytes(), best.intercept, hand.bundle.lower, len(hand.bundle)

    assert facts() == facts()


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda bundle: _core.Bundle(np.ones(2, np.int8), np.ones(3), 3.0, False), "an entry for each variable"),
        (lambda bundle: bundle.place(np.ones(3)), "an entry for each variable"),
        (lambda bundle: bundle.add(np.ones(1)), "an entry for each variable"),
        (lambda bundle: bundle.cut_where(np.ones(3, dtype=bool)), "an entry for each variable"),
        (lambda bundle: bundle.add_sample(np.zeros(1, np.uint32), np.ones(2), np.ones(2)), "an entry for each"),
        (lambda bundle: bundle.add_sample(np.array([2], np.uint32), np.ones(1), np.ones(2)), "no such variable"),
        (lambda bundle: bundle.start(np.ones(1), np.ones(2), 0.0), "an entry for each variable"),
        (lambda bundle: bundle.extend(np.ones(1, np.int8), np.ones(2), np.ones(1)), "an entry for each variable"),
    ],
)
def test_arrays_of_other_sizes_are_refused(call, message):
    bundle = _core.Bundle(np.array([1, -1], dtype=np.int8), np.ones(2), 2.0, False)
    with pytest.raises(ValueError, match=message):
        call(bundle)
    assert (len(bundle), bundle.variables) == (0, 2)


def test_arrays_of_other_types_are_not_converted():
    with pytest.raises(TypeError):
        _core.Bundle(np.array([1, -1]), np.ones(2), 2.0, False)
    bundle = _core.Bundle(np.array([1, -1], dtype=np.int8), np.ones(2), 2.0, False)
    with pytest.raises(TypeError):
        bundle.place(np.ones(2, dtype=int))


def test_points_outlive_their_bundle():
    hand = Hand(errata())
    hand.first()
    hand.solve()
    point, norm = hand.bundle.master, hand.bundle.master.norm
    del hand
    assert point.norm == norm
    assert len(point.dual) == 60
