"""Searches find what a plain loop over KernelSVC finds, whoever runs them."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score

import gristmill as gm
from gristmill.solvers.batch import converting
from gristmill.solvers.batch.deduplicate import take
from gristmill.tuning import search
from gristmill.tuning.blocks import extend_block
from gristmill.tuning.dataset import stratified_order
from gristmill.tuning.rounds import survivors
from tests.tuning.sets_to_tune_on import forest, rows, same, trees

FOREST, LABELS = forest(150)
X, Y = rows(160)
TREE_GRID = {"kernels": ["sst", "ptk"], "C": [0.1, 1, 100], "parameters": {"decay": [0.3, 0.8]}}


def in_a_plain_loop(found, data, labels, folds, score, **options):
    """Scores of all settings, by the book."""
    order = stratified_order(np.unique(labels, return_inverse=True)[1], folds, 0)
    for trial in found.trials:
        scores = []
        for fold in range(folds):
            learned, validating = order.examples[order.folds != fold], order.examples[order.folds == fold]
            clf = gm.KernelSVC(trial.setting.kernel, C=trial.setting.C, tol=1e-6, **options)
            clf.fit(data[learned], labels[learned])
            scores.append(score(labels[validating], clf.predict(data[validating])))
        yield trial, scores


def macro(truth, predicted):
    return f1_score(truth, predicted, average="macro")


@pytest.mark.parametrize(("folds", "options"), [(3, {}), (2, {"multiclass": "ovr", "class_weight": "balanced"})])
def test_exact_search_is_a_plain_loop(folds, options):
    found = gm.tune(FOREST, LABELS, **TREE_GRID, folds=folds, search="exact", tol=1e-6, refit=False, **options)
    assert len(found.trials) == 12
    for trial, scores in in_a_plain_loop(found, FOREST, LABELS, folds, macro, **options):
        np.testing.assert_allclose(trial.scores, scores, rtol=0, atol=1e-12)
        assert trial.score == pytest.approx(np.mean(scores))
        assert trial.spread == pytest.approx(np.std(scores))
        assert trial.converged
        assert trial.exact
    assert found.best_trial.score == max(trial.score for trial in found.trials)


@pytest.mark.parametrize("max_bytes", [None, 100_000], ids=["gram", "rows"])
def test_automatic_c_is_found_for_each_fold(max_bytes):
    options = {"class_weight": {1: 3.0}}
    how = {"kernels": gm.PolynomialKernel(2, coef0=2.0), "C": [10.0, "auto", 0.001], "folds": 3, "search": "exact"}
    found = gm.tune(X, Y, **how, tol=1e-8, scoring="accuracy", max_bytes=max_bytes, **options)
    assert [trial.setting.C for trial in found.trials] == [0.001, 10.0, "auto"]
    for trial, scores in in_a_plain_loop(found, X, Y, 3, lambda truth, own: (truth == own).mean(), **options):
        np.testing.assert_allclose(trial.scores, scores, rtol=0, atol=1e-12)
    auto = gm.KernelSVC(how["kernels"], C="auto").fit(X, Y)
    assert found.trials[2].C == pytest.approx(auto.C_, rel=0.05)
    assert str(found.trials[2].setting).endswith("C=auto")
    assert (found.classifier.C == "auto") == (found.best.C == "auto")


@pytest.mark.parametrize("max_bytes", [None, 100_000], ids=["gram", "rows"])
def test_kernels_of_sets_are_a_plain_loop_too(max_bytes):
    names = ["rbf", "tanimoto", "cosine", "dice", "sigmoid"]
    grid = {"kernels": names, "C": [0.3, 7.0], "parameters": {"gamma": ["scale", 0.07]}}
    found = gm.tune(X, Y, **grid, folds=3, scoring="accuracy", tol=1e-8, max_bytes=max_bytes)
    assert len(found.trials) == 2 * (2 + 3 + 2)
    for trial, scores in in_a_plain_loop(found, X, Y, 3, lambda truth, own: (truth == own).mean()):
        np.testing.assert_allclose(trial.scores, scores, rtol=0, atol=1e-12)


def test_gamma_scale_is_found_from_all_rows():
    expected = gm.KernelSVC("rbf").fit(X, Y).gamma_
    by_name = gm.tune(X, Y, kernels="rbf", C=1.0, folds=2)
    assert by_name.best.kernel == gm.RBFKernel(expected)
    by_word = gm.tune(X, Y, kernels={"mine": gm.RBFKernel()}, C=1.0, folds=2, parameters={"gamma": "scale"})
    assert by_word.best.parameters == {"gamma": expected}
    assert gm.tune(X, Y, kernels={"rbf": gm.RBFKernel()}, C=1.0, folds=2).best.kernel == gm.RBFKernel(1.0)
    assert found_again(by_name) == found_again(by_word)


def found_again(found):
    return found.classifier.predict(X).tolist()


def test_what_kernels_of_sets_cannot_do_is_refused():
    with pytest.raises(ValueError, match="search='cutting-plane' minimises"):
        gm.tune(X, Y, kernels="sigmoid", C=1.0, folds=2, search="cutting-plane")
    with pytest.raises(ValueError, match="search='slicing' is for polynomial kernels"):
        gm.tune(X, Y, kernels="rbf", C=1.0, folds=2, search="slicing")
    examples = gm.Examples(trees=FOREST, vectors=np.eye(len(FOREST)))
    both = gm.SubsetTreeKernel().on("trees") + gm.RBFKernel().on("vectors")
    with pytest.raises(ValueError, match="X has several fields: give a number"):
        gm.tune(examples, LABELS, kernels=both, C=1.0, folds=2, parameters={"gamma": "scale"})


@pytest.mark.parametrize("max_bytes", [None, 100_000], ids=["gram", "rows"])
def test_rows_are_a_plain_loop_too(max_bytes):
    options = {"class_weight": {1: 3.0}, "fit_intercept": False}
    # such that no score is 0, on which rounding would decide
    grid = {"kernels": gm.PolynomialKernel(2, 0.37, 0.61), "C": [0.13, 1.7], "parameters": {"degree": [2, 3]}}
    found = gm.tune(sp.csr_matrix(X), Y, **grid, folds=3, scoring="f1", tol=1e-6, max_bytes=max_bytes, **options)
    assert found.search == "exact"
    for trial, scores in in_a_plain_loop(found, X, Y, 3, f1_score, **options):
        np.testing.assert_allclose(trial.scores, scores, rtol=0, atol=1e-12)


def test_the_classifier_is_that_of_the_best_setting_on_all_examples():
    found = gm.tune(FOREST, LABELS, **TREE_GRID, folds=3, tol=1e-5)
    clf = gm.KernelSVC(found.best.kernel, C=found.best.C, tol=1e-5).fit(FOREST, LABELS)
    assert np.array_equal(found.classifier.support_, clf.support_)
    np.testing.assert_array_equal(found.classifier.dual_coef_, clf.dual_coef_)
    assert gm.tune(FOREST, LABELS, **TREE_GRID, folds=3, refit=False).classifier is None


@pytest.mark.parametrize("max_bytes", [None, 40_000], ids=["gram", "rows"])
def test_held_out_examples_validate(max_bytes):
    made, labels = trees(60, seed=1)
    how = {"held_out": (made, labels), "search": "exact", "tol": 1e-6, "scoring": "accuracy", "max_bytes": max_bytes}
    found = gm.tune(FOREST, LABELS, **TREE_GRID, **how)
    for trial in found.trials:
        clf = gm.KernelSVC(trial.setting.kernel, C=trial.setting.C, tol=1e-6).fit(FOREST, LABELS)
        assert trial.scores == (np.mean(clf.predict(made) == labels),)
    assert found.classifier.score(made, labels) == found.best_trial.score


@pytest.mark.parametrize("kernel", ["sst", "ptk", gm.SubtreeKernel() + gm.SubsetTreeKernel(), "poly"])
def test_blocks_of_samples_are_the_beginning_of_those_of_all(kernel):
    data = gm.data.rows.as_rows(X) if kernel == "poly" else FOREST
    kernel = gm.PolynomialKernel(2) if kernel == "poly" else gm.kernels.as_kernel(kernel)
    block = None
    for size in (20, 21, 90, 90):
        block = extend_block(kernel, take(data, np.arange(size)), take(data, np.arange(100, 110)), block, 1, None)
        np.testing.assert_allclose(block.gram, kernel(take(data, np.arange(size))), rtol=1e-13, atol=1e-13)
        assert np.array_equal(block.gram, block.gram.T)
        expected = kernel(take(data, np.arange(size)), take(data, np.arange(100, 110)))
        np.testing.assert_allclose(block.cross, expected, rtol=1e-13, atol=1e-13)


HALVING = {**TREE_GRID, "folds": 2, "search": "subset", "sample_sizes": [40, 80], "factor": 2, "refit": False}


def test_samples_are_judged_as_sets_of_their_own():
    found = gm.tune(FOREST, LABELS, **HALVING, tol=1e-6)
    order = stratified_order(np.unique(LABELS, return_inverse=True)[1], 2, 0)
    counts = [sum(trial.round == round for trial in found.trials) for round in range(3)]
    assert counts[0] == 12
    assert counts[0] > counts[1] >= 6
    assert counts[1] > counts[2] >= counts[1] // 2
    for trial in found.trials:
        sample = order.examples[: trial.sample_size]
        for fold in range(2):
            learned, validating = (sample[(order.folds[: len(sample)] == fold) == side] for side in (False, True))
            clf = gm.KernelSVC(trial.setting.kernel, C=trial.setting.C, tol=1e-6)
            predicted = clf.fit(FOREST[learned], LABELS[learned]).predict(FOREST[validating])
            assert trial.scores[fold] == pytest.approx(macro(LABELS[validating], predicted), abs=1e-12)


@pytest.mark.parametrize("scoring", ["f1", "accuracy"])
def test_who_goes_on_is_a_matter_of_the_measure(scoring, monkeypatch):
    seen = []

    def spy(scores, influences, factor):
        seen.append((scores, influences))
        return survivors(scores, influences, factor)

    monkeypatch.setattr(search, "survivors", spy)
    how = {"folds": 2, "search": "subset", "sample_sizes": [80], "factor": 2, "refit": False}
    gm.tune(X, Y, kernels="poly", C=[0.001, 0.1, 10], scoring=scoring, **how)
    ((scores, influences),) = seen  # no setting goes on from the last round
    assert len(scores) == len(influences) == 3
    most = 2 if scoring == "accuracy" else 3  # right; wrong; for F1 also: not of the class
    for one in influences:
        assert one.shape == (80,)
        assert one.sum() == pytest.approx(0, abs=1e-12)
    assert max(len(np.unique(one.round(12))) for one in influences) == most


def test_neither_jobs_nor_backends_change_anything():
    found = gm.tune(FOREST, LABELS, **HALVING)
    assert same(found, gm.tune(FOREST, LABELS, **HALVING, n_jobs=3))
    assert same(found, gm.tune(trees(150)[0], list(LABELS), **HALVING, n_jobs=-1))
    for backend in ("loky", "threading", "multiprocessing"):
        with joblib.parallel_config(backend=backend, n_jobs=2):
            assert same(found, gm.tune(FOREST, LABELS, **HALVING))


def test_held_out_samples_grow_alike_for_any_jobs():
    how = {**HALVING, "held_out": trees(50, seed=2)}
    assert same(gm.tune(FOREST, LABELS, **how), gm.tune(FOREST, LABELS, **how, n_jobs=2))


def test_a_single_kernel_has_all_threads():
    grid = {**HALVING, "kernels": "sst", "parameters": None, "factor": 1}
    assert same(gm.tune(FOREST, LABELS, **grid), gm.tune(FOREST, LABELS, **grid, n_jobs=4))


def test_slicing_ranks_polynomial_kernels_by_online_learning():
    grid = {"kernels": "poly", "C": [0.01, 1], "parameters": {"degree": [1, 2]}}
    found = gm.tune(X, Y, **grid, folds=2, search="slicing", sample_sizes=[60], class_weight="balanced")
    assert [trial.exact for trial in found.trials] == [False] * 4 + [True] * (len(found.trials) - 4)
    exact = gm.tune(X, Y, **grid, folds=2, search="exact", refit=False, class_weight="balanced")
    by_setting = {trial.setting: trial.scores for trial in exact.trials}
    assert all(by_setting[trial.setting] == trial.scores for trial in found.trials if trial.exact)


def test_tables_may_be_of_any_kind():
    grid = {"kernels": "poly", "C": [0.1, 1], "parameters": {"degree": [1, 2]}, "folds": 2}
    found = gm.tune(X, Y, **grid)
    for table in (X.tolist(), sp.csr_matrix(X), gm.data.rows.as_rows(X), X.astype(np.uint8)):
        again = gm.tune(table, Y, **grid)
        assert same(found, again)
        assert np.array_equal(again.classifier.predict(X), found.classifier.predict(X))
    with pytest.raises(ValueError, match="every row needs a number for each feature"):
        gm.tune([[1, 2], [3]], [0, 1], kernels="poly")


def test_frames_keep_their_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"f{at}" for at in range(12)])
    found = gm.tune(frame, Y, kernels="poly", C=[1], folds=2)
    assert list(found.classifier.feature_names_in_) == list(frame.columns)


def test_fields_and_sums_are_tuned_within():
    examples = gm.Examples(trees=FOREST, vectors=X[:150])
    kernel = gm.Normalized(gm.SubsetTreeKernel()).on("trees") + gm.PolynomialKernel(1).on("vectors")
    found = gm.tune(
        examples, LABELS, kernels=kernel, C=[1], parameters={"decay": [0.2, 0.9], "degree": [1, 2]}, folds=2
    )
    assert len(found.trials) == 4
    assert found.classifier.predict(examples).shape == (150,)


@pytest.mark.parametrize(
    "kernel",
    [gm.Normalized(gm.PolynomialKernel(2)), gm.PolynomialKernel(2) + gm.PolynomialKernel(1)],
    ids=["normalised", "sum"],
)
@pytest.mark.parametrize("given", [np.asarray, sp.csr_matrix, gm.data.rows.as_rows, np.ndarray.tolist])
def test_other_kernels_of_vectors_are_trained_in_the_end(kernel, given):
    found = gm.tune(given(X), Y, kernels=kernel, C=[0.1, 1], folds=2)
    clf = gm.KernelSVC(kernel, C=found.best.C).fit(X, Y)
    np.testing.assert_array_equal(found.classifier.dual_coef_, clf.dual_coef_)


def test_marks_are_read_if_the_kernels_look_at_them():
    made = [tree.replace("(X", "(X*1 (Y", 1).replace(") ", ")) ", 1) for tree in trees(60)[0]]
    found = gm.tune(made, LABELS[:60], kernels=["c-marked", "lo-marked"], C=[1, 10], folds=2)
    assert found.classifier.predict(gm.Forest.from_strings(made, marks=True)).shape == (60,)


def test_one_conversion_serves_all_decays(conversions, monkeypatch):
    monkeypatch.setattr(converting, "choose", lambda *_: converting.ConversionChoice(True, "for once"))
    grid = {"kernels": ["lo", "c"], "C": [1, 10], "parameters": {"decay": [0.2, 0.5, 0.9]}}
    found = gm.tune(FOREST, LABELS, **grid, folds=2, search="exact", refit=False)
    assert len(conversions) == 2
    monkeypatch.setattr(converting, "choose", lambda *_: converting.ConversionChoice(False, "for once"))
    plain = gm.tune(FOREST, LABELS, **grid, folds=2, search="exact", refit=False)
    np.testing.assert_allclose([t.score for t in found.trials], [t.score for t in plain.trials], atol=0.02)


def test_converted_trees_are_used_as_they_are(conversions):
    converted = gm.ConvertedForest(FOREST, gm.OrderedTreeKernel())
    grid = {"kernels": "lo", "C": [1], "parameters": {"decay": [0.2, 0.5]}, "folds": 2, "refit": False}
    found = gm.tune(converted, LABELS, **grid)
    assert len(conversions) == 1
    plain = gm.tune(FOREST, LABELS, **grid)
    np.testing.assert_allclose([t.score for t in found.trials], [t.score for t in plain.trials], atol=0.02)


def test_labels_may_be_of_any_kind():
    pd = pytest.importorskip("pandas")
    grid = {"kernels": "sst", "C": [1, 10], "folds": 2}
    found = gm.tune(FOREST, LABELS, **grid)
    for labels in (list(LABELS), pd.Series(LABELS), LABELS.astype(object), iter(LABELS)):
        again = gm.tune(FOREST, labels, **grid)
        assert same(found, again)
        np.testing.assert_array_equal(again.classifier.dual_coef_, found.classifier.dual_coef_)
    assert len(gm.tune(X, Y > 0, kernels="poly", C=[1], folds=2, factor=np.int64(2)).trials) == 1


def test_a_result_travels():
    found = gm.tune(FOREST, LABELS, **HALVING | {"refit": True})
    again = pickle.loads(pickle.dumps(found))
    assert same(found, again)
    assert str(found) == str(again)
    assert np.array_equal(found.classifier.predict(FOREST), again.classifier.predict(FOREST))
