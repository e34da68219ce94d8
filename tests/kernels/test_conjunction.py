"""The conjunction kernel is the subset relation, and is refused where symmetry is needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.kernels import from_spec, to_spec
from tests.oracle import given_conjunctions as oracle

sets = st.lists(st.frozensets(st.integers(0, 6)), max_size=6)
KERNEL = gm.ConjunctionKernel()


@given(x=sets, conjunctions=sets)
def test_gram_and_rows_are_the_definition(x, conjunctions):
    wanted = np.array([[oracle.kernel(row, s) for s in conjunctions] for row in x]).reshape(len(x), len(conjunctions))
    for gram in (KERNEL(x, conjunctions), KERNEL.direct(x, conjunctions), KERNEL.rows(conjunctions).against(x)):
        assert np.array_equal(gram, wanted)
    assert np.array_equal(KERNEL(x), KERNEL(x, x))
    assert np.array_equal(KERNEL.diag(x), np.ones(len(x)))


def test_a_row_of_the_provider_asks_for_the_others():
    rows = KERNEL.rows(gm.ids([[0, 1], [1], []]))
    assert rows[0].tolist() == [1, 1, 1]
    assert rows[1].tolist() == [0, 1, 1]
    assert rows[[2]].tolist() == [[0, 0, 1]]


def test_columns_with_names_are_put_into_the_order_of_the_conjunctions():
    import pandas as pd

    conjunctions, X = pd.DataFrame({"a": [1], "b": [0]}), pd.DataFrame({"b": [0, 1], "a": [1, 0]})
    assert KERNEL(X, conjunctions).tolist() == [[1], [0]]


def test_it_is_a_value_and_has_a_name_in_files():
    assert gm.ConjunctionKernel() == KERNEL
    assert repr(KERNEL) == "ConjunctionKernel()"
    assert from_spec(to_spec(KERNEL)) == KERNEL
    assert to_spec(KERNEL) == {"name": "conjunction"}


@pytest.mark.parametrize("X", [np.array([[0.5, 1.0]]), np.array([[2.0, 0.0]])])
def test_other_values_are_refused(X):
    with pytest.raises(ValueError, match=r"features that are there or not: values must be 0 and 1, got (0.5|2)"):
        KERNEL(X)


@pytest.mark.parametrize("kernel", [KERNEL, 0.5 * KERNEL, gm.Normalized(KERNEL), KERNEL + gm.PolynomialKernel()])
@pytest.mark.parametrize(
    "use",
    [
        lambda kernel, X, y: gm.KernelSVC(kernel=kernel).fit(X, y),
        lambda kernel, X, y: gm.KernelSVC(kernel=kernel, solver="cutting-plane").fit(X, y),
        lambda kernel, X, y: gm.KernelSVR(kernel=kernel).fit(X, y),
        lambda kernel, X, y: gm.KernelOneClassSVM(kernel=kernel).fit(X),
        lambda kernel, X, y: gm.KernelRanker(kernel=kernel).fit(X, y),
        lambda kernel, X, y: gm.tune(X, y, kernels=[kernel]),
        lambda kernel, X, y: kernel.operator(gm.ids([[0], [1]])),
    ],
)
def test_solvers_and_operators_refuse_it(kernel, use):
    X, y = np.eye(4), np.array([0, 1, 0, 1])
    with pytest.raises(ValueError, match="needs a symmetric kernel"):
        use(kernel, X, y)


def test_the_online_learner_refuses_it():
    with pytest.raises(ValueError, match="kernel must be 'poly' or a PolynomialKernel, got ConjunctionKernel"):
        gm.OnlineKernelClassifier(kernel=KERNEL).fit(np.eye(2), [0, 1])
