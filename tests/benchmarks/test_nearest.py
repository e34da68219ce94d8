"""The benchmark of nearest neighbours on a few fingerprints."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks_main
from benchmarks import measure, nearest


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    monkeypatch.setattr(nearest, "BLOCK", 250)
    monkeypatch.setattr(nearest, "PEERS", {"NumPy": nearest.NumPy})
    return lambda: json.loads((tmp_path / "nearest.json").read_text())


def test_sides_are_compared_and_timed(results):
    assert "nearest" in benchmarks_main.CLAIMS
    nearest.main((600,), 8, 1)
    rows = results()["rows"]
    assert [row[2] for row in rows] == ["gristmill", "NumPy"] * 4
    assert {row[5] for row in rows if row[2] == "gristmill"} == {"1.0x"}
    assert rows[0][6] == "10.0"


def test_fingerprints_are_as_told(results):
    words = nearest.fingerprints(600)
    bits = nearest.unpacked(words)
    assert 40 <= np.median(bits.sum(axis=1)) <= 100
    assert np.array_equal(nearest.packed(bits), words)
    assert np.array_equal(nearest.listed(words).lengths, bits.sum(axis=1))


def test_answers_that_differ_are_seen(results):
    problem = nearest.Problem.make(600, 5)
    other = nearest.Problem(problem.rows[::-1].copy(), problem.queries)
    sides = {"gristmill": nearest.Ours(problem), "NumPy": nearest.NumPy(other)}
    with pytest.raises(AssertionError):
        nearest.check(sides, nearest.Asked(k=3), 5)
