"""gristmill tune: kernels, parameters and C of batch SVMs, on trees and on rows."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run, train_batch, tune
from gristmill.solvers.batch import SvmInterrupted
from tests.across.interrupting import interrupt
from tests.tuning.sets_to_tune_on import rows, trees

TREES, LABELS = trees(120)
DEV, DEV_LABELS = trees(50, seed=1)
X, Y = rows(200)
GRID = ("--kernel", "sst,ptk", "--decay", "0.3,0.8", "-C", "0.1,10")


def call(*arguments):
    return run([str(argument) for argument in arguments])


def tuned(capsys, *arguments):
    assert call("tune", *arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def written(path, made, labels):
    path.write_text("".join(f"{label}\t{tree}\n" for label, tree in zip(labels, made, strict=True)))
    return path


@pytest.fixture
def files(tmp_path):
    train, dev = written(tmp_path / "train", TREES, LABELS), written(tmp_path / "dev", DEV, DEV_LABELS)
    return train, dev, tmp_path / "model"


@pytest.fixture
def tables(tmp_path):
    gm.write_svmlight(tmp_path / "train", X[:150], Y[:150])
    gm.write_svmlight(tmp_path / "dev", X[150:], Y[150:])
    return tmp_path / "train", tmp_path / "dev", tmp_path / "model"


def settings(found):
    return [(trial["kernel"], trial["decay"], trial["C"]) for trial in found["trials"]]


def test_trees_are_tuned_as_in_python(files, capsys):
    found = tuned(capsys, *files, *GRID, "-j", 2)
    grid = {"kernels": ["sst", "ptk"], "C": [0.1, 10], "parameters": {"decay": [0.3, 0.8]}}
    expected = gm.tune(TREES, LABELS, **grid, held_out=(DEV, DEV_LABELS))
    assert settings(found) == [(t.setting.name, t.setting.parameters["decay"], t.setting.C) for t in expected.trials]
    assert [trial["score"] for trial in found["trials"]] == [trial.score for trial in expected.trials]
    machine = gm.load(files[2])
    assert machine.kernel == expected.best.kernel
    assert np.array_equal(machine.compile().predict(DEV), expected.classifier.predict(DEV))


def test_folds_judge_and_the_model_comes_second(files, capsys):
    train, _, model = files
    found = tuned(capsys, train, model, "--folds", 3, *GRID, "--scoring", "accuracy", "--random-state", 4)
    assert found["scoring"] == "accuracy"
    assert all(len(trial["scores"]) == 3 for trial in found["trials"])
    machine = gm.load(model)
    best = found["best"]
    clf = gm.KernelSVC(machine.kernel, C=best["C"]).fit(TREES, LABELS)
    assert np.array_equal(machine.compile().predict(DEV), clf.predict(DEV))


def test_the_table_marks_the_best(files, capsys):
    assert call("tune", *files, *GRID, "--search", "subset", "--sample-sizes", "40", "--factor", 2) == 0
    printed = capsys.readouterr()
    assert printed.out.count("*") == 1
    assert "8 settings on 40 examples" in printed.out
    assert "the best model, of " in printed.err


def test_rows_are_tuned_over_degrees(tables, capsys):
    found = tuned(capsys, *tables, "-C", "0.01,0.1", "--gamma", "0.5,1", "--class-weight", "1=2", "--multiclass", "ovr")
    tried = [(trial["degree"], trial["gamma"], trial["C"]) for trial in found["trials"]]
    assert tried == [(degree, gamma, C) for degree in (1, 2, 3) for gamma in (0.5, 1.0) for C in (0.01, 0.1)]
    best = found["best"]
    kernel = gm.PolynomialKernel(best["degree"], best["gamma"])
    clf = gm.KernelSVC(kernel, C=best["C"], class_weight={1: 2.0}).fit(X[:150], Y[:150])
    machine = gm.load(tables[2])
    assert machine.first_id == 1
    assert np.array_equal(machine.compile().predict(X[150:]), clf.predict(X[150:]))


def test_kernels_of_sets_are_tuned_over_gamma(tables, capsys):
    words = ("--kernel", "rbf,tanimoto,sigmoid", "--gamma", "scale,0.01", "-C", "0.1,10")
    found = tuned(capsys, *tables, *words)
    gamma = gm.KernelSVC("rbf").fit(X[:150], Y[:150]).gamma_
    tried = [(trial["kernel"], trial.get("gamma"), trial["C"]) for trial in found["trials"]]
    assert tried == [
        *(("rbf", value, C) for value in (gamma, 0.01) for C in (0.1, 10.0)),
        *(("tanimoto", None, C) for C in (0.1, 10.0)),
        *(("sigmoid", value, C) for value in (gamma, 0.01) for C in (0.1, 10.0)),
    ]
    best = found["best"]
    clf = gm.KernelSVC(best["kernel"], gamma=best.get("gamma"), C=best["C"]).fit(X[:150], Y[:150])
    assert np.array_equal(gm.load(tables[2]).compile().predict(X[150:]), clf.predict(X[150:]))


def test_a_figure_is_drawn(files, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert call("tune", files[0], "--folds", 2, *GRID, "--plot", tmp_path / "found.svg") == 0
    assert "<svg" in (tmp_path / "found.svg").read_text()


def test_marked_kernels_read_marks(tmp_path, capsys):
    made = [tree.replace("(X", "(X*1 (Y", 1).replace(") ", ")) ", 1) for tree in TREES]
    found = tuned(capsys, written(tmp_path / "d", made, LABELS), "--folds", 2, "-k", "lo-marked,c-marked", "-C", 1)
    assert [trial["kernel"] for trial in found["trials"]] == ["lo-marked", "c-marked"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--kernel", "sst,gaussian"), "'gaussian' is not one of"),
        (("--kernel", "rbf"), "there are no vectors in it"),
        (("--gamma", "wide"), "'wide' is neither a number, 'scale' nor 'auto'"),
        (("--decay", "0.3,x"), "'x' is not a valid float"),
        (("--kernel", "poly"), "there are no vectors in it"),
        (("--degree", "2"), "no kernel has a parameter 'degree'"),
        (("--scoring", "auc"), "did you mean 'roc_auc'"),
        (("--scoring", "neg_log_loss", "--format", "svmlight"), "--format gristmill or libsvm keeps probabilities"),
        (("-C", "nan"), "C must be a finite number above 0"),
        (("--sample-sizes", "1000"), "1000 is more than the 120 examples"),
        (("--search", "slicing"), "for polynomial kernels"),
        (("--class-weight", "new=2"), "'new' is not one of the classes"),
        (("--plot", "/nowhere/found.svg"), "/nowhere/found.svg: No such file"),
        (("--format", "opal"), "opal"),
        (("--epochs", "2"), "--epochs: for online learning, with --online only"),
    ],
)
def test_what_cannot_be_tried_is_refused(files, capsys, arguments, said):
    assert call("tune", *files, *arguments) != 0
    assert said in capsys.readouterr().err
    assert not files[2].exists()


def test_json_has_no_nan(tmp_path, capsys):
    gm.write_svmlight(tmp_path / "d", np.ones((6, 2)), [0, 1] * 3)
    assert call("tune", tmp_path / "d", tmp_path / "d", "--sample-sizes", 4, "-C", "1,10", "--json") == 0
    printed = capsys.readouterr().out
    assert "NaN" not in printed
    assert json.loads(printed)["agreement"][0]["kendall"] is None


def never(*_, **__):
    raise AssertionError("this comes too late")


@pytest.mark.parametrize("path", ["found.foo", "found", "-"])
def test_a_figure_that_cannot_be_drawn_is_refused_before_the_search(files, capsys, monkeypatch, path):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(tune, "_run", never)
    assert call("tune", *files, *GRID, "--plot", path) == 2
    assert f"--plot: {path}: the ending must be one of" in capsys.readouterr().err


def test_a_figure_without_matplotlib_is_refused_before_the_search(files, capsys, monkeypatch):
    monkeypatch.setattr(tune, "_run", never)
    monkeypatch.setitem(sys.modules, "matplotlib.backend_bases", None)
    assert call("tune", *files, *GRID, "--plot", "found.svg") == 2
    assert "pip install 'gristmill[report]'" in capsys.readouterr().err


def test_the_model_is_written_before_figure_and_table(files, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    order = []
    for name in ("_write", "_draw", "_show"):
        monkeypatch.setattr(tune, name, lambda *_, name=name, **__: order.append(name))
    assert call("tune", *files, *GRID, "--plot", files[2].with_suffix(".svg")) == 0
    assert order == ["_write", "_draw", "_show"]


@pytest.mark.parametrize("failing", ["_write", "_draw"])
def test_the_table_is_printed_whatever_fails(files, capsys, monkeypatch, failing):
    pytest.importorskip("matplotlib")

    def full(*_):
        raise OSError(28, "No space left on device", "there")

    monkeypatch.setattr(tune, failing, full)
    figure = files[2].with_suffix(".svg")
    assert call("tune", *files, *GRID, "--plot", figure) == 1
    printed = capsys.readouterr()
    assert "8 settings by f1" in printed.out
    assert "No space left" in printed.err
    assert (files[2].exists(), figure.exists()) == (failing == "_draw", failing == "_write")


def test_a_last_training_that_is_interrupted_says_so(files, capsys, monkeypatch):
    train = train_batch.train_svm

    def interrupted(*arguments, **how):
        raise SvmInterrupted(train(*arguments, **how))

    monkeypatch.setattr(train_batch, "train_svm", interrupted)
    assert call("tune", *files, *GRID) == 130
    printed = capsys.readouterr()
    assert "8 settings by f1" in printed.out
    assert "interrupted; that model is the best so far" in printed.err
    assert gm.load(files[2]).n_support > 0


def test_any_scorer_of_scikit_learn_may_choose(files, capsys):
    assert call("tune", *files, "-k", "sst", "-C", "0.1,auto", "--scoring", "neg_log_loss", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scoring"] == "neg_log_loss"
    assert [trial["auto"] for trial in found["trials"]] == [False, True]
    assert found["best"]["score"] == max(trial["score"] for trial in found["trials"]) < 0
    assert call("predict", files[2], files[1], "--probabilities") == 0
    shares = np.loadtxt(io.StringIO(capsys.readouterr().out))
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-4)


def test_files_must_fit_together(files, tables, capsys, tmp_path):
    train, dev, model = files
    assert call("tune", train) == 2
    assert "Name HELD_OUT after DATA, or give --folds 5" in capsys.readouterr().err
    assert call("tune", train, dev, model, "--folds", 3) == 2
    assert "with --folds there is no HELD_OUT" in capsys.readouterr().err
    assert call("tune", train, dev, "-") == 2
    assert "name a file" in capsys.readouterr().err
    gm.write_svmlight(tmp_path / "rows", X, Y)
    written(tmp_path / "trees", TREES, LABELS)
    assert call("tune", tmp_path / "trees", tmp_path / "rows") == 1
    assert "trees or vectors, both must be the same" in capsys.readouterr().err
    written(tmp_path / "other", DEV, np.where(DEV_LABELS == "num", "new", DEV_LABELS))
    assert call("tune", tmp_path / "trees", tmp_path / "other") == 1
    assert "'new' is not one of the classes" in capsys.readouterr().err


def test_ctrl_c_ends_with_the_best_so_far(tmp_path):
    rng = np.random.default_rng(0)
    table = (rng.random((5000, 300)) < 0.1).astype(float)
    gm.write_svmlight(tmp_path / "d", table, rng.integers(2, size=5000))
    options = ["--degree", "1,2", "-C", "0.01,1e5", "--tol", "1e-9", "--search", "subset", "--sample-sizes", "100"]
    said = interrupt("tune", tmp_path / "d", tmp_path / "m", "--folds", 2, *options)
    assert "from 100 examples, is in" in said
    assert "interrupted; the best so far is poly degree=" in said
    assert gm.load(tmp_path / "m").n_support > 0
