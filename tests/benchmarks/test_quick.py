"""Benchmarks of engines on a few made-up decisions: what pages they make, and that a look is a small measurement."""

from __future__ import annotations

import importlib
import json

import numpy as np
import pytest
import scipy.sparse as sp

import gristmill as gm
from benchmarks import conll, load_and_classify, load_models, machines, measure, paper_tables, score_conll
from benchmarks.machines import Task
from gristmill.scoring.engines import ENGINES

LOOKS = {
    *("paper_tables", "load_and_classify", "load_models", "score_conll", "many_outputs", "analyser_tables"),
    *("chunking", "word_segmentation", "parsing_engines", "parsing_peers", "svm_baselines", "beside_peers"),
    *("nearest", "nearest_trees"),
}
TINY = paper_tables.Sizes(120, 40)


def decisions(rows, seed):
    """Two features that agree, or not, and others; every row is another."""
    rng = np.random.default_rng(seed)
    table = (rng.random((rows, 25)) < 0.3).astype(float)
    return sp.csr_matrix(table), np.where((table[:, 0] == table[:, 1]) ^ (rng.random(rows) < 0.05), 1, -1)


def load():
    return decisions(200, 0), decisions(80, 1)


TASKS = (Task("BaseNP", 2, load, 0.005), Task("links", 3, load, 0.0005))


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path / "data")
    monkeypatch.setattr(conll, "load", load)
    for benchmark in (paper_tables, load_and_classify):
        monkeypatch.setattr(benchmark, "TASKS", TASKS)
    machines.trained.cache_clear()
    yield lambda name: json.loads((tmp_path / "data" / f"{name}.json").read_text())
    machines.trained.cache_clear()


@pytest.mark.parametrize("name", sorted(LOOKS))
def test_a_look_can_be_had(name):
    assert callable(importlib.import_module(f"benchmarks.{name}").quick)


def test_the_sweeps_of_the_paper_are_told(results):
    """All sigmas for each task, all xi for those of degree 3, and what the machines are."""
    paper_tables.main(TINY, 1)
    found = results("paper_tables")
    lines = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    sigmas = ["0.01", "0.005", "0.001", "0.0005", "0"]
    for title in ("BaseNP, d=2", "links, d=3"):
        own = [line for line in lines if line["task"] == title]
        assert [line["engine"] for line in own[:2]] == ["direct", "inverted"]
        assert [line["sigma"] for line in own[2:7]] == sigmas
        kept = [int(line["conjunctions"].replace(",", "")) for line in own[2:6]]
        assert kept == sorted(kept)
        assert all(float(line["looked up"]) > 0 for line in own[2:6])
        assert {line["unlike exact, %"] for line in own if line["sigma"] in ("", "0")} == {"0.00"}
    pruned, tasks = found["more"]
    assert [row[:3] for row in pruned["rows"]] == [["links, d=3", "0.0005", xi] for xi in (1, 2, 3)]
    assert [row[0] for row in tasks["rows"]] == ["BaseNP, d=2", "links, d=3"]


def test_loading_and_classifying_are_both_told(results):
    load_and_classify.main(120, 40, 1)
    found = results("load_and_classify")
    assert {"load, ms", "compile, ms", "us an example", "start", "speed-up"} <= set(found["columns"])
    assert [row[1] for row in found["rows"]] == [*load_and_classify.ENGINES] * 2
    (lines,) = found["more"]
    common = [int(row[2]) for row in lines["rows"][: len(load_and_classify.SHARES)]]
    assert common[0] == 25
    assert common == sorted(common, reverse=True)


@pytest.mark.parametrize("degree", [2, 3])
def test_scores_are_compared_with_libsvm_s(results, degree):
    machine = gm.KernelSVC(degree=degree, C=0.1).fit(*load()[0]).machine_
    lines = score_conll.differences_from_libsvm(machine, 100)
    assert [engine.split(":")[0] for engine, *_ in lines] == list(ENGINES)
    assert {largest for engine, largest, _ in lines if engine == "direct"} == {"0.0e+00"}
    assert all(float(quotient) < 1e-12 for *_, quotient in lines)


@pytest.mark.slow  # starts programs again and again
def test_decisions_are_timed_beside_libsvm(results):
    score_conll.main(score_conll.Sizes(60, 20, 100), 1)
    found = results("score_conll")
    assert {row[2] for row in found["rows"]} >= {"scikit-learn SVC.predict", "gristmill inverted"}
    (differences,) = found["more"]
    assert [row[:2] for row in differences["rows"]] == [[degree, "100"] for degree in (2, 3) for _ in ENGINES]


def test_models_are_loaded_beside_libsvm(results):
    load_models.main(50, 1)
    assert ["LIBSVM", "gristmill"] in [row[:2] for row in results("load_models")["rows"]]
