"""Claim: looking nodes up by label, and productions by number, saves work; D = R = 20 and support 2 are good limits.

What Kazama and Torisawa 2005 say beside their tables: the baseline of section 4.4, its footnote 1, and the limits of
conversion that Figure 5 does not vary. Seconds of one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks.measure import Table, in_turn, record
from benchmarks.node_relations import MEMORY, ROLE, timed, train
from benchmarks.relations import FAMILIES, WORDS, Relations, marked_kernel, relations
from gristmill import _core
from gristmill.kernels import TreeKernel

POSITIVES, SAMPLE, ROUNDS = 500, 150, 3
LIMITS: dict[str, dict[str, Any]] = {
    "D = R = 20, support 2": {},
    "R = 5": {"max_embeddings": 5},
    "R = 100": {"max_embeddings": 100},
    "support 3": {"min_support": 3},
    "support 5": {"min_support": 5},
}
COLUMNS = ["kernel", "nodes", "all pairs of nodes, us", "equal labels, us", "and numbered productions, us"]
COLUMNS += ["lookup, times as fast", "numbers, times as fast"]


def main(positives: int = POSITIVES, limits: Sequence[str] = tuple(LIMITS)) -> None:
    data = relations(WORDS, ROLE, positives)
    searches = {name: _seconds_of_searches(marked_kernel(name), _sample(data)) for name in FAMILIES}
    record(
        "node_pairs",
        "Node relations: pairs of nodes by the definition, and limits of conversion",
        COLUMNS,
        [_row(name, seconds, _sample(data)) for name, seconds in searches.items()],
        [
            f"Role {ROLE} of PropBank on EWT, whole sentences, words in lower case. Microseconds of a pair of trees, "
            f"medians of {ROUNDS} rounds of one thread, {len(_sample(data))} trees with each other; all give the same "
            "bits.",
            "*equal labels*: nodes are looked up by their label (section 4.4). *numbered productions*: productions are "
            "compared by their numbers, else label by label (footnote 1).",
            "*R*: embeddings of a fragment in a tree with it, on average. *support*: trees that share a fragment, at "
            "least. Pairs beyond a limit are malicious.",
        ],
        searches,
        more=[_limits_table(data, limits)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(100, ("D = R = 20, support 2", "support 3"))


def _sample(data: Relations) -> gm.Forest:
    n = len(data.trees)
    some: gm.Forest = data.trees[np.linspace(0, n - 1, min(n, SAMPLE)).astype(int)]
    return some


def _row(name: str, seconds: Sequence[float], forest: gm.Forest) -> list[Any]:
    plain, by_label, by_number = seconds
    times = (f"{1e6 * one / len(forest) ** 2:.2f}" for one in seconds)
    ratios = f"{plain / by_label:.1f}", f"{by_label / by_number:.2f}"
    return [name, f"{forest.sizes()[0].mean():.0f}", *times, *ratios]


def _limits_table(data: Relations, limits: Sequence[str]) -> Table:
    rows = []
    for name in FAMILIES:
        for title in limits:
            kernel = marked_kernel(name)
            make = partial(gm.ConvertedForest, data.trees, kernel, max_bytes=MEMORY, n_jobs=1, **LIMITS[title])
            forest, conversion = timed(make)
            stats, svm = forest.stats, train(kernel, forest, data, "auto").seconds
            figures = f"{100 * stats.malicious_rate:.3g}", f"{stats.features:,}", f"{stats.patterns:,}"
            rows.append([name, title, f"{conversion:.2f}", f"{svm:.2f}", *figures])
    columns = ["kernel", "limits", "conversion, s", "SVM, s", "malicious, %", "features", "compressed"]
    return Table(f"Limits of conversion ({data.positives:,} positives)", columns, rows)


def _seconds(call: Callable[[], Any]) -> float:
    return timed(call)[1]


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
    timings = in_turn({name: partial(_seconds, side) for name, side in sides.items()}, ROUNDS)
    assert all(np.array_equal(gram, found["by number"]) for gram in found.values())
    return [timings[name].median for name in searches]
