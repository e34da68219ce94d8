"""The playground in a browser: sentences."""

from __future__ import annotations

import pytest

SENTENCE = "the/D old/A mill/N grinds/V now/R ./."
TOKENS = [tuple(token.split("/")) for token in SENTENCE.split()]
WORDS = [word for word, _ in TOKENS]
TEXT = "この海を見た。"


@pytest.fixture
def tagged(page, site):
    return page.open(site("tagger")).write(SENTENCE)


@pytest.fixture
def parsed(page, site):
    return page.open(site("parser")).write("the/DET mill/NOUN grinds/VERB grain/NOUN ./PUNCT")


@pytest.fixture
def segmented(page, site):
    return page.open(site("segmenter")).write(TEXT)


def test_tokens_have_the_tags_of_the_library(tagged, models):
    assert tagged.texts(".step > bdi") == WORDS
    assert tagged.texts(".step small") == models("tagger").tag(TOKENS)


def test_each_decision_is_explained(tagged, models):
    told = models("tagger").explain(TOKENS)
    for at in (0, 3):
        tagged.press(f".step:nth-child({at + 1})")
        parts = told[at].as_dict()
        assert (tagged.verdict, tagged.score) == (told[at].label, parts["score"])
        shown = tagged.contributions()
        assert {name: shown[name] for name in [part["name"] for part in parts["features"]]} == {
            part["name"]: part["value"] for part in parts["features"]
        }
    assert tagged.texts(".step[aria-pressed=true] bdi")[0] == WORDS[3]
    tagged.wait(lambda: "at=3" in tagged.driver.current_url)
    tagged.open(tagged.driver.current_url)
    assert tagged.texts(".step[aria-pressed=true] bdi")[0] == WORDS[3]


def test_chunks_are_in_one_colour(tagged, models):
    tags = models("tagger").tag(TOKENS)
    colours = [step.get_attribute("data-colour") for step in tagged.all(".step")]
    by_type = {}
    for tag, colour in zip(tags, colours, strict=True):
        by_type.setdefault(tag.partition("-")[2], set()).add(colour)
    assert all(len(some) == 1 for some in by_type.values())
    assert len({frozenset(some) for some in by_type.values()}) == len(by_type)


def test_missing_columns_are_said(tagged):
    tagged.write("the mill")
    assert "word/TAG" in tagged.one(".field .error").text
    assert tagged.is_stale


def test_a_sentence_is_drawn_as_it_is_parsed(parsed, models):
    words = [("the", "DET"), ("mill", "NOUN"), ("grinds", "VERB"), ("grain", "NOUN"), (".", "PUNCT")]
    told = models("parser").explain(words)
    texts = parsed.texts(".picture svg text")
    assert {word for word, _ in words} <= set(texts)
    assert set(told.tree.relations) <= set(texts)
    assert len(parsed.all(".step")) == len(told)
    last = len(told) - 1
    parsed.press(f".step:nth-child({last + 1})")
    assert (parsed.verdict, parsed.score) == (told[last].label, told[last].as_dict()["score"])
    assert " ".join(told[last].stack) in parsed.one(".situation").text


def test_a_text_is_cut_into_the_words_of_the_library(segmented, models):
    assert segmented.texts(".word") == models("segmenter").segment(TEXT)
    told = models("segmenter").explain(TEXT)
    assert [step.get_attribute("data-end") == "true" for step in segmented.all(".step")] == [
        decision.label == "end" for decision in told
    ]
    segmented.press(".step:last-of-type")
    assert (segmented.verdict, segmented.score) == (told[-1].label, told[-1].as_dict()["score"])


def test_another_tag_can_be_asked_about(tagged, models):
    told = models("tagger").explain(TOKENS)[0]
    tagged.type("O", into=".choice select")
    assert (tagged.verdict, tagged.score) == (told.label, told.as_dict("O")["score"])
    assert tagged.contributions()["the score of O"] == tagged.score
