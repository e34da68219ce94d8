"""Claim: small samples tell which decay of the subset tree kernel is best (Severyn and Moschitti 2010, Figure 6).

A million boundary examples, uniform samples of r of them, C = 1; exact cutting planes beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gristmill as gm
from benchmarks.boundaries import EXACT, ROUNDS, TESTS, Learned, boundaries, rank_correlation, train, uniform
from benchmarks.measure import record
from gristmill.display.charts import Plot

EXAMPLES = 1_000_000
DECAYS = tuple(tenth / 10 for tenth in range(1, 11))
SAMPLES = (100, 250, 500)

Swept = Mapping[str, Mapping[float, Learned]]  # by side and decay


def main(n: int = EXAMPLES, decays: Sequence[float] = DECAYS, samples: Sequence[int] = SAMPLES) -> None:
    task = boundaries(n)
    sides = (EXACT, *map(uniform, samples))
    found = {side.name: {decay: train(task, side, 1.0, _sst(decay)) for decay in decays} for side in sides}
    record(
        "boundary_decay",
        "Choosing the decay by sampled cutting planes",
        ["training", "what", *(f"decay {decay:g}" for decay in decays), "best decay", "rank correlation"],
        [row for place, section in enumerate(TESTS) for row in _rows(found, place, section)] + _seconds(found),
        [
            f"{len(task):,} candidates of WSJ 02-21, tags as leaves, form *path*, normalised subset tree kernel; "
            f"C = 1, tolerance 1e-3, samples at most {ROUNDS} rounds. CPU seconds of one thread, each training once.",
            "*rank correlation* (Spearman) of F1 over decays, with exact planes.",
        ],
        {
            f"{side}, decay {decay:g}": {"seconds": each.seconds, "F1": each.f1, "rounds": each.rounds}
            for side, by_decay in found.items()
            for decay, each in by_decay.items()
        },
        plots=[_plot(found, place, section) for place, section in enumerate(TESTS)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(1_000, (0.2, 0.6), (20, 50))


def _sst(decay: float) -> gm.Normalized:
    return gm.Normalized(gm.SubsetTreeKernel(decay))


def _rows(found: Swept, place: int, section: str) -> list[list[Any]]:
    scores = {side: {decay: each.f1[place] for decay, each in by.items()} for side, by in found.items()}
    exact = list(scores["exact"].values())
    return [
        [
            *(side, f"F1, {section}", *(f"{score:.2f}" for score in by_decay.values())),
            f"{max(by_decay, key=lambda decay: by_decay[decay]):g}",
            "" if side == "exact" else f"{rank_correlation(exact, list(by_decay.values())):.2f}",
        ]
        for side, by_decay in scores.items()
    ]


def _seconds(found: Swept) -> list[list[Any]]:
    return [[side, "CPU s", *(f"{each.seconds:.1f}" for each in by.values()), "", ""] for side, by in found.items()]


def _plot(found: Swept, place: int, section: str) -> Plot:
    series = {side: [(decay, each.f1[place]) for decay, each in by.items()] for side, by in found.items()}
    return Plot(f"f1-{section}", f"Figure 6: F1 on section {section}", "decay", "F1, %", series)
