"""Claim: exact cutting planes train on a million trees faster than sampled ones.

Boundaries of semantic roles, as in section 5 of Severyn and Moschitti 2010, normalised subset tree kernel with decay
0.4, tolerance 1e-3. Exact planes come from products with the compiled operator of the kernel; SMO asks for rows of the
kernel over different subtrees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from benchmarks.boundaries import (
    EXACT,
    MEMORY,
    ROUNDS,
    SMO,
    TOLERANCE,
    Judge,
    Learned,
    Task,
    boundaries,
    importance,
    train,
    uniform,
)
from benchmarks.measure import Table, record
from gristmill.display.charts import Plot

ALL = 10**9  # more examples than there are
WANTED_MEMORY = 1.5e9


@dataclass(frozen=True)
class Sizes:
    """Of examples, and of samples."""

    large: int
    small: int  # for SMO beside it
    sample: int
    all: int
    growing: tuple[int, ...]
    smo_up_to: int


FULL = Sizes(
    *(1_000_000, 20_000, 1_000, ALL),
    *((20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000), 200_000),
)
QUICK = Sizes(1_000, 300, 50, 1_200, (300, 1_000), 300)

Grown = dict[str, list[tuple[float, float]]]


def main(sizes: Sizes = FULL) -> None:
    task = boundaries(sizes.large)
    raw: dict[str, Any] = {}
    large, found = _large(task, sizes, raw)
    grown = _growing(task, sizes, found)
    del task
    large.append(_all(sizes, grown, raw))
    record(
        "cutting_planes",
        "Exact cutting planes beside sampled ones and SMO",
        [*_COLUMNS, "objective above exact, %"],
        large,
        [
            f"Candidates of WSJ 02-21, tags as leaves, form *path*, C = 1 unless told otherwise, tolerance "
            f"{TOLERANCE:g}; F1 of all candidates of sections 23 and 24. CPU seconds of one "
            f"thread, the operator's compilation included, reading not; sampled planes at most {ROUNDS} rounds; SMO "
            f"with {MEMORY >> 30} GB for rows. *MB*: the most that the process had, examples and test examples "
            f"included. Wanted: exact planes on {sizes.large:,} faster than sampled ones, and than SMO on "
            f"{sizes.small:,}, and below {WANTED_MEMORY / 1e9:.1f} GB. Found: {_times(raw, sizes)}.",
            "*objective above*: |w|^2 / 2 + C (sum of hinge losses) over all examples, by one product with the "
            "operator for any machine, beside that of exact planes. *ended*: by the solver's own test; that of uniform "
            "samples is of a sample.",
            "*Support trees* are different trees.",
        ],
        raw,
        more=[_slopes(grown)],
        plots=[Plot("seconds", "CPU seconds, C = 1", "examples", "seconds", grown, log_x=True, log_y=True)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK)


def _times(raw: dict[str, Any], sizes: Sizes) -> str:
    """How long the others took beside exact planes."""
    exact, *sampled = (name for name in raw if name.endswith(f", {sizes.large}"))
    others = {name.rpartition(",")[0]: raw[name] for name in sampled} | {f"SMO on {sizes.small:,}": raw["smo, small"]}
    return "; ".join(f"{name} took {seconds / raw[exact]:.1f} times as long" for name, seconds in others.items())


_COLUMNS = ["training", "examples", "CPU s", "rounds", "ended", "support trees", "F1, 23", "F1, 24", "MB"]


def _large(task: Task, sizes: Sizes, raw: dict[str, Any]) -> tuple[list[list[Any]], dict[str, Learned]]:
    sides = (EXACT, uniform(sizes.sample), importance(sizes.sample))
    found = {side.name: train(task, side) for side in sides}
    small = train(task.first(sizes.small), SMO)
    judge, best = Judge(task.X, task.y), found["exact"]
    assert best.ended
    rows = [[*_row(name, len(task), each), judge.beyond(each, best, 1.0)] for name, each in found.items()]
    rows.append([*_row("smo", sizes.small, small), judge.beyond(small, best, 1.0)])
    raw |= {f"{name}, {len(task)}": each.seconds for name, each in found.items()}
    raw["smo, small"] = small.seconds
    low = train(task, EXACT, C=0.1)
    rows.append([*_row("exact, C = 0.1", len(task), low), ""])
    return rows, found


def _row(name: str, n: int, each: Learned) -> list[Any]:
    ended = "yes" if each.ended else "no"
    return [
        *(name, f"{n:,}", f"{each.seconds:.2f}", each.rounds, ended, f"{len(each.support):,}", *each.f1_cells),
        f"{each.peak / 1e6:.0f}",
    ]


def _growing(task: Task, sizes: Sizes, found: Mapping[str, Learned]) -> Grown:
    """Seconds against examples, of every side."""
    sides = (EXACT, uniform(sizes.sample), importance(sizes.sample), SMO)
    grown: Grown = {side.name: [] for side in sides}
    for n in sizes.growing:
        for side in sides:
            if side is SMO and n > sizes.smo_up_to:
                continue
            is_known = n == len(task) and side.name in found
            learned = found[side.name] if is_known else train(task.first(n), side)
            grown[side.name].append((n, learned.seconds))
    return grown


def _all(sizes: Sizes, grown: Grown, raw: dict[str, Any]) -> list[Any]:
    """Everything there is, once."""
    boundaries.cache_clear()
    task = boundaries(sizes.all)
    learned = train(task, EXACT)
    raw["all"] = {"examples": len(task), "seconds": learned.seconds, "peak": learned.peak, "F1": learned.f1}
    grown["exact"].append((len(task), learned.seconds))
    return [*_row("exact", len(task), learned), ""]


def _slopes(grown: Grown) -> Table:
    rows = []
    for name, points in grown.items():
        logarithms = np.log(points).T
        slope = float(np.polyfit(logarithms[0], logarithms[1], 1)[0]) if len(points) > 1 else np.nan
        rows.append(
            [name, f"{points[0][0]:,}", f"{points[-1][0]:,}", f"{median(s for _, s in points):.2f}", f"{slope:.2f}"]
        )
    columns = ["training", "from examples", "to", "CPU s, median", "slope"]
    return Table("Seconds grow as examples to the power of", columns, rows)
