"""Metrics equal scikit-learn's and their definitions."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import log_loss, precision_recall_fscore_support, r2_score, roc_auc_score

from gristmill.evaluation import metrics
from gristmill.evaluation.metrics import classification_metrics, ranking_metrics, regression_metrics, wilson_interval

labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


@given(labels)
def test_class_scores_equal_scikit_learn_s(pairs):
    truth, answers = np.array(pairs).T
    ours = metrics.class_scores(truth, answers)
    theirs = precision_recall_fscore_support(truth, answers, zero_division=0.0)
    assert np.allclose([[c.precision, c.recall, c.f1, c.support] for c in ours], np.transpose(theirs))
    assert metrics.accuracy(truth, answers) == np.mean(truth == answers)


def test_r2_equals_scikit_learn_s():
    truth, answers = np.array([1.0, 2.0, 4.0]), np.array([1.5, 2.0, 3.0])
    assert math.isclose(metrics.r2_score(truth, answers), r2_score(truth, answers))


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3) | st.floats(-1, 1)), min_size=2, max_size=30))
def test_the_area_under_the_curve_equals_scikit_learn_s(pairs):
    positive, scores = np.array([one for one, _ in pairs]), np.array([float(score) for _, score in pairs])
    area = metrics.area_under_roc(positive, scores)
    if len(set(positive.tolist())) < 2:
        assert math.isnan(area)
    else:
        assert math.isclose(area, roc_auc_score(positive, scores), abs_tol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 2), st.tuples(*3 * [st.integers(0, 5)])), min_size=1, max_size=30))
def test_the_log_loss_equals_scikit_learn_s(rows):
    truth, shares = np.array([one for one, _ in rows]), np.array([one for _, one in rows]) + 1e-17
    shares /= shares.sum(axis=1, keepdims=True)
    assert math.isclose(metrics.log_loss(shares, truth), log_loss(truth, shares, labels=range(3)), rel_tol=1e-9)


def test_a_truth_that_is_no_class_has_the_smallest_probability():
    loss = metrics.log_loss(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([0, -1]))
    assert math.isclose(loss, (math.log(2) - math.log(np.finfo(float).eps)) / 2)


def test_without_examples_there_is_no_number():
    empty = np.empty(0)
    assert math.isnan(metrics.log_loss(np.empty((0, 2)), np.empty(0, dtype=np.intp)))
    assert math.isnan(metrics.accuracy(empty, empty))
    assert math.isnan(metrics.mean_squared_error(empty, empty))
    assert math.isnan(metrics.r2_score(empty, empty))


def test_classes_that_occur_are_counted_in_their_order():
    found = classification_metrics(np.array([0, 0, 2, 3]), np.array([0, 2, 2, 0]), ["a", "b", "c", "d"])
    assert found.names == ("a", "c", "d")
    assert found.counts.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert found.accuracy == 0.5
    assert [one.label for one in found.classes] == ["a", "c", "d"]
    assert found.macro[1] == pytest.approx((0.5 + 1 + 0) / 3)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilson_s(seen):
    right, n = seen
    theirs = binomtest(right, n).proportion_ci(method="wilson")
    assert wilson_interval(right, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_without_examples_the_share_may_be_any():
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_values_are_compared_by_distance():
    found = regression_metrics(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.5, 2.0]))
    assert found.mean_squared_error == pytest.approx(1.25 / 3)
    assert (found.mean_absolute_error, found.largest_error, found.r2) == (0.5, 1.0, 1 - 1.25 / 2)
    assert math.isnan(regression_metrics(np.ones(2), np.zeros(2)).r2)


@given(st.lists(st.tuples(st.integers(0, 4).map(float), st.integers(-3, 3).map(float)), min_size=1, max_size=30))
def test_order_is_measured_by_all_pairs_of_different_truth(examples):
    truth, scores = (np.array(column) for column in zip(*examples, strict=True))
    pairs = [(a, b) for a in examples for b in examples if a[0] > b[0]]
    found = ranking_metrics(truth, scores)
    assert (found.examples, found.pairs) == (len(examples), len(pairs))
    if pairs:
        right = sum((a[1] > b[1]) + (a[1] == b[1]) / 2 for a, b in pairs)
        assert found.in_order == pytest.approx(right / len(pairs), abs=1e-12)
    else:
        assert math.isnan(found.in_order)


def test_the_metrics_of_the_command_line_do_not_import_scikit_learn():
    program = (
        "import sys, numpy as np; from gristmill.evaluation import metrics, curves, calibration\n"
        "y = np.array([0.0, 1.0]); metrics.accuracy(y, y), metrics.class_scores(y, y), metrics.r2_score(y, y)\n"
        "print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
