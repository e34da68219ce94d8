"""The comparison of engines, for every kind of examples."""

from __future__ import annotations

import numpy as np
import pytest

import gristmill as gm
from gristmill.evaluation.engines import compare, spread

TREES = ["(S (NP dogs) (VP bark))", "(S (NP cats) (VP sleep))", "(S (NP cats) (VP bark))"]


def machine_on(support, kernel):
    return gm.Machine(kernel, support, [1.0, -1.0, 0.5], -0.25, classes=["no", "yes"])


def test_engines_for_rows_are_those_that_are_registered():
    machine = machine_on(gm.ids([[0, 1], [1, 2], [0, 2]]), gm.PolynomialKernel(2))
    found = compare([machine], machine.support, rounds=1)
    assert [line.name for line in found.lines] == ["direct", "inverted", "bits", "expanded", "split", "auto"]
    assert all(line.labels_equal for line in found.lines)


@pytest.mark.parametrize("kernel", ["sst", gm.SubsetTreeKernel() + gm.PartialTreeKernel()])
def test_engines_for_trees_are_those_that_are_registered(kernel):
    found = compare([machine_on(TREES, kernel)], TREES, rounds=1)
    lines = {line.name: line for line in found.lines}
    assert list(lines) == ["direct", "forest", "converted", "auto"]
    assert "needs support trees of a ConvertedForest" in lines["converted"].refused
    assert lines["auto"].engine == "forest"
    assert all(line.labels_equal for line in found.lines if line.refused is None)
    assert {line.threads for line in found.threads} >= {1}


def test_only_the_engines_that_were_named_are_compared_with_direct():
    found = compare([machine_on(TREES, "sst")], TREES, engines=["forest"], rounds=1)
    assert [line.name for line in found.lines] == ["direct", "forest"]


def test_trees_and_vectors_are_compared_together():
    examples = gm.Examples(trees=gm.Forest.from_strings(TREES), vectors=np.eye(3))
    kernel = gm.SubsetTreeKernel().on("trees") + gm.PolynomialKernel(2).on("vectors")
    found = compare([machine_on(examples, kernel)], examples, rounds=1)
    assert found.rows == 3
    assert [line.name for line in found.lines] == ["direct", "forest", "auto"]


def test_some_examples_are_spread_evenly():
    assert list(spread(gm.Forest.from_strings(TREES), 2)) == [TREES[0], TREES[2]]
