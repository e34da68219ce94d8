"""Reports of every kind of model: sound pages, the right figures, and every bound said."""

from __future__ import annotations

import itertools
import json
import math
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

import gristmill as gm
from gristmill.report import Sources, make_report
from tests.display.parsed_pages import assert_harmless
from tests.report.models_to_report import KINDS, NASTY, TREES, task

QUICK = {"engines": False}


def made(kind, **options):
    return once_made(kind) if not options else make_report(*task(kind), **QUICK | options)


@cache
def once_made(kind):
    return make_report(*task(kind), **QUICK)


@pytest.fixture(scope="module", params=KINDS)
def of_any_kind(request):
    report = made(request.param)
    return request.param, report, report.html()


def test_the_page_is_well_formed_and_fetches_nothing(of_any_kind):
    *_, html = of_any_kind
    page = assert_harmless(html)
    assert page.all("html") == [{"lang": "en"}]
    assert all(image["src"].startswith("data:image/svg+xml;base64,") and image["alt"] for image in page.all("img"))


def test_headings_are_in_order_and_every_table_and_region_has_a_name(of_any_kind):
    *_, html = of_any_kind
    page = assert_harmless(html)
    levels = [int(name[1]) for name, _ in page.elements if name in ("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(region["aria-label"] for region in page.all("div") if region.get("role") == "region")
    linked = {link["href"] for link in page.all("a")}
    assert linked == {f"#{section['id']}" for section in page.all("section") if "id" in section} | {"#content"}


def test_page_and_figures_are_the_same_every_time_for_any_number_of_threads(of_any_kind):
    kind, report, html = of_any_kind
    again = made(kind, n_jobs=2)
    assert again.html() == html
    assert json.loads(again.to_json()) == report.as_dict()


def test_every_section_has_its_figures(of_any_kind):
    _, report, _ = of_any_kind
    figures = report.as_dict()
    assert figures["examples"] == figures["data"]["examples"]
    assert len(figures) == len(report.facts) + len(report.sections)
    assert {section.key for section in report.sections} <= set(figures)
    assert {"quality", "data", "model", "learned"} <= set(figures)


# --- what is said -----------------------------------------------------------------------------------------------------


def test_names_are_text_and_never_markup():
    page = assert_harmless(made("binary").html())
    assert "<script>alert(1)</script>" in page.text
    assert "<b>no</b>" in page.text


def test_quality_equals_what_the_machine_answers():
    model, X, y = task("rest")
    answers = model.compile().predict(X)
    quality = made("rest").as_dict()["quality"]
    assert quality["accuracy"] == np.mean(answers == np.array(y))
    assert sum(map(sum, quality["confusion"]["counts"])) == 60
    assert "e" in quality["confusion"]["names"]  # a label that the machine has not learned
    assert {one["class"] for one in quality["curves"]} == set("abcd")


def test_of_many_classes_the_most_frequent_are_drawn_and_it_is_said():
    classes = [f"c{number}" for number in range(9)]
    machine = gm.Machine(gm.PolynomialKernel(1), [{0}], [np.arange(9.0)], np.zeros(9), classes, "ovr")
    y = [classes[number % 9] for number in range(30)] + ["c4"] * 3
    report = make_report(machine, [{0}] * 33, y, **QUICK)
    assert "The 6 most frequent classes, each against all others" in report.html()
    curves = report.as_dict()["quality"]["curves"]
    assert len(curves) == 6
    assert curves[0]["class"] == "c4"


def test_probabilities_are_held_against_the_truth_and_none_is_claimed_without():
    assert made("probable").as_dict()["calibration"]["brier"] > 0
    assert made("probable_rest").as_dict()["calibration"]["probabilities"] is True
    without = made("binary")
    assert without.as_dict()["calibration"]["probabilities"] is False
    assert "so none is claimed here" in without.html()


def test_values_are_compared_by_distance_on_the_page_too():
    model, X, y = task("values")
    report = made("values")
    answers = model.compile().decision_function(X)
    assert report.as_dict()["quality"]["mean_squared_error"] == pytest.approx(np.mean((answers - y) ** 2))
    worst = report.as_dict()["mistakes"]["worst"][0]
    assert worst["example"] == 1 + int(np.argmax(np.abs(answers - y)))
    assert math.isclose(worst["lead"], (answers - y)[worst["example"] - 1])


def test_without_labels_the_page_says_so_and_has_no_metrics():
    report = made("unlabelled")
    assert "The data have no labels" in report.html()
    assert report.as_dict()["quality"] == {"examples": 60, "has_truth": False}
    assert "calibration" not in report.as_dict()
    assert "accuracy" not in report.to_json()


def test_the_share_of_outliers_is_told():
    model, X, _ = task("outliers")
    share = np.mean(model.compile().predict(X) == -1)
    assert made("outliers").as_dict()["quality"]["outliers"] == share


def test_several_values_at_once_are_not_held_against_one_label():
    assert "answers with 2 numbers at once" in made("many_values").html()


def test_features_that_the_machine_has_never_seen_are_counted():
    assert made("unseen").as_dict()["data"]["foreign_share"] == 0.5
    assert made("binary").as_dict()["data"]["foreign_share"] == 0


def test_one_class_alone_has_no_curve():
    assert "no curve to draw" in made("one_class").html()
    assert made("one_class").as_dict()["quality"]["curves"][0]["auc"] is None


def test_an_approximation_is_called_one():
    assert "approximate" in made("approximate").html()
    assert made("approximate").as_dict()["model"]["scorer"]["exact"] is False


def test_bounds_are_said():
    html = made("binary", examples=7, random_state=3, mistakes=2).html()
    assert html.count("on 7 of 60 examples, chosen by random state 3") == 2
    assert re.search(r"The worst 2 of \d\d mistakes", html)
    assert len(made("binary", mistakes=2).as_dict()["mistakes"]["worst"]) == 2
    assert (
        made("binary", examples=7, random_state=3).as_dict()["learned"]
        != made("binary", examples=7).as_dict()["learned"]
    )


def test_mistakes_say_what_would_make_them_right():
    report = made("binary")
    for worst in report.as_dict()["mistakes"]["worst"]:
        (answer,) = worst["changes"]["answers"]
        assert str(answer["prediction"]) == worst["truth"] != worst["answer"]
        assert answer["proven"]
    assert "the cheapest answer (proven)" in report.html()


@pytest.mark.parametrize("kind", ["binary", "real", "trees", "classifier"])
def test_mistakes_say_whose_cases_decided_them(kind):
    report = made(kind)
    for worst in report.as_dict()["mistakes"]["worst"]:
        found = worst["influence"]
        assert found["output"] in (worst["answer"], worst["truth"])
        assert found["for"] + found["against"] + found["intercept"] == pytest.approx(found["score"])
        assert 0 < len(found["influence"]) <= 3
    assert "s decided it" in report.html()


def test_words_and_nodes_of_a_classifier_explain_its_mistakes():
    html = made("classifier").html()
    assert "all nodes of the tree" in html
    assert "gm-tree" in html
    learned = made("classifier").as_dict()["learned"]
    assert learned["fragments"]
    assert learned["rules"]


def test_columns_of_tables_have_their_shapes():
    figures, html = made("table").as_dict(), made("table").html()
    assert html.count('class="gm-shape"') == 13  # nine fields, four pairs
    assert {one["name"] for one in figures["learned"]["features"]} <= {*NASTY, "kind"}
    assert figures["shapes"]["fields"][0]["fields"] in (["kind"], [NASTY[0]], [NASTY[1]])
    assert figures["shapes"]["pairs"][0]["fields"] == NASTY[:2]
    assert "shapes" not in made("binary").as_dict()


def test_what_no_tree_explains_is_said():
    assert "This cannot be explained" in made("bag").html()


@pytest.mark.parametrize("kind", ["binary", "trees", "real"])
def test_engines_are_compared_and_times_stay_apart(kind):
    first, second = (made(kind, engines=True).as_dict() for _ in range(2))
    engines = first["engines"]
    assert engines["lines"][0]["engine"] == "direct"
    assert engines["timings"]["direct"]["microseconds"] > 0
    assert all((line["largest_difference"] or 0) < 1e-9 for line in engines["lines"])
    del first["engines"]["timings"], second["engines"]["timings"]
    assert first == second


def test_engines_are_timed_on_fewer_examples_of_large_machines(monkeypatch):
    monkeypatch.setattr("gristmill.report.sections.engines._PRODUCTS", 300)
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}, {1}] * 5, [1.0, -1.0] * 5, 0.0, ["no", "yes"])
    report = make_report(machine, [{0}, {1}, set()] * 20)
    assert report.as_dict()["engines"]["examples"] == 30
    assert "Measured on 30 of 60 examples, chosen by random state 0" in report.html()
    monkeypatch.setattr("gristmill.report.sections.engines._PRODUCTS", 0)
    assert make_report(machine, [{0}, {1}, set()] * 20).as_dict()["engines"]["examples"] == 20


def test_titles_and_sources():
    report = made("binary", title="Cats & dogs", sources=Sources("my.model", "my.svm", 12_345))
    page = assert_harmless(report.html())
    assert "Cats & dogs" in page.text
    assert "12.3 kB" in page.text
    assert report.as_dict()["sources"] == {"model": "my.model", "data": "my.svm", "model_bytes": 12_345}
    assert report.as_dict()["model"]["scheme"] == "binary"
    assert repr(report).startswith("Report('Cats & dogs'")


def test_a_report_is_saved_whole_and_shown_in_notebooks(tmp_path):
    report = made("binary")
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html()
    assert 'class="gm-notebook"' in report._repr_html_()


def test_a_notebook_may_show_several_reports():
    """Equal ids, and links to them, would lead to the first."""
    page = assert_harmless(made("binary")._repr_html_())
    assert not any("id" in attributes for _, attributes in page.elements)
    assert page.all("a") == []
    assert "Worst mistakes" in page.text


def test_only_labels_are_said_to_be_equal_where_there_are_labels():
    assert "Labels of exact engines were compared first" in made("binary", engines=True).html()
    assert "Labels of exact engines" not in made("values", engines=True).html()


def test_progress_is_reported():
    seen = []
    model, X, y = task("binary")
    make_report(model, X, y, **QUICK, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] < seen[-1][1]
    assert len(seen) >= 7


def test_estimators_and_scikit_learn_s_machines_are_taken(one_thread):
    from sklearn.svm import SVC

    _, X, y = task("binary")
    own = gm.KernelSVC(degree=2).fit(X, y)
    theirs = SVC(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, y)
    for model in (own, theirs):
        found = make_report(model, X, y, **QUICK).as_dict()["quality"]["accuracy"]
        assert found == np.mean(model.predict(X) == np.array(y))


def test_trees_are_drawn_with_what_their_nodes_add():
    html = made("trees").html()
    assert html.count('class="gm-tree"') == min(len(TREES), len(made("trees").as_dict()["mistakes"]["worst"]) + 3)


def test_a_pipeline_is_reported_on_in_the_names_of_its_steps(one_thread):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    table = pd.DataFrame({"colour": ["red", "green", "blue"] * 10, "size": ["S", "M"] * 15})
    y = ["yes" if colour == "red" else "no" for colour in table["colour"]]
    pipeline = make_pipeline(OneHotEncoder(), gm.KernelSVC(degree=2)).fit(table, y)
    report = make_report(pipeline, table, y, **QUICK)
    assert report.as_dict()["quality"]["accuracy"] == 1
    assert "colour_red" in report.html()


@pytest.mark.parametrize("kernel", [gm.RBFKernel(0.3), gm.TanimotoKernel(), gm.SigmoidKernel(0.2)])
def test_kernels_of_sets_have_values_and_pairs_and_say_that_they_have_no_rules(kernel):
    machine, X, y = task("binary")
    report = make_report(machine.replace(kernel=kernel), X, y, **QUICK)
    learned = report.as_dict()["learned"]
    assert learned["features"]
    assert learned["pairs"]
    assert "weigh no conjunctions" in report.html()


def test_values_that_are_not_explained_under_a_kernel_are_said_to_be_missing():
    machine = gm.Machine(gm.TanimotoKernel(), np.array([[0.5, 2.0], [1.0, 0.0]]), [1.0, -1.0], 0.0, ["a", "b"])
    page = make_report(machine, np.array([[1.0, 3.0], [0.5, 0.0]]), ["a", "b"], **QUICK).html()
    assert "Shapley values are not shown" in page


@pytest.mark.parametrize(("kernel", "effect"), [("rbf", "make rows longer, and count"), ("poly", "count for nothing;")])
def test_the_data_say_what_features_count_for_that_no_support_vector_has(kernel, effect):
    X, y = np.eye(6), np.arange(6) % 2
    report = make_report(gm.KernelSVC(kernel).fit(X, y), X, y, **QUICK)
    assert f"Features that no support vector has {effect}" in report.html()
