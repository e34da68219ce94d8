"""The benchmark of explanations under kernels of sets, on a few made-up rows; peers play where they are installed."""

from __future__ import annotations

import json

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import explanations_sets, measure
from tests.benchmarks.test_explanations import load


def test_the_claim_can_be_run_by_name():
    assert "explanations_sets" in benchmarks_main.CLAIMS


def test_all_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    monkeypatch.setattr(explanations_sets, "HAS_SHAP", False)
    cases = [explanations_sets.Case("tiny", load, kernel, 50, 2) for kernel in (gm.RBFKernel(0.1), gm.TanimotoKernel())]
    explanations_sets.main(cases, rounds=2, batch=20)
    found = json.loads((tmp_path / "explanations_sets.json").read_text(encoding="utf-8"))
    named = {line[3] for line in found["rows"]}
    assert {explanations_sets.OURS, explanations_sets.PAIRS, explanations_sets.DROPPED} <= named
