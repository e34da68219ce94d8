"""DependencyParser.explain: the steps lead to the tree; the explanation of each adds up to its score."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.apps.parsing.model import ALGORITHMS as SYSTEMS
from gristmill.apps.parsing.model import action_of
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.tree import Word
from tests.apps.parsing.small_treebanks import ALGORITHMS, EXACT, OF_WORDS, WORDS, crossing, plain, treebank_of
from tests.oracle import shapley
from tests.oracle.units import of_tags
from tests.properties import share

pytestmark = pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning")  # words have few columns here

FEW = share(0.25)

words = st.sampled_from([(form, upos) for upos, forms in WORDS.items() for form in forms])
any_sentence = st.lists(words, max_size=7)


@pytest.fixture(scope="module", params=ALGORITHMS)
def parser(request):
    """That has not seen much: it must guess, and wants what cannot be done."""
    return DependencyParser(request.param, epochs=2).fit(treebank_of(request.param, 8))


def with_beam(parser, beam, temperature=1.0):
    other = DependencyParser(parser.algorithm, beam=beam, temperature=temperature)
    other._keep(parser.machine_, parser.engine_.model)
    return other


def walked(parser, explained, size):
    """Heads by the labels of the steps."""
    walk = _core.Walk(SYSTEMS[parser.algorithm], size)
    for step in explained:
        walk.take(*action_of(step.label, parser.engine_.number))
    assert not walk.legal
    return walk.heads


def links(explained):
    return [step for step in explained if step.stack is not None]


@given(sentence=any_sentence, beam=st.sampled_from([1, 3]))
@FEW
def test_steps_lead_to_the_tree_that_is_parsed(parser, sentence, beam):
    own = with_beam(parser, beam)
    (explained,), (tree,) = own.explain([sentence]), own.parse([sentence])
    assert explained.tree == tree
    assert explained.tokens == tuple(form for form, _ in sentence)
    if parser.algorithm in OF_WORDS:
        assert [head + 1 for head in walked(own, explained, len(sentence))] == tree.heads
    else:
        tags = {step.token: step.label for step in explained if step.stack is None}
        assert sorted(tags) == list(range(len(sentence)))
        meanings = parser.engine_._meanings
        names = parser.machine_["units"].classes.tolist()
        units = of_tags([meanings[names.index(tags[at])] for at in range(len(sentence))], 0)
        walked(own, links(explained), len(units))


@given(sentence=any_sentence, beam=st.sampled_from([1, 4]))
@FEW
def test_every_step_adds_up_and_is_about_what_was_done(parser, sentence, beam):
    for step in with_beam(parser, beam).explain(sentence):
        name = step.machine_name or "all"
        machine = parser.machine_[name]
        row = machine.compile("direct").decision_function(gm.ids([step.ids.tolist()]))
        np.testing.assert_allclose(step.base + step.values.sum(axis=0), np.atleast_1d(row[0]), atol=1e-9)
        if step.label in machine.classes and machine.n_outputs > 1:
            assert step.output_names[step.predicted] == step.label


@pytest.mark.parametrize("multiclass", ["native", "ovo"])
def test_values_are_those_of_the_definition(multiclass):
    parser = DependencyParser(templates="{s0,s1,b0}.upos s0.lefts", multiclass=multiclass).fit(treebank_of("swap", 8))
    for step in parser.explain(plain(treebank_of("swap", 1, seed=3))[0]):
        machine, features = step.machine, step.ids.tolist()
        scorer = machine.compile("direct")
        for output in range(machine.n_outputs):

            def game(coalition, output=output, scorer=scorer):
                return float(scorer.decision_function([set(coalition)]).reshape(-1)[output])

            expected = shapley.values(game, features)
            np.testing.assert_allclose(step.values[:, output], [expected[f] for f in features], atol=1e-9)


def test_stack_and_buffer_are_told():
    parser = DependencyParser(**EXACT).fit(treebank_of("arc-standard"))
    explained = parser.explain([("the", "DET"), ("mill", "NOUN"), ("turns", "VERB"), ("now", "ADV"), (".", "PUNCT")])
    assert [(step.what, step.label) for step in explained[:2]] == [
        ("the mill | turns now …", "LEFT:det"),
        ("mill turns | now .", "LEFT:nsubj"),
    ]
    assert (explained[0].stack, explained[0].buffer, explained[0].token) == (("the", "mill"), ("turns", "now", "."), 1)
    assert explained[0].heading == "the mill | turns now … -> LEFT:det"
    assert str(explained[0]).splitlines()[0] == explained[0].heading


def test_units_stand_on_the_stack():
    parser = DependencyParser("head-final", **EXACT).fit(treebank_of("head-final"))
    explained = parser.explain([("grain", "NOUN"), ("wo", "PART"), ("eats", "VERB"), ("ta", "AUX"), (".", "PUNCT")])
    assert [step.token for step in explained] == [4, 3, 2, 1, 0, 0]
    assert [step.machine_name for step in explained] == ["units"] * 5 + ["all"]
    assert (explained[5].stack, explained[5].buffer, explained[5].label) == (("grain wo",), ("eats ta .",), "LEFT:obl")
    assert explained[4].heading == "grain -> B:h (machine units)"


def test_what_cannot_be_done_is_told(parser):
    """Where a machine scores something highest that is not legal, another class decides."""
    sentences = [[(form, upos)] * 3 for upos, forms in WORDS.items() for form in forms]
    expected = [step for sentence in sentences for step in links(parser.explain(sentence)) if step.impossible]
    for step in expected:
        scores = dict(zip(step.output_names, step.score.tolist(), strict=True))
        assert max(scores, key=scores.get) == step.impossible != step.label
        assert "cannot be done here" in step.heading
    assert expected or parser.algorithm not in OF_WORDS  # those of units may always do both


def test_a_beam_says_where_it_went_another_way(parser):
    own, turned = with_beam(parser, 8, temperature=3.0), 0
    for sentence in plain(treebank_of(parser.algorithm, 20, seed=4)):
        for step in links(own.explain(sentence)):
            scores = dict(zip(step.output_names, step.score.tolist(), strict=True))
            if step.best is not None:
                turned += 1
                assert step.best != step.label
                assert scores[step.best] >= scores.get(step.label, -np.inf)
                assert "not for the whole sentence" in step.heading
    assert turned
    assert not any(step.best for step in with_beam(parser, 1).explain([("the", "DET"), ("mill", "NOUN")] * 3))


def test_machines_of_a_split_decide_on_their_own():
    parser = DependencyParser(split="b0.upos", split_threshold=5).fit(treebank_of("arc-standard"))
    (sentence,) = plain(treebank_of("arc-standard", 1, seed=2))
    explained = parser.explain(sentence)
    assert len({step.machine_name for step in explained}) > 1
    forms = {word.form: word.upos for word in sentence}
    for step in explained:
        value = forms[step.buffer[0]] if step.buffer else None
        split = parser.engine_.model.split
        assert step.machine_name == split.machines.get(value, split.other)


def test_lifted_arcs_are_put_back():
    parser = DependencyParser(pseudo_projective="head+path", **EXACT).fit(crossing())
    (sentence,) = plain(crossing(1, seed=0))
    explained = parser.explain(sentence)
    assert explained.tree == parser.parse(sentence)
    heads = [head + 1 for head in walked(parser, explained, len(sentence))]
    assert heads != explained.tree.heads  # which no way of the algorithm gives


@pytest.mark.parametrize("sentence", [[], [("mill", "NOUN")], [Word("unseen")]], ids=["none", "one", "unseen"])
def test_sentences_without_a_choice(parser, sentence):
    (explained,) = parser.explain([sentence])
    assert not links(explained)
    assert explained.tree.heads == [0] * len(sentence)
    assert json.loads(explained.to_json())["heads"] == explained.tree.heads
    assert str(explained) == explained.draw()


def test_interactions_and_json():
    parser = DependencyParser(templates="{s0,s1}.upos").fit(treebank_of("arc-standard", 8))
    (sentence,) = plain(treebank_of("arc-standard", 1, seed=5))
    explained = parser.explain(sentence, interactions=True)
    found = json.loads(explained.to_json())
    assert set(found) == {"tokens", "heads", "relations", "steps"}
    for step, own in zip(found["steps"], explained, strict=True):
        assert (step["label"], step["stack"], step["buffer"]) == (own.label, list(own.stack), list(own.buffer))
        assert step["baseline"] + sum(one["value"] for one in step["features"]) == pytest.approx(step["score"])
        assert step["scores"][step["output"]] == step["score"]
        assert "interactions" in step
        assert not {"machine", "best", "impossible"} & set(step)
    assert explained.draw().startswith(explained.tree.draw().rstrip("\n"))


def test_nothing_learned_explains_nothing():
    with pytest.raises(ValueError, match="is not fitted"):
        DependencyParser().explain(["a"])
