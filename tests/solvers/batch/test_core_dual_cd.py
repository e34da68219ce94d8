"""Coordinate descent over conjunctions against the definition of the dual problem, and against decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from tests.oracle import svm
from tests.solvers.batch import dual_problems as tasks

TOL = 1e-7


def expanded(id_lists, degree=2, max_bytes=tasks.ROOMY, n_jobs=1):
    return _core.ExpandedRows(_core.PolynomialKernel(degree, 1.0, 1.0), *tasks.csr(id_lists), max_bytes, n_jobs)


def descend(rows, *problems, tol=TOL, max_iter=-1, shrinking=True, n_jobs=1):
    solver = _core.DualCdSolver(rows, list(problems), tol, max_iter, shrinking)
    solver.solve(n_jobs, None)
    found = [solver.solution(at) for at in range(len(problems))]
    return found[0] if len(found) == 1 else found


def check_is_feasible(dual, found, total=0.0):
    assert np.all(found.alpha >= 0)
    assert np.all(found.alpha <= dual.C)
    if dual.equality:
        assert dual.y @ found.alpha == pytest.approx(total, abs=1e-14 * (1 + dual.C.sum()))


def check_is_as_reported(dual, found, tol=TOL):
    size = 1 + (np.abs(dual.hessian) @ found.alpha).max()
    violation = svm.violation(dual, found.alpha)
    assert found.violation == pytest.approx(violation, abs=1e-12 * size)
    assert found.converged == (found.violation <= tol)
    assert found.objective == pytest.approx(svm.objective(dual, found.alpha), rel=1e-12, abs=1e-12)
    assert found.intercept == pytest.approx(svm.intercept(dual, found.alpha), abs=1e-12 * size)


@given(tasks.duals(), st.booleans())
def test_solutions_are_those_of_the_definition(task, shrinking):
    id_lists, dual = task
    found = descend(expanded(id_lists), tasks.problem(dual), shrinking=shrinking)
    check_is_feasible(dual, found)
    check_is_as_reported(dual, found)
    if found.converged:
        expected = svm.objective(dual, svm.solve(dual, TOL))
        assert found.objective == pytest.approx(expected, rel=1e-7, abs=2 * TOL * dual.C.sum())


@given(tasks.duals())
def test_what_is_left_is_finished_by_decomposition(task):
    id_lists, dual = task
    reached = descend(expanded(id_lists), tasks.problem(dual), max_iter=2)
    check_is_feasible(dual, reached)
    found = tasks.solve(tasks.counted_rows(id_lists), tasks.problem(dual, start=reached.alpha), tol=TOL)
    assert found.converged
    expected = svm.objective(dual, svm.solve(dual, TOL))
    assert found.objective == pytest.approx(expected, rel=1e-7, abs=2 * TOL * dual.C.sum())


@given(tasks.duals(), st.data())
def test_starts_are_left_for_the_same_optimum(task, data):
    id_lists, dual = task
    shares = data.draw(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=len(dual.y), max_size=len(dual.y)))
    start = dual.C * np.array(shares)
    found = descend(expanded(id_lists), tasks.problem(dual, start=start))
    check_is_feasible(dual, found, dual.y @ start)
    check_is_as_reported(dual, found)
    if found.converged:
        expected = svm.objective(dual, svm.solve(dual, TOL, start))
        assert found.objective == pytest.approx(expected, rel=1e-7, abs=2 * TOL * dual.C.sum())


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("equality", [True, False])
def test_equals_decomposition_for_every_degree(degree, equality):
    id_lists, y = tasks.noisy(300, features=400)
    dual = tasks.classification(tasks.gram(id_lists, degree), y, 0.1 / 11**degree, equality)
    found = descend(expanded(id_lists, degree), tasks.problem(dual), tol=1e-5)
    assert found.converged
    check_is_feasible(dual, found)
    check_is_as_reported(dual, found, 1e-5)
    other = tasks.solve(tasks.counted_rows(id_lists, degree), tasks.problem(dual), tol=1e-5)
    assert found.objective == pytest.approx(other.objective, rel=1e-6)


def test_hard_problems_are_left_feasible_for_others():
    id_lists, y = tasks.noisy(400, features=14)
    dual = tasks.classification(tasks.gram(id_lists), y, 1e4)
    found = descend(expanded(id_lists), tasks.problem(dual), tol=1e-6)
    assert not found.converged
    check_is_feasible(dual, found)
    check_is_as_reported(dual, found, 1e-6)
    assert found.objective < 0


def test_several_problems_and_threads_give_the_bits_of_each_alone():
    id_lists, y = tasks.noisy(200)
    duals = [tasks.classification(tasks.gram(id_lists), sign * y, C) for sign in (1, -1) for C in (0.001, 0.01)]
    problems = [tasks.problem(dual) for dual in duals]
    alone = [tasks.facts(descend(expanded(id_lists), problem)) for problem in problems]
    for n_jobs in (1, 2, 3):
        together = descend(expanded(id_lists, n_jobs=n_jobs), *problems, n_jobs=n_jobs)
        assert [tasks.facts(found) for found in together] == alone


def test_an_interruption_leaves_a_feasible_point_from_which_it_goes_on():
    id_lists, y = tasks.noisy(2000, features=400)
    dual = tasks.classification(np.eye(len(y)), y, 0.01)  # the oracle's matrix is not needed
    solver = _core.DualCdSolver(expanded(id_lists), [tasks.problem(dual)], 1e-6, -1, True)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solver.solve(1, stop)
    check_is_feasible(dual, solver.solution(0))
    solver.solve(1, None)
    cold = descend(expanded(id_lists), tasks.problem(dual), tol=1e-6)
    assert solver.solution(0).objective == pytest.approx(cold.objective, rel=1e-7)


def test_progress_grows_to_the_total():
    id_lists, y = tasks.noisy(2000, features=400)
    dual = tasks.classification(np.eye(len(y)), y, 0.01)
    seen = []
    solver = _core.DualCdSolver(expanded(id_lists), [tasks.problem(dual)], 1e-6, -1, True)
    solver.solve(1, lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (1000, 1000)


def test_rows_that_do_not_fit_are_refused():
    id_lists, _ = tasks.noisy(200)
    with pytest.raises(_core.PatternsTooLargeError, match="max_bytes = 1000"):
        expanded(id_lists, 3, max_bytes=1000)


def test_memory_stays_below_the_conjunctions_of_the_rows():
    id_lists, _ = tasks.noisy(3000, features=3000)
    assert expanded(id_lists).nbytes < 3000 * 10 * 9 / 2 * 4


@pytest.mark.parametrize("ids", [[], [3]])
def test_one_example_alone(ids):
    dual = tasks.classification(tasks.gram([ids]), [1], 1.0)
    found = descend(expanded([ids]), tasks.problem(dual))
    assert found.alpha.tolist() == [0.0]
    assert found.converged
    free = tasks.classification(tasks.gram([ids]), [1], 1.0, equality=False)
    assert descend(expanded([ids]), tasks.problem(free)).alpha[0] == pytest.approx(1 / free.K[0, 0])


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize(("coef0", "bound"), [(0.0, 1e6), (0.3, 0.1), (10.0, 1e6)])
@pytest.mark.parametrize("id_lists", [[[], [], [], []], [[0, 4, 5], [3], []], [[1], [2], [3], [4]]])
def test_rows_that_share_nothing_come_to_an_end(id_lists, degree, coef0, bound):
    rows = _core.ExpandedRows(_core.PolynomialKernel(degree, 0.1, coef0), *tasks.csr(id_lists), tasks.ROOMY, 1)
    y = np.where(np.arange(len(id_lists)) % 2 == 0, 1.0, -1.0)
    sets = [frozenset(ids) for ids in id_lists]
    K = np.array([[(0.1 * len(a & b) + coef0) ** degree for b in sets] for a in sets])
    for equality in (True, False):
        dual = tasks.classification(K, y, bound, equality)
        found = descend(rows, tasks.problem(dual), tol=1e-5)
        check_is_feasible(dual, found)
        check_is_as_reported(dual, found, 1e-5)
