"""Files of bracketed trees: over lines, behind columns, damaged, and back again."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.formats.bracketed import is_tree_file
from tests.data.tree_strategies import to_strings, tree_lists

PENN = """
( (S
    (NP-SBJ (NNP Mr.) (NNP Vinken))
    (VP (VBZ is)
      (NP-PRD (-NONE- *T*-1)))
    (. .)))
( (S (NP (PRP It))
     (VP sleeps)))
"""


def write(tmp_path, text):
    path = tmp_path / "trees"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def error_of(path, **options):
    with pytest.raises(gm.FormatError) as caught:
        gm.read_trees(path, **options)
    assert caught.value.path == str(path)
    return caught.value


# --- what stands in files ---------------------------------------------------------------------------------------------


def test_trees_may_stand_on_many_lines(tmp_path):
    forest, labels = gm.read_trees(write(tmp_path, PENN))
    assert labels is None
    assert list(forest) == [
        "(S (NP-SBJ (NNP Mr.) (NNP Vinken)) (VP (VBZ is) (NP-PRD (-NONE- *T*-1))) (. .))",
        "(S (NP (PRP It)) (VP sleeps))",
    ]


def test_options_are_those_of_strings(tmp_path):
    forest, _ = gm.read_trees(write(tmp_path, PENN), traces=False, functions=False, lowercase=True)
    assert forest[0] == "(S (NP (NNP mr.) (NNP vinken)) (VP (VBZ is)) (. .))"
    forest.extend(["(S (NP-SBJ It))"])
    assert forest[2] == "(S (NP it))"
    forest, _ = gm.read_trees(write(tmp_path, '("a b" c*2)'), quoted=True, marks=True)
    assert list(forest) == [r"(a\ b c*2)"]
    assert forest.has_marks


def test_the_first_column_is_the_label(tmp_path):
    path = write(tmp_path, "wsj_1\t0\t(S a)\r\nwsj_1\t1\t(S b)\r\n\r\nwsj é\t\t2\t(S c)\n")
    forest, labels = gm.read_trees(path)
    assert list(forest) == ["(S a)", "(S b)", "(S c)"]
    assert labels.tolist() == ["wsj_1", "wsj_1", "wsj é"]


def test_all_columns(tmp_path):
    _, labels, columns = gm.read_trees(write(tmp_path, "a\t0\t(S a)\nb\t1\t(S b)\n"), columns=True)
    assert columns.tolist() == [["a", "0"], ["b", "1"]]
    assert labels.tolist() == ["a", "b"]
    _, labels, columns = gm.read_trees(write(tmp_path, "(S a) (S b)"), columns=True)
    assert columns.shape == (2, 0)
    assert labels is None


def test_an_empty_file_has_no_trees(tmp_path):
    forest, labels, columns = gm.read_trees(write(tmp_path, " \n"), columns=True)
    assert (len(forest), labels, columns.shape) == (0, None, (0, 0))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(tmp_path, pack):
    assert list(gm.read_trees(write(tmp_path, pack(b"x\t(S a)")))[0]) == ["(S a)"]


def test_a_byte_order_mark_is_passed_over(tmp_path):
    assert gm.read_trees(write(tmp_path, "\ufeffx\t(S a)"))[1].tolist() == ["x"]


def test_standard_input_and_output(monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\t( (S  a))\n")))
    gm.write_trees("-", *gm.read_trees("-"))
    assert capsysbinary.readouterr().out == b"x\t(S a)\n"


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("x\t(S a)\ny\t(S (NP b)\n", 2, 3, "never closed"),
        ("x\t(S a))\n", 1, 8, "closing bracket without"),
        ("x\t(S a)\ny\n", 2, 1, "expected a tree"),
        ("x\t(S a)\n  (S b)\n", 2, 3, "others have labels"),
        ("(S a)\nx\t(S b)\n", 1, 1, "others have labels"),
        ("\tid\t(S a)", 1, 2, "is empty"),
        ("# header\nx\t(S a)", 1, 1, "on the line of its label"),
        (b"(S a)\n(S caf\xe9)", 2, 4, "UTF-8"),
        (b"ok\t(S a)\ncaf\xe9\t(S a)", 2, 4, "UTF-8"),
        ("x\t(S a)".encode("utf-16"), 1, 1, "UTF-16"),
    ],
)
def test_errors_say_where(tmp_path, text, line, column, message):
    error = error_of(write(tmp_path, text))
    assert (error.line, error.column) == (line, column)
    assert message in str(error)


@pytest.mark.parametrize("functions", [True, False])
def test_marks_that_are_too_large_are_refused_with_their_place(tmp_path, functions):
    error = error_of(write(tmp_path, "(S a)\n(S (NP-SBJ*99999999999 b))"), marks=True, functions=functions)
    assert (error.line, error.column, error.message) == (2, 5, "a mark must be below 2^32")


def test_all_trees_must_have_as_many_columns(tmp_path):
    path = write(tmp_path, "a\t0\t(S a)\nb\t(S b)\n")
    assert gm.read_trees(path)[1].tolist() == ["a", "b"]
    error = error_of(path, columns=True)
    assert (error.line, error.message) == (2, "expected 2 columns before the tree, got 1")


def test_damaged_archives_and_missing_files(tmp_path):
    assert "damaged" in str(error_of(write(tmp_path, gzip.compress(b"(S a)")[:-3])))
    with pytest.raises(FileNotFoundError):
        gm.read_trees(tmp_path / "none")


# --- writing ----------------------------------------------------------------------------------------------------------


@given(trees=tree_lists(), marks=st.booleans(), data=st.data())
def test_what_was_written_reads_back(tmp_path_factory, trees, marks, data):
    path = tmp_path_factory.getbasetemp() / "written"
    forest = gm.Forest.from_strings(to_strings(trees), marks=marks)
    words = st.sampled_from(["x", "-1", "two words", "é"])
    labels = data.draw(st.none() | st.lists(words, min_size=len(trees), max_size=len(trees)))
    gm.write_trees(path, forest, labels)
    again, found = gm.read_trees(path, marks=marks)
    assert again == forest
    assert (found is None) == (not labels)
    assert found is None or found.tolist() == labels


def test_awkward_labels_of_nodes_read_back(tmp_path):
    forest = gm.Forest.from_nested([("a b", "(", "\\", "x\ty\n", ("é", '"'))])
    gm.write_trees(tmp_path / "t", forest, [3])
    again, labels = gm.read_trees(tmp_path / "t")
    assert again == forest
    assert labels.tolist() == ["3"]


def test_strings_are_written_too(tmp_path):
    gm.write_trees(tmp_path / "t", ["( (S  a))"], np.array([2.5]))
    assert (tmp_path / "t").read_text() == "2.5\t(S a)\n"


@pytest.mark.parametrize("label", ["", "a\tb", "a(b", "a\nb", " a", "a ", "\ufeffa"])
def test_labels_that_would_not_read_back_are_refused(tmp_path, label):
    with pytest.raises(ValueError, match="a label must be"):
        gm.write_trees(tmp_path / "t", ["(S a)"], [label])
    assert not (tmp_path / "t").exists()


def test_a_label_for_every_tree(tmp_path):
    with pytest.raises(ValueError, match="one for each of 1 trees"):
        gm.write_trees(tmp_path / "t", ["(S a)"], ["x", "y"])


# --- telling trees from other data ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["(S a)", PENN, "1\t(S a)", "1 (S a)", "a\t0\t(S a)", "a\t1:2\t(S a)", "LABEL\n(S a)", "(1:2 3:4)", "C#\t(S a)"],
)
def test_trees_are_recognised(text):
    assert is_tree_file(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 1:1",
        "-1 3:0.5 # (S a)",
        "# (S a)\n1 2:1",
        "1\n0 1:1 2:1\n(",
        "1 qid:3 4:1",
        "( 1:1 2:1",
        "\0(S a)",
        "a b",
    ],
)
def test_other_data_is_left_alone(text):
    assert not is_tree_file(text.encode())


@pytest.mark.parametrize(
    ("name", "trees", "labels"),
    [
        ("qc/test.tk.gz", 500, 6),
        ("treebank/wsj_sample.trees.gz", 3914, 199),
        ("ast/java_methods.trees.gz", 35834, 1068),
        ("sst/dev.txt.gz", 1101, 0),
    ],
)
def test_the_corpora(corpora, name, trees, labels):
    forest, found = gm.read_trees(corpora / name)
    assert len(forest) == trees
    assert (0 if found is None else len(np.unique(found))) == labels
