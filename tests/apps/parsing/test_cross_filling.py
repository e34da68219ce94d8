"""Columns that were filled in by what was learned from other sentences, and parsers that learn from them."""

from __future__ import annotations

import pytest

from gristmill import _core
from gristmill.apps import DependencyParser, Tagger
from gristmill.apps.parsing.cross_filling import cross_fill, cross_tag, read_tagged
from gristmill.apps.parsing.treebank import Treebank, fill_tags, read_treebank
from gristmill.base.errors import FormatError
from gristmill.cli import run
from tests.apps.parsing.small_treebanks import sentences, text_of

KNOWN = sentences(24)
TEXT = text_of(KNOWN)
TEMPLATES = "F:0:0:suffix:1..2 T:-1"  # too little to be always right


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "train.conllu"
    path.write_text(TEXT)
    return path


@pytest.fixture
def tagger(treebank):
    return Tagger(TEMPLATES, epochs=2).fit_conllu(treebank)


def conllu(text):
    return _core.Conllu.parse(text.encode())


def test_each_fold_is_filled_by_what_was_learned_from_the_others():
    seen = []

    def learn(known):
        seen.append(known.columns.column(0))
        return lambda other: other

    text = "# one\n" + TEXT
    assert cross_fill(conllu(text), learn, 3).filled().decode() == text
    parts = [[word.form for words in KNOWN[at : at + 8] for word in words] for at in (0, 8, 16)]
    assert seen == [parts[1] + parts[2], parts[0] + parts[2], parts[0] + parts[1]]


@pytest.mark.parametrize("blank", ["\n\n", "\n \t\n\n", "\r\n\r\n"])
def test_sentences_end_where_the_reader_of_conllu_says(blank):
    text = conllu(TEXT.replace("\n\n", blank).removesuffix("\n"))
    counts = []

    def learn(known):
        counts.append(len(known.columns))
        return lambda other: other

    found = cross_fill(text, learn, 24)
    assert counts == [23] * 24
    assert found.columns.column(0) == text.columns.column(0)
    assert found.columns.starts().tolist() == text.columns.starts().tolist()


def test_tags_are_those_of_taggers_that_were_learned_from_the_other_folds(tagger):
    halves = [conllu(text_of(KNOWN[:12])), conllu(text_of(KNOWN[12:]))]
    by_hand = []
    for known, other in (halves[::-1], halves):
        columns = known.columns.picked([0, 2])
        by_hand += fill_tags(other, [Tagger(TEMPLATES, epochs=2).fit_columns(columns, conllu="upos")]).columns.column(2)
    text = conllu(TEXT)
    assert cross_tag(text, [tagger], 2).columns.column(2) == by_hand
    assert cross_tag(text, [tagger], 0).columns.column(2) == fill_tags(text, [tagger]).columns.column(2) != by_hand


def test_a_column_that_is_empty_is_filled_by_the_tagger_itself(tagger):
    bare = conllu("\n".join(_without_upos(line) for line in TEXT.split("\n")))
    assert cross_tag(bare, [tagger]).columns.column(2) == fill_tags(bare, [tagger]).columns.column(2)


def _without_upos(line):
    cells = line.split("\t")
    return "\t".join([*cells[:3], "_", *cells[4:]]) if len(cells) == 10 else line


def test_parsers_learn_from_such_tags_in_python_and_in_the_shell(treebank, tagger, tmp_path):
    by_file = DependencyParser(epochs=2).fit(treebank, taggers=[tagger], folds=3)
    by_words = DependencyParser(epochs=2).fit(KNOWN, taggers=[tagger], folds=3)
    by_hand = DependencyParser(epochs=2).fit_treebank(read_tagged(treebank, [tagger], 3))
    tagger.save(tmp_path / "upos")
    command = ["parse", "train", str(treebank), str(tmp_path / "parser"), "--epochs", "2", "-q"]
    assert run([*command, "--tagger", str(tmp_path / "upos"), "--folds", "3"]) == 0
    by_shell = DependencyParser.load(tmp_path / "parser")
    by_gold = DependencyParser(epochs=2).fit(treebank)
    crossed = cross_tag(conllu(TEXT), [tagger], 3)
    by_copies = DependencyParser(epochs=2).fit_treebank(Treebank.of_conllu(conllu(TEXT + crossed.filled().decode())))
    itself = DependencyParser(epochs=2).fit(treebank, taggers=[tagger], folds=0)
    assert names_of(by_file) == names_of(by_words) == names_of(by_hand) == names_of(by_shell) == names_of(by_copies)
    assert len({names_of(by_file), names_of(by_gold), names_of(itself)}) == 3


def names_of(parser):
    return tuple(parser.machine_["all"].feature_names)


def test_without_taggers_a_treebank_is_read_as_it_is(treebank):
    assert read_tagged(treebank, []).columns.column(2) == read_treebank(treebank).columns.column(2)


def test_errors_name_the_file(treebank, tagger):
    treebank.write_text(TEXT.replace("\tNOUN\t", "\t_\t", 1))
    with pytest.raises(FormatError, match=r"train.conllu.*has no upos"):
        read_tagged(treebank, [tagger])


def test_a_single_sentence_stays_as_it_is(tagger):
    one = conllu(text_of(KNOWN[:1]))
    assert cross_tag(one, [tagger]).filled() == one.filled()
