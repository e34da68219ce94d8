"""The problem of cutting planes against its conditions of optimality and against clarabel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gristmill import _core
from tests.oracle import plane_qp as oracle


@st.composite
def problems(draw, max_planes=25, totals=(-6, 9), scales=(-6, 1.5)):
    """Planes of any rank, some of them zero, some of them again (with the same h or another)."""
    n = draw(st.integers(1, max_planes))
    rank = draw(st.integers(0, 12))
    kinds = draw(st.lists(st.sampled_from(["new", "new", "new", "zero", "again", "again, other h"]), min_size=n))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    g = 10.0 ** draw(st.floats(*scales)) * (random.normal(size=(n, rank)) + draw(st.sampled_from([0, 2])))
    h = np.where(random.random(n) < 0.2, random.integers(0, 2, n), random.random(n)).astype(float)
    e = np.where(random.random(n) < 0.5, random.integers(-2, 3, n) / 4, 2 * random.random(n) - 1)
    for at in range(n):
        if kinds[at] == "zero":
            g[at] = 0
        elif kinds[at] != "new" and at > 0:
            other = random.integers(at)
            g[at], e[at] = g[other], e[other]
            h[at] = h[other] if kinds[at] == "again" else h[at]
    return oracle.Problem(g @ g.T, h, e, 10.0 ** draw(st.floats(*totals)), draw(st.booleans()))


def add(qp, problem, at):
    qp.add(problem.H[: at + 1, at].copy(), problem.h[at], problem.e[at])


def check_is_solved(qp, problem):
    a = qp.solution
    limit = 1e-13 + 50 * oracle.rounding(problem, a)  # 1e-8 unless H and a are so large that their last bits are more
    assert oracle.residual(problem, a, qp.slack, qp.intercept) <= limit
    assert qp.residual <= limit
    assert a.min(initial=0) >= 0
    assert a.sum() <= problem.total * (1 + 1e-12)
    assert qp.slack >= 0
    assert problem.balanced or qp.intercept == 0
    assert qp.objective == pytest.approx(oracle.objective(problem, a), rel=1e-9, abs=limit * problem.total)
    assert qp.objective >= -limit * problem.total


def first(problem, n):
    return replace(problem, H=problem.H[:n, :n], h=problem.h[:n], e=problem.e[:n])


def solved(problem, one_by_one=False):
    qp = _core.PlaneQp(problem.total, problem.balanced)
    for at in range(len(problem.h)):
        add(qp, problem, at)
        if one_by_one:
            qp.solve()
    qp.solve()
    return qp


@given(problems())
def test_every_solution_along_the_way_is_optimal(problem):
    qp = _core.PlaneQp(problem.total, problem.balanced)
    qp.solve()
    assert (qp.objective, qp.slack, qp.intercept, qp.residual) == (0, 0, 0, 0)
    for at in range(len(problem.h)):
        add(qp, problem, at)
        qp.solve()
        check_is_solved(qp, first(problem, at + 1))


@given(problems(totals=(-6, 5)))
def test_objectives_are_those_of_an_interior_point_method(problem):
    expected = oracle.best_objective(problem)
    assume(expected is not None)
    qp = solved(problem)
    assert qp.objective == pytest.approx(expected, rel=1e-6, abs=1e-7 * problem.total)


@given(problems())
def test_one_by_one_is_all_at_once(problem):
    one, all_ = solved(problem, one_by_one=True), solved(problem)
    check_is_solved(all_, problem)
    noise = 1e-13 + 100 * oracle.rounding(problem, np.maximum(one.solution, all_.solution))
    assert one.objective == pytest.approx(all_.objective, rel=1e-12, abs=noise * problem.total)


@given(problems(), st.data())
def test_planes_without_weight_can_go(problem, data):
    qp = solved(problem)
    before = qp.solution
    choice = data.draw(st.lists(st.booleans(), min_size=len(before), max_size=len(before)))
    kept = np.flatnonzero((before > 0) | np.array(choice)).astype(np.uint32)
    facts = (qp.objective, qp.slack)
    qp.keep(kept)
    assert (qp.objective, qp.slack) == facts
    assert len(qp) == len(kept)
    np.testing.assert_array_equal(qp.solution, before[kept])
    fewer = replace(problem, H=problem.H[np.ix_(kept, kept)], h=problem.h[kept], e=problem.e[kept])
    for at in range(len(kept)):
        np.testing.assert_array_equal(qp.column(at), fewer.H[at])
    check_is_solved(qp, fewer)
    rounds = qp.rounds
    qp.solve()
    check_is_solved(qp, fewer)
    assert qp.rounds == rounds
    order = [*kept, *(at for at in range(len(before)) if at not in kept)]  # they come back
    for size in range(len(kept), len(order)):
        at = order[size]
        qp.add(problem.H[order[: size + 1], at].copy(), problem.h[at], problem.e[at])
    qp.solve()
    check_is_solved(qp, replace(problem, H=problem.H[np.ix_(order, order)], h=problem.h[order], e=problem.e[order]))


@given(problems())
def test_the_same_planes_give_the_same_bits(problem):
    one, other = solved(problem, one_by_one=True), solved(problem, one_by_one=True)
    assert one.solution.tobytes() == other.solution.tobytes()
    assert (one.slack, one.intercept) == (other.slack, other.intercept)


@pytest.mark.parametrize("balanced", [False, True])
def test_thousands_of_planes_of_low_rank(balanced):
    random = np.random.default_rng(5)
    g = random.normal(size=(2000, 60)) / 8 + 0.05
    problem = oracle.Problem(g @ g.T, random.random(2000), random.random(2000) - 0.5, 1e3, balanced)
    check_is_solved(solved(problem), problem)


def test_one_class_alone_has_the_intercept_that_suits_it():
    qp = _core.PlaneQp(10.0, True)
    qp.add(np.array([0.25]), 0.75, 0.75)
    qp.solve()
    assert (qp.solution[0], qp.slack, qp.intercept) == (0, 0, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda qp: _core.PlaneQp(0.0, False), "total is positive"),
        (lambda qp: qp.add(np.ones(1), 1.0, 0.0), "an entry per plane"),
        (lambda qp: qp.add(np.array([0.0, np.nan]), 1.0, 0.0), "finite"),
        (lambda qp: qp.add(np.array([0.0, -1.0]), 1.0, 0.0), "not negative"),
        (lambda qp: qp.keep(np.zeros(0, dtype=np.uint32)), "in use"),
        (lambda qp: qp.keep(np.array([0, 0], dtype=np.uint32)), "ascending"),
        (lambda qp: qp.keep(np.array([1], dtype=np.uint32)), "ascending"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(call, message):
    qp = _core.PlaneQp(1.0, False)
    qp.add(np.ones(1), 1.0, 0.0)
    qp.solve()
    with pytest.raises(ValueError, match=message):
        call(qp)
    assert (len(qp), qp.total, qp.solution.tolist(), qp.residual) == (1, 1.0, [1.0], 0)
