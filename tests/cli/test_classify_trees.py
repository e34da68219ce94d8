"""gristmill classify-trees: from files to files."""

from __future__ import annotations

import gzip
import io
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

import gristmill as gm
from gristmill.apps.tree_classification.classifier import TreeClassifier
from gristmill.apps.tree_classification.files import tree_blocks
from gristmill.cli import run

LINES = [
    f"{label}\t(Q (W {word}) (V {('is', 'was')[number % 2]}) (N x{number % 5}))"
    for number in range(12)
    for label, word in (("person", "Who"), ("place", "where"), ("time", "when"))
]
LABELS = [line.split("\t")[0] for line in LINES]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "train").write_text("".join(f"{line}\n" for line in LINES))
    (tmp_path / "plain").write_text("".join(line.split("\t")[1] + "\n" for line in LINES))
    (tmp_path / "empty").write_text("\n")
    return tmp_path


@pytest.fixture
def model(files):
    assert call("train", files / "train", files / "model", "-q") == 0
    return files / "model"


def call(*arguments):
    return run(["classify-trees", *map(str, arguments)])


def feed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))


def test_what_was_learned_is_said(files, capsys):
    assert call("train", files / "train", files / "model", "--json") == 0
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert summary["classes"] == {"person": 12, "place": 12, "time": 12}
    assert (summary["trees"], summary["vocabulary"], summary["tree"]) == (36, 10, None)
    assert "gristmill: 36 trees of 3 classes; 10 words; " in said.err
    assert call("train", files / "train", files / "model", "-q") == 0
    assert capsys.readouterr() == ("", "")


def test_trees_are_labelled_with_their_lines_behind(files, model, capsysbinary):
    assert call("run", model, files / "plain") == 0
    assert capsysbinary.readouterr().out.decode().splitlines() == LINES
    assert call("run", model, files / "train", "--labels-only") == 0
    assert capsysbinary.readouterr().out.decode().splitlines() == LABELS


def test_scores_stand_between_labels_and_lines(files, model):
    assert call("run", model, files / "plain", "--scores", "-o", files / "out", "-j", 2) == 0
    rows = [line.split("\t") for line in (files / "out").read_text().splitlines()]
    scores = np.array([row[1:4] for row in rows], dtype=float)
    assert [row[4] for row in rows] == [line.split("\t")[1] for line in LINES]
    assert np.array(["person", "place", "time"])[scores.argmax(axis=1)].tolist() == LABELS


def test_a_pipe_goes_through(model, monkeypatch, capsysbinary):
    feed(monkeypatch, "(Q (W WHEN)\n  (V unheard-of)) (Q (W who))\n\n")
    assert call("run", model, "-") == 0
    assert capsysbinary.readouterr().out == b"time\t(Q (W WHEN) (V unheard-of))\nperson\t(Q (W who))\n"


def test_the_model_may_go_through_a_pipe(files, monkeypatch, capsysbinary):
    feed(monkeypatch, "".join(f"{line}\n" for line in LINES))
    assert call("train", "-", "-", "-q") == 0
    (files / "model").write_bytes(capsysbinary.readouterr().out)
    assert TreeClassifier.load(files / "model").classes_.tolist() == ["person", "place", "time"]


def test_files_of_many_blocks_are_labelled_as_a_whole(files, model, monkeypatch):
    (files / "long.gz").write_bytes(gzip.compress("".join(f"{line}\n" for line in LINES * 50).encode()))
    monkeypatch.setitem(tree_blocks.__kwdefaults__, "size", 1000)
    assert call("run", model, files / "long.gz", "--labels-only", "-o", files / "out") == 0
    assert (files / "out").read_text().splitlines() == LABELS * 50


def test_labels_are_judged_as_scikit_learn_does(files, model, capsys):
    wrong = ["person", "place", "other"] * 12
    (files / "gold").write_text(
        "".join(f"{label}\t{line.split(chr(9))[1]}\n" for label, line in zip(wrong, LINES, strict=True))
    )
    assert call("evaluate", model, files / "gold", "--json") == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    theirs = precision_recall_fscore_support(wrong, LABELS, zero_division=0.0)
    ours = [[one[name] for name in ("precision", "recall", "f1", "support")] for one in found["classes"]]
    assert np.allclose(ours, np.transpose(theirs))
    assert (found["accuracy"], found["unknown"]) == (pytest.approx(2 / 3), ["other"])
    assert "12 of 36 trees have labels that the model never gives: other" in said.err


def test_results_are_shown(files, model, capsys):
    assert call("evaluate", model, files / "train", "--engine", "direct") == 0
    said = capsys.readouterr()
    shown = [line.split() for line in said.out.splitlines()]
    assert ["accuracy", "100.00"] in shown
    assert ["place", "100.00", "100.00", "100.00", "12"] in shown
    assert said.err == ""


def test_data_of_svm_light_tk(files, capsys):
    signs = np.array([1 if label == "place" else -1 for label in LABELS])
    gm.write_svmlight_tk(files / "tk", [line.split("\t")[1] for line in LINES], signs)
    assert call("train", files / "tk", files / "model", "-q") == 0
    assert call("evaluate", files / "model", files / "tk", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert ([one["label"] for one in found["classes"]], found["accuracy"]) == (["-1", "1"], 1.0)
    assert call("run", files / "model", files / "plain", "--labels-only", "--scores") == 0
    labels, scores = zip(*(line.split("\t") for line in capsys.readouterr().out.splitlines()), strict=True)
    assert [int(label) for label in labels] == np.sign(np.array(scores, dtype=float)).tolist() == signs.tolist()


def test_the_tree_that_was_learned_from_is_looked_at_later(files, capsysbinary):
    line = "{} |BT:same| (S x) |ET| |BT:own| {} |ET|\n"
    (files / "kelp").write_text("".join(line.format(*one.split("\t")) for one in LINES))
    assert call("train", files / "kelp", files / "model", "--tree", "own") == 0
    assert b"36 trees own of 3 classes" in capsysbinary.readouterr().err
    assert call("run", files / "model", files / "kelp", "--labels-only") == 0
    assert capsysbinary.readouterr().out.decode().splitlines() == LABELS
    assert call("run", files / "model", files / "kelp", "--labels-only", "--tree", "same") == 0
    assert len(set(capsysbinary.readouterr().out.splitlines())) == 1
    assert call("run", files / "model", files / "plain", "--labels-only") == 0
    assert capsysbinary.readouterr().out.decode().splitlines() == LABELS


def test_settings_reach_the_classifier(files):
    options = (
        "-k",
        "ptk",
        "-L",
        0.3,
        "-C",
        2,
        "--word-weight",
        0.25,
        "--ngrams",
        2,
        "--keep-case",
        "--multiclass",
        "ovo",
        "-q",
    )
    assert call("train", files / "train", files / "model", *options) == 0
    found = TreeClassifier.load(files / "model")
    assert found.kernel == gm.Normalized(gm.PartialTreeKernel(decay=0.3))
    assert (found.C, found.word_weight, found.ngrams, found.lowercase, found.multiclass) == (2.0, 0.25, 2, False, "ovo")


def test_trees_alone_have_no_words(files, capsys):
    assert call("train", files / "train", files / "model", "--word-weight", 0) == 0
    assert "words" not in capsys.readouterr().err


def test_empty_files(files, model, capsys):
    assert call("run", model, files / "empty") == 0
    assert capsys.readouterr().out == ""
    assert call("evaluate", model, files / "empty", "--json") == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] is None
    assert call("evaluate", model, files / "empty") == 0
    assert "accuracy" in capsys.readouterr().out
    assert call("train", files / "empty", files / "none") == 1
    assert "empty: there are no trees in it" in capsys.readouterr().err
    assert not (files / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "t", "-", "--json"), "name a file for MODEL"),
        (("run", "-", "-"), "only one file can be standard input"),
        (("evaluate", "-", "-"), "only one file can be standard input"),
        (("train", "t", "m", "-k", "poly"), "'poly' is not one of"),
        (("train", "t", "m", "--word-weight", "2"), "0<=x<=1"),
    ],
)
def test_what_makes_no_sense(arguments, message, capsys):
    assert call(*arguments) == 2
    assert message in capsys.readouterr().err


def test_what_is_wrong_is_said_with_its_place(files, model, capsys):
    (files / "wrong").write_text(f"{LINES[0]}\nx\t(S (\n")
    gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0, classes=["no", "yes"]).save(files / "other")
    (files / "one").write_text("".join(f"{line}\n" for line in LINES if line.startswith("time")))
    for arguments, message in (
        (("train", files / "wrong", files / "m"), f"{files / 'wrong'}:2:"),
        (("run", model, files / "wrong"), f"{files / 'wrong'}:2:"),
        (("train", files / "one", files / "m"), "all 12 trees have the label time; a classifier needs at least two"),
        (("train", files / "plain", files / "m"), "plain:1:1: the trees have no labels; write LABEL<TAB>(tree)"),
        (("evaluate", model, files / "plain"), "plain:1:1: the trees have no labels"),
        (("train", files / "train", files / "m", "-C", "-1"), "C must be"),
        (("train", files / "train", files / "no" / "m"), "No such file or directory"),
        (("run", model, files / "nowhere"), "nowhere: No such file"),
        (("run", files / "train", files / "train"), "not a model file of a known format"),
        (("run", files / "other", files / "train"), "other: expected a tree classifier, got a machine on rows: use `"),
        (("train", files / "train", files / "m", "--tree", "own"), "train: examples have one tree, without a name"),
        (("run", model, files / "plain", "--tree", "own"), "there is no 'own'"),
        (("run", model, files / "train", "-o", files / "no" / "out"), "No such file or directory"),
    ):
        assert call(*arguments) == 1
        assert message in capsys.readouterr().err
    assert not (files / "m").exists()


def test_a_tree_too_large_for_its_kernel_is_said(files, model, capsys):
    (files / "large").write_text(f"(S {'(W x) ' * 3000})\n")
    assert call("run", model, files / "large") == 1
    assert "large, 0 trees on: the kernel of tree 0 with itself leaves the range" in capsys.readouterr().err


def test_answers_appear_whole_or_not_at_all(files, model):
    (files / "late").write_text("".join(f"{line}\n" for line in LINES) + "x\t(S (\n")
    assert call("run", model, files / "late", "-o", files / "out") == 1
    assert not (files / "out").exists()


def test_an_interrupted_training_writes_what_it_has(files, monkeypatch, capsys):
    fit = TreeClassifier.fit

    def stopped(self, *data):
        fit(self, *data)
        raise KeyboardInterrupt

    monkeypatch.setattr(TreeClassifier, "fit", stopped)
    assert call("train", files / "train", files / "model") == 130
    assert f"what was learned so far is in {files / 'model'}" in capsys.readouterr().err
    assert TreeClassifier.load(files / "model").classes_.tolist() == ["person", "place", "time"]


def test_an_interruption_before_anything_was_learned_writes_nothing(files, monkeypatch):
    def stopped(self, *data):
        raise KeyboardInterrupt

    monkeypatch.setattr(TreeClassifier, "fit", stopped)
    assert call("train", files / "train", files / "model") == 130
    assert not (files / "model").exists()


def test_the_model_is_a_machine_like_others(model, capsys):
    assert run(["inspect", str(model), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scheme"] == "one-vs-rest"


def test_questions_from_file_to_file(corpora, tmp_path, capsys):
    with gzip.open(corpora / "qc/kelp/train_5500.coarse.klp.gz") as file:
        (tmp_path / "train").write_bytes(b"".join(file.readlines()[:1500]))
    assert call("train", tmp_path / "train", tmp_path / "m", "-k", "ptk", "-j", 2) == 0
    assert call("evaluate", tmp_path / "m", corpora / "qc/kelp/TREC_10.coarse.klp.gz", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["classes"]) == 6
    assert found["accuracy"] >= 0.83
