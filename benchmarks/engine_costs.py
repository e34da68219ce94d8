"""Claim: `auto` is never slower than 1.2x the best single engine; and what its constants should be.

Machines of the corpora and drawn ones, each with every engine that is expected to take less than a millisecond a row.
What the cost model expects stands beside what was measured, and its constants (core/score/expanded/costs.cpp) are
fitted anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks.cost_cases import DRAWN, QUERIES, Case, cases, drawn_cases
from benchmarks.cost_fit import Constant, Sample, fit, refitted
from benchmarks.machines import assert_exact
from benchmarks.measure import Table, Timing, in_turn, record, seconds_of
from gristmill.data.rows import Rows
from gristmill.scoring.options import CompileOptions
from gristmill.scoring.row_engines import Term, cost_of, cost_terms
from gristmill.scoring.scorer import Scorer

ROUNDS, MAX_BYTES = 21, 1 << 30
TURN = 0.01  # seconds, at most where all rows would take longer
SLOWEST = 1e6  # nanoseconds that a row may be expected to take
AUTOS = ("auto", "auto given a sample")
SHARES = (0.005, 0.05)  # of support rows, below which split takes features as rare: the paper's, and a larger one


@dataclass(frozen=True)
class Side:
    """A scorer, the engine whose costs it has, and what it is expected to touch a row."""

    scorer: Scorer
    engine: str
    terms: list[Term]


@dataclass(frozen=True)
class Weighed:
    """What scorers of one machine took."""

    machine: str
    sides: dict[str, Side]
    timings: dict[str, Timing]  # of a row

    def ns(self, side: str) -> float:
        """The fastest turn: whatever else the computer did made others slower."""
        return 1e9 * self.timings[side].fastest

    @property
    def best(self) -> str:
        return min((side for side in self.sides if side not in AUTOS), key=self.ns)

    def over_best(self, auto: str) -> float:
        return self.ns(auto) / self.ns(self.best)


def main(chosen: Iterable[Case] | None = None, rounds: int = ROUNDS) -> None:
    weighed = []
    for case in cases() if chosen is None else chosen:
        print(case.name, flush=True)
        weighed.append(weigh(case.name, *case.make(), rounds))
    constants = refit(weighed)
    record(
        "engine_costs",
        "The choice of an engine",
        ["machine", "best", "ns a row", *(cell for auto in AUTOS for cell in (auto, "ns a row", "over best"))],
        [_choices(one) for one in weighed],
        _notes(weighed, rounds),
        {one.machine: one.timings for one in weighed},
        more=[
            Table(
                "What was expected",
                ["machine", "engine", "expected ns", "measured ns", "measured / expected", "measured / refitted"],
                [line for one in weighed for line in _expectations(one, constants)],
            ),
            Table("Constants", ["engine", "of", "shipped ns", "fitted ns"], list(_constants(constants))),
        ],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(drawn_cases([DRAWN[0], DRAWN[2], DRAWN[11]]), rounds=3)


def weigh(name: str, machine: gm.Machine, rows: Rows, rounds: int = ROUNDS) -> Weighed:
    """Scores are equal, then times are taken."""
    sides = dict(sides_of(machine, rows))
    few = rows.take(np.arange(min(len(rows), 100)))
    scores = machine.compile("direct").decision_function(few)
    for side in sides.values():
        assert_exact(side.scorer, few, scores)
    distinct = {same_as(side.scorer): side.scorer for side in sides.values()}
    timings = in_turn({key: _clock(scorer, rows) for key, scorer in distinct.items()}, rounds)
    return Weighed(name, sides, {name: timings[same_as(side.scorer)] for name, side in sides.items()})


def same_as(scorer: Scorer) -> str:
    """Equal for scorers that are the same in all but name, so that they are timed once."""
    lines = scorer.report().tiers
    return scorer.engine if lines is None else f"expanded {lines}"


def sides_of(machine: gm.Machine, rows: Rows) -> Iterator[tuple[str, Side]]:
    """Both ways of auto, and every engine that is not absurd."""
    for auto, sample in zip(AUTOS, (None, rows), strict=True):
        scorer = machine.compile(max_bytes=MAX_BYTES, sample=sample)
        yield auto, Side(scorer, scorer.engine, [])
    for engine in ("direct", "inverted", "bits", "expanded"):
        yield from _side(machine, rows, engine, None)
    for share in SHARES:
        yield from _side(machine, rows, "split", math.ceil(share * machine.n_support))


def _side(machine: gm.Machine, rows: Rows, name: str, rare: int | None) -> Iterator[tuple[str, Side]]:
    engine = "expanded" if name == "split" else name
    terms = cost_terms(machine, CompileOptions(name, MAX_BYTES, rare=rare, sample=rows))[engine]
    if cost_of(terms) > SLOWEST:
        return
    sample = rows if engine == "expanded" else None
    try:
        scorer = machine.compile(name, max_bytes=MAX_BYTES, sample=sample, rare=rare)
    except ValueError as too_large:
        print(f"  no {name}: {too_large}")
    else:
        yield name if rare is None else f"{name} at {rare:,}", Side(scorer, engine, terms)


def _clock(scorer: Scorer, rows: Rows) -> Callable[[], float]:
    """Seconds a row, by as many rows as make a turn; all of them, unless the engine is slow."""
    few = rows.take(np.arange(min(len(rows), 100)))
    expected = min(seconds_of(lambda: scorer.decision_function(few)) for _ in range(3)) / len(few)
    part = rows.take(np.arange(min(len(rows), max(100, int(TURN / expected)))))

    def clock() -> float:
        scorer.decision_function(part)  # the turns of others left their tables in the cache
        return seconds_of(lambda: scorer.decision_function(part)) / len(part)

    return clock


def refit(weighed: Iterable[Weighed]) -> dict[str, list[Constant]]:
    """The constants of each engine."""
    samples: dict[str, list[Sample]] = {}
    for one in weighed:
        for name, side in one.sides.items():
            if name not in AUTOS:
                samples.setdefault(side.engine, []).append(Sample(side.terms, one.ns(name)))
    return {engine: fit(found) for engine, found in samples.items()}


def _choices(one: Weighed) -> list[Any]:
    autos = [(one.sides[auto].scorer.engine, f"{one.ns(auto):.0f}", f"{one.over_best(auto):.2f}x") for auto in AUTOS]
    return [one.machine, one.best, f"{one.ns(one.best):.0f}", *(cell for auto in autos for cell in auto)]


def _expectations(one: Weighed, constants: dict[str, list[Constant]]) -> Iterator[list[Any]]:
    for name, side in one.sides.items():
        if name not in AUTOS:
            measured, expected = one.ns(name), cost_of(side.terms)
            again = refitted(side.terms, constants[side.engine])
            cells = (f"{expected:.0f}", f"{measured:.0f}", f"{measured / expected:.2f}", f"{measured / again:.2f}")
            yield [one.machine, name, *cells]


def _constants(constants: dict[str, list[Constant]]) -> Iterator[list[Any]]:
    for engine, found in constants.items():
        for constant in found:
            fitted = "" if constant.fitted is None else f"{constant.fitted:.3g}"
            yield [engine, constant.name, f"{constant.shipped:.3g}", fitted]


def _notes(weighed: Sequence[Weighed], rounds: int) -> list[str]:
    worst, given = (max(one.over_best(auto) for one in weighed) for auto in AUTOS)
    return [
        f"auto took at most {worst:.2f} times as long as the best single engine, and given a sample of the data at "
        f"most {given:.2f} times. Promised: 1.2.",
        f"Time per row of up to {QUERIES:,} different rows, one thread, the fastest of {rounds} rounds, all sides in "
        "turn and each warmed up in its turn. Scores were within 1e-9 of |b| + sum |a_i| k(s_i, x) before anything was "
        "timed. Scorers that are the same in all but name were timed once: 1.00x says that no other engine, or line "
        "between common and rare, that was tried is faster.",
        "The shipped constants come from runs of this benchmark, so these are not machines they have never met.",
        "The expanded engine and split (at so many support rows: features of fewer are rare) were given the rows as a "
        "sample. Engines that were expected to take more than a millisecond were left out.",
        "Expected is what the shipped constants (core/score/expanded/costs.cpp) make of the counts of the rows; "
        "refitted is what the fitted ones do. Constants are fitted by least squares of relative errors, from zero on.",
        "Machines of the corpora were trained as for paper_tables; drawn ones have random coefficients. A scorer may "
        f"take {MAX_BYTES >> 20} MB.",
    ]


if __name__ == "__main__":
    main()
