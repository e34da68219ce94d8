"""gristmill train --loss logistic: from a data file to probabilities, and what it refuses."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run
from tests.across.interrupting import interrupt

RNG = np.random.default_rng(6)
X = (RNG.random((150, 25)) < 0.3).astype(float)
NOISE = RNG.random(150)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE / 2 > 0.6, 1, -1)
Y3 = np.where(X[:, 3] > NOISE, 3, np.where(X[:, 4] > NOISE, 1, 2))


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture(params=[Y2, Y3], ids=["two", "three"])
def data(request, tmp_path):
    gm.write_svmlight(tmp_path / "data.svm", X, request.param)
    return tmp_path / "data.svm", request.param


def test_the_machine_is_the_estimator_s(data, tmp_path, capsys):
    path, y = data
    assert call("train", path, tmp_path / "m", "--loss", "logistic", "-d", 3, "--class-weight", "1=2") == 0
    clf = gm.KernelLogisticRegression(degree=3, class_weight={1: 2.0}).fit(X, y)
    loaded = gm.load(tmp_path / "m")
    np.testing.assert_allclose(loaded.dense_coef(), clf.machine_.dense_coef())
    assert loaded.provenance["C"] == clf.C_
    capsys.readouterr()
    assert call("predict", tmp_path / "m", path, "--probabilities") == 0
    shares = np.array([line.split("\t") for line in capsys.readouterr().out.splitlines()], dtype=float)
    np.testing.assert_allclose(shares, clf.predict_proba(X), atol=1e-12)


def test_options_are_those_of_the_estimator(data, tmp_path, capsys):
    path, y = data
    words = [
        "-C",
        0.25,
        "--gamma",
        "auto",
        "--coef0",
        2,
        "--tol",
        1e-6,
        "--max-iter",
        5000,
        "--random-state",
        3,
        "--json",
    ]
    assert call("train", path, tmp_path / "m", "--loss", "logistic", *words) == 0
    said = capsys.readouterr()
    summary = json.loads(said.out)
    how = {"gamma": 1 / 25, "coef0": 2.0, "C": 0.25, "tol": 1e-6, "max_iter": 5000, "random_state": 3}
    clf = gm.KernelLogisticRegression(**how).fit(X, y)
    assert gm.load(tmp_path / "m").dense_coef().tolist() == clf.machine_.dense_coef().tolist()
    assert (summary["passes"], summary["C"], summary["converged"]) == (clf.n_iter_, 0.25, True)
    assert summary["objective"] == clf.bounds_[1]
    assert re.search(r"logistic regression, C 0.25: weights of \d+ conjunctions, objective", said.err)


def test_it_is_silent_where_asked(data, tmp_path, capsys):
    assert call("train", data[0], tmp_path / "m", "--loss", "logistic", "--quiet") == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--solver", "smo", "-k", "linear"], "--kernel, --solver: not with --loss logistic"),
        (["--epochs", 2], "--epochs: not with --loss logistic"),
        (["--online"], "--loss: for batch SVMs, not with --online"),
        (["--format", "libsvm"], "--loss logistic learns weights of conjunctions, which --format gristmill keeps"),
        (["--max-bytes", 2000], "take more than max_bytes = 2000: take a lower degree"),
        (["--gamma", -1], "gamma > 0 and coef0 >= 0"),
    ],
)
def test_what_does_not_go_together_is_refused(words, message, data, tmp_path, capsys):
    assert call("train", data[0], tmp_path / "m", "--loss", "logistic", *words) != 0
    assert message in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_a_model_and_json_cannot_both_be_standard_output(data, capsys):
    assert call("train", data[0], "-", "--loss", "logistic", "--json") != 0
    assert "name a file for MODEL" in capsys.readouterr().err


def test_ctrl_c_writes_the_best_machine_so_far(tmp_path):
    rng = np.random.default_rng(1)
    rows = (rng.random((4000, 60)) < 0.3).astype(float)
    gm.write_svmlight(tmp_path / "data.svm", rows, rng.integers(0, 3, 4000))
    words = ["--loss", "logistic", "-C", "1000", "--tol", "1e-12", "--max-iter", "1000000"]
    said = interrupt("train", tmp_path / "data.svm", tmp_path / "m", *words)
    assert f"interrupted; the best machine so far is in {tmp_path / 'm'}" in said
    assert gm.load(tmp_path / "m").n_outputs == 3
