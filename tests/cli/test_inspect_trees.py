"""gristmill inspect on files of trees."""

from __future__ import annotations

import gzip
import io
import json
import sys

import pytest

import gristmill as gm
from gristmill.cli import run

TREES = [
    "(S (NP (D the) (N dog)) (VP barks))",
    "(S (NP (D the) (N cat)) (VP barks))",
    "(S (NP (D the) (N dog)) (VP barks))",
]


def call(*arguments):
    return run([str(argument) for argument in arguments])


@pytest.fixture
def trees(tmp_path):
    gm.write_trees(tmp_path / "trees", TREES, ["x", "y", "x"])
    return tmp_path / "trees"


def inspected(capsys, *arguments):
    assert call("inspect", *arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_numbers(trees, capsys):
    found = inspected(capsys, trees, "--top", 2)
    assert found == {
        "format": "bracketed trees",
        "trees": 3,
        "labels": {"x": 2, "y": 1},
        "nodes": 24,
        "nodes_per_tree": 8.0,
        "leaves": 9,
        "leaves_per_tree": 3.0,
        "levels_per_tree": 4.0,
        "deepest": 4,
        "most_children": 2,
        "node_labels": 9,
        "productions": 6,
        "subtrees": 12,
        "different_trees": 2,
        "node_sharing": 2.0,
        "tree_sharing": 1.5,
        "marked": 0,
        "label_matches": pytest.approx(7 + 5 / 9),
        "production_matches": pytest.approx(4 + 5 / 9),
        "frequent": [["D -> the", 3], ["NP -> D N", 3]],
    }


def test_tables_for_people(trees, capsys):
    assert call("inspect", trees, "--histogram") == 0
    out = capsys.readouterr().out
    assert "bracketed trees" in out
    assert "labelled x" in out
    assert "S -> NP VP" in out
    assert "1 pairs of 2 different trees" in out
    assert out.count("#") == 40
    assert "mark" not in out


def test_marks(tmp_path, capsys):
    (tmp_path / "t").write_text("(S (NP*1 a) (VP*2 b))")
    assert inspected(capsys, tmp_path / "t")["marked"] == 0
    assert inspected(capsys, tmp_path / "t", "--marks")["marked"] == 2
    assert call("inspect", tmp_path / "t", "--marks") == 0
    assert "with a mark" in capsys.readouterr().out


def test_the_histogram_warns(tmp_path, capsys):
    gm.write_trees(tmp_path / "t", [f"(A{i} b)" for i in range(5)])
    found = inspected(capsys, tmp_path / "t", "--histogram")["similarity"]
    assert (found["pairs"], found["bins"], found["nothing"]) == (10, [10] + [0] * 9, 1.0)
    assert len(found["warnings"]) == 1
    assert call("inspect", tmp_path / "t", "--histogram") == 0
    assert "warning: 100.0% of the pairs share nearly nothing" in capsys.readouterr().err


def test_treebank_files_compressed_and_from_standard_input(capsys, monkeypatch):
    text = gzip.compress(b"( (S\n (NP a)))\n( (S\n (NP b)))\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    found = inspected(capsys, "-")
    assert (found["trees"], found["labels"]) == (2, {})


def test_many_labels_are_cut_short(tmp_path, capsys):
    gm.write_trees(tmp_path / "t", ["(S a)"] * 25, range(25))
    assert call("inspect", tmp_path / "t") == 0
    assert "other labels" in capsys.readouterr().out


def test_damage_is_named_with_its_place(trees, capsys):
    trees.write_text("x\t(S a)\ny\t(S (NP b)\n")
    assert call("inspect", trees) == 1
    assert f"error: {trees}:2:3: this bracket is never closed" in capsys.readouterr().err


def test_vectors_are_still_vectors(tmp_path, capsys):
    (tmp_path / "d").write_text("# (S a)\n1 1:1 2:1 # (S a)\n-1 3:1\n")
    assert inspected(capsys, tmp_path / "d")["format"] == "data in svmlight format"
    assert call("inspect", tmp_path / "d", "--histogram") == 1
    assert "go with trees" in capsys.readouterr().err


# --- files with several trees an example ------------------------------------------------------------------------------

TK = "# made by hand\n1 |BT| (S (NP a)) |BT| (S b) |ET| 1:1 |EV|\n-1 |BT| (S (NP c)) |BT| (S b) |ET| |EV|\n"
KELP = "x |BS:text| (hello |ES| |BT:one| (S(NP(a))) |ET| |BT:two| (S(b)) |ET|\n"


def test_svmlight_tk(tmp_path, capsys):
    (tmp_path / "t").write_text(TK)
    found = inspected(capsys, tmp_path / "t", "--histogram")
    assert found["format"] == "trees of SVM-light-TK"
    assert {name: part["nodes"] for name, part in found["trees_by_name"].items()} == {"tree1": 6, "tree2": 4}
    assert found["trees_by_name"]["tree1"]["labels"] == {"-1": 1, "1": 1}
    assert found["trees_by_name"]["tree1"]["similarity"]["pairs"] == 1
    assert call("inspect", tmp_path / "t") == 0
    assert "trees of SVM-light-TK: tree2" in capsys.readouterr().out


def test_the_first_format_of_svmlight_tk(tmp_path, capsys):
    (tmp_path / "t").write_text("1 (S (NP a)) |STD| 1:1\n")
    found = inspected(capsys, tmp_path / "t")
    assert (found["format"], found["nodes"]) == ("trees of SVM-light-TK", 3)


def test_kelp(tmp_path, capsys):
    (tmp_path / "t").write_text(KELP)
    found = inspected(capsys, tmp_path / "t")
    assert found["format"] == "trees of KeLP"
    assert {name: part["nodes"] for name, part in found["trees_by_name"].items()} == {"one": 3, "two": 2}
    assert found["trees_by_name"]["one"]["labels"] == {"x": 1}
    assert call("inspect", tmp_path / "t", "--marks") == 1
    assert "no marks" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["1 |BT| (S a |ET|\n", "x |BT:one| (S(a) |ET|\n"])
def test_their_damage_is_named_with_its_place(capsys, monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert call("inspect", "-") == 1
    assert f"error: <stdin>:1:{text.index('(') + 1}: " in capsys.readouterr().err


def test_trees_are_not_compiled(trees, capsys):
    assert call("inspect", trees, "--engine", "expanded") == 1
    assert "no model" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ast/java_methods.trees.gz", "sst/dev.txt.gz", "treebank/wsj_sample.trees.gz"])
def test_the_corpora(corpora, capsys, name):
    found = inspected(capsys, corpora / name, "--histogram")
    assert found["node_sharing"] > 2
    assert found["similarity"]["trees"] == 400
