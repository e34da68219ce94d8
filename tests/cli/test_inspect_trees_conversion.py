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
            "--conversion-max-size, --max-embeddings, --conversion-min-support are for conversion",
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
    table = out.partition("converted for lo-marked")[2]
    stats = gm.ConvertedForest(TREES, "lo-marked").stats
    lines = [" ".join(line.split()) for line in table.splitlines() if line.strip(" ─")][:7]
    assert lines == [
        "# examples 60",
        f"# different trees {stats.trees}",
        f"# feature subtrees (x10^4) {stats.features / 1e4:,.4g}",
        f"# features (compressed) (x10^4) {stats.patterns / 1e4:,.4g}",
        f"avg. |V| (compressed) {stats.entries_per_tree:,.1f}",
        f"rate of malicious pairs r_m (%) {100 * stats.malicious_rate:.3g}",
        f"conversion time (sec.) {stats.seconds:,.1f}",
    ]
    assert "malicious" in table.partition("decay 1, from")[2]


def converted_stats(capsys, trees, *options):
    assert call("inspect", trees, "--conversion", "lo-marked", "--json", *options) == 0
    return json.loads(capsys.readouterr().out)["conversion"]


def test_inspect_switches_rules(trees, capsys):
    """The paper's search looks at every fragment, the default at those in the same places as one."""
    usual, by_fragment = (converted_stats(capsys, trees, *more) for more in ((), ("--rule", "no-same-places")))
    unmarked = converted_stats(capsys, trees, "--rule", "no-same-places", "--rule", "no-marks", "--rule", "precheck")
    assert usual["searched"] < by_fragment["searched"] < unmarked["searched"]
    assert usual["features"] == by_fragment["features"]
    apart = converted_stats(capsys, trees, "--no-compress")
    assert apart["patterns"] == apart["features"] == usual["features"] > usual["patterns"]


LIMITS = ("--conversion-max-size", 9, "--max-embeddings", 1.5, "--conversion-min-support", 4)


def test_limits_reach_the_conversion(trees, tmp_path, capsys, monkeypatch):
    made, whole = [], gm.ConvertedForest.__init__
    monkeypatch.setattr(
        gm.ConvertedForest, "__init__", lambda self, *args, **more: (made.append(more), whole(self, *args, **more))[0]
    )
    converted_stats(capsys, trees, *LIMITS, "--rule", "max-support")
    trained(capsys, trees, tmp_path / "m", "-k", "lo-marked", "--convert", "yes", *LIMITS)
    for limits in made:
        assert [limits[name] for name in ("max_size", "max_embeddings", "min_support")] == [9, 1.5, 4]
    assert [limits.get("rules") for limits in made] == [{"max_support": True}, None]


@pytest.mark.parametrize("min_support", [2, 3, 20])
def test_any_least_support_learns_the_same(trees, tmp_path, capsys, min_support):
    how = ("-k", "c-marked", "--tol", "1e-8")
    trained(capsys, trees, tmp_path / "m", *how, "--convert", "yes", "--conversion-min-support", min_support)
    trained(capsys, trees, tmp_path / "plain", *how, "--convert", "no")
    scores = [gm.load(tmp_path / name).compile().decision_function(TREES) for name in ("m", "plain")]
    np.testing.assert_allclose(*scores, atol=1e-6)


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
    assert "--conversion-max-size: with --conversion only" in capsys.readouterr().err
    assert call("inspect", trees, "--rule", "marks", "--no-compress") == 2
    assert "--rule, --compress: with --conversion only" in capsys.readouterr().err
    assert call("inspect", trees, "--conversion", "lo", "--rule", "no-such-rule") == 2
    assert "'no-such-rule' is not one of" in capsys.readouterr().err
    for options in (("--max-bytes", "1G"), ("--conversion", "lo", "--sigma", "0.1")):
        assert call("inspect", trees, *options) == 2
        assert "go with --engine, --max-bytes with it or --conversion" in capsys.readouterr().err
    gm.write_svmlight(tmp_path / "rows", np.eye(3), [0, 1, 1])
    assert call("inspect", tmp_path / "rows", "--conversion", "lo") == 1
    assert "go with trees" in capsys.readouterr().err
