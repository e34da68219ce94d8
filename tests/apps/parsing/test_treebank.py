"""Sentences with trees: words of Python in all their spellings, and files in CoNLL-U."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gristmill.apps.parsing import treebank as treebank_module
from gristmill.apps.parsing.tree import DependencyTree, Word, conllu_of, sentences_of
from gristmill.apps.parsing.treebank import (
    conllu_blocks,
    fill_tags,
    read_conllu,
    read_tags,
    read_treebank,
    read_trees,
    text_blocks,
    trees_of_conllu,
)
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.errors import FormatError
from tests.apps.parsing.small_treebanks import line, sentences, text_of, trees

KNOWN = sentences(12)
TEXT = text_of(KNOWN)
CAT = Word("cat", "cat", "NOUN", "NN", "Number=Sing", 2, "nsubj")
SLEEPS = Word("sleeps", head=0, deprel="root")
TREE = DependencyTree((CAT, SLEEPS))
GOOD = line(1, "cat", 2, "nsubj") + line(2, "sleeps", 0, "root") + "\n"


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("token", "word"),
    [
        ("cat", Word("cat")),
        (("cat",), Word("cat")),
        (("cat", "NOUN"), Word("cat", upos="NOUN")),
        (["cat", "NOUN", "NN"], Word("cat", upos="NOUN", xpos="NN")),
        (("cat", "NOUN", "NN", "cat", "Number=Sing"), Word("cat", "cat", "NOUN", "NN", "Number=Sing")),
        (CAT, CAT),
        ({"form": "cat", "upos": "NOUN"}, Word("cat", upos="NOUN")),
        ({"id": 1, "form": "cat", "lemma": None, "upos": None, "head": None}, Word("cat")),
        ({"id": 1, "form": "a", "feats": {"Case": "Nom", "Number": "Sing"}}, Word("a", feats="Case=Nom|Number=Sing")),
        ({"id": 1, "form": "a", "feats": {}}, Word("a")),
        ({"id": 2, "form": "a", "head": 0, "deprel": "root", "deps": [("root", 0)]}, Word("a", head=0, deprel="root")),
        ({"id": "2", "form": "a", "misc": None}, Word("a")),
        ("New York", Word("New York")),
        ("_", Word("_")),
    ],
)
def test_a_word_may_be_given_in_many_ways(token, word):
    assert sentences_of([[token]]) == [(word,)]


@pytest.mark.parametrize("number", [(1, "-", 2), (8, ".", 1), "1-2", "8.1"])
def test_empty_nodes_and_tokens_of_several_words_are_no_words(number):
    assert sentences_of([[{"id": number, "form": "cannot"}, {"id": 1, "form": "can"}]]) == [(Word("can"),)]


def test_sentences_may_be_made_as_they_are_read():
    assert sentences_of(iter([iter(["a", "b"]), ()])) == [(Word("a"), Word("b")), ()]


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (3, "expected a form, then upos, xpos, lemma and feats where they are known, got 3"),
        (None, "expected a form.*got None"),
        ((), r"expected a form.*got \(\)"),
        (("a",) * 6, "expected a form"),
        (("a", 2), r"expected a form.*got \('a', 2\)"),
        (b"a", "expected a form.*got b'a'"),
        ({}, "expected a word that has a form, got {}"),
        ({"id": 1, "form": None}, "expected a word that has a form"),
        ("", "expected its form to be text, without tabs and ends of lines, got ''"),
        ("a\tb", r"expected its form .*got 'a\\tb'"),
        ("a\n", "expected its form"),
        (("a", "X\r"), "expected its upos"),
        (Word("a", lemma=""), "expected its lemma"),
        (Word("a", xpos=None), "expected its xpos .*got None"),
        ({"form": "a", "feats": 3}, "expected its feats .*got 3"),
        (Word("a", deprel="x\ty"), "expected its deprel"),
        (Word("a", deprel=""), "expected its deprel"),
        ("a\ud800", "its form holds half a surrogate pair, which UTF-8 cannot spell"),
        (Word("a", deprel="\udfff"), "its deprel holds half a surrogate pair"),
    ],
)
def test_what_is_no_word_is_refused_with_its_place(token, message):
    with pytest.raises(ValueError, match=f"^sentence 1, counted from 0, word 2: {message}"):
        sentences_of([["a"], ["b", token]])


@pytest.mark.parametrize("sentence", ["words", 3, None])
def test_what_is_no_sentence_is_refused(sentence):
    with pytest.raises(ValueError, match=f"sentence 1, counted from 0: expected a list of words, got {sentence!r}"):
        sentences_of([["a"], sentence])


# --- trees of Python --------------------------------------------------------------------------------------------------


def test_a_tree_is_a_sentence():
    assert (len(TREE), list(TREE), TREE[1]) == (2, [CAT, SLEEPS], SLEEPS)
    assert (TREE.heads, TREE.relations) == ([2, 0], ["nsubj", "root"])
    assert str(TREE) == TREE.draw() != TREE.draw("tree")
    assert TREE.svg() == TREE._repr_svg_()
    assert "NOUN" in TREE.draw()
    assert "_" not in DependencyTree((SLEEPS,)).draw()


def test_a_tree_without_heads_has_none():
    bare = DependencyTree((Word("a"),))
    for call in (lambda: bare.heads, lambda: bare.relations, bare.draw, bare.svg):
        with pytest.raises(ValueError, match="a word has no head yet"):
            call()
    assert bare.conllu() == line(1, "a", "_", "_") + "\n"
    assert DependencyTree((Word("a", head=0),)).conllu() == line(1, "a", 0, "_") + "\n"


def test_trees_are_written_and_read_again():
    assert TREE.conllu() == "1\tcat\tcat\tNOUN\tNN\tNumber=Sing\t2\tnsubj\t_\t_\n" + line(2, "sleeps", 0, "root") + "\n"
    again = trees_of_conllu(conllu_of(KNOWN))
    assert [tree.words for tree in again] == KNOWN


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([0, 0], "words 1 and 2 are both roots"),
        ([2, 1, 0], "word 1 depends on itself through its heads"),
        ([1, 0], "word 1 is its own head"),
        ([3, 0], "word 1: the head 3 is no word of a sentence of 2"),
        ([-1, 0], "word 1: the head -1 is no word of a sentence of 2"),
        ([10**12, 0], "word 1: the head 1000000000000 is no word"),
        ([None, 0], "word 1: expected a head and a relation, got None and 'x'"),
        (["2", 0], "word 1: expected a head and a relation, got '2' and 'x'"),
        ([2.0, 0], "word 1: expected a head and a relation, got 2.0 and 'x'"),
    ],
)
def test_what_is_no_tree_is_refused(heads, message):
    words = [Word("w", head=head, deprel="x") for head in heads]
    with pytest.raises(ValueError, match=f"sentence 1, counted from 0(:|,) {message}"):
        read_treebank([KNOWN[0], words])


def test_heads_may_be_numbers_of_numpy():
    words = [Word("a", head=np.int64(2), deprel="x"), Word("b", head=np.int32(0), deprel="root")]
    assert read_treebank([words]).heads.tolist() == [1, -1]


def test_a_treebank_is_the_same_from_words_and_from_a_file(write):
    own, read = read_treebank(KNOWN), read_treebank(write(TEXT))
    assert (own.heads.tolist(), own.relations.tolist(), own.names) == (
        *(read.heads.tolist(), read.relations.tolist()),
        read.names,
    )
    assert len(own) == len(read) == len(KNOWN)
    assert [own.columns.column(at) for at in range(5)] == [read.columns.column(at) for at in range(5)]


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        *(TEXT.replace("\n", "\r\n"), TEXT.rstrip(), "\n\n \n" + TEXT.replace("\n\n", "\n\t\n\n"), "\ufeff" + TEXT),
        *("# a\n" + TEXT.replace("\n\n", "\n\n# b\n# c\n"), "# alone\n\n" + TEXT, gzip.compress(TEXT.encode())),
        TEXT.replace("1\t", "1-2\tboth\t_\t_\t_\t_\t_\t_\t_\t_\n1\t", 1),
        TEXT.replace("1\t", "0.1\tgone\t_\t_\t_\t_\t_\t_\t2:x\t_\n1\t", 1),
    ],
    ids=["crlf", "no-end", "blank-lines", "mark", "comments", "comments-alone", "gzip", "range", "empty-node"],
)
def test_a_file_is_its_sentences(write, content):
    assert trees(trees_of_conllu(read_trees(write(content)))) == trees(KNOWN)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("1\ta\tb\n", "4:1: expected ten columns separated by tabs, got 3"),
        (line(2, "a", 0, "root"), "4:1: expected word 1, got '2'"),
        (line("x", "a", 0, "root"), "4:1: expected the number of a word, got 'x'"),
        (line("1-2", "a", "_", "_"), "5:1: word 2 of a range is missing"),
        (line("1.1", "a", "_", "_"), "4:1: expected an empty node behind word 0, got '1.1'"),
        (line(1, "", 0, "root"), "4:3: the form is empty"),
        (line(1, "a", "_", "_"), "4:13: expected the number of the word's head, or 0 for the root, got '_'"),
        (line(1, "a", -1, "root"), "4:13: expected the number"),
        (line(1, "a", 10**10, "root"), "4:13: expected the number"),
        (line(1, "a", 0, "_"), "4:15: expected the word's relation, got '_'"),
        (line(1, "a", 2, "x"), "4:1: the head 2 is no word of a sentence of 1"),
        (line(1, "a", 0, "x") + line(2, "b", 0, "x"), "5:1: words 1 and 2 are both roots"),
        (line(1, "a", 2, "x") + line(2, "b", 1, "x") + line(3, "c", 0, "x"), "4:1: word 1 depends on itself"),
        (b"1\tM\xfchle\n", "4:4: the text is not UTF-8"),
    ],
)
def test_what_is_no_tree_in_a_file_is_refused_with_its_place(write, more, message):
    path = write(GOOD.encode() + (more if isinstance(more, bytes) else more.encode()))
    for read in (read_treebank, read_trees):
        with pytest.raises(FormatError, match=f"file:{message}"):
            read(path)


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n", "# nothing\n\n# more\n\n"])
def test_a_file_without_words_is_no_treebank(write, content):
    with pytest.raises(FormatError, match="file: there are no words"):
        read_treebank(write(content))
    assert len(read_trees(write(content)).columns) == 0


def test_a_damaged_archive_is_refused(write):
    path = write(gzip.compress(TEXT.encode())[:-20])
    for read in (read_conllu, lambda path: [*conllu_blocks(path)]):
        with pytest.raises(FormatError, match="file: the compressed file is damaged"):
            read(path)


# --- blocks -----------------------------------------------------------------------------------------------------------

pieces = st.sampled_from(
    [GOOD, GOOD.replace("\n", "\r\n"), GOOD.replace("2\ts", "# i\n2\ts"), "\n", " \n", "# c\n", "# c\n\n"]
)


@given(st.lists(pieces, max_size=8), st.integers(1, 90), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_blocks_of_a_file_are_the_file(write, monkeypatch, drawn, block, cut):
    text = "".join(drawn).rstrip("\r\n") if cut else "".join(drawn)
    monkeypatch.setattr(treebank_module, "BLOCK", block)
    blocks = [*conllu_blocks(write(text))]
    assert b"".join(part.filled() for part in blocks).decode() == text
    assert sum(len(part.columns) for part in blocks) == text.count("1\tcat")


def test_a_large_file_is_read_in_parts(write, monkeypatch):
    monkeypatch.setattr(treebank_module, "BLOCK", 300)
    assert sum(1 for _ in conllu_blocks(write(TEXT))) > 3


@pytest.mark.parametrize("block", [60, 100, 1 << 20])
def test_lines_are_counted_through_all_blocks(write, monkeypatch, block):
    monkeypatch.setattr(treebank_module, "BLOCK", block)
    with pytest.raises(FormatError, match="file:31:1: expected ten columns"):
        for _ in conllu_blocks(write(GOOD * 10 + "1 a\n")):
            pass


@pytest.mark.parametrize("block", [1, 12, 1 << 20])
def test_lines_of_text_are_sentences(write, monkeypatch, block):
    monkeypatch.setattr(treebank_module, "TEXT_BLOCK", block)
    found = [*text_blocks(write("\ufeffThe cat  sleeps .\r\n\n \t\nI\u3000see\tdogs\n\n#1 !"))]
    words = b"".join(part.filled() for part in found).decode()
    expected = [["The", "cat", "sleeps", "."], ["I", "see", "dogs"], ["#1", "!"]]
    assert words == "".join(
        f"# sent_id = {number}\n# text = {' '.join(one)}\n{DependencyTree(tuple(map(Word, one))).conllu()}"
        for number, one in enumerate(expected, 1)
    )
    with pytest.raises(FormatError, match="file:3:2: the text is not UTF-8"):
        for _ in text_blocks(write(b"a\n\nM\xfchle\n")):
            pass


# --- tags -------------------------------------------------------------------------------------------------------------


def test_taggers_fill_in_what_they_know(write):
    path = write(TEXT)
    upos, xpos = (Tagger(C=1.0, epochs=30).fit_conllu(path, column) for column in ("upos", "xpos"))
    bare = "".join(
        "\t".join([*one.split("\t")[:3], "_", "_", *one.split("\t")[5:]]) if "\t" in one else one
        for one in TEXT.splitlines(keepends=True)
    )
    text = read_conllu(write(bare))
    assert fill_tags(text, [xpos, upos]).filled().decode() == TEXT
    assert fill_tags(text, [upos]).columns.column(2) == read_conllu(write(TEXT)).columns.column(2)


def test_words_without_tags_teach_no_tagger(write):
    with pytest.raises(FormatError, match="file: word 3 of the file has no upos"):
        read_tags(write(line(1, "a", 0, "x", "N") + line(2, "b", 1, "x", "N") + line(3, "c", 1, "x")), "upos")


def test_taggers_of_other_columns_are_refused(write):
    tagger = Tagger("F:0:0").fit([[("a", "X"), ("b", "Y")]])
    with pytest.raises(ValueError, match="not learned from CoNLL-U: use `gristmill tag train --conllu upos`"):
        fill_tags(read_conllu(write(TEXT)), [tagger])
