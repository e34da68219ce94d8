"""The benchmark of logistic regression on made-up decisions: sides minimise the same, and the page says so."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import logistic, measure

CASE = logistic.Case("a9a", 2, peers=(*logistic.BOTH, logistic.CALIBRATED))


def decisions(rows, seed):
    rng = np.random.default_rng(seed)
    table = (rng.random((rows, 12)) < 0.4).astype(float)
    y = np.where(table[:, 0] * table[:, 1] + table[:, 2] + rng.random(rows) > 1.2, 1.0, -1.0)
    return sp.csr_matrix(table), y


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    monkeypatch.setattr(logistic, "load", lambda _: (decisions(150, 1), decisions(60, 2)))
    monkeypatch.setattr(logistic, "ROUNDS", 1)
    return tmp_path / "data" / "logistic.json"


def test_the_claim_can_be_run_by_name():
    assert "logistic" in benchmarks_main.CLAIMS
    assert callable(logistic.quick)


def test_sides_become_a_page(small):
    logistic.main((CASE,))
    page = json.loads(small.read_text(encoding="utf-8"))
    found = [dict(zip(page["columns"], row, strict=True)) for row in page["rows"]]
    assert [row["side"].split(",")[0] for row in found] == [logistic.OURS, *CASE.peers]
    assert all(float(row["above the minimum at most"]) <= 1e-4 for row in found[:3])
    assert len({row["accuracy, %"] for row in found[:3]}) == 1
    choices = page["more"][0]["rows"]
    assert [row[2] for row in choices] == list(logistic.FACTORS)


def test_another_objective_is_seen(small):
    """A peer that is farther from the minimum is found out: the same weights, halved."""
    train, _ = logistic.data_of(CASE)
    reference = gm.KernelLogisticRegression(tol=1e-7).fit(*train)
    made, _, _ = logistic._explicit(train, CASE, reference.C_, "liblinear", 1e-4)
    expand, _ = logistic._expanded(train[0], 2)
    made.coef_ /= 2
    side = logistic.Side(lambda: None, made, lambda X: expand(X) @ made.coef_[0])
    assert logistic._objective(side, train, reference.C_) > 1.01 * reference.bounds_[1]
