"""Curves equal their definitions, with ties, one kind of examples alone, and none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics

from gristmill.evaluation.curves import MOST_POINTS, best_threshold, cuts, precision_recall, roc, steps_of
from tests.oracle import curves as oracle

few_scores = st.integers(-3, 3).map(float)  # so that there are ties
examples = st.lists(st.tuples(st.one_of(few_scores, st.floats(-5, 5)), st.booleans()), min_size=1, max_size=30)


def split(pairs):
    scores, positive = zip(*pairs, strict=True)
    return list(scores), list(positive), steps_of(np.array(scores), np.array(positive))


def both_kinds(pairs):
    assume(len({is_one for _, is_one in pairs}) == 2)
    return split(pairs)


@given(examples)
def test_the_roc_curve_has_a_point_for_each_score_and_the_area_counts_pairs(pairs):
    scores, positive, steps = both_kinds(pairs)
    curve = roc(steps)
    assert np.allclose(np.column_stack([curve.x, curve.y]), oracle.roc_points(scores, positive))
    assert math.isclose(curve.area, oracle.auc(scores, positive), abs_tol=1e-12)


@given(examples)
def test_average_precision_is_the_sum_over_thresholds_and_the_area_of_the_steps(pairs):
    scores, positive, steps = both_kinds(pairs)
    curve = precision_recall(steps)
    assert math.isclose(curve.area, oracle.average_precision(scores, positive), abs_tol=1e-12)
    assert curve.x[0] == 0
    assert curve.x[-1] == 1
    hits, alarms = oracle.counted(scores, positive, max(scores))
    assert math.isclose(curve.y[0], hits / (hits + alarms))


@given(examples)
def test_areas_are_those_of_scikit_learn(pairs):
    scores, positive, steps = both_kinds(pairs)
    assert math.isclose(roc(steps).area, metrics.roc_auc_score(positive, scores), abs_tol=1e-12)
    assert math.isclose(precision_recall(steps).area, metrics.average_precision_score(positive, scores), abs_tol=1e-12)


@given(examples, st.integers(-3, 3))
def test_a_cut_counts_what_scores_more(pairs, threshold):
    scores, positive, steps = split(pairs)
    (cut,) = cuts(steps, [float(threshold)])
    taken = [is_one for score, is_one in zip(scores, positive, strict=True) if score > threshold]
    assert (cut.hits, cut.alarms) == (sum(taken), len(taken) - sum(taken))
    assert cut.precision == (sum(taken) / len(taken) if taken else 0)
    assert cut.recall == (sum(taken) / sum(positive) if any(positive) else 0)


@given(examples)
def test_no_other_threshold_has_a_higher_f1(pairs):
    scores, _, steps = both_kinds(pairs)
    (best,) = cuts(steps, [best_threshold(steps)])
    assert best.f1 >= max(cut.f1 for cut in cuts(steps, [min(scores) - 1, *scores])) - 1e-12


@pytest.mark.parametrize("is_one", [True, False])
def test_examples_of_one_kind_have_no_area(is_one):
    steps = steps_of(np.array([1.0, 2.0, 2.0]), np.full(3, is_one))
    assert math.isnan(roc(steps).area)
    assert (precision_recall(steps).area == 1) is is_one
    assert math.isnan(precision_recall(steps).area) is not is_one


def test_without_examples_there_is_no_curve():
    steps = steps_of(np.empty(0), np.empty(0, dtype=bool))
    assert (steps.positives, steps.negatives, steps.above(0.0)) == (0, 0, (0, 0))
    assert math.isnan(roc(steps).area)
    assert precision_recall(steps).points() == []


def test_many_points_are_thinned_without_a_gap():
    rng = np.random.default_rng(0)
    positive = rng.random(20_000) < 0.3
    curve = roc(steps_of(rng.normal(size=20_000) + positive, positive))
    points = np.array(curve.points())
    assert len(points) <= MOST_POINTS
    assert points[0].tolist() == [0, 0]
    assert points[-1].tolist() == [1, 1]
    assert np.abs(np.diff(points, axis=0)).sum(axis=1).max() < 0.006
    assert {tuple(point) for point in points.tolist()} <= set(zip(curve.x.tolist(), curve.y.tolist(), strict=True))
