"""KernelSVC(probability=True): scikit-learn's calibration in one call, kept by machines and their files."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import gristmill as gm

RNG = np.random.default_rng(5)
X = (RNG.random((120, 10)) < 0.4).astype(float)
NOISE = RNG.random(120)
Y2 = np.where(X[:, 0] * X[:, 1] + X[:, 2] + NOISE > 1, "yes", "no")
Y3 = np.where(X[:, 3] * X[:, 4] > 0, 7, np.where(X[:, 0] + NOISE > 0.6, 3, 5))
WEIGHTS = RNG.integers(1, 4, 120)
TIGHT = {"degree": 2, "C": 0.1, "tol": 1e-8}
TREES = [f"(S ({'AB'[i % 2]} a) (C {'xyz'[i % 3]}))" for i in range(12)]
LABELS_ARE_BY_SCORES = "a sigmoid need not cross a half where the score is 0, as in SVC"
WEIGHTS_ARE_NO_COUNTS = "an example that comes twice may be in two folds"

pytestmark = pytest.mark.usefixtures("one_thread")


def calibrated(base, X, y, weights=None):
    return CalibratedClassifierCV(base, method="sigmoid", cv=5, ensemble=False).fit(X, y, weights).predict_proba(X)


@parametrize_with_checks(
    [gm.KernelSVC(probability=True, gamma=1e-4, C=100.0, binarize=False)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTS_ARE_NO_COUNTS,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTS_ARE_NO_COUNTS,
        "check_classifiers_train": LABELS_ARE_BY_SCORES,
    },
)
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
@pytest.mark.parametrize(("y", "scheme"), [(Y2, "ovo"), (Y3, "ovr")], ids=["two", "one against the rest"])
def test_probabilities_are_those_of_scikit_learn_s_calibration(y, scheme, weights):
    own = gm.KernelSVC(multiclass=scheme, probability=True, **TIGHT).fit(X, y, weights)
    expected = calibrated(gm.KernelSVC(multiclass=scheme, **TIGHT), X, y, weights)
    np.testing.assert_allclose(own.predict_proba(X), expected, atol=1e-4)
    np.testing.assert_array_equal(own.predict_log_proba(X), np.log(own.predict_proba(X)))


def test_pairs_of_classes_are_coupled():
    """As calibrated alone, each pair says how likely its first class is; all of them agree as well as they can."""
    own = gm.KernelSVC(probability=True, **TIGHT).fit(X, Y3)
    shares = own.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert np.mean(own.classes_[shares.argmax(axis=1)] == Y3) > own.score(X, Y3) - 0.05
    rest = gm.KernelSVC(multiclass="ovr", probability=True, **TIGHT).fit(X, Y3).predict_proba(X)
    assert np.abs(shares - rest).mean() < 0.1


def test_automatic_c_is_found_for_each_fold():
    own = gm.KernelSVC(C="auto", tol=1e-8, probability=True).fit(X, Y2)
    np.testing.assert_allclose(own.predict_proba(X), calibrated(gm.KernelSVC(C="auto", tol=1e-8), X, Y2), atol=1e-4)


@pytest.mark.parametrize(
    ("kernel", "data", "y"),
    [
        ("precomputed", X @ X.T, Y2),
        (lambda A, B: A @ B.T, X, Y3),
        (gm.Normalized(gm.PolynomialKernel(2)), X, Y3),
        ("sst", gm.Forest.from_strings(TREES), np.arange(12) % 2),
    ],
    ids=["precomputed", "callable", "normalised", "trees"],
)
def test_every_kernel_has_them(kernel, data, y):
    own = gm.KernelSVC(kernel, C=0.1, tol=1e-8, multiclass="ovr", probability=True).fit(data, y)
    expected = calibrated(gm.KernelSVC(kernel, C=0.1, tol=1e-8, multiclass="ovr"), data, y)
    np.testing.assert_allclose(own.predict_proba(data), expected, atol=1e-4)


def test_the_machine_is_the_same_and_keeps_them(tmp_path):
    plain, own = (gm.KernelSVC(degree=2, C=0.1, probability=p).fit(X, Y3) for p in (False, True))
    assert own.machine_.replace(probability=None) == plain.machine_
    own.machine_.save(tmp_path / "own")
    gm.write(own.machine_, tmp_path / "libsvm", format="libsvm")
    for name in ("own", "libsvm"):
        shares = gm.load(tmp_path / name).compile().predict_proba(X)
        np.testing.assert_allclose(np.sort(shares), np.sort(own.predict_proba(X)), atol=1e-6)


def test_threads_and_chance_change_no_bit():
    first = gm.KernelSVC(degree=2, probability=True).fit(X, Y3).machine_
    for options in ({"n_jobs": 2}, {"random_state": 7}):
        assert gm.KernelSVC(degree=2, probability=True, **options).fit(X, Y3).machine_ == first


def test_examples_of_weight_zero_are_left_out_of_everything():
    keep = RNG.random(120) < 0.7
    zero = gm.KernelSVC(probability=True, **TIGHT).fit(X, Y2, sample_weight=keep.astype(float))
    without = gm.KernelSVC(probability=True, **TIGHT).fit(X[keep], Y2[keep])
    np.testing.assert_allclose(zero.predict_proba(X), without.predict_proba(X), atol=1e-6)


def test_a_class_of_two_examples_makes_two_folds():
    y = np.where(np.arange(120) < 2, "rare", Y2)
    shares = gm.KernelSVC(probability=True, **TIGHT).fit(X, y).predict_proba(X)
    assert shares.shape == (120, 3)
    assert np.isfinite(shares).all()


def test_a_class_of_one_example_is_refused():
    y = np.where(np.arange(120) < 1, "rare", Y2)
    with pytest.raises(ValueError, match="class 'rare' has 1 example; probabilities are fitted to examples that"):
        gm.KernelSVC(probability=True).fit(X, y)


def test_rows_that_are_all_the_same_have_the_share_of_their_classes():
    shares = gm.KernelSVC(probability=True).fit(np.zeros((40, 2)), np.arange(40) % 4 == 0).predict_proba(np.eye(2))
    np.testing.assert_allclose(shares, [[0.75, 0.25]] * 2, atol=0.03)


def test_there_is_none_without_asking():
    clf = gm.KernelSVC().fit(X, Y2)
    assert not hasattr(clf, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        clf.predict_proba(X)
    with pytest.raises(NotFittedError, match="fit again with probability=True"):
        clf.set_params(probability=True).predict_proba(X)


def test_an_interruption_keeps_the_machine_without_them():
    calls = []

    def stop(done, total):
        calls.append(done / total)
        if done / total > 0.5:
            raise KeyboardInterrupt

    clf = gm.KernelSVC(degree=2, probability=True, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, Y2)
    assert calls == sorted(calls)
    assert clf.machine_.n_support > 0
    with pytest.raises(NotFittedError):
        clf.predict_proba(X)


def test_what_is_no_answer_to_the_question_is_refused():
    with pytest.raises(ValueError, match="probability must be True or False, got 'yes'"):
        gm.KernelSVC(probability="yes").fit(X, Y2)
