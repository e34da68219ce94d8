"""Progress, interruption and errors on the way."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from gristmill import _core
from tests.across.interrupting import SOON, seconds_to_stop
from tests.solvers.batch import dual_problems as tasks


def long_problem(equality=True):
    """Rows and a problem that take many seconds."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(2500, 30))
    y = np.where(rng.random(2500) < 0.5, 1.0, -1.0)
    K = points @ points.T
    return K, tasks.classification(K, y, 1e4, equality)


@pytest.mark.parametrize("equality", [True, False])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interruption_leaves_what_was_reached(equality, n_jobs):
    K, dual = long_problem(equality)
    solver = _core.SmoSolver(tasks.gram_rows(K), [tasks.problem(dual)] * 3, 1e-9, -1, True)
    assert seconds_to_stop(lambda: solver.solve(n_jobs, None)) < SOON
    reached = solver.solution(0)
    assert 0 < reached.iterations
    assert not reached.converged
    assert np.all((reached.alpha >= 0) & (reached.alpha <= dual.C))
    if equality:
        assert dual.y @ reached.alpha == pytest.approx(0, abs=1e-12 * reached.alpha.sum())
    assert reached.objective < 0
    assert solver.solution(2).alpha.shape == dual.y.shape


def test_solving_goes_on_after_an_error_of_progress():
    K, dual = long_problem()
    solver = _core.SmoSolver(tasks.gram_rows(K), [tasks.problem(dual)], 1e-9, -1, True)

    def refuse(done, total):
        assert (0 <= done < total, total) == (True, 1000)
        raise LookupError("enough")

    reached = []
    for _ in range(2):
        with pytest.raises(LookupError, match="enough"):
            solver.solve(1, refuse)
        reached.append((solver.solution(0).iterations, solver.solution(0).objective))
    assert reached[0][0] < reached[1][0]
    assert reached[0][1] > reached[1][1]


def test_progress_rises_to_its_total():
    id_lists, y = tasks.noisy(1200)
    dual = tasks.classification(tasks.gram(id_lists), y, 0.1)
    solver = _core.SmoSolver(tasks.gram_rows(dual.K), [tasks.problem(dual)] * 2, 1e-6, -1, True)
    seen = []
    solver.solve(2, lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (2000, 2000)
    assert solver.solution(1).converged


def test_errors_of_rows_arrive_and_leave_a_feasible_state():
    K, dual = long_problem()
    calls = []

    def fill(numbers):
        calls.append(len(numbers))
        if len(calls) > 20:
            raise LookupError("no more rows")
        return K[numbers]

    rows = _core.called_rows(len(K), K.diagonal().copy(), fill, 8, 1 << 30)
    solver = _core.SmoSolver(rows, [tasks.problem(dual)] * 2, 1e-3, -1, True)
    with pytest.raises(LookupError, match="no more rows"):
        solver.solve(2, None)
    assert max(calls) == 8
    for at in range(2):
        reached = solver.solution(at)
        assert dual.y @ reached.alpha == pytest.approx(0, abs=1e-12 * (1 + reached.alpha.sum()))


@pytest.mark.parametrize("first", [True, False])
def test_an_error_in_one_thread_stops_the_others(first):
    K, dual = long_problem()
    main = threading.get_ident()

    def fill(numbers):
        if (threading.get_ident() == main) == first:
            raise LookupError("no more rows")
        return K[numbers]

    rows = _core.called_rows(len(K), K.diagonal().copy(), fill, 8, 1 << 30)
    solver = _core.SmoSolver(rows, [tasks.problem(dual)] * 2, 1e-9, -1, True)
    begin = time.monotonic()
    with pytest.raises(LookupError, match="no more rows"):
        solver.solve(2, None)
    assert time.monotonic() - begin < 5


def test_what_was_not_begun_stays_at_its_start():
    K, dual = long_problem()
    start = tasks.solve(tasks.gram_rows(K), tasks.problem(dual), max_iter=200).alpha

    def refuse(done, total):
        raise LookupError("enough")

    solver = _core.SmoSolver(tasks.gram_rows(K), [tasks.problem(dual, start=start)] * 2, 1e-9, -1, True)
    with pytest.raises(LookupError, match="enough"):
        solver.solve(1, refuse)
    assert solver.solution(1).alpha.tolist() == start.tolist()
    assert solver.solution(1).violation == np.inf
    begun = solver.solution(0)
    assert begun.violation == np.inf or begun.intercept != 0


@pytest.mark.parametrize("n", [2, 30])
def test_a_matrix_that_is_not_symmetric_does_not_hold_it_for_ever(n):
    rng = np.random.default_rng(0)
    for _ in range(8):
        y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        dual = tasks.classification(rng.normal(size=(n, n)) * 3, y, 10.0)
        solver = _core.SmoSolver(tasks.gram_rows(dual.K), [tasks.problem(dual)], 1e-3, -1, True)
        solver.solve(1, None)
        assert np.all((solver.solution(0).alpha >= 0) & (solver.solution(0).alpha <= dual.C))
