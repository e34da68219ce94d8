"""Files of labelled trees, block by block: the same as all at once."""

from __future__ import annotations

import gzip
import io
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.apps.tree_classification.files import read_labelled_trees, tree_blocks
from tests.data.tree_strategies import to_strings, tree_lists

KELP = "{} |BS:text| who ? |ES| |BV:bow| who:1.0 |EV| |BT:grct| (root(who)(x{})) |ET| |BT:lct| (who) |ET|"
TK = "{} |BT| (S (A a{})) |BT| (T b) |ET|"
PLAIN = "{}\t(S (A a{}))"


@pytest.fixture
def put(tmp_path):
    def written(text, name="file"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return written


def gathered(path, **options):
    blocks = list(tree_blocks(path, **options))
    lines = [line.decode() for block in blocks for line in block.lines]
    trees = [tree for block in blocks for tree in block.forest]
    labels = [label for block in blocks for label in block.labels or []]
    return lines, trees, labels, len(blocks)


@pytest.mark.parametrize("form", [KELP, TK, PLAIN], ids=["kelp", "svmlight-tk", "bracketed"])
@pytest.mark.parametrize("size", [1, 90, 1 << 20])
def test_blocks_hold_all_examples_of_a_file(put, form, size):
    lines = [form.format(number % 2, number) for number in range(9)]
    path = put("\n\n".join(lines) + "\n")
    found, trees, labels, blocks = gathered(path, size=size, labelled=True)
    assert found == lines
    assert len(set(trees)) == 9
    assert labels == [str(number % 2) for number in range(9)]
    assert (blocks > 1) == (size < 100)


@given(tree_lists(), st.integers(1, 40), st.sampled_from(["\n", " ", "\n\n", "\r\n"]), st.booleans())
def test_trees_that_go_over_lines_stay_whole(tmp_path_factory, trees, size, between, broken):
    strings = to_strings(trees)
    text = between.join(strings)
    path = tmp_path_factory.mktemp("trees") / "file"
    path.write_text(text.replace(" ", "\n") if broken else text, newline="")
    lines, found, _, _ = gathered(path, size=size)
    assert found == list(gm.Forest.from_strings(strings))
    assert list(gm.Forest.from_strings(lines)) == found


def test_escaped_brackets_and_line_ends_end_nothing(put):
    path = put("x\t(S \\( a)\nx\t(S \\) \\\n b)\nx\t(S c)\n")
    _, trees, labels, _ = gathered(path, size=1)
    assert trees == ["(S \\( a)", "(S \\) \\\n b)", "(S c)"]
    assert labels == ["x"] * 3


def test_files_may_be_packed_or_come_from_a_pipe(put, monkeypatch):
    text = b"a\t(S x)\nb\t(S y)\n"
    assert gathered(put(gzip.compress(text)))[1:3] == (["(S x)", "(S y)"], ["a", "b"])
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    assert gathered("-")[2] == ["a", "b"]


def test_trees_need_no_labels_to_be_labelled(put):
    assert gathered(put("(S x)\n(S y)\n"))[0] == ["(S x)", "(S y)"]


@pytest.mark.parametrize("text", ["", "\n \n", "\n" * 100])
def test_empty_files_have_no_blocks(put, text):
    assert gathered(put(text), size=10) == ([], [], [], 0)


def test_the_tree_of_a_name(put):
    kelp, tk = put(KELP.format("a", 0), "kelp"), put(TK.format(1, 0), "tk")
    plain = put(PLAIN.format("a", 0), "plain")
    assert [block.tree for block in tree_blocks(kelp)] == ["grct"]
    assert gathered(kelp, tree="lct")[1] == ["(who)"]
    assert gathered(tk, tree="tree2")[1] == ["(T b)"]
    for path, tree, message in (
        (kelp, "other", "no representation 'other'"),
        (kelp, "bow", "is a vector"),
        (tk, "grct", "tree1, tree2 and so on"),
        (tk, "tree3", "no tree 3"),
        (plain, "lct", "plain: examples have one tree, without a name; there is no 'lct'"),
    ):
        with pytest.raises(gm.FormatError, match=message):
            gathered(path, tree=tree)


def test_the_usual_tree_is_taken_where_there_are_several_and_none_is_named(put):
    kelp, plain = put(KELP.format("a", 0), "kelp"), put(PLAIN.format("a", 0), "plain")
    assert gathered(kelp, usual="lct") == gathered(kelp, tree="lct")
    assert gathered(kelp, tree="grct", usual="lct") == gathered(kelp)
    assert gathered(plain, usual="lct") == gathered(plain)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("\n\na\t(S x)\nb\t(S\n", "4:3", None),
        ("a\t(S x)\nb\t(S x))\n", "2:8", None),
        ("a\t(S x)\n(S y)\n", "2:1", "others have labels|no labels"),
        ("(S x)\n(S y)\n", "1:1", "no labels; write LABEL<TAB>"),
        ("no trees\n", "1:1", "no file of trees"),
        ("a b |BT:x| (S) |ET|\n", "1:1", "expected one label, got \\['a', 'b'\\]"),
        ("a |BT:x| (S) |ET|\n\n|BT:x| (S) |ET|\n", "3:1", "expected one label, got \\[\\]"),
        ("a |BT:x| (S) |ET|\nb |BT:x| (S |ET|\n", "2:1", None),
        ("1 |BT| (S a) |ET|\nx |BT| (S a) |ET|\n", "2:1", None),
        ("a |BV:x| a:1 |EV|\n", "", "no tree"),
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_what_is_wrong_is_said_with_its_place(put, text, place, message, size):
    path = put(text)
    with pytest.raises(gm.FormatError, match=message) as caught:
        list(tree_blocks(path, labelled=True, size=size))
    assert str(caught.value).startswith(f"{path}:{place}")


def test_rows_are_no_trees(put):
    with pytest.raises(gm.FormatError, match=r"file: expected trees .* got rows in svmlight format: gristmill train"):
        list(tree_blocks(put("1 1:1 2:1\n")))


def test_text_that_is_not_utf_8_is_refused(put):
    for text in ("a\t(S x)".encode("utf-16"), b"a\t(S \xff)\n"):
        with pytest.raises(gm.FormatError, match="UTF-"):
            gathered(put(text))


def test_marks_are_read_where_they_matter(put):
    assert read_labelled_trees(put("a\t(S x*1)\n"), marks=True).forest.has_marks
    assert not read_labelled_trees(put("a\t(S x*1)\n")).forest.has_marks
    with pytest.raises(gm.FormatError, match="have no marks"):
        read_labelled_trees(put(KELP.format("a", 0)), marks=True)


def test_all_of_a_file_at_once(put):
    block = read_labelled_trees(put("".join(PLAIN.format(number, number) + "\n" for number in range(3))))
    assert (list(block.forest), block.labels) == (["(S (A a0))", "(S (A a1))", "(S (A a2))"], ["0", "1", "2"])


def test_real_files_are_the_same_in_blocks(corpora):
    for name in ("qc/test.tk.gz", "qc/kelp/TREC_10.coarse.klp.gz"):
        blocks = list(tree_blocks(corpora / name, labelled=True, size=20_000))
        whole = read_labelled_trees(corpora / name)
        assert len(blocks) > 3
        assert [tree for block in blocks for tree in block.forest] == list(whole.forest)
        assert [label for block in blocks for label in block.labels] == whole.labels
        assert len(whole.labels) == 500
