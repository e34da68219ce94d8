"""What one part writes another part reads, and what is given is used or refused."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.apps.segmentation.files import join_file
from gristmill.apps.tree_classification.files import tree_blocks
from gristmill.cli import run
from gristmill.data.formats.svmlight_tk import parse_examples
from gristmill.data.formats.tree_data import parse_tree_examples
from tests.data.tree_strategies import tree_lists

# --- trees between |BT| and |ET| --------------------------------------------------------------------------------------

ODD = ["a", "S", "\\", "a\\", "\\\\", "a b", " ", "(", ")", ":)", "(x)"]
ODD += ["|", "*", "NP*1", "#", "é", "\u3000", "1:1", "\t", "\r"]
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


# --- word labels in svmlight files ------------------------------------------------------------------------------------

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


@given(st.lists(WORDS, min_size=1, max_size=5))
@example(["yes", "no"])
@example(["1", "-1"])
@example(["a#b"])
@example(["0\0"])
@example(["a\u3000b", "\ufeffx", "qid:1", "x:1"])
def test_word_labels_are_read_back_or_refused_before_anything_is_written(tmp_path_factory, labels):
    path = tmp_path_factory.mktemp("words") / "data"
    X = sp.identity(len(labels), format="csr")
    try:
        gm.write_svmlight(path, X, labels)
    except ValueError as error:
        assert "a label must be a word" in str(error)  # noqa: PT017
        assert not path.exists()
        assert any(re.search("[\0-\x20()|#\ufeff]", label) for label in labels)
        return
    found, words = gm.read_svmlight(path, words=True)
    assert words.tolist() == labels
    assert (found != X).nnz == 0


def test_word_labels_go_through_every_reader_that_takes_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gm.write_svmlight("data", np.eye(4), ["yes", "no", "yes", "no"], query_id=[1, 1, 2, 2])
    assert run(["train", "data", "model", "-d", "1", "-q"]) == 0
    assert run(["train", "data", "online", "--online", "-q"]) == 0
    assert run(["evaluate", "model", "data"]) == 0
    assert gm.load("model").classes.tolist() == ["no", "yes"]
    assert gm.read_svmlight("data", words=True, query_id=True)[2].tolist() == [1, 1, 2, 2]
    with pytest.raises(
        gm.FormatError, match="data:1:1: expected a label, got 'yes'; if labels are words, say words=True"
    ):
        gm.read_svmlight("data")
    capsys.readouterr()


@pytest.mark.parametrize("labels", [["yes", None], ["yes", 1.0], [[1], [2]]])
def test_labels_that_are_neither_numbers_nor_words_are_refused(tmp_path, labels):
    with pytest.raises(ValueError, match="y must hold"):
        gm.write_svmlight(tmp_path / "data", np.eye(2), np.array(labels, dtype=object))
    assert not (tmp_path / "data").exists()


# --- words with wide gaps ---------------------------------------------------------------------------------------------

SENTENCES = [line.split() for line in ("また 海 が 見 たい 。", "海 を 見 た 。", "また 行き たい 。")] * 4
GAPS = {"one space": " ", "two spaces": "  ", "three": "   ", "ideographic": "\u3000"}


@pytest.mark.parametrize("gap", GAPS.values(), ids=list(GAPS))
@pytest.mark.parametrize("end", ["\n", "  \n", "\r\n"])
def test_segmented_text_may_have_the_gaps_of_sighan(tmp_path, monkeypatch, capsys, gap, end):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words").write_bytes("".join(gap.join(words) + end for words in SENTENCES).encode())
    assert run(["segment", "train", "words", "model", "-q"]) == 0
    assert run(["segment", "evaluate", "model", "words", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gold"] == sum(map(len, SENTENCES))
    expected = gm.apps.Segmenter().fit(SENTENCES)
    text = [gap.join(words) for words in SENTENCES]
    for segmenter in (gm.apps.Segmenter.load("model"), gm.apps.Segmenter().fit(text)):
        assert segmenter.words_ == expected.words_
        assert segmenter.segment("海が見たい。") == expected.segment("海が見たい。")
        assert segmenter.score(text) == expected.score(SENTENCES)


def test_text_with_spaces_of_its_own_stays_as_it_is(tmp_path):
    text = "Hello  world ! \nHello  world .\n"  # one gap is one space: the others are the text's own
    segmenter = gm.apps.Segmenter().fit(text)
    assert segmenter.segment("Hello world!") == ["Hello", "world", "!"]
    assert segmenter.joined(text) == "Hello world! \nHello world.\n"
    (tmp_path / "words").write_text("Hello  world\n")
    join_file(tmp_path / "words", tmp_path / "text")  # what `segment run` made of text that has no other boundary
    assert (tmp_path / "text").read_text() == "Hello world\n"


# --- what is given is used or refused ---------------------------------------------------------------------------------

TAGGED = "dogs N\nbark V\n\ncats N\npurr V\n"


def test_templates_are_a_text_or_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tagged").write_text(TAGGED)
    (tmp_path / "templates").write_text("F:0:0\n")
    assert run(["tag", "train", "tagged", "model", "--templates", "F:0:0", "-q"]) == 0
    assert gm.apps.Tagger.load("model").templates == "F:0:0"
    assert run(["tag", "train", "tagged", "model", "--templates", "@templates", "-q"]) == 0
    assert gm.apps.Tagger.load("model").templates == "F:0:0\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("F:0:0\n F:0:x", "windows.txt:2:2: "),
        ("F:0:9", "windows.txt:1:1: "),
        ("U0:%x[0,0]\nU1:%x[0]\n", "windows.txt:2:1: "),
    ],
)
def test_errors_in_a_template_file_name_it_with_line_and_column(tmp_path, monkeypatch, capsys, text, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tagged").write_text(TAGGED)
    (tmp_path / "windows.txt").write_text(text)
    assert run(["tag", "train", "tagged", "model", "--templates", "@windows.txt"]) == 1
    assert place in capsys.readouterr().err


def test_errors_in_a_feature_file_of_the_parser_name_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.conllu").write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    (tmp_path / "features.txt").write_text("s0.form\n s0.nothing\n")
    assert run(["parse", "train", "tree.conllu", "model", "--templates", "@features.txt"]) == 1
    assert "features.txt:2:2: " in capsys.readouterr().err


VECTORS = "1 |BT| (S (A a)) |ET| 1:1 2:1 |EV|\n-1 |BT| (S (B b)) |ET| 2:1 |EV|\n"


def test_vectors_beside_trees_are_no_matter_of_classify_trees(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "both").write_text(VECTORS)
    (tmp_path / "trees").write_text(re.sub(r"\|ET\|.*", "|ET| |EV|", VECTORS))
    assert run(["classify-trees", "train", "both", "model"]) == 1
    assert "both:1:23: a vector stands behind the trees" in (err := capsys.readouterr().err)
    assert "gristmill train" in err
    assert run(["classify-trees", "train", "trees", "model", "-q"]) == 0
    for command in (["run", "model", "both"], ["evaluate", "model", "both"]):
        assert run(["classify-trees", *command]) == 1
        assert "both:1:23: " in capsys.readouterr().err
    assert run(["train", "both", "machine", "--combine", "+", "-q"]) == 0
    assert run(["predict", "machine", "both"]) == 0


# --- every writer with every reader -----------------------------------------------------------------------------------

LABELS = [
    "a",
    "#a",
    "# a",
    "a #b",
    "|BT|",
    "x|BV:y|",
    "|STD|",
    "|",
    "1",
    "1 2:3",
    "qid:1",
    "a b",
    "\\",
    "é",
    "(",
    " a",
    "1:1",
]
HELD = [*ODD, "\n", "|STD|", "|BT|", "\ufeff"]


def read_by_all(path):
    """Trees and labels as each reader of trees has them."""
    yield gm.read_trees(path)
    found = parse_tree_examples(path.read_bytes())
    assert found is not None
    yield found.X, found.labels
    blocks = list(tree_blocks(path))
    yield (
        sum((block.forest for block in blocks), gm.Forest()),
        [label for block in blocks for label in block.labels or []],
    )


@given(tree_lists(HELD, min_size=1, max_size=3), st.data())
def test_what_write_trees_writes_every_reader_of_trees_reads(tmp_path_factory, trees, data):
    path, forest = tmp_path_factory.mktemp("trees") / "data", gm.Forest.from_nested(trees)
    labels = data.draw(st.none() | st.lists(st.sampled_from(LABELS), min_size=len(trees), max_size=len(trees)))
    try:
        gm.write_trees(path, forest, labels)
    except ValueError:
        assert set(labels or []) & {"|BT|", "x|BV:y|", "|STD|", "(", " a"}
        assert not path.exists()
        return
    for found, names in read_by_all(path):
        assert found == forest
        assert list([] if names is None else names) == (labels or [])


@given(tree_lists(["a", "\\", "|", "#", "é", "NP*1"], min_size=1, max_size=3), st.data())
def test_what_write_svmlight_tk_writes_every_reader_of_trees_reads(tmp_path_factory, trees, data):
    path, forest = tmp_path_factory.mktemp("tk") / "data", gm.Forest.from_nested(trees)
    labels = data.draw(st.lists(st.sampled_from([1.0, -1.0, 0.5, 7.0]), min_size=len(trees), max_size=len(trees)))
    gm.write_svmlight_tk(path, forest, labels)
    found, numbers = gm.read_svmlight_tk(path)
    assert (found, numbers.tolist()) == (forest, labels)
    same = parse_tree_examples(path.read_bytes())
    assert (same.X, [float(label) for label in same.labels]) == (forest, labels)
    (block,) = tree_blocks(path)
    assert (block.forest, [float(label) for label in block.labels]) == (forest, labels)


def test_marks_are_read_back_and_what_only_looks_like_one_is_refused(tmp_path):
    forest = gm.Forest.from_strings(["(S*1 a*2*3 b)", "(S *1 c*)"], marks=True)
    gm.write_trees(tmp_path / "marked", forest)
    assert gm.read_trees(tmp_path / "marked", marks=True)[0] == forest
    product = gm.Forest.from_strings(["(S 5*3)"])
    gm.write_trees(tmp_path / "plain", product)
    assert gm.read_trees(tmp_path / "plain")[0] == product
    with pytest.raises(ValueError, match=r"'5\*3' has no mark"):
        gm.write_trees(tmp_path / "both", forest + product)
    assert not (tmp_path / "both").exists()


def test_a_gram_matrix_for_libsvm_is_read_by_train(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gm.write_trees("trees", ["(S (A a))", "(S (B b))", "(S (A a) (C c))", "(S (B b) (C c))"], ["x", "y", "x", "y"])
    assert run(["kernel", "trees", "--kernel", "ptk", "--format", "libsvm", "-o", "gram"]) == 0
    assert run(["train", "gram", "model", "-k", "precomputed", "--format", "libsvm", "-q"]) == 0
    X, y = gm.read_svmlight("gram", zero_based=True)
    assert X.shape == (4, 5)
    assert y.tolist() == [0, 1, 0, 1]
    capsys.readouterr()


@pytest.mark.parametrize("plain", [["a_b", "(c", "d"], ["#", "1:1", "\\"], ["|", "éa", "x"]])
def test_what_the_programs_write_they_read(tmp_path, monkeypatch, capsys, plain):
    """Answers of a tagger and of a segmenter go back into the same programs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tagged").write_text("".join(f"{word}\t{tag}\n" for word, tag in zip(plain, "NVN", strict=True)) + "\n")
    assert run(["tag", "train", "tagged", "tagger", "-q"]) == 0
    assert run(["tag", "run", "tagger", "tagged", "-o", "answers"]) == 0
    assert run(["tag", "evaluate", "tagger", "answers"]) == 0
    text = "".join(plain) + "\n"
    (tmp_path / "words").write_text(" ".join(plain) + "\n" + " ".join(reversed(plain)) + "\n")
    (tmp_path / "text").write_text(text)
    assert run(["segment", "train", "words", "segmenter", "-q"]) == 0
    assert run(["segment", "run", "segmenter", "text", "-o", "segmented"]) == 0
    assert run(["segment", "join", "segmented", "-o", "joined"]) == 0
    assert (tmp_path / "joined").read_text() == text
    assert run(["segment", "run", "segmenter", "text", "--format", "conllu", "-o", "conllu"]) == 0
    assert run(["segment", "evaluate", "segmenter", "conllu"]) == 0
    capsys.readouterr()


def test_training_says_that_vectors_beside_trees_are_not_compared(tmp_path, capsys):
    line = "{} |BT| (S ({} a)) |ET| {} |EV|\n"
    (tmp_path / "both").write_text(line.format("+1", "A", "1:1") + line.format("-1", "B", "2:1"))
    (tmp_path / "trees").write_text(line.format("+1", "A", "") + line.format("-1", "B", ""))
    for name, options, said in (("both", "", True), ("both", "--combine T", False), ("trees", "", False)):
        assert run(["train", str(tmp_path / name), str(tmp_path / "m"), "-k", "sst", *options.split()]) == 0
        assert ("the vectors are not" in capsys.readouterr().err) is said
