"""Metrics equal scikit-learn's."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support, r2_score

from gristmill.evaluation import metrics

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


def test_without_examples_there_is_no_number():
    empty = np.empty(0)
    assert math.isnan(metrics.accuracy(empty, empty))
    assert math.isnan(metrics.mean_squared_error(empty, empty))
    assert math.isnan(metrics.r2_score(empty, empty))
