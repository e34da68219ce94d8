"""What would have been decided without a feature: as the definition decides on the row that lacks it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.apps.decisions import Decision, ablate
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.segmentation.segmenter import Segmenter
from gristmill.apps.tagging.tagger import Tagger
from tests.apps.parsing.small_treebanks import ALGORITHMS, WORDS, treebank_of
from tests.apps.tagging.chunked_sentences import plain, sentences
from tests.data.strategies import cancelling, classifiers
from tests.oracle.choosing import class_scores, is_sign
from tests.properties import share

words = st.sampled_from([(form, upos) for upos, forms in WORDS.items() for form in forms])


def best_of(machine, features, possible):
    """By the definition: the class that has most for it, of those that are possible, the first of equals."""
    row = np.atleast_1d(np.squeeze(machine.compile("direct").decision_function([features]))).tolist()
    first = 1 if is_sign(machine) and machine.zero_class == 1 else 0
    scored = enumerate(class_scores(machine, row))
    best = max((score, at == first, -at) for at, score in scored if machine.classes[at] in possible)
    return machine.classes[-best[2]]


def assert_defined(decision, scorer):
    machine, features = decision.machine, decision.ids.tolist()
    found = ablate(decision, scorer)
    assert len(found.labels) == len(found.scores) == len(features)
    possible = machine.classes if decision.possible is None else decision.possible
    for at, feature in enumerate(features):
        others = {one for one in features if one != feature}
        score = machine.compile("direct").decision_function([others])[0]
        np.testing.assert_allclose(found.scores[at], np.atleast_1d(score), atol=1e-9)
        assert found.labels[at] == (best_of(machine, others, possible) if len(possible) else decision.label)


def test_a_tag():
    tagger = Tagger("F:-1..1:0.. T:-1").fit(sentences(10))
    for step in tagger.explain(plain(sentences(1, seed=2))[0]):
        assert_defined(step, tagger.engine_.scorer)


def test_a_boundary():
    segmenter = Segmenter().fit(["また 行き たい", "海 を 見 たい"])
    for step in segmenter.explain("また海を見"):
        assert_defined(step, segmenter.engine_.scorer)


@pytest.fixture(scope="module", params=ALGORITHMS)
def parser(request):
    """That must guess, and wants what cannot be done."""
    return DependencyParser(request.param, epochs=2).fit(treebank_of(request.param, 8))


@pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning")
@given(sentence=st.lists(words, max_size=5))
@share(0.1)
def test_an_action(parser, sentence):
    for step in parser.explain(sentence):
        assert_defined(step, parser.engine_.scorers[step.machine_name or "all"])
        if step.possible is not None:
            assert step.label in step.possible
            assert (step.impossible is None) or (step.impossible not in step.possible)


@given(st.one_of(classifiers(), cancelling(left=(0.0, 0.1))), st.frozensets(st.integers(0, 14), max_size=6), st.data())
def test_any_machine_with_any_engine_where_some_classes_are_possible(machine, features, data):
    classes = machine.classes.tolist()
    possible = tuple(data.draw(st.lists(st.sampled_from(classes), unique=True)))
    (row,) = gm.explain(machine, [features])
    for engine in ("direct", "inverted", "expanded"):
        assert_defined(Decision.of(row, 0, "it", "as it is", possible=possible), machine.compile(engine))
