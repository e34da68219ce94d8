"""A machine of conjunctions in the report, the playground, the commands and the comparison of engines."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from gristmill.evaluation.engines import compare
from gristmill.evaluation.summaries import summarise_machine
from gristmill.report import make_report
from gristmill.web import create_app
from tests.data.conjunctions import random_conjunctions, random_rows
from tests.web.served import asking, serving

X = random_rows(60, 20, 8)
MACHINE = random_conjunctions(200, 20, longest=2).replace(
    feature_names=[f"column {number}" for number in range(20)], classes=[-1, 1]
)
LABELS = MACHINE.compile().predict(X)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conjunctions")
    MACHINE.save(folder / "model")
    gm.write_svmlight(folder / "data", X, LABELS)
    return str(folder / "model"), str(folder / "data")


@pytest.mark.parametrize("y", [LABELS, None])
def test_the_report_shows_rules_importance_and_engines(y):
    figures = make_report(MACHINE, X, y, examples=20).as_dict()
    assert figures["learned"]["rules"][0]["weight"] == gm.explain(MACHINE, top=1)[0].weight
    assert figures["learned"]["pairs"]
    assert figures["model"]["noun"] == "conjunction"
    assert {line["name"] for line in figures["engines"]["lines"]} == {"direct", "inverted", "expanded", "auto"}


def test_singles_alone_do_not_act_together():
    singles = random_conjunctions(20, 20, longest=1)
    assert "no features act together" in make_report(singles, X, engines=False).html()


def test_engines_are_compared():
    found = compare([MACHINE], X, rounds=1)
    assert [line.refused for line in found.lines] == [None] * 4
    assert all(line.labels_equal for line in found.lines)


def test_the_playground_scores_and_explains():
    with serving(create_app(MACHINE)) as site, asking(site) as client:
        facts = client.get("/api/model").json()
        assert (facts["kernel"], facts["features"]) == ("ConjunctionKernel()", 20)
        row = {"rows": [["column 0", "column 1"]]}
        explained = client.post("/api/explain", json=row | {"interactions": True, "without": True}).json()["results"][0]
    assert explained["scores"]["1"] == MACHINE.compile().decision_function(gm.ids([[0, 1]]))[0]
    assert {one["name"] for one in explained["features"]} == {"column 0", "column 1"}


def test_commands(files, capsys):
    model, data = files

    def shown(*arguments):
        assert run(arguments) == 0
        return capsys.readouterr().out

    assert shown("predict", *files).split() == list(map(str, LABELS))
    assert "conjunctions " in shown("inspect", model, "--engine", "auto")
    assert json.loads(shown("inspect", model, "--json"))["noun"] == "conjunction"
    assert json.loads(shown("explain", model, "--json"))["rules"][0]["names"]
    assert "column" in shown("explain", model, data, "--row", "2", "--interactions")
    assert "column" in shown("explain", model, data, "--global")
    assert "expanded" in shown("bench", model, data, "--rounds", "1")
    assert "100" in shown("evaluate", model, data)


def test_statistics():
    summary = summarise_machine(MACHINE)
    assert (summary.noun, summary.support, summary.longest) == ("conjunction", 200, 2)
    assert summary.kernel == "1 where all features of a conjunction hold"


def test_shap_has_it_too():
    pytest.importorskip("shap")
    explanation = gm.explain(MACHINE, X)
    np.testing.assert_allclose(explanation.to_shap().values.sum(axis=1) + explanation.base[0], explanation.scores[:, 0])
