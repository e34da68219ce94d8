"""The benchmark of nearest trees on a few of them."""

from __future__ import annotations

import itertools
import json

import pytest

import gristmill as gm
from benchmarks import __main__ as benchmarks_main
from benchmarks import measure, nearest_trees


def trees(name, n, form):
    words = itertools.product(["dog", "cat", "sun", "sea"], repeat=4)
    made = [f"(S (NP (D {a}) (N {b})) (VP (V {c}) (NP {d})))" for a, b, c, d in words]
    return gm.Forest.from_strings(made[:n]), None


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    monkeypatch.setattr(nearest_trees, "boundary_examples", trees)
    monkeypatch.setattr(nearest_trees, "BEYOND", 40)
    return lambda: json.loads((tmp_path / "nearest_trees.json").read_text())


def test_a_page_has_a_line_for_each_case(results):
    assert "nearest_trees" in benchmarks_main.CLAIMS
    nearest_trees.main({("WSJ, path", "SST"): (60, 200), ("WSJ, path", "PTK"): (60,)}, 8)
    assert [row[:3] for row in results()["rows"]] == [
        ["WSJ, path", "SST", "60"],
        ["WSJ, path", "SST", "200"],
        ["WSJ, path", "PTK", "60"],
    ]
    assert "Wanted: 0.2 s" in results()["notes"][-1]


def test_answers_that_differ_are_seen():
    forest, _ = trees("", 100, "path")
    by = gm.Normalized(gm.SubsetTreeKernel(decay=0.4))
    index = gm.NearestIndex(forest, by)
    with pytest.raises(AssertionError):
        nearest_trees.check(index, by.rows(forest[50:]), forest[:3])
