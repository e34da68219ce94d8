"""Decomposition against the definition of the dual problem."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from tests.oracle import svm
from tests.solvers.batch import dual_problems as tasks

TOL = 1e-8


def check_is_solved(dual, found, tol=TOL):
    """Feasible, optimal to the tolerance, and reported as it is."""
    assert found.converged
    assert np.all(found.alpha >= 0)
    assert np.all(found.alpha <= dual.C)
    size = 1 + np.abs(dual.hessian) @ found.alpha
    assert svm.violation(dual, found.alpha) <= tol + 1e-12 * size.max()
    assert found.violation == pytest.approx(svm.violation(dual, found.alpha), abs=1e-12 * size.max())
    assert found.objective == pytest.approx(svm.objective(dual, found.alpha), rel=1e-12, abs=1e-12)
    assert found.intercept == pytest.approx(svm.intercept(dual, found.alpha), abs=1e-12 * size.max())


@given(tasks.duals())
def test_solutions_are_those_of_the_definition(task):
    _, dual = task
    found = tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual), tol=TOL)
    check_is_solved(dual, found)
    expected = svm.objective(dual, svm.solve(dual, TOL))
    assert found.objective == pytest.approx(expected, rel=1e-8, abs=TOL * dual.C.sum())
    if dual.equality:
        assert dual.y @ found.alpha == pytest.approx(0, abs=1e-14 * (1 + dual.C.sum()))


@given(tasks.duals(), st.integers(1, 4), st.booleans())
def test_all_kinds_of_rows_give_the_same_bits(task, block, roomy):
    id_lists, dual = task
    max_bytes = tasks.ROOMY if roomy else 2 * (64 + 8 * len(id_lists))
    kinds = [
        tasks.gram_rows(dual.K),
        tasks.counted_rows(id_lists, max_bytes=max_bytes),
        tasks.called_rows(dual.K, block, max_bytes),
    ]
    assert len({tasks.facts(tasks.solve(rows, tasks.problem(dual))) for rows in kinds}) == 1


@given(tasks.duals(), st.data())
def test_starts_are_left_for_the_same_optimum(task, data):
    _, dual = task
    shares = data.draw(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=len(dual.y), max_size=len(dual.y)))
    start = dual.C * np.array(shares)
    found = tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual, start=start))
    check_is_solved(dual, found)
    expected = svm.objective(dual, svm.solve(dual, TOL, start))
    assert found.objective == pytest.approx(expected, rel=1e-8, abs=TOL * dual.C.sum())
    if dual.equality:
        assert dual.y @ found.alpha == pytest.approx(dual.y @ start, abs=1e-14 * (1 + dual.C.sum()))


@given(tasks.duals(max_size=6))
def test_a_weight_is_that_many_equal_examples(task):
    _, dual = task
    twice = np.repeat(np.arange(len(dual.y)), 2)
    double = svm.Dual(
        dual.K[np.ix_(twice, twice)], dual.y[twice], dual.p[twice], dual.C[twice], dual.equality, dual.constant
    )
    rows = tasks.gram_rows(dual.K)
    shared = tasks.solve(rows, tasks.problem(double, examples=twice))
    check_is_solved(double, shared)
    heavy = tasks.solve(rows, tasks.problem(svm.Dual(dual.K, dual.y, dual.p, 2 * dual.C, dual.equality, dual.constant)))
    assert shared.objective == pytest.approx(heavy.objective, rel=1e-8, abs=4 * TOL * dual.C.sum())


@given(tasks.duals(), st.sampled_from([0, 1, 3]))
def test_steps_can_be_limited(task, steps):
    _, dual = task
    found = tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual), max_iter=steps)
    assert found.iterations <= steps
    assert found.violation == pytest.approx(svm.violation(dual, found.alpha), abs=1e-12)
    assert found.converged == (found.violation <= TOL)


@pytest.mark.parametrize("equality", [True, False])
@pytest.mark.parametrize("C", [0.003, 1.0])
def test_shrinking_changes_nothing_but_the_time(equality, C):
    id_lists, y = tasks.noisy(1100, flips=0.1)
    dual = tasks.classification(tasks.gram(id_lists), y, C, equality)
    rows = tasks.gram_rows(dual.K)
    with_it, without = (tasks.solve(rows, tasks.problem(dual), tol=1e-5, shrinking=on) for on in (True, False))
    for found in with_it, without:
        check_is_solved(dual, found, 1e-5)
    assert with_it.objective == pytest.approx(without.objective, rel=1e-6)
    assert tasks.facts(with_it) == tasks.facts(
        tasks.solve(tasks.counted_rows(id_lists, max_bytes=20_000), tasks.problem(dual), tol=1e-5)
    )


@pytest.mark.parametrize("seed", range(5))
def test_bounds_that_sums_miss_by_a_bit_are_reached(seed):
    id_lists, y = tasks.noisy(300, features=20, seed=seed, flips=0.5)
    bounds = 0.01 * np.random.default_rng(seed).integers(1, 4, size=300)
    dual = tasks.classification(tasks.gram(id_lists), y, bounds)
    check_is_solved(dual, tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual), tol=1e-4), 1e-4)


@pytest.mark.parametrize("scheme", ["rest", "pairs"])
def test_threads_and_other_problems_change_no_bit(scheme):
    id_lists, _ = tasks.noisy(400)
    K = tasks.gram(id_lists)
    labels = np.arange(400) * 7 % 4
    problems = []
    for first in range(4):
        for second in range(first + 1, 4) if scheme == "pairs" else [None]:
            of = np.flatnonzero((labels == first) | (second is None) | (labels == second))
            dual = tasks.classification(K[np.ix_(of, of)], np.where(labels[of] == first, 1, -1), 0.01)
            problems.append(tasks.problem(dual, examples=of))
    alone = [tasks.facts(tasks.solve(tasks.counted_rows(id_lists), one, tol=1e-4)) for one in problems]
    for n_jobs in 1, 2, 5:
        for rows in (
            tasks.counted_rows(id_lists),
            tasks.counted_rows(id_lists, max_bytes=2500),
            tasks.called_rows(K, 8, 12 * 3300),
        ):
            together = tasks.solve(rows, *problems, tol=1e-4, n_jobs=n_jobs)
            assert [tasks.facts(found) for found in together] == alone


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_agrees_with_libsvm(C):
    svc_module = pytest.importorskip("sklearn.svm")
    id_lists, y = tasks.noisy(200)
    K = tasks.gram(id_lists) / 100
    svc = svc_module.SVC(C=C, kernel="precomputed", tol=1e-8).fit(K, y)
    found = tasks.solve(tasks.gram_rows(K), tasks.problem(tasks.classification(K, y, C)))
    assert np.allclose(K @ (y * found.alpha) + found.intercept, svc.decision_function(K), atol=1e-6)
    theirs = np.zeros(200)
    theirs[svc.support_] = np.abs(svc.dual_coef_[0])
    expected = svm.objective(tasks.classification(K, y, C), theirs)
    assert found.objective == pytest.approx(expected, rel=1e-8)


def test_a_wide_row_counts_beyond_a_byte():
    id_lists = [list(range(300)), list(range(150, 450)), list(range(10)), []]
    dual = tasks.classification(tasks.gram(id_lists), [1, -1, 1, -1], 1.0)
    found = tasks.solve(tasks.counted_rows(id_lists), tasks.problem(dual))
    assert tasks.facts(found) == tasks.facts(tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual)))
    check_is_solved(dual, found)


def test_rows_that_are_kept_serve_the_next_solver():
    id_lists, y = tasks.noisy(100)
    rows = tasks.counted_rows(id_lists)
    dual = tasks.classification(tasks.gram(id_lists), y, 1.0)
    tasks.solve(rows, tasks.problem(dual))
    computed = rows.rows_computed
    assert 0 < computed <= 100
    assert rows.size == 100
    assert rows.nbytes >= computed * 100
    tasks.solve(rows, tasks.problem(dual))
    assert rows.rows_computed == computed


def test_a_solution_is_a_start_that_needs_no_step():
    id_lists, y = tasks.noisy(100)
    dual = tasks.classification(tasks.gram(id_lists), y, 0.01)
    rows = tasks.gram_rows(dual.K)
    first = tasks.solve(rows, tasks.problem(dual), tol=1e-4)
    again = tasks.solve(rows, tasks.problem(dual, start=first.alpha), tol=1e-4)
    assert first.iterations > 0
    assert again.iterations == 0
    assert again.alpha.tobytes() == first.alpha.tobytes()


def test_problems_of_no_or_one_variable_are_solved():
    empty = tasks.classification(np.zeros((0, 0)), [], 1.0)
    assert tasks.solve(tasks.gram_rows(np.zeros((0, 0))), tasks.problem(empty)).converged
    assert tasks.solve(tasks.gram_rows(np.eye(1)), tasks.problem(tasks.classification([[1.0]], [1], 1.0))).alpha == [0]
    alone = tasks.classification([[4.0]], [-1], 1.0, equality=False)
    found = tasks.solve(tasks.gram_rows(alone.K), tasks.problem(alone))
    assert found.alpha == [0.25]
    assert found.objective == -0.125


@pytest.mark.parametrize("equality", [True, False])
@pytest.mark.parametrize(
    "K",
    [np.zeros((6, 6)), np.ones((6, 6)), -np.eye(6), np.eye(6)[::-1].copy(), np.diag([1e-300, 1e300, 1, 1, 1e8, 1e-8])],
)
@pytest.mark.parametrize("C", [1e-12, 1.0, 1e9])
def test_odd_matrices_come_to_an_end(K, equality, C):
    dual = tasks.classification(K, [1, -1, 1, -1, -1, 1], C, equality)
    found = tasks.solve(tasks.gram_rows(K), tasks.problem(dual), tol=1e-6)
    assert np.all((found.alpha >= 0) & (found.alpha <= C))
    size = 1 + np.abs(K).max(axis=1) @ found.alpha
    assert found.violation == pytest.approx(svm.violation(dual, found.alpha), rel=1e-12, abs=1e-12 * size)


@pytest.mark.parametrize("tol", [0.0, 1e-300, 1e-15])
@pytest.mark.parametrize("equality", [True, False])
def test_rounding_brings_it_to_an_end(tol, equality):
    id_lists, y = tasks.noisy(60, flips=0.4)
    dual = tasks.classification(tasks.gram(id_lists) / 7, y, 1e3, equality)
    found = tasks.solve(tasks.gram_rows(dual.K), tasks.problem(dual), tol=tol)
    assert found.violation == pytest.approx(svm.violation(dual, found.alpha), abs=1e-7)
    assert found.violation < 1e-6
    if equality:
        assert dual.y @ found.alpha == pytest.approx(0, abs=1e-13 * found.alpha.sum())


def test_budgets_below_two_rows_are_refused():
    with pytest.raises(ValueError, match=r"max_bytes=100 is too small: two rows take \d+ bytes"):
        tasks.counted_rows([[1]] * 100, max_bytes=100)
    with pytest.raises(ValueError, match="two rows"):
        tasks.called_rows(np.eye(50), max_bytes=799)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"examples": [0, 2]}, "no row"),
        ({"signs": [1, 0]}, "1 and -1"),
        ({"bounds": [1.0, -1.0]}, "not below 0"),
        ({"bounds": [1.0, np.inf]}, "finite"),
        ({"linear": [np.nan, 0.0]}, "finite"),
        ({"start": [2.0, 0.0]}, "between"),
        ({"start": [1.0]}, "length"),
        ({"constant": 1.0}, "constant"),
    ],
)
def test_problems_that_make_no_sense_are_refused(change, message):
    parts = {"examples": [0, 1], "signs": [1, -1], "linear": [-1.0, -1.0], "bounds": [1.0, 1.0], "start": []}
    parts |= {"equality": True, "constant": 0.0} | change
    types = {"examples": np.uint32, "signs": np.int8, "linear": float, "bounds": float, "start": float}
    arrays = {name: np.array(parts[name], dtype=dtype) for name, dtype in types.items()}
    with pytest.raises(ValueError, match=message):
        _core.SmoSolver(tasks.gram_rows(np.eye(2)), [_core.DualProblem(**(parts | arrays))], 1e-3, -1, True)


@pytest.mark.parametrize(
    "made", [np.zeros((1, 3)), np.zeros((1, 4), dtype=np.float32), "rows", np.full((1, 4), np.nan), np.zeros((4, 1))]
)
def test_rows_of_the_wrong_kind_are_refused(made):
    rows = _core.called_rows(4, np.ones(4), lambda numbers: made, 1, 1 << 20)
    dual = tasks.classification(np.eye(4), [1, -1, 1, -1], 1.0)
    with pytest.raises(ValueError, match="rows of a kernel"):
        tasks.solve(rows, tasks.problem(dual))
