"""The playground in a browser: sentences."""

from __future__ import annotations

import pytest

from gristmill.apps.decisions import ablate as decisions_left_out

pytestmark = [
    pytest.mark.slow,  # in a browser
    pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning"),  # words have few columns here
]

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
    explained = models("tagger").explain(TOKENS)
    for at in (0, 3):
        tagged.press(f".step:nth-child({at + 1})")
        parts = explained[at].as_dict()
        assert (tagged.verdict, tagged.score) == (explained[at].label, parts["score"])
        shown = tagged.contributions()
        assert {name: shown[name] for name in [part["name"] for part in parts["features"]]} == {
            part["name"]: part["value"] for part in parts["features"]
        }
    assert tagged.texts(".step[aria-pressed=true] bdi")[0] == WORDS[3]
    tagged.wait(lambda: "at=3" in tagged.driver.current_url)
    tagged.open(tagged.driver.current_url)
    assert tagged.texts(".step[aria-pressed=true] bdi")[0] == WORDS[3]


def test_the_decision_that_is_looked_at_stays_while_the_sentence_is_typed(tagged):
    tagged.press(".step:nth-child(3)")
    assert tagged.texts(".answer h2") == ["Decision: mill"]
    tagged.write(SENTENCE.replace("mill", "wind"))
    assert tagged.texts(".answer h2") == ["Decision: wind"]
    tagged.write("the/D")
    assert tagged.texts(".answer h2") == ["Decision: the"]


def test_what_is_found_is_said_in_words(parsed, models):
    words = [("the", "DET"), ("mill", "NOUN"), ("grinds", "VERB"), ("grain", "NOUN"), (".", "PUNCT")]
    tree = models("parser").parse(words)
    (said,) = parsed.texts(".summary")
    for at, (form, _) in enumerate(words):
        head = f" of {words[tree.heads[at] - 1][0]}" if tree.heads[at] else ""
        assert f"{form} {tree.relations[at]}{head}" in said


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
    explained = models("parser").explain(words)
    texts = parsed.texts(".picture svg text")
    assert {word for word, _ in words} <= set(texts)
    assert set(explained.tree.relations) <= set(texts)
    assert len(parsed.all(".step")) == len(explained)
    last = len(explained) - 1
    parsed.press(f".step:nth-child({last + 1})")
    assert (parsed.verdict, parsed.score) == (explained[last].label, explained[last].as_dict()["score"])
    assert " ".join(explained[last].stack) in parsed.one(".situation").text


def test_a_text_is_cut_into_the_words_of_the_library(segmented, models):
    assert segmented.texts(".word") == models("segmenter").segment(TEXT)
    explained = models("segmenter").explain(TEXT)
    assert [step.get_attribute("data-end") == "true" for step in segmented.all(".step")] == [
        decision.label == "end" for decision in explained
    ]
    segmented.press(".step:last-of-type")
    assert (segmented.verdict, segmented.score) == (explained[-1].label, explained[-1].as_dict()["score"])


def left_out(step, scorer):
    """Of each feature: the score without it, and what would be decided then, if something else."""
    found, usual = decisions_left_out(step, scorer), step.best or step.label
    scores, labels = found.scores[:, step.predicted].tolist(), found.labels
    return {
        name: (score, "" if label == usual else label)
        for name, score, label in zip(step.names, scores, labels, strict=True)
    }


def test_beside_each_feature_of_a_decision_stands_what_would_be_without_it(tagged, models):
    tagger = models("tagger")
    for at, step in enumerate(tagger.explain(TOKENS)):
        tagged.press(f".step:nth-child({at + 1})")
        assert tagged.without() == left_out(step, tagger.engine_.scorer)


def test_actions_have_what_would_be_without_a_feature(parsed, models):
    parser = models("parser")
    words = [("the", "DET"), ("grinds", "VERB"), ("in", "ADP"), ("mill", "NOUN")]
    parsed.write(" ".join("/".join(word) for word in words))
    flips = 0
    for at, step in enumerate(parser.explain(words)):
        parsed.press(f".step:nth-child({at + 1})")
        shown = parsed.without()
        assert shown == left_out(step, parser.engine_.scorers["all"])
        flips += sum(bool(label) for _, label in shown.values())
    assert flips, "no feature changes a decision: the test shows little"


def test_another_tag_can_be_asked_about(tagged, models):
    explained = models("tagger").explain(TOKENS)[0]
    tagged.type("O", into=".choice select")
    assert (tagged.verdict, tagged.score) == (explained.label, explained.as_dict("O")["score"])
    assert tagged.contributions()["the score of O"] == tagged.score
