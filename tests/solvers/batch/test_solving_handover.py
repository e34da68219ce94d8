"""What dual-cd leaves to smo: from where smo goes on, how far it may go, what is reported, and interruptions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gristmill as gm
from gristmill.solvers.batch import SvmInterrupted, SvmSettings, solving, train_svm
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.solving import choose_solver

RNG = np.random.default_rng(3)
X = (RNG.random((400, 40)) < 0.4).astype(float)
NOISE = 0.3 * RNG.normal(size=(2, 400))
LABELS = np.where(X[:, 0] + X[:, 1] * X[:, 2] + NOISE[0] > 0.8, 0, np.where(X[:, 3] + NOISE[1] > 0.5, 1, 2))
CLASSES = np.arange(3)
LINEAR = gm.PolynomialKernel(1, 1.0, 0.0)
HARD = {"C": 100.0, "solver": "dual-cd"}  # too much for steps of single variables


def trained(kernel=LINEAR, progress=None, n_jobs=1, initial=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.ConvergenceWarning)
        settings = SvmSettings(kernel, **(HARD | options))
        return train_svm(X, LABELS, CLASSES, settings, progress=progress, n_jobs=n_jobs, initial=initial)


@pytest.fixture
def interrupted(monkeypatch):
    """What was learned when a solver was interrupted before it began."""

    def stop(self, n_jobs, progress=None):
        raise KeyboardInterrupt

    def learned(who, weights=None, initial=None, **options):
        settings = SvmSettings(LINEAR, **(HARD | options))
        with monkeypatch.context() as patch:
            patch.setattr(who, "solve", stop)
            with pytest.raises(SvmInterrupted) as caught:
                train_svm(X, LABELS, CLASSES, settings, weights=weights, initial=initial)
        return caught.value.fit

    return learned


def accuracy(fit):
    return float((fit.machine.compile("direct").predict(X) == LABELS).mean())


def dual_objective(fit, number):
    """1/2 a'Qa - sum a by the definition."""
    problem, alpha = fit.problems[number], fit.alphas[number]
    signed, rows = alpha * problem.signs, fit.rows.distinct.take(problem.examples.astype(np.intp))
    return signed @ LINEAR(rows) @ signed / 2 - alpha.sum()


def test_smo_finishes_what_is_left():
    fit, by_smo = trained(), trained(solver="smo")
    assert fit.solver == "dual-cd"
    assert fit.handed_over.tolist() == [True, True, True]
    assert fit.converged
    assert (fit.violation <= 1e-3).all()
    np.testing.assert_allclose(fit.objective, by_smo.objective, rtol=1e-6)
    assert fit.machine.provenance["handed_over"] == [True, True, True]
    assert not by_smo.handed_over.any()
    assert "handed_over" not in by_smo.machine.provenance


def test_what_dual_cd_solves_is_not_handed_over():
    fit = trained(C=1e-3)
    assert fit.converged
    assert fit.handed_over.tolist() == [False, False, False]
    assert fit.machine.provenance["handed_over"] == [False, False, False]


def passes_before_the_handover():
    """Of the output that is handed over first."""
    return next(limit for limit in range(16, 200) if trained(max_iter=limit + 1).handed_over.any())


def test_smo_goes_on_from_where_dual_cd_stopped():
    """It may take a step for each variable and pass that is left, too few to come so far from nothing."""
    limit = passes_before_the_handover()
    before = trained(max_iter=limit)
    after = trained(max_iter=limit + 1)
    assert after.handed_over.any()
    assert (after.objective <= before.objective).all()
    sizes = np.array([len(problem.signs) for problem in after.problems])
    np.testing.assert_array_equal(after.n_iter, np.where(after.handed_over, sizes, limit + 1))


def test_a_warning_blames_max_iter_where_it_was_reached():
    with pytest.warns(gm.ConvergenceWarning, match="max_iter=40"):
        train_svm(X, LABELS, CLASSES, SvmSettings(LINEAR, max_iter=40, **HARD))
    precise = SvmSettings(gm.PolynomialKernel(3, 1e3), tol=1e-16, solver="smo", max_iter=10**7)
    with pytest.warns(gm.ConvergenceWarning, match="rounding leaves no room") as caught:
        train_svm(X[:60, :12], LABELS[:60] > 0, CLASSES[:2], precise)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("options", "handed_over"), [({}, True), ({"C": 1e-3}, False), ({"solver": "smo"}, False)])
def test_progress_ascends_to_the_end(options, handed_over, n_jobs):
    calls = []
    fit = trained(progress=lambda *call: calls.append(call), n_jobs=n_jobs, **options)
    assert fit.handed_over.any() == handed_over
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert calls[-1][0] == calls[-1][1]


def test_an_interruption_of_smo_keeps_the_intercepts_of_dual_cd(interrupted):
    fit = interrupted(solving._Smo)
    assert fit.handed_over.all()
    assert np.isfinite(fit.intercept).all()
    assert fit.intercept.all()
    assert np.isfinite(fit.violation).all()
    np.testing.assert_allclose(fit.objective, [dual_objective(fit, number) for number in range(3)], rtol=1e-6)
    limit = passes_before_the_handover()
    assert accuracy(fit) >= accuracy(trained(max_iter=limit)) > 0.8


# --- warm starts ------------------------------------------------------------------------------------------------------

SOLVERS = pytest.mark.parametrize(
    ("name", "solver"), [("smo", solving._Smo), ("dual-cd", solving._DualCd)], ids=["smo", "dual-cd"]
)


@SOLVERS
def test_an_interrupted_warm_start_is_no_worse_than_its_start(interrupted, name, solver):
    first = trained(solver=name, C=1.0)
    fit = interrupted(solver, solver=name, C=1.0, initial=first)
    assert fit.intercept.all()
    np.testing.assert_array_equal(fit.intercept, first.intercept)
    np.testing.assert_array_equal(fit.violation, first.violation)
    np.testing.assert_allclose(fit.objective, first.objective, rtol=1e-12)
    assert accuracy(fit) == accuracy(first) > 0.8
    assert not fit.converged
    again = interrupted(solver, solver=name, C=1.0, initial=fit)
    np.testing.assert_array_equal(again.intercept, first.intercept)
    assert trained(solver=name, C=1.0, initial=again).converged


@SOLVERS
def test_a_start_for_another_c_decides_as_before(interrupted, name, solver):
    first = trained(solver=name, C=1.0)
    fit = interrupted(solver, solver=name, C=7.0, initial=first)
    np.testing.assert_allclose(fit.intercept, 7 * first.intercept)
    np.testing.assert_allclose(fit.objective, [dual_objective(fit, number) for number in range(3)], rtol=1e-6)
    assert np.isinf(fit.violation).all()
    assert accuracy(fit) == accuracy(first)


def test_nothing_is_known_of_a_start_that_is_not_the_same(interrupted):
    first = trained(solver="smo", C=1.0)
    weighted = interrupted(solving._Smo, weights=1.0 + np.arange(400) % 3, solver="smo", initial=first)
    priced = interrupted(solving._Smo, solver="smo", C=1.0, intercept_scaling=1.0, initial=first)
    for fit in (weighted, priced):
        assert np.isinf(fit.violation).all()
        assert not fit.intercept.any()


# --- patterns that do not fit -----------------------------------------------------------------------------------------


def test_patterns_are_found_too_large_once(monkeypatch):
    rows = [set(RNG.choice(300, 12, replace=False).tolist()) for _ in range(1200)]
    labels = np.arange(1200) % 2
    settings = [SvmSettings(gm.PolynomialKernel(2), C=C, max_bytes=60_000) for C in (1e-4, 2e-4)]
    tried = []
    expand = TrainingRows._expand
    monkeypatch.setattr(TrainingRows, "_expand", lambda self, *how: tried.append(self) or expand(self, *how))
    first = train_svm(rows, labels, CLASSES[:2], settings[0])
    assert choose_solver(settings[1], first.rows) == "dual-cd"
    second = train_svm(rows, labels, CLASSES[:2], settings[1], initial=first)
    assert (first.solver, second.solver) == ("smo", "smo")
    assert second.rows is first.rows
    assert len(tried) == 1
    with pytest.raises(ValueError, match="60000"):
        first.rows.expanded(1, None)
