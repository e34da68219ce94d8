"""Tree kernels by their definition: pairs of nodes looked up by label or not, productions compared by number or not."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks.measure import Table, in_turn
from benchmarks.relations import FAMILIES, Relations, marked_kernel
from gristmill import _core
from gristmill.kernels import TreeKernel

SAMPLE, ROUNDS = 400, 3


def searches_table(data: Relations) -> Table:
    """Pair by pair by the definition, with and without what saves looking (section 4.4 and footnote 1)."""
    some = data.trees[np.linspace(0, len(data.trees) - 1, min(len(data.trees), SAMPLE)).astype(int)]
    rows = []
    for name in FAMILIES:
        plain, by_label, by_number = _seconds_of_searches(marked_kernel(name), some)
        times = (f"{1e6 * seconds / len(some) ** 2:.2f}" for seconds in (plain, by_label, by_number))
        ratios = f"{plain / by_label:.1f}", f"{by_label / by_number:.2f}"
        rows.append([name, f"{some.sizes()[0].mean():.0f}", *times, *ratios])
    columns = ["kernel", "nodes", "all pairs of nodes, us", "equal labels, us", "and numbered productions, us"]
    return Table(
        "Pairs of nodes by the definition", [*columns, "lookup, times as fast", "numbers, times as fast"], rows
    )


def _seconds_of_searches(kernel: TreeKernel, forest: gm.Forest) -> list[float]:
    """All pairs of nodes; those with equal labels; the same, productions compared by number. Equal answers."""
    searches = {
        "plain": {"lookup": False, "production_ids": False},
        "by label": {"production_ids": False},
        "by number": {},
    }
    indexed, found = forest.indexed(), {name: np.empty((len(forest), len(forest))) for name in searches}
    sides = {
        name: partial(
            _core.tree_direct, kernel._native, indexed, forest._store, forest._roots, found[name], 1, None, **search
        )
        for name, search in searches.items()
    }
    timings = in_turn({name: partial(_seconds_of, side) for name, side in sides.items()}, ROUNDS)
    assert all(np.array_equal(gram, found["by number"]) for gram in found.values())
    return [timings[name].median for name in searches]


def _seconds_of(call: Callable[[], Any]) -> float:
    """Of this process."""
    begin = time.process_time()
    call()
    return time.process_time() - begin
