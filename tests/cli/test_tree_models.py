"""Models on trees on the command line: predict, evaluate, convert, inspect, svm-classify, and what refuses them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run

TREES = ["(S (NP (D the) (N dog)) (VP barks))", "(S (NP (D a) (N cat)) (VP sleeps))", "(NP (D the) (N dog))"]
WORDS = np.array(["no", "yes", "no"])


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture
def model(tmp_path):
    """A machine with words as classes, and a file of trees with labels."""
    kernel = gm.Normalized(gm.PartialTreeKernel(max_children=5))
    machine = gm.Machine(kernel, TREES[:2], [-1.0, 1.5], 0.1, classes=["no", "yes"])
    machine.save(tmp_path / "model")
    gm.write_trees(tmp_path / "trees", TREES, WORDS)
    return machine, tmp_path


def test_predict_answers_trees(model, capsys):
    machine, folder = model
    assert call("predict", folder / "model", folder / "trees") == 0
    assert capsys.readouterr().out.split() == machine.compile().predict(TREES).tolist()
    for engine in ("direct", "forest"):
        assert call("predict", folder / "model", folder / "trees", "--scores", "--engine", engine) == 0
        scores = [float(line) for line in capsys.readouterr().out.split()]
        np.testing.assert_allclose(scores, machine.compile().decision_function(TREES), rtol=1e-12)


def test_evaluate_counts_words(model, capsys):
    machine, folder = model
    assert call("evaluate", folder / "model", folder / "trees", "--json") == 0
    right = np.mean(machine.compile().predict(TREES) == WORDS)
    assert json.loads(capsys.readouterr().out)["accuracy"] == right


def test_inspect_shows_kernel_and_subtrees(model, capsys):
    machine, folder = model
    assert call("inspect", folder / "model", "--json", "--engine", "forest") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kernel"] == repr(machine.kernel)
    assert found["subtrees"] == {"trees": machine.support.n_subtrees}
    assert found["compiled"]["engine"] == "forest"
    assert call("inspect", folder / "model") == 0
    assert "different subtrees" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["gristmill", "svmlight-tk"])
def test_convert_there_and_back(model, form, capsys):
    machine, folder = model
    numbered = gm.Machine(machine.kernel, machine.support, machine.coef, machine.intercept, classes=[-1, 1])
    numbered.save(folder / "numbered")
    assert call("convert", folder / "numbered", folder / "other", "--to", form) == 0
    again = gm.load(folder / "other")
    np.testing.assert_array_equal(again.compile().decision_function(TREES), numbered.compile().decision_function(TREES))


def test_examples_of_several_fields(tmp_path, capsys):
    X = gm.Examples(trees=TREES, vectors=[[1], [2], [1]])
    kernel = gm.SubsetTreeKernel().on("trees") + 0.5 * gm.PolynomialKernel(2).on("vectors")
    machine = gm.Machine(kernel, X, [1.0, -1.0, 0.5], 0.0, classes=[-1, 1])
    machine.save(tmp_path / "model")
    gm.write_svmlight_tk(tmp_path / "data", X, [1, -1, 1])
    assert call("predict", tmp_path / "model", tmp_path / "data", "--scores") == 0
    scores = [float(line) for line in capsys.readouterr().out.split()]
    np.testing.assert_allclose(scores, machine.compile().decision_function(X), rtol=1e-12)
    gm.write_trees(tmp_path / "trees", TREES)
    assert call("predict", tmp_path / "model", tmp_path / "trees") == 1
    assert "trees: the machine compares the fields ['vectors']" in capsys.readouterr().err


def test_svm_classify_stands_in_for_that_of_svm_light_tk(model, capsys):
    machine, folder = model
    numbered = gm.Machine(machine.kernel, machine.support, machine.coef, machine.intercept, classes=[-1, 1])
    numbered.save(folder / "numbered")
    gm.write_svmlight_tk(folder / "data", TREES, [-1, 1, -1])
    assert call("svm-classify", folder / "data", folder / "numbered", folder / "out") == 0
    written = np.loadtxt(folder / "out")
    np.testing.assert_allclose(written, numbered.compile().decision_function(TREES), rtol=1e-7)
    assert "Accuracy on test set: 100.00%" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "model", "trees", "--sigma", "0.1", "--engine", "forest"], "this one is on trees"),
        (["predict", "model", "trees", "--engine", "expanded"], "engine must be one of 'auto', 'direct', 'forest'"),
        (["predict", "model", "trees", "--zero-based"], "this machine is on trees"),
        (["bench", "model", "trees"], "this one is on trees"),
        (["convert", "model", "other", "--to", "libsvm"], "holds machines on rows; this one is on trees"),
        (["predict", "model", "broken"], "broken:2:4: "),
    ],
)
def test_what_does_not_go_is_said(model, arguments, message, capsys):
    _, folder = model
    (folder / "broken").write_text("no\t(S a)\nno\t(S a\n", encoding="utf-8")
    paths = [str(folder / part) if part in ("model", "trees", "other", "broken") else part for part in arguments]
    assert call(*paths) == 1
    assert message in capsys.readouterr().err
    assert not (folder / "other").exists()
