"""The benchmark of explanations, on a few made-up rows and questions; a stand-in plays shap."""

from __future__ import annotations

import gzip
import json
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import explanations, explanations_cost, explanations_shap, explanations_trees, measure
from benchmarks.explanations_check import by_formula, by_subsets, check
from benchmarks.explanations_shap import ALL_FEATURES, EXACT, KERNEL, OF_OURS, OF_SVC, PERMUTATION, error_of
from gristmill.data.rows import as_rows
from tests.tuning.sets_to_tune_on import trees


def decisions(rows, seed):
    """Features that agree with the label more often than not."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(rows) < 0.5, 1, -1)
    return sp.csr_matrix((rng.random((rows, 9)) < np.where(y[:, None] > 0, 0.6, 0.3)).astype(float)), y


def load():
    return decisions(60, 1), decisions(40, 2)


def tags():
    (X, _), test = load()
    return (X, np.array(["B", "I", "O"])[np.arange(60) % 3]), test


CONTESTS = [explanations_shap.Case("tiny", load, degree, 1.0, 50, 4) for degree in (2, 3)]
COSTS = [
    explanations_cost.Case("tiny d=2", load, explanations_cost._svc(2, 1.0), 50),
    explanations_cost.Case("tags d=3", tags, explanations_cost._svc(3, 1.0), 50),
]


class Estimator:
    """What each feature adds alone: exact for nobody."""

    def __init__(self, function, background, seed=None):
        self.function = function

    def shap_values(self, X, silent, l1_reg=True):
        empty = self.function(np.zeros((1, X.shape[1])))
        return np.array([self.function(np.diag(row)) - empty for row in X])

    def __call__(self, X, silent):
        return types.SimpleNamespace(values=self.shap_values(X, silent))


class Exact(Estimator):
    """By all subsets."""

    def __call__(self, X, silent):
        values = np.zeros(X.shape)
        stand_in = types.SimpleNamespace(n_outputs=1, compile=lambda _: types.SimpleNamespace(decision_function=score))

        def score(subsets):
            return self.function(np.array([np.isin(np.arange(X.shape[1]), list(ids)) for ids in subsets], dtype=float))

        for row, out in zip(X, values, strict=True):
            ids = np.flatnonzero(row).tolist()
            out[ids] = by_subsets(stand_in, ids)[0][:, 0]
        return types.SimpleNamespace(values=values)


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Runs everything on little; gives what was recorded."""
    monkeypatch.setenv("GRISTMILL_DATA", str(tmp_path))
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    for name, value in (("NODES", 12), ("FEW", 12)):
        monkeypatch.setattr(explanations_trees, name, value)
    (tmp_path / "qc").mkdir()
    for part, size, seed in (("train", 60, 0), ("test", 10, 1)):
        lines = (f"{label}\t{tree}\n" for tree, label in zip(*trees(size, seed=seed), strict=True))
        (tmp_path / f"qc/{part}.tk.gz").write_bytes(gzip.compress("".join(lines).encode()))

    def run():
        explanations.main(CONTESTS, COSTS, rounds=2, queries=20, n_trees=40)
        return json.loads((tmp_path / "data" / "explanations.json").read_text(encoding="utf-8"))

    return run


@pytest.fixture
def shap(monkeypatch):
    names = {KERNEL: Estimator, PERMUTATION: Estimator, EXACT: Exact}
    maskers = types.SimpleNamespace(Independent=lambda background: background)
    found = types.SimpleNamespace(maskers=maskers, **names)
    monkeypatch.setitem(sys.modules, "shap", found)
    monkeypatch.setattr(explanations_shap, "HAS_SHAP", True)
    return found


def test_the_claim_can_be_run_by_name():
    assert "explanations" in benchmarks_main.CLAIMS


def test_all_is_measured_beside_shap(results, shap):
    found = results()
    rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    sides = [(row["explainer"], row["of the function of"]) for row in rows[: len(rows) // 2]]
    assert sides[3:] == [
        (KERNEL, OF_SVC),
        (PERMUTATION, OF_SVC),
        (KERNEL, OF_OURS),
        (PERMUTATION, OF_OURS),
        (ALL_FEATURES, OF_OURS),
        (EXACT, OF_OURS),
    ]
    assert rows[0]["gristmill beside it"] == "1x"
    assert float(rows[3]["mean error, %"].replace(",", "")) > 1
    assert float(rows[8]["mean error, %"]) < 1e-6
    assert [table["title"].split()[0] for table in found["more"]] == ["Beside", "Of", "Questions"]
    assert [row[:3] for row in found["more"][0]["rows"]][1][2] == 3  # outputs
    assert [plot["name"] for plot in found["plots"]] == ["speed", "error"]
    assert any(note.startswith(f"Over {KERNEL}, given {OF_SVC}: ") for note in found["notes"])


def test_without_shap_its_rows_are_left_out(results, monkeypatch):
    monkeypatch.setattr(explanations_shap, "HAS_SHAP", False)
    found = results()
    assert len(found["rows"]) == 3 * len(CONTESTS)
    assert "shap is not installed: its rows are left out." in found["notes"]
    assert [plot["name"] for plot in found["plots"]] == ["speed"]


def test_the_exact_explainer_must_agree(results, shap):
    shap.ExactExplainer = Estimator
    with pytest.raises(AssertionError):
        results()


def test_rows_too_long_for_the_exact_explainer_are_left_to_the_others(shap, monkeypatch):
    monkeypatch.setattr(explanations_shap, "MANY", 1)
    contest = explanations_shap.compare(CONTESTS[0], 1)
    assert contest.find(EXACT, OF_OURS) is None
    assert contest.find(KERNEL, OF_OURS) is not None


def test_an_expansion_that_does_not_fit_is_left_out(monkeypatch, capsys):
    monkeypatch.setattr(explanations_cost, "MAX_BYTES", 100)
    one = explanations_cost.weigh(COSTS[0], 1, 20)
    assert explanations_cost.EXPANDED not in one.timings
    assert explanations._cost_table([one]).rows[0][-2:] == ["", ""]
    assert "no expanded engine" in capsys.readouterr().out


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_the_formula_is_the_sum_over_all_subsets(degree):
    X, y = decisions(30, 3)
    machine = gm.from_sklearn(SVC(kernel="poly", degree=degree, gamma=0.5, coef0=1.0).fit(X, y))
    for told, wanted in zip(by_formula(machine, [0, 2, 3, 7, 11]), by_subsets(machine, [0, 2, 3, 7, 11]), strict=True):
        np.testing.assert_allclose(told, wanted, atol=1e-10)


@pytest.mark.parametrize("what", ["values", "interactions"])
def test_wrong_explanations_end_the_benchmark(monkeypatch, what):
    X, y = decisions(30, 3)
    machine = gm.from_sklearn(SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0).fit(X, y))
    explain = gm.Explainer.__call__

    def wrong(self, rows, **options):
        told = explain(self, rows, **options)
        numbers = getattr(told, what)
        if numbers is not None:
            numbers[[0, 1]] = numbers[[1, 0]] + [[0.5], [-0.5]]  # sums stay what they are
        return told

    check(machine, as_rows(X))
    monkeypatch.setattr(gm.Explainer, "__call__", wrong)
    with pytest.raises(AssertionError):
        check(machine, as_rows(X))


def test_errors_are_those_of_features_that_rows_have():
    values = np.array([[4.0, 2.0, 2.0, 0.0, 0.0], [1.0, 2.0, 3.0, 0.0, 4.0]])
    present = values != 0
    assert error_of(values, values, present) == explanations_shap.Error(0.0, 0.0, 0.0)
    ties, other = values.copy(), values.copy()
    ties[0, 2] += 1e-13
    assert error_of(values, ties, present).reordered == 0
    other[1, 1] += 1.5
    error = error_of(values, other, present)
    assert (error.largest, error.mean, error.reordered) == pytest.approx((1.5 * 7 / 18, 1.5 / 18, 0.5))
