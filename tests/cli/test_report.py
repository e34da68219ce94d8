"""gristmill report: a page and figures from files, and errors that say what is wrong."""

from __future__ import annotations

import json
import sys

import pytest

from gristmill.apps import TreeClassifier
from gristmill.cli import run
from tests.cli.explain_files import feed
from tests.display.parsed_pages import assert_harmless
from tests.report.models_to_report import PLACES, TREES


def call(*arguments):
    return run(["report", *map(str, arguments)])


def written(path):
    return assert_harmless(path.read_text(encoding="utf-8"))


def test_a_page_and_figures_of_rows(rows, tmp_path, capfd):
    page = tmp_path / "page.html"
    assert call(rows.model, "--data", rows.data, "-o", page, "--json", "--no-engines") == 0
    printed = capfd.readouterr()
    assert printed.err.startswith(f"gristmill: {page}: how good it is")
    text = written(page).text
    assert f"Report on {rows.model}" in text
    assert str(rows.data) in text
    found = json.loads(printed.out)
    answers = rows.machine.compile().predict(rows.X)
    assert found["quality"]["accuracy"] == sum(answers == rows.labels) / 30
    assert found["learned"]["features"][0]["name"].startswith("f")
    assert "engines" not in found


def test_standard_input_and_output(rows, monkeypatch, capfdbinary):
    feed(monkeypatch, rows.data.read_bytes())
    assert call(rows.model, "--data", "-", "-o", "-", "--no-engines", "-q") == 0
    page = capfdbinary.readouterr()
    assert page.err == b""
    assert "<stdin>" in assert_harmless(page.out.decode()).text


def test_figures_alone(rows, capfd):
    assert call(rows.model, "--data", rows.data, "--json", "--no-engines", "--ignore-labels") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["quality"] == {"examples": 30, "has_truth": False}


def test_trees_with_labels_and_without(trees, tmp_path, capfd):
    for data, has_labels in ((trees.labelled, True), (trees.plain, False)):
        assert call(trees.model, "--data", data, "-o", tmp_path / "page.html", "--json") == 0
        found = json.loads(capfd.readouterr().out)
        assert ("accuracy" in found["quality"]) is has_labels
        assert found["learned"]["fragments"]
        lines = {line["name"]: (line["engine"], line["refused"]) for line in found["engines"]["lines"]}
        assert [lines[name] for name in ("direct", "forest", "auto")] == [("direct", None), *[("forest", None)] * 2]
        assert "ConvertedForest" in lines["converted"][1]
        assert written(tmp_path / "page.html").all("svg")


def test_a_tree_classifier(tmp_path, write, capfd):
    classifier = TreeClassifier().fit(TREES, PLACES)
    classifier.save(tmp_path / "model")
    data = write("".join(f"{label}\t{tree}\n" for label, tree in zip(PLACES, TREES, strict=True)), "data")
    assert call(tmp_path / "model", "--data", data, "--json", "--no-engines") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["quality"]["accuracy"] == classifier.evaluate(TREES, PLACES).accuracy
    feed_model = (tmp_path / "model").read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        feed(patch, feed_model)
        assert call("-", "--data", data, "--json") == 2
    assert "is read from a file" in " ".join(capfd.readouterr().err.split())


def test_bounds_and_title(rows, tmp_path):
    options = ["--max-examples", 5, "--random-state", 2, "--mistakes", 1, "--title", "<My> page", "--no-engines"]
    assert call(rows.model, "--data", rows.data, "-o", tmp_path / "page.html", *options) == 0
    text = written(tmp_path / "page.html").text
    assert "on 5 of 30 examples, chosen by random state 2" in text
    assert "<My> page" in text
    assert "The worst 1 of " in text


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["model", "--data", "data"], 2, "say where the page goes by --output, or print the figures by --json"),
        (["model", "-o", "page"], 2, "Missing option '--data'"),
        (["-", "--data", "-", "-o", "page"], 2, "only one file can be standard input"),
        (["model", "--data", "data", "-o", "-", "--json"], 2, "cannot both go to standard output"),
        (["model", "--data", "data", "-o", "data"], 2, "data is read, and would be replaced"),
        (["model", "--data", "data", "-o", "none/page"], 1, "none/page: No such file or directory"),
        (["model", "--data", "none", "-o", "page"], 1, "none: No such file or directory"),
        (["model", "--data", "empty", "-o", "page"], 1, "there are no examples to report on"),
        (["model", "--data", "bad", "-o", "page"], 1, "bad:2:3: "),
        (["model", "--data", "foreign", "-o", "page"], 1, "none of the labels is a class of the machine"),
        (["model", "--data", "data", "-o", "page", "--tree", "t"], 2, "--tree is for trees"),
        (["model", "--data", "data", "-o", "page", "--props", "data"], 2, "--props is for models of `gristmill roles`"),
        (["trees.model", "--data", "plain", "-o", "page", "--one-based"], 1, "this machine is on trees"),
        (["trees.model", "--data", "data", "-o", "page"], 1, "rows in svmlight format: gristmill train"),
    ],
)
@pytest.mark.usefixtures("rows", "trees")
def test_what_is_wrong_is_said_and_nothing_written(arguments, code, said, tmp_path, monkeypatch, capsys, write):
    write("", "empty")
    write("a 1:1\nb x:1\n", "bad")
    write("z 1:1\n", "foreign")
    monkeypatch.chdir(tmp_path)
    assert call(*arguments) == code
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "page").exists()


def test_without_matplotlib_it_says_what_to_install(rows, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert call(rows.model, "--data", rows.data, "-o", tmp_path / "page.html") == 1
    assert "pip install 'gristmill[report]'" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()
