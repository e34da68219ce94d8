"""Rows of the kernel for solvers: made once, freed, symmetric, and the same bits whatever the threads."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import gristmill as gm
from gristmill.solvers.batch import SvmSettings, train_svm
from gristmill.solvers.batch import rows as rows_module
from gristmill.solvers.batch.gram import CallableRows, check_symmetric
from gristmill.solvers.batch.rows import TrainingRows

RNG = np.random.default_rng(11)
REAL = RNG.normal(size=(300, 37))
LABELS = RNG.integers(0, 3, 300)
CLASSES = np.arange(3)
SMALL = 8 * 300 * 40  # bytes: of 40 rows, so that most are computed again


def product(A, B):
    """As libraries of linear algebra compute it: a row's last bits depend on the rows beside it."""
    return (0.1 * (A @ B.T) + 1.0) ** 2


@pytest.mark.parametrize("kernel", [product, gm.Normalized(gm.PolynomialKernel(2))], ids=["callable", "kernel"])
def test_rows_are_freed_with_their_owner(kernel):
    rows = TrainingRows(kernel, REAL > 0, SMALL)
    rows.native(1, None)
    gone = weakref.ref(rows)
    del rows
    gc.collect()
    assert gone() is None


def test_threads_change_no_bit_of_what_a_callable_gives():
    fits = []
    for n_jobs in (1, 2):
        settings = SvmSettings(product, C=5.0, max_bytes=SMALL)
        fits.append(train_svm(REAL, LABELS, CLASSES, settings, n_jobs=n_jobs))
    for one, other in zip(fits[0].alphas, fits[1].alphas, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(fits[0].intercept, fits[1].intercept)
    np.testing.assert_array_equal(fits[0].n_iter, fits[1].n_iter)


def test_a_callable_is_asked_for_single_rows_that_are_needed():
    shapes = []

    def watched(A, B):
        shapes.append((len(A), len(B)))
        return product(A, B)

    settings = SvmSettings(watched, max_bytes=SMALL, max_iter=1)
    with pytest.warns(gm.ConvergenceWarning):
        train_svm(REAL, LABELS % 2, CLASSES[:2], settings)
    assert [shape for shape in shapes if shape[1] == 300] == [(1, 300), (1, 300)]
    called = CallableRows(watched, REAL, 300)
    shapes.clear()
    assert called.take(np.array([5, 3, 200])).shape == (3, 300)
    assert shapes == [(1, 300)] * 3


def test_rows_do_not_depend_on_what_else_is_asked_for():
    """So kernels of the library may compute blocks of them."""
    trees = gm.Forest.from_strings([f"(S (A {n % 5}) (B (C {n % 7}) {n % 3}) (D {n}))" for n in range(60)])
    bases = (gm.SubsetTreeKernel(), gm.PartialTreeKernel(), gm.OrderedTreeKernel())
    providers = [kernel.rows(trees) for base in bases for kernel in (base, gm.Normalized(base))]
    for provider in [*providers, gm.PolynomialKernel(3, 0.3).rows(gm.data.rows.as_rows(REAL[:60], binarize=False))]:
        alone = np.concatenate([provider.take(np.array([number])) for number in range(60)])
        for numbers in (np.arange(60), np.array([59, 3, 17]), RNG.permutation(60)[:16]):
            np.testing.assert_array_equal(provider.take(numbers, n_jobs=2), alone[numbers])


# --- symmetry ---------------------------------------------------------------------------------------------------------


def test_a_matrix_that_is_not_symmetric_is_refused():
    gram = product(REAL, REAL)
    gram[200, 70] += 0.5
    message = rf"\[70, 200\] is {gram[70, 200]!s} and \[200, 70\] is {gram[200, 70]!s}"
    with pytest.raises(ValueError, match=f"the precomputed matrix must be symmetric, but {message}"):
        train_svm(gram, LABELS, CLASSES, SvmSettings("precomputed"))
    gram[299, 71] = gram[70, 3] = 1e3
    with pytest.raises(ValueError, match=r"\[3, 70\]"):
        check_symmetric(gram, "it")
    with pytest.raises(ValueError, match=r"kernel\(A, A\) must be symmetric, but \[0, 1\]"):
        train_svm(REAL, LABELS, CLASSES, SvmSettings(lambda A, B: A[:, :1] + 0 * B[:, 0] + 2 * B[:, 1]))


def test_rounding_is_no_lack_of_symmetry():
    gram = product(REAL, REAL)
    single = gram.astype(np.float32).astype(np.float64)
    check_symmetric(np.triu(gram) + np.tril(single, -1), "it")
    digits = np.array([[float(f"{value:.6g}") for value in row] for row in gram[:60, :60]])
    check_symmetric(np.triu(gram[:60, :60]) + np.tril(digits, -1), "it")
    check_symmetric(np.zeros((3, 3)), "it")
    check_symmetric(np.zeros((0, 0)), "it")


# --- once -------------------------------------------------------------------------------------------------------------


def test_rows_may_be_made_before(monkeypatch):
    calls = []
    monkeypatch.setattr(rows_module, "groups_of", lambda data, own=rows_module.groups_of: calls.append(1) or own(data))
    settings = SvmSettings(gm.PolynomialKernel(2))
    rows = TrainingRows.of(settings, REAL > 0, None)
    fit = train_svm(rows, LABELS, CLASSES, settings)
    assert fit.rows is rows
    assert len(calls) == 1
    for other in (SvmSettings(gm.PolynomialKernel(3)), SvmSettings(gm.PolynomialKernel(2), max_bytes=1 << 20)):
        with pytest.raises(ValueError, match="another kernel"):
            train_svm(rows, LABELS, CLASSES, other)


@pytest.mark.parametrize("solver", ["smo", "dual-cd"])
def test_what_the_kernel_took_is_known(solver):
    fit = train_svm(REAL > 0.8, LABELS, CLASSES, SvmSettings(gm.PolynomialKernel(2), C=1e-3, solver=solver))
    rows = fit.rows
    assert fit.nbytes == (rows.native(1, None) if solver == "smo" else rows.expanded(1, None)).nbytes > 0
