"""Curves equal their definitions, with ties, one kind of examples alone, and none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from gristmill.evaluation.curves import (
    MOST_POINTS,
    BinaryScores,
    best_threshold,
    operating_points,
    precision_recall,
    roc,
)
from tests.oracle import curves as oracle

few_scores = st.integers(-3, 3).map(float)  # so that there are ties
examples = st.lists(st.tuples(st.one_of(few_scores, st.floats(-5, 5)), st.booleans()), min_size=1, max_size=30)


def split(pairs):
    scores, positive = zip(*pairs, strict=True)
    return list(scores), list(positive), BinaryScores(np.array(scores), np.array(positive))


def both_kinds(pairs):
    assume(len({is_one for _, is_one in pairs}) == 2)
    return split(pairs)


@given(examples)
def test_the_roc_curve_has_a_point_for_each_score_and_the_area_counts_pairs(pairs):
    scores, positive, data = both_kinds(pairs)
    curve = roc(data)
    assert np.allclose(np.column_stack([curve.x, curve.y]), oracle.roc_points(scores, positive))
    assert math.isclose(curve.area, oracle.auc(scores, positive), abs_tol=1e-12)


@given(examples)
def test_average_precision_is_the_sum_over_thresholds_and_the_area_of_the_steps(pairs):
    scores, positive, data = both_kinds(pairs)
    curve = precision_recall(data)
    assert math.isclose(curve.area, oracle.average_precision(scores, positive), abs_tol=1e-12)
    assert curve.x[0] == 0
    assert curve.x[-1] == 1
    true, false = oracle.counted(scores, positive, max(scores))
    assert math.isclose(curve.y[0], true / (true + false))


@given(examples)
def test_areas_are_those_of_scikit_learn(pairs):
    scores, positive, data = both_kinds(pairs)
    assert math.isclose(roc(data).area, metrics.roc_auc_score(positive, scores), abs_tol=1e-12)
    assert math.isclose(precision_recall(data).area, metrics.average_precision_score(positive, scores), abs_tol=1e-12)


@given(examples, st.integers(-3, 3))
def test_an_operating_point_counts_what_scores_more(pairs, threshold):
    scores, positive, data = split(pairs)
    (point,) = operating_points(data, [float(threshold)])
    taken = [is_one for score, is_one in zip(scores, positive, strict=True) if score > threshold]
    assert (point.true_positives, point.false_positives) == (sum(taken), len(taken) - sum(taken))
    assert point.precision == (sum(taken) / len(taken) if taken else 0)
    assert point.recall == (sum(taken) / sum(positive) if any(positive) else 0)


@given(examples)
def test_no_other_threshold_has_a_higher_f1(pairs):
    scores, _, data = both_kinds(pairs)
    (best,) = operating_points(data, [best_threshold(data)])
    assert best.f1 >= max(point.f1 for point in operating_points(data, [min(scores) - 1, *scores])) - 1e-12


@pytest.mark.parametrize("is_one", [True, False])
def test_examples_of_one_kind_have_no_area(is_one):
    data = BinaryScores(np.array([1.0, 2.0, 2.0]), np.full(3, is_one))
    assert math.isnan(roc(data).area)
    assert (precision_recall(data).area == 1) is is_one
    assert math.isnan(precision_recall(data).area) is not is_one


def test_without_examples_there_is_no_curve():
    data = BinaryScores(np.empty(0), np.empty(0, dtype=bool))
    assert (data.positives, data.negatives, data.has_both) == (0, 0, False)
    assert math.isnan(roc(data).area)
    assert precision_recall(data).points() == []


def test_many_points_are_thinned_without_a_gap():
    rng = np.random.default_rng(0)
    positive = rng.random(20_000) < 0.3
    curve = roc(BinaryScores(rng.normal(size=20_000) + positive, positive))
    points = np.array(curve.points())
    assert len(points) <= MOST_POINTS
    assert points[0].tolist() == [0, 0]
    assert points[-1].tolist() == [1, 1]
    assert np.abs(np.diff(points, axis=0)).sum(axis=1).max() < 0.006
    assert {tuple(point) for point in points.tolist()} <= set(zip(curve.x.tolist(), curve.y.tolist(), strict=True))
