"""Data files of SVM-light-TK: read, written, refused."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.formats.svmlight_tk import parse_examples
from gristmill.data.rows import Rows, as_rows
from gristmill.machines.formats import write
from tests.data.tree_strategies import tree_lists

DELIVERS = "(S (N Paul) (VP (V delivers)))"


def written(X, y, tmp_path, **options):
    gm.write_svmlight_tk(tmp_path / "out", X, y, **options)
    return (tmp_path / "out").read_text()


def vectors_of(rows):
    return [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in rows.to_csr()]


# --- reading ----------------------------------------------------------------------------------------------------------


def test_the_example_of_version_1_0():
    X, y = parse_examples(b"1 (S (N Paul)(VP (V delivers))) |STD| 1:0.08 1000:0.46\n")
    assert list(X["trees"]) == ["(S (N Paul) (VP (V delivers)))"]
    assert vectors_of(X["vectors"]) == [{0: 0.08, 999: 0.46}]
    assert y.tolist() == [1.0]


def test_the_example_of_version_1_2():
    X, y = parse_examples(b"1 |BT| (S a) |BT| (NP (D b)) |ET| 1:0.08 |BV| 2:1 |EV|\n")
    assert list(X.fields) == ["tree1", "tree2", "vector1", "vector2"]
    assert (list(X["tree1"]), list(X["tree2"])) == (["(S a)"], ["(NP (D b))"])
    assert (vectors_of(X["vector1"]), vectors_of(X["vector2"])) == ([{0: 0.08}], [{1: 1}])
    assert y.dtype == np.float64


@pytest.mark.parametrize("text", [b"-1 |BT| (S a) |ET|", b"-1|BT|(S a)|ET|\n", b"\n# no\n-1 (S a)\r\n", b"-1\t(S a)"])
def test_one_tree_an_example_gives_a_forest(text):
    X, y = parse_examples(text)
    assert isinstance(X, gm.Forest)
    assert (list(X), y.tolist()) == (["(S a)"], [-1.0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"1 3:1", [[{2: 1}]]),
        (b"1 3:1 |EV|", [[{2: 1}]]),
        (b"1 |BV| 3:1", [[{}], [{2: 1}]]),
        (b"1 |BV| |EV|", [[{}], [{}]]),
        (b"1 3:1|BV|2:1|EV|", [[{2: 1}], [{1: 1}]]),
        (b"1 3:1 # |BV| 2:1", [[{2: 1}]]),
        (b"1 3:1 |EV| # more", [[{2: 1}]]),
        (b"1 3:1\n1\n", [[{2: 1}, {}]]),
        (b"1 3:1 |BV| 1:1\n1 2:1\n", [[{2: 1}, {1: 1}], [{0: 1}, {}]]),
    ],
)
def test_marks_stand_between_vectors(text, expected):
    X, _ = parse_examples(text)
    assert [vectors_of(rows) for rows in X.fields.values()] == expected


def test_an_empty_file_holds_no_trees():
    X, y = parse_examples(b"\n# nothing\n")
    assert (len(X), len(y)) == (0, 0)


def test_the_number_of_trees_and_vectors_can_be_given():
    X, _ = parse_examples(b"1 |BT| (S a) |ET|", n_vectors=1)
    assert list(X.fields) == ["trees", "vectors"]
    assert vectors_of(X["vectors"]) == [{}]
    X, _ = parse_examples(b"1 |BT| (S a) |ET|", n_trees=2, absent="none")
    assert list(X["tree2"]) == ["(none)"]


def test_a_backslash_is_a_character_like_others():
    X, _ = parse_examples(b"1 |BT| (S (A \\) (B a\\\\b) (C 1\\/2)) |ET|\n1 |BT| (\\ \\ \\) |ET|\n")
    same = gm.Forest.from_nested([("S", ("A", "\\"), ("B", "a\\\\b"), ("C", "1\\/2")), ("\\", "\\", "\\")])
    assert X == same


def test_options_of_trees():
    text = b"1 |BT| (S (NP-SBJ*1 (-NONE- x)) (VP-2 b)) |ET|"
    assert parse_examples(text, marks=True)[0].has_marks
    assert list(parse_examples(text, traces=False, functions=False)[0]) == ["(S (VP b))"]


# --- trees that are not there -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b"1 |BT| (S a) |BT||ET|", b"1 |BT| (S a) |BT| |ET|", b"1 |BT| (S a) |ET|"])
def test_an_absent_tree_becomes_a_leaf_if_asked(line):
    X, _ = parse_examples(b"1 |BT| (S a) |BT| (S b) |ET|\n" + line, absent="none")
    assert list(X["tree2"]) == ["(S b)", "(none)"]
    for kernel in (gm.SubtreeKernel(), gm.SubsetTreeKernel()):
        assert kernel(X["tree2"])[1].tolist() == [0, 0]
    for kernel in (gm.SubsetTreeKernel(leaves=True), gm.PartialTreeKernel()):
        assert kernel(X["tree2"])[1, 0] == 0


def test_an_absent_tree_is_refused_otherwise():
    with pytest.raises(gm.FormatError, match=r"2:11: this example has no tree 1, .* absent="):
        parse_examples(b"1 |BT| (S b) |ET|\n1     |BT| |ET|")
    with pytest.raises(gm.FormatError, match="2:2: this example has no tree 1"):
        parse_examples(b"1 |BT| (S b) |ET|\n1 1:1")


@pytest.mark.parametrize("absent", ["", "a b", "(", 3])
def test_no_label_for_absent_trees(absent):
    with pytest.raises(ValueError, match="absent must be a label"):
        parse_examples(b"", absent=absent)


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        (b"yes |BT| (S a) |ET|", 1, "expected a label, got 'yes'"),
        (b" |BT| (S a) |ET|", 2, "expected a number at the beginning of the line"),
        (b"1 |BT| (S a)", 3, r"no \|ET\| ends the trees"),
        (b"1 |BT| (S a) |BT| (S b)", 14, r"no \|ET\| ends the trees"),
        (b"1 |BT| (S a) |EV|", 14, r"expected \|BT\| or \|ET\| behind a tree, got \|EV\|"),
        (b"1 |BT| (S a |ET|", 8, "this bracket is never closed"),
        (b"1 |BT| (S a)) |ET|", 13, "the tree ends here, but something follows"),
        (b"1 |BT| S |ET|", 8, r"a tree begins with '\(', got 'S'"),
        (b"1 |BT| (S ()) |ET|", 12, "expected a label after the opening bracket"),
        (b"1 |BT| (S (\\ \\) x |ET|", 8, "this bracket is never closed"),
        (b"1 |BT| (S (\\ \\) (\\)\\)) () |ET|", 22, "the tree ends here, but something follows"),
        (b"1 |BT| (S \xff) |ET|", 11, "is not UTF-8"),
        (b"1 2:1 |BT| (S a) |ET|", 7, r"\|BT\| cannot stand here"),
        (b"1 |ET|", 3, r"\|ET\| cannot stand here"),
        (b"1 |BT| (S a) |ET| |ET|", 19, r"\|ET\| cannot stand here"),
        (b"1 |BT| (S a) |ET| 1:1 |EV| 2:1", 28, r"expected the end of the line behind \|EV\|"),
        (b"1 |BT| (S a) |ET| 1:1 |EV| |BV|", 28, r"expected the end of the line behind \|EV\|"),
        (b"1 |BT| (S a) |ET| x:1", 19, "expected a feature id, got 'x:1'"),
        (b"1 |BT| (S a) |ET| 0:1", 19, "feature id 0"),
        (b"1 |BT| (S a) |ET| 1:x", 21, "expected a feature value"),
        (b"1 |BT| (S a) |ET| 1:1 |BV| 2:1 2:1 |EV|", 32, "occurs twice"),
        (b"1 (S a) |ET|", 9, r"expected \|STD\| behind a tree without \|BT\|, got \|ET\|"),
        (b"1 (S a) 1:1", 8, "the tree ends here, but something follows"),
        (b"1 (S a) |STD| y", 15, "expected a feature id"),
    ],
)
def test_what_is_malformed_is_refused_with_line_and_column(line, column, message):
    with pytest.raises(gm.FormatError, match=message) as caught:
        parse_examples(b"1 |BT| (S b) |ET| 3:1 |EV|\n\n" + line + b"\n1 |BT| (S b) |ET|\n")
    assert (caught.value.line, caught.value.column) == (3, column)


def test_a_line_with_nothing_but_a_label_is_refused():
    with pytest.raises(gm.FormatError, match="1:2: expected a tree or a feature behind the label"):
        parse_examples(b"1\n")


def test_more_trees_or_vectors_than_wanted_are_refused():
    with pytest.raises(gm.FormatError, match="1:17: expected 1 trees, got 2"):
        parse_examples(b"1 |BT| (S a)|BT| (S b) |ET|", n_trees=1)
    with pytest.raises(gm.FormatError, match="1:3: expected 0 vectors, got 1"):
        parse_examples(b"1 2:1", n_vectors=0)


def test_errors_name_the_file(tmp_path):
    (tmp_path / "bad").write_bytes(b"1 |BT| (S a)\n")
    with pytest.raises(gm.FormatError, match="bad:1:3: no"):
        gm.read_svmlight_tk(tmp_path / "bad")


# --- writing ----------------------------------------------------------------------------------------------------------


def test_leaves_that_have_siblings_are_written_in_brackets(tmp_path):
    trees = ["(S (NP the dog) (VP barks) x)", "(S x)", "(x)", "(S (NP (D the) dog))"]
    assert written(trees, [1, -1, 0.1, 2], tmp_path).splitlines() == [
        "1 |BT| (S (NP (the) (dog)) (VP barks) (x)) |ET|",
        "-1 |BT| (S x) |ET|",
        "0.1 |BT| (x) |ET|",
        "2 |BT| (S (NP (D the) (dog))) |ET|",
    ]


def test_every_vector_is_ended(tmp_path):
    X = gm.Examples(a=["(S a)", "(S b)"], b=as_rows(np.array([[0, 0.5], [0, 0]]), binarize=False), c=[{1}, set()])
    assert written(X, [1, -1], tmp_path) == "1 |BT| (S a) |ET| 2:0.5 |BV| 2:1 |EV|\n-1 |BT| (S b) |ET|  |BV|  |EV|\n"


def test_absent_trees_are_written_as_nothing(tmp_path):
    text = "1 |BT| (S a) |BT|  |ET|\n1 |BT|  |BT| (S a) |ET|\n"
    X, y = parse_examples(text.encode(), absent="none")
    assert written(X, y, tmp_path, absent="none") == text


@pytest.mark.parametrize("label", ["a b", "(", "a)", "a|BT|b", "|EV|", "\n", "\0"])
def test_labels_that_the_format_has_no_room_for_are_refused(label, tmp_path):
    forest = gm.Forest.from_nested([("S", label)])
    with pytest.raises(ValueError, match="SVM-light-TK has no label"):
        gm.write_svmlight_tk(tmp_path / "out", forest, [1])
    assert not (tmp_path / "out").exists()


def test_labels_must_fit(tmp_path):
    with pytest.raises(ValueError, match="one label for each of 1 examples"):
        written([DELIVERS], [1, 2], tmp_path)
    with pytest.raises(ValueError, match="finite"):
        written([DELIVERS], [np.nan], tmp_path)


ODD = ["a", "b", "\\", "a\\\\b", "\\/", "|", "#", "1:1", "*1", "é", "\u3000"]


@given(
    tree_lists(ODD, min_size=1),
    tree_lists(ODD, min_size=5, max_size=5),
    st.lists(st.dictionaries(st.integers(0, 5), st.sampled_from([1.0, -0.1, 1e-300])), min_size=5, max_size=5),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=5, max_size=5),
)
def test_what_is_written_reads_back(tmp_path_factory, first, second, vectors, labels):
    path = tmp_path_factory.getbasetemp() / "round_trip"
    size = len(first)
    X = gm.Examples(
        tree1=gm.Forest.from_nested(first), tree2=gm.Forest.from_nested(second[:size]), vectors=_rows(vectors[:size])
    )
    gm.write_svmlight_tk(path, X, labels[:size])
    again, y = gm.read_svmlight_tk(path)
    assert (again["tree1"], again["tree2"]) == (X["tree1"], X["tree2"])
    assert vectors_of(again["vectors"]) == vectors_of(X["vectors"])
    assert y.tolist() == labels[:size]
    gm.write_svmlight_tk(path, X["tree1"], labels[:size])
    assert gm.read_svmlight_tk(path)[0] == X["tree1"]


def _rows(vectors):
    ids = [column for vector in vectors for column in sorted(vector)]
    values = [vector[column] for vector in vectors for column in sorted(vector)]
    offsets = np.cumsum([0, *map(len, vectors)], dtype=np.int64)
    return Rows(offsets, np.array(ids, dtype=np.int32), np.array(values, dtype=np.float64), 6)


# --- corpora ----------------------------------------------------------------------------------------------------------


def qc_trees(corpora, name):
    lines = gzip.decompress((corpora / "qc" / name).read_bytes()).decode().splitlines()
    return [line.partition("\t")[::2] for line in lines]


@pytest.mark.parametrize("kind", ["tk", "grct.tk", "lct.tk"])
@pytest.mark.parametrize("part", ["train", "test"])
def test_all_question_trees_survive(corpora, kind, part, tmp_path):
    labels, trees = zip(*qc_trees(corpora, f"{part}.{kind}.gz"), strict=True)
    y = np.where(np.array(labels) == "NUM", 1, -1)
    forest = gm.Forest.from_strings(trees)
    text = "".join(f"{label} |BT| {tree} |ET|\n" for label, tree in zip(y, trees, strict=True))
    (tmp_path / "data").write_text(text)
    X, read = gm.read_svmlight_tk(tmp_path / "data")
    assert X == forest
    assert np.array_equal(read, y)
    gm.write_svmlight_tk(tmp_path / "data", X, y)
    assert gm.read_svmlight_tk(tmp_path / "data")[0] == forest


def test_examples_with_an_empty_first_vector(corpora):
    X, y = gm.read_svmlight_tk(corpora / "models/svmlight_tk/ddi.train.gz")
    assert list(X.fields) == ["trees", "vector1", "vector2"]
    assert (len(X), X["vector1"].lengths.max(), X["vector2"].n_features) == (178, 0, 60)
    assert set(y) == {-1, 1}
    X, _ = gm.read_svmlight_tk(corpora / "models/svmlight_tk/cdr.test.gz")
    assert list(X.fields) == ["vectors"]


# --- compared with SVM-light-TK ---------------------------------------------------------------------------------------


KERNELS = [
    gm.SubtreeKernel(),
    gm.SubsetTreeKernel(),
    gm.SubsetTreeKernel(leaves=True),
    gm.PartialTreeKernel(max_children=5),
    gm.PartialTreeKernel(0.7, 0.3, max_children=5),
]


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("kind", ["tk", "grct.tk", "lct.tk"])
def test_kernels_are_the_program_s(svm_classify_tk, corpora, kind, kernel, normalised, tmp_path):
    forest = gm.Forest.from_strings(tree for _, tree in qc_trees(corpora, f"test.{kind}.gz"))
    kernel = gm.Normalized(kernel) if normalised else kernel
    gm.write_svmlight_tk(tmp_path / "data", forest, np.ones(len(forest)))
    for number in (0, 17, 250):
        one = forest[[number]]
        write(gm.Machine(kernel, one, [1.0], 0.0, classes=[-1, 1]), tmp_path / "model", "svmlight-tk")
        theirs = svm_classify_tk(tmp_path / "data", tmp_path / "model")
        for ours in (kernel(forest, one), kernel.direct(forest, one)):
            assert theirs == pytest.approx(ours[:, 0], rel=3e-7)  # kernels in 32 bits, eight digits


@pytest.mark.parametrize("kernel", KERNELS[1:], ids=str)
def test_kernels_of_odd_trees_are_the_program_s(svm_classify_tk, kernel, tmp_path):
    """Leaves beside inner nodes, equal labels at both, backslashes; not ST, which is indefinite there."""
    trees = ["(a b (b c) c)", "(a (b c) b)", "(a)", "(a (a (a a)) a)", "(a \\\\ (\\\\ \\\\) 1\\/2)", "(b # (: :) |)"]
    forest = gm.Forest.from_strings(trees)
    gm.write_svmlight_tk(tmp_path / "data", forest, np.ones(len(forest)))
    for number in range(len(forest)):
        one = forest[[number]]
        write(gm.Machine(kernel, one, [1.0], 0.0, classes=[-1, 1]), tmp_path / "model", "svmlight-tk")
        ours = kernel.direct(forest, one)[:, 0]
        assert svm_classify_tk(tmp_path / "data", tmp_path / "model") == pytest.approx(ours, rel=3e-7)
