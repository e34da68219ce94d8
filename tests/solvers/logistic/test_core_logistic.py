"""Coordinate descent on logistic losses against scipy on explicit columns, and its certificate against the dual."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from gristmill import _core
from tests.across.interrupting import SOON, seconds_to_stop
from tests.oracle import logistic as oracle
from tests.solvers.logistic.logistic_problems import Task, tasks

TOL = 1e-9
MANY = 100_000


def slack(task):
    """What rounding may do to objectives."""
    return 1e-9 * (1 + task.costs.sum())


@given(tasks())
def test_the_minimum_is_that_of_the_definition(task):
    solver = task.solver()
    solver.solve(TOL, MANY)
    _, low, high = oracle.solve(task.matrix, task.labels, task.costs, task.outputs)
    assert solver.converged
    assert solver.gap <= TOL * task.costs.sum() * np.log(task.classes)
    assert solver.objective == pytest.approx(task.reached(solver), abs=slack(task))
    assert solver.objective - solver.gap <= high + slack(task)
    assert solver.objective >= low - slack(task)


@given(tasks())
def test_the_gap_is_that_to_the_dual_objective(task):
    """Also far from the minimum, and before the first visit of a row."""
    for passes in (0, 1, 3):
        solver = task.solver()
        solver.solve(0.0, passes) if passes else solver.judge()
        found = oracle.dual(task.coefficients(solver), *task.dual_parts(), task.parameters)
        assert solver.passes <= passes
        assert solver.objective == pytest.approx(task.reached(solver), abs=slack(task))
        assert solver.objective - solver.gap == pytest.approx(found, rel=1e-6, abs=1e3 * slack(task))


@given(tasks())
def test_another_order_of_visits_has_the_same_minimum(task):
    one, other = task.solver(), task.solver(seed=7)
    for solver in (one, other):
        solver.solve(TOL, MANY)
    assert one.objective == pytest.approx(other.objective, abs=2 * TOL * task.costs.sum() + slack(task))


def noisy(rows=3000, features=40, classes=2, C=1.0):
    rng = np.random.default_rng(5)
    table = rng.random((rows, features)) < 0.3
    labels = (table[:, 0] & table[:, 1]).astype(int) + rng.integers(0, classes - 1, rows)
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in table]
    return Task((2, 1.0, 1.0), sets, range(rows), labels % classes, np.full(rows, C), classes)


@pytest.mark.parametrize("classes", [2, 3])
def test_solving_goes_on_where_it_was_stopped(classes):
    task = noisy(300, 20, classes, C=0.01)
    at_once, in_parts = task.solver(), task.solver()
    at_once.solve(1e-8, MANY)
    while not in_parts.converged:
        in_parts.solve(1e-8, 3)
    assert in_parts.gap <= 1e-8 * 300 * np.log(classes) * 0.01
    np.testing.assert_allclose(in_parts.coefficients(), at_once.coefficients(), atol=1e-4)
    before = in_parts.passes
    in_parts.solve(1e-8, 3)
    assert in_parts.passes == before


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [1e6, 1e-12])
def test_extreme_costs(classes, C):
    task = noisy(40, 8, classes, C)
    solver = task.solver()
    solver.solve(1e-3, 100)
    assert np.isfinite([solver.objective, solver.gap]).all()
    assert 0 <= solver.gap <= solver.objective
    _, low, high = oracle.solve(task.matrix, task.labels, task.costs, task.outputs, max_iter=300)
    assert solver.objective - solver.gap <= high * (1 + 1e-9)
    assert solver.objective >= low * (1 - 1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_an_interruption_leaves_what_was_reached(classes):
    solver = noisy(classes=classes, C=1e3).solver()
    assert seconds_to_stop(lambda: solver.solve(0.0, MANY)) < SOON
    solver.judge()
    assert 0 < solver.gap < solver.objective
    assert not solver.converged
    reached = solver.objective - solver.gap
    solver.solve(0.0, 2)
    assert solver.objective - solver.gap > reached - 1e-6


def test_progress_rises_to_its_total():
    seen = []
    noisy(300, 20, C=0.1).solver().solve(1e-6, MANY, lambda done, total: seen.append((done, total)))
    assert {total for _, total in seen} == {1000}
    assert seen[-1] == (1000, 1000)


def test_what_is_no_problem_is_refused():
    task = noisy(2, 3)
    good = {"rows": task.expanded(), "costs": np.ones(2), "targets": np.ones((2, 1)), "seed": 0}

    def refused(match, **changed):
        with pytest.raises(ValueError, match=match):
            _core.LogisticSolver(**(good | changed))

    refused("a cost for each row", costs=np.ones(3))
    refused("a target for each output", targets=np.ones((1, 2)))
    refused("a target for each output", targets=np.ones((2, 0)))
    refused("positive and finite", costs=np.array([1.0, 0.0]))
    refused("positive and finite", costs=np.array([1.0, np.inf]))
    refused("from 0 to 1", targets=np.array([[1.5], [0.0]]))
    refused("from 0 to 1", targets=np.array([[np.nan], [0.0]]))
    with pytest.raises(ValueError, match="tol is 0 or more"):
        task.solver().solve(-1.0, 1)
