"""gristmill parse --tagger: parts of speech found first, in text that has none."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from gristmill.apps import DependencyParser
from gristmill.apps.parsing import treebank as treebank_module
from gristmill.apps.tagging.tagger import Tagger
from gristmill.cli import run
from tests.apps.parsing.small_treebanks import sentences, text_of

KNOWN, NEW = sentences(30), sentences(20, seed=1)
SURE = ("-q", "-C", 1, "--epochs", 30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Treebanks, one of them without tags and trees; a parser and its taggers."""
    path = tmp_path_factory.mktemp("taggers")
    (path / "known").write_text(text_of(KNOWN), encoding="utf-8")
    (path / "new").write_text(text_of(NEW), encoding="utf-8")
    (path / "bare").write_text(untagged(NEW), encoding="utf-8")
    assert run(["parse", "train", str(path / "known"), str(path / "parser"), *map(str, SURE)]) == 0
    for column in ("upos", "xpos"):
        assert call("tag", "train", path / "known", path / column, "--conllu", column, *SURE) == 0
    Tagger("F:0:0").fit([[("a", "X"), ("b", "Y")]]).save(path / "other")
    return path


def call(*arguments):
    return run([*map(str, arguments)])


def untagged(treebank):
    rows = [one.split("\t") for one in text_of(treebank).splitlines()]
    return "".join("\t".join([*row[:3], "_", "_", row[5], *["_"] * 4] if len(row) > 1 else []) + "\n" for row in rows)


def column(path, number):
    return [one.split("\t")[number] for one in path.read_text(encoding="utf-8").splitlines() if one]


def taggers(folder, *names):
    return [argument for name in names for argument in ("--tagger", folder / name)]


# --- run --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [300, 1 << 20])
@pytest.mark.parametrize("names", [("upos",), ("xpos",), ("upos", "xpos"), ("xpos", "upos")])
def test_each_tagger_fills_its_column(folder, tmp_path, monkeypatch, names, block):
    monkeypatch.setattr(treebank_module, "BLOCK", block)
    out = tmp_path / "out"
    assert call("parse", "run", folder / "parser", folder / "bare", "-o", out, *taggers(folder, *names)) == 0
    forms = [[(word.form,) for word in words] for words in NEW]
    for number, name in ((3, "upos"), (4, "xpos")):
        found = [tag for tags in Tagger.load(folder / name).tag(forms) for tag in tags]
        assert column(out, number) == (found if name in names else ["_"] * len(found))
    assert column(out, 1) == column(folder / "bare", 1)


def test_trees_are_those_of_the_tagged_words(folder, tmp_path):
    out, again = tmp_path / "out", tmp_path / "again"
    assert call("parse", "run", folder / "parser", folder / "bare", "-o", out, *taggers(folder, "upos", "xpos")) == 0
    assert call("parse", "run", folder / "parser", out, "-o", again) == 0
    assert again.read_bytes() == out.read_bytes()
    assert "_" not in column(out, 6)


def test_tags_that_are_there_are_replaced(folder, tmp_path):
    wrong = (folder / "new").read_text(encoding="utf-8").replace("\tNOUN\tNO\t", "\tX\tY\t")
    (tmp_path / "wrong").write_text(wrong, encoding="utf-8")
    for name, source in (("one", folder / "bare"), ("two", tmp_path / "wrong")):
        options = ("-o", tmp_path / name, *taggers(folder, "upos", "xpos"))
        assert call("parse", "run", folder / "parser", source, *options) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_text_is_a_sentence_a_line(folder, monkeypatch, capsys):
    text = "\n\n".join(" ".join(word.form for word in words) for words in KNOWN)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert call("parse", "run", folder / "parser", "-", "--text", *taggers(folder, "upos", "xpos")) == 0
    out = capsys.readouterr().out.splitlines()
    assert [one for one in out if one.startswith("# text")] == [f"# text = {line}" for line in text.split("\n\n")]
    rows = [one.split("\t") for one in out if one and not one.startswith("# ")]
    assert [(row[1], row[3], row[4]) for row in rows] == [(w.form, w.upos, w.xpos) for words in KNOWN for w in words]
    assert sum(row[6] == "0" for row in rows) == len(KNOWN)


def test_text_is_drawn(folder, tmp_path, capsys):
    (tmp_path / "text").write_text("the mill turns .\r\nwind", encoding="utf-8")
    assert call("parse", "run", folder / "parser", tmp_path / "text", "--text", "--pretty") == 0
    drawn = capsys.readouterr().out.split("\n\n")
    assert [one.split()[0] for one in drawn[0].splitlines()] == ["the", "mill", "turns", "."]
    assert drawn[1].split() == ["wind", "root"]


# --- train and evaluate -----------------------------------------------------------------------------------------------


def test_scores_are_of_what_taggers_find(folder, tmp_path, capsys):
    options = taggers(folder, "upos", "xpos")
    assert call("parse", "evaluate", folder / "parser", folder / "new", "--json", *options) == 0
    found = json.loads(capsys.readouterr().out)
    assert call("parse", "run", folder / "parser", folder / "new", "-o", tmp_path / "out", *options) == 0
    assert call("parse", "evaluate", folder / "new", "--system", tmp_path / "out", "--json") == 0
    assert found == json.loads(capsys.readouterr().out)
    own = [Tagger.load(folder / name) for name in ("upos", "xpos")]
    scores = DependencyParser.load(folder / "parser").evaluate(folder / "new", taggers=own)
    assert found == json.loads(json.dumps(scores.as_dict()))


def test_a_parser_learns_from_tags_as_they_are_found(folder, tmp_path):
    (tmp_path / "tagged").write_text(retagged(folder), encoding="utf-8")
    for name, source in (("one", folder / "known"), ("two", tmp_path / "tagged")):
        options = [*taggers(folder, "upos"), "--folds", 0] if name == "one" else []
        assert call("parse", "train", source, tmp_path / name, "-q", *options) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def retagged(folder):
    """The known treebank with parts of speech of the tagger."""
    tags = iter(tag for words in KNOWN for tag in Tagger.load(folder / "upos").tag([(word.form,) for word in words]))
    rows = [one.split("\t") for one in text_of(KNOWN).splitlines()]
    return "".join("\t".join([*row[:3], next(tags), *row[4:]] if len(row) > 1 else []) + "\n" for row in rows)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--tagger", "{}/other"), 1, "not learned from CoNLL-U: use `gristmill tag train --conllu upos`"),
        (("--tagger", "{}/parser"), 1, "parser: expected a tagger, got a dependency parser: use `gristmill parse run`"),
        (("--tagger", "{}/known"), 1, "known: not a model file"),
        (("--tagger", "{}/none"), 1, "none: No such file"),
        (("--tagger", "-", "--tagger", "-"), 2, "only one file can be standard input"),
        (("--tagger", "{}/upos", "-o", "{}/upos"), 2, "is read, and would be replaced"),
    ],
)
def test_what_is_no_tagger_is_refused(folder, capsys, arguments, code, message):
    assert call("parse", "run", folder / "parser", folder / "bare", *(one.format(folder) for one in arguments)) == code
    said = capsys.readouterr()
    assert message in said.err
    assert said.out == ""


def test_text_that_is_not_utf8_is_refused(folder, tmp_path, capsys):
    (tmp_path / "latin").write_bytes(b"the mill\n\nM\xfchle\n")
    assert call("parse", "run", folder / "parser", tmp_path / "latin", "--text") == 1
    assert "latin:3:2: the text is not UTF-8" in capsys.readouterr().err


def test_a_treebank_without_tags_teaches_no_tagger(folder, tmp_path, capsys):
    assert call("tag", "train", folder / "bare", tmp_path / "model", "--conllu", "upos") == 1
    assert "bare: word 1 of the file has no upos" in capsys.readouterr().err
