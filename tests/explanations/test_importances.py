"""gristmill.importance: averages over a data set."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm
from gristmill.explanations import shapley
from tests.explanations.machines_to_explain import bank_machine, large_machine


def test_importance_is_the_mean_over_rows():
    machine, share, rng = large_machine(8, 150, 40, 2, gm.PolynomialKernel(3))
    X = sp.csr_matrix(rng.random((200, 40)) < share, dtype=float)
    explanation, found = gm.explain(machine, X, interactions=True), gm.importance(machine, X, interactions=True)
    dense = np.zeros((200, 40, 2))
    dense[np.repeat(np.arange(200), np.diff(explanation.offsets)), explanation.ids] = explanation.values
    assert found.magnitudes == pytest.approx(np.abs(dense).mean(axis=0))
    assert found.means == pytest.approx(dense.mean(axis=0))
    assert found.counts.tolist() == X.getnnz(axis=0).tolist()
    sums = {}
    for row in explanation:
        for at, (one, other) in enumerate(zip(*np.triu_indices(len(row.ids), 1), strict=True)):
            pair = int(row.ids[one]), int(row.ids[other])
            sums[pair] = sums.get(pair, 0) + np.abs(row.interactions[at])
    assert {tuple(map(int, pair)) for pair in found.pairs} == set(sums)
    signed = {}
    for row in explanation:
        for at, (one, other) in enumerate(zip(*np.triu_indices(len(row.ids), 1), strict=True)):
            signed.setdefault((int(row.ids[one]), int(row.ids[other])), []).append(row.interactions[at])
    for at, pair in enumerate(tuple(map(int, pair)) for pair in found.pairs):
        assert found.pair_magnitudes[at] == pytest.approx(sums[pair] / 200)
        assert found.pair_means[at] == pytest.approx(np.sum(signed[pair], axis=0) / 200)
        assert found.pair_counts[at] == len(signed[pair])


def test_a_stream_of_blocks_gives_what_all_rows_together_give():
    machine, share, rng = large_machine(9, 100, 30, 1, gm.PolynomialKernel(2))
    X = sp.csr_matrix(rng.random((90, 30)) < share, dtype=float)
    whole = gm.importance(machine, X, interactions=True)
    parts_of = gm.importance(machine, (X[at : at + 7] for at in range(0, 90, 7)), interactions=True)
    assert parts_of.rows == 90
    assert parts_of.magnitudes == pytest.approx(whole.magnitudes)
    assert parts_of.top_pairs(5)[0].name == whole.top_pairs(5)[0].name
    assert gm.importance(machine, iter([])).rows == 0


def test_importance_is_drawn_and_written():
    found = gm.importance(bank_machine(), [{0, 1}, {1, 2}, {900}], interactions=True)
    assert str(found).splitlines()[0] == "mean |value| over 3 rows"
    assert "money & bank" in str(found)
    explanation = json.loads(found.to_json(top=1))
    assert explanation["features"] == [{"feature": 0, "name": "money", "magnitude": pytest.approx(4 / 3), "count": 1}]
    assert len(explanation["interactions"]) == 1
    with pytest.raises(ValueError, match="interactions=True"):
        gm.importance(bank_machine(), [{0}]).top_pairs()
    assert "(none)" in str(gm.importance(bank_machine(), [set()]))


def test_progress_is_reported_block_by_block():
    seen = []
    machine, share, rng = large_machine(10, 100, 30, 1, gm.PolynomialKernel(2))
    X = sp.csr_matrix(rng.random((5000, 30)) < share, dtype=float)
    gm.importance(machine, X, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(4096, 5000), (5000, 5000)]
    seen.clear()
    gm.importance(machine, iter([X[:10], X[10:30]]), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(10, 0), (30, 0)]


def test_importance_looks_at_as_many_rows_together_as_fit(monkeypatch):
    monkeypatch.setattr(shapley, "BLOCK_BYTES", 1 << 20)  # 131,072 pairs: of some 26 rows, and of less than one
    machine = bank_machine(feature_names=None)
    assert gm.importance(machine, [{0}] * 300, baseline=[set(range(100))], interactions=True).rows == 300
    assert gm.importance(machine, [{0}] * 20 + [set(range(600))], interactions=True).rows == 21


def test_counts_are_of_rows_that_have_the_feature():
    found = gm.importance(bank_machine(), [{0}, {0}], baseline=[{1, 2}])
    assert found.counts.tolist() == [2, 0, 0]
