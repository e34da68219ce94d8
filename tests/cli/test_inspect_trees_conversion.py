"""Conversion of trees on the command line: gristmill train --conversion, gristmill inspect --conversion."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.cli import run

RNG = np.random.default_rng(2)
TREES = [
    f"(S (NP*{1 + n % 2} (D {'the a'.split()[n % 2]}) (N {'dog cat cow'.split()[RNG.integers(3)]})) "
    f"(VP (V {'barks sleeps'.split()[RNG.integers(2)]}) (ADV {'loud now then'.split()[RNG.integers(3)]})))"
    for n in range(60)
]
LABELS = ["yes" if "dog" in text else "no" for text in TREES]


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture
def trees(tmp_path):
    gm.write_trees(tmp_path / "trees", TREES, LABELS)
    return tmp_path / "trees"


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """So few labels share much; that is warned about in one test."""
    monkeypatch.setattr("gristmill.kernels.conversion.forest.HIGH_RATE", 1.0)


def trained(capsys, *arguments):
    assert call("train", *arguments, "--json") == 0
    found = capsys.readouterr()
    return json.loads(found.out), found.err


def test_train_both_ways(trees, tmp_path, capsys):
    machines = []
    for convert in ("yes", "no", "auto"):
        how = ("-k", "lo-marked", "--convert", convert, "--tol", "1e-8")
        summary, said = trained(capsys, trees, tmp_path / convert, *how)
        assert summary["converted"] == (convert == "yes")
        assert ("smo on converted trees with" in said) == (convert == "yes")
        machines.append(gm.load(tmp_path / convert))
        assert machines[-1].provenance.get("converted", False) == (convert == "yes")
    scores = [machine.compile().decision_function(TREES) for machine in machines]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-6)
    np.testing.assert_array_equal(scores[1], scores[2])


def test_train_says_why(trees, tmp_path, capsys):
    summary, _ = trained(capsys, trees, tmp_path / "m", "-k", "lo-marked")
    assert summary["conversion"] == "few trees"
    summary, _ = trained(
        capsys, trees, tmp_path / "m", "-k", "lo-marked", "--convert", "yes", "--conversion-max-size", 5
    )
    assert summary["conversion"] == "as asked"
    summary, _ = trained(capsys, trees, tmp_path / "m", "-k", "ptk")
    assert (summary["converted"], summary["conversion"]) == (False, "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("-k", "ptk", "--convert", "yes"), 1, "convert=True is for one kernel of trees"),
        (
            ("-k", "lo", "--convert", "no", "--conversion-max-size", 3),
            2,
            "--conversion-max-size and --max-embeddings are for conversion",
        ),
        (("-k", "lo", "--convert", "yes", "--max-bytes", "5000"), 1, "lower max_size"),
        (("-k", "lo", "--convert", "sometimes"), 2, "'sometimes' is not one of"),
        (("--online", "--convert", "yes"), 2, "--convert: for batch SVMs"),
    ],
)
def test_train_refuses(trees, tmp_path, capsys, arguments, code, message):
    assert call("train", trees, tmp_path / "m", *arguments) == code
    assert message in capsys.readouterr().err


def test_inspect_prints_table_3(trees, capsys):
    assert call("inspect", trees, "--conversion", "lo-marked", "--histogram", "-j", 2) == 0
    out = capsys.readouterr().out
    for line in (
        "converted for lo-marked",
        "# examples",
        "# features (compressed)",
        "avg. |V|",
        "r_m (%)",
        "malicious",
    ):
        assert line in out


def test_inspect_prints_json(trees, capsys):
    assert call("inspect", trees, "--conversion", "c-marked", "--conversion-max-size", 7, "--histogram", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    stats = gm.ConvertedForest(TREES, "c-marked", max_size=7).stats
    for name in ("examples", "trees", "features", "patterns", "entries_per_tree", "malicious_rate", "nbytes"):
        assert found["conversion"][name] == getattr(stats, name)
    pairs = found["conversion"]["pairs"]
    assert pairs["rows"] == stats.trees
    assert pairs["nothing"] + sum(pairs["pairs"]) == stats.trees * (stats.trees - 1)
    assert call("inspect", trees, "--conversion", "sst", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert "pairs" not in found["conversion"]
    assert found["marked"] == 0  # sst does not read marks


def test_inspect_warns_of_malicious_pairs(trees, capsys, monkeypatch):
    monkeypatch.setattr("gristmill.kernels.conversion.forest.HIGH_RATE", 0.2)
    assert call("inspect", trees, "--conversion", "lo", "--conversion-max-size", 2) == 0
    assert "warning: 100% of the pairs of trees share too much" in capsys.readouterr().err


def test_inspect_goes_on_without_what_cannot_be_counted(tmp_path, capsys):
    gm.write_trees(tmp_path / "trees", [f"(S {'a ' * 1200})", "(S a b)", "(S b)"])
    assert call("inspect", tmp_path / "trees", "--conversion", "lo", "--histogram", "--json") == 0
    found = capsys.readouterr()
    assert "no histogram of pairs: the kernel of tree 0 with tree 0 leaves the range" in found.err
    assert "pairs" not in json.loads(found.out)["conversion"]


def test_inspect_may_take_more_memory_or_less(trees, capsys):
    assert call("inspect", trees, "--conversion", "lo", "--max-bytes", "3K") == 1
    assert "take more than max_bytes = 3" in capsys.readouterr().err
    assert call("inspect", trees, "--conversion", "lo", "--max-bytes", "8G") == 0


def test_inspect_says_that_there_are_no_marks(tmp_path, capsys):
    gm.write_trees(tmp_path / "trees", ["(S (A a) (B b))", "(S (A a) (B c))"])
    assert call("inspect", tmp_path / "trees", "--conversion", "c-marked") == 0
    assert "no node has a mark" in capsys.readouterr().err
    assert call("inspect", tmp_path / "trees", "--conversion", "c") == 0
    assert "no node has a mark" not in capsys.readouterr().err


def test_inspect_refuses(trees, tmp_path, capsys):
    assert call("inspect", trees, "--conversion", "ptk") == 2
    assert "'ptk' is not one of" in capsys.readouterr().err
    assert call("inspect", trees, "--conversion-max-size", 3) == 2
    assert "go with --conversion" in capsys.readouterr().err
    for options in (("--max-bytes", "1G"), ("--conversion", "lo", "--sigma", "0.1")):
        assert call("inspect", trees, *options) == 2
        assert "go with --engine, --max-bytes with it or --conversion" in capsys.readouterr().err
    gm.write_svmlight(tmp_path / "rows", np.eye(3), [0, 1, 1])
    assert call("inspect", tmp_path / "rows", "--conversion", "lo") == 1
    assert "go with trees" in capsys.readouterr().err
