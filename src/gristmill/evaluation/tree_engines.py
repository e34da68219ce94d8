"""Engines compared on the trees of a machine: labels are compared first, then engines are timed in turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from gristmill.machines.machine import Machine
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer

_KERNELS = 100_000  # kernel values that direct computes in a round
_ENGINES = ("direct", "forest")


@dataclass(frozen=True)
class TreeEngine:
    """One engine; `largest_difference` is that of its scores from those of direct."""

    engine: str
    nbytes: int
    compile_seconds: float
    microseconds: float  # for a tree, the median
    largest_difference: float


@dataclass(frozen=True)
class TreeEngines:
    """All engines; direct is the first."""

    examples: int
    lines: tuple[TreeEngine, ...]


def trees_per_round(machine: Machine) -> int:
    """How many trees direct can score in a round."""
    return max(1, _KERNELS // max(machine.n_support, 1))


def compare_trees(machine: Machine, trees: Any, *, rounds: int) -> TreeEngines:
    """Compile, compare and time; ValueError where labels differ."""
    made = [_timed(lambda engine=engine: machine.compile(engine)) for engine in _ENGINES]  # type: ignore[misc]
    scorers: list[Scorer] = [scorer for scorer, _ in made]
    scores = [trusted_scores(scorer, trees) for scorer in scorers]
    for scorer, own in zip(scorers, scores, strict=True):
        if (
            not np.array_equal(scorer.machine.answers(own), scorers[0].machine.answers(scores[0]))
            and machine.scheme.has_labels
        ):
            raise ValueError(f"engine {scorer.engine!r} gives other labels than 'direct'; nothing was timed")
    seconds: list[list[float]] = [[] for _ in scorers]
    for _ in range(rounds):
        for scorer, own_seconds in zip(scorers, seconds, strict=True):
            own_seconds.append(_timed(lambda scorer=scorer: scorer.predict(trees))[1])  # type: ignore[misc]
    lines = (
        TreeEngine(
            scorer.engine,
            scorer.nbytes,
            made[at][1],
            1e6 * median(seconds[at]) / len(trees),
            float(np.abs(scores[at] - scores[0]).max(initial=0.0)),
        )
        for at, scorer in enumerate(scorers)
    )
    return TreeEngines(len(trees), tuple(lines))


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    found = call()
    return found, time.perf_counter() - begin
