"""gristmill explain: sentences of files, as taggers, segmenters and parsers explain them."""

from __future__ import annotations

import json

import pytest

import gristmill as gm
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.apps.tagging.tagger import Tagger
from gristmill.cli import run
from gristmill.explanations.kept_examples import kept_examples
from tests.apps.parsing.small_treebanks import plain, text_of, treebank_of
from tests.apps.tagging import chunked_sentences as tagger_tasks
from tests.cli.explain_files import call, feed, objects, printed

TEXT = ["また 行き たい", "海 を 見 たい", "海 が 見え た"]
TAGGED = tagger_tasks.sentences(12)
TREES = treebank_of("arc-standard", 12)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A file of each program, one of sentences for it, and what these are in Python."""
    folder = tmp_path_factory.mktemp("programs")
    tagger, segmenter, parser = Tagger().fit(TAGGED), Segmenter().fit(TEXT), DependencyParser().fit(TREES)
    for name, program in (("tag", tagger), ("segment", segmenter), ("parse", parser)):
        program.save(folder / name)
    (folder / "tag.data").write_text(tagger_tasks.text_of(TAGGED[:3]))
    (folder / "segment.data").write_text("\ufeff海を見た\r\n\n  \nまた 見たい\n")
    (folder / "parse.data").write_text(text_of(TREES[:3]))
    return {
        "tag": (tagger, folder / "tag", folder / "tag.data", tagger_tasks.plain(TAGGED[:3])),
        "segment": (segmenter, folder / "segment", folder / "segment.data", ["海を見た", "また 見たい"]),
        "parse": (parser, folder / "parse", folder / "parse.data", plain(TREES[:3])),
    }


programs = pytest.mark.parametrize("program", ["tag", "segment", "parse"])


@programs
def test_sentences_are_drawn_as_the_library_draws_them(models, program, capsys):
    own, model, data, sentences = models[program]
    assert call(model, data) == 0
    drawn = [f"sentence {number}\n{own.explain(sentence)}" for number, sentence in enumerate(sentences, 1)]
    assert printed(capsys) == "\n\n".join(drawn) + "\n"
    assert call(model, data, "--row", 2, "--top", 1, "--interactions") == 0
    shown = printed(capsys)
    assert shown.startswith("sentence 2\n")
    assert "interactions" in shown
    assert len(shown) < len(drawn[1]) * 2


@programs
def test_json_of_sentences_is_that_of_the_library(models, program, capsys):
    own, model, data, sentences = models[program]
    assert call(model, data, "--json") == 0
    expected = [json.loads(own.explain(sentence).to_json()) for sentence in sentences]
    assert objects(capsys) == [{"row": number, **one} for number, one in enumerate(expected, 1)]
    assert call(model, data, "--json", "--rows", 1, "--top", 2) == 0
    (found,) = objects(capsys)
    for step in found["steps"]:
        assert len(step["features"]) <= 2
        total = step["baseline"] + sum(one["value"] for one in step["features"]) + step["other_features"]
        assert total == pytest.approx(step["score"])


@programs
def test_influence_on_sentences_is_that_of_the_library(models, program, capsys):
    own, model, data, sentences = models[program]
    found = [own.influence(sentence) for sentence in sentences]
    assert call(model, data, "--influence", "--json", "--top", 3) == 0
    expected = [{"row": row, "steps": [one.as_dict(top=3) for one in steps]} for row, steps in enumerate(found, 1)]
    assert objects(capsys) == json.loads(json.dumps(expected))
    assert call(model, data, "--influence", "--row", 2, "--top", 1) == 0
    assert printed(capsys) == "\n\n".join(["sentence 2", *(one.draw(top=1) for one in found[1])]) + "\n"


@programs
def test_models_keep_their_sentences_where_that_is_asked_for(program, tmp_path):
    learned_from = {"tag": tagger_tasks.text_of(TAGGED), "segment": "\n".join(TEXT), "parse": text_of(TREES)}[program]
    data, model = tmp_path / "data", tmp_path / "model"
    data.write_text(learned_from)
    assert run([program, "train", str(data), str(model), "--keep-examples", "-q"]) == 0
    app = gm.load(model)
    assert app.keep_examples
    machine = next(iter(app.machine_.values())) if program == "parse" else app.machine_
    assert all(kept_examples(machine).source(number) for number in range(machine.n_support))


def test_a_parser_with_a_beam(models, capsys):
    _, model, data, sentences = models["parse"]
    wide = DependencyParser.load(model, beam=3)
    assert call(model, data, "--beam", 3, "--json") == 0
    assert [one["heads"] for one in objects(capsys)] == [wide.parse(words).heads for words in sentences]
    assert call(models["tag"][1], models["tag"][2], "--beam", 2) == 2
    assert "--beam is for parsers" in capsys.readouterr().err


@programs
def test_sentences_come_through_a_pipe_and_models_do_not(models, program, capsys, monkeypatch):
    _, model, data, _ = models[program]
    feed(monkeypatch, data.read_bytes())
    assert call(model, "-", "--row", 1, "--json") == 0
    assert len(objects(capsys)) == 1
    feed(monkeypatch, model.read_bytes())
    assert call("-", data) == 2
    assert "must be a file here" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [("--global",), ("--binarize", "keep"), ("--shares", "rooted"), ("--class", "0"), ("--machine", "all")],
    ids=str,
)
def test_options_of_rows_and_trees_are_refused(models, options, capsys):
    assert call(*models["parse"][1:3], *options) == 2
    assert options[0] in capsys.readouterr().err


def test_files_without_sentences(models, tmp_path, capsys):
    (tmp_path / "none").write_text("\n\n")
    for program in ("tag", "segment", "parse"):
        assert call(models[program][1], tmp_path / "none") == 0
        assert "has no sentences" in capsys.readouterr().err
    assert call(models["segment"][1], models["segment"][2], "--row", 9) == 2
    assert "has 2 sentences, none of number 9" in capsys.readouterr().err
    (tmp_path / "bad").write_bytes(b"a\n\xff\n")
    assert call(models["segment"][1], tmp_path / "bad") == 1
    assert "bad:2:1: the text is not UTF-8" in capsys.readouterr().err
