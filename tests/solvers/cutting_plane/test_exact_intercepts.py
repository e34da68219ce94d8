"""Where several intercepts are optimal, every solver takes the same one: the middle of them, as LIBSVM does."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.svm import SVC, SVR, OneClassSVM

import gristmill as gm
from gristmill.solvers.cutting_plane.exact import optimal_intercept
from tests.properties import share

Floats = NDArray[np.float64]
SOLVERS = ("smo", "dual-cd", "cutting-plane")
POLY = {"gamma": 1.0, "coef0": 1.0, "tol": 1e-10}


def loss(b: float, values: Floats, signs: Floats, costs: Floats) -> float:
    return float(costs @ np.maximum(0, 1 - signs * (values + b)))


def middle(values: Floats, signs: Floats, costs: Floats) -> float:
    """By the definition: the ends of the interval are among the b at which an example meets the margin."""
    found = [(loss(b, values, signs, costs), b) for b in signs - values]
    least = min(found)[0]
    best = [b for height, b in found if height <= least + 1e-7 * costs.sum()]
    return (min(best) + max(best)) / 2


@st.composite
def problems(draw: Any) -> tuple[Floats, NDArray[np.int64], dict[str, Any]]:
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    bits = st.lists(st.integers(0, 1), min_size=n * d, max_size=n * d)
    X = np.array(draw(bits.filter(any)), dtype=float).reshape(n, d)
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    return X, y, {"C": draw(st.sampled_from([0.01, 0.1, 1.0, 10.0])), "degree": draw(st.integers(1, 3))}


def everything(d: int) -> Floats:
    return np.array(list(itertools.product([0.0, 1.0], repeat=d)))


def agree(clf: Any, svc: SVC, X: Floats, intercept: float) -> None:
    """Scores and labels are those of svc with this intercept; rounding alone decides where a score should be 0."""
    scores = svc.decision_function(X) - svc.intercept_[0] + intercept
    near = 1e-5 * max(1, np.abs(scores).max())
    np.testing.assert_allclose(clf.intercept_[0], intercept, atol=near)
    np.testing.assert_allclose(clf.decision_function(X), scores, atol=near)
    clear = np.abs(scores) > near
    assert np.array_equal(clf.predict(X)[clear], svc.classes_[(scores[clear] > 0).astype(int)])


@given(problems())
@share(0.6)
def test_all_solvers_and_libsvm_choose_the_same_intercept(
    problem: tuple[Floats, NDArray[np.int64], dict[str, Any]],
) -> None:
    X, y, options = problem
    svc = SVC(kernel="poly", shrinking=False, **POLY, **options).fit(X, y)
    for solver in SOLVERS:
        agree(gm.KernelSVC(solver=solver, **POLY, **options).fit(X, y), svc, everything(X.shape[1]), svc.intercept_[0])


@given(problems(), st.data())
@share(0.4)
def test_with_weights_rounding_of_costs_does_not_choose_an_end(
    problem: tuple[Floats, NDArray[np.int64], dict[str, Any]], data: Any
) -> None:
    X, y, options = problem
    weights = np.array(data.draw(st.lists(st.sampled_from([0.1, 0.2, 0.3, 1.0]), min_size=len(y), max_size=len(y))))
    by_class = {0: 1.0, 1: data.draw(st.sampled_from([1.0, 0.5, 0.3]))}
    svc = SVC(kernel="poly", shrinking=False, class_weight=by_class, **POLY, **options).fit(X, y, sample_weight=weights)
    values, signs = svc.decision_function(X) - svc.intercept_[0], np.where(y == 1, 1.0, -1.0)
    costs = options["C"] * weights * np.where(y == 1, by_class[1], by_class[0])
    expected = middle(values, signs, costs)
    for solver in SOLVERS:
        clf = gm.KernelSVC(solver=solver, class_weight=by_class, **POLY, **options).fit(X, y, sample_weight=weights)
        agree(clf, svc, everything(X.shape[1]), expected)


@given(st.lists(st.tuples(st.sampled_from([-1, 1]), st.integers(-8, 8), st.integers(1, 4)), min_size=1, max_size=9))
def test_the_best_intercept_of_weights_is_the_middle_of_all_best_ones(examples: list[tuple[int, int, int]]) -> None:
    signs, values, costs = (np.array(column, dtype=float) for column in zip(*examples, strict=True))
    if len(set(signs)) < 2:
        return  # any large b would do
    found = optimal_intercept(signs.astype(np.int8), values / 4, costs)
    assert found == middle(values / 4, signs, costs)


def test_three_errors_on_either_side() -> None:
    """All variables are at their bound, whose sum is not a bound to the last bit: 0.01 + 0.01 + 0.01 != 0.03."""
    X = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0]], dtype=float)
    y = [0, 0, 0, 1, 1, 1]
    svc = SVC(kernel="poly", C=0.01, degree=2, **POLY).fit(X, y)
    found = [gm.KernelSVC(C=0.01, degree=2, solver=solver, **POLY).fit(X, y).intercept_[0] for solver in SOLVERS]
    np.testing.assert_allclose(found, svc.intercept_[0], atol=1e-9)
    assert abs(svc.intercept_[0]) < 0.9  # not an end


@pytest.mark.parametrize("sampling", ["uniform", "importance"])
def test_samples_that_look_at_all_examples_choose_it_too(sampling: str) -> None:
    X, y = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=float), [0, 0, 1, 1]
    svc = SVC(kernel="poly", C=0.01, degree=2, **POLY).fit(X, y)
    clf = gm.KernelSVC(C=0.01, degree=2, solver="cutting-plane", sampling=sampling, sample_size=4, tol=1e-9)
    assert clf.fit(X, y).intercept_[0] == pytest.approx(svc.intercept_[0], abs=1e-6)


@pytest.mark.parametrize("settings", [{}, {"fit_intercept": False}])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_score_of_0_is_the_second_class_for_every_solver(solver: str, settings: dict[str, Any]) -> None:
    X, y = np.array([[1, 0], [0, 1]]), ["a", "b"]
    clf = gm.KernelSVC("linear", solver=solver, **settings).fit(X, y)
    ties = np.array([[0, 0], [1, 1]])
    assert np.array_equal(clf.decision_function(ties), [0, 0])
    assert np.array_equal(SVC(kernel="linear").fit(X, y).decision_function(ties), [0, 0])
    assert list(clf.predict(ties)) == list(SVC(kernel="linear").fit(X, y).predict(ties)) == ["b", "b"]
    assert clf.machine_.zero_class == 1
    assert list(clf.machine_.compile("expanded").predict(ties)) == ["b", "b"]


@given(problems(), st.sampled_from([0.25, 0.5, 0.75]))
@share(0.3)
def test_regression_and_one_class_have_the_intercepts_of_libsvm(
    problem: tuple[Floats, NDArray[np.int64], dict[str, Any]], nu: float
) -> None:
    X, y, options = problem
    svr, ours = SVR(kernel="poly", **POLY, **options).fit(X, y), gm.KernelSVR(**POLY, **options).fit(X, y)
    np.testing.assert_allclose(ours.intercept_, svr.intercept_, atol=1e-5 * max(1, abs(svr.intercept_[0])))
    poly = POLY | {"degree": options["degree"]}
    outside, mine = OneClassSVM(kernel="poly", nu=nu, **poly).fit(X), gm.KernelOneClassSVM(nu=nu, **poly).fit(X)
    np.testing.assert_allclose(mine.intercept_, outside.intercept_, atol=1e-5 * max(1, abs(outside.intercept_[0])))
