"""Training of batch SVMs without scikit-learn: optimality, equal examples, warm starts, interruption."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.rows import as_rows
from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch import SvmInterrupted, SvmSettings, train_svm
from gristmill.solvers.batch.deduplicate import first_of, groups_of, same_data, take
from gristmill.solvers.batch.problems import Problem, class_problems, compact_coefficients, scheme_of
from gristmill.solvers.batch.result import Task, fit_of
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.solving import choose_solver

RNG = np.random.default_rng(3)
X = (RNG.random((80, 10)) < 0.4).astype(float)
LABELS = RNG.integers(0, 3, 80)
CLASSES = np.array(["a", "b", "c"])
POLY = gm.PolynomialKernel(2)


# --- optimality -------------------------------------------------------------------------------------------------------


@st.composite
def tasks(draw):
    """Few distinct rows: some are equal, also with other labels; weights, some 0."""
    pool = draw(st.lists(st.frozensets(st.integers(0, 7), max_size=6), min_size=1, max_size=8))
    rows = draw(st.lists(st.sampled_from(pool), min_size=2, max_size=14))
    classes = draw(st.integers(2, 4))
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=len(rows), max_size=len(rows)))
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 0.5, 3.0, 0.0]), min_size=len(rows), max_size=len(rows)))
    present = sorted({label for label, weight in zip(labels, weights, strict=True) if weight > 0})
    kept = [at for at, label in enumerate(labels) if label in present]
    numbers = {label: number for number, label in enumerate(present)}
    return (
        [rows[at] for at in kept],
        np.array([numbers[labels[at]] for at in kept], dtype=np.intp),
        np.array([weights[at] for at in kept]),
        len(present),
    )


settings_drawn = st.builds(
    SvmSettings,
    st.builds(gm.PolynomialKernel, st.integers(1, 3), st.sampled_from([1.0, 0.5]), st.sampled_from([0.0, 1.0])),
    C=st.sampled_from([0.01, 1.0, 20.0]),
    solver=st.sampled_from(["smo", "dual-cd"]),
    tol=st.just(1e-5),
    fit_intercept=st.booleans(),
    intercept_scaling=st.sampled_from([None, 0.5, 2.0]),
    multiclass=st.sampled_from(["ovo", "ovr"]),
    shrinking=st.booleans(),
)


def sides(labels, n_classes, multiclass):
    """Signs of all outputs, by the book."""
    if n_classes == 2:
        return [np.where(labels == 1, 1, -1)]
    if multiclass == "ovr":
        return [np.where(labels == k, 1, -1) for k in range(n_classes)]
    pairs = combinations(range(n_classes), 2)
    return [np.where(labels == i, 1, np.where(labels == j, -1, 0)) for i, j in pairs]


def assert_optimal(fit, rows, labels, weights, settings, n_classes):
    """The conditions of Karush, Kuhn and Tucker for every example, equal or not."""
    gram = settings.kernel(rows)
    coef = fit.coef.toarray() if sp.issparse(fit.coef) else fit.coef
    for output, signs in enumerate(sides(labels, n_classes, settings.multiclass)):
        alpha = np.zeros(len(labels))
        alpha[fit.support] = coef[:, output]
        alpha *= signs
        bounds = settings.C * weights * (signs != 0)
        assert (alpha >= 0).all()
        assert (alpha <= bounds * (1 + 1e-12)).all()
        scores = gram @ (alpha * signs) + fit.intercept[output]
        margins = signs * scores
        scale = settings.tol + 1e-9 * (1 + np.abs(gram) @ alpha).max()
        active = bounds > 0
        assert (margins[active & (alpha < bounds * (1 - 1e-9))] >= 1 - scale).all()
        assert (margins[active & (alpha > bounds * 1e-9)] <= 1 + scale).all()
        if settings.is_balanced:
            assert alpha @ signs == pytest.approx(0, abs=1e-9 * (1 + alpha.sum()))
        else:
            assert fit.intercept[output] == pytest.approx(settings.constant * (alpha @ signs), abs=1e-9)
        norm = (gram + settings.constant)[np.ix_(active, active)]
        signed = (alpha * signs)[active]
        objective = signed @ norm @ signed / 2 - alpha.sum()
        assert fit.objective[output] == pytest.approx(objective, rel=1e-7, abs=1e-9)


@given(tasks(), settings_drawn)
def test_solutions_are_optimal(task, settings):
    rows, labels, weights, n_classes = task
    if n_classes < 2:
        return
    fit = train_svm(rows, labels, np.arange(n_classes), settings, weights=weights)
    assert fit.converged
    assert_optimal(fit, rows, labels, weights, settings, n_classes)


@given(tasks(), settings_drawn, st.sampled_from([0.1, 1.0, 7.0]))
def test_warm_starts_end_in_the_same_place(task, settings, C):
    rows, labels, weights, n_classes = task
    if n_classes < 2:
        return
    options = {name: getattr(settings, name) for name in ("solver", "tol", "multiclass", "fit_intercept")}
    first = train_svm(rows, labels, np.arange(n_classes), SvmSettings(settings.kernel, C=C, **options), weights=weights)
    fit = train_svm(rows, labels, np.arange(n_classes), settings, weights=weights, initial=first)
    assert fit.converged
    assert_optimal(fit, rows, labels, weights, settings, n_classes)


# --- equal examples ---------------------------------------------------------------------------------------------------


def test_equal_examples_are_found():
    forest = gm.Forest.from_strings(["(A a)", "(B b)", "(A a)", "(A b)"])
    rows = gm.ids([[1, 2], [3], [1, 2], []])
    real = as_rows(np.array([[0.5, 1], [0.5, 0], [0.5, 1], [1, 1]]), binarize=False)
    for data in (forest, rows, real, ["x", "y", "x", "z"], real.to_csr(), real.to_csr().toarray()):
        groups = groups_of(data)
        assert groups[0] == groups[2]
        assert len(set(groups.tolist())) == 3 == groups.max() + 1
        assert len(first_of(groups)) == 3
        assert same_data(take(data, np.arange(4)), data)
        assert not same_data(take(data, np.array([1, 0, 2, 3])), data)
    fields = gm.Examples(trees=forest, vectors=[{1}, {1}, {1}, {2}])
    assert groups_of(fields).tolist() == [0, 1, 0, 2]
    assert sorted(groups_of(gm.Examples(trees=forest, vectors=[{1}, {1}, {2}, {2}]))) == [0, 1, 2, 3]
    assert same_data(fields, fields[:])
    assert not same_data(fields, gm.Examples(trees=forest))
    assert not same_data(rows, forest)
    assert groups_of([object(), object()]).tolist() == [0, 1]


def test_groups_do_not_depend_on_the_order_of_rows():
    order = RNG.permutation(len(X))
    np.testing.assert_array_equal(groups_of(as_rows(X[order])), groups_of(as_rows(X))[order])


def test_a_variable_stands_for_equal_examples_of_one_side():
    problem = Problem.of(
        np.array([1, -1, 1, 0, 1], dtype=np.int8), np.array([1.0, 2.0, 3.0, 4.0, 0.0]), np.array([1, 1, 1, 0, 0])
    )
    assert problem.members.tolist() == [0, 1, 2]
    assert problem.examples.tolist() == [1, 1]
    assert problem.signs.tolist() == [-1, 1]
    assert problem.bounds.tolist() == [2.0, 4.0]
    assert problem.coefficients(np.array([0.5, 4.0])).tolist() == [1.0, -0.5, 3.0]


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_coefficients_need_no_table_of_all_examples(multiclass):
    n_examples, n_classes = 60_000, 40
    labels = np.arange(n_examples) % n_classes
    kind = scheme_of(n_classes, SvmSettings(POLY, multiclass=multiclass))
    problems = class_problems(labels, n_classes, kind, np.ones(n_examples), np.arange(n_examples))[:39]
    problems += [problems[-1]] * ((kind.outputs(n_classes) or 0) - len(problems))
    alphas = [np.where(problem.examples % 997 == 0, 0.5, 0.0) for problem in problems]
    tracemalloc.start()
    numbers, table = compact_coefficients(problems, alphas, labels, n_classes, kind)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n_examples * 10  # a table has about 40 columns
    assert set(numbers) <= set(range(0, n_examples, 997))
    assert table.shape == (len(numbers), 39 if multiclass == "ovo" else 40)
    assert table.any(axis=1).all()


def test_two_sides_that_cancel_are_no_support():
    problem = replace(
        Problem.of(np.array([1, 1], dtype=np.int8), np.ones(2), np.arange(2)),
        members=np.array([0, 1, 0, 1]),
        costs=np.ones(4),
        variables=np.arange(4),
        signs=np.array([1, 1, -1, -1], dtype=np.int8),
        bounds=np.ones(4),
    )
    alpha = np.array([0.5, 0.75, 0.5, 0.25])
    numbers, table = compact_coefficients([problem], [alpha], np.zeros(2, dtype=np.intp), 1, Scheme.REGRESSION)
    assert (numbers.tolist(), table.tolist()) == ([1], [[0.5]])


def test_more_iterations_than_an_int32_holds():
    fit = train_svm(X, LABELS, CLASSES, SvmSettings(POLY))
    task = Task(fit.settings, fit.rows, LABELS, CLASSES, fit.scheme, fit.problems)
    solutions = [replace(fit.solution(number), iterations=3 << 30) for number in range(3)]
    again = fit_of(task, solutions, solver="smo", seconds=0.0)
    assert again.n_iter.dtype == np.int32
    assert again.n_iter.tolist() == [2**31 - 1] * 3


def test_starts_are_feasible():
    problem = Problem.of(np.array([1, 1, -1], dtype=np.int8), np.array([1.0, 2.0, 4.0]), np.arange(3))
    start = problem.starting(np.array([0.5, 0.5, 1.0]), np.array([0.5, 1.0, 2.0]), balanced=True).start
    assert start.tolist() == [1.0, 1.0, 2.0]
    start = problem.starting(np.array([0.5, 0.5, 0.1]), np.array([0.5, 1.0, 2.0]), balanced=True).start
    assert start @ problem.signs == pytest.approx(0)
    assert (start <= problem.bounds).all()


# --- rows -------------------------------------------------------------------------------------------------------------


def test_rows_are_made_once_and_kept():
    fit = train_svm(X, LABELS, CLASSES, SvmSettings(POLY, solver="smo"))
    again = train_svm(X.copy(), LABELS, CLASSES, SvmSettings(POLY, solver="smo", C=2.0), initial=fit)
    assert again.rows is fit.rows
    assert train_svm(X, LABELS, CLASSES, SvmSettings(POLY), rows=fit.rows).rows is fit.rows
    assert train_svm(X[:70], LABELS[:70], CLASSES, SvmSettings(POLY), initial=fit).rows is not fit.rows
    other = SvmSettings(gm.PolynomialKernel(3))
    assert train_svm(X, LABELS, CLASSES, other, initial=fit).rows is not fit.rows


def test_all_classes_share_the_rows():
    fit = train_svm(X, LABELS, CLASSES, SvmSettings(POLY, solver="smo"))
    assert fit.rows.native(None, None).rows_computed <= len(X)


def test_expanded_rows_are_kept_too():
    fit = train_svm(X, LABELS, CLASSES, SvmSettings(POLY, solver="dual-cd"))
    again = train_svm(X, LABELS, CLASSES, SvmSettings(POLY, solver="dual-cd", C=2.0), initial=fit)
    assert again.rows is fit.rows
    assert fit.rows.expanded(None, None) is fit.rows.expanded(None, None)


def test_auto_is_by_kernel_and_size():
    many = TrainingRows(POLY, [{n % 13, n % 17, n % 19} for n in range(3000)], 1 << 30)
    few = TrainingRows(POLY, X, 1 << 30)
    assert choose_solver(SvmSettings(POLY), many) == "dual-cd"
    assert choose_solver(SvmSettings(POLY), few) == "smo"
    assert choose_solver(SvmSettings(POLY, solver="smo"), many) == "smo"
    long = TrainingRows(POLY, [set(range(n, n + 12)) for n in range(3000)], 1 << 30)
    assert choose_solver(SvmSettings(POLY), long) == "dual-cd"
    assert choose_solver(SvmSettings(gm.PolynomialKernel(5)), long) == "smo"
    assert choose_solver(SvmSettings(gm.PolynomialKernel(2, coef0=-1.0)), many) == "smo"
    assert choose_solver(SvmSettings(gm.Normalized(POLY)), many) == "smo"


def test_auto_goes_on_with_smo_where_conjunctions_do_not_fit():
    rows = [set(RNG.choice(300, 12, replace=False).tolist()) for _ in range(1200)]
    labels = RNG.integers(0, 2, 1200)
    tight = {"C": 1e-4, "max_bytes": 60_000}
    fit = train_svm(rows, labels, CLASSES[:2], SvmSettings(POLY, **tight))
    assert fit.solver == "smo"
    with pytest.raises(ValueError, match="60000"):
        train_svm(rows, labels, CLASSES[:2], SvmSettings(POLY, solver="dual-cd", **tight))


# --- on the way -------------------------------------------------------------------------------------------------------


def test_an_interruption_brings_what_was_learned():
    def stop(done, total):
        raise KeyboardInterrupt

    table = (RNG.random((400, 40)) < 0.4).astype(float)
    labels = RNG.integers(0, 3, 400)
    settings = SvmSettings(gm.PolynomialKernel(1, 1.0, 0.0), C=1e6, solver="smo")
    with pytest.raises(SvmInterrupted) as caught:
        train_svm(table, labels, CLASSES, settings, progress=stop)
    fit = caught.value.fit
    assert not fit.converged
    assert fit.machine.n_support == len(fit.support)
    for problem, alpha in zip(fit.problems, fit.alphas, strict=True):
        assert ((alpha >= 0) & (alpha <= problem.bounds)).all()
        assert alpha @ problem.signs == pytest.approx(0, abs=1e-6)


def test_an_interruption_before_the_first_step_is_only_that():
    def stop(done, total):
        raise KeyboardInterrupt

    trees = [f"(S (A {n}) (B {n % 3}))" for n in range(50)]
    with pytest.raises(KeyboardInterrupt) as caught:
        train_svm(trees, np.arange(50) % 2, CLASSES[:2], SvmSettings(gm.SubsetTreeKernel()), progress=stop)
    assert type(caught.value) is KeyboardInterrupt


@pytest.mark.parametrize(
    ("labels", "weights", "message"),
    [
        (LABELS[:-1], None, "80 examples, 79 labels"),
        (LABELS, np.ones(3), "3 weights"),
        (LABELS, np.full(80, np.nan), "finite"),
        (LABELS, -np.ones(80), "not below 0"),
        (LABELS, np.zeros(80), "zero or negative weights"),
    ],
)
def test_what_does_not_fit_together_is_refused(labels, weights, message):
    with pytest.raises(ValueError, match=message):
        train_svm(X, labels, CLASSES, SvmSettings(POLY), weights=weights)


def test_scikit_learn_is_not_imported():
    program = """
import sys, warnings, numpy as np, gristmill as gm
from gristmill.solvers.batch import SvmSettings, train_svm
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    train_svm([{0, 1}, {1}, {2}, set()], np.array([0, 1, 0, 1]), np.array([0, 1]), SvmSettings(
        gm.PolynomialKernel(2), max_iter=1, solver="smo"))
print(caught[0].category is gm.ConvergenceWarning, "sklearn" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
