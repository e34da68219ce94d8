"""Claim: the trees most similar to one are found among a million by one product of the operator, in 0.2 s.

Trees are candidates of semantic role labelling (`benchmarks/srl.py`), the kernel is normalised. Queries are candidates
that follow those that are searched, chosen at random: asked one by one, or all in one call. *Trees of the data* are
queries that are among those that are searched, for which no operator is extended. Beside it all similarities are
computed as a row of the Gram matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks.chunking import cpu_seconds
from benchmarks.measure import record
from benchmarks.srl import Form, boundary_examples
from gristmill.kernels import Kernel, KernelRows

K, QUERIES, BEYOND, SEED = 10, 50, 10_000, 0
WANTED = 0.2  # seconds a query
DATA: dict[str, tuple[str, Form]] = {
    "WSJ, path": ("wsj_delex.train_02-21", "path"),
    "EWT, minimal": ("ewt.train", "minimal"),
}
KERNELS: dict[str, Kernel] = {
    "SST": gm.SubsetTreeKernel(decay=0.4),
    "PTK": gm.PartialTreeKernel(),
}
Cases = Mapping[tuple[str, str], tuple[int, ...]]
FULL: Cases = {
    ("WSJ, path", "SST"): (100_000, 1_000_000),
    ("EWT, minimal", "SST"): (100_000, 1_000_000),
    ("WSJ, path", "PTK"): (10_000, 100_000),
}
QUICK: Cases = {("WSJ, path", "SST"): (10_000,)}
COLUMNS = [
    *("trees", "kernel", "n", "operator, s", "MB", "ms a query", "slowest, ms"),
    *("many at once, ms", "trees of the data, ms", "Gram rows, s before", "Gram rows, ms a query"),
]


@dataclass(frozen=True)
class Outcome:
    """CPU seconds of one thread."""

    trees: str
    kernel: str
    n: int
    compile: float
    nbytes: int
    queries: list[float]
    together: float  # a query
    own: list[float]
    rows_before: float
    rows: list[float]

    def line(self) -> list[Any]:
        return [
            *(self.trees, self.kernel, f"{self.n:,}"),
            *(f"{self.compile:.2f}", f"{self.nbytes / 1e6:.0f}"),
            *(_ms(median(self.queries)), _ms(max(self.queries)), _ms(self.together), _ms(median(self.own))),
            *(f"{self.rows_before:.2f}", _ms(median(self.rows))),
        ]


def searched(trees: str, kernel: str, data: gm.Forest, queries: gm.Forest) -> Outcome:
    """One case: answers are compared before they are timed."""
    by = gm.Normalized(KERNELS[kernel])
    made: list[Any] = []
    compiling = cpu_seconds(lambda: made.append(gm.NearestIndex(data, by)))
    index: gm.NearestIndex = made[0]
    rows = by.rows(data)
    before = cpu_seconds(partial(rows.against, queries[:1]))
    check(index, rows, queries)
    own = np.random.default_rng(SEED).choice(len(data), len(queries), replace=False)
    one = [queries[at : at + 1] for at in range(len(queries))]
    ask: Callable[[gm.Forest], gm.Neighbours] = partial(index.query, k=K)
    return Outcome(
        *(trees, kernel, len(data), compiling, index.nbytes),
        [cpu_seconds(partial(ask, query)) for query in one],
        cpu_seconds(partial(ask, queries)) / len(queries),
        [cpu_seconds(partial(ask, data[at : at + 1])) for at in own.tolist()],
        before,
        [cpu_seconds(partial(_by_rows, rows, query)) for query in one],
    )


def check(index: gm.NearestIndex, rows: KernelRows, queries: gm.Forest) -> None:
    """AssertionError where neighbours are others than those of the Gram matrix, but for equally similar ones."""
    found = index.query(queries, k=K)
    for at, own in enumerate(found):
        values = rows.against(queries[at : at + 1])[0]
        best = np.sort(values)[::-1][:K]
        np.testing.assert_allclose([one.similarity for one in own], best, rtol=1e-9)
        np.testing.assert_allclose(values[[one.number for one in own]], best, rtol=1e-9)


def _by_rows(rows: KernelRows, query: gm.Forest) -> None:
    values = rows.against(query)[0]
    np.argpartition(-values, K)


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.1f}"


def main(cases: Cases = FULL, queries: int = QUERIES) -> None:
    """All cases; the page is written after each."""
    outcomes: list[Outcome] = []
    for (trees, kernel), sizes in cases.items():
        name, form = DATA[trees]
        forest, _ = boundary_examples(name, max(sizes) + BEYOND, form)
        chosen = np.random.default_rng(SEED).choice(np.arange(max(sizes), len(forest)), queries, replace=False)
        asked = forest.take(np.sort(chosen))
        for size in sizes:
            outcomes.append(searched(trees, kernel, forest[:size], asked))
            _write(outcomes, queries)


def _write(outcomes: list[Outcome], queries: int) -> None:
    notes = [
        f"CPU seconds of one thread. The {K} nearest of {queries} queries that are not among the trees, one by one; "
        "median, and the slowest. *Many at once*: the same queries in one call.",
        "Answers are asserted to be those of the Gram matrix's rows first, to a relative 1e-9.",
        "*Gram rows, s before*: until the first row is there; a query is then a row and the selection of its largest.",
        *_verdict(outcomes),
    ]
    record("nearest_trees", "Nearest trees among a million", COLUMNS, [one.line() for one in outcomes], notes, outcomes)


def _verdict(outcomes: list[Outcome]) -> list[str]:
    largest = max(one.n for one in outcomes)
    slowest = max(median(one.queries) for one in outcomes if one.n == largest)
    return [f"Among {largest:,} trees a query takes {slowest:.3f} s in the median, at most. Wanted: {WANTED:g} s."]


def quick() -> None:
    """A minute or so, for a look."""
    main(QUICK, 10)
