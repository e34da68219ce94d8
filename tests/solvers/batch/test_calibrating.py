"""Sigmoids and folds of probabilities, beside scikit-learn's and scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.model_selection import StratifiedKFold

from gristmill.machines.schemes import Scheme
from gristmill.solvers.batch.calibrating import fitted_sigmoid, sigmoids, stratified_folds

scores_of = st.lists(st.integers(-40, 40), min_size=2, max_size=12).map(lambda values: np.array(values) / 8)


def cross_entropy(scores, is_positive, weights):
    """Of Platt's targets, by the book."""
    up, down = weights[is_positive].sum(), weights[~is_positive].sum()
    targets = np.where(is_positive, (up + 1) / (up + 2), 1 / (down + 2))

    def loss(at):
        chances = 1 / (1 + np.exp(np.clip(at[0] * scores + at[1], -500, 500)))
        with np.errstate(divide="ignore"):
            return -(weights * (targets * np.log(chances) + (1 - targets) * np.log1p(-chances))).sum()

    return loss


@given(scores=scores_of, data=st.data())
def test_a_sigmoid_is_the_most_likely_one(scores, data):
    sides = np.array(data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))))
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(scores), max_size=len(scores))), dtype=float)
    loss = cross_entropy(scores, sides, weights)
    found = fitted_sigmoid(scores, sides, weights)
    best = minimize(loss, found, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12}).fun
    assert np.isfinite(found).all()
    assert loss(found) <= best + 1e-7


@given(scores=scores_of, factor=st.sampled_from([1e-100, 1e-3, 1e3, 1e100]), data=st.data())
def test_the_unit_of_scores_does_not_matter(scores, factor, data):
    sides = np.array(data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))))
    a, b = fitted_sigmoid(scores, sides, np.ones(len(scores)))
    scaled, shift = fitted_sigmoid(factor * scores, sides, np.ones(len(scores)))
    assert (scaled * factor, shift) == pytest.approx((a, b), rel=1e-6, abs=1e-6)


def test_scores_that_are_all_the_same_give_the_share_of_the_classes():
    a, b = fitted_sigmoid(np.full(8, 3.0), np.arange(8) < 6, np.ones(8))
    assert 1 / (1 + np.exp(a * 3.0 + b)) == pytest.approx((6 * 7 / 8 + 2 * 1 / 4) / 8, abs=1e-6)


def test_examples_of_other_classes_do_not_count_for_a_pair():
    labels, rng = np.repeat([0, 1, 2], 10), np.random.default_rng(0)
    scores = rng.normal(size=(30, 3)) + labels[:, None]
    pairwise = sigmoids(scores, labels, 3, Scheme.ONE_VS_ONE, np.ones(30))
    for output, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        some = (labels == i) | (labels == j)
        alone = fitted_sigmoid(scores[some, output], labels[some] == i, np.ones(20))
        assert (pairwise.a[output], pairwise.b[output]) == alone


@given(labels=st.lists(st.integers(0, 3), min_size=4, max_size=30), n_folds=st.integers(2, 5))
def test_folds_are_those_of_scikit_learn(labels, n_folds):
    labels = np.array(labels)
    counts = np.unique(labels, return_counts=True)[1]
    if counts.min() < n_folds:
        return
    expected = np.empty(len(labels), dtype=int)
    for number, (_, left) in enumerate(StratifiedKFold(n_folds).split(labels, labels)):
        expected[left] = number
    np.testing.assert_array_equal(stratified_folds(labels, n_folds), expected)
