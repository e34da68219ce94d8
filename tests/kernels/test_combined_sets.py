"""Kernels of sets within others: normalised, scaled, added, beside trees; as matrices, operators, machines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.kernels import from_spec, to_spec
from tests.kernels.set_kernels import WITH_ORACLES, features, id_rows
from tests.oracle import sets as oracle

TREES = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (C a) (B b))", "(S (C c))", "(S (A d) (B b))", "(A a)"]
SST = gm.Normalized(gm.SubsetTreeKernel())
ROWS = (np.random.default_rng(0).random((6, 9)) < 0.4).astype(float)
FIELDS = gm.Examples(trees=gm.Forest.from_strings(TREES), vectors=ROWS)
ON_FIELDS = [
    SST.on("trees") + 0.5 * gm.RBFKernel(0.2).on("vectors"),
    2 * gm.TanimotoKernel().on("vectors") + SST.on("trees"),
    gm.Normalized(gm.CosineKernel() + gm.DiceKernel()).on("vectors") + SST.on("trees"),
    gm.SigmoidKernel(0.3, -1.0).on("vectors") + SST.on("trees"),
]
NAMES = sorted(WITH_ORACLES)


def normalised(value):
    """k(x, s) / sqrt(k(x, x) k(s, s)); a self-kernel that is not above 0 counts as 1."""

    def norm(x):
        return np.sqrt(value(x, x)) if value(x, x) > 0 else 1.0

    return lambda x, s: value(x, s) / (norm(x) * norm(s))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_combinations_of_rows_score_as_the_definition_says(name, data):
    kernel, value = WITH_ORACLES[name]
    combined = gm.Normalized(kernel) + 0.25 * (kernel + gm.PolynomialKernel(2))
    whole = lambda x, s: normalised(value)(x, s) + 0.25 * (value(x, s) + (len(x & s) + 1.0) ** 2)  # noqa: E731
    support = data.draw(st.lists(features, min_size=1, max_size=5))
    coef = np.array(data.draw(st.lists(st.floats(-10, 10), min_size=len(support), max_size=len(support))))
    machine = gm.Machine(combined, id_rows(support), coef, 0.5, classes=["no", "yes"])
    queries = data.draw(st.lists(features, min_size=1, max_size=4))
    labels = machine.compile("direct").predict(id_rows(queries))
    for engine in ("direct", "forest", "auto"):
        scorer = machine.compile(engine)
        for x, score in zip(queries, scorer.decision_function(id_rows(queries)), strict=True):
            one = (support, coef, 0.5, whole, x)
            assert abs(score - oracle.score(*one)) <= 1e-9 * oracle.magnitude(*one)
        np.testing.assert_array_equal(scorer.predict(id_rows(queries)), labels)


@pytest.mark.parametrize("kernel", ON_FIELDS, ids=str)
def test_trees_and_sets_are_compared_together(kernel, tmp_path):
    coef = np.random.default_rng(1).normal(size=(6, 2))
    machine = gm.Machine(kernel, FIELDS, coef, [0.5, -0.5])
    wanted = kernel.direct(FIELDS) @ coef + [0.5, -0.5]
    for engine in ("direct", "forest"):
        np.testing.assert_allclose(machine.compile(engine).decision_function(FIELDS), wanted, atol=1e-12)
    assert from_spec(to_spec(kernel)) == kernel
    machine.save(tmp_path / "machine")
    assert gm.load(tmp_path / "machine") == machine


@pytest.mark.parametrize("kernel", ON_FIELDS, ids=str)
def test_estimators_learn_from_trees_and_sets(kernel):
    y = [0, 0, 1, 1, 0, 1]
    fitted = gm.KernelSVC(kernel, C=10, tol=1e-8).fit(FIELDS, y)
    gram = gm.KernelSVC("precomputed", C=10, tol=1e-8).fit(kernel(FIELDS), y)
    np.testing.assert_allclose(fitted.decision_function(FIELDS), gram.decision_function(kernel(FIELDS)), atol=1e-6)


@pytest.mark.parametrize("method", ["auto", "gram", "rows"])
@pytest.mark.parametrize("kernel", ON_FIELDS, ids=str)
def test_operators_multiply_by_the_matrix(kernel, method):
    weights = np.random.default_rng(2).normal(size=(6, 3))
    operator = kernel.operator(FIELDS, method=method)
    np.testing.assert_allclose(operator @ weights, kernel.direct(FIELDS) @ weights, atol=1e-12)
    some = np.array([4, 0, 3])
    np.testing.assert_allclose(
        operator.restricted(some, FIELDS[some]) @ weights[:3], kernel.direct(FIELDS[some]) @ weights[:3], atol=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_operators_of_rows_multiply_by_the_matrix(name):
    kernel, _ = WITH_ORACLES[name]
    rows = id_rows([{1, 2}, {2, 3, 4}, set(), {1, 2, 3, 4, 5}, {30}])
    weights = np.random.default_rng(3).normal(size=(5, 2))
    for whole in (kernel, gm.Normalized(kernel), 0.5 * kernel + gm.RBFKernel(0.1)):
        for method in ("auto", "gram", "rows"):
            np.testing.assert_allclose(
                whole.operator(rows, method=method) @ weights, whole.direct(rows) @ weights, atol=1e-12
            )


def test_a_kernel_below_0_has_no_labels_decided_by_absolute_coefficients():
    """Terms cancel: by a sum of negative kernels the bound of rounding would be too small, or negative."""
    random = np.random.default_rng(4)
    count = 2000
    vectors = (random.random((count, 8)) < 0.5).astype(float)
    forest = gm.Forest.from_strings(["(a b)"]).take(np.zeros(count, dtype=int))
    data = gm.Examples(trees=forest, vectors=vectors)
    kernel = 1e-12 * gm.SubsetTreeKernel().on("trees") + gm.SigmoidKernel(0.5, -2.0).on("vectors")
    half = random.normal(size=count // 2)
    support = data[np.r_[np.arange(count // 2), np.arange(count // 2)]]
    machine = gm.Machine(kernel, support, np.r_[half, -half], 0.0, classes=["no", "yes"])
    queries = data[:200]
    np.testing.assert_array_equal(machine.compile().predict(queries), machine.compile("direct").predict(queries))


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (gm.PolynomialKernel(2), True),
        (gm.PolynomialKernel(0, -1.0, -1.0), True),
        (gm.PolynomialKernel(2, -1.0, 0.0), True),
        (gm.PolynomialKernel(3, -1.0, 0.0), False),
        (gm.PolynomialKernel(2, 1.0, -1.0), False),
        (gm.PolynomialKernel(1000, 1e300, 1e300), True),
        (gm.RBFKernel(), True),
        (gm.SigmoidKernel(), False),
        (gm.Normalized(gm.SigmoidKernel()), False),
        (0.5 * gm.SigmoidKernel(), False),
        (gm.RBFKernel() + gm.SigmoidKernel(), False),
        (gm.SigmoidKernel().on("vectors"), False),
        (gm.TanimotoKernel() + gm.CosineKernel() + gm.DiceKernel(), True),
        (gm.SetKernel(lambda m, x, s: 1.0 * m), False),
        (gm.SetKernel(lambda m, x, s: 1.0 * m, semidefinite=True), True),
    ],
    ids=str,
)
def test_which_kernels_are_known_to_be_semidefinite(kernel, expected):
    assert kernel.is_semidefinite == expected
