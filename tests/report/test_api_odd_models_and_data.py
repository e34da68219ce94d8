"""Reports on odd models and data: what is refused, what has other metrics, and what is too long or too large."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

import gristmill as gm
from gristmill.report import make_report
from tests.display.parsed_pages import assert_harmless
from tests.report.models_to_report import task

QUICK = {"engines": False}


def made(kind, **options):
    return make_report(*task(kind), **QUICK | options)


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        ([], None, "there are no examples"),
        ([{0}, {1}], ["yes & no"], "a label for each of 2 examples, got 1"),
        ([{0}], ["maybe"], "none of the labels is a class of the machine"),
    ],
)
def test_what_cannot_be_reported_on_is_refused(X, y, said):
    model, *_ = task("binary")
    with pytest.raises(ValueError, match=said):
        make_report(model, X, y, **QUICK)


@pytest.mark.parametrize("coef", [1e308, 1e200])
def test_scores_that_cannot_be_squared_are_refused(coef):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}], [coef], 0.0)
    with pytest.raises(ValueError, match=r"scores go beyond 1e\+150: scale the coefficients down"):
        make_report(machine, [{0, 1}], [1.0], **QUICK)


def test_the_largest_scores_and_values_are_drawn():
    machine = gm.Machine(gm.PolynomialKernel(1, coef0=0.0), [{0}, {1}], [1e150, -1e150], 0.0)
    found = make_report(machine, [{0}, {1}], [-1e150, 1e150], **QUICK).as_dict()["quality"]
    assert found["mean_squared_error"] == pytest.approx(4e300)
    assert found["r2"] == pytest.approx(-3)


def test_features_of_two_thousand_million_are_reported_on_without_memory_for_the_others():
    lists, last = [[0, 1, 2**27], [1, 2**31 - 2]], 2**31 - 2
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids(lists), [1.0, -0.5], 0.0, classes=[-1, 1])
    narrow = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1, 2], [1, 3]]), [1.0, -0.5], 0.0, classes=[-1, 1])
    found = make_report(machine, gm.ids([[0, 1], [1, 2**27, last]]), [1, -1], **QUICK).as_dict()["learned"]["features"]
    twin = make_report(narrow, gm.ids([[0, 1], [1, 2, 3]]), [1, -1], **QUICK).as_dict()["learned"]["features"]
    assert [(one["magnitude"], one["mean"]) for one in found] == [(one["magnitude"], one["mean"]) for one in twin]


@pytest.mark.parametrize(("option", "least"), [("examples", 1), ("mistakes", 0), ("random_state", 0)])
def test_options_below_their_minimum_are_refused(option, least):
    with pytest.raises(ValueError, match=f"{option} must be at least {least}, got -1"):
        made("binary", **{option: -1})


def test_a_machine_that_ranks_is_measured_by_order():
    rng = np.random.default_rng(5)
    X, y = (rng.random((40, 6)) < 0.5).astype(float), rng.integers(0, 3, 40)
    ranker = gm.KernelRanker("linear").fit(X, y)
    report = make_report(ranker, X, y, **QUICK)
    assert report.as_dict()["quality"]["in_order"] == pytest.approx(ranker.score(X, y))
    text = assert_harmless(report.html()).text
    assert "The machine ranks" in text
    assert "pairs in the right order" in text
    assert "R²" not in text
    assert "mistakes" not in report.as_dict()
    alike = make_report(ranker, X, np.ones(40), **QUICK)
    assert "there is no order to compare" in alike.html()


@pytest.mark.parametrize("zero_class", [0, 1])
def test_the_threshold_as_it_is_gives_the_answers_of_the_machine(zero_class):
    machine = gm.Machine(
        gm.PolynomialKernel(1, coef0=0.0), [{0}, {1}], [1.0, -1.0], 0.0, ["no", "yes"], zero_class=zero_class
    )
    X, y = [{0}, {1}, {0, 1}, set()], ["yes", "no", "yes", "no"]
    report = make_report(machine, X, y, **QUICK)
    answers = machine.compile().predict(X)
    lines = re.findall(r"<tr><th[^>]*>[^<]*\(as it is[^<]*</th><td[^>]*>(\d+)</td>", report.html())
    assert [int(line) for line in lines] == [(answers == "yes").sum(), (answers == "no").sum()]
    assert int(lines[0]) == (3 if zero_class else 1)


@pytest.mark.parametrize("kind", ["binary", "rest", "pairs"])
def test_thresholds_of_every_class_can_be_chosen(kind):
    report = made(kind, random_state=3)
    quality = report.as_dict()["quality"]
    names = [one["class"] for one in quality["curves"]]
    chosen = list(dict.fromkeys(cut["class"] for cut in quality["thresholds"]))
    assert set(names) <= set(chosen)
    assert len(chosen) == (2 if kind == "binary" else len(names)) > 1
    titles = re.findall(r"<details[^>]* name=\"class\"[^>]*><summary>Answering (.+?) at other scores", report.html())
    assert [unescape(title) for title in titles] == chosen
    assert len(re.findall(r"<details[^>]* open[^>]* name=\"class\"", report.html())) == 1
    for cut in quality["thresholds"]:
        assert 0 <= cut["precision"] <= 1
        assert 0 <= cut["recall"] <= 1


def test_thresholds_of_the_first_of_two_classes_are_below_a_score():
    machine = gm.Machine(gm.PolynomialKernel(1, coef0=0.0), [{0}, {1}], [1.0, -2.0], 0.0, ["no", "yes"])
    X, y = [{0}, {1}, {1}, set()], ["yes", "no", "no", "yes"]
    found = make_report(machine, X, y, **QUICK).as_dict()["quality"]["thresholds"]
    scores = machine.compile().decision_function(X)
    for cut in (cut for cut in found if cut["class"] == "no"):
        answered = scores < cut["threshold"]
        assert cut["true_positives"] == (answered & (np.array(y) == "no")).sum()
        assert cut["false_positives"] == (answered & (np.array(y) == "yes")).sum()


def test_examples_with_too_many_features_to_look_at_are_no_trouble(monkeypatch):
    monkeypatch.setattr("gristmill.report.sections.learned._VALUES", 1)
    report = made("binary", random_state=1)
    assert "too many features to look at what each of them adds" in report.html()
    assert "features" not in report.as_dict()["learned"]


def test_names_of_any_length_leave_the_page_small():
    long = "x" * 100_000
    machine = gm.Machine(
        gm.PolynomialKernel(2), [{0, 1}], [1.0], -2.0, ["no", long], feature_names=[f"{at}{long}" for at in range(2)]
    )
    report = make_report(machine, [{0}, {1}, {0, 1}], [long, "no", "no"], **QUICK)
    assert len(report.html()) < 300_000
    assert report.as_dict()["quality"]["confusion"]["names"] == ["no", long]


def test_an_answer_that_lost_its_pair_is_behind():
    a_b, a_c, b_c = 1.0, -2.0, 2.0  # a beats b, c beats a, b beats c: a vote each, and the first is answered
    machine = gm.Machine(gm.PolynomialKernel(1), [], np.zeros((0, 3)), [a_b, a_c, b_c], list("abc"), "ovo")
    html = make_report(machine, [{0}, {1}, {2}], ["a", "b", "c"], **QUICK).html()
    assert "answer a, truth b, ahead by 1" in html
    assert "answer a, truth c, behind by 2" in html


def test_examples_without_any_feature_and_labels_that_miss_are_no_trouble():
    model, *_ = task("one_class")
    found = make_report(model, [set(), {0}, {1}], [0, None, 1], **QUICK).as_dict()
    assert found["quality"]["examples"] == 2
    assert found["examples"] == 3
