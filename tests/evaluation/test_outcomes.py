"""What answers are judged by."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import gristmill as gm
from gristmill.evaluation.outcomes import judge_classes, judge_order, judge_values, wilson
from gristmill.report.labels import short_names, truth_of

MACHINE = gm.Machine(gm.PolynomialKernel(1), [{0}], [[1.0, 2.0, 3.0]], [0.0, 0.0, 0.0], [1, 2, 3], "ovr")
WORDS = gm.Machine(gm.PolynomialKernel(1), [{0}], [1.0], 0.0, ["no", "yes"])
VALUES = gm.Machine(gm.PolynomialKernel(1), [{0}], [1.0], 0.0)


def test_classes_that_occur_are_counted_in_their_order():
    judged = judge_classes(np.array([0, 0, 2, 3]), np.array([0, 2, 2, 0]), ["a", "b", "c", "d"])
    assert judged.names == ("a", "c", "d")
    assert judged.counts.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert judged.accuracy == 0.5
    assert [one.label for one in judged.classes] == ["a", "c", "d"]
    assert judged.macro[1] == pytest.approx((0.5 + 1 + 0) / 3)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilson_s(seen):
    right, n = seen
    theirs = binomtest(right, n).proportion_ci(method="wilson")
    assert wilson(right, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_without_examples_the_share_may_be_any():
    assert wilson(0, 0) == (0.0, 1.0)


def test_values_are_judged_by_distance():
    judged = judge_values(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.5, 2.0]))
    assert judged.mean_squared_error == pytest.approx(1.25 / 3)
    assert (judged.mean_absolute_error, judged.largest_error, judged.r2) == (0.5, 1.0, 1 - 1.25 / 2)
    assert math.isnan(judge_values(np.ones(2), np.zeros(2)).r2)


def test_labels_are_found_among_classes_whatever_numbers_they_are():
    truth = truth_of(MACHINE, np.array([2.0, 1.0, 7.5, np.nan, 3.0]))
    assert truth.numbers.tolist() == [0, 1, 2, 4]
    assert truth.values.tolist() == [1, 0, 3, 2]
    assert truth.names == ("1", "2", "3", "7.5")


def test_words_and_missing_labels():
    truth = truth_of(WORDS, ["yes", None, "", "maybe", "no"])
    assert truth.numbers.tolist() == [0, 3, 4]
    assert truth.names == ("no", "yes", "maybe")
    assert truth.values.tolist() == [1, 2, 0]
    assert truth_of(WORDS, [None, None]) is None


def test_labels_that_cannot_be_compared_are_refused():
    with pytest.raises(ValueError, match=r"none of the labels .* the data have 1, 2, the machine 'no', 'yes'"):
        truth_of(WORDS, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"the data have '1', '2', the machine 1, 2, 3"):
        truth_of(MACHINE, ["1", "2"])
    with pytest.raises(ValueError, match="labels are numbers or str, got b'yes'"):
        truth_of(WORDS, [b"yes"])
    with pytest.raises(ValueError, match="one label for each example"):
        truth_of(WORDS, [["yes"]])
    with pytest.raises(ValueError, match="held against numbers, got 'yes'"):
        truth_of(VALUES, ["yes"])


@pytest.mark.parametrize("value", [float("inf"), -1e200])
def test_values_that_cannot_be_squared_are_refused(value):
    with pytest.raises(ValueError, match=r"true values must lie within 1e\+150, got"):
        truth_of(VALUES, [1.0, value])


def test_whole_numbers_beyond_a_float_stay_apart():
    large = gm.Machine(gm.PolynomialKernel(1), [{0}], [1.0], 0.0, [2**60, 2**60 + 1])
    assert truth_of(large, np.array([2**60 + 1, 2**60])).values.tolist() == [1, 0]


@given(st.lists(st.tuples(st.integers(0, 4).map(float), st.integers(-3, 3).map(float)), min_size=1, max_size=30))
def test_order_is_judged_by_all_pairs_of_different_truth(examples):
    truth, scores = (np.array(column) for column in zip(*examples, strict=True))
    pairs = [(a, b) for a in examples for b in examples if a[0] > b[0]]
    found = judge_order(truth, scores)
    assert (found.examples, found.pairs) == (len(examples), len(pairs))
    if pairs:
        right = sum((a[1] > b[1]) + (a[1] == b[1]) / 2 for a, b in pairs)
        assert found.in_order == pytest.approx(right / len(pairs), abs=1e-12)
    else:
        assert math.isnan(found.in_order)


def test_short_names_are_short_and_stay_apart():
    assert short_names(["a", "b" * 50, "b" * 49], 10) == ("a", f"{'b' * 9}…", f"{'b' * 9}… (3)")
