"""How far scores are from LIBSVM's own, over many inputs; the largest difference goes into the report of the tests."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from libsvm.svmutil import svm_load_model, svm_predict, svm_save_model, svm_train

import gristmill as gm
from gristmill.scoring.engines import ENGINES

FEATURES, LENGTH = 300, 12
FEW, MANY = 2_000, 100_000
pytestmark = pytest.mark.usefixtures("one_thread")
every_degree = pytest.mark.parametrize("degree", [2, 3])


def inputs(rows, seed):
    """Binary rows of few frequent features and many rare ones, different from each other."""
    draws = np.random.default_rng(seed).zipf(1.25, (2 * rows, LENGTH)) % FEATURES
    found = np.unique(np.sort(draws, axis=1), axis=0)
    table = gm.ids(np.unique(row) for row in np.random.default_rng(seed).permutation(found)[:rows]).to_csr()
    assert table.shape[0] == rows
    return table


@functools.cache
def model_of(degree):
    X = inputs(400, 1)
    rule = np.asarray(X @ np.random.default_rng(2).normal(size=X.shape[1])).ravel()
    labels = np.where(rule > np.median(rule), 1, -1)
    return svm_train(labels, X, f"-q -t 1 -d {degree} -g 1 -r 1 -c {0.1**degree}")


def largest_difference(degree, rows, path):
    """By engine, beside |b| + sum |a_i| k(s_i, x)."""
    svm_save_model(str(path), model_of(degree))
    machine, X = gm.load(path), inputs(rows, 3)
    labels, _, values = svm_predict([], X, svm_load_model(str(path)), "-q")
    wanted = np.array(values)[:, 0]
    scale = np.abs(machine.intercept) + np.abs(machine.coef).sum() * machine.polynomial.values(LENGTH)[-1]
    found = {}
    for engine in ENGINES:
        scorer = machine.compile(engine)
        found[engine] = float(np.abs(scorer.decision_function(X) - wanted).max() / scale[0])
        np.testing.assert_array_equal(scorer.predict(X), labels)
    return found


def check(degree, rows, path, record_property):
    found = largest_difference(degree, rows, path)
    record_property(f"largest differences from LIBSVM, degree {degree}, {rows} inputs", found)
    print(found)
    assert found["direct"] == 0
    assert max(found.values()) <= 1e-12


@every_degree
def test_scores_of_thousands_of_inputs_are_libsvm_s(degree, tmp_path, record_property):
    check(degree, FEW, tmp_path / "model", record_property)


@pytest.mark.slow  # LIBSVM takes its time
@every_degree
def test_scores_of_a_hundred_thousand_inputs_are_libsvm_s(degree, tmp_path, record_property):
    check(degree, MANY, tmp_path / "model", record_property)
