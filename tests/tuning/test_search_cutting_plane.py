"""Searches by cutting planes from samples: all examples on every round, and the last one exact."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import gristmill as gm
from gristmill.solvers.batch import SvmSettings, train_svm
from gristmill.tuning.dataset import stratified_order
from tests.tuning.sets_to_tune_on import forest, rows, same, trees

FOREST, LABELS = forest(150)
X, Y = rows(160)
GRID = {"kernels": ["sst", "ptk"], "C": [0.1, 10], "parameters": {"decay": [0.3, 0.8]}, "refit": False}
HOW = {"folds": 2, "search": "cutting-plane", "sample_sizes": [50], "factor": 2}
CAN = "sampling" in {field.name for field in dataclasses.fields(SvmSettings)}

pytestmark = pytest.mark.skipif(not CAN, reason="this build has no cutting planes")


def test_rungs_learn_from_all_examples_by_samples():
    found = gm.tune(FOREST, LABELS, **GRID, **HOW)
    classes, numbers = np.unique(LABELS, return_inverse=True)
    order = stratified_order(numbers, 2, 0)
    first = [trial for trial in found.trials if trial.round == 0]
    assert len(first) == 8
    for trial in first[::3]:
        for fold in range(2):
            settings = SvmSettings(
                trial.setting.kernel,
                C=trial.setting.C,
                solver="cutting-plane",
                sampling="uniform",
                sample_size=50,
                seed=0,
            )
            weights = np.where(order.folds != fold, 1.0, 0.0)
            fit = train_svm(FOREST[order.examples], order.labels, classes, settings, weights=weights)
            predicted = fit.machine.compile().predict(FOREST[order.examples[order.folds == fold]])
            f1 = [
                one.f1
                for one in gm.evaluation.metrics.class_scores(LABELS[order.examples[order.folds == fold]], predicted)
            ]
            assert trial.scores[fold] == pytest.approx(np.mean(f1))


def test_the_last_rung_is_exact():
    found = gm.tune(FOREST, LABELS, **GRID, **HOW, tol=1e-6)
    exact = gm.tune(FOREST, LABELS, **GRID, folds=2, search="exact", tol=1e-6)
    scores = {trial.setting: trial.scores for trial in exact.trials}
    last = [trial for trial in found.trials if trial.exact]
    assert 4 <= len(last) < 8
    assert all(scores[trial.setting] == trial.scores for trial in last)
    assert "with samples of 50" in str(found)


def test_jobs_change_nothing():
    how = {**HOW, "held_out": trees(50, seed=2)}
    assert same(gm.tune(FOREST, LABELS, **GRID, **how), gm.tune(FOREST, LABELS, **GRID, **how, n_jobs=2))


def test_rows_have_planes_too():
    found = gm.tune(X, Y, kernels="poly", C=[0.1, 1], parameters={"degree": [1, 2]}, **HOW)
    assert len([trial for trial in found.trials if not trial.exact]) == 4
