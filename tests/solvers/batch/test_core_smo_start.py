"""Decomposition that begins at a known solution whose bounds were lowered: what is forgotten goes to others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from tests.oracle import svm
from tests.solvers.batch import dual_problems as tasks
from tests.solvers.batch.test_core_smo import TOL, check_is_solved


def begun(dual, start, gradient):
    """The problem with a start whose gradient is known."""
    parts = (
        np.arange(len(dual.y), dtype=np.uint32),
        dual.y.astype(np.int8),
        dual.p.astype(float),
        dual.C.astype(float),
    )
    return _core.DualProblem(*parts, np.array(start), dual.equality, dual.constant, np.array(gradient))


def lowered(dual, shares):
    return replace(dual, C=dual.C * np.array(shares))


def shares_of(data, size):
    return data.draw(st.lists(st.sampled_from([0.0, 0.0, 0.5, 1.0]), min_size=size, max_size=size))


@given(tasks.duals(), st.data())
def test_lower_bounds_are_met_and_the_solution_is_that_of_the_definition(task, data):
    _, dual = task
    rows = tasks.gram_rows(dual.K)
    before = tasks.solve(rows, tasks.problem(dual), tol=TOL)
    less = lowered(dual, shares_of(data, len(dual.y)))
    for shrinking in (True, False):
        found = tasks.solve(rows, begun(less, before.alpha, before.gradient), tol=TOL, shrinking=shrinking)
        check_is_solved(less, found)
        assert found.objective == pytest.approx(
            svm.objective(less, svm.solve(less, TOL)), rel=1e-8, abs=TOL * dual.C.sum()
        )
        if dual.equality:
            assert dual.y @ found.alpha == pytest.approx(0, abs=1e-12 * (1 + dual.C.sum()))


@given(tasks.duals())
def test_gradients_are_those_of_the_solution(task):
    _, dual = task
    found = tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual))
    expected = dual.y * (dual.hessian @ found.alpha + dual.p)
    assert found.gradient == pytest.approx(expected, abs=1e-9 * (1 + np.abs(dual.hessian) @ found.alpha).max())


@given(tasks.duals())
def test_nothing_moves_where_nothing_was_lowered(task):
    _, dual = task
    rows = tasks.gram_rows(dual.K)
    before = tasks.solve(rows, tasks.problem(dual))
    again = tasks.solve(rows, begun(dual, before.alpha, before.gradient), tol=1e-6)
    assert again.iterations == 0
    assert again.alpha.tobytes() == before.alpha.tobytes()
    assert again.intercept == before.intercept


@given(tasks.duals(), st.data())
def test_threads_change_no_bit(task, data):
    _, dual = task
    rows = tasks.gram_rows(dual.K)
    before = tasks.solve(rows, tasks.problem(dual))
    less = [lowered(dual, shares_of(data, len(dual.y))) for _ in range(3)]
    problems = [begun(one, before.alpha, before.gradient) for one in less]
    found = [tasks.solve(rows, *problems, n_jobs=jobs) for jobs in (1, 3)]
    assert [tasks.facts(one) for one in found[0]] == [tasks.facts(one) for one in found[1]]


@pytest.mark.parametrize(
    ("gradient", "message"), [([0.0], "length"), ([np.nan, 0.0], "finite"), ([np.inf, 0.0], "finite")]
)
def test_gradients_that_make_no_sense_are_refused(gradient, message):
    dual = tasks.classification(np.eye(2), [1, -1], 1.0)
    with pytest.raises(ValueError, match=message):
        tasks.solve(tasks.gram_rows(dual.K), begun(dual, [0.0, 0.0], gradient))


@given(tasks.duals(), st.data())
def test_coordinate_descent_begins_there_too(task, data):
    id_lists, dual = task
    rows = _core.ExpandedRows(_core.PolynomialKernel(2, 1.0, 1.0), *tasks.csr(id_lists), tasks.ROOMY, 1, None)
    before = tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual), tol=TOL)
    less = lowered(dual, shares_of(data, len(dual.y)))
    solver = _core.DualCdSolver(rows, [begun(less, before.alpha, before.gradient)], 1e-6, 2000, True)
    solver.solve(1, None)
    found = solver.solution(0)
    assert np.all((found.alpha >= 0) & (found.alpha <= less.C))
    assert found.violation == pytest.approx(svm.violation(less, found.alpha), abs=1e-9 * (1 + dual.C.sum()))
    if dual.equality:
        assert dual.y @ found.alpha == pytest.approx(0, abs=1e-12 * (1 + dual.C.sum()))
    if found.converged:
        expected = svm.objective(less, svm.solve(less, TOL))
        assert found.objective == pytest.approx(expected, rel=1e-6, abs=1e-6 * dual.C.sum())


def test_coordinate_descent_ends_where_an_example_is_forgotten():
    id_lists, signs = tasks.noisy(400)
    dual = tasks.classification(tasks.gram(id_lists), signs, 0.01)
    rows = _core.ExpandedRows(_core.PolynomialKernel(2, 1.0, 1.0), *tasks.csr(id_lists), tasks.ROOMY, 1, None)
    before = tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual), tol=1e-3)
    bounds = dual.C.copy()
    bounds[np.flatnonzero(before.alpha > 0)[:3]] = 0
    less = replace(dual, C=bounds)
    solver = _core.DualCdSolver(rows, [begun(less, before.alpha, before.gradient)], 1e-3, -1, True)
    solver.solve(1, None)
    found = solver.solution(0)
    assert found.converged
    assert svm.violation(less, found.alpha) <= 1e-3 + 1e-9


def changed(dual, before, kept):
    """The problem with lower bounds, and a start whose gradient is known up to errors where `kept` says."""
    parts = (
        np.arange(len(dual.y), dtype=np.uint32),
        dual.y.astype(np.int8),
        dual.p.astype(float),
        dual.C.astype(float),
    )
    at_bound = (before.alpha <= 0) | (before.alpha >= dual.C)
    errors = np.where(np.array(kept) & at_bound, 0.25, 0.0)
    gradient = np.array(before.gradient) + errors * np.where(np.arange(len(errors)) % 2 == 0, 1, -1)
    rest = dual.equality, dual.constant, gradient, errors, before.objective
    return _core.DualProblem(*parts, np.array(before.alpha), *rest)


@given(tasks.duals(), st.data())
def test_gradients_that_are_known_up_to_errors_will_do(task, data):
    id_lists, dual = task
    rows = _core.ExpandedRows(_core.PolynomialKernel(2, 1.0, 1.0), *tasks.csr(id_lists), tasks.ROOMY, 1, None)
    before = tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual), tol=TOL)
    less = lowered(dual, shares_of(data, len(dual.y)))
    kept = data.draw(st.lists(st.booleans(), min_size=len(dual.y), max_size=len(dual.y)))
    solver = _core.DualCdSolver(rows, [changed(less, before, kept)], 1e-6, 2000, True)
    solver.solve(1, None)
    found = solver.solution(0)
    scale = 1 + dual.C.sum()
    assert svm.violation(less, found.alpha) == pytest.approx(found.violation, abs=1e-8 * scale)
    assert svm.objective(less, found.alpha) == pytest.approx(found.objective, rel=1e-8, abs=1e-8 * scale)
    exact = dual.y * (dual.hessian @ found.alpha + dual.p)
    errors = np.array(found.gradient_errors) if len(found.gradient_errors) else np.zeros(len(exact))
    assert np.all(np.abs(found.gradient - exact) <= errors + 1e-8 * scale)
    slopes = dual.y * (np.array(found.gradient) + (found.intercept if dual.equality else 0))
    assert np.all(np.where(errors > 0, np.abs(slopes) > errors, True))  # on the right side whatever the error


def test_rows_that_were_taken_have_the_same_scores():
    id_lists, signs = tasks.noisy(60)
    rows = _core.ExpandedRows(_core.PolynomialKernel(3, 1.0, 1.0), *tasks.csr(id_lists), tasks.ROOMY, 1, None)
    kept = np.setdiff1d(np.arange(60), [0, 7, 59]).astype(np.uint32)
    dual = tasks.classification(tasks.gram(id_lists, 3)[np.ix_(kept, kept)], signs[kept], 0.01)
    solver = _core.DualCdSolver(rows.take(kept), [tasks.problem(dual)], 1e-6, -1, True)
    solver.solve(1, None)
    found = solver.solution(0)
    assert found.converged
    assert svm.violation(dual, found.alpha) <= 1e-6 + 1e-9
    with pytest.raises(IndexError, match="no such row"):
        rows.take(np.array([60], dtype=np.uint32))
