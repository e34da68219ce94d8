"""Rounds over partitions, without a cluster: the solution of one machine, certified, the same for any partitions."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.cluster import rounds
from gristmill.cluster.loading import Reading
from gristmill.cluster.models import SharedModel
from gristmill.cluster.partitions import LOSS_UNITS, keyed, loss_units, survey
from gristmill.cluster.rounds import Totals, Training
from gristmill.solvers.batch import solving
from gristmill.solvers.batch.settings import SvmSettings
from tests.properties import share


class Here:
    """Partitions in this process."""

    def __init__(self, parts):
        self.parts = parts

    def map(self, function, shared):
        return [function(part, shared) for part in self.parts]

    def share(self, machine):
        scorer = machine.compile()
        return SharedModel.of(machine, scorer.engine), scorer


def train(kernel, blocks, *, C=1.0, weight=None, room=100_000, **settings):
    """A training of blocks (X, y) or (X, y, weights), run to its end."""
    reading = Reading(kernel)
    raw = [reading.block(*block) for block in blocks]
    totals = Totals.of([survey(one) for one in raw])
    parts = Here([keyed(one, totals.classes) for one in raw])
    training = Training(parts, totals, SvmSettings(kernel, C=C, **settings), totals.factors(weight), room)
    training.run()
    return training


def cut(X, y, order, pieces, weights=None):
    """Blocks of the examples in this order."""
    some = np.array_split(np.asarray(order), pieces)
    take = (lambda part: X[part]) if hasattr(X, "shape") else (lambda part: [X[number] for number in part])
    return [(take(part), y[part], *(() if weights is None else (weights[part],))) for part in some]


@pytest.fixture(autouse=True)
def few_at_first(monkeypatch):
    """Sets that start so small that there are several rounds."""
    monkeypatch.setattr(rounds, "_FIRST", 30)


def examples(seed, size=300, classes=2):
    random = np.random.default_rng(seed)
    X = (random.random((size, 12)) < 0.3).astype(float)
    scores = X @ random.normal(size=(12, classes)) + 0.6 * random.normal(size=(size, classes))
    return X, np.array([*"abcd"])[scores.argmax(axis=1)]


def primal(machine, X, y, C, weights=None):
    """The objective by the definition, of two classes."""
    rows, coef = machine.support.to_csr().toarray(), machine.dense_coef()[:, 0]
    gram = (1 + rows @ rows.T) ** 2
    signs = np.where(y == machine.classes[1], 1, -1)
    losses = np.maximum(0, 1 - signs * ((1 + X @ rows.T) ** 2 @ coef + machine.intercept[0]))
    return 0.5 * coef @ gram @ coef + C * (losses * (1 if weights is None else weights)).sum()


@share(0.4)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([2, 3]), st.sampled_from(["ovo", "ovr"]))
def test_the_solution_is_that_of_one_machine(seed, pieces, classes, multiclass):
    X, y = examples(seed, classes=classes)
    if len(set(y)) < classes:
        return
    found = train(gm.PolynomialKernel(2), cut(X, y, range(len(y)), pieces), C=0.1, multiclass=multiclass)
    local = gm.KernelSVC(degree=2, C=0.1, multiclass=multiclass).fit(X, y)
    sum_of_costs = 0.1 * len(y)
    assert np.allclose(found.fit.objective, local.objective_, rtol=0, atol=2e-3 * sum_of_costs)
    lower, upper = found.rounds[-1].bounds.T
    assert (lower <= upper + 1e-9).all()
    assert (upper - lower <= 2e-3 * sum_of_costs).all()
    assert (lower <= -local.objective_ + 1e-3 * sum_of_costs).all()


@share(0.3)
@given(st.integers(0, 10_000), st.integers(2, 9), st.booleans())
def test_partitions_and_their_order_change_no_bit(seed, pieces, weighted):
    X, y = examples(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    weights = np.random.default_rng(seed).integers(0, 9, len(y)) / 4 if weighted else None
    one, many = (
        train(gm.PolynomialKernel(2), cut(X, y, how, number, weights), C=0.1)
        for how, number in ((range(len(y)), 1), (order, pieces))
    )
    assert one.fit.machine == many.fit.machine
    assert all(np.array_equal(a.bounds, b.bounds, equal_nan=True) for a, b in zip(one.rounds, many.rounds, strict=True))


@pytest.mark.parametrize("kernel", ["st", "sst", "sst-bow", "ptk"])
def test_partitions_of_trees_change_no_bit(kernel):
    random = np.random.default_rng(1)
    trees = [f"(S (A {random.choice([*'abcd'])}) (B {' '.join(random.choice([*'abcdef'], 3))}))" for _ in range(200)]
    y = np.array(["yes" if "a" in tree[7] or random.random() < 0.1 else "no" for tree in trees])
    as_kernel = gm.KernelSVC(kernel)._svm_kernel()
    one = train(as_kernel, cut(trees, y, range(200), 1))
    many = train(as_kernel, cut(trees, y, random.permutation(200), 5))
    assert one.fit.machine == many.fit.machine
    local = gm.KernelSVC(kernel).fit(trees, y)
    assert (one.fit.machine.compile().predict(trees) == local.predict(trees)).all()


def test_a_few_of_many_trees_are_solved_as_all_of_them_would_be(monkeypatch):
    """By cutting planes, where the trees of no working set are many."""
    monkeypatch.setattr(solving, "_MANY_TREES", 599)
    random = np.random.default_rng(2)
    trees = [f"(S (A {random.choice([*'abcd'])}) (B {' '.join(random.choice([*'abcdef'], 3))}))" for _ in range(600)]
    y = np.array(["yes" if "a" in tree[7:] else "no" for tree in trees])
    kernel = gm.KernelSVC("sst")._svm_kernel()
    one = train(kernel, cut(trees, y, range(600), 1))
    many = train(kernel, cut(trees, y, random.permutation(600), 5))
    assert one.fit.solver == "cutting-plane"
    assert one.fit.machine == many.fit.machine
    assert (one.fit.machine.compile().predict(trees) == y).all()
    assert max(found.working_set for found in one.rounds) < 599


@share(0.4)
@given(st.integers(0, 10_000))
def test_bounds_of_every_round_hold_the_minimum(seed):
    X, y = examples(seed)
    found = train(gm.PolynomialKernel(2), cut(X, y, range(len(y)), 3), C=0.1)
    tight = gm.KernelSVC(degree=2, C=0.1, tol=1e-7).fit(X, y)
    minimum = primal(tight.machine_, X, y, 0.1)
    for one in found.rounds:
        lower, upper = one.bounds[0]
        assert not lower > minimum + 1e-6
        assert upper >= minimum - 1e-6
    assert np.isclose(found.rounds[-1].bounds[0, 1], primal(found.fit.machine, X, y, 0.1), rtol=1e-4)


def test_a_machine_has_bounds_on_both_sides_also_where_the_first_set_is_enough(monkeypatch):
    def finds_none(part, question):
        found = rounds_answer(part, question)
        return replace(found, n_violators=0, violators=part.take(np.arange(0)))

    rounds_answer = rounds.answer
    monkeypatch.setattr(rounds, "answer", finds_none)
    X, y = examples(8)
    found = train(gm.PolynomialKernel(2), cut(X, y, range(len(X)), 3))
    assert len(found.rounds) == 2
    assert np.isfinite(found.rounds[-1].bounds).all()


@pytest.mark.parametrize("intercept", [{"fit_intercept": False}, {"intercept_scaling": 2.0}])
def test_bounds_know_the_kind_of_intercept(intercept):
    X, y = examples(3)
    found = train(gm.PolynomialKernel(2), cut(X, y, range(len(y)), 3), C=0.1, tol=1e-5, **intercept)
    local = gm.KernelSVC(degree=2, C=0.1, tol=1e-5, **intercept).fit(X, y)
    assert np.allclose(found.rounds[-1].bounds, -local.objective_[0], rtol=1e-4)


def test_weights_of_classes_and_examples_multiply_costs():
    X, y = examples(4)
    weights = np.random.default_rng(4).integers(0, 5, len(y)) / 2
    found = train(gm.PolynomialKernel(2), cut(X, y, range(len(y)), 4, weights), C=0.1, weight={"a": 3.0}, tol=1e-5)
    local = gm.KernelSVC(degree=2, C=0.1, class_weight={"a": 3.0}, tol=1e-5).fit(X, y, weights)
    assert np.allclose(found.fit.objective, local.objective_, rtol=1e-4)
    assert np.allclose(found.rounds[-1].bounds, -local.objective_[0], rtol=1e-4)


def test_a_rare_class_is_in_the_first_set():
    X, y = examples(5, size=4000)
    y = np.where(np.arange(4000) == 77, "rare", y)
    found = train(gm.PolynomialKernel(2), cut(X, y, range(4000), 3), C=0.1)
    assert found.totals.classes.tolist() == ["a", "b", "rare"]
    assert set(found.fit.machine.classes) == {"a", "b", "rare"}


def test_the_machine_so_far_is_kept_where_there_is_no_room():
    X, y = examples(6)
    found = train(gm.PolynomialKernel(2), cut(X, y, range(len(y)), 2), C=0.1, room=60)
    assert found.is_full
    assert found.rounds[-1].working_set <= 60
    assert found.rounds[-1].n_violators > 0
    assert found.fit.machine is not None


def test_partitions_may_be_empty_or_of_one_class():
    X, y = examples(7)
    order = np.argsort(y, kind="stable")
    blocks = [*cut(X, y, order, 2), (X[:0], y[:0])]
    whole = train(gm.PolynomialKernel(2), cut(X, y, range(len(y)), 1), C=0.1)
    assert train(gm.PolynomialKernel(2), blocks, C=0.1).fit.machine == whole.fit.machine


def test_losses_are_rounded_up_and_never_overflow():
    assert loss_units(np.array([0.0, 1e-12, 1.0]), np.array([5, 1, 2])) == 1 + 2 * LOSS_UNITS
    huge = loss_units(np.full(4, 1e9), np.full(4, 2**40))
    assert huge == 4 * 10**9 * LOSS_UNITS * 2**40


def test_training_of_cutting_planes_ends_by_its_gap():
    X, y = examples(8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = train(gm.PolynomialKernel(2), cut(X, y, range(len(y)), 3), C=0.1, solver="cutting-plane")
    lower, upper = found.rounds[-1].bounds[0]
    assert upper - lower <= 1e-3 * min(0.1 * len(y), 20 * upper)
