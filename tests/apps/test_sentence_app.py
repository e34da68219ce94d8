"""Who decided about a sentence, and the training sentences that a model keeps for that."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gristmill as gm
from gristmill.apps import DependencyParser, Segmenter, Tagger, Word
from gristmill.explanations.kept_examples import KeptExamples, Places, Source, kept_examples

TAGGED = [[("the", "D"), ("cat", "N"), ("eats", "V")], [("a", "D"), ("dog", "N"), ("sleeps", "V")]]
TEXTS = ["また 行き たい", "また 見 たい", "行き たい", "海 を 見 たい", "海 が 見え た"]
THE = {"upos": "DET", "deprel": "det"}
TREES = [
    [
        Word("the", head=2, **THE),
        Word("cats", upos="NOUN", head=4, deprel="nsubj"),
        Word("dogs", upos="NOUN", head=4, deprel="obj"),
        Word("see", upos="VERB", head=0, deprel="root"),
    ],
    [
        Word("the", head=2, **THE),
        Word("dogs", upos="NOUN", head=3, deprel="nmod"),
        Word("tails", upos="NOUN", head=4, deprel="nsubj"),
        Word("wag", upos="VERB", head=0, deprel="root"),
    ],
]
ASKED = {
    "tagger": ["the", "dog", "eats"],
    "segmenter": "また海を見たい",
    "parser": [("the", "DET"), ("dogs", "NOUN"), ("cats", "NOUN"), ("see", "VERB")],
}


def learned(kind, **options):
    if kind == "tagger":
        return Tagger("F:-1..1:0 F:0:0:suffix:1 T:-1", **options).fit(TAGGED)
    if kind == "segmenter":
        return Segmenter(**options).fit(TEXTS)
    return DependencyParser(**options).fit(TREES)


def words_of(kind):
    if kind == "tagger":
        return {tuple(word for word, _ in sentence) for sentence in TAGGED}
    if kind == "segmenter":
        return {tuple(text.replace(" ", "")) for text in TEXTS}
    return {tuple(word.form for word in sentence) for sentence in TREES}


@pytest.mark.parametrize("kind", ASKED)
def test_decisions_are_those_of_the_explanation_and_add_up(kind):
    app = learned(kind)
    explained, found = app.explain(ASKED[kind]), gm.influence(app, ASKED[kind])
    assert [one.heading for one in found] == [step.heading for step in explained]
    for step, one in zip(explained, found, strict=True):
        np.testing.assert_allclose(one.score, step.score, rtol=1e-12)
        assert one.top()[0].source is None


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        *(
            ("tagger", options)
            for options in ({}, {"solver": "dual-cd"}, {"multiclass": "ovo"}, {"direction": "backward"})
        ),
        ("segmenter", {}),
        *(
            ("parser", options)
            for options in ({}, {"split": "b0.upos", "split_threshold": 1}, {"algorithm": "cascaded", "chunks": "det"})
        ),
        ("parser", {"algorithm": "arc-eager", "oracle": "dynamic"}),
    ],
)
def test_models_keep_the_sentences_of_their_support_rows(kind, options, tmp_path):
    app = learned(kind, keep_examples=True, **options)
    app.save(tmp_path / "model")
    for model in (app, gm.load(tmp_path / "model")):
        assert model.keep_examples
        for decision in model.influence(ASKED[kind]):
            for one in decision.top(None):
                assert one.source.words in words_of(kind)
                assert one.source.text in one.text


def test_the_word_is_the_one_that_the_row_was_made_from():
    app = learned("tagger", keep_examples=True)
    for decision in gm.influence(app, ASKED["tagger"]):
        for one in decision.top(None):
            (own,) = (
                name.removeprefix("F:+0:0:") for name in names(one) if name.startswith("F:+0:0:") and "fix" not in name
            )
            assert one.source.words[one.source.word] == own


def names(one):
    return [piece.text for part in one.parts for piece in part.pieces]


def test_characters_are_those_before_boundaries():
    app = learned("segmenter", keep_examples=True)
    for decision in gm.influence(app, ASKED["segmenter"]):
        for one in decision.top(None):
            own = next(name for name in names(one) if name.startswith("F:+0:0:") and "type" not in name)
            assert one.source.words[one.source.word] == own.removeprefix("F:+0:0:")


def test_influence_is_written_and_drawn_with_its_sentence():
    (first, *_), app = ASKED["tagger"], learned("tagger", keep_examples=True)
    found = gm.influence(app, ASKED["tagger"])[0]
    assert str(found).startswith(f"{first} -> D\n")
    assert "[the] cat eats; F:" in str(found)
    listed = json.loads(found.to_json(top=1))
    assert listed["decision"] == "the -> D"
    assert listed["influence"][0]["source"] == {"sentence": ["the", "cat", "eats"], "word": 0}
    assert "<mark>the</mark> cat eats" in found._repr_html_()


def test_several_sentences_are_asked_about_at_once():
    seen = []
    app = learned("tagger")
    found = gm.influence(app, [["the", "dog"], ["a"]], progress=lambda *call: seen.append(call))
    assert [one.heading.split()[0] for one in found] == ["the", "dog", "a"]
    assert seen == [(1, 2), (2, 2)]


def test_long_sentences_are_cut_around_the_word():
    words = tuple(f"w{number}" for number in range(30))
    assert Source(words, 12).text.split() == ["...", *words[4:12], "[w12]", *words[13:21], "..."]
    assert Source(words, 0).text.split() == ["[w0]", *words[1:9], "..."]
    assert Source(words[:3], None).text == "w0 w1 w2"


def test_rows_from_elsewhere_have_no_sentence():
    rows = gm.ids([[0, 1], [2]])
    kept = KeptExamples.of(gm.ids([[2], [5]]), rows, Places.of_words([0, 1, 2]), lambda number: [f"word {number}"])
    assert kept.source(0) == Source(("word 1",), 0)
    assert kept.source(1) is None


@pytest.mark.parametrize("places", [[[0, 0]], [[0, 0], [1, 0]], [[0, 0], [0, 3]]])
def test_sentences_that_do_not_belong_to_the_machine_are_refused(places):
    machine = gm.Machine("poly", gm.ids([[0], [1]]), [1.0, -1.0], 0.0)
    known = {"kept_examples": {"sentences": [["a", "b"]], "places": places}}
    with pytest.raises(ValueError, match="not those of its support examples"):
        kept_examples(machine.replace(provenance=known))


def test_whether_to_keep_is_a_flag():
    with pytest.raises(ValueError, match="keep_examples"):
        Tagger(keep_examples="yes")
