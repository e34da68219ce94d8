"""Why tokens got their tags and words end where they do: decisions that add up, in words and as JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.apps.decisions import Decision, SentenceExplanation
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.apps.tagging.tagger import Tagger
from tests.apps.tagging.chunked_sentences import plain, sentences, spelled
from tests.oracle import shapley

TEXT = ["また 行き たい", "また 見 たい", "行き たい", "海 を 見 たい", "海 が 見え た"]
LETTERS = st.text(alphabet="また行きい見海をがえaの \u3000\t\n", max_size=12)


@pytest.fixture(scope="module")
def segmenter():
    return Segmenter().fit(TEXT)


@pytest.fixture(scope="module")
def small():
    """With so few features that all subsets can be looked at."""
    return Segmenter("F:0..1:0 F:0:0:type", dictionary=False).fit(TEXT)


def by_definition(step):
    """The Shapley values of all features and outputs."""
    scorer, features = step.machine.compile("direct"), step.ids.tolist()

    def game(output):
        return lambda chosen: float(scorer.decision_function([set(chosen)]).reshape(-1)[output])

    every = [shapley.values(game(output), features) for output in range(step.machine.n_outputs)]
    return np.array([[values[feature] for values in every] for feature in features]).reshape(step.values.shape)


# --- words ------------------------------------------------------------------------------------------------------------


@given(text=LETTERS)
def test_words_are_explained_boundary_by_boundary(segmenter, text):
    explained = segmenter.explain(text)
    characters = [c for c in text if not c.isspace()]
    assert list(explained.tokens) == characters
    assert list(explained.words) == segmenter.segment(text)
    assert "".join(explained.words) == "".join(characters)
    joined = {step.token for step in explained if step.label == "inside"}
    ends = np.cumsum([len(word) for word in explained.words]) - 1
    assert joined == set(range(len(characters))) - set(ends.tolist())
    assert all(step.what == f"{characters[step.token]}|{characters[step.token + 1]}" for step in explained)


@given(text=LETTERS)
def test_boundaries_add_up(segmenter, text):
    scorer = segmenter.machine_.compile("direct")
    for step in segmenter.explain(text):
        score = scorer.decision_function(gm.ids([step.ids.tolist()]))
        np.testing.assert_allclose(step.score, score, atol=1e-9)
        assert (step.score[0] > 0) == (step.label == "end")


def test_there_is_nothing_to_decide_at_white_space(segmenter):
    assert [step.what for step in segmenter.explain("海を 見\nた い")] == ["海|を"]


def test_values_of_boundaries_are_those_of_the_definition(small):
    explained = small.explain("海を見たい")
    assert len(explained) == 4
    for step in explained:
        np.testing.assert_allclose(step.values, by_definition(step), atol=1e-9)


@pytest.mark.parametrize("text", ["", " \n", "海"])
def test_text_without_a_boundary(segmenter, text):
    explained = segmenter.explain(text)
    assert len(explained) == 0
    assert explained.as_dict() == {"tokens": list(text.strip()), "words": list(text.strip()), "steps": []}
    assert str(explained) == text.strip()


def test_a_segmenter_keeps_its_explainer_and_forgets_it_with_the_machine():
    segmenter = Segmenter().fit(TEXT)
    explainer = segmenter.engine_.explainer
    segmenter.explain("海を")
    assert segmenter.engine_.explainer is explainer
    assert segmenter.fit(TEXT[:3]).engine_.explainer is not explainer


def test_half_a_surrogate_pair_is_refused(segmenter):
    with pytest.raises(ValueError, match="half a surrogate pair"):
        segmenter.explain("a\ud800")


# --- tags -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("multiclass", ["native", "ovo"])
def test_values_of_tags_are_those_of_the_definition(multiclass):
    tagger = Tagger("F:-1..0:1 T:-1", multiclass=multiclass).fit(sentences(10))
    for step in tagger.explain(plain(sentences(1, seed=2))[0]):
        np.testing.assert_allclose(step.values, by_definition(step), atol=1e-9)


def test_tags_come_out_as_they_were_learned_and_decisions_as_they_were_made():
    known = spelled(sentences(20), "IOB2")
    tagger = Tagger(tag_scheme="BIOES").fit(known)
    (sentence,) = plain(sentences(1, seed=3))
    explained = tagger.explain(sentence)
    assert list(explained.tags) == tagger.tag(sentence)
    assert any(step.label.startswith("S-") for step in explained)
    assert not any(tag.startswith("S-") for tag in explained.tags)
    assert all(step.output_names[step.predicted] == step.label for step in explained)


def test_pairs_of_tags_are_explained_by_the_tag_that_won():
    tagger = Tagger("F:-1..1:0.. T:-1", multiclass="ovo").fit(sentences(20))
    for step in tagger.explain(plain(sentences(1, seed=3))[0]):
        assert step.outputs.name(step.predicted) == step.label


def test_an_empty_sentence():
    (explained,) = Tagger("F:0:0").fit(sentences(5)).explain([[]])
    assert (len(explained), explained.tags, explained.tokens, str(explained)) == (0, (), (), "")


# --- what people and programs see -------------------------------------------------------------------------------------


def decision(label="b", **more):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}, {1}], [[1.0, 0.5], [-1.0, 2.0]], [0, 0.1], ["a", "b"], "ovr")
    return Decision.of(gm.explain(machine, [{0, 1}])[0], 0, "it", label, **more)


def test_a_decision_is_about_its_label_whatever_scores_highest():
    assert {label: decision(label).output_names[decision(label).predicted] for label in "ab"} == {"a": "a", "b": "b"}
    last_resort = decision("c")  # which no class is: the one with the highest score
    assert last_resort.predicted == int(np.argmax(last_resort.score))


def test_headings_say_where_something_else_was_better():
    assert decision().heading == "it -> b"
    assert decision(machine_name="all").heading == "it -> b (machine all)"
    assert decision(impossible="a").heading == "it -> b; a scores highest, but cannot be done here"
    assert decision(best="a").heading == "it -> b; a is best here, but not for the whole sentence"
    row, own = super(Decision, decision()).draw(), decision().draw()
    assert own == f"it -> b\n{row}"
    assert decision().draw("a").endswith(f"score (a)  {decision().score[0]:.4g}".split("  ")[-1])


def test_controls_do_not_reach_the_screen():
    step = Decision.of(decision(), 0, "\x1b[31mred", "b")
    assert "\x1b" not in str(step)
    assert "\x1b" not in str(SentenceExplanation(("\x1b",), (step,), tags=("b",)))


def test_json_has_everything():
    step = decision(machine_name="m", best="a", stack=("x",), buffer=())
    found = json.loads(step.to_json())
    assert list(found)[:3] == ["token", "what", "label"]
    assert (found["machine"], found["best"], found["stack"], found["buffer"]) == ("m", "a", ["x"], [])
    assert found["scores"] == {"a": step.score[0], "b": step.score[1]}
    assert (found["output"], found["score"]) == ("b", step.score[1])
    explained = SentenceExplanation(("it",), (step,), tags=("b",))
    assert json.loads(explained.to_json()) == {"tokens": ["it"], "tags": ["b"], "steps": [found]}


def test_explanations_are_sequences():
    explained = SentenceExplanation(("it",), (decision("a"), decision()), tags=("b",))
    assert (len(explained), explained[1].label, [step.label for step in explained[::-1]]) == (2, "b", ["b", "a"])
    assert repr(explained) == "SentenceExplanation(1 tokens, 2 decisions)"
    assert str(explained) == f"it/b\n\n{explained[0].draw(top=5)}\n\n{explained[1].draw(top=5)}"
