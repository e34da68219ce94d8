"""gristmill pipeline: train, run, evaluate; explain and report of its models."""

from __future__ import annotations

import json

import pytest

import gristmill as gm
from gristmill.apps.parsing.scores import score_conllu
from gristmill.cli import run
from tests.apps.pipeline.small_pipeline import TEXT, TRAIN, learned, text_to_read


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A treebank, a text, and a model."""
    made = tmp_path_factory.mktemp("pipeline")
    (made / "train.conllu").write_text(TRAIN)
    (made / "test.conllu").write_text(TEXT)
    (made / "text").write_text(text_to_read(TEXT))
    learned().save(made / "model")
    return made


def call(folder, *arguments):
    return run(["pipeline", *(str(folder / one) if (folder / one).exists() else one for one in arguments)])


def test_a_model_is_learned_and_annotates_text(folder, capfd):
    model = str(folder / "quick")
    assert call(folder, "train", "train.conllu", model, "--folds", "0", "--lemmatizer", "none") == 0
    assert "parser: " in capfd.readouterr().err
    assert list(gm.load(model).stages_) == ["tokenizer", "splitter", "tagger", "parser"]
    assert call(folder, "run", model, "text") == 0
    assert capfd.readouterr().out == gm.load(model).process(text_to_read(TEXT))


def test_what_was_learned_is_said_as_json(folder, capfd):
    call(
        folder,
        "train",
        "train.conllu",
        str(folder / "other"),
        "--tagger",
        "none",
        "--lemmatizer",
        "none",
        "--json",
        "-q",
    )
    found = json.loads(capfd.readouterr().out)
    assert list(found["support"]) == ["tokenizer", "splitter", "parser"]
    assert not found["interrupted"]


def test_a_stage_may_be_a_model_that_was_learned_before(folder):
    learned().stages_["parser"].save(folder / "parser")
    options = ["--parser", str(folder / "parser"), "--tagger", "none", "--lemmatizer", "none", "-q"]
    assert call(folder, "train", "train.conllu", str(folder / "given"), *options) == 0
    assert gm.load(folder / "given").stages_["parser"].machine_ == learned().stages_["parser"].machine_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tagger", "parser"], "is no tagger, but DependencyParser"),
        (["--folds", "1"], "folds must be"),
        (["--dev", "0"], "is no share"),
    ],
)
def test_wrong_options_are_refused(folder, options, message, capfd):
    learned().stages_["parser"].save(folder / "parser")
    options = [str(folder / one) if one == "parser" else one for one in options]
    assert call(folder, "train", "train.conllu", str(folder / "never"), *options) != 0
    assert message in capfd.readouterr().err
    assert not (folder / "never").exists()


@pytest.mark.parametrize("given", ["horizontal", "vertical", "conllu"])
def test_words_may_be_given(folder, given, capfd):
    texts = {"horizontal": "the mill turns .\n", "vertical": "the\nmill\nturns\n.\n", "conllu": TEXT}
    (folder / "given").write_text(texts[given])
    assert call(folder, "run", "model", "given", "--input", given) == 0
    assert capfd.readouterr().out == learned().process(texts[given], given=given)


def test_scores_are_printed_as_the_script_of_the_shared_task_does(folder, capfd):
    assert call(folder, "evaluate", "model", "test.conllu") == 0
    expected = score_conllu(TEXT, learned().process(text_to_read(TEXT)))
    assert capfd.readouterr().out == expected.conll18()
    assert call(folder, "evaluate", "model", "test.conllu", "--from", "words", "--json") == 0
    assert json.loads(capfd.readouterr().out)["words"]["f1"] == 1.0


def test_text_that_is_another_kind_of_file_is_refused(folder, capfd):
    assert call(folder, "run", "model", "model") == 1
    assert "expected text, got a model file" in capfd.readouterr().err


def test_stages_are_explained(folder, capfd):
    assert run(["explain", str(folder / "model"), str(folder / "text"), "--row", "1", "--stage", "tagger"]) == 0
    shown = capfd.readouterr().out
    assert shown.startswith("sentence 1\n")
    assert "-> NOUN" in shown
    assert run(["explain", str(folder / "model"), str(folder / "text"), "--row", "1", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["steps"]
    assert run(["explain", str(folder / "model"), str(folder / "text"), "--row", "1", "--stage", "tokenizer"]) == 0
    assert run(["explain", str(folder / "model"), str(folder / "text"), "--stage", "magic"]) == 1
    assert "no stage 'magic'" in capfd.readouterr().err


def test_reports_have_every_column(folder, capfd):
    assert (
        run(["report", str(folder / "model"), "--data", str(folder / "test.conllu"), "-o", str(folder / "page.html")])
        == 0
    )
    page = (folder / "page.html").read_text()
    assert "From raw text" in page
    assert "heads and relations (LAS)" in page


def test_inspect_shows_all_machines(folder, capfd):
    assert run(["inspect", str(folder / "model"), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert {name.partition("/")[0] for name in found["machines"]} == set(learned().stages_)
    assert found["params"]["folds"] == 2
