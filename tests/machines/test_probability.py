"""Softmax: what scores of logistic machines mean, with the machine, in its file and where it does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

import gristmill as gm
from gristmill.machines import store
from gristmill.machines.probability import ScaledSoftmax, Softmax, has_class_probabilities, probabilities

SUPPORT = gm.ids([[0], [0, 1]])


def machine_of(coef, classes, **more):
    coef = np.array(coef, dtype=float)
    intercept = np.zeros(coef.shape[1]) if coef.ndim == 2 else 0.5
    return gm.Machine(gm.ConjunctionKernel(), SUPPORT, coef, intercept, classes, probability=Softmax(), **more)


TWO = machine_of([1.0, -2.0], ["no", "yes"])
THREE = machine_of([[1, 0, -1], [0, 2, 5]], [1, 2, 3], scheme="ovr")
scores = st.floats(-1e6, 1e6)


@given(st.lists(st.lists(scores, min_size=3, max_size=3), min_size=1, max_size=5))
def test_of_several_outputs(table):
    np.testing.assert_allclose(probabilities(THREE, np.array(table)), softmax(table, axis=1), atol=1e-15)


@given(st.lists(scores, min_size=1, max_size=5))
def test_the_only_output_is_against_0(column):
    table = np.array(column)[:, None]
    shares = probabilities(TWO, table)
    np.testing.assert_allclose(shares, softmax(np.hstack([0 * table, table]), axis=1), atol=1e-15)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_scorers_and_files_have_it():
    for machine in (TWO, THREE):
        assert has_class_probabilities(machine)
        data = store.to_bytes(machine)
        assert store.from_bytes(data) == machine
        assert b'"version\\":2' in data  # older releases do not know it, and say so
        X = gm.ids([[0, 1], []])
        scorer = machine.compile()
        np.testing.assert_array_equal(machine.classes[scorer.predict_proba(X).argmax(axis=1)], scorer.predict(X))


def test_scores_have_a_unit():
    for machine, scores in ((TWO, [[-0.5], [3.0]]), (THREE, [[1.0, 2.0, 4.0]])):
        scaled = machine.replace(probability=ScaledSoftmax(np.array([0.25])))
        expected = probabilities(machine, 0.25 * np.array(scores))
        np.testing.assert_allclose(probabilities(scaled, np.array(scores)), expected, atol=1e-15)
        assert store.from_bytes(store.to_bytes(scaled)) == scaled
        assert scaled != machine


@pytest.mark.parametrize("slope", [[0.0], [-1.0], [1.0, 2.0], [np.nan]])
def test_a_unit_is_one_number_above_0(slope):
    with pytest.raises(ValueError, match="probability: slope must be"):
        TWO.replace(probability=ScaledSoftmax(np.array(slope)))


def test_pairwise_machines_and_regression_have_none():
    for scheme, classes in (("ovo", [1, 2, 3]), ("regression", None)):
        with pytest.raises(ValueError, match="softmax is for schemes 'binary' and 'one-vs-rest', got"):
            machine_of([[1, 0, -1], [0, 2, 5]], classes, scheme=scheme)
