"""PropBank files: what is read is what was written, and every malformed thing has its place."""

from __future__ import annotations

import contextlib
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.formats.propbank import (
    Argument,
    Proposition,
    Sentences,
    read_propbank,
    read_propositions,
    read_sentences,
    write_propositions,
    write_sentences,
)

TREES = "d/1\t0\t(S (NP (PRP We)) (VP (VBP grow) (PRT (RP up))))\nd/1\t1\t(S (NP (NNS dogs)) (VP (VBP bark)))\n"
PROPS = "d/1\t0\t1\tgrow_up.04\t0-0:ARG1 1-2:V\nd/1\t1\t1\tbark.01\t0-0:ARG0 1-1:V\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "trees").write_text(TREES)
    (tmp_path / "props").write_text(PROPS)
    return tmp_path


def refused(files, props, trees=None):
    (files / "props").write_bytes(props if isinstance(props, bytes) else props.encode())
    if trees is not None:
        (files / "trees").write_text(trees)
    with pytest.raises(gm.FormatError) as caught:
        read_propbank(files / "trees", files / "props")
    return caught.value


def test_both_files(files):
    sentences, (grow, bark) = read_propbank(files / "trees", files / "props")
    assert sentences.names == [("d/1", "0"), ("d/1", "1")]
    assert list(sentences.trees) == [line.split("\t")[2] for line in TREES.splitlines()]
    assert grow == Proposition(("d/1", "0"), 1, "grow_up.04", (Argument(0, 0, "ARG1"),), (1, 2))
    assert bark == Proposition(("d/1", "1"), 1, "bark.01", (Argument(0, 0, "ARG0"),))


def test_what_is_written_is_what_was_read(files):
    sentences, propositions = read_propbank(files / "trees", files / "props")
    write_sentences(files / "trees.2", sentences)
    write_propositions(files / "props.2", propositions)
    assert (files / "trees.2").read_text() == TREES
    assert (files / "props.2").read_text() == PROPS


NAMES = st.text(st.characters(exclude_characters="()", exclude_categories=["Z", "C"]), min_size=1, max_size=5)
SPANS = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted)
ARGUMENTS = st.builds(lambda ends, role: Argument(*ends, role), SPANS, NAMES.filter(lambda role: role != "V"))
PROPOSITIONS = st.builds(
    Proposition,
    st.tuples(NAMES, NAMES),
    st.integers(0, 9),
    NAMES,
    st.sets(ARGUMENTS, max_size=4).map(lambda some: tuple(sorted(some))),
)
SEVERAL = st.lists(PROPOSITIONS, max_size=4, unique_by=lambda one: (one.sentence, one.token))


@given(SEVERAL)
def test_any_propositions_are_read_as_they_were_written(tmp_path_factory, propositions):
    path = tmp_path_factory.mktemp("props") / "props"
    write_propositions(path, propositions)
    assert read_propositions(path) == propositions


WORDS = st.sampled_from(
    [b"d", b"0", b"1", b"-", b"1-2:V", b"0-0:A", b"\t", b"\t", b" ", b"\n", b"(S a)", b"(", b"\xff", b"\r"]
)


@given(st.lists(WORDS, max_size=20).map(b"".join))
def test_anything_is_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "any"
    path.write_bytes(data)
    for read in (read_propositions, read_sentences):
        with contextlib.suppress(gm.FormatError):
            read(path)


def test_compressed_files_and_empty_ones(tmp_path):
    (tmp_path / "trees").write_bytes(gzip.compress(TREES.encode()))
    (tmp_path / "empty").write_bytes(b"")
    assert len(read_sentences(tmp_path / "trees")) == 2
    sentences, propositions = read_propbank(tmp_path / "empty", tmp_path / "empty")
    assert (len(sentences), propositions) == (0, [])
    write_sentences(tmp_path / "none", sentences)
    write_propositions(tmp_path / "none", [])
    assert (tmp_path / "none").read_bytes() == b""


def test_trees_alone_are_counted(tmp_path):
    (tmp_path / "trees").write_text("(S a)\n(S b)\n")
    assert read_sentences(tmp_path / "trees").names == [("-", "0"), ("-", "1")]


def test_predicates_without_rolesets_and_arguments(files):
    (files / "props").write_text("d/1\t0\t1\r\n\nd/1\t1\t1\tbark.01\nd/1\t1\t0\t-\t\n")
    _, propositions = read_propbank(files / "trees", files / "props")
    assert [(one.token, one.roleset, one.arguments) for one in propositions] == [
        (1, "-", ()),
        (1, "bark.01", ()),
        (0, "-", ()),
    ]


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("d/1\t0", 1, "got 2 columns"),
        ("d/1\t0\t1\tr\t0-0:A\tmore", 1, "got 6 columns"),
        ("\t0\t1\tr\t0-0:A", 1, "expected a document, got ''"),
        ("d/1\t\t1\tr\t0-0:A", 5, "expected a sentence, got ''"),
        ("d/1\t7\t1\tr\t0-0:A", 1, "there is no sentence 'd/1 7' among 2 trees"),
        ("d/1\t0\tone\tr\t0-0:A", 7, "expected the number of a token, counted from 0, got 'one'"),
        ("d/1\t0\t-1\tr\t0-0:A", 7, "got '-1'"),
        ("d/1\t0\t3\tr\t0-0:A", 7, "token 3 is outside the sentence, which has 3"),
        ("d/1\t0\t1\t\t0-0:A", 9, "expected a roleset, got ''"),
        ("d/1\t0\t1\tr\t0-0:A 1:B", 17, "expected a span, first-last:ROLE, got '1:B'"),
        ("d/1\t0\t1\tr\t0-0:", 11, "expected a span"),
        ("d/1\t0\t1\tr\t0-0:A 2-1:B", 17, "ends before it begins"),
        ("d/1\t0\t1\tr\t0-0:A 1-3:B", 17, "token 3 is outside the sentence"),
        ("d/1\t0\t1\tr\t0-0:A 0-0:A", 17, "stands there twice"),
        ("d/1\t0\t1\tr\t0-0:V 1-1:V", 11, "2 spans of the predicate"),
        ("d/1\t0\t1\tr\t0-0:A 2-2:V", 11, "the predicate is token 1, but V is 2-2"),
        ("d/1\t0\t\u0661\tr\t0-0:A", 7, "got '\u0661'"),  # digits are those of ASCII
        ("d/1\t0\t1\tr\t\u0660-\u0660:A", 11, "expected a span"),
        ("d/1\t0\t1\tr\t0-0:A(B)", 11, "expected a span"),
        ("d/1\t0\t1\tür\t0-0:A x", 19, "expected a span"),  # columns are bytes
    ],
)
def test_malformed_propositions_have_a_place(files, line, column, message):
    error = refused(files, f"\n{line}\n")
    assert (error.path, error.line, error.column) == (str(files / "props"), 2, column)
    assert message in str(error)


def test_a_predicate_stands_there_once(files):
    error = refused(files, "d/1\t0\t1\nd/1\t0\t2\n\nd/1\t0\t1\tgrow.01\n")
    assert (error.line, error.message) == (4, "the predicate of line 1 again")


def test_a_byte_order_mark_is_no_part_of_the_document(files):
    (files / "props").write_bytes(b"\xef\xbb\xbf" + PROPS.encode())
    assert len(read_propbank(files / "trees", files / "props")[1]) == 2
    with pytest.raises(ValueError, match="a name must be a word"):
        write_propositions(files / "props", [Proposition(("\ufeffd", "0"), 0)])


def test_a_predicate_may_be_named_by_its_continuation(files):
    """As in `flip - flop`, of which PropBank takes the last token."""
    text = "d/1\t0\t2\tgrow_up.04\t1-1:V 2-2:C-V\n"
    (files / "props").write_text(text)
    (grow,) = read_propositions(files / "props")
    assert (grow.token, grow.predicate, grow.own) == (2, (1, 1), ((1, 1), (2, 2)))
    write_propositions(files / "props", [grow])
    assert (files / "props").read_text() == text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Proposition(("-", "0"), -1), "token -1 is outside the sentence, which has 3"),
        (Proposition(("-", "0"), 3), "token 3 is outside"),
        (Proposition(("-", "0"), 0, predicate=(-1, 0)), "token -1 is outside"),
        (Proposition(("-", "0"), 0, predicate=(0, 3)), "token 3 is outside"),
        (Proposition(("-", "0"), 0, arguments=(Argument(-2, -1, "A"),)), "token -2 is outside"),
        (Proposition(("-", "0"), 0, arguments=(Argument(2, 1, "A"),)), "the span 2-1 ends before it begins"),
    ],
)
def test_tokens_outside_their_sentence(wrong, message):
    sentences = Sentences(gm.Forest.from_strings(["(S a b c)"]))
    with pytest.raises(ValueError, match=f"sentence '- 0': {message}"):
        sentences.check(wrong)


def test_text_that_is_not_utf8(files):
    error = refused(files, b"d/1\t0\t1\tr\t\xff")
    assert (error.line, error.column, error.message) == (1, 11, "not UTF-8")


@pytest.mark.parametrize(
    ("trees", "line", "message"),
    [
        ("d\t(S a)\n", 1, "expected 2 columns before the tree, got 1"),
        ("d\t0\t(S a)\nd\t1\tx\t(S a)\n", 2, "expected 2 columns before the tree, got 3"),
        ("d\t0\t(S a)\n\nd\t0\t(S b)\n", 3, "a second sentence 'd 0'"),
        ("d\t0\t(S a\n", 1, ""),
        ("d\t0\t(S a)\n(S b)\n", 2, "nothing stands before this tree"),
    ],
)
def test_malformed_sentences_have_a_place(files, trees, line, message):
    error = refused(files, "", trees)
    assert (error.path, error.line) == (str(files / "trees"), line)
    assert message in str(error)


@pytest.mark.parametrize(
    "wrong",
    [
        Proposition(("a\tb", "0"), 0),
        Proposition(("a", "0"), 0, ""),
        Proposition(("a", "0"), 0, "r", (Argument(0, 0, "A B"),)),
        Proposition(("a", "0"), 0, "r", (Argument(1, 0, "A"),)),
        Proposition(("a", "0"), 0, "r", (Argument(-1, 0, "A"),)),
        Proposition(("a", "0"), 0, "r", (Argument(0, 0, "A(B)"),)),
        Proposition(("a", "0"), -1, "r"),
        Proposition(("a", "0"), 10**9, "r"),
        Proposition(("a", "0"), 1, "r", predicate=(2, 1)),
    ],
)
def test_what_could_not_be_read_is_not_written(tmp_path, wrong):
    with pytest.raises(ValueError, match=r"a name must be a word|an argument is two tokens and a role"):
        write_propositions(tmp_path / "props", [wrong])
    assert not (tmp_path / "props").exists()


TWICE = (Argument(0, 0, "A"), Argument(0, 0, "A"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([Proposition(("a", "0"), 1, "r", (Argument(0, 0, "V"),))], "V is the predicate itself, not the role"),
        ([Proposition(("a", "0"), 1, "r", TWICE)], "an argument is there twice"),
        ([Proposition(("a", "0"), 1, "r", predicate=(2, 3))], "the predicate is token 1, but V is 2-3"),
        ([Proposition(("a", "0"), 1)] * 2, "the predicate is there twice"),
    ],
)
def test_what_would_be_read_as_something_else_is_not_written(tmp_path, wrong, message):
    with pytest.raises(ValueError, match=f"sentence 'a 0', token 1: {message}"):
        write_propositions(tmp_path / "props", wrong)
    assert not (tmp_path / "props").exists()


def test_names_are_as_many_as_trees_and_differ():
    trees = gm.Forest.from_strings(["(a)", "(b)"])
    with pytest.raises(ValueError, match="expected a name for each of 2 trees, got 1"):
        Sentences(trees, [("d", "0")])
    with pytest.raises(ValueError, match="two sentences are called 'd 0'"):
        Sentences(trees, [("d", "0"), ("d", "0")])
