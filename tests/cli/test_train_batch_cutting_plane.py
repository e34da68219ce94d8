"""gristmill train --solver cutting-plane: exact and sampled, from the shell."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run, train_batch
from gristmill.solvers.batch import train_svm
from tests.across.interrupting import interrupt

RNG = np.random.default_rng(8)
X = (RNG.random((200, 25)) < 0.3).astype(float)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + RNG.random(200) / 2 > 0.6, 1, -1)
TREES = [f"(S (A {a}) (B {b} {c}))" for a, b, c in RNG.integers(6, size=(100, 3))]
WORDS = np.where(["A 1" in tree for tree in TREES], "one", np.where(["B 2" in tree for tree in TREES], "two", "none"))
PLANES = ("--solver", "cutting-plane")


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture
def files(tmp_path):
    gm.write_svmlight(tmp_path / "svm", X, Y2)
    gm.write_trees(tmp_path / "trees", TREES, WORDS)
    return tmp_path


@pytest.fixture
def seen(monkeypatch):
    """Settings that the room of batch SVMs was given."""
    calls = []

    def watched(X, numbers, classes, settings, **options):
        calls.append(settings)
        return train_svm(X, numbers, classes, settings, **options)

    monkeypatch.setattr(train_batch, "train_svm", watched)
    return calls


@pytest.mark.parametrize(("name", "words"), [("svm", ["-d", "2", "-C", "0.05"]), ("trees", ["-k", "sst", "-C", "2"])])
def test_objectives_are_those_of_smo(files, capsys, name, words):
    found = {}
    for solver, tol in (("smo", 1e-8), ("cutting-plane", 1e-5)):
        assert call("train", files / name, files / "m", *words, "--solver", solver, "--tol", tol, "--json") == 0
        found[solver] = json.loads(capsys.readouterr().out)
        assert found[solver]["solver"] == solver
        assert found[solver]["converged"]
    room = 1e-5 * found["smo"]["C"] * 200
    np.testing.assert_allclose(found["cutting-plane"]["objective"], found["smo"]["objective"], atol=room)
    assert max(found["cutting-plane"]["violation"]) <= 1e-5


@pytest.mark.parametrize("kind", ["uniform", "balanced", "importance"])
def test_samples_are_as_the_options_say(files, seen, capsys, kind):
    words = ["--sampling", kind, "--sample-size", "70", "--random-state", "5", "--confirm", "all", "--tol", "0.01"]
    assert call("train", files / "svm", files / "m", "-d", "2", *PLANES, *words, "--json") == 0
    settings, summary = seen[0], json.loads(capsys.readouterr().out)
    assert (settings.sampling, settings.sample_size, settings.seed, settings.confirm) == (kind, 70, 5, "all")
    assert summary["solver"] == "cutting-plane"
    provenance = gm.load(files / "m").provenance
    assert (provenance["sampling"], provenance["sample_size"]) == (kind, 70)
    assert call("evaluate", files / "m", files / "svm", "--json") == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] > 0.8


def test_a_seed_says_which_samples(files):
    words = ["-d", "2", "--sampling", "uniform", "--sample-size", "50", "--tol", "0.01"]
    for name, seed in (("one", 3), ("again", 3), ("other", 4)):
        assert call("train", files / "svm", files / name, *words, "--random-state", seed) == 0
    assert (files / "one").read_bytes() == (files / "again").read_bytes()
    one, other = (gm.load(files / name) for name in ("one", "other"))  # files hold the options, too
    assert one.coef.shape != other.coef.shape or (one.coef != other.coef).any()


def test_sampling_is_enough_to_say(files, capsys):
    assert call("train", files / "trees", files / "m", "-k", "sst", "--sampling", "importance", "--json") == 0
    assert json.loads(capsys.readouterr().out)["solver"] == "cutting-plane"


def test_threads_change_nothing(files):
    for jobs in (1, 3):
        assert call("train", files / "trees", files / f"{jobs}", "-k", "sst", *PLANES, "-j", jobs) == 0
    assert (files / "1").read_bytes() == (files / "3").read_bytes()


def test_rounds_may_be_too_few(files, capsys):
    assert call("train", files / "svm", files / "m", "-d", "2", *PLANES, "--max-iter", "2", "--json") == 0
    found = capsys.readouterr()
    assert not json.loads(found.out)["converged"]
    assert "gristmill: warning: " in found.err
    assert gm.load(files / "m").n_support >= 2


def test_ctrl_c_saves_the_best_machine_so_far(tmp_path):
    rng = np.random.default_rng(0)
    gm.write_svmlight(tmp_path / "d", (rng.random((3000, 300)) < 0.1).astype(float), rng.integers(2, size=3000))
    said = interrupt("train", tmp_path / "d", tmp_path / "m", "-k", "linear", "-C", "1e3", "--tol", "1e-12", *PLANES)
    assert f"interrupted; the best machine so far is in {tmp_path / 'm'}" in said
    assert gm.load(tmp_path / "m").n_support > 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("--solver cutting-planes", 2, "'cutting-plane'"),
        ("--sampling all", 2, "'uniform', 'balanced', 'importance'"),
        ("--sampling uniform --sample-size 0", 2, "0 is not in the range"),
        ("--sampling uniform --confirm none", 2, "'sample', 'all'"),
        ("--sampling uniform --solver smo", 1, "sampling='uniform' is of solver='cutting-plane', got solver='smo'"),
    ],
)
def test_what_makes_no_sense_is_refused(files, seen, capsys, words, code, message):
    assert call("train", files / "svm", files / "m", *words.split()) == code
    assert message in capsys.readouterr().err
    assert not seen
    assert not (files / "m").exists()


def test_help_tells_of_planes(capsys):
    assert call("train", "--help-all") == 0
    text = " ".join(capsys.readouterr().out.split())
    for word in ("cutting-plane", "--sampling", "--sample-size", "--confirm", "--random-state"):
        assert word in text
