"""The benchmark of C="auto", on a small made-up set."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import auto_cost, measure
from benchmarks.auto_cost_sets import SETS, DataSet, _pairs
from tests.tuning.sets_to_tune_on import rows, trees

X, Y = rows(90)


def test_every_measure_has_a_line(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    words = DataSet(lambda: (X, Y), {"degree 1": gm.PolynomialKernel(1)})
    made, labels = trees(60)
    few = DataSet(lambda: (gm.Forest.from_strings(made), labels), {"SST": gm.Normalized(gm.SubsetTreeKernel())})
    auto_cost.main({"rows": words, "trees": few}, size=60, small=40)
    result = json.loads((tmp_path / "data" / "auto_cost.json").read_text())
    assert [row[:3] for row in result["rows"]] == [["rows", 2, "degree 1"], ["trees", 3, "SST"]]
    lines = result["more"][0]["rows"]
    assert len(lines) == 8  # mean and worst of four measures
    assert all(sum("**" in str(cell) for cell in line) == 1 for line in lines)
    assert "auto_cost" in benchmarks_main.CLAIMS
    assert len(SETS) >= 15


@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
def test_logistic_machines_are_those_of_scikit_learn(cost):
    """With the intercept as a feature of its own."""
    wide = np.column_stack([X, np.ones(len(X))])
    weights = auto_cost.kernel_logistic(wide @ wide.T, Y > 0, cost)
    theirs = LogisticRegression(C=cost, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(wide, Y)
    np.testing.assert_allclose(wide @ wide.T @ weights, theirs.decision_function(wide), atol=1e-3)


def test_pairs_of_a_syntax_tree():
    assert _pairs("(A b (C d d) e)") == {"A b", "A C", "C d", "A e"}
