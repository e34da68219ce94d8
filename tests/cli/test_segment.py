"""gristmill segment: from files to files."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.cli import run

SENTENCES = ["また 行き たい 。", "海 を 見 たい 。", "海 が 見え た 。", "また 海 を 見 た 。"]
WORDS = "".join(f"{line}\n" for line in SENTENCES)
TEXT = WORDS.replace(" ", "")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "words").write_text(WORDS, encoding="utf-8")
    (tmp_path / "text").write_text(TEXT, encoding="utf-8")
    (tmp_path / "empty").write_text("")
    return tmp_path


@pytest.fixture
def model(files):
    assert call("train", files / "words", files / "model", "-q") == 0
    return files / "model"


def call(*arguments):
    return run(["segment", *map(str, arguments)])


def feed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))


def test_what_was_learned_is_said(files, capsys):
    assert call("train", files / "words", files / "model", "--json") == 0
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert (summary["boundaries"], summary["words"], summary["interrupted"]) == (22, 10, False)
    assert "gristmill: 22 boundaries; 10 words in the dictionary; " in said.err


def test_one_word_is_a_word(files, capsys):
    (files / "one").write_text("海海 海海\n", encoding="utf-8")
    assert call("train", files / "one", files / "model") == 0
    assert "; 1 word in the dictionary; " in capsys.readouterr().err


def test_text_is_segmented_and_joined(files, model, capsysbinary, monkeypatch):
    assert call("run", model, files / "text") == 0
    words = capsysbinary.readouterr().out.decode()
    assert words == WORDS
    feed(monkeypatch, words)
    assert call("join", "-", "-o", files / "again") == 0
    assert (files / "again").read_bytes() == (files / "text").read_bytes()


def test_text_comes_from_a_pipe(model, monkeypatch, capsysbinary):
    feed(monkeypatch, "海を見た。")
    assert call("run", model, "-") == 0
    assert capsysbinary.readouterr().out.decode() == "海 を 見 た 。"


@pytest.mark.parametrize("to", ["text", "conllu"])
def test_words_are_judged(files, model, capsys, to):
    assert call("run", model, files / "text", "-o", files / "out", "--format", to, "-j", 2) == 0
    assert call("evaluate", model, files / "out", "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    assert (scores["f1"], scores["gold"], scores["boundaries"]) == (1.0, 20, 22)
    assert call("evaluate", model, files / "out") == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["words", "100.00", "100.00", "100.00", "20", "20", "20"] in shown
    assert ["boundaries", "22", "22", "100.00"] in shown


def test_settings_reach_the_segmenter(files):
    options = ("--no-dictionary", "--templates", "F:0..1:0", "-d", 2, "-C", 0.1, "--solver", "dual-cd", "-q")
    assert call("train", files / "words", files / "model", *options) == 0
    segmenter = Segmenter.load(files / "model")
    assert (segmenter.templates, segmenter.dictionary, segmenter.words_) == ("F:0..1:0", False, [])
    assert segmenter.machine_.kernel.degree == 2


def test_every_engine_writes_the_same(files, model):
    found = set()
    for engine in ("direct", "inverted", "expanded", "split", "auto"):
        assert call("run", model, files / "text", "-o", files / "out", "--engine", engine) == 0
        found.add((files / "out").read_bytes())
    assert len(found) == 1


def test_an_interrupted_machine_is_kept(files, monkeypatch, capsys):
    own = Segmenter.fit_segmented

    def stopped(self, path):
        own(self, path)
        raise KeyboardInterrupt

    monkeypatch.setattr(Segmenter, "fit_segmented", stopped)
    assert call("train", files / "words", files / "model") == 130
    assert "interrupted; what was learned so far is in" in capsys.readouterr().err
    assert Segmenter.load(files / "model").segment("海を") == ["海", "を"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "{}/empty", "{}/m"), "empty: there is nothing to learn from"),
        (("train", "{}/text", "{}/m"), "text: there is nothing to tell apart: no line has two words"),
        (("train", "{}/columns", "{}/m"), "columns:2:1: expected a number, a word and eight more columns of CoNLL-U"),
        (("evaluate", "{}/model", "{}/columns"), "columns:2:1: expected a number, a word and eight more columns"),
        (("train", "{}/none", "{}/m"), "none"),
        (("train", "{}/words", "{}/none/m"), "none"),
        (("train", "{}/words", "-", "--json"), "standard output has the model"),
        (("train", "{}/words", "{}/m", "--templates", "F:0"), "expected F:rows:columns"),
        (("run", "{}/words", "{}/text"), "words"),
        (("run", "-", "-"), "only one file can be standard input"),
        (("run", "{}/model", "{}/latin"), "latin:1:2: the text is not UTF-8"),
        (("evaluate", "{}/model", "{}/latin"), "latin:1:2: the text is not UTF-8"),
        (("join", "{}/latin"), "latin:1:2: the text is not UTF-8"),
    ],
)
def test_what_cannot_be_done_is_said(files, model, capsys, arguments, message):
    (files / "latin").write_bytes(b"a\xe9b\n")
    (files / "columns").write_text("# sent_id = 1\n1\t海\t_\t_\n2\tを\t_\t_\n", encoding="utf-8")
    assert call(*(argument.replace("{}", str(files)) for argument in arguments)) != 0
    assert message in capsys.readouterr().err
