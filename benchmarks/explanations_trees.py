"""Questions explained: by the nodes of their trees, and by the heaviest fragments of the machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks.measure import Timing, alternate
from benchmarks.question_classes import COARSE, Questions, read
from gristmill.explanations import fragments_of
from gristmill.explanations.tree_nodes import TreeExplainer

SCORES, ROOTED, SHARED, FRAGMENTS = "scores", "rooted", "shared", "fragments"
KERNEL = gm.SubsetTreeKernel(decay=0.4)
TRAIN, TOP = 3_000, 50
NODES, FEW = 20, 60  # of the trees of a machine that is listed as a whole, and their number


@dataclass(frozen=True)
class TreeCost:
    """Timings of all sides on one machine, and a smaller machine that was listed as a whole."""

    machine: Any
    trees: int
    timings: dict[str, Timing]
    support: int  # of the smaller machine
    listed: int  # all its fragments
    rest: float  # the largest |score| that these leave unexplained, beside the largest score

    def over(self, side: str) -> float:
        return self.timings[side].median / self.timings[SCORES].median

    def microseconds(self, side: str) -> float:
        return 1e6 * self.timings[side].median / self.trees


def weigh(rounds: int, n: int = TRAIN) -> TreeCost:
    """Nodes add up to the scores, then all sides take turns."""
    data = read("constituents", COARSE, n)
    machine = gm.KernelSVC(gm.Normalized(KERNEL), C=10.0, multiclass="ovr").fit(data.X, data.y).machine_
    sides = _sides(machine, data.X_test)
    scores = sides[SCORES]()
    for side in (ROOTED, SHARED):
        totals = np.array([found.total() for found in sides[side]()])
        assert np.all(np.abs(totals - scores) <= 1e-9 * _largest(machine))
    return TreeCost(machine, len(data.X_test), alternate(sides, rounds), *_listed(data))


def _sides(machine: Any, trees: gm.Forest) -> dict[str, Callable[[], Any]]:
    explainer = TreeExplainer(machine)
    return {
        SCORES: partial(machine.compile("forest").decision_function, trees),
        ROOTED: partial(explainer.explain, trees, shares="rooted"),
        SHARED: partial(explainer.explain, trees),
        FRAGMENTS: partial(fragments_of, machine, top=TOP),
    }


def _largest(machine: Any) -> float:
    """|b| + sum |a_i|, the largest score of a normalised kernel."""
    return float((np.abs(machine.intercept) + np.abs(machine.dense_coef()).sum(axis=0)).max())


def _listed(data: Questions) -> tuple[int, int, float]:
    """All fragments of a machine of short questions; AssertionError where they leave anything of a score."""
    short = np.flatnonzero(data.X.sizes()[0] <= NODES)[:FEW]
    machine = gm.KernelSVC(KERNEL, C=10.0, multiclass="ovr").fit(data.X[short], data.y[short]).machine_
    fragments = fragments_of(machine, sigma=0.0)
    carried = fragments.carried(data.X_test)
    rest = float(np.abs(carried.rest).max() / np.abs(carried.whole).max())
    assert rest <= 1e-9
    return machine.n_support, len(fragments), rest
