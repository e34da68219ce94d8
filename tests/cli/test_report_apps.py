"""gristmill report for taggers, segmenters, parsers and role labellers: the figures that their own commands give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gristmill.apps import Tagger
from gristmill.cli import run
from tests.apps.parsing.small_treebanks import sentences as parsed
from tests.apps.parsing.small_treebanks import text_of
from tests.cli.explain_files import feed
from tests.display.parsed_pages import assert_harmless
from tests.report.apps.apps_to_report import task, write_roles

COMMANDS = {"chunks": ("tag", "chunks"), "segmenter": ("segment", "words"), "parser": ("parse", "trees")}


def call(*arguments):
    return run(["report", *map(str, arguments), "--no-engines", "-q"])


@pytest.fixture
def saved(tmp_path):
    """Writes a model and its data; both paths."""

    def write(kind):
        program, _, text = task(kind)
        program.save(tmp_path / "model")
        if text is not None:
            (tmp_path / "data").write_text(text, encoding="utf-8")
        return str(tmp_path / "model"), str(tmp_path / "data")

    return write


@pytest.mark.parametrize("kind", COMMANDS)
def test_figures_are_those_of_evaluate(kind, saved, tmp_path, capfd):
    (command, key), (model, data) = COMMANDS[kind], saved(kind)
    assert call(model, "--data", data, "-o", tmp_path / "page.html", "--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert_harmless((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert run([command, "evaluate", model, data, "--json"]) == 0
    assert json.loads(capfd.readouterr().out).items() <= found[key].items()


def test_figures_of_roles_are_those_of_evaluate(saved, tmp_path, capfd):
    model, _ = saved("roles")
    trees, props = write_roles(tmp_path)
    assert call(model, "--data", trees, "--props", props, "--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert run(["roles", "run", model, trees, props, "-o", str(tmp_path / "found")]) == 0
    assert run(["roles", "evaluate", props, str(tmp_path / "found"), "--json"]) == 0
    assert json.loads(capfd.readouterr().out).items() <= found["roles"].items()


def test_marked_predicates_are_shown_without_metrics(saved, tmp_path, capfd):
    model, _ = saved("roles")
    (tmp_path / "marked").write_text("(S (NP (N dogs)) (VP (V*1 saw) (NP (D the) (N men))) (. .))\n")
    assert call(model, "--data", tmp_path / "marked", "--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["quality"]["has_truth"] is False
    assert found["examples"] == 2


def test_a_tagger_of_conllu_is_judged_by_the_column_that_it_has_learned(tmp_path, capfd):
    (tmp_path / "data").write_text(text_of(parsed(10)), encoding="utf-8")
    Tagger("F:-1..1:0 T:-1", epochs=2).fit_conllu(tmp_path / "data", "xpos").save(tmp_path / "model")
    assert call(tmp_path / "model", "--data", tmp_path / "data", "--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["tags"]["tokens"] == sum(map(len, parsed(10)))
    assert {"NO", "VE"} <= set(found["quality"]["confusion"]["names"])
    assert call(tmp_path / "model", "--data", tmp_path / "data", "--json", "--ignore-labels") == 0
    assert json.loads(capfd.readouterr().out)["quality"]["has_truth"] is False


def test_data_may_be_standard_input(saved, monkeypatch, capfd):
    model, data = saved("segmenter")
    feed(monkeypatch, Path(data).read_bytes())
    assert call(model, "--data", "-", "--json") == 0
    assert json.loads(capfd.readouterr().out)["words"] == task("segmenter").app.evaluate_file(data).as_dict()


def test_a_missing_column_of_tags_is_told(saved, tmp_path, capsys):
    model, _ = saved("chunks")
    (tmp_path / "bare").write_text("the D\nmill N\n")
    assert call(model, "--data", tmp_path / "bare", "-o", tmp_path / "page.html") != 0
    said = capsys.readouterr().err
    assert f"{tmp_path / 'bare'}: tokens have 2 columns with the tag" in said
    assert "--ignore-labels" in said
    assert not (tmp_path / "page.html").exists()


def test_words_without_a_tag_are_told(tmp_path, capsys):
    (tmp_path / "data").write_text(text_of(parsed(10)), encoding="utf-8")
    Tagger("F:-1..1:0 T:-1", epochs=2).fit_conllu(tmp_path / "data", "upos").save(tmp_path / "model")
    (tmp_path / "bare").write_text("1\tmill\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert call(tmp_path / "model", "--data", tmp_path / "bare", "--json") != 0
    assert "bare: word 1 of the file has no upos; without labels" in capsys.readouterr().err
    (tmp_path / "other").write_text("mill NOUN\n")
    assert call(tmp_path / "model", "--data", tmp_path / "other", "--json") != 0
    assert "--ignore-labels" not in capsys.readouterr().err


def test_roles_need_predicates(saved, tmp_path, capsys):
    model, _ = saved("roles")
    trees, _ = write_roles(tmp_path)
    assert call(model, "--data", trees, "--json") != 0
    assert "no node of TREES has a mark" in capsys.readouterr().err
    assert call(model, "--data", "-", "--props", "-", "--json") != 0
    assert "only one file can be standard input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("chunks", ["--props", "p"], "--props is not for"),
        ("parser", ["--machine", "all"], "--machine is not for"),
        ("roles", ["--tree", "BT"], "--tree is not for"),
        ("roles", ["--engine", "direct"], "--engine is not for"),
        ("segmenter", ["--binarize", "0"], "--binarize is not for"),
        ("chunks", ["--sigma", "0.1"], "--sigma is not for"),
        ("parser", ["--xi", "2"], "--xi is not for"),
        ("parser", ["--max-bytes", "1G"], "--max-bytes is not for"),
        ("chunks", ["--one-based"], "--zero-based is not for"),
    ],
)
def test_options_of_other_models_are_refused(kind, options, said, saved, capsys):
    model, data = saved(kind)
    assert call(model, "--data", data, "--json", *options) != 0
    assert said in capsys.readouterr().err


def test_models_of_programs_are_files(saved, monkeypatch, capsys):
    model, data = saved("chunks")
    feed(monkeypatch, Path(model).read_bytes())
    assert call("-", "--data", data, "--json") != 0
    assert "read from a file, not from standard input" in capsys.readouterr().err
