"""KernelSVC on trees, sequences and examples of several fields: what scikit-learn checks for vectors, checked here."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.utils import get_tags

import gristmill as gm
from gristmill.kernels.named import TREE_KERNELS

RNG = np.random.default_rng(9)
TIGHT = 1e-8


def tree(depth=3):
    """Few labels, so that trees have much in common; some are equal."""
    label = "ABCD"[RNG.integers(4)]
    if depth == 0 or RNG.random() < 0.3:
        return f"({label} {'wxyz'[RNG.integers(4)]})"
    return f"({label} {' '.join(tree(depth - 1) for _ in range(RNG.integers(1, 4)))})"


TREES = [tree() for _ in range(90)] + ["(A w)", "(A w)", "(B x)", "(B x)", "(A w)"]
Y3 = np.array([1 if "(B" in text else 2 if "y" in text else 0 for text in TREES])
Y3[::11] = (Y3[::11] + 1) % 3
Y2 = np.where(Y3 == 1, "yes", "no")
FOREST = gm.Forest.from_strings(TREES)
SST = gm.Normalized(gm.SubsetTreeKernel())
VECTORS = (RNG.random((len(TREES), 6)) < 0.4).astype(float)


@pytest.mark.parametrize("name", TREE_KERNELS)
def test_every_tree_kernel_gives_what_its_gram_matrix_gives_svc(name):
    texts = [text.replace("(A", "(A*1") for text in TREES] if "marked" in name else TREES
    own = gm.KernelSVC(name, tol=TIGHT).fit(texts, Y3)
    gram = own.machine_.kernel(texts)
    other = SVC(kernel="precomputed", tol=TIGHT).fit(gram, Y3)
    np.testing.assert_allclose(own.decision_function(texts), other.decision_function(gram), atol=1e-5)
    np.testing.assert_array_equal(own.predict(texts), other.predict(gram))
    assert own.dual_coef_.shape[0] == other.dual_coef_.shape[0]
    assert own.shape_fit_ == (len(TREES),)
    assert not hasattr(own, "n_features_in_")


def test_other_kernels_serve_too():
    sequences = ["abab", "abba", "cdcd", "cddc", "abab", "ccdd"]
    clf = gm.KernelSVC("subsequence", C=10.0).fit(sequences, [0, 0, 1, 1, 0, 1])
    np.testing.assert_array_equal(clf.predict(["aabb", "ddcc"]), [0, 1])
    fields = gm.Examples(trees=FOREST, vectors=VECTORS)
    kernel = SST.on("trees") + 0.5 * gm.PolynomialKernel(2).on("vectors")
    clf = gm.KernelSVC(kernel, tol=TIGHT).fit(fields, Y3)
    by_gram = gm.KernelSVC("precomputed", tol=TIGHT).fit(kernel(fields), Y3)
    np.testing.assert_allclose(clf.decision_function(fields), by_gram.decision_function(kernel(fields)), atol=1e-5)
    assert isinstance(clf.support_vectors_, gm.Examples)
    assert cross_val_score(gm.KernelSVC(kernel), fields, Y2, cv=3).mean() > 0.6


def test_strings_tuples_and_forests_are_the_same():
    nested = [("S", ("A", "a"), "b"), ("S", ("B", "a")), ("S", ("A", "b"))]
    strings = ["(S (A a) b)", "(S (B a))", "(S (A b))"]
    one = gm.KernelSVC("sst").fit(strings, [0, 1, 0])
    for X in (nested, gm.Forest.from_strings(strings), np.array(strings, dtype=object), tuple(strings)):
        other = gm.KernelSVC("sst").fit(X, [0, 1, 0])
        assert other.machine_ == one.machine_
        np.testing.assert_array_equal(other.predict(X), one.predict(strings))


def test_the_machine_answers_as_the_classifier_does(tmp_path):
    clf = gm.KernelSVC("ptk", decision_function_shape="ovo").fit(TREES, Y3)
    clf.machine_.save(tmp_path / "machine")
    for engine in ("direct", "forest"):
        scorer = gm.load(tmp_path / "machine").compile(engine)
        np.testing.assert_array_equal(scorer.predict(TREES), clf.predict(TREES))
        np.testing.assert_allclose(scorer.decision_function(TREES), clf.decision_function(TREES), atol=1e-9)
    assert list(clf.support_vectors_) == [FOREST[int(number)] for number in clf.support_]
    assert list(clf.n_support_) == np.bincount(Y3[clf.support_]).tolist()


def test_forests_are_left_alone():
    forest = gm.Forest.from_strings(TREES)
    clf = gm.KernelSVC("sst").fit(forest, Y2)
    before = clf.predict(forest)
    forest.extend(["(Q (R s))"])
    assert len(clf.support_vectors_) == len(clf.support_)
    np.testing.assert_array_equal(clf.predict(TREES), before)


def test_rows_that_are_not_kept_give_the_same():
    own = gm.KernelSVC(SST, tol=TIGHT).fit(FOREST, Y3)
    few = gm.KernelSVC(SST, tol=TIGHT, max_bytes=8 * len(TREES) * 8).fit(FOREST, Y3)
    np.testing.assert_allclose(own.decision_function(FOREST), few.decision_function(FOREST), atol=1e-5)
    calls = []
    gm.KernelSVC(SST, progress=lambda *call: calls.append(call)).fit(FOREST, Y3)
    assert calls[-1] == (4000, 4000)


def test_weights_are_counts():
    counts = RNG.integers(0, 3, len(TREES))
    again = np.repeat(np.arange(len(TREES)), counts)
    one = gm.KernelSVC("sst", tol=TIGHT).fit(FOREST, Y3, sample_weight=counts)
    other = gm.KernelSVC("sst", tol=TIGHT).fit(FOREST[again], Y3[again])
    np.testing.assert_allclose(one.decision_function(FOREST), other.decision_function(FOREST), atol=1e-5)
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-8)
    assert not np.isin(one.support_, np.flatnonzero(counts == 0)).any()


def test_threads_change_nothing():
    one = gm.KernelSVC("ptk").fit(FOREST, Y3)
    assert gm.KernelSVC("ptk", n_jobs=2).fit(FOREST, Y3).machine_ == one.machine_


def test_a_path_of_c_ends_where_a_cold_start_does():
    path, rows = gm.KernelSVC("sst", tol=1e-6, warm_start=True), None
    for C in (0.1, 1.0, 10.0):
        path.set_params(C=C).fit(TREES, Y3)
        cold = gm.KernelSVC("sst", tol=1e-6, C=C).fit(TREES, Y3)
        np.testing.assert_allclose(path.decision_function(TREES), cold.decision_function(TREES), atol=1e-3)
        assert rows is None or path._learned.fit.rows is rows
        rows = path._learned.fit.rows


# --- with other estimators -------------------------------------------------------------------------------------------


def test_it_travels_and_can_be_cloned():
    clf = gm.KernelSVC(SST, warm_start=True).fit(FOREST, Y3)
    for again in (pickle.loads(pickle.dumps(clf)), copy.deepcopy(clf)):
        np.testing.assert_array_equal(again.decision_function(TREES), clf.decision_function(TREES))
        np.testing.assert_array_equal(again.fit(FOREST, Y3).predict(TREES), clf.predict(TREES))
    fresh = clone(clf)
    assert fresh.get_params() == clf.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(TREES)


@pytest.mark.parametrize("X", [TREES, FOREST, np.array(TREES, dtype=object)], ids=["strings", "forest", "array"])
def test_it_is_searched_and_validated(X):
    search = GridSearchCV(gm.KernelSVC("sst"), {"C": [0.1, 10.0], "kernel": ["sst", "ptk"]}, cv=3).fit(X, Y2)
    assert search.best_score_ > 0.6
    np.testing.assert_array_equal(
        cross_val_predict(gm.KernelSVC("sst"), X, Y3, cv=3), cross_val_predict(gm.KernelSVC("sst"), TREES, Y3, cv=3)
    )


def test_pipelines_may_make_the_trees():
    wrapped = make_pipeline(FunctionTransformer(lambda texts: [f"(TOP {text})" for text in texts]), gm.KernelSVC("sst"))
    plain = gm.KernelSVC("sst").fit([f"(TOP {text})" for text in TREES], Y3)
    np.testing.assert_array_equal(
        wrapped.fit(TREES, Y3).predict(TREES), plain.predict([f"(TOP {text})" for text in TREES])
    )
    piped = Pipeline([("svc", gm.KernelSVC("sst"))]).fit(FOREST, Y3, svc__sample_weight=np.ones(len(TREES)))
    assert piped.score(FOREST, Y3) > 0.7


def test_others_may_wrap_it():
    chances = CalibratedClassifierCV(gm.KernelSVC("sst"), ensemble=False, cv=3).fit(FOREST, Y2).predict_proba(FOREST)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert OneVsRestClassifier(gm.KernelSVC("sst")).fit(FOREST, Y3).score(FOREST, Y3) > 0.7


def test_tags_say_what_it_takes():
    assert not get_tags(gm.KernelSVC("sst")).input_tags.two_d_array
    assert get_tags(gm.KernelSVC("sst")).input_tags.string
    assert get_tags(gm.KernelSVC()).input_tags.sparse
    assert get_tags(gm.KernelSVC("precomputed")).input_tags.pairwise
    assert get_tags(gm.KernelSVC("no such kernel")).input_tags.two_d_array


def test_a_fit_to_vectors_is_forgotten():
    clf = gm.KernelSVC().fit(VECTORS, Y2)
    assert clf.n_features_in_ == 6
    clf.set_params(kernel="sst").fit(TREES, Y2)
    assert not hasattr(clf, "n_features_in_")
    assert clf.predict(TREES[:3]).shape == (3,)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (TREES, Y2[:-1], "inconsistent numbers of samples"),
        (TREES, ["a"] * len(TREES), "got 1 class"),
        ([], [], "0 sample"),
        (VECTORS, Y2, "expected a Forest or a list of bracketed strings"),
        (gm.Examples(trees=FOREST), Y2, "name the field"),
        ("(S a)", ["a"], "wrap it in a list"),
        (["(S a", "(S b)"], [0, 1], "tree 0: this bracket is never closed"),
        (TREES, [np.nan] * len(TREES), "NaN"),
        (TREES, np.linspace(0, 1, len(TREES)), "continuous"),
    ],
)
def test_examples_that_make_no_sense_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        gm.KernelSVC("sst").fit(X, y)


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match=r"dual-cd.* needs a polynomial kernel"):
        gm.KernelSVC("sst", solver="dual-cd").fit(TREES, Y2)
    with pytest.raises(ValueError, match="compares the field 'trees'"):
        gm.KernelSVC(SST.on("trees")).fit(FOREST, Y2)
    with pytest.raises(ValueError, match="expected a Forest"):
        gm.KernelSVC("sst").fit(TREES, Y2).predict(VECTORS)
