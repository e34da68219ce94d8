"""Claim: sampled planes find the same C as exact machines do (Severyn and Moschitti 2010, Figures 4 and 5).

F1 and seconds against C, for boundaries of semantic roles (100,000 examples) and for two classes of questions, each
against the others. The paper's point is that samples are the faster way to choose C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.boundaries import (
    EXACT,
    ROUNDS,
    Learned,
    Side,
    Task,
    boundaries,
    importance,
    questions,
    rank_correlation,
    train,
    uniform,
)
from benchmarks.measure import Table, record
from gristmill.display.charts import Plot

EXAMPLES = 100_000
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
SAMPLE = 1_000
CLASSES = ("DESC", "NUM")
WANTED = 0.9

Swept = Mapping[str, Mapping[float, Learned]]  # by side and C


def main(
    n: int = EXAMPLES,
    costs: Sequence[float] = COSTS,
    sample: int = SAMPLE,
    n_questions: int | None = None,
) -> None:
    sides = (EXACT, uniform(sample), importance(sample))
    tasks: dict[str, Task] = {"boundaries": boundaries(n)}
    tasks |= {kind: questions(kind, n_questions) for kind in CLASSES}
    found = {name: swept(task, sides, costs) for name, task in tasks.items()}
    record(
        "boundary_costs",
        "Choosing C by sampled cutting planes",
        ["task", "test", "training", *(f"F1, C = {C:g}" for C in costs), "best C", "rank correlation"],
        [row for name, task in tasks.items() for row in _rows(name, task, found[name])],
        [
            f"{len(tasks['boundaries']):,} candidates of WSJ 02-21, tags as leaves, form *path*, judged on sections "
            f"23 and 24; {len(tasks[CLASSES[0]]):,} questions, judged on {len(tasks[CLASSES[0]].tests['test'][1])}. "
            f"Normalised subset tree kernel, decay 0.4, tolerance 1e-3; samples at most {ROUNDS} rounds.",
            f"*rank correlation* (Spearman) of F1 over C, with exact planes; wanted: above {WANTED:g}.",
            "Seconds of one thread, each training once.",
        ],
        {
            f"{name}, {side}, C={C:g}": {"seconds": each.seconds, "F1": each.f1, "rounds": each.rounds}
            for name, by_side in found.items()
            for side, by_cost in by_side.items()
            for C, each in by_cost.items()
        },
        more=[_seconds_table(found, costs)],
        plots=_plots(tasks, found),
    )


def quick() -> None:
    """A look in a minute or so."""
    main(1_000, (0.1, 1.0, 10.0), 100, 300)


def swept(task: Task, sides: Sequence[Side], costs: Sequence[float]) -> Swept:
    return {side.name: {C: train(task, side, C) for C in costs} for side in sides}


def _rows(name: str, task: Task, found: Swept) -> list[list[Any]]:
    rows = []
    for place, test in enumerate(task.tests):
        exact = [each.f1[place] for each in found["exact"].values()]
        for side, by_cost in found.items():
            scores = {C: each.f1[place] for C, each in by_cost.items()}
            best = max(scores, key=lambda C: scores[C])
            alike = "" if side == "exact" else f"{rank_correlation(exact, list(scores.values())):.2f}"
            rows.append([name, test, side, *(f"{score:.2f}" for score in scores.values()), f"{best:g}", alike])
    return rows


def _seconds_table(found: Mapping[str, Swept], costs: Sequence[float]) -> Table:
    rows = [
        [name, side, *(f"{each.seconds:.2f}" for each in by_cost.values()), *_rounds(by_cost)]
        for name, by_side in found.items()
        for side, by_cost in by_side.items()
    ]
    columns = ["task", "training", *(f"C = {C:g}" for C in costs), *(f"rounds, C = {C:g}" for C in costs)]
    return Table("CPU seconds, and rounds (* ended by their limit)", columns, rows)


def _rounds(by_cost: Mapping[float, Learned]) -> list[str]:
    return [f"{each.rounds}{'' if each.ended else '*'}" for each in by_cost.values()]


def _plots(tasks: Mapping[str, Task], found: Mapping[str, Swept]) -> list[Plot]:
    plots = [
        Plot(
            *(name.lower(), f"Figure {4 if name == 'boundaries' else 5}: {name}", "C", "F1, %"),
            {side: [(C, each.f1[0]) for C, each in by_cost.items()] for side, by_cost in found[name].items()},
            log_x=True,
        )
        for name in tasks
    ]
    seconds = {side: [(C, each.seconds) for C, each in by.items()] for side, by in found["boundaries"].items()}
    return [*plots, Plot("seconds", "Figure 4: training", "C", "CPU seconds", seconds, log_x=True, log_y=True)]
