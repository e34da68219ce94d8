"""Claim: expansion is paid back: a machine that takes longer to load is ahead after some thousands of examples.

Goldberg and Elhadad 2008 saw expanded models load 80 times slower and classify 224 times faster than kernel machines.
Here a saved machine is loaded and compiled by each engine, and then classifies examples of the test part.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks.examples import sample
from benchmarks.machines import TASKS, TRAIN, Task, assert_exact, trained
from benchmarks.measure import Table, Timing, alternate, record
from gristmill.display.charts import Plot
from gristmill.machines.formats import read_machine
from gristmill.scoring.scorer import Scorer

CLASSIFIED, ROUNDS = 10_000, 5
SHARES = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)  # of the support vectors: features in fewer are rare
COLUMNS = [
    *("task", "engine", "load, ms", "compile, ms", "us an example", "MB", "start", "speed-up"),
    *("ahead of direct after", "ahead of inverted after"),
]
ENGINES: dict[str, dict[str, Any]] = {"direct": {}, "inverted": {}, "split": {"rare": 0.005}, "expanded": {}}


@dataclass(frozen=True)
class Cost:
    """Of an engine: seconds until it answers, seconds an example, and memory."""

    start: float
    each: float
    nbytes: int

    def after(self, examples: int) -> float:
        return self.start + examples * self.each


@dataclass(frozen=True)
class Line:
    """Between rare and common: the greatest number of common features, seconds an example, and memory."""

    common: int
    each: float
    nbytes: int


def main(train: int = TRAIN, classified: int = CLASSIFIED, rounds: int = ROUNDS) -> None:
    raw: dict[str, dict[str, Timing]] = {}
    rows: list[list[Any]] = []
    plots: list[Plot] = []
    lines: dict[Task, dict[float, Line]] = {}
    for task in TASKS:
        X, _ = sample(task.load()[1], classified)
        machine = trained(task, train)
        load, costs, raw[task.name] = _measure(machine, X, rounds)
        rows += [_row(task, engine, load, costs) for engine in costs]
        plots.append(_plot(task, costs))
        lines[task], raw[f"{task.name}, lines"] = _lines(machine, X, rounds)
    record(
        "load_and_classify",
        "Loading time against classification time",
        COLUMNS,
        rows,
        [
            f"Own format, one thread, medians of {rounds} rounds, all engines in turn; *compile* is loading and "
            "compiling, less loading. *Ahead* is in examples, from the medians, as are the plots.",
            "*start* and *speed-up* compare with the direct engine: time to load and compile, and time an example. "
            "Goldberg and Elhadad 2008 report 80x slower and 224x faster for expanded models.",
            "split: features in fewer than 0.5 % of the support vectors are rare, as in their paper; the second table "
            "has other lines, which change no score.",
            "Labels were equal, and scores within 1e-9 of |b| + sum |a_i| k(s_i, x), before anything was timed.",
        ],
        raw,
        more=[_line_table(lines)],
        plots=[*plots, _line_plot(lines)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(1_000, 500, 3)


def _measure(machine: gm.Machine, X: Any, rounds: int) -> tuple[float, dict[str, Cost], dict[str, Timing]]:
    scorers = {engine: machine.compile(engine, **options) for engine, options in ENGINES.items()}
    _check(scorers, X)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine.safetensors"
        machine.save(path)
        sides: dict[str, Callable[[], Any]] = {"load": partial(read_machine, path)}
        sides |= {f"{engine}: load and compile": partial(_start, path, engine) for engine in ENGINES}
        sides |= {f"{engine}: classify": partial(scorer.predict, X) for engine, scorer in scorers.items()}
        timings = alternate(sides, rounds)
    costs = {
        engine: Cost(
            timings[f"{engine}: load and compile"].median,
            timings[f"{engine}: classify"].median / X.shape[0],
            scorer.nbytes,
        )
        for engine, scorer in scorers.items()
    }
    return timings["load"].median, costs, timings


def _check(scorers: dict[str, Scorer], X: Any) -> None:
    scores, labels = scorers["direct"].decision_function(X), scorers["direct"].predict(X)
    for engine, scorer in scorers.items():
        assert np.array_equal(scorer.predict(X), labels), engine
        assert_exact(scorer, X, scores)


def _start(path: Path, engine: str) -> Scorer:
    machine: gm.Machine = read_machine(path)
    return machine.compile(engine, **ENGINES[engine])


def _row(task: Task, engine: str, load: float, costs: dict[str, Cost]) -> list[Any]:
    cost, direct = costs[engine], costs["direct"]
    return [
        f"{task.name}, d={task.degree}",
        engine,
        f"{1e3 * load:.1f}",
        f"{1e3 * max(cost.start - load, 0):.1f}",
        f"{1e6 * cost.each:.2f}",
        f"{cost.nbytes / 1e6:.1f}",
        f"{cost.start / direct.start:.1f}x",
        f"{direct.each / cost.each:.1f}x",
        _ahead(cost, direct),
        _ahead(cost, costs["inverted"]),
    ]


def _ahead(cost: Cost, other: Cost) -> str:
    """Examples after which one has taken less time than the other, starting included."""
    if cost is other or cost.each >= other.each:
        return ""
    return f"{max(ceil((cost.start - other.start) / (other.each - cost.each)), 0):,}"


def _plot(task: Task, costs: dict[str, Cost]) -> Plot:
    sizes = [10**power for power in range(7)]
    return Plot(
        task.name.lower(),
        f"{task.name}, degree {task.degree}: load, compile, then classify",
        "examples",
        "seconds",
        {engine: [(float(size), cost.after(size)) for size in sizes] for engine, cost in costs.items()},
        log_x=True,
        log_y=True,
    )


# --- the line between rare and common ---------------------------------------------------------------------------------


def _lines(machine: gm.Machine, X: Any, rounds: int) -> tuple[dict[float, Line], dict[str, Timing]]:
    """AssertionError where a line changes a score."""
    scorers = {share: machine.compile("split", rare=share) for share in SHARES}
    _check({"direct": machine.compile("direct")} | {str(share): scorer for share, scorer in scorers.items()}, X)
    timings = alternate({str(share): partial(scorer.predict, X) for share, scorer in scorers.items()}, rounds)
    return {
        share: Line(_common(scorer), timings[str(share)].median / X.shape[0], scorer.nbytes)
        for share, scorer in scorers.items()
    }, timings


def _common(scorer: Scorer) -> int:
    dense, common, _ = scorer.report().tiers or (0, 0, 0)
    return dense + common


def _line_table(lines: dict[Task, dict[float, Line]]) -> Table:
    rows = [
        [
            f"{task.name}, d={task.degree}",
            f"{100 * share:g}",
            f"{line.common:,}",
            f"{1e6 * line.each:.2f}",
            _megabytes(line),
        ]
        for task, found in lines.items()
        for share, line in found.items()
    ]
    columns = ["task", "rare below, %", "common features", "us an example", "MB"]
    return Table("The line between rare and common features", columns, rows)


def _megabytes(line: Line) -> str:
    return f"{line.nbytes / 1e6:.1f}"


def _line_plot(lines: dict[Task, dict[float, Line]]) -> Plot:
    return Plot(
        "lines",
        "Memory for time: more common features, or fewer",
        "MB",
        "us an example",
        {
            f"{task.name}, d={task.degree}": sorted((line.nbytes / 1e6, 1e6 * line.each) for line in found.values())
            for task, found in lines.items()
        },
        log_x=True,
        log_y=True,
    )


if __name__ == "__main__":
    main()
