"""Samples, folds, rounds, and the settings that go on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.tuning.dataset import influences, score, smallest_sample, stratified_order
from gristmill.tuning.rounds import make_rounds, noise, survivors


@st.composite
def labels(draw):
    counts = draw(st.lists(st.integers(5, 60), min_size=2, max_size=5))
    numbers = np.repeat(np.arange(len(counts)), counts)
    return np.random.default_rng(draw(st.integers(0, 99))).permutation(numbers)


@given(labels(), st.integers(2, 5), st.integers(0, 9))
def test_folds_are_disjoint_and_stratified_in_every_sample(numbers, folds, seed):
    order = stratified_order(numbers, folds, seed)
    assert np.array_equal(np.sort(order.examples), np.arange(len(numbers)))
    assert np.array_equal(order.labels, numbers[order.examples])
    for size in (len(numbers) // 2, len(numbers)):
        splits = [order.validation(number, size) for number in range(folds)]
        assert np.array_equal(np.sort(np.concatenate(splits)), np.arange(size))
        counts = np.array([np.bincount(order.labels[some], minlength=5) for some in splits])
        assert (np.ptp(counts, axis=0) <= 1).all()
        for number, some in enumerate(splits):
            assert not order.is_learned(number, size)[some].any()
            assert order.is_learned(number, size).sum() == size - len(some)


@given(labels(), st.integers(0, 9))
def test_every_beginning_is_stratified(numbers, seed):
    order = stratified_order(numbers, 0, seed)
    share = np.bincount(numbers) / len(numbers)
    for size in range(1, len(numbers)):
        seen = np.bincount(order.labels[:size], minlength=len(share))
        assert (np.abs(seen - size * share) <= len(share)).all()
    assert order.n_splits == 1
    assert order.is_learned(0, 3).all()


@given(labels(), st.sampled_from([0, 2, 5]))
def test_the_smallest_sample_has_every_class_in_every_fold(numbers, folds):
    order = stratified_order(numbers, folds, 0)
    size = smallest_sample(order, int(numbers.max()) + 1)
    for fold in range(folds):
        assert set(order.labels[order.validation(fold, size)]) == set(numbers)
    assert np.bincount(order.labels[:size]).min() >= 2


def test_the_same_seed_gives_the_same_order():
    numbers = np.repeat([0, 1], 30)
    one, two, other = (stratified_order(numbers, 3, seed).examples for seed in (4, 4, 5))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


def sizes(*arguments):
    return [round.sample_size for round in make_rounds(*arguments)]


def test_rungs_grow_by_factors_up_to_all_examples():
    assert sizes("subset", None, 5452, 50, 3) == [600, 1800, 5452]
    assert sizes("subset", None, 5452, 700, 3) == [700, 2100, 5452]
    assert sizes("subset", None, 700, 50, 3) == [700]
    assert sizes("exact", None, 5452, 50, 3) == [5452]
    assert sizes("cutting-plane", None, 5452, 50, 3) == [250, 1000, 5452]
    assert sizes("subset", [900, 100, 900, 5452], 5452, 50, 3) == [100, 900, 5452]
    assert sizes("subset", None, 5452, 50, 1) == [600, 1200, 2400, 4800, 5452]
    assert [round.is_exact for round in make_rounds("subset", [9], 20, 5, 3)] == [False, True]


@pytest.mark.parametrize(
    ("given_sizes", "said"),
    [([101], "more than the 100 examples"), ([7], "from 10 on"), ([20.5], "whole number"), ([0], "whole number")],
)
def test_impossible_sample_sizes_are_refused(given_sizes, said):
    with pytest.raises(ValueError, match=said):
        make_rounds("subset", given_sizes, 100, 10, 3)
    with pytest.raises(ValueError, match="of the other searches"):
        make_rounds("exact", [50], 100, 10, 3)


# --- halving ----------------------------------------------------------------------------------------------------------

ALIKE = np.zeros(100)  # the same on all examples: no noise


def test_the_best_go_on():
    assert survivors([0.1, 0.9, 0.5, 0.8, 0.2, 0.3], [ALIKE] * 6, 3) == [1, 3]
    assert survivors([0.1, 0.9, 0.5, 0.8], [ALIKE] * 4, 100) == [1]
    assert survivors([0.1, 0.9, 0.5], [ALIKE] * 3, 1) == [0, 1, 2]


def test_ties_with_the_last_of_them_go_on_however_many():
    assert survivors([0.9, 0.8, 0.8, 0.8, 0.8, 0.1], [ALIKE] * 6, 3) == [0, 1, 2, 3, 4]
    assert survivors([0.5] * 9, [ALIKE] * 9, 3) == list(range(9))


def test_what_is_within_noise_goes_on_but_no_more_than_twice_as_many():
    right = [np.arange(100) % 9 != number for number in range(9)]  # any two differ in 22 or 23 predicted: 4.7 points
    moved = [influences("accuracy", np.ones(100, dtype=int), one.astype(int), 2) for one in right]
    scores = [0.90, 0.80, 0.79, 0.77, 0.751, 0.74, 0.5, 0.5, 0.5]
    assert noise(moved[2], moved[4]) == pytest.approx(np.sqrt((right[2] != right[4]).sum()) / 100)  # McNemar's
    assert survivors(scores, moved, 3) == [0, 1, 2, 3, 4]
    assert survivors(scores, moved, 9) == [0]
    assert survivors(scores, moved, 5) == [0, 1, 2, 3]


# --- noise ------------------------------------------------------------------------------------------------------------


def resampled(measure, truth, predicted, n_classes):
    """Standard error of the difference of two settings, by the bootstrap."""
    rng, found = np.random.default_rng(0), []
    for _ in range(600):
        some = rng.integers(len(truth), size=len(truth))
        one, other = (score(measure, truth[some], given[some], n_classes) for given in predicted)
        found.append(one - other)
    return np.std(found)


def with_errors(truth, n_classes, share, seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(truth)) < share, rng.integers(n_classes, size=len(truth)), truth)


@pytest.mark.parametrize("measure", ["f1", "accuracy"])
@pytest.mark.parametrize("counts", [(960, 40), (300, 300), (300, 200, 80, 20)])
def test_noise_is_what_the_bootstrap_says_of_this_measure(measure, counts):
    truth = np.repeat(np.arange(len(counts)), counts)
    predicted = [with_errors(truth, len(counts), share, seed) for seed, share in enumerate((0.1, 0.2))]
    one, other = (influences(measure, truth, given, len(counts)) for given in predicted)
    assert noise(one, other) == pytest.approx(resampled(measure, truth, predicted, len(counts)), rel=0.15)
    assert one.sum() == pytest.approx(0, abs=1e-12)


def test_settings_that_find_some_of_a_rare_class_are_within_its_noise():
    truth = np.repeat([0, 1], [980, 20])
    missed = [range(980, 984), range(984, 989), range(989, 999)]
    predicted = [truth * ~np.isin(np.arange(1000), some) for some in missed]
    moved = [influences("f1", truth, given, 2) for given in predicted]
    scores = [score("f1", truth, given, 2) for given in predicted]
    assert scores == pytest.approx([0.889, 0.857, 0.667], abs=1e-3)
    assert noise(*moved[:2]) == pytest.approx(resampled("f1", truth, predicted[:2], 2), rel=0.15)
    assert survivors(scores, moved, 3) == [0, 1]


def test_influences_are_small_changes_of_the_score():
    rng = np.random.default_rng(3)
    truth, predicted = rng.integers(4, size=(2, 50))
    predicted[predicted == 2] = 1
    for n_classes, measure in ((5, "f1"), (5, "accuracy")):  # class 4 does not occur
        whole = 2000
        for at, moved in enumerate(influences(measure, truth, predicted, n_classes)):
            more = [np.append(np.tile(some, whole), some[at]) for some in (truth, predicted)]
            change = score(measure, *more, n_classes) - score(measure, truth, predicted, n_classes)
            assert change * whole == pytest.approx(moved, abs=1e-4)
