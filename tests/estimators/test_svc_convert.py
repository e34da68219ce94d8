"""KernelSVC on converted trees: the same machines, and classification of trees that were converted together."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_predict

import gristmill as gm

RNG = np.random.default_rng(12)


def tree(depth=3):
    label = "ABCD"[RNG.integers(4)]
    if depth == 0 or RNG.random() < 0.3:
        return f"({label} {'wxyz'[RNG.integers(4)]})"
    return f"({label} {' '.join(tree(depth - 1) for _ in range(RNG.integers(1, 4)))})"


def marked(text):
    """With a mark at the root and another somewhere."""
    return text.replace(" (B", " (B*2", 1).replace("(", "(TOP*1 (", 1) + ")"


TREES = [marked(tree()) for _ in range(160)]
Y3 = np.array([1 if "(C" in text else 2 if "y" in text else 0 for text in TREES])
Y3[::13] = (Y3[::13] + 1) % 3
TRAIN, DEV = slice(0, 110), slice(110, 160)
KERNEL = gm.Normalized(gm.OrderedTreeKernel(0.3, marked=True))


def test_trees_converted_together_are_classified_without_a_compiled_machine(monkeypatch):
    both = gm.ConvertedForest(TREES, KERNEL, max_size=8)
    clf = gm.KernelSVC(KERNEL, tol=1e-8).fit(both[TRAIN], Y3[TRAIN])
    plain = gm.KernelSVC(KERNEL, tol=1e-8, convert=False).fit(TREES[TRAIN], Y3[TRAIN])
    expected = plain.machine_.compile("direct").decision_function(TREES[DEV])
    with monkeypatch.context() as patch:
        patch.setattr(type(clf._learned), "scorer", property(lambda _: pytest.fail("compiled")))
        scores, labels = clf.decision_function(both[DEV]), clf.predict(both[DEV])
    np.testing.assert_array_equal(labels, plain.predict(TREES[DEV]))
    np.testing.assert_allclose(scores, plain.decision_function(TREES[DEV]), atol=1e-6)
    np.testing.assert_allclose(clf.machine_.compile("converted").decision_function(both[DEV]), expected, atol=1e-6)
    assert isinstance(clf.support_vectors_, gm.ConvertedForest)


def test_new_trees_are_classified_as_ever():
    both = gm.ConvertedForest(TREES[TRAIN], KERNEL)
    clf = gm.KernelSVC(KERNEL).fit(both, Y3[TRAIN])
    assert clf.scorer_.engine == "forest"
    plain = gm.KernelSVC(KERNEL).fit(TREES[TRAIN], Y3[TRAIN])
    np.testing.assert_array_equal(clf.predict(TREES[DEV]), plain.predict(TREES[DEV]))
    again = gm.ConvertedForest(TREES, KERNEL)
    np.testing.assert_array_equal(clf.predict(again[DEV]), plain.predict(TREES[DEV]))


def test_ties_are_broken_alike():
    both = gm.ConvertedForest(TREES, KERNEL)
    clf = gm.KernelSVC(KERNEL, break_ties=True).fit(both[TRAIN], Y3[TRAIN])
    np.testing.assert_array_equal(clf.predict(both[DEV]), clf.predict(TREES[DEV]))


def test_a_machine_that_was_saved_is_plain(tmp_path):
    both = gm.ConvertedForest(TREES, KERNEL)
    clf = gm.KernelSVC(KERNEL).fit(both[TRAIN], Y3[TRAIN])
    clf.machine_.save(tmp_path / "machine")
    loaded = gm.load(tmp_path / "machine")
    assert type(loaded.support) is gm.Forest
    assert loaded == clf.machine_
    np.testing.assert_array_equal(loaded.compile().predict(both[DEV]), clf.predict(both[DEV]))


@pytest.mark.parametrize("travel", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_what_was_learned_travels_without_its_conversion(travel):
    both = gm.ConvertedForest(TREES, KERNEL)
    clf = gm.KernelSVC(KERNEL).fit(both[TRAIN], Y3[TRAIN])
    labels = clf.predict(both[DEV])
    again = travel(clf)
    assert type(again.support_vectors_) is gm.Forest
    np.testing.assert_array_equal(again.predict(both[DEV]), labels)
    scorer = travel(clf.machine_.compile("converted"))
    assert scorer.engine == "forest"
    np.testing.assert_array_equal(scorer.predict(both[DEV]), labels)


@pytest.mark.parametrize("convert", [True, "auto", False])
def test_convert_changes_nothing_that_is_learned(convert):
    one = gm.KernelSVC("lo-marked", convert=convert, tol=1e-8).fit(TREES, Y3)
    other = gm.KernelSVC("lo-marked", tol=1e-8).fit(TREES, Y3)
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-6)
    np.testing.assert_allclose(one.decision_function(TREES), other.decision_function(TREES), atol=1e-6)
    assert one.machine_.provenance.get("converted", False) == (convert is True)


def test_a_grid_over_decays_and_costs_converts_once(conversions):
    """The paper's tuning: one conversion of training and development trees serves every decay and C."""
    both = gm.ConvertedForest(TREES, "lo-marked")
    for decay in (0.1, 0.2, 0.3):
        kernel = gm.Normalized(gm.OrderedTreeKernel(decay, marked=True))
        clf = gm.KernelSVC(kernel, warm_start=True)
        plain = gm.KernelSVC(kernel, convert=False)
        for C in (0.5, 5.0):
            clf.set_params(C=C).fit(both[TRAIN], Y3[TRAIN])
            plain.set_params(C=C).fit(TREES[TRAIN], Y3[TRAIN])
            np.testing.assert_allclose(clf.objective_, plain.objective_, rtol=1e-3)
            assert clf.score(both[DEV], Y3[DEV]) == plain.score(TREES[DEV], Y3[DEV])
    assert conversions == [160]


def test_a_warm_start_with_another_decay_converts_once(conversions):
    clf = gm.KernelSVC("lo-marked", warm_start=True, convert=True)
    for decay in (0.2, 0.4):
        kernel = gm.Normalized(gm.OrderedTreeKernel(decay, marked=True))
        clf.set_params(kernel=kernel).fit(TREES, Y3)
        cold = gm.KernelSVC(kernel, convert=False).fit(TREES, Y3)
        np.testing.assert_allclose(clf.objective_, cold.objective_, rtol=1e-3)
    assert len(conversions) == 1


def test_scikit_learn_cuts_a_converted_forest(conversions):
    both = gm.ConvertedForest(TREES, KERNEL)
    grid = {"C": [0.1, 10.0], "kernel": [KERNEL, gm.Normalized(gm.OrderedTreeKernel(0.1, marked=True))]}
    search = GridSearchCV(gm.KernelSVC(), grid, cv=3).fit(both, Y3)
    plain = GridSearchCV(gm.KernelSVC(convert=False), grid, cv=3).fit(TREES, Y3)
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(
        cross_val_predict(gm.KernelSVC(KERNEL), both, Y3, cv=3),
        cross_val_predict(gm.KernelSVC(KERNEL), TREES, Y3, cv=3),
    )
    assert conversions == [160]


def test_a_search_with_a_development_set_converts_once(conversions):
    train, dev = (gm.Forest.from_strings(TREES[part], marks=True) for part in (TRAIN, DEV))
    both = gm.ConvertedForest(train + dev, "lo-marked")
    kernels = [gm.Normalized(gm.OrderedTreeKernel(decay, marked=True)) for decay in (0.1, 0.3)]
    split = PredefinedSplit([-1] * len(train) + [0] * len(dev))
    search = GridSearchCV(gm.KernelSVC(), {"kernel": kernels, "C": [0.5, 5.0]}, cv=split, refit=False).fit(both, Y3)
    expected = [
        gm.KernelSVC(kernel, C=C, convert=False).fit(train, Y3[TRAIN]).score(dev, Y3[DEV])
        for C in (0.5, 5.0)
        for kernel in kernels
    ]
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], expected)
    assert conversions == [160]


def test_regression_and_outliers():
    both = gm.ConvertedForest(TREES, KERNEL)
    sizes = np.array([text.count("(") for text in TREES], dtype=float)
    one = gm.KernelSVR(KERNEL, tol=1e-8).fit(both[TRAIN], sizes[TRAIN])
    other = gm.KernelSVR(KERNEL, tol=1e-8, convert=False).fit(TREES[TRAIN], sizes[TRAIN])
    np.testing.assert_allclose(one.predict(both[DEV]), other.predict(TREES[DEV]), atol=1e-5)
    one = gm.KernelOneClassSVM(KERNEL, tol=1e-8, convert=True).fit(TREES)
    other = gm.KernelOneClassSVM(KERNEL, tol=1e-8, convert=False).fit(TREES)
    np.testing.assert_allclose(one.score_samples(TREES), other.score_samples(TREES), atol=1e-5)
    joint = gm.KernelOneClassSVM(KERNEL).fit(both[TRAIN])
    np.testing.assert_array_equal(joint.predict(both[DEV]), joint.predict(TREES[DEV]))


def test_a_warning_points_to_the_fit_and_says_how():
    alike = " ".join(f"(A{n} a{n})" for n in range(12))
    trees = [f"(S (R {alike}) b{n})" for n in range(6)]
    how = r"convert=False.*ConvertedForest\(trees, kernel, max_size="
    with pytest.warns(gm.MaliciousPairsWarning, match=how) as caught:
        gm.KernelSVC("c", convert=True).fit(trees, [0, 1] * 3)
    assert caught[0].filename == __file__


def test_too_little_memory_is_said():
    with pytest.raises(
        gm.PatternsTooLargeError, match=r"convert=False.*max_bytes may be raised.*ConvertedForest\(X, kernel"
    ):
        gm.KernelSVC(KERNEL, convert=True, max_bytes=20_000).fit(TREES, Y3)


def test_what_cannot_be_converted_is_said():
    with pytest.raises(ValueError, match="convert=True is for one kernel of trees"):
        gm.KernelSVC("ptk", convert=True).fit(TREES, Y3)
    with pytest.raises(ValueError, match="convert must be True, False or 'auto'"):
        gm.KernelSVC("lo", convert="always").fit(TREES, Y3)
