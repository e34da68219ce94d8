"""Segmenter: words that are right, by whatever engine, and scores by their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps.learning import LearningInterrupted
from gristmill.apps.segmentation.scores import score_words
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.scoring.engines import ENGINES
from tests.oracle import segmenter as oracle

JAPANESE = [
    *("また 行き たい 、 そんな 店 です 。", "海 を 見 たい 。", "海 が 見え た 。", "この 店 は また 行き たい 。"),
    *("そんな 海 が ある 。", "店 を 見 た 。", "この 海 は そんな 海 です 。", "また 海 を 見 た 。"),
]
CHINESE = [
    *("我们 喜欢 北京 。", "北京 的 天气 很 好 。", "我们 的 学校 很 大 。", "他们 喜欢 学校 。"),
    *("他们 在 北京 学习 。", "我们 在 学校 学习 。", "天气 很 好 。", "他们 的 北京 很 大 。"),
]
THAI = [
    *("ฉัน รัก ประเทศไทย", "ฉัน ไป โรงเรียน", "เขา รัก โรงเรียน", "เขา ไป ประเทศไทย", "ฉัน กิน ข้าว", "เขา กิน ข้าว"),
]


@pytest.fixture(scope="module")
def japanese():
    return Segmenter().fit(JAPANESE)


@pytest.mark.parametrize("sentences", [JAPANESE, CHINESE, THAI], ids=["japanese", "chinese", "thai"])
def test_what_was_learned_from_is_segmented_as_it_was(sentences):
    segmenter = Segmenter().fit(sentences)
    assert [segmenter.segmented(sentence.replace(" ", "")) for sentence in sentences] == sentences


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("sentences", [JAPANESE, CHINESE, THAI], ids=["japanese", "chinese", "thai"])
def test_words_of_japanese_chinese_and_thai_are_found_again(sentences, degree):
    """By the features of the paper alone: characters and their types."""
    segmenter = Segmenter(dictionary=False, degree=degree, solver="dual-cd", C=1.0).fit(sentences)
    assert [segmenter.segmented(sentence.replace(" ", "")) for sentence in sentences] == sentences


def test_new_sentences_are_segmented(japanese):
    assert japanese.segment("この海を見たい。") == ["この", "海", "を", "見", "たい", "。"]


def test_lists_of_words_and_segmented_text_are_the_same(japanese):
    assert Segmenter().fit([sentence.split() for sentence in JAPANESE]).machine_ == japanese.machine_
    assert Segmenter().fit("\n".join(JAPANESE)).machine_ == japanese.machine_


def test_white_space_of_the_text_ends_words_and_is_kept(japanese):
    text = "  海を\t見たい。\n\n  また海 が見えた\u3000。 \n"
    assert japanese.segmented(text) == "  海 を \t見 たい 。\n\n  また 海  が 見え た \u3000。 \n"
    assert [text[begin:end] for begin, end in japanese.spans(text)] == japanese.segment(text)


def test_boundaries_that_spaces_give_away_are_not_learned_from():
    spaced = Segmenter(dictionary=False).fit([*JAPANESE, "犬  猫"])
    assert spaced.n_boundaries_ == Segmenter(dictionary=False).fit(JAPANESE).n_boundaries_


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_finds_the_same_words(japanese, engine, tmp_path):
    japanese.save(tmp_path / "model")
    other = Segmenter.load(tmp_path / "model", engine=engine)
    text = "".join(JAPANESE * 3).replace(" ", "") + "天気\nがabc12です"
    assert other.spans(text) == japanese.spans(text)
    assert engine in ("auto", other.engine_.scorer.engine)


@pytest.mark.parametrize("solver", ["dual-cd", "smo"])
def test_exact_machines_learn_too(solver):
    segmenter = Segmenter(solver=solver, C=0.1).fit(JAPANESE)
    assert segmenter.evaluate(JAPANESE).f1 == 1.0


def test_threads_change_nothing(japanese):
    text = "\n".join("".join(JAPANESE).replace(" ", "") for _ in range(600))
    again = Segmenter(n_jobs=2).fit(JAPANESE)
    assert again.machine_ == japanese.machine_
    assert again.segmented(text) == japanese.segmented(text)


@pytest.mark.parametrize("text", ["", "\n", " ", "\u3000\n\t", "海", "\x00", "\r\n"])
def test_little_text_stays_as_it_is(japanese, text):
    assert japanese.segmented(text) == text
    assert japanese.segment(text) == ([text] if text in ("海", "\x00") else [])


def test_a_long_line_is_segmented(japanese):
    found = japanese.segment("また海を見た。" * 15_000)
    assert found == ["また", "海", "を", "見", "た", "。"] * 15_000


def test_what_was_learned_when_interrupted_is_kept(japanese, monkeypatch):
    def stopped(*_, **__):
        raise LearningInterrupted(japanese.machine_)

    monkeypatch.setattr("gristmill.apps.segmentation.segmenter.learn", stopped)
    segmenter = Segmenter()
    with pytest.raises(KeyboardInterrupt):
        segmenter.fit(JAPANESE)
    assert segmenter.machine_.n_support == japanese.machine_.n_support
    assert segmenter.words_ == japanese.words_


def test_progress_is_told():
    calls = []
    Segmenter(progress=lambda done, total: calls.append((done, total))).fit(JAPANESE)
    assert calls
    assert all(done <= total for done, total in calls)


# --- scores -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.text("abあ", min_size=1, max_size=4), min_size=1, max_size=8), st.data())
def test_scores_count_spans(gold, data):
    text = "".join(gold)
    ends = np.array(data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text))))
    ends[-1] = True
    found = np.split(np.array(list(text)), np.flatnonzero(ends) + 1)[:-1]
    expected, given_spans = oracle.spans(gold), oracle.spans(["".join(word) for word in found])
    truth = np.isin(np.arange(1, len(text) + 1), [end for _, end in expected])
    scores = score_words(truth, ends, np.arange(len(text)) == len(text) - 1)
    assert (scores.gold, scores.predicted, scores.correct) == (
        *(len(expected), len(given_spans)),
        len(expected & given_spans),
    )
    assert (scores.boundaries, scores.correct_boundaries) == (len(text) - 1, int((truth == ends)[:-1].sum()))


def test_scores_of_nothing_are_zero(japanese):
    scores = japanese.evaluate([])
    assert (scores.precision, scores.recall, scores.f1, scores.accuracy) == (0.0, 0.0, 0.0, 0.0)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "there is nothing to learn from: 0 lines"),
        (["", "海"], "there is nothing to learn from: 2 lines"),
        (["海 を 見"], "every character is a word"),
        (["海を見\t", "海を"], "no line has two words with one space between them"),
        (["海を\t見"], "no line has two words with one space between them"),
        ([["海 を", "見"]], "sentence 0, counted from 0: expected words without white space, got '海 を'"),
        ([["海", ""]], "expected words without white space, got ''"),
        ([["海", 3]], "expected words without white space, got 3"),
        (["a \ud800"], "character 2 of the text is half a surrogate pair"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(sentences, message):
    with pytest.raises(ValueError, match=message):
        Segmenter().fit(sentences)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"templates": "F:0:0 T:-1"}, "templates cannot look at earlier ones"),
        ({"templates": "B:0:1", "dictionary": False}, "no column 1"),
        ({"templates": 3}, "templates must be text"),
        ({"longest_word": 0}, "longest_word"),
        ({"dictionary": "words.txt"}, "dictionary"),
        ({"engine": "fast"}, "engine"),
        ({"C": -1}, "C"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Segmenter(**settings)


def test_nothing_is_segmented_before_something_is_learned():
    with pytest.raises(ValueError, match="is not fitted"):
        Segmenter().segment("海")


def test_a_failed_fit_leaves_what_was_learned(japanese):
    segmenter = Segmenter().fit(JAPANESE)
    with pytest.raises(ValueError, match="every character"):
        segmenter.fit(["a b c"])
    assert segmenter.machine_ == japanese.machine_


def test_the_words_of_a_corpus_are_found(corpora):
    segmenter = Segmenter().fit_file(corpora / "dep/ja_gsd-megagon-train.conllu.gz")
    scores = segmenter.evaluate_file(corpora / "dep/ja_gsd-megagon-dev.conllu.gz")
    assert (scores.gold, scores.boundaries) == (12_287, 19_609)
    assert scores.f1 > 0.97
