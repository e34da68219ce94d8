"""Constraints: tags that are well spelled, each the best of those that can be."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps.columns import columns_of
from gristmill.apps.tagging.chunks import SCHEMES
from gristmill.apps.tagging.tagger import Tagger
from gristmill.scoring.deciding import labeller
from tests.apps.tagging.chunked_sentences import plain, sentences, spelled, tags_of
from tests.apps.tagging.tagging_tasks import tasks
from tests.oracle import chunks as oracle
from tests.properties import share

TAGS = [*("O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y"), *("B", "I", "L-Y", "U-Y")]
KNOWN, NEW = sentences(40), sentences(60, seed=1)
WORDS_ALONE = "F:0:0:suffix:1"  # nothing to tell a beginning by

some_tags = st.lists(st.sampled_from(TAGS), unique=True, min_size=1, max_size=6)
schemes = st.sampled_from(SCHEMES)


# --- rules ------------------------------------------------------------------------------------------------------------


@given(classes=some_tags, scheme=schemes, backward=st.booleans(), length=st.integers(1, 4), data=st.data())
def test_rules_leave_what_enumeration_finds(classes, scheme, backward, length, data):
    if not oracle.well_spelled(classes, 1, scheme):
        with pytest.raises(ValueError, match="no tag can be that of a sentence of one token"):
            _core.TagRules(classes, scheme, backward)
        return
    rules, ways = _core.TagRules(classes, scheme, backward), oracle.well_spelled(classes, length, scheme)
    chosen = data.draw(st.sampled_from(ways))
    numbers = np.array([classes.index(tag) for tag in chosen], dtype=np.int32)
    marks = rules.allowed(numbers, np.array([0, length])).reshape(length, -1)
    for at in reversed(range(length)) if backward else range(length):
        assert {tag for tag, mark in zip(classes, marks[at], strict=True) if mark} == {way[at] for way in ways}
        ways = [way for way in ways if way[at] == chosen[at]]


def test_rules_are_for_tags_of_chunks():
    with pytest.raises(ValueError, match="'NN' is not the tag of a chunk"):
        _core.TagRules(["O", "NN"], "IOB2")
    with pytest.raises(ValueError, match="a number has no tag"):
        _core.TagRules(["O"], "IOB2").allowed(np.array([1], dtype=np.int32), np.array([0, 1]))


# --- decoding ---------------------------------------------------------------------------------------------------------


@given(data=st.data(), scheme=schemes, unit=st.sampled_from([1, 0.1]))
@share(0.5)
def test_tags_are_those_of_the_greedy_loop_over_what_is_left(data, scheme, unit):
    tags = data.draw(st.permutations(TAGS).filter(lambda tags: oracle.well_spelled(tags[:2], 1, scheme)))
    task = data.draw(tasks(unit=unit, tags=tags))
    expected = task.greedy(task.machine.compile("direct"), scheme)
    for engine in ("direct", "inverted", "expanded"):
        assert task.decoded(task.machine.compile(engine), rules=task.rules(scheme)) == expected, engine


def test_rules_must_be_those_of_the_classes():
    engine = Tagger().fit(KNOWN).engine_
    rules = _core.TagRules(["O"], "IOB2")
    with pytest.raises(ValueError, match="the rules are not those of the classes"):
        _core.Decoder(engine._window, engine._names, labeller(engine.scorer), False, rules)


# --- taggers ----------------------------------------------------------------------------------------------------------


def weak(inside="keep", direction="forward", known=KNOWN, **more):
    return Tagger(WORDS_ALONE, tag_scheme=inside, direction=direction, **more).fit(known)


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_chunks_are_spelled_as_what_was_learned(scheme, direction):
    known, text = spelled(KNOWN, scheme), plain(NEW)
    tagger = weak(direction=direction, known=known)
    ill = [not oracle.is_well_spelled(tags, scheme) for tags in tagger.tag(text)]
    tagger.constraints = "chunks"
    found = tagger.tag(text)
    assert any(ill) or scheme in ("IOB1", "IOE1")  # where hardly any tag is wrong
    assert all(oracle.is_well_spelled(tags, scheme) for tags in found)
    tagger.n_jobs = 3
    assert tagger.tag(text) == found


@pytest.mark.parametrize("inside", SCHEMES)
def test_the_machines_own_spelling_counts(inside):
    tagger = weak(inside, constraints="chunks")
    numbers = tagger.engine_.seen(columns_of(plain(NEW)), None, None).classes
    classes = [tagger.machine_.classes[number] for number in numbers.tolist()]
    places = np.cumsum([0, *map(len, NEW)]).tolist()
    parts = [classes[begin:end] for begin, end in pairwise(places)]
    assert all(oracle.is_well_spelled(tags, inside) for tags in parts)
    assert all(oracle.is_well_spelled(tags, "IOB2") for tags in tagger.tag(plain(NEW)))


def test_a_tagger_that_spells_well_is_not_changed():
    tagger = Tagger(C=1.0, epochs=30).fit(KNOWN)
    found = tagger.tag(plain(KNOWN))
    tagger.constraints = "chunks"
    assert found == tagger.tag(plain(KNOWN)) == tags_of(KNOWN)


def test_candidates_are_those_that_are_left():
    tagger = weak(constraints="chunks")
    for sentence, tags in zip(plain(NEW), tagger.tag(plain(NEW)), strict=True):
        for at, token in enumerate(tagger.candidates(sentence, n=100)):
            before = tags[:at]
            possible = {tag for tag in tagger.tags_ if oracle.is_well_spelled([*before, tag], "IOB2")}
            assert token[0][0] == tags[at]
            assert {tag for tag, _ in token} == possible
            assert [score for _, score in token] == sorted((score for _, score in token), reverse=True)


def test_explanations_say_what_could_not_be():
    tagger = weak()
    free = {sentence: tagger.tag(list(sentence)) for sentence in map(tuple, plain(NEW))}
    tagger.constraints = "chunks"
    ruled_out = 0
    for sentence, tags in free.items():
        explained = tagger.explain(list(sentence))
        assert [step.label for step in explained] == tagger.tag(list(sentence)) == list(explained.tags)
        for step, tag in zip(explained, tags, strict=True):
            assert step.label in step.possible
            assert step.impossible == (None if tag in step.possible else tag)  # no features of tags: tags stay
            ruled_out += step.impossible is not None
    assert ruled_out


def test_models_keep_constraints_and_runs_may_have_others(tmp_path):
    ruled, free = weak(constraints="chunks"), weak()
    ruled.save(tmp_path / "model")
    again = Tagger.load(tmp_path / "model")
    assert again.constraints == "chunks"
    assert again.tag(plain(NEW)) == ruled.tag(plain(NEW))
    assert Tagger.load(tmp_path / "model", constraints="none").tag(plain(NEW)) == free.tag(plain(NEW))


def test_tags_of_words_have_no_constraints():
    said = [[("the", "D"), ("cat", "N")]]
    with pytest.raises(ValueError, match=r"is for tags of chunks, such as O, B-NP and I-NP; these are 'D', 'N'"):
        Tagger(constraints="chunks").fit(said)
    with pytest.raises(ValueError, match="constraints must be"):
        Tagger(constraints="IOB2")
