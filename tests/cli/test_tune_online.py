"""gristmill tune --online: a grid of settings, scored on held-out examples."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run, tune_online
from gristmill.tuning.online import Trial, best
from tests.across.interrupting import interrupt

RNG = np.random.default_rng(7)
X = (RNG.random((600, 30)) < 0.25).astype(float)
Y = np.where(X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + RNG.random(600) / 3 > 0.3, 1, -1)
GRID = ("--online", "--degree", "2,1", "-C", "0.3,0.01,0.3", "--epochs", "4,1")


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture
def files(tmp_path):
    gm.write_svmlight(tmp_path / "train", X[:400], Y[:400])
    gm.write_svmlight(tmp_path / "dev", X[400:], Y[400:])
    return tmp_path / "train", tmp_path / "dev", tmp_path / "model"


def tuned(capsys, *arguments):
    assert call("tune", *arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_every_combination_is_tried_once(files, capsys):
    found = tuned(capsys, *files[:2], *GRID)
    tried = [(trial["degree"], trial["C"], trial["epochs"]) for trial in found["trials"]]
    assert tried == list(itertools.product([1, 2], [0.3, 0.01], [1, 4]))
    assert found["trials"][found["best"]]["accuracy"] == max(trial["accuracy"] for trial in found["trials"])


@pytest.mark.parametrize(
    "options", [(), ("--shuffle", "--random-state", "3"), ("--class-weight", "1=2", "--last"), ("-j", "2")]
)
def test_the_best_is_what_train_learns_with_its_settings(files, tmp_path, capsys, options):
    train, dev, model = files
    found = tuned(capsys, train, dev, model, *GRID, *options)
    top = found["trials"][found["best"]]
    given = ("--degree", top["degree"], "-C", top["C"], "--epochs", top["epochs"])
    assert call("train", train, tmp_path / "again", "--online", *given, *options) == 0
    tuned_machine, machine = gm.load(model), gm.load(tmp_path / "again")
    np.testing.assert_array_equal(tuned_machine.support.ids, machine.support.ids)
    np.testing.assert_array_equal(tuned_machine.dense_coef(), machine.dense_coef())
    assert top["support"] == machine.n_support
    answers = machine.compile().predict(X[400:])
    assert top["accuracy"] == np.mean(answers == Y[400:])


def test_the_measure_decides(files, capsys):
    found = tuned(capsys, *files[:2], *GRID, "--scoring", "f1")
    assert found["trials"][found["best"]]["f1"] == max(trial["f1"] for trial in found["trials"])


def test_of_equals_the_smallest_and_first_is_best():
    def trial(accuracy, support):
        return Trial(2, 1.0, 1, accuracy, 0.5, support, 0.0)

    assert best([trial(0.9, 5), trial(0.9, 4), trial(0.9, 4), trial(0.8, 1)], "accuracy") == 1


def test_the_table_marks_the_best(files, capsys):
    assert call("tune", *files, *GRID) == 0
    printed = capsys.readouterr()
    assert printed.out.count("*") == 1
    assert "8 of 8 combinations, by accuracy" in printed.out
    assert "the best model is in" in printed.err


def test_features_count_as_in_the_training_file(files, capsys):
    train, dev, model = files
    kept = dev.read_text().splitlines()
    dev.write_text("".join(line + "\n" for line in kept if " 1:1" not in line))  # no feature shows how it counts
    tuned(capsys, train, dev, model, *GRID)
    assert gm.load(model).first_id == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--online", "--kernel", "sst"), "--kernel: for batch SVMs, not with --online"),
        (("--online", "--gamma", "1,2"), "--gamma: one value only"),
        (("--epochs", "3"), "--epochs: for online learning, with --online only"),
        (("--online", "--degree", "2,x"), "'x' is not a valid integer"),
        (("--online", "-C", "0.1,zero"), "'zero' is neither a number nor 'auto'"),
        (("--online", "--epochs", "0"), "0 is not in the range"),
        (("--online", "--degree", "0"), "degree"),
        (("--online", "--degree", "1,2,13"), "degree 1 to 12"),
        (("--online", "-C", "0.1,-1"), "C must be a finite number above 0 or 'auto', got -1.0"),
        (("--online", "--scoring", "roc_auc"), "--scoring roc_auc: with --online there are accuracy and f1"),
    ],
)
def test_what_cannot_be_tried_is_refused(files, capsys, arguments, said):
    assert call("tune", *files, *arguments) != 0
    assert said in capsys.readouterr().err
    assert not files[2].exists()


def test_a_label_that_was_never_learned_is_refused(files, capsys):
    train, dev, model = files
    dev.write_text("7 1:1\n")
    assert call("tune", train, dev, model, *GRID) == 1
    assert "'7' is not one of the classes -1, 1" in capsys.readouterr().err
    dev.write_text("")
    assert call("tune", train, dev, model, *GRID) == 1
    assert "dev: there are no examples in it" in capsys.readouterr().err


def test_what_was_found_is_kept_when_a_later_combination_fails(files, capsys):
    huge = ("--online", "--arithmetic", "integer", "--degree", "1,12", "-C", "0.1", "--gamma", "1e6", "--epochs", "1")
    assert call("tune", *files, *huge) == 1
    printed = capsys.readouterr()
    assert "1 of 2 combinations" in printed.out
    assert "error" in printed.err
    assert gm.load(files[2]).n_support > 0


def test_the_model_is_written_before_the_table_and_the_table_anyway(files, capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device", "there")

    with monkeypatch.context() as broken:
        broken.setattr(tune_online, "table", full)
        assert call("tune", *files, *GRID) == 1
    assert gm.load(files[2]).n_support > 0
    capsys.readouterr()
    monkeypatch.setattr(tune_online, "write", full)
    assert call("tune", *files, *GRID) == 1
    assert "8 of 8 combinations" in capsys.readouterr().out


def test_standard_output_has_the_table(files, capsys):
    assert call("tune", *files[:2], "-", *GRID) == 2
    assert "name a file" in capsys.readouterr().err


def test_ctrl_c_ends_with_the_best_so_far(tmp_path):
    rng = np.random.default_rng(0)
    table = (rng.random((3000, 300)) < 0.1).astype(float)
    gm.write_svmlight(tmp_path / "d", table, rng.integers(2, size=3000))
    options = ["--online", "--engine", "inverted", "--epochs", "1,1000000", "--degree", 2]
    assert "the best model is in" in interrupt("tune", tmp_path / "d", tmp_path / "d", tmp_path / "m", *options)
    assert gm.load(tmp_path / "m").n_support > 0
