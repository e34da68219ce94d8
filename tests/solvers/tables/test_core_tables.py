"""The table solver of the core beside the oracle, which writes every feature out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gristmill import _core
from tests.across.interrupting import SOON, seconds_to_stop
from tests.oracle import table_machines as oracle
from tests.solvers.tables.table_problems import TableProblem, table_problems

TIGHT = 1e-13


def solved(problem, **how):
    solver = problem.solver(**how)
    solver.solve(problem.C, TIGHT, 5000)
    return solver


def scores_of(solver, problem, codes=None):
    """By the tables, on the rows or on others."""
    bins = np.array([similarity[0] for similarity in problem.similarities[: problem.codes.shape[1]]], dtype=np.uint32)
    columns = [columns for columns, _, _ in problem.terms]
    compiled = _core.TableScores(bins, columns, solver.tables(), solver.intercepts)
    codes = np.asfortranarray(problem.codes if codes is None else codes, dtype=np.uint8)
    out = np.empty((len(codes), problem.outputs))
    compiled.score(codes, out, 1)
    return out


def interrupted_by_intercepts():
    """A search along a line ends where it began, with better intercepts: that is no end."""
    similarities = [(1, 0, 1.0, 0.0, 0), (2, 1, 1.0, 0.0, 1), (1, 0, 1.0, 0.0, 0)]
    return TableProblem(
        codes=np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 0]]),
        similarities=similarities * 2,
        terms=[([0], [0], 2.0), ([1], [1], 2.0), ([2], [2], 2.0)],
        loss="logistic",
        outputs=1,
        y=np.array([1.0, 0.0, 0.0, 1.0]),
        weights=np.array([1.0, 1.0, 2.5, 1.0]),
        C=0.5,
    )


@settings(max_examples=60)
@example(interrupted_by_intercepts())
@given(table_problems())
def test_equals_the_minimum_over_explicit_features(problem):
    matrix, flags, owners = oracle.features(problem.codes, problem.similarities, problem.terms)
    how = (problem.y, problem.weights, problem.loss, problem.C, problem.outputs)
    weights, intercepts, value = oracle.solve(matrix, flags, *how)
    solver = solved(problem)
    size = 1 + problem.C * problem.weights.sum()
    assert solver.objective <= value + 1e-8 * size
    assert solver.objective - solver.gap <= value + 1e-12 * size
    np.testing.assert_allclose(solver.intercepts, intercepts, atol=2e-4)
    cells = solver.cells
    tables = solver.tables()
    for number in range(len(problem.terms)):  # each term by itself: tables have one minimum
        own = owners == number
        expected = matrix[:, own] @ weights[own]
        alone = TableProblem(problem.codes, problem.similarities, [problem.terms[number]], *how_of(problem))
        table = tables[cells[number] : cells[number + 1]]
        np.testing.assert_allclose(entries(alone, table), expected, atol=1e-5)


def how_of(problem):
    return problem.loss, problem.outputs, problem.y, problem.weights, problem.C


def entries(problem, table):
    """The entry of each row in the table of the problem's one term."""
    columns = problem.terms[0][0]
    shape = [problem.similarities[column][0] for column in columns]
    return table.reshape(*shape, problem.outputs)[tuple(problem.codes[:, column] for column in columns)]


@given(table_problems())
def test_the_objective_is_that_of_the_tables(problem):
    solver = solved(problem)
    each, _ = oracle.losses(problem.loss, problem.y, scores_of(solver, problem))
    expected = (solver.weights**2).sum() / 2 + problem.C * problem.weights @ each
    assert solver.objective == pytest.approx(expected, rel=1e-11)


@given(table_problems(), st.integers(2, 4))
def test_threads_and_the_width_of_codes_change_no_bit(problem, threads):
    one, other = solved(problem), solved(problem, n_jobs=threads, wide=True)
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.intercepts, other.intercepts)
    assert (one.objective, one.gap, one.iterations) == (other.objective, other.gap, other.iterations)


def ended_beside_the_best_intercept():
    """The search along the last line leaves an intercept that is nearly the best; there the gradient is too small."""
    return TableProblem(
        codes=np.array([[4, 0], [4, 1], [0, 1], [3, 1]]),
        similarities=[(5, 1, 0.5, 2.0, 0), (2, 1, 1.0, 0.0, 1), (5, 1, 1.0, 0.0, 0), (2, 1, 1.0, 0.0, 1)],
        terms=[([0], [0], 2.0), ([1], [1], 2.0)],
        loss="logistic",
        outputs=1,
        y=np.array([0.0, 0.0, 1.0, 1.0]),
        weights=np.ones(4),
        C=5.0,
    )


@example(ended_beside_the_best_intercept(), 5)
@given(table_problems(), st.integers(0, 6))
def test_the_gap_holds_on_the_way(problem, iterations):
    exact, solver = solved(problem), problem.solver()
    solver.solve(problem.C, TIGHT, iterations)
    assert exact.objective - exact.gap <= solver.objective
    assert solver.objective - solver.gap <= exact.objective + 1e-12 * (1 + exact.objective)


@given(table_problems())
def test_monotone_fields_never_fall_in_any_bin(problem):
    p = problem.codes.shape[1]
    solver = solved(problem)
    grid = np.indices([problem.similarities[j][0] for j in range(p)]).reshape(p, -1).T
    scores = scores_of(solver, problem, grid)
    at = {tuple(row): score for row, score in zip(grid.tolist(), scores, strict=True)}
    for j in range(p):
        _, ordered, _, _, direction = problem.similarities[j]
        for row in grid[(grid[:, j] + 1 < ordered)].tolist() if direction else []:
            above = [*row[:j], row[j] + 1, *row[j + 1 :]]
            assert (direction * (at[tuple(above)] - at[tuple(row)]) >= 0).all()


@given(table_problems(monotone=False), st.sampled_from([0.2, 4.0]))
def test_a_warm_start_ends_where_a_cold_one_does(problem, factor):
    path = solved(problem)
    cold = problem.solver()
    for solver in (path, cold):
        solver.solve(problem.C * factor, TIGHT, 5000)
    assert path.objective == pytest.approx(cold.objective, rel=1e-9, abs=1e-11)


@given(table_problems(losses=("logistic", "squared"), monotone=False))
def test_weights_of_rows_are_repetitions(problem):
    counts = np.ceil(problem.weights).astype(int)
    if (counts == 0).all():
        return
    again = np.repeat(np.arange(len(counts)), counts)
    whole = TableProblem(
        *(problem.codes, problem.similarities, problem.terms), *how_of(problem)[:3], counts * 1.0, problem.C
    )
    repeated = TableProblem(
        *(problem.codes[again], problem.similarities, problem.terms),
        *(problem.loss, problem.outputs, problem.y[again], np.ones(len(again)), problem.C),
    )
    assert solved(whole).objective == pytest.approx(solved(repeated).objective, rel=1e-9, abs=1e-11)


@given(table_problems(monotone=False), st.integers(0, 2**16))
def test_few_rows_or_many_have_the_same_minimum(problem, seed):
    """Each row many times at a share of its weight: more rows than weights are learned by weights, fewer by rows."""
    times = 1 + len(problem.solver().weights) // len(problem.y)
    again = np.repeat(np.arange(len(problem.y)), times)
    whole = (problem.y[again], problem.weights[again] / times, problem.C)
    many = TableProblem(problem.codes[again], problem.similarities, problem.terms, *how_of(problem)[:2], *whole)
    few, others = problem.solver(), many.solver()
    scales = np.random.default_rng(seed).choice([0.0, 0.5, 2.0], len(problem.terms))
    for _ in range(2):  # the second time from weights that are no sum of features of rows
        for solver in (few, others):
            solver.solve(problem.C, TIGHT, 5000)
        assert few.objective == pytest.approx(others.objective, rel=1e-9, abs=1e-11)
        np.testing.assert_allclose(few.tables(), others.tables(), atol=1e-5)
        few.set_scales(scales)
        others.set_scales(scales)


PROBLEM = TableProblem(
    np.array([[0, 1], [1, 0], [1, 1], [0, 0]]),
    [(2, 2, 1.0, 0.0, 0), (2, 0, 1.0, 0.0, 0)],
    [([0], [0], 2.0), ([0, 1], [0, 1], 0.5)],
    *("logistic", 1, np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4), 1.0),
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.ones(4)}, "class 0"),
        ({"weights": np.array([0.0, 1.0, 1.0, 0.0])}, "class 0"),
        ({"weights": np.array([-1.0, 1.0, 1.0, 1.0])}, "from 0 on"),
        ({"y": np.array([0.0, 1.0, 2.0, 0.0])}, "numbers of classes"),
        ({"y": np.array([0.0, 1.0, np.nan, 0.0])}, "numbers"),
        ({"codes": PROBLEM.codes + 1}, "below its 2 bins, got 2"),
        ({"terms": [([0], [0], -1.0)]}, "scale from 0 on"),
        ({"terms": [([2], [0], 1.0)]}, "columns that exist"),
        ({"terms": [([0, 1, 0, 1], [0, 1, 0, 1], 1.0)]}, "one to three columns"),
        ({"y": np.ones(3)}, "a weight for each row"),
        ({"outputs": 2}, "softmax has two outputs"),
        ({"loss": "softmax"}, "softmax has two outputs"),
    ],
)
def test_what_makes_no_sense_is_refused(change, message):
    changed = TableProblem(**{**vars(PROBLEM), **change})
    with pytest.raises(ValueError, match=message):
        changed.solver()


@pytest.mark.parametrize(("C", "tol"), [(0.0, 0.1), (-1.0, 0.1), (np.nan, 0.1), (np.inf, 0.1), (1.0, -1.0)])
def test_settings_that_make_no_sense_are_refused(C, tol):
    with pytest.raises(ValueError, match="C is above 0"):
        PROBLEM.solver().solve(C, tol, 10)


def test_arrays_are_never_converted():
    solver = PROBLEM.solver()
    with pytest.raises(TypeError):
        solver.set_scales(np.ones(2, dtype=np.float32))
    with pytest.raises(ValueError, match="a scale for each term"):
        solver.set_scales(np.ones(3))
    with pytest.raises(ValueError, match="sizes of their terms"):
        solver.set_weights(np.ones(3))
    with pytest.raises(ValueError, match="a number of bins for each column"):
        _core.TableScores(np.array([2], dtype=np.uint32), [[0]], np.zeros(2), np.zeros(1)).score(
            np.zeros((1, 2), dtype=np.uint8, order="F"), np.empty((1, 1)), 1
        )


def large_problem():
    """One that takes some iterations of a millisecond or more."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (4000, 8))
    similarities = [(3, 3, 1.0, 1.0, 0)] * 8
    terms = [([j], [j], 2.0) for j in range(8)] + [([j, k], [j, k], 0.5) for j in range(8) for k in range(j)]
    y = rng.integers(0, 2, 4000) * 1.0
    return TableProblem(codes, similarities, terms, "logistic", 1, y, np.ones(4000), 1.0)


def test_progress_ascends_to_the_end_and_stops_the_work():
    solver, calls = large_problem().solver(), []

    def stop(done, total):
        calls.append((done, total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solver.solve(1.0, 0.0, 100_000, stop)
    assert not solver.converged
    assert solver.iterations < 100_000
    assert np.isfinite(solver.weights).all()
    solver.solve(1.0, 1e-6, 1000, lambda *call: calls.append(call))
    assert solver.converged
    assert calls[-1] == (1000, 1000)
    assert [call[0] for call in calls[1:]] == sorted(call[0] for call in calls[1:])


def test_descent_by_few_rows_stops_with_what_it_has():
    rng = np.random.default_rng(0)
    similarities = [(30, 30, 0.0, 1.0, 0)] * 8
    terms = [([j], [j], 2.0) for j in range(8)] + [([j, k], [j, k], 0.5) for j in range(8) for k in range(j)]
    y = rng.integers(0, 2, 300) * 1.0
    problem = TableProblem(rng.integers(0, 30, (300, 8)), similarities, terms, "logistic", 1, y, np.ones(300), 10.0)
    whole, calls = solved(problem), []

    def stop(done, total):
        calls.append((done, total))
        if done > 200:
            raise KeyboardInterrupt

    solver = problem.solver()
    with pytest.raises(KeyboardInterrupt):
        solver.solve(problem.C, 1e-6, 1000, stop)
    assert 0 < solver.iterations < whole.iterations
    assert (solver.weights != 0).any()
    solver.solve(problem.C, TIGHT, 5000)
    assert solver.converged
    assert solver.objective == pytest.approx(whole.objective, rel=1e-9)


def test_ctrl_c_is_heard():
    rng = np.random.default_rng(0)
    solver = large_problem().solver()

    def work():
        while True:
            solver.set_weights(rng.normal(size=len(solver.weights)))
            solver.solve(1.0, 0.0, 1000)

    assert seconds_to_stop(work) < SOON
    assert np.isfinite(solver.weights).all()
