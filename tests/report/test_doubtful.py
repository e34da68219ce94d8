"""Doubtful answers: the worst come first, and their explanations add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.explanations import Explainer
from gristmill.machines.schemes import pairs
from gristmill.report import ReportOptions, Sources, evaluate_model
from gristmill.report.doubtful import direction, hardest_answers, pair_output, rival_of, worst_mistakes
from tests.report.models_to_report import task


def evaluation(kind):
    return evaluate_model(*task(kind), Sources("model", "data"), ReportOptions())


@given(st.integers(2, 12).flatmap(lambda n: st.tuples(st.just(n), st.permutations(range(n)))))
def test_pairs_are_found_where_they_stand(classes):
    n, (one, other, *_) = classes
    assert pairs(n)[pair_output(n, one, other)] == (min(one, other), max(one, other))


@pytest.mark.parametrize("kind", ["binary", "rest", "pairs", "known_outliers"])
def test_the_lead_is_what_the_answer_has_over_the_rival(kind):
    found = evaluation(kind)
    cases, total = worst_mistakes(found, 1000)
    assert total == len(cases) == int((found.compared[0] != found.compared[1]).sum())
    assert [case.lead for case in cases] == sorted((case.lead for case in cases), reverse=True)
    for case in cases:
        answer, rival = (found.labels.names.index(name) for name in (case.answer, case.rival))
        assert case.answer != case.rival
        assert np.allclose(case.weights, direction(found.machine, answer, rival))
        assert np.allclose(case.weights, -direction(found.machine, rival, answer))
        if kind == "rest":
            assert np.isclose(case.lead, found.scores[case.number, answer] - found.scores[case.number, rival])
            assert case.lead >= 0


@pytest.mark.parametrize("kind", ["binary", "rest", "pairs", "values", "real"])
def test_features_and_baseline_add_up_to_the_lead(kind):
    found = evaluation(kind)
    cases, _ = worst_mistakes(found, 5)
    explained = Explainer(found.machine, binarize=False)(found.some(np.array([case.number for case in cases])))
    for case, row in zip(cases, explained, strict=True):
        added = (row.base + row.values.sum(axis=0)) @ case.weights
        expected = case.lead if found.has_classes else found.answers[case.number]
        assert np.isclose(added, expected)


def test_a_truth_that_is_no_class_has_the_next_class_as_rival():
    found = evaluation("rest")
    cases, _ = worst_mistakes(found, 1000)
    foreign = [case for case in cases if case.truth == "e"]
    assert foreign
    for case in foreign:
        order = np.argsort(-found.scores[case.number])
        assert (case.answer, case.rival) == tuple(found.labels.names[at] for at in order[:2])


@pytest.mark.parametrize("kind", ["binary", "rest", "unlabelled"])
def test_the_hardest_answers_have_the_smallest_margins_and_are_right(kind):
    found = evaluation(kind)
    cases = hardest_answers(found, 4)
    assert [case.lead for case in cases] == sorted(case.lead for case in cases)
    if found.truth is not None:
        assert all(case.answer == case.truth for case in cases)
    others = set(range(len(found))) - {case.number for case in cases}
    if kind == "unlabelled":
        assert max(case.lead for case in cases) <= min(found.margins[number] for number in others)


def test_a_single_class_is_its_own_rival():
    assert rival_of(np.array([1.0]), 0) == 0


def test_the_class_with_the_highest_score_of_its_own_is_the_answer():
    rest, pairwise = evaluation("rest"), evaluation("pairs")
    assert (rest.class_scores.argmax(axis=1) == rest.answers).all()
    votes = np.sort(pairwise.class_scores.round(), axis=1)
    clear = votes[:, -1] > votes[:, -2]  # or the first of the most voted is answered
    assert clear.any()
    assert (pairwise.class_scores.argmax(axis=1) == pairwise.answers)[clear].all()
