"""C="auto" of the batch SVMs: the number it stands for, on any data, and what it does not depend on."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.data.rows import as_rows
from gristmill.solvers.cost_scale import scaled_cost, squared_lengths

RNG = np.random.default_rng(3)
X = (RNG.random((60, 8)) < 0.4).astype(float)
Y2, Y3 = X[:, 0] * X[:, 1] + (RNG.random(60) > 0.8) > 0, RNG.integers(0, 3, 60)
TARGETS = X @ RNG.normal(size=8)
WEIGHTS = RNG.integers(0, 3, 60)
QUADRATIC = gm.PolynomialKernel(2)
TREES = gm.Forest.from_strings(["(S (A a) (B b))", "(S (A a) (B c))", "(S (C a) (B b))", "(S (C c) (B b))"])
EXPECTED = scaled_cost(squared_lengths(QUADRATIC, as_rows(X)))

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
@pytest.mark.parametrize("solver", ["smo", "dual-cd", "cutting-plane"])
def test_it_stands_for_a_number(y, solver):
    auto = gm.KernelSVC(degree=2, C="auto", solver=solver).fit(X, y)
    assert auto.C_ == pytest.approx(EXPECTED)
    assert auto.C == "auto"
    number = gm.KernelSVC(degree=2, C=auto.C_, solver=solver).fit(X, y).machine_
    assert auto.machine_ == number.replace(provenance={**number.provenance, "C_rule": "auto"})


def test_a_number_stays_what_it_is():
    assert gm.KernelSVC(C=3).fit(X, Y2).C_ == 3.0


def test_weights_are_repetitions():
    weighted = gm.KernelSVC(C="auto").fit(X, Y2, sample_weight=WEIGHTS)
    repeated = gm.KernelSVC(C="auto").fit(np.repeat(X, WEIGHTS, axis=0), np.repeat(Y2, WEIGHTS))
    assert weighted.C_ == pytest.approx(repeated.C_, rel=1e-12)


def test_weights_of_classes_say_what_errors_cost_and_not_how_often_examples_count():
    assert gm.KernelSVC(C="auto", class_weight={True: 2.0}).fit(X, Y2).C_ == pytest.approx(EXPECTED)


def test_every_kind_of_kernel_has_a_scale():
    y = [0, 0, 1, 1]
    assert gm.KernelSVC("sst", C="auto").fit(TREES, y).C_ == 1.0
    plain = gm.SubsetTreeKernel()
    assert gm.KernelSVC(plain, C="auto").fit(TREES, y).C_ == pytest.approx(1 / np.sqrt(plain.diag(TREES)).mean() ** 2)
    gram = X @ X.T
    by_gram = gm.KernelSVC("precomputed", C="auto").fit(gram, Y2)
    assert by_gram.C_ == pytest.approx(gm.KernelSVC("linear", C="auto").fit(X, Y2).C_)
    assert gm.KernelSVC(lambda A, B: A @ B.T, C="auto").fit(X, Y2).C_ == pytest.approx(by_gram.C_)


def test_converted_trees_have_the_same_scale():
    kernel = gm.SubsetTreeKernel()
    costs = [gm.KernelSVC(kernel, C="auto", convert=how).fit(TREES, [0, 0, 1, 1]).C_ for how in (True, False)]
    assert costs[0] == costs[1]


def test_a_path_starts_from_it():
    clf = gm.KernelSVC(C="auto", warm_start=True).fit(X, Y2)
    again = clf.fit(X, Y2)
    assert again.n_iter_[0] <= 1
    assert again.C_ == clf.C_


def test_data_without_scale_have_a_c_of_one():
    assert gm.KernelSVC(C="auto").fit(np.zeros((4, 2)), [0, 1, 0, 1]).C_ == 1.0
    assert gm.KernelSVR(C="auto").fit(X, np.ones(60)).C_ == 1.0


def test_regression_answers_in_the_unit_of_the_targets():
    one = gm.KernelSVR(C="auto", epsilon=0.125, tol=1e-8).fit(X, TARGETS)
    thousand = gm.KernelSVR(C="auto", epsilon=125.0, tol=1e-5).fit(X, 1000 * TARGETS + 5)
    assert one.C_ == pytest.approx(EXPECTED * TARGETS.std())
    np.testing.assert_allclose(thousand.predict(X), 1000 * one.predict(X) + 5, rtol=1e-5, atol=0.05)


def test_weights_of_regression_are_repetitions():
    weighted = gm.KernelSVR(C="auto").fit(X, TARGETS, sample_weight=WEIGHTS)
    repeated = gm.KernelSVR(C="auto").fit(np.repeat(X, WEIGHTS, axis=0), np.repeat(TARGETS, WEIGHTS))
    assert weighted.C_ == pytest.approx(repeated.C_, rel=1e-12)


def test_pairs_of_a_ranker_have_no_scale():
    with pytest.raises(ValueError, match="C must be a finite number above 0, got 'auto'"):
        gm.KernelRanker(C="auto").fit(X, Y3)


def test_what_is_no_cost_is_refused():
    with pytest.raises(ValueError, match="C must be a finite number above 0 or 'auto', got 'scale'"):
        gm.KernelSVC(C="scale").fit(X, Y2)
