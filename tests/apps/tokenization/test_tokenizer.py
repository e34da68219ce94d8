"""Tokenizer: sentences and tokens of scripts with spaces and without, in Python and in files."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gristmill import _core
from gristmill.apps import Tokenizer
from gristmill.apps.parsing.surface import read_surface
from gristmill.apps.tokenization import parts
from gristmill.apps.tokenization import tokenizer as tokenizing
from gristmill.apps.tokenization.gold import gold_of, surface_of
from gristmill.base.errors import FormatError
from gristmill.base.files import blocks_of_bytes
from gristmill.scoring.engines import ENGINES

TEXTS = [
    "He is Mr. Low. She sees him, too.\nIs he old? He isn't.",
    "Is Mr. Low old? She isn't. He sees her.",
    "Mr. Old sees Low. Low is old, too.",
]
TOKENS = [
    ["He is Mr. Low .", "She sees him , too .", "Is he old ?", "He is n't ."],
    ["Is Mr. Low old ?", "She is n't .", "He sees her ."],
    ["Mr. Old sees Low .", "Low is old , too ."],
]
CHINESE = ["我们喜欢北京。北京很大。", "他们在北京学习。我们的学校很大。", "他们喜欢学校。天气很好。"]
WORDS = [
    ["我们 喜欢 北京 。", "北京 很 大 。"],
    ["他们 在 北京 学习 。", "我们 的 学校 很 大 。"],
    ["他们 喜欢 学校 。", "天气 很 好 。"],
]
VIETNAMESE = (["Ông trả lời . Bà trả lời ông ."], [[["Ông", "trả lời", "."], ["Bà", "trả lời", "ông", "."]]])


def split(tokens):
    return [[sentence.split() for sentence in text] for text in tokens]


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer(C=1.0).fit(TEXTS, split(TOKENS))


def test_what_was_learned_from_is_tokenized_as_it_was(tokenizer):
    assert tokenizer.tokenize(TEXTS) == split(TOKENS)
    assert tokenizer.score(TEXTS, split(TOKENS)) == 1.0


def test_scripts_without_spaces():
    tokenizer = Tokenizer(C=1.0).fit(CHINESE, split(WORDS))
    assert tokenizer.tokenize(CHINESE) == split(WORDS)
    assert tokenizer.engine_.model.dictionary is not None


def test_tokens_may_hold_spaces_where_they_do_in_training(tokenizer):
    vietnamese = Tokenizer(C=1.0).fit(*VIETNAMESE)
    assert vietnamese.tokenize(VIETNAMESE[0]) == VIETNAMESE[1]
    assert not any(" " in token for sentence in tokenizer.tokenize("Mr  Low\t is n't") for token in sentence)


@pytest.mark.parametrize("space", ["\n", "  ", "\t", " \n "])
def test_all_white_space_is_one_space(tokenizer, space):
    expected = tokenizer.tokenize("Mr. Low is old. He isn't.")
    assert tokenizer.tokenize("Mr. Low is old. He isn't.".replace(" ", space)) == expected


def test_an_empty_line_ends_a_sentence(tokenizer):
    assert tokenizer.tokenize("He is\n\nold") == [["He", "is"], ["old"]]
    assert tokenizer.tokenize(" \n") == []


def test_spans_are_those_of_the_text(tokenizer):
    text = "  He is \n Mr. Low.  "
    assert [[text[begin:end] for begin, end in sentence] for sentence in tokenizer.spans(text)] == tokenizer.tokenize(
        text
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_finds_the_same_tokens(tokenizer, engine, tmp_path):
    tokenizer.save(tmp_path / "model")
    texts = ["Mr. No isn't here. See Mr. No?", "a.b c,d e. F"]
    assert Tokenizer.load(tmp_path / "model", engine=engine).tokenize(texts) == tokenizer.tokenize(texts)


@pytest.mark.parametrize("jobs", [1, 3])
def test_threads_change_nothing(tokenizer, jobs):
    text = " ".join(TEXTS) * 50
    assert Tokenizer(C=1.0, n_jobs=jobs).fit(TEXTS, split(TOKENS)).spans(text) == tokenizer.spans(text)


def test_pairs_that_always_tell_are_not_decided(monkeypatch):
    monkeypatch.setattr(tokenizing, "OFTEN", 2)
    tokenizer = Tokenizer(C=1.0).fit(TEXTS, split(TOKENS))
    assert tokenizer.n_places_ < Tokenizer(C=1.0).fit(TEXTS, split(TOKENS)).n_places_ + 1
    assert tokenizer.tokenize(TEXTS) == split(TOKENS)
    assert len(tokenizer.explain("He is")) < len("Heis")


def test_files_are_written_in_conllu_and_learned_from(tokenizer, tmp_path):
    (tmp_path / "text").write_text("\n\n".join(TEXTS))
    assert tokenizer.tokenize_file(tmp_path / "text", tmp_path / "found") == 9
    gold, found = gold_of(surface_of(TEXTS, split(TOKENS))), gold_of(read_surface(tmp_path / "found"))
    assert found.endings.tolist() == gold.endings.tolist()
    assert found.text.rstrip() == gold.text.rstrip()
    assert tokenizer.evaluate_file(tmp_path / "found").sentences.f1 == 1.0
    assert Tokenizer(C=1.0).fit_conllu(tmp_path / "found").tokenize(TEXTS) == split(TOKENS)


def test_blocks_change_nothing(tokenizer):
    text = "\n\n".join(TEXTS).encode() + b"\n"
    whole = b"".join(tokenizer.conllu_blocks(iter([text])))
    lines = text.splitlines(keepends=True)
    assert b"".join(tokenizer.conllu_blocks(iter(lines))) == whole


@pytest.mark.parametrize("size", [200, 333, 1000, 2500])
def test_text_without_empty_lines_may_be_cut_anywhere(tokenizer, size, monkeypatch):
    monkeypatch.setattr(parts, "LONGEST_PARAGRAPH", size)
    text = "\n".join(re.sub(" ", "\n", text, count=1) for text in TEXTS * 40).encode()
    whole = b"".join(tokenizer.conllu_blocks(iter([text])))
    assert whole.count(b"# newpar") == 1
    assert b"".join(tokenizer.conllu_blocks(blocks_of_bytes(text, size))) == whole


def test_a_sentence_that_is_longer_than_blocks_ends_with_one_but_no_paragraph_does(tokenizer, monkeypatch):
    monkeypatch.setattr(parts, "LONGEST_PARAGRAPH", 200)
    found = b"".join(tokenizer.conllu_blocks(blocks_of_bytes(b"he is\n" * 200, 200)))
    assert found.count(b"\tis\t") == 200
    assert found.count(b"# newpar") == 1
    numbers = [int(number) for number in re.findall(rb"sent_id = (\d+)", found)]
    assert numbers == [*range(1, len(numbers) + 1)]


def test_tokens_must_be_those_of_the_text():
    with pytest.raises(ValueError, match="text 0, counted from 0: expected the token 'b'"):
        Tokenizer().fit(["a c"], [[["a", "b"]]])
    with pytest.raises(ValueError, match="'c' belongs to no token"):
        Tokenizer().fit(["a c"], [[["a"]]])
    with pytest.raises(FormatError, match="no tokens"):
        Tokenizer().fit([], [])


def test_what_is_seen_has_the_columns_that_templates_are_checked_for():
    raw = _core.RawText(b"a")
    found = raw.columns(np.zeros(1, dtype=np.int64), None, None, np.zeros(0, dtype=np.int32))
    assert Tokenizer(f"F:0:{found.columns - 1}").templates
    with pytest.raises(FormatError, match="no column"):
        Tokenizer(f"F:0:{found.columns}")


def test_sentences_that_are_paragraphs_teach_where_sentences_end_within_others():
    lines = ["He sees him.", "She sees her.", "It is he.", "Is it she?"] * 3
    tokens = [[re.findall(r"\w+|[^\w\s]", line)] for line in lines]
    found = Tokenizer(C=1.0).fit(lines, tokens).tokenize("It is she. He sees her.")
    assert found == [["It", "is", "she", "."], ["He", "sees", "her", "."]]
