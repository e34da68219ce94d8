"""Probabilities of tags: a softmax fitted to tokens that were not learned from."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.apps.columns import columns_of
from gristmill.apps.cross_prediction import cross_predict
from gristmill.apps.tagging.tagger import Tagger
from gristmill.solvers.temperature import fitted_softmax
from tests.apps.tagging.chunked_sentences import plain, sentences, tags_of

KNOWN, OTHER, NEW = sentences(40), sentences(30, seed=2), sentences(60, seed=1)
POOR = "F:0:0:suffix:1 T:-1"


def of_classes(tagger, text):
    """Scores of tokens, a column for each class."""
    own = tagger.machine_.compile("direct").decision_function(tagger.engine_.rows(columns_of(plain(text))))
    return own if own.ndim == 2 else np.stack([np.zeros(len(own)), own], axis=1)


def numbers(tagger, text):
    classes = tagger.machine_.classes.tolist()
    return np.array([classes.index(tag) for tags in tags_of(text) for tag in tags])


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_the_slope_is_fitted_to_the_scores_of_other_sentences(multiclass):
    tagger = Tagger(POOR, multiclass=multiclass).fit(KNOWN)
    expected = fitted_softmax(of_classes(tagger, OTHER), numbers(tagger, OTHER))
    assert tagger.calibrate(OTHER).machine_.probability.slope == pytest.approx(expected.slope)


def test_with_folds_each_is_judged_by_what_was_learned_from_the_rest():
    tagger, few = Tagger(POOR, C=0.5).fit(KNOWN), 3

    def learned(known):
        other = Tagger(POOR, C=0.5).fit(known)
        assert other.tags_ == tagger.tags_
        return lambda left: zip(of_classes(other, left), numbers(other, left), strict=True)

    scores, labels = zip(*cross_predict(KNOWN, learned, few), strict=True)
    expected = fitted_softmax(np.array(scores), np.array(labels))
    assert tagger.calibrate(KNOWN, folds=few).machine_.probability.slope == pytest.approx(expected.slope)


def test_a_tag_that_one_fold_alone_has_counts_for_nothing():
    rare = [[("石", "N", "B-LST")], *KNOWN]
    assert 0 < Tagger(POOR).fit(rare).calibrate(rare, folds=4).machine_.probability.slope[0] < np.inf
    known, unheard = Tagger(POOR).fit(KNOWN), [[("石", "N", "B-LST")], *OTHER]
    with_it = known.calibrate(unheard).machine_.probability.slope
    assert with_it == known.calibrate(OTHER).machine_.probability.slope


def test_two_tags_have_probabilities():
    said = [[("a", "x"), ("b", "y"), ("c", "x")], [("b", "y"), ("a", "y")]]
    tagger = Tagger("F:0:0").fit(said).calibrate(said)
    (first, *_), (share, *_) = tagger.candidates(["a", "b"], probability=True), tagger.confidences(["a", "b"])
    assert dict(first)[tagger.tag(["a"])[0]] == share
    assert sum(dict(first).values()) == pytest.approx(1)
    assert 0.5 < share < 1


@pytest.mark.parametrize("constraints", ["none", "chunks"])
def test_probabilities_are_those_of_what_is_left(constraints):
    tagger = Tagger(POOR, constraints=constraints).fit(KNOWN).calibrate(OTHER)
    free = tagger.machine_.probability.of_scores(of_classes(tagger, NEW)[:4])
    lengths = []
    for sentence, tags in zip(plain(NEW), tagger.tag(plain(NEW)), strict=True):
        ranked, sure = tagger.candidates(sentence, n=100, probability=True), tagger.confidences(sentence)
        assert [(token[0][0], token[0][1]) for token in ranked] == list(zip(tags, sure, strict=True))
        assert [sum(share for _, share in token) for token in ranked] == pytest.approx([1] * len(tags))
        lengths += map(len, ranked)
    first = tagger.candidates(plain(NEW)[0], n=100, probability=True)[0]
    for tag, share in first:
        place = tagger.machine_.classes.tolist().index(tag)
        kept = [tagger.machine_.classes.tolist().index(other) for other, _ in first]
        assert share == pytest.approx(free[0][place] / free[0][kept].sum())
    assert (min(lengths) < len(tagger.tags_)) == (constraints == "chunks")


def test_files_keep_probabilities(tmp_path):
    tagger = Tagger(POOR).fit(KNOWN).calibrate(OTHER)
    tagger.save(tmp_path / "model")
    assert gm.load(tmp_path / "model").confidences(plain(NEW)) == tagger.confidences(plain(NEW))


def test_threads_change_no_probability():
    one, three = (Tagger(POOR, n_jobs=jobs).fit(KNOWN).calibrate(KNOWN, folds=2) for jobs in (1, 3))
    assert one.machine_ == three.machine_
    assert one.confidences(plain(NEW)) == three.confidences(plain(NEW))


def test_what_cannot_be_calibrated_says_why():
    tagger = Tagger(POOR).fit(KNOWN)
    with pytest.raises(ValueError, match="the tagger has no probabilities: use `gristmill tag train --probability`"):
        tagger.confidences(plain(NEW))
    with pytest.raises(ValueError, match="folds must be 0, or a whole number from 2 on, got 1"):
        tagger.calibrate(KNOWN, folds=1)
    with pytest.raises(ValueError, match="no example whose class is known"):
        tagger.calibrate([[("a", "b", "c")]])
    with pytest.raises(ValueError, match="multiclass='ovo' has votes: use 'native' or 'ovr'"):
        Tagger(POOR, multiclass="ovo").fit(KNOWN).calibrate(OTHER)
