"""Explanations as objects of shap."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gristmill as gm
from tests.explanations.machines_to_explain import NAMES, bank_machine, large_machine


@pytest.mark.usefixtures("fake_shap")
def test_objects_for_shap_have_columns_for_the_features_that_are_there():
    explanation = gm.explain(bank_machine(), [{0, 1}, {1, 2}], interactions=True)
    given = explanation.to_shap()
    assert given.feature_names == NAMES
    assert given.data.tolist() == [[1, 1, 0], [0, 1, 1]]
    assert given.base_values + given.values.sum(axis=1) == pytest.approx(explanation.scores.ravel())
    matrices = explanation.to_shap(interactions=True).values
    assert matrices.shape == (2, 3, 3)
    assert matrices.sum(axis=2) == pytest.approx(given.values)


@pytest.mark.usefixtures("fake_shap")
def test_features_beyond_the_largest_are_summed_up_for_shap():
    machine, _, _ = large_machine(11, 100, 30, 2, gm.PolynomialKernel(2))
    explanation = gm.explain(machine, [set(range(30)), set(range(15))])
    given = explanation.to_shap(max_features=4)
    assert given.feature_names[-1] == "26 other features"
    heaviest = np.argsort(
        -np.abs(explanation.values).sum(axis=1)[:30] - np.append(np.abs(explanation.values).sum(axis=1)[30:], [0] * 15)
    )
    assert given.feature_names[:-1] == [str(feature) for feature in sorted(heaviest[:4])]
    assert given.values.shape == (2, 5, 2)
    assert given.base_values + given.values.sum(axis=1) == pytest.approx(explanation.scores)
    assert explanation.to_shap(1).values == pytest.approx(explanation.to_shap().values[..., 1])


def test_without_shap_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match="pip install shap"):
        gm.explain(bank_machine(), [{0}]).to_shap()


def test_shap_accepts_the_object():
    shap = pytest.importorskip("shap", reason="shap is not installed")
    explanation = gm.explain(bank_machine(), [{0, 1}, {1, 2}]).to_shap()
    assert isinstance(explanation, shap.Explanation)
    assert explanation.shape == (2, 3)
    assert explanation[0].abs.values.max() == 4.0
