"""What one part writes another part reads, and what is given is used or refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.formats.svmlight_tk import parse_examples
from tree_strategies import tree_lists

# --- trees between |BT| and |ET| --------------------------------------------------------------------------------------

ODD = ["a", "S", "\\", "a\\", "\\\\", "a b", " ", "(", ")", ":)", "(x)", "|", "*", "NP*1", "#", "é", "\u3000", "1:1", "\t", "\r"]
MARKS = ["|ET|", "|BT|", "|EV|", "x|BV|y"]
ESCAPED = re.compile(r"(?:[^\\]|^)(?:\\\\)*\\[()\s]")
DOUBLED = re.compile(r"\\\\")


@given(tree_lists(ODD, min_size=1, max_size=3))
@example([("S", ":)", "a b")])
@example([("a\\", "b")])
@example([("S", ("(", ")"))])
def test_trees_as_a_forest_spells_them_are_read_in_lines_of_svm_light_tk(trees):
    forest = gm.Forest.from_nested(trees)
    for number, spelled in enumerate(forest):
        found, labels = parse_examples(f"1 |BT| {spelled} |ET|\n".encode())
        if ESCAPED.search(spelled) or not DOUBLED.search(spelled):
            assert found == forest[number : number + 1], spelled
        else:  # what SVM-light-TK sees: two backslashes are two
            literal = gm.Forest.from_strings([spelled.replace("\\", "\\\\")])
            assert found == literal
        assert labels.tolist() == [1.0]


@given(tree_lists([*ODD, *MARKS], min_size=1, max_size=3))
@example([("a\\", "b")])
@example([("a\\", ("b\\", "\\"))])
def test_what_write_svmlight_tk_writes_is_read_back_and_the_rest_is_refused(tmp_path_factory, trees):
    path = tmp_path_factory.mktemp("tk") / "data"
    forest = gm.Forest.from_nested(trees)
    held = not any(re.search(r"[()\s]|\|(BT|ET|BV|EV|STD)\|", label, re.ASCII) for label in labels_of(forest))
    if not held:
        with pytest.raises(ValueError, match=r"SVM-light-TK has no label .*gm\.write_trees"):
            gm.write_svmlight_tk(path, forest, np.ones(len(forest)))
        assert not path.exists()
        return
    gm.write_svmlight_tk(path, forest, np.ones(len(forest)))
    assert gm.read_svmlight_tk(path)[0] == forest


def labels_of(forest):
    texts, ends, *_ = forest.flat()
    return [texts[begin:end].decode() for begin, end in zip([0, *ends[:-1]], ends, strict=True)]


@pytest.mark.parametrize("label", MARKS)
def test_a_label_that_cuts_the_line_is_an_error_and_never_another_tree(label):
    tree = gm.Forest.from_nested([("S", label)])[0]
    with pytest.raises(gm.FormatError):
        parse_examples(f"1 |BT| {tree} |ET|\n".encode())


def test_errors_behind_escapes_name_the_column_of_the_file():
    with pytest.raises(gm.FormatError) as caught:
        parse_examples(b"1 |BT| (S :\\)) |BT| (\\ \\) ( |ET|\n")
    assert (caught.value.line, caught.value.column) == (1, 26)
