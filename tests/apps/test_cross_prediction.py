"""Cross-prediction: each sentence is answered by what was learned from all other folds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps import Tagger
from gristmill.apps.cross_prediction import cross_predict


def remember(known):
    """A model that answers with what it was learned from."""
    return lambda others: [(other, frozenset(known)) for other in others]


@given(st.integers(2, 30), st.integers(2, 40))
def test_each_sentence_is_answered_by_all_folds_but_its_own(sentences, folds):
    found = cross_predict(range(sentences), remember, folds)
    assert [sentence for sentence, _ in found] == [*range(sentences)]
    own = [frozenset(range(sentences)) - known for _, known in found]
    assert all(sentence in fold for sentence, fold in enumerate(own))
    assert all(fold == frozenset(range(min(fold), max(fold) + 1)) for fold in own)  # neighbours
    sizes = [len(fold) for fold in set(own)]
    assert len(sizes) == min(folds, sentences)
    assert max(sizes) - min(sizes) <= 1


def test_a_tagger_answers_as_one_that_was_learned_by_hand_from_the_other_folds():
    said = [[(f"w{at % 3}", "ABC"[at % 3]), (f"v{at % 2}", "XY"[at % 2])] for at in range(8)]
    words = [[token[0] for token in sentence] for sentence in said]

    def learn(known):
        tagger = Tagger("F:-1..1:0", epochs=2).fit([said[at] for at in known])
        return lambda others: tagger.tag([words[at] for at in others])

    by_hand = [*learn([4, 5, 6, 7])([0, 1, 2, 3]), *learn([0, 1, 2, 3])([4, 5, 6, 7])]
    assert cross_predict(range(8), learn, 2) == by_hand


@pytest.mark.parametrize(("sentences", "folds"), [(5, 1), (1, 2), (0, 5), (5, 0), (5, 2.5)])
def test_fewer_than_two_folds_or_sentences_are_refused(sentences, folds):
    with pytest.raises(ValueError, match="folds"):
        cross_predict(range(sentences), remember, folds)
