"""gristmill roles: from files to files."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest

from gristmill.apps.roles import RoleLabeller, read_labelled, read_propositions
from gristmill.cli import run

NOUNS = ("dogs", "cats", "mice", "men")
TREES = [
    f"d\t{number}\t(S (NP (N {NOUNS[number % 4]})) (VP (V saw) (NP (D the) (N {NOUNS[number % 3]})) (R so)) (. .))"
    for number in range(24)
]
PROPS = [f"d\t{number}\t1\tsee.01\t0-0:ARG0 1-1:V 2-3:ARG1" for number in range(24)]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "trees").write_text("".join(f"{line}\n" for line in TREES))
    (tmp_path / "props").write_text("".join(f"{line}\n" for line in PROPS))
    (tmp_path / "empty").write_text("")
    return tmp_path


@pytest.fixture
def model(files):
    assert call("roles", "train", files / "trees", files / "props", files / "model", "-q") == 0
    return files / "model"


def call(*arguments):
    return run([str(argument) for argument in arguments])


def feed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))


def test_what_was_learned_is_said(files, capsys):
    assert call("roles", "train", files / "trees", files / "props", files / "model", "--json") == 0
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert summary["roles"] == ["ARG0", "ARG1"]
    assert (summary["counts"]["predicates"], summary["counts"]["arguments"]) == (24, 48)
    assert set(summary["support"]) == {"identify", "classify"}
    assert (summary["drawn"], summary["words"], summary["leaves"]) == (24, True, {"alone": 144, "all": 144})
    assert (
        "gristmill: 24 predicates with 48 arguments; none lost; leaves are words (144 of 144 leaves have no sister); "
        "2 roles; support trees: identify "
    ) in said.err


def test_all_predicates_are_counted_though_some_are_drawn(files, capsys):
    with (files / "props").open("a") as props:
        props.write("d\t0\t0\tdog.01\t0-0:V 1-2:ARG1\n")  # no node has these tokens
    options = ("--max-examples", 30, "--min-count", 1, "--json")
    assert call("roles", "train", files / "trees", files / "props", files / "model", *options) == 0
    said = capsys.readouterr()
    drawn = json.loads(said.out)["drawn"]
    assert drawn < 12
    assert f"{drawn} of 25 predicates drawn; 25 predicates with 49 arguments; 2.0% of the arguments lost" in said.err
    assert "(1 without a node)" in said.err


def test_an_interrupted_training_writes_what_it_has(files, monkeypatch, capsys):
    fit = RoleLabeller.fit

    def stopped(self, *data):
        fit(self, *data)
        raise KeyboardInterrupt

    monkeypatch.setattr(RoleLabeller, "fit", stopped)
    assert call("roles", "train", files / "trees", files / "props", files / "model", "--json") == 130
    said = capsys.readouterr()
    assert json.loads(said.out)["interrupted"]
    assert f"interrupted; what was learned so far is in {files / 'model'}" in said.err
    assert RoleLabeller.load(files / "model").roles_ == ["ARG0", "ARG1"]


def test_one_odd_tree_is_only_counted(files, capsys):
    with (files / "trees").open("a") as trees:
        trees.write("d\todd\t(S a b)\n")
    assert call("roles", "train", files / "trees", files / "props", files / "model") == 0
    assert "leaves are words (144 of 146 leaves have no sister)" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_trees_of_another_kind_are_warned_of(files, model, capsys):
    (files / "tags").write_text("(S (NP N) (VP V*1 (NP D N)))\n")
    assert call("roles", "run", model, files / "tags") == 0
    assert "warning: leaves of the model were words, below their tags, but here 1 of 4" in capsys.readouterr().err


def test_predicates_of_a_file_are_labelled(files, model, capsys):
    (files / "predicates").write_text("d\t0\t1\nd\t5\t1\n")
    assert call("roles", "run", model, files / "trees", files / "predicates") == 0
    assert capsys.readouterr().out.splitlines() == [
        PROPS[0].replace("see.01", "-"),
        PROPS[5].replace("see.01", "-"),
    ]


@pytest.mark.parametrize("to", ["props", "trees"])
def test_labels_are_judged(files, model, capsys, to):
    out = files / "out"
    assert call("roles", "run", model, files / "trees", files / "props", "-o", out, "--format", to, "-j", 2) == 0
    assert read_labelled(out) == read_propositions(files / "props")
    assert call("roles", "evaluate", files / "props", out, "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["total"]["f1"] == scores["boundaries"]["f1"] == 1.0
    assert [role["role"] for role in scores["roles"]] == ["ARG0", "ARG1"]
    assert call("roles", "evaluate", files / "props", out) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["ARG1", "100.00", "100.00", "100.00", "24", "24", "24"] in shown


def test_marked_predicates_come_from_a_pipe(model, monkeypatch, capsys):
    feed(monkeypatch, "(S (NP (N men)) (VP (V*1 saw) (NP (D the) (N cats)) (R so)) (. .))\n")
    assert call("roles", "run", model, "-", "--format", "trees") == 0
    assert capsys.readouterr().out == (
        "-\t0\t-\t(S (*ARG0 (NP (N men))) (VP (*V (V saw)) (*ARG1 (NP (D the) (N cats))) (R so)) (. .))\n"
    )


def test_settings_reach_the_labeller(files, capsys):
    options = (
        "-k",
        "lo-marked",
        "-L",
        0.3,
        "-C",
        2,
        "--form",
        "minimal",
        "--candidates",
        "highest",
        "--keep-case",
        "--predicate",
        "highest",
    )
    more = ("--max-examples", 100, "--min-count", 2, "--random-state", 3, "--leaves", "words", "-q")
    assert call("roles", "train", files / "trees", files / "props", files / "model", *options, *more) == 0
    assert call("roles", "run", files / "model", files / "trees", files / "props", "-o", files / "out") == 0
    assert call("roles", "evaluate", files / "props", files / "out", "--json") == 0
    assert json.loads(capsys.readouterr().out)["total"]["f1"] == 1.0


def test_thresholds_and_overlaps(files, model):
    trees, props, out = files / "trees", files / "props", files / "out"
    assert call("roles", "run", model, trees, props, "-o", out, "--threshold", 1e9) == 0
    assert all(one.arguments == () for one in read_propositions(out))
    assert call("roles", "run", model, trees, props, "-o", out, "--threshold", -1e9, "--overlap") == 0
    assert all(len(one.arguments) > 2 for one in read_propositions(out))


def test_what_cannot_work_fails_before_the_work(files, model, capsys):
    trees, props = files / "no trees", files / "no props"
    assert call("roles", "run", model, trees, props, "-o", files / "no" / "out") == 1
    assert f"{files / 'no' / 'out'}: No such file or directory" in capsys.readouterr().err
    assert call("roles", "run", model, trees, props, "--threshold", "nan") == 1
    assert "threshold must be a number, got nan" in capsys.readouterr().err
    assert call("roles", "train", trees, props, files / "m", "-C", "-1") == 1
    assert "C must be a finite number above 0, got -1.0" in capsys.readouterr().err


def test_files_without_a_predicate_in_common(files, capsys):
    (files / "other").write_text(PROPS[0].replace("d\t", "e\t") + "\n")
    said = "have no predicate in common"
    assert call("roles", "evaluate", files / "props", files / "other") == 0
    assert said in capsys.readouterr().err
    assert call("roles", "evaluate", files / "props", files / "empty", "--json") == 0
    assert said in capsys.readouterr().err
    assert call("roles", "evaluate", files / "props", files / "props") == 0
    assert call("roles", "evaluate", files / "empty", files / "empty") == 0
    assert said not in capsys.readouterr().err


def test_roles_are_judged_where_they_are(files, capsys):
    (files / "gold").write_text("d\t0\t1\t-\t0-0:ARG0\nd\t1\t1\t-\t2-3:ARG1\n")
    (files / "mine").write_text("d\t0\t1\t-\t0-0:ARG0\nd\t1\t1\t-\t0-0:ARG0 2-3:ARG1\n")
    for options, precision in (((), 2 / 3), (("--only-with-role",), 1.0)):
        assert call("roles", "evaluate", files / "gold", files / "mine", "--json", *options) == 0
        assert json.loads(capsys.readouterr().out)["total"]["precision"] == pytest.approx(precision)


def test_empty_files(files, model, capsys):
    empty = files / "empty"
    assert call("roles", "run", model, empty) == 0
    assert call("roles", "run", model, files / "trees", empty, "--format", "trees") == 0
    assert capsys.readouterr().out == ""
    assert call("roles", "evaluate", empty, empty, "--json") == 0
    assert json.loads(capsys.readouterr().out)["roles"] == []
    assert call("roles", "train", empty, empty, files / "none") == 1
    assert "empty: there are no propositions in it" in capsys.readouterr().err
    assert not (files / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "-", "-", "m"), "only one file can be standard input"),
        (("train", "t", "p", "-", "--json"), "name a file for MODEL"),
        (("run", "-", "-"), "only one file can be standard input"),
        (("evaluate", "-", "-"), "only one file can be standard input"),
        (("train", "t", "p", "m", "-k", "poly"), "'poly' is not one of"),
    ],
)
def test_what_makes_no_sense(arguments, message, capsys):
    assert call("roles", *arguments) == 2
    assert message in capsys.readouterr().err


def test_what_is_wrong_is_said_with_its_place(files, model, capsys):
    (files / "wrong").write_text("d\t0\t1\tr\t0-77:ARG0\n")
    assert call("roles", "run", model, files / "trees", files / "wrong") == 1
    assert f"{files / 'wrong'}:1:9: token 77 is outside the sentence" in capsys.readouterr().err
    assert call("roles", "run", model, files / "trees") == 1
    assert "no node of TREES has a mark" in capsys.readouterr().err
    assert call("roles", "run", files / "props", files / "trees") == 1
    assert "not a model file of a known format" in capsys.readouterr().err
    assert call("roles", "train", files / "trees", files / "nowhere", files / "m") == 1
    assert "nowhere: No such file" in capsys.readouterr().err
    assert call("roles", "train", files / "trees", files / "props", files / "no" / "m") == 1
    assert "No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize("engine", [[], ["--engine", "auto"]], ids=str)
def test_the_model_is_a_collection_like_others(model, capsys, engine):
    assert call("inspect", model, "--json", *engine) == 0
    machines = json.loads(capsys.readouterr().out)["machines"]
    assert [found["scheme"] for found in machines.values()] == ["binary", "binary"]
    assert call("inspect", model, *engine) == 0
    assert "identify" in capsys.readouterr().out
