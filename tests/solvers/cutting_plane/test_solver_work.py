"""How much of a kernel cutting planes compute (5.27), counted by a kernel that counts, and in the provenance."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.solvers.cutting_plane import CuttingPlanes
from tests.solvers.cutting_plane.plane_problems import blobs

ROUNDS, SIZE = 12, 15


class Counting:
    """A linear kernel that counts the pairs it computes."""

    def __init__(self):
        self.pairs = 0

    def __call__(self, A, B):
        self.pairs += len(A) * len(B)
        return np.asarray(A) @ np.asarray(B).T


def examples(n, seed=0):
    """No two are equal."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 8))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 + random.normal(size=n) > 1, 1, 0)


@pytest.fixture
def reported(monkeypatch):
    """The statistics of all solvers."""
    reports = []
    own = CuttingPlanes.statistics

    def watched(solver):
        reports.append(own(solver))
        return reports[-1]

    monkeypatch.setattr(CuttingPlanes, "statistics", watched)
    return reports


def pairs_of(reported, n, sampling, size=SIZE, **options):
    """Pairs of some rounds over n examples, without room for a matrix."""
    kernel = Counting()
    options = {"max_iter": ROUNDS, "max_bytes": 10_000, "tol": 1e-9, "C": 0.1, "solver": "cutting-plane", **options}
    clf = gm.KernelSVC(kernel, sampling=sampling, sample_size=size, **options)
    with pytest.warns(gm.ConvergenceWarning, match="max_iter"):
        clf.fit(*examples(n))
    assert reported[-1]["kernel_evaluations"] == kernel.pairs
    assert clf.n_iter_[0] == ROUNDS
    return kernel.pairs


@pytest.mark.parametrize("kind", ["uniform", "balanced"])
def test_uniform_samples_cost_the_same_for_more_examples(reported, kind):
    """O(T^2 r^2): the larger n, the fewer examples are drawn twice, and that is all."""
    small, large = pairs_of(reported, 1000, kind), pairs_of(reported, 4000, kind)
    assert small == pytest.approx(large, rel=0.2)
    planes = ROUNDS + 3
    assert large <= 1.5 * (planes * (SIZE + 1)) ** 2


def test_uniform_samples_cost_what_their_size_says(reported):
    one, four = pairs_of(reported, 8000, "uniform", 10), pairs_of(reported, 8000, "uniform", 40)
    assert four == pytest.approx(16 * one, rel=0.25)


def test_importance_costs_as_much_as_there_are_examples(reported):
    """O(T n r) a round: margins of all examples."""
    small, large = pairs_of(reported, 1000, "importance"), pairs_of(reported, 4000, "importance")
    assert large == pytest.approx(4 * small, rel=0.2)
    assert large <= 4000 * SIZE * (ROUNDS + 3) ** 2


def test_planes_of_all_examples_cost_rows_of_those_with_a_weight(reported):
    """Two products a round, of at most all rows."""
    for n in (200, 400):
        pairs = pairs_of(reported, n, None)
        assert pairs <= reported[-1]["products"] * n * n
        assert reported[-1]["products"] <= 2 * ROUNDS + 4
        assert pairs % n == 0


@pytest.mark.parametrize("sampling", [None, "uniform", "balanced", "importance"])
def test_a_matrix_that_fits_is_computed_once(reported, sampling):
    assert pairs_of(reported, 300, sampling, max_bytes=None) == 300**2


def test_compiled_operators_compare_no_pairs():
    trees = [f"(S (A {a}) (B {b} {c}))" for a, b, c in np.random.default_rng(3).integers(9, size=(300, 3))]
    y = ["A 1" in tree or "B 2" in tree for tree in trees]
    for kernel in (gm.SubsetTreeKernel(), gm.Normalized(gm.SubsetTreeKernel())):
        clf = gm.KernelSVC(kernel, solver="cutting-plane").fit(trees, y)
        tale = clf.machine_.provenance
        assert tale["kernel_evaluations"] == 0
        assert tale["products"] <= 2 * clf.n_iter_[0] + 4


def test_machines_tell_how_they_were_made():
    X, y = blobs(200)
    exact = gm.KernelSVC(degree=2, solver="cutting-plane").fit(X, y).machine_.provenance
    assert exact["solver"] == "cutting-plane"
    assert "sampling" not in exact
    drawn = gm.KernelSVC(degree=2, sampling="uniform", sample_size=50).fit(X, y).machine_.provenance
    assert (drawn["sampling"], drawn["sample_size"], drawn["solver"]) == ("uniform", 50, "cutting-plane")


def test_outputs_share_products():
    """Of three classes, all products are made together, and counted one by one."""
    X, y = blobs(150)
    y3 = np.where(X[:, 4] > 0, 2, y)
    clf = gm.KernelSVC(degree=2, solver="cutting-plane", multiclass="ovr").fit(X, y3)
    assert clf.machine_.provenance["products"] <= 2 * clf.n_iter_.sum() + 4 * 3
