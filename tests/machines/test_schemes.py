"""From scores to classes: the core against NumPy, and sure classes that nothing within the bounds can change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from gristmill.machines.schemes import DecisionRule, Scheme, pairs

SCORES = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, np.nan, np.inf, -np.inf])


def worth(rule, scores):
    """How much each class has for it, a row per example; the first of the largest is the class."""
    if rule.scheme is Scheme.ONE_VS_REST:
        return scores
    above = scores >= 0 if rule.zero_class else scores > 0
    if rule.scheme is not Scheme.ONE_VS_ONE:
        return np.concatenate([~above, above], axis=1).astype(float)
    votes = np.zeros((len(scores), rule.n_classes))
    for output, (first, second) in enumerate(pairs(rule.n_classes)):
        votes[:, first] += above[:, output]
        votes[:, second] += ~above[:, output]
    return votes


@st.composite
def tables(draw, scores=SCORES):
    scheme = draw(st.sampled_from([Scheme.BINARY, Scheme.ONE_CLASS, Scheme.ONE_VS_REST, Scheme.ONE_VS_ONE]))
    n_classes = draw(st.integers(1, 5)) if scheme in (Scheme.ONE_VS_REST, Scheme.ONE_VS_ONE) else 2
    rows = draw(st.integers(0, 4))
    width = scheme.outputs(n_classes)
    values = draw(st.lists(scores, min_size=rows * width, max_size=rows * width))
    rule = DecisionRule(scheme, n_classes, draw(st.integers(0, 1)))
    return rule, np.array(values, dtype=np.float64).reshape(rows, width)


@given(tables())
def test_classes_are_the_first_of_the_largest(table):
    rule, scores = table
    assert rule.classes(scores).tolist() == worth(rule, scores).argmax(axis=1).tolist()
    assert rule.classes(np.asfortranarray(scores)).dtype == np.intp


@given(tables(st.integers(-8, 8).map(float)))
def test_scores_by_class_are_outputs_sides_or_votes(table):
    rule, scores = table
    found = rule.by_class(scores)
    if rule.scheme in (Scheme.BINARY, Scheme.ONE_CLASS):
        assert found.tolist() == [[-score, score] for (score,) in scores.tolist()]
    else:
        assert found.tolist() == worth(rule, scores).tolist()


@given(tables(), st.data())
def test_among_some_classes(table, data):
    rule, scores = table
    possible = np.array(data.draw(st.lists(st.booleans(), min_size=rule.n_classes, max_size=rule.n_classes)))
    possible[data.draw(st.integers(0, rule.n_classes - 1))] = True
    wanted = np.flatnonzero(possible)[worth(rule, scores)[:, possible].argmax(axis=1)]
    assert rule.among(scores, possible).tolist() == wanted.tolist()


@given(tables(st.integers(-8, 8).map(float)), st.data())
def test_no_move_within_the_bounds_changes_a_sure_class(table, data):
    rule, scores = table
    bounds = np.array(data.draw(st.lists(st.integers(0, 5), min_size=scores.size, max_size=scores.size)), dtype=float)
    bounds = bounds.reshape(scores.shape)
    sure = ~rule.unsure(scores, bounds)
    for seed in range(20):
        moved = scores + bounds * np.random.default_rng(seed).integers(-1, 2, scores.shape)
        assert (rule.classes(moved) == rule.classes(scores))[sure].all()


def test_one_bound_for_one_score_and_two_for_two():
    binary, rest = DecisionRule(Scheme.BINARY, 2, 0), DecisionRule(Scheme.ONE_VS_REST, 2, 0)
    assert binary.unsure(np.array([[1.5], [1.0], [-1.5]]), np.ones((1, 1))).tolist() == [False, True, False]
    assert rest.unsure(np.array([[1.5, 0.0], [2.0, 0.0], [2.5, 0.0]]), np.ones((1, 1))).tolist() == [True, True, False]


@pytest.mark.parametrize("scheme", [Scheme.BINARY, Scheme.ONE_VS_REST, Scheme.ONE_VS_ONE])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_what_is_not_a_number_is_never_sure(scheme, at):
    n_classes = 2 if scheme is Scheme.BINARY else 3
    scores = np.array([[-9.0, 1.0, 4.0]])[:, : scheme.outputs(n_classes)]
    scores[0, at % scores.shape[1]] = np.nan
    bounds = np.full(scores.shape, 0.1)
    assert DecisionRule(scheme, n_classes, 0).unsure(scores, bounds).tolist() == [True] or scheme is Scheme.ONE_VS_ONE


def test_values_have_nothing_to_be_unsure_about():
    assert not DecisionRule(Scheme.REGRESSION, 0, 0).unsure(np.zeros((3, 2)), np.ones((3, 2))).any()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: _core.DecisionPolicy(_core.DecisionRule.votes, 0, 0), "a class at least"),
        (lambda: _core.DecisionPolicy(_core.DecisionRule.votes, 3, 2), "zero_class"),
        (lambda: DecisionRule(Scheme.ONE_VS_ONE, 4, 0).classes(np.zeros((1, 3))), "do not fit"),
        (lambda: DecisionRule(Scheme.BINARY, 2, 0).classes(np.zeros((1, 2))), "do not fit"),
        (lambda: DecisionRule(Scheme.BINARY, 2, 0).among(np.zeros((1, 1)), np.zeros(2, bool)), "one that is set"),
        (lambda: DecisionRule(Scheme.BINARY, 2, 0).among(np.zeros((1, 1)), np.ones(3, bool)), "for each class"),
    ],
)
def test_what_fits_no_rule_is_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


def test_a_rule_is_one_there_is():
    with pytest.raises(TypeError):
        _core.DecisionPolicy(7, 3, 0)
