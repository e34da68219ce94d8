"""Figures of calibration equal their obvious definitions."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from gristmill.evaluation.calibration import BINS, SMALLEST, calibration, equal_count, equal_width
from tests.oracle import curves as oracle

shares = st.one_of(st.floats(0, 1), st.integers(0, 10).map(lambda tenth: tenth / 10))
predictions = st.lists(st.tuples(shares, st.booleans()), min_size=1, max_size=40)


@given(predictions)
def test_two_classes(pairs):
    numbers, true = (np.array(column) for column in zip(*pairs, strict=True))
    probabilities, classes = np.column_stack([1 - numbers, numbers]), true.astype(np.intp)
    found = calibration(probabilities, classes, numbers, true)
    assert math.isclose(found.ece, oracle.expected_calibration_error(numbers, true, BINS), abs_tol=1e-12)
    assert math.isclose(found.brier, oracle.brier(probabilities, classes), abs_tol=1e-12)
    assert math.isclose(found.brier, brier_score_loss(true, numbers, labels=[False, True]), abs_tol=1e-12)
    assert math.isclose(found.log_loss, oracle.log_loss(probabilities, classes, SMALLEST), abs_tol=1e-9)
    assert sum(group.examples for group in found.groups) == len(numbers)
    assert all(group.low - 1e-12 <= group.mean <= group.high + 1e-12 for group in found.groups)


@given(st.lists(st.tuples(st.tuples(shares, shares, shares), st.integers(0, 2)), min_size=1, max_size=20))
def test_several_classes(pairs):
    rows, truth = zip(*pairs, strict=True)
    probabilities = np.array(rows) + 0.1
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    classes, best = np.array(truth), probabilities.argmax(axis=1)
    found = calibration(probabilities, classes, probabilities.max(axis=1), best == classes)
    assert math.isclose(found.brier, oracle.brier(probabilities, classes))
    assert math.isclose(found.log_loss, oracle.log_loss(probabilities, classes, SMALLEST))


def test_a_truth_that_is_no_class_was_given_no_probability():
    found = calibration(np.array([[0.25, 0.75]]), np.array([-1]), np.array([0.75]), np.array([False]))
    assert found.log_loss == -math.log(SMALLEST)
    assert found.brier == 0.75**2


@given(st.lists(st.tuples(st.integers(0, 9).map(float), st.booleans()), max_size=60), st.integers(1, 12))
def test_groups_of_one_size_keep_equal_numbers_together_and_lose_nobody(pairs, groups):
    numbers = np.array([number for number, _ in pairs])
    found = equal_count(numbers, np.array([is_so for _, is_so in pairs], dtype=bool), groups)
    assert sum(group.examples for group in found) == len(numbers)
    assert len(found) <= groups
    assert all(one.high < other.low for one, other in itertools.pairwise(found))
    for group in found:
        assert group.examples == sum(group.low <= number <= group.high for number in numbers)


def test_different_numbers_come_in_groups_of_one_size():
    found = equal_count(np.arange(100.0), np.arange(100) >= 50)
    assert [group.examples for group in found] == [10] * 10
    assert [group.share for group in found] == [0] * 5 + [1] * 5


def test_a_number_on_an_edge_belongs_to_the_upper_bin_and_one_to_the_last():
    found = equal_width(np.array([0.0, 0.3, 0.7, 1.0]), np.ones(4, dtype=bool))
    assert [round(group.low, 1) for group in found] == [0, 0.3, 0.7, 0.9]
