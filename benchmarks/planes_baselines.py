"""Claim: exact cutting planes leave no reason for Nystrom's approximation or for Pegasos.

Boundaries of semantic roles, normalised subset tree kernel with decay 0.4, C = 1. All machines are judged by the same
objective over all examples and by F1 on two sections; see `benchmarks/approximations.py` for the shortcuts.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import gristmill as gm
from benchmarks.approximations import Weighted, nystrom, pegasos, pegasos_batches
from benchmarks.boundaries import EXACT, SMO, SST, Judge, Learned, Task, apart, boundaries, f1, train
from benchmarks.measure import record
from gristmill.display.charts import Plot

C = 1.0
COLUMNS = [
    *("examples", "machine", "CPU s", "beside exact", "objective above exact, %", "support trees", "F1, 23", "F1, 24"),
    *("rounds or steps", "MB"),
]
ROUNDING = 1e-3  # of the sum of all C: exact planes' own


@dataclass(frozen=True)
class Sizes:
    """Of everything."""

    examples: tuple[int, ...]
    landmarks: tuple[int, ...]
    epochs: tuple[float, ...]
    batch: int
    steps: tuple[int, ...]


FULL = Sizes((20_000, 100_000), (100, 300, 1_000), (1, 5), 1_000, (100, 1_000))
QUICK = Sizes((600,), (20, 50), (1,), 50, (20,))

Machines = Mapping[str, Learned]


def main(sizes: Sizes = FULL) -> None:
    whole = boundaries(max(sizes.examples))
    found = {n: _machines(whole.first(n), sizes) for n in sizes.examples}
    judges = {n: Judge(*_examples(whole, n)) for n in found}
    record(
        "planes_baselines",
        "Exact cutting planes beside Nystrom and Pegasos",
        COLUMNS,
        [_row(n, name, each, machines, judges[n]) for n, machines in found.items() for name, each in machines.items()],
        [
            "Candidates of WSJ 02-21, tags as leaves, form *path*, judged on sections 23 and 24; CPU seconds of one "
            "thread, each training once. *objective above exact*: |w|^2 / 2 + C (sum of hinge losses) over all "
            "examples, by the operator.",
            "*Nystrom*: so many random trees, LIBLINEAR with hinge loss on their features. *Pegasos*: epochs of one "
            f"example at a time by rows, or steps of {sizes.batch:,} by products with the operator, the mean of the "
            "last half of them. Equal trees are merged, and the last intercept is the best one, for all.",
        ],
        {f"{n}, {name}": each.seconds for n, machines in found.items() for name, each in machines.items()},
        plots=[_plot(n, machines, judges[n]) for n, machines in found.items()],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK)


def _examples(task: Task, n: int) -> tuple[gm.Forest, Any]:
    part = task.first(n)
    return part.X, part.y


def _machines(task: Task, sizes: Sizes) -> Machines:
    found = {"exact": train(task, EXACT, C), "smo": train(task, SMO, C)}
    shortcuts: dict[str, Callable[..., Weighted]] = {
        **{f"Nystrom, m = {m:,}": partial(nystrom, landmarks=m) for m in sizes.landmarks},
        **{f"Pegasos, {epochs:g} x n": partial(pegasos, epochs=epochs) for epochs in sizes.epochs},
        **{
            f"Pegasos, {steps:,} batches": partial(pegasos_batches, batch=sizes.batch, steps=steps)
            for steps in sizes.steps
        },
    }
    for name, shortcut in shortcuts.items():
        found[name] = each = apart(partial(_learned, task, shortcut))
        print(f"{len(task):,} {name}: {each.seconds:.2f} s, F1 {' '.join(each.f1_cells)}", flush=True)
    return found


def _learned(task: Task, shortcut: Callable[..., Weighted]) -> Learned:
    begin = time.process_time()
    found = shortcut(task.X, task.y, SST, C)
    seconds = time.process_time() - begin
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    machine = gm.Machine(SST, task.X[found.support], found.weights, found.intercept, classes=[-1, 1])
    scorer = machine.compile()
    scores = tuple(100 * f1(scorer.predict(trees, n_jobs=1), gold) for trees, gold in task.tests.values())
    return Learned(
        *(seconds, found.rounds, True, found.support, found.weights, found.intercept), float("nan"), peak, scores
    )


def _row(n: int, name: str, each: Learned, machines: Machines, judge: Judge) -> list[Any]:
    exact = machines["exact"]
    above = judge.mean_objective(each, C) - judge.mean_objective(exact, C)
    assert above >= -ROUNDING, (name, above)
    return [
        *(f"{n:,}", name, f"{each.seconds:.2f}", f"{each.seconds / exact.seconds:.1f}", judge.beyond(each, exact, C)),
        *(f"{len(each.support):,}", *each.f1_cells, f"{each.rounds:,}", f"{each.peak / 1e6:.0f}"),
    ]


def _plot(n: int, machines: Machines, judge: Judge) -> Plot:
    """Objectives against seconds, one line for each kind of machine."""
    series: dict[str, list[tuple[float, float]]] = {}
    for name, each in machines.items():
        kind = f"{name.partition(',')[0]}{' (batches)' if 'batches' in name else ''}"
        series.setdefault(kind, []).append((each.seconds, judge.mean_objective(each, C)))
    title = f"{n:,} examples: objective, C = {C:g}"
    return Plot(f"objective-{n}", title, "CPU seconds", "objective / n", series, log_x=True)
