"""Claim reported as it falls: with larger samples, sampled planes come near the exact machine (Figures 2 and 3).

Severyn and Moschitti 2010, sections 5.3 and 5.4: a million boundary examples, uniform samples of r of them, normalised
subset tree kernel with decay 0.4, C = 1, tolerance 1e-3. They found equal F1 at r = 5,000 in a tenth of the time of
SVM-light-TK, a point less at r = 2,500 in a fiftieth, and fewer support trees (41,714, not 61,881). Here the exact
machine is one of cutting planes as well. Their comparison with an exact solver that computes rows of the kernel is
repeated beside SMO, with as many examples as that takes in a minute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.boundaries import (
    EXACT,
    ROUNDS,
    SMO,
    TESTS,
    Judge,
    Learned,
    Side,
    Task,
    boundaries,
    importance,
    train,
    uniform,
)
from benchmarks.measure import Table, record
from gristmill.display.charts import Plot

EXAMPLES = 1_000_000
SAMPLES = (100, 250, 500, 1_000, 2_500, 5_000)
FEWER = 200_000  # examples for SMO
KINDS = {"uniform": uniform, "importance": importance}
COLUMNS = [
    *("training", "CPU s", "beside exact", "rounds", "ended", "support trees", "F1, 23", "F1, 24"),
    "objective above exact, %",
]

Found = Mapping[str, Mapping[int, Learned]]  # by kind and sample


def main(n: int = EXAMPLES, samples: Sequence[int] = SAMPLES, fewer: int = FEWER) -> None:
    task = boundaries(n)
    exact = train(task, EXACT)
    found = {kind: {size: train(task, make(size)) for size in samples} for kind, make in KINDS.items()}
    beside_smo = _beside_smo(task.first(fewer), samples)
    judge = Judge(task.X, task.y)
    sides: list[tuple[Side, Learned]] = [(EXACT, exact)]
    sides += [(KINDS[kind](size), each) for kind, by_size in found.items() for size, each in by_size.items()]
    record(
        "boundary_samples",
        "Samples of cutting planes: accuracy, time and support trees",
        COLUMNS,
        [_row(side.name, each, exact, judge) for side, each in sides],
        [
            f"{len(task):,} candidates of WSJ 02-21, tags as leaves, form *path*; CPU seconds of one thread, each "
            f"training once; samples at most {ROUNDS} rounds. *beside exact*: how many times as long.",
            "*objective above exact*: over all examples. *ended*: by the test of a sample and of another one; the "
            "planes of samples are below the loss on average only, so they may end far from the minimum.",
        ],
        {side.name: {"seconds": each.seconds, "F1": each.f1} for side, each in sides},
        more=[beside_smo],
        plots=_plots(found, exact),
    )


def quick() -> None:
    """A look in a minute or so."""
    main(1_000, (20, 50), 500)


def _beside_smo(task: Task, samples: Sequence[int]) -> Table:
    found = {side.name: train(task, side) for side in (SMO, EXACT, *map(uniform, samples))}
    smo = found[SMO.name]
    rows = [
        [
            *(name, f"{each.seconds:.1f}", f"**{smo.seconds / each.seconds:.1f}**", f"{len(each.support):,}"),
            *each.f1_cells,
            *(f"{one - other:+.2f}" for one, other in zip(each.f1, smo.f1, strict=True)),
        ]
        for name, each in found.items()
    ]
    columns = ["training", "CPU s", "times as fast as SMO", "support trees", *(f"F1, {section}" for section in TESTS)]
    columns += [f"beside SMO's, {section}" for section in TESTS]
    return Table(f"{len(task):,} examples: samples beside SMO, which computes rows", columns, rows)


def _row(name: str, each: Learned, exact: Learned, judge: Judge) -> list[Any]:
    return [
        *(name, f"{each.seconds:.1f}", f"{each.seconds / exact.seconds:.1f}", each.rounds),
        *("yes" if each.ended else "no", f"{len(each.support):,}", *each.f1_cells, judge.beyond(each, exact, 1.0)),
    ]


def _plots(found: Found, exact: Learned) -> list[Plot]:
    below = "F1 below exact, points"
    by_size = {
        f"{kind}, {section}": [(float(size), exact.f1[at] - each.f1[at]) for size, each in by.items()]
        for kind, by in found.items()
        for at, section in enumerate(TESTS)
    }
    by_time = {
        f"{kind}, {section}": sorted((each.seconds, exact.f1[at] - each.f1[at]) for each in by.values())
        for kind, by in found.items()
        for at, section in enumerate(TESTS)
    }
    support = {
        kind: [(float(size), float(len(each.support))) for size, each in by.items()] for kind, by in found.items()
    }
    support["exact"] = [(size, float(len(exact.support))) for size, _ in support["uniform"]]
    return [
        Plot("f1", "Figure 2: accuracy", "examples of a sample, r", below, by_size, log_x=True),
        Plot(
            *("time", "Figure 2: accuracy against time", "CPU seconds", below),
            {"exact": [(exact.seconds, 0.0)], **by_time},
            log_x=True,
        ),
        Plot("support", "Figure 3: support trees", "examples of a sample, r", "support trees", support, log_x=True),
    ]
