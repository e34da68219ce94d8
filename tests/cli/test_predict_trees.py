"""Models on trees on the command line: predict, evaluate, convert, inspect, svm-classify, and what refuses them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill import _core
from gristmill.cli import run
from gristmill.scoring.compile import cached_scorer
from gristmill.scoring.scorer import Scorer

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
    assert call("convert", folder / "numbered", folder / "other", "--format", form) == 0
    again = gm.load(folder / "other")
    np.testing.assert_array_equal(again.compile().decision_function(TREES), numbered.compile().decision_function(TREES))


def test_examples_of_several_fields(tmp_path, capsys):
    X = gm.Examples(trees=TREES, vectors=[{1}, {2}, {1}])
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
        (
            ["bench", "model", "trees"],
            "model: expected a machine on rows, got a machine on trees: use `gristmill predict`",
        ),
        (
            ["convert", "model", "other", "--format", "libsvm"],
            "a LIBSVM model holds polynomial, RBF and sigmoid kernels on rows",
        ),
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


# --- compiled scorers of a model ------------------------------------------------------------------------------------


@pytest.fixture
def compiled(model, capsys):
    machine, folder = model
    assert call("convert", folder / "model", folder / "model", "--engine", "forest") == 0
    capsys.readouterr()
    return machine, folder


def test_convert_keeps_the_compiled_scorer_beside_the_model_and_says_so(model, capsys):
    machine, folder = model
    for engine in ("forest", "auto"):
        assert call("convert", folder / "model", folder / engine, "--engine", engine) == 0
        assert gm.load(folder / engine) == machine
        said = capsys.readouterr().err
        assert all(word in said for word in ("engine forest in ", f"{engine}.scorer", "kB", "exact"))
        assert isinstance(cached_scorer(machine, folder / f"{engine}.scorer"), Scorer)
    assert call("convert", folder / "model", folder / "plain") == 0
    assert not (folder / "plain.scorer").exists()


@pytest.mark.parametrize("options", ["", "--engine auto", "--engine forest", "--max-bytes 1M", "-j 2"])
@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_the_scorer_beside_the_model_is_read(compiled, capsys, monkeypatch, command, options):
    _, folder = compiled
    assert call(command, folder / "model", folder / "trees", "--engine", "direct") == 0
    expected = capsys.readouterr()
    monkeypatch.setattr("gristmill.machines.machine.Machine.compile", None)  # nothing is compiled
    assert call(command, folder / "model", folder / "trees", *options.split()) == 0
    assert capsys.readouterr() == (expected.out, "")


def test_scores_from_a_file_are_those_of_the_compiled_machine(compiled, capsys, monkeypatch):
    machine, folder = compiled
    scores = machine.compile(cache=folder / "model.scorer").decision_function(TREES)
    monkeypatch.setattr("gristmill.machines.machine.Machine.compile", None)
    assert call("predict", folder / "model", folder / "trees", "--scores") == 0
    assert [float(line) for line in capsys.readouterr().out.split()] == scores.tolist()


def test_examples_of_several_fields_have_compiled_scorers_too(tmp_path, capsys, monkeypatch):
    X = gm.Examples(trees=TREES, vectors=[{1}, {2}, {1}])
    kernel = gm.Normalized(gm.SubsetTreeKernel().on("trees") + 0.5 * gm.PolynomialKernel(2).on("vectors"))
    machine = gm.Machine(kernel, X, [1.0, -1.0, 0.5], 0.0, classes=[-1, 1])
    machine.save(tmp_path / "model")
    gm.write_svmlight_tk(tmp_path / "data", X, [1, -1, 1])
    assert call("convert", tmp_path / "model", tmp_path / "model", "--engine", "forest") == 0
    capsys.readouterr()
    monkeypatch.setattr("gristmill.machines.machine.Machine.compile", None)
    assert call("predict", tmp_path / "model", tmp_path / "data", "--scores") == 0
    monkeypatch.undo()
    scores = [float(line) for line in capsys.readouterr().out.split()]
    np.testing.assert_allclose(scores, machine.compile().decision_function(X), rtol=1e-12)


def replace_model(folder):
    other = gm.Machine(gm.SubsetTreeKernel(), TREES[:2], [1.0, -1.0], 0.1, classes=["no", "yes"])
    other.save(folder / "model")


def flip(folder):
    data = bytearray((folder / "model.scorer").read_bytes())
    data[-100] ^= 255
    (folder / "model.scorer").write_bytes(bytes(data))


@pytest.mark.parametrize("command", ["predict", "evaluate"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (replace_model, "belongs to another machine"),
        (lambda folder: (folder / "model.scorer").write_text("?"), "is no compiled scorer"),
        (lambda folder: (folder / "model.scorer").write_text(""), "is no compiled scorer"),
        (flip, "is damaged or of another release"),
    ],
    ids=["another", "no scorer", "empty", "damaged"],
)
def test_a_scorer_that_does_not_belong_is_not_used_with_a_note_and_left_as_it_is(
    compiled, capsys, command, change, reason
):
    _, folder = compiled
    change(folder)
    left = (folder / "model.scorer").read_bytes()
    assert call(command, folder / "model", folder / "trees") == 0
    answers, said = capsys.readouterr()
    assert reason in said
    assert "compiled anew" in said
    assert (folder / "model.scorer").read_bytes() == left
    (folder / "model.scorer").unlink()
    assert call(command, folder / "model", folder / "trees") == 0
    assert capsys.readouterr() == (answers, "")


def test_a_scorer_that_takes_more_than_it_may_is_not_used(compiled, capsys):
    _, folder = compiled
    assert call("predict", folder / "model", folder / "trees", "--max-bytes", "100") == 0
    assert "max_bytes=100: it is not used" in capsys.readouterr().err


def test_engines_that_need_no_file_look_at_none(compiled, capsys):
    _, folder = compiled
    (folder / "model.scorer").write_text("?")
    assert call("predict", folder / "model", folder / "trees", "--engine", "direct") == 0
    assert capsys.readouterr().err == ""


def test_convert_without_engine_says_that_an_older_scorer_lies_there(compiled, capsys):
    _, folder = compiled
    (folder / "other").write_bytes((folder / "model").read_bytes())
    assert call("convert", folder / "other", folder / "model") == 0
    assert "model.scorer was there before" in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["expanded", "split", "inverted", "direct"])
def test_convert_writes_nothing_for_engines_that_trees_do_not_have(model, capsys, engine):
    _, folder = model
    assert call("convert", folder / "model", folder / "new", "--engine", engine) in (1, 2)
    assert engine in capsys.readouterr().err
    assert not list(folder.glob("new*"))


def test_convert_writes_nothing_if_the_scorer_does_not_fit(model, capsys):
    _, folder = model
    assert call("convert", folder / "model", folder / "new", "--engine", "forest", "--max-bytes", "50") == 1
    assert "max_bytes=50" in capsys.readouterr().err
    assert not list(folder.glob("new*"))


def test_convert_says_when_no_file_is_needed(compiled, capsys, monkeypatch):
    """Of another machine, that is not kept; the scorer that lies there belongs to nobody then."""
    _, folder = compiled
    wide = [f"(S {' '.join(f'(a w{n * k % 7} x{n * k % 5})' for n in range(300))})" for k in (1, 2)]
    gm.Machine(gm.PartialTreeKernel(), wide, [1.0, -1.0], 0.0, classes=["no", "yes"]).save(folder / "wide")
    monkeypatch.setattr(_core, "worthwhile", lambda trees: (1, 1))
    assert call("convert", folder / "wide", folder / "model", "--engine", "forest") == 0
    assert "model.scorer is not written" in capsys.readouterr().err


@pytest.mark.parametrize("is_other", [False, True])
def test_inspect_shows_the_scorer_beside_the_model(compiled, capsys, is_other):
    _, folder = compiled
    if is_other:
        replace_model(folder)
    assert call("inspect", folder / "model", "--json") == 0
    found = json.loads(capsys.readouterr().out)["scorer"]
    assert found["belongs"] is not is_other
    assert (found["engine"], found["exact"]) == ("forest", True)
    assert call("inspect", folder / "model") == 0
    assert ("no: it belongs to another machine" if is_other else "belongs to this model") in capsys.readouterr().out
