"""The slope of a softmax: the one of least loss, whatever the unit of scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from gristmill.solvers.temperature import fitted_softmax

whole = st.integers(-4, 4).map(float)


@st.composite
def examples(draw):
    """Scores, some of them of classes that could not be known, and classes that could."""
    n, classes = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    scores = np.array(draw(st.lists(st.lists(whole, min_size=classes, max_size=classes), min_size=n, max_size=n)))
    labels = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    unknown = np.array(
        draw(st.lists(st.lists(st.booleans(), min_size=classes, max_size=classes), min_size=n, max_size=n))
    )
    unknown[np.arange(n), labels] = False
    return np.where(unknown, -np.inf, scores), labels


def loss(slope, scores, labels):
    """By the definition: of each true class a little is shared by all that could be known."""
    total, shared = 0.0, 1 / (len(scores) + 2)
    for own, label in zip(scores, labels, strict=True):
        known = own[np.isfinite(own)]
        logarithms = slope * known - logsumexp(slope * known)
        total -= (1 - shared) * (slope * own[label] - logsumexp(slope * known)) + shared * logarithms.mean()
    return total


@given(examples())
def test_no_other_slope_has_less_loss(task):
    found = fitted_softmax(*task).slope[0]
    best = minimize_scalar(lambda logarithm: loss(np.exp(logarithm), *task), bounds=(-20, 20), method="bounded")
    assert 0 < found < np.inf
    assert loss(found, *task) <= best.fun + 1e-6


@given(examples(), st.sampled_from([1e-3, 7.0, 1e6]))
def test_the_unit_of_scores_does_not_matter(task, unit):
    scores, labels = task
    shares = fitted_softmax(scores, labels).of_scores(scores)
    np.testing.assert_allclose(fitted_softmax(unit * scores, labels).of_scores(unit * scores), shares, atol=1e-6)


def test_there_must_be_an_example():
    with pytest.raises(ValueError, match="no example whose class is known"):
        fitted_softmax(np.zeros((0, 2)), np.zeros(0, dtype=int))
