"""The operator beside rows, and unseen trees, on a handful of trees: all is compared, timed and told."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import measure, operators, tree_operator, unseen_trees
from benchmarks.operators import Problem

TREES = gm.Forest.from_strings(
    [
        f"(S {subject} (VP (V*1 saw) {thing}))"
        for subject, thing in itertools.product(
            ["(NP (N dogs))", "(NP (D the) (N*2 dog))", "(NP*2 (N cats))"],
            ["(NP (N trees))", "(NP (A red) (N*2 trees))"],
        )
    ]
    * 5,
    marks=True,
)


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Small sizes, no SVM-light-TK, and a folder for what is recorded."""
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    for name, value in {"SUPPORT": 7, "SAMPLE": 9, "BLOCK": 4, "ROUNDS": 2}.items():
        monkeypatch.setattr(operators, name, value)
    for module in (tree_operator, unseen_trees):
        monkeypatch.setattr(module, "ROUNDS", 2)
        monkeypatch.setattr(module, "find_peer", lambda: None)
    tree_operator.measured.cache_clear()
    yield tmp_path
    tree_operator.measured.cache_clear()


def test_margins_are_compared_and_timed(results, monkeypatch):
    sizes = {"WSJ, path": (10, 20), "EWT, minimal": (30,)}
    monkeypatch.setattr(tree_operator, "examples", lambda data, n: TREES[:n])
    tree_operator.main(tree_operator.Sizes(sizes, sizes, {"WSJ, path": (20,)}, ("WSJ, path", 20), (3,)))
    result = json.loads((results / "tree_operator.json").read_text(encoding="utf-8"))
    assert [row[:4] for row in result["rows"]] == [
        ["WSJ, path", "10", f"{TREES[:10].n_subtrees}", "6"],
        ["WSJ, path", "20", f"{TREES[:20].n_subtrees}", "6"],
        ["EWT, minimal", "30", f"{TREES.n_subtrees}", "6"],
    ]
    assert [len(table["rows"]) for table in result["more"]] == [1, 1, 3 * len(tree_operator.KERNELS), 1]
    assert {tuple(x for x, _ in points) for plot in result["plots"] for points in plot["series"].values()} == {(10, 20)}


def test_what_compiles_for_too_long_is_told(results, monkeypatch):
    def refuse(*_, **__):
        raise operators.TooSlow("over 0 s")

    problem = Problem(gm.PartialTreeKernel(), TREES)
    monkeypatch.setattr(Problem, "compiled", refuse)
    outcome = operators.measure("some", "PTK", problem)
    assert (outcome.reason, set(outcome.timings)) == ("over 0 s", {"rows"})
    assert np.isnan(outcome.seconds("apply"))


def test_wrong_margins_are_not_timed(results):
    problem = Problem(gm.SubsetTreeKernel(), TREES)
    wrong = problem.kernel(TREES) + 0.01
    with pytest.raises(AssertionError):
        problem.compare(wrong)
    problem.compare(problem.kernel(TREES))


def test_memory_grows_by_what_a_call_takes():
    growth, found = operators.peak_growth(lambda: float(np.ones(8 << 20).sum()))
    assert found == 8 << 20
    assert 60e6 < growth < 80e6


def test_unseen_trees_are_scored_in_a_batch_and_one_by_one(results, monkeypatch):
    parts = {"train": TREES[:20], "dev": TREES[20:]}
    monkeypatch.setattr(unseen_trees, "DATA", {"tiny": ("train", "dev")})
    monkeypatch.setattr(unseen_trees, "boundary_examples", lambda name, n, marks: (parts[name], None))
    unseen_trees.main()
    result = json.loads((results / "unseen_trees.json").read_text(encoding="utf-8"))
    assert [row[:3] for row in result["rows"]] == [["tiny", name, "100"] for name in unseen_trees.KERNELS]


def test_they_are_claims():
    assert {"tree_operator", "unseen_trees"} <= set(benchmarks_main.CLAIMS)
