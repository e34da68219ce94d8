"""Claim: one application of the compiled operator gives all margins, 1,000 times as fast as rows of the kernel do.

The examples are candidates of semantic role labelling, with marks (`benchmarks/srl.py`); 10,000 of them, chosen at
random, are support trees with random weights. *By rows*, the kernels of every example with the support trees are
computed and multiplied by the weights: timed for forty times 25 neighbours, after comparing, and scaled to all.
SVM-light-TK's svm_classify scores 200 examples with the same support trees; its CPU seconds, files not counted, are
scaled likewise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks.measure import Table, Timing, in_turn, record, seconds_of
from benchmarks.operators import (
    MAX_BYTES,
    PATIENCE,
    QUERIES,
    ROUNDS,
    SUPPORT,
    Outcome,
    Problem,
    find_peer,
    measure,
    seconds_by_peer,
)
from benchmarks.srl import Form, boundary_examples
from benchmarks.trees import QC, trees_of
from gristmill.display.charts import Plot
from gristmill.kernels import Kernel

DATA: dict[str, tuple[str, Form]] = {
    "WSJ, path": ("wsj_delex.train_02-21", "path"),
    "EWT, path": ("ewt.train", "path"),
    "EWT, minimal": ("ewt.train", "minimal"),
}
KERNELS: dict[str, Kernel] = {
    "SST": gm.SubsetTreeKernel(decay=0.4),
    "SST, normalised": gm.Normalized(gm.SubsetTreeKernel(decay=0.4)),
    "K_c^r": gm.ProductionTreeKernel(marked=True),
    "PTK": gm.PartialTreeKernel(),
    "K_lo^r": gm.OrderedTreeKernel(marked=True),
}
ALL = 10**9  # more examples than there are
SIDES, CHANGED = (1, 4, 8), (1, 100, 10_000, ALL)
PLOTTED = "WSJ, path"
COLUMNS = [
    *("examples", "n", "subtrees", "different trees", "compile, s", "operator, MB", "peak, MB", "apply, ms"),
    *("2 threads, ms", "by rows, s", "beside rows", "SVM-light-TK, s", "beside it"),
]


BySet = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Sizes:
    """Numbers of examples."""

    examples: BySet
    growing: BySet  # for the other kernels
    few: BySet  # for several right-hand sides
    start: tuple[str, int]  # those that others are appended to
    appended: tuple[int, ...]


FULL = Sizes(
    {"WSJ, path": (100_000, 1_000_000, ALL), "EWT, path": (100_000, ALL), "EWT, minimal": (100_000, ALL)},
    {
        "WSJ, path": (1_000, 10_000, 100_000, 1_000_000),
        "EWT, minimal": (1_000, 10_000, 100_000),
        "questions": (1_000, 5_000),
    },
    {"WSJ, path": (100_000, 1_000_000)},
    ("WSJ, path", 100_000),
    (100, 1_000, 10_000),
)
QUICK = Sizes(
    {"EWT, path": (2_000,)},
    {"EWT, path": (500, 2_000), "questions": (200,)},
    {"EWT, path": (2_000,)},
    ("EWT, path", 1_000),
    (100,),
)


def main(sizes: Sizes = FULL) -> None:
    found = [measured(data, "SST", n) for data, some in sizes.examples.items() for n in some]
    peers = {data: _peer(data, some[0]) for data, some in sizes.examples.items()}
    grown = [measured(data, kernel, n) for data, some in sizes.growing.items() for n in some for kernel in KERNELS]
    raw: dict[str, Any] = {f"{each.data}, {each.kernel}, {each.n}": each.timings for each in (*found, *grown)}
    raw |= {f"{data}, SVM-light-TK, an evaluation": timing for data, timing in peers.items()}
    more = [_sides(raw, sizes.few), _changed(raw, sizes.few), _growing(grown), _appending(raw, sizes)]
    record(
        "tree_operator",
        "All margins of the subset tree kernel by a compiled operator, 10,000 support trees",
        COLUMNS,
        [_line(outcome, peers[outcome.data]) for outcome in found],
        [
            f"Medians of {ROUNDS} rounds, all sides in turn, one thread unless two are named. *peak*: by how much the "
            "memory of the process grew at most while the operator was compiled.",
            __doc__.partition("\n\n")[2].replace("\n", " ").strip(),
            "WSJ has no words, EWT has. *path* keeps the branches to predicate and candidate, *minimal* all between.",
            "*ahead after*: so many applications pay for compiling; where it is empty, rows win. Compiling was given "
            f"up after {PATIENCE:.0f} s and at {MAX_BYTES >> 30} GB.",
        ],
        raw,
        more=more,
        plots=[_plot("compile", [*found, *grown], by_rows=False), _plot("apply", [*found, *grown], by_rows=True)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK)


@lru_cache(maxsize=2)
def examples(data: str, n: int) -> gm.Forest:
    if data == "questions":
        return gm.Forest.from_strings((tree.replace("(NP ", "(NP*1 ", 1) for tree in trees_of(QC)[:n]), marks=True)
    return boundary_examples(DATA[data][0], n, DATA[data][1], marks=True)[0]


@lru_cache
def measured(data: str, kernel: str, n: int) -> Outcome:
    return measure(data, kernel, Problem(KERNELS[kernel], examples(data, n)))


def _peer(data: str, n: int) -> Timing | None:
    """Seconds an evaluation takes SVM-light-TK, where it is."""
    program = find_peer()
    if program is None:
        return None
    problem = Problem(KERNELS["SST"], examples(data, n))
    some = problem.forest[problem.sample[:QUERIES]]
    clock = partial(seconds_by_peer, program, problem.kernel, problem.forest[problem.support], some)
    return in_turn({"peer": clock}, 3)["peer"]


def _line(outcome: Outcome, evaluation: Timing | None) -> list[Any]:
    apply, rows = outcome.seconds("apply"), outcome.seconds("rows")
    peer = math.nan if evaluation is None else evaluation.median * min(SUPPORT, outcome.n) * outcome.n
    return [
        *(outcome.data, *(f"{count:,}" for count in (outcome.n, outcome.subtrees, outcome.trees))),
        _number(outcome.seconds("compile"), ".2f"),
        *(f"{size / 1e6:.0f}" for size in (outcome.nbytes, outcome.growth)),
        *(_number(1e3 * seconds, ".1f") for seconds in (apply, outcome.seconds("apply, 2 threads"))),
        *(_number(rows, ".1f"), _number(rows / apply, ",.0f", "x")),
        *(_number(peer, ",.0f"), _number(peer / apply, ",.0f", "x")),
    ]


def _sides(raw: dict[str, Any], few: BySet) -> Table:
    """Several right-hand sides at once."""
    rows = []
    for data, n in ((data, n) for data, sizes in few.items() for n in sizes):
        problem = Problem(KERNELS["SST"], examples(data, n))
        operator = problem.compiled()
        clocks = {}
        for sides in SIDES:
            problem.compare(operator, sides)
            weights = problem.spread(problem.weights(sides))
            clocks[str(sides)] = partial(seconds_of, partial(operator.__matmul__, weights))
        raw[f"{data}, right-hand sides, {n}"] = timings = in_turn(clocks, ROUNDS)
        seconds = [timing.median for timing in timings.values()]
        ratios = [f"{other / seconds[0]:.1f}x" for other in seconds[1:]]
        rows.append([data, f"{len(problem.forest):,}", *(f"{1e3 * each:.1f}" for each in seconds), *ratios])
    columns = ["examples", "n", *(f"{sides}, ms" for sides in SIDES), *(f"{sides} beside 1" for sides in SIDES[1:])]
    return Table("SST, several right-hand sides in one application", columns, rows)


def _changed(raw: dict[str, Any], few: BySet) -> Table:
    """Weights of few trees, as when a solver changes some and adds up what that changes."""
    rows = []
    for data, n in ((data, n) for data, sizes in few.items() for n in sizes):
        problem = Problem(KERNELS["SST"], examples(data, n))
        operator = problem.compiled()
        weights = np.random.default_rng(4).normal(size=len(problem.forest))
        order = np.random.default_rng(5).permutation(len(weights))
        clocks = {}
        for count in CHANGED:
            some = np.zeros(len(weights))
            some[order[:count]] = weights[order[:count]]
            clocks[str(count)] = partial(seconds_of, partial(operator.__matmul__, some))
        raw[f"{data}, weights changed, {n}"] = timings = in_turn(clocks, ROUNDS)
        rows.append([data, f"{len(weights):,}", *(f"{1e3 * timing.median:.1f}" for timing in timings.values())])
    columns = ["examples", "n", *(f"{count:,}, ms" for count in CHANGED[:-1]), "all, ms"]
    return Table("SST, so many weights that are not 0", columns, rows)


def _growing(outcomes: list[Outcome]) -> Table:
    """Where rows win."""
    rows = []
    for outcome in outcomes:
        compile_, apply, by_rows = (outcome.seconds(what) for what in ("compile", "apply", "rows"))
        rows.append(
            [
                *(outcome.data, outcome.kernel, f"{outcome.n:,}", f"{outcome.subtrees:,}"),
                outcome.reason or _number(compile_, ".3f"),
                f"{outcome.nbytes / 1e6:.1f}" if outcome.nbytes else "",
                *(_number(1e3 * apply, ".2f"), _number(1e3 * by_rows, ",.1f"), _number(by_rows / apply, ",.1f", "x")),
                _number(math.ceil(compile_ / (by_rows - apply)), ",") if by_rows > apply else "",
                outcome.chosen,
            ]
        )
    columns = ["examples", "kernel", "n", "subtrees", "compile, s", "operator, MB", "apply, ms", "by rows, ms"]
    columns += ["beside rows", "ahead after", "auto"]
    return Table("Other kernels, more and more examples, up to 10,000 of them support trees", columns, rows)


def _appending(raw: dict[str, Any], sizes: Sizes) -> Table:
    """Trees appended to an operator, beside compiling for all."""
    rows = []
    data, n = sizes.start
    for more in sizes.appended:
        problem = Problem(KERNELS["SST"], examples(data, n + more))
        problem.compare(_extended(problem, n)[1])
        raw[f"{data}, appended, {more}"] = timings = in_turn(_extending_clocks(problem, n), ROUNDS)
        extend, anew = timings["extend"].median, timings["compile"].median
        rows.append([data, f"{n:,}", f"{more:,}", f"{1e3 * extend:.1f}", f"{1e3 * anew:.1f}", f"{anew / extend:.1f}x"])
    columns = ["examples", "n", "appended", "extend, ms", "compile all, ms", "beside it"]
    return Table("SST, trees appended to an operator", columns, rows)


def _extending_clocks(problem: Problem, n: int) -> dict[str, Callable[[], float]]:
    return {"extend": lambda: _extended(problem, n)[0], "compile": partial(seconds_of, problem.compiled)}


def _extended(problem: Problem, n: int) -> tuple[float, Any]:
    """Seconds that it takes an operator for the first n trees to take the others in, and the operator."""
    operator = Problem(problem.kernel, problem.forest[:n]).compiled()
    return seconds_of(partial(operator.extend, problem.forest[n:])), operator


def _plot(what: str, outcomes: list[Outcome], *, by_rows: bool) -> Plot:
    series = {kernel: _points(what, kernel, outcomes) for kernel in KERNELS}
    if by_rows:
        series |= {f"{kernel} by rows": _points("rows", kernel, outcomes) for kernel in ("SST", "PTK")}
    series = {name: points for name, points in series.items() if points}
    return Plot(what, f"{PLOTTED}: {what}", "examples", "seconds", series, log_x=True, log_y=True)


def _points(what: str, kernel: str, outcomes: list[Outcome]) -> list[tuple[float, float]]:
    some = [each for each in outcomes if (each.data, each.kernel) == (PLOTTED, kernel) and what in each.timings]
    return sorted({float(each.n): each.seconds(what) for each in some}.items())


def _number(value: float, form: str, unit: str = "") -> str:
    return "" if math.isnan(value) else f"{value:{form}}{unit}"


if __name__ == "__main__":
    main()
