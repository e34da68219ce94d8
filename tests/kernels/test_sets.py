"""Kernels of sets of features: values, special cases, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import pairwise

import gristmill as gm
from gristmill.kernels import as_kernel, from_spec, to_spec
from tests.kernels.set_kernels import LONGEST, WITH_ORACLES, features, id_rows, simpson, table_of

NAMES = sorted(WITH_ORACLES)
ALMOST = {"rtol": 1e-15, "atol": 1e-300}


@pytest.mark.parametrize("name", NAMES)
@given(left=st.lists(features, max_size=6), right=st.lists(features, max_size=6))
def test_a_gram_matrix_is_the_definition(name, left, right):
    kernel, oracle = WITH_ORACLES[name]
    expected = np.array([[oracle(x, s) for s in right] for x in left]).reshape(len(left), len(right))
    A, B = id_rows(left), id_rows(right)
    np.testing.assert_allclose(kernel(A, B), expected, **ALMOST)
    np.testing.assert_allclose(kernel.direct(A, B), expected, **ALMOST)
    np.testing.assert_allclose(kernel.diag(A), [oracle(x, x) for x in left], **ALMOST)


@pytest.mark.parametrize("name", NAMES)
@given(sets=st.lists(features, min_size=1, max_size=6), longest=st.integers(0, LONGEST))
def test_no_value_is_above_the_largest(name, sets, longest):
    kernel, _ = WITH_ORACLES[name]
    others = [set(range(size)) for size in range(longest + 1)]
    values = np.abs(kernel(id_rows(sets), id_rows(others)))
    assert (values <= kernel.largest(np.array([len(one) for one in sets]), longest)[:, None]).all()


@pytest.mark.parametrize("name", NAMES)
def test_rows_much_longer_than_those_compared_with_are_exact(name):
    kernel, oracle = WITH_ORACLES[name]
    x, others = set(range(LONGEST)), [{1}, {1, 2}, {30}, set()]
    np.testing.assert_allclose(kernel(id_rows([x]), id_rows(others))[0], [oracle(x, s) for s in others], **ALMOST)


def test_real_rows_have_the_values_of_scikit_learn():
    random = np.random.default_rng(0)
    A, B = random.normal(size=(7, 4)), random.normal(size=(5, 4))
    for kernel, expected in (
        (gm.RBFKernel(0.3), pairwise.rbf_kernel(A, B, gamma=0.3)),
        (gm.SigmoidKernel(0.3, -0.5), pairwise.sigmoid_kernel(A, B, gamma=0.3, coef0=-0.5)),
        (gm.CosineKernel(), pairwise.cosine_similarity(A, B)),
    ):
        np.testing.assert_allclose(kernel(A, B), expected, rtol=1e-12)


def test_the_laplacian_kernel_is_rbf_on_binary_rows():
    X = np.random.default_rng(0).integers(0, 2, size=(9, 6)).astype(float)
    np.testing.assert_allclose(gm.RBFKernel(0.7)(X), pairwise.laplacian_kernel(X, gamma=0.7), rtol=1e-14)


def test_what_nothing_over_nothing_is():
    empty = gm.ids([[]])
    assert gm.TanimotoKernel()(empty, empty) == 1
    assert gm.DiceKernel()(empty, empty) == 1
    assert gm.CosineKernel()(empty, empty) == 0
    assert gm.TanimotoKernel()(empty, gm.ids([[3]])) == 0


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"callable"}))
def test_kernels_are_written_as_plain_data(name):
    kernel, _ = WITH_ORACLES[name]
    assert from_spec(to_spec(kernel)) == kernel


def test_a_callable_cannot_be_written():
    with pytest.raises(ValueError, match=r"SetKernel\(simpson\) cannot be saved"):
        to_spec(gm.SetKernel(simpson))


@pytest.mark.parametrize("name", ["rbf", "tanimoto", "sigmoid", "cosine", "dice"])
def test_kernels_have_names(name):
    assert to_spec(as_kernel(name))["name"] == name


def test_tables_are_equal_by_their_numbers():
    assert gm.SetKernel(table_of(simpson)) == gm.SetKernel(table_of(simpson))
    assert hash(gm.SetKernel(table_of(simpson))) == hash(gm.SetKernel(table_of(simpson)))
    assert gm.SetKernel(table_of(simpson)) != gm.SetKernel(2 * table_of(simpson))
    assert gm.SetKernel(simpson) != gm.SetKernel(lambda m, x, s: m)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gm.RBFKernel(-1.0), "gamma must be 0 or more, got -1.0"),
        (lambda: gm.RBFKernel("scale"), "gamma must be a finite number, got 'scale'"),
        (lambda: gm.SigmoidKernel(1.0, float("nan")), "coef0 must be a finite number"),
        (lambda: gm.SetKernel(np.zeros((2, 3))), r"an array of shape \(m, x, s\)"),
        (lambda: gm.SetKernel(np.zeros((2, 3, 3))), r"no fewer overlaps m, got shape \(2, 3, 3\)"),
        (lambda: gm.SetKernel(simpson, semidefinite="yes"), "semidefinite must be True or False"),
    ],
)
def test_what_is_no_kernel_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda m, x, s: m / np.maximum(x, 1), r"g must be symmetric, but g\(1, 2, 3\) is not g\(1, 3, 2\)"),
        (lambda m, x, s: m / (x - 2.0), r"g\(\d, \d, \d\) is (inf|nan): it must be finite"),
        (lambda m, x, s: 1.0, r"g must give one number for each overlap, shape \(\d+,\), got shape \(\)"),
        (table_of(simpson, longest=2), "knows rows of up to 2 features, got one of 3"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_functions_that_are_no_kernel_are_refused_where_they_are_used(function, message):
    with pytest.raises(ValueError, match=message):
        gm.SetKernel(function)(gm.ids([[1, 2]]), gm.ids([[2, 3, 4]]))


def test_real_values_are_refused_by_kernels_of_sets_alone():
    with pytest.raises(ValueError, match=r"values must be 0 and 1, got 0.5"):
        gm.SetKernel(simpson)(np.array([[0.5, 1.0]]))
