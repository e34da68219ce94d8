"""Explanations of several batches as objects of shap have the same columns: those of the machine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.data.strategies import FEATURES, classifiers, feature_sets

MACHINE = gm.Machine(
    gm.PolynomialKernel(2),
    gm.ids([[0, 1], [2, 4], [3]]),
    [1.0, -0.5, 0.25],
    -1.0,
    classes=["no", "yes"],
    feature_names=["a", "b", "c", "d", "e"],
)


@pytest.mark.usefixtures("fake_shap")
def test_batches_align():
    one = gm.explain(MACHINE, gm.ids([[0, 1], [1]])).to_shap()
    other = gm.explain(MACHINE, gm.ids([[4], [], [2, 3]])).to_shap()
    assert one.feature_names == other.feature_names == ["a", "b", "c", "d", "e"]
    both = np.concatenate([one.values, other.values])
    whole = gm.explain(MACHINE, gm.ids([[0, 1], [1], [4], [], [2, 3]]))
    assert np.array_equal(both, whole.to_shap().values)
    assert np.array_equal(np.concatenate([one.data, other.data]), whole.to_shap().data)


@pytest.mark.usefixtures("fake_shap")
def test_features_that_the_machine_does_not_have_add_no_column():
    explanation = gm.explain(MACHINE, gm.ids([[0, 1, 9], [7]]), interactions=True)
    assert explanation.to_shap().values.shape == (2, 5)
    assert explanation.to_shap().data.tolist() == [[1, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
    matrices = explanation.to_shap(interactions=True).values
    assert matrices.shape == (2, 5, 5)
    assert np.allclose(matrices.sum(axis=(1, 2)), explanation.scores[:, 0] - explanation.base[0])


@pytest.mark.usefixtures("fake_shap")
def test_a_table_that_would_not_fit_is_refused_with_the_ways_out():
    wide = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 2**31 - 2]]), [1.0], 0.0)
    explanation = gm.explain(wide, gm.ids([[0]]), interactions=True)
    with pytest.raises(ValueError, match="give max_features, or fewer rows at a time, or use to_csr"):
        explanation.to_shap()
    assert explanation.to_shap(max_features=3).values.shape == (1, 1)
    assert explanation.to_csr().shape == (1, 2**31 - 1)


@given(classifiers(), st.lists(feature_sets, max_size=5))
def test_sparse_values_are_those_of_the_rows(machine, sets):
    explanation = gm.explain(machine, sets)
    for output in range(machine.n_outputs):
        found = explanation.to_csr(output)
        assert found.shape == (len(sets), FEATURES)
        assert np.allclose(
            found.sum(axis=1).ravel() + explanation.base[output], explanation.scores[:, output], atol=1e-9
        )


def test_several_outputs_must_be_named():
    machine = gm.Machine(gm.PolynomialKernel(1), gm.ids([[0]]), [[1.0, 2.0, 3.0]], np.zeros(3), list("abc"), "ovr")
    explanation = gm.explain(machine, gm.ids([[0]]))
    with pytest.raises(ValueError, match="say which output: one of 'a', 'b', 'c'"):
        explanation.to_csr()
    assert explanation.to_csr("b").toarray().tolist() == [[2.0]]


def test_a_background_of_several_rows_is_the_mean_of_baselines():
    B = np.array([[1, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]])
    X = gm.ids([[0, 2]])
    with pytest.raises(ValueError, match=r"baseline must be a single row, got 3; background may be several"):
        gm.explain(MACHINE, X, baseline=B)
    mean = sum(gm.explain(MACHINE, X, baseline=B[i : i + 1]).to_csr() for i in range(3)) / 3
    np.testing.assert_allclose(gm.explain(MACHINE, X, background=B).to_csr().toarray(), mean.toarray(), atol=1e-12)
    scorer = MACHINE.compile()
    assert mean.sum() == pytest.approx(scorer.decision_function(X)[0] - scorer.decision_function(B).mean())
