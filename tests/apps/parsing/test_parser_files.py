"""DependencyParser and files: CoNLL-U in and out, of any size, line by line."""

from __future__ import annotations

import gzip
import io
import sys
from types import SimpleNamespace

import pytest

from gristmill.apps import DependencyParser
from gristmill.apps.parsing import treebank as treebank_module
from gristmill.apps.parsing.scores import score_conllu, score_files
from gristmill.apps.parsing.treebank import read_trees, trees_of_conllu
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.errors import FormatError
from tests.apps.parsing.small_treebanks import ALGORITHMS, EXACT, line, plain, sentences, text_of, treebank_of, trees

KNOWN, NEW = sentences(30), sentences(20, seed=1)
TEXT, BARE = text_of(KNOWN), text_of(plain(KNOWN))
NODE = "2.1\tgone\t_\t_\t_\t_\t_\t_\t0:root\t_\n"


@pytest.fixture(scope="module")
def parser():
    return DependencyParser(**EXACT).fit(KNOWN)


# --- learning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_file_is_learned_from_as_its_sentences(write, algorithm):
    known = treebank_of(algorithm)
    path = write(gzip.compress(text_of(known).encode()))
    assert DependencyParser(algorithm).fit(path).machine_ == DependencyParser(algorithm).fit(known).machine_
    assert DependencyParser(algorithm).fit(str(path)).machine_ == DependencyParser(algorithm).fit(known).machine_


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "file: there are no words"),
        ("# only\n\n# comments\n", "file: there are no words"),
        (TEXT + "1 a\n", r"file:\d+:1: expected ten columns"),
        (TEXT + line(1, "a", "_", "_"), r"file:\d+:13: expected the number of the word's head"),
        (TEXT + line(1, "a", 0, "x") + line(2, "a", 0, "x"), r"file:\d+:1: words 1 and 2 are both roots"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_with_its_place(write, parser, content, message):
    before = parser.machine_
    for call in (parser.fit, parser.score) if content.strip("# onlycmets\n") else (parser.fit,):
        with pytest.raises(FormatError, match=message):
            call(write(content))
    assert parser.machine_ is before


# --- parsing ----------------------------------------------------------------------------------------------------------


def test_what_is_written_has_the_trees(parser, write, tmp_path):
    assert parser.parse_file(write(BARE), tmp_path / "out") == sum(map(len, KNOWN))
    assert (tmp_path / "out").read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_files_are_parsed_as_sentences(write, tmp_path, algorithm):
    known, new = treebank_of(algorithm), treebank_of(algorithm, 20, seed=1)
    parser = DependencyParser(algorithm, n_jobs=2).fit(known)
    parser.parse_file(write(text_of(new)), tmp_path / "out")
    assert trees(trees_of_conllu(read_trees(tmp_path / "out"))) == trees(parser.parse(plain(new)))


@pytest.mark.parametrize("block", [1, 100, 1000])
def test_blocks_of_a_file_are_the_file(parser, write, tmp_path, monkeypatch, block):
    path = write(text_of(NEW))
    assert parser.parse_file(path, tmp_path / "whole") == sum(map(len, NEW))
    monkeypatch.setattr(treebank_module, "BLOCK", block)
    assert block < 1000 or sum(1 for _ in parser.parse_blocks(path)) > 1
    assert parser.parse_file(path, tmp_path / "blocks") == sum(map(len, NEW))
    assert (tmp_path / "blocks").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning")
def test_all_else_stays_as_it_is(parser, write, tmp_path):
    odd = (
        "\ufeff# newdoc\r\n# text = the mill\r\n1-2\tthemill\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\r\n"
        + "1\tthe\tthe\tDET\tDE\t_\t7\tdet\t7:det\tx=y\r\n2\tmill\tmill\tNOUN\tNO\t_\t_\t_\t_\t_\n"
        + f"{NODE}# inside\n3\tturns\tturns\tVERB\tVE\t_\t_\t_\t_\t_\n \n\n\n# alone\n\n"
        + "1\t_\t_\t_\t_\t_\t_\t_\t_\t_"
    )
    expected = (
        odd.removeprefix("\ufeff")
        .replace(NODE, "")
        .replace("7\tdet\t7:det", "2\tdet\t_")
        .replace("NO\t_\t_\t_\t_", "NO\t_\t3\tnsubj\t_")
        .replace("VE\t_\t_\t_\t_", "VE\t_\t0\troot\t_")
        .replace("1\t_\t_\t_\t_\t_\t_\t_\t_\t_", "1\t_\t_\t_\t_\t_\t0\troot\t_\t_")
    )
    assert parser.parse_file(write(odd), tmp_path / "out") == 4
    assert (tmp_path / "out").read_bytes().decode() == expected


@pytest.mark.parametrize("content", ["", "\n", "# a comment\n", "# a\n\n# b\n\n"])
def test_a_file_without_words_stays_as_it_is(parser, write, tmp_path, content):
    path = write(content)
    assert parser.parse_file(path, tmp_path / "out") == 0
    assert (tmp_path / "out").read_text() == content
    assert parser.evaluate(path).las.gold == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("1 a\n", "file:[0-9]+:1: expected ten columns"),
        (b"1\tM\xfchle\n", "file:[0-9]+:4: the text is not UTF-8"),
        (line(3, "a", 0, "root"), "file:[0-9]+:1: expected word 1, got '3'"),
    ],
)
@pytest.mark.parametrize("before", [None, b"what was there"])
def test_nothing_is_written_where_something_is_wrong(parser, write, tmp_path, monkeypatch, before, more, message):
    monkeypatch.setattr(treebank_module, "BLOCK", 300)
    path = write(TEXT.encode() + (more if isinstance(more, bytes) else more.encode()))
    if before is not None:
        (tmp_path / "out").write_bytes(before)
    with pytest.raises(FormatError, match=message):
        parser.parse_file(path, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == before if before else not (tmp_path / "out").exists()
    assert not [*tmp_path.glob(".gristmill*")]


def test_nothing_is_written_when_interrupted(parser, write, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    path = write(TEXT)
    monkeypatch.setattr(parser, "progress", stop)
    with pytest.raises(KeyboardInterrupt):
        parser.parse_file(path, tmp_path / "out")
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_may_be_replaced_by_its_trees(parser, write):
    path = write(BARE)
    parser.parse_file(path, path)
    assert path.read_text(encoding="utf-8") == TEXT


def test_standard_input_and_output_are_files(parser, monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(BARE.encode()))))
    assert parser.parse_file("-", "-") == sum(map(len, KNOWN))
    assert capsysbinary.readouterr().out.decode() == TEXT


# --- scores -----------------------------------------------------------------------------------------------------------


def test_scores_are_those_of_what_is_written(parser, write, tmp_path):
    path = write(text_of(NEW))
    parser.parse_file(path, tmp_path / "out")
    assert parser.evaluate(path) == parser.evaluate(NEW) == score_files(path, tmp_path / "out")


def test_taggers_come_first(parser, write, tmp_path):
    path = write(text_of(NEW))
    upos, xpos = (Tagger().fit_conllu(write(TEXT, "known"), column) for column in ("upos", "xpos"))
    scores = parser.evaluate(path, taggers=[upos, xpos])
    right = Tagger().fit_conllu(write(TEXT, "known")).tag([[(word.form,) for word in s] for s in NEW])
    assert scores.upos.correct == sum(
        tag == word.upos for tags, words in zip(right, NEW, strict=True) for tag, word in zip(tags, words, strict=True)
    )
    assert scores.uas.gold == sum(map(len, NEW))


def test_empty_nodes_and_ranges_do_not_matter(parser, write):
    more = "".join(
        f"1-2\tboth\t_\t_\t_\t_\t_\t_\t_\t_\n{words[:end]}\n{NODE}{words[end + 1 :]}"
        for words in TEXT.split("\n\n")[:-1]
        for end in [words.index("\n", words.index("\n") + 1)]
        for words in [words + "\n\n"]
    )
    heads = [head for _, heads, _ in parser.parse_blocks(write(more)) for head in heads.tolist()]
    assert heads == [word.head - 1 for words in KNOWN for word in words]
    assert score_conllu(more, more).las.f1 == 1
    assert parser.evaluate(write(more)).las.f1 == 1
