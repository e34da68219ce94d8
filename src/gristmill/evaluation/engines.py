"""Engines compared on the user's own examples: answers are compared first, then engines are timed in turn.

Ratios are of one run: in every round each engine has its turn, so that a busy minute slows all of them. An engine that
is too slow for all examples gets some of them, evenly spread.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Binarize, as_rows
from gristmill.machines.machine import Machine
from gristmill.scoring.compile import engine_names
from gristmill.scoring.scorer import Scorer

LONGEST = 0.5  # seconds of a turn, beyond which an engine gets fewer examples
SHORTEST = 0.05  # below which it takes several calls
_MOST_SCORES = 10_000_000  # kept at once to compare approximations with


@dataclass(frozen=True)
class Timing:
    """Microseconds an example (and machine): median, fastest and slowest round."""

    median: float
    fastest: float
    slowest: float


@dataclass(frozen=True)
class Approximation:
    """Settings of PKE, and how far its scores and labels are from exact ones."""

    sigma: float
    xi: int
    certified: bool
    labels_differ: int | None  # of `compared`; None without labels
    compared: int
    largest_error: float  # of a score
    largest_bound: float  # that the scorer gives for its error, rounding of both sides included
    within_bound: bool  # every error is below the bound of its row


@dataclass(frozen=True)
class EngineLine:
    """One engine. Everything after `refused` is None or 0 where the engine does not take the machine."""

    name: str  # as requested
    engine: str  # as chosen
    refused: str | None
    reason: str
    exact: bool
    nbytes: int
    compile_seconds: float
    conjunctions: int | None
    rows: int = 0  # timed
    scores: Timing | None = None
    labels: Timing | None = None  # None without labels
    scores_speedup: float | None = None  # over direct
    labels_speedup: float | None = None
    labels_equal: bool | None = None  # to those of direct on the compared rows, elsewhere to those of the others
    largest_difference: float | None = None  # of scores from those of direct
    approximation: Approximation | None = None


@dataclass(frozen=True)
class ThreadsLine:
    """The fastest engine with so many threads."""

    engine: str
    threads: int
    scores: Timing
    labels: Timing | None


@dataclass(frozen=True)
class Comparison:
    """All engines, and the fastest one with one thread and with all."""

    machines: int
    rows: int
    compared: int  # rows that direct has labelled
    rounds: int
    fastest: str
    lines: list[EngineLine]
    threads: list[ThreadsLine]


def compare(
    machines: Sequence[Machine],
    rows: Any,
    *,
    engines: Sequence[str] | None = None,
    max_bytes: int | None = None,
    rare: float | None = None,
    sigmas: Sequence[float] = (),
    xi: int = 1,
    certified: bool = False,
    binarize: Binarize = 0.0,
    rounds: int = 5,
    progress: Progress | None = None,
) -> Comparison:
    """Compile, compare and time; ValueError if an exact engine gives a label that direct does not.

    Parameters
    ----------
    machines : sequence of Machine
        All on examples of one kind. Times are means over them, memory and seconds of compiling are sums.
    rows : Rows, Forest or Examples
        Data for all of them.
    engines : sequence of str or None
        Which to try; direct is always among them. None: all that take such machines.
    max_bytes, rare, sigmas, xi, certified, binarize
        See `Machine.compile`; each sigma is a line of its own.
    rounds : int
    progress : callable or None
        Called with (steps done, steps in all).
    """
    if not (machines and len(rows)):
        raise ValueError(f"there is nothing to time: {len(machines)} machines, {len(rows)} rows")
    rows = _examples(machines, rows, binarize)
    auto, *known = engine_names(machines[0])
    known.append(auto)
    plans = _plans(known if engines is None else ["direct", *engines], known, rare, sigmas, xi, certified)
    threads = sorted({1, resolve_jobs(-1)})
    steps = _Steps(progress, len(plans) * (2 + rounds) + len(threads) * rounds)
    sides = [_compiled(plan, machines, max_bytes, binarize, steps) for plan in plans]
    running = [side for side in sides if side.line.refused is None]
    direct = running[0]
    sample = direct.share(rows)
    _compare_answers(direct, running, rows, sample, steps)
    timings = _timings([_turns(side, rows) for side in running], rounds, steps)
    for side, (scores, labels) in zip(running, timings, strict=True):
        side.line = replace(side.line, scores=scores, labels=labels, rows=len(side.share(rows)))
    lines = [_with_speedup(side.line, direct.line) for side in sides]
    fastest = min((side for side in running if side.line.exact), key=lambda side: side.cost)
    timings = _timings([_turns(fastest, rows, jobs) for jobs in threads], rounds, steps)
    engine = fastest.line.engine
    return Comparison(
        machines=len(machines),
        rows=len(rows),
        compared=len(sample),
        rounds=rounds,
        fastest=engine,
        lines=lines,
        threads=[ThreadsLine(engine, jobs, *timing) for jobs, timing in zip(threads, timings, strict=True)],
    )


def _examples(machines: Sequence[Machine], X: Any, binarize: Binarize) -> Any:
    """The data as all engines take them."""
    if not machines[0].explains_features:
        return machines[0].examples(X)
    for machine in machines:
        machine._native  # noqa: B018 - the core's copy is shared, no engine pays for it
    real = binarize is False or not all(machine.is_binary_valued for machine in machines)
    return as_rows(X, binarize=False if real else binarize)


class _Steps:
    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._done, self._total = progress, 0, total

    def advance(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)


# --- compiling --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    name: str
    engine: str
    options: dict[str, Any]


def _plans(
    engines: Sequence[str],
    known: Sequence[str],
    rare: float | None,
    sigmas: Sequence[float],
    xi: int,
    certified: bool,
) -> list[_Plan]:
    """What to compile, in the order of the known engines: direct is the first."""
    plans = [_Plan(name, name, {"rare": rare} if name == "split" else {}) for name in known if name in engines]
    for sigma in sigmas:
        options = {"sigma": sigma, "xi": xi, "certified": certified}
        plans.append(_Plan(f"sigma {sigma:g}" + (f", xi {xi}" if xi > 1 else ""), "expanded", options))
    return plans


class _Side:
    """One engine's scorers, a line about it, and how many rows it can take in a turn."""

    def __init__(self, plan: _Plan, line: EngineLine, scorers: list[Scorer]) -> None:
        self.plan, self.line, self.scorers = plan, line, scorers
        self.has_labels = all(scorer.machine.scheme.has_labels for scorer in scorers)
        self._share: Any = None

    @property
    def promises_labels(self) -> bool:
        return self.line.exact or bool(self.plan.options.get("certified", False))

    def scores(self, rows: Any, jobs: int = 1) -> list[Floats]:
        return [scorer.decision_function(rows, jobs) for scorer in self.scorers]

    def labels(self, rows: Any, jobs: int = 1) -> list[NDArray[Any]]:
        return [scorer.predict(rows, jobs) for scorer in self.scorers]

    def share(self, rows: Any) -> Any:
        """As many examples as fit into a turn."""
        if self._share is None:
            few, seconds = min(len(rows), 8), 0.0
            while True:
                seconds = _seconds(lambda: self.scores(spread(rows, few)))  # noqa: B023
                if few == len(rows) or seconds > SHORTEST:
                    break
                few = min(len(rows), 4 * few)
            self._share = spread(rows, max(1, int(few * min(LONGEST / max(seconds, 1e-9), len(rows) / few))))
        return self._share

    @property
    def cost(self) -> float:
        timing = self.line.labels or self.line.scores
        return math.inf if timing is None else timing.median


def spread(rows: Any, most: int) -> Any:
    """At most so many of the examples, evenly spread."""
    return rows if len(rows) <= most else rows.take(np.linspace(0, len(rows) - 1, most).astype(np.intp))


def _compiled(
    plan: _Plan, machines: Sequence[Machine], max_bytes: int | None, binarize: Binarize, steps: _Steps
) -> _Side:
    allowance = None if plan.engine == "direct" else max_bytes  # all others are compared with it
    start = time.perf_counter()
    try:
        scorers = [m.compile(plan.engine, max_bytes=allowance, binarize=binarize, **plan.options) for m in machines]
    except ValueError as error:
        if plan.engine == "direct":
            raise
        return _Side(plan, EngineLine(plan.name, plan.engine, str(error), "", False, 0, 0.0, None), [])
    finally:
        steps.advance()
    seconds = time.perf_counter() - start
    reports = [scorer.report() for scorer in scorers]
    stored = [report.conjunctions for report in reports if report.conjunctions is not None]
    return _Side(
        plan,
        EngineLine(
            name=plan.name,
            engine=", ".join(sorted({report.engine for report in reports})),
            refused=None,
            reason=reports[0].reason if len(reports) == 1 else "each machine on its own",
            exact=all(report.exact for report in reports),
            nbytes=sum(report.nbytes for report in reports),
            compile_seconds=seconds,
            conjunctions=sum(stored) if stored else None,
        ),
        scorers,
    )


# --- answers ----------------------------------------------------------------------------------------------------------


def _compare_answers(direct: _Side, sides: Sequence[_Side], rows: Any, sample: Any, steps: _Steps) -> None:
    """Fill in how the answers compare; an engine that claims to give the labels of direct must give them."""
    exact = next((side for side in sides if side.line.exact and side is not direct), direct)
    labels, scores = direct.labels(sample), direct.scores(sample)
    all_labels = labels if exact is direct else exact.labels(rows)
    for side in sides:
        equal = _differences(side.labels(sample), labels) == 0 if side.has_labels else None
        if equal and side is not direct and side.promises_labels:
            equal = _differences(side.labels(rows if exact is not direct else sample), all_labels) == 0
        if equal is False and side.promises_labels:
            raise ValueError(
                f"engine {side.line.name!r} gives other labels than 'direct'; nothing was timed. This is a bug: "
                "please report it with the model"
            )
        difference = _largest_difference(side.scores(sample), scores)
        side.line = replace(side.line, labels_equal=equal, largest_difference=difference)
        if not side.line.exact:
            side.line = replace(side.line, approximation=_approximation(side, exact, rows, sample))
        steps.advance()


def _approximation(side: _Side, exact: _Side, rows: Any, sample: Any) -> Approximation:
    """Against an exact engine that can take all rows, where there is one."""
    outputs = sum(scorer.machine.n_outputs for scorer in exact.scorers)
    compared = spread(rows if exact.line.engine != "direct" else sample, max(1, _MOST_SCORES // outputs))
    errors = [np.abs(a - b) for a, b in zip(side.scores(compared), exact.scores(compared), strict=True)]
    bounds = [
        ours.error_bound(compared) + theirs.error_bound(compared)
        for ours, theirs in zip(side.scorers, exact.scorers, strict=True)
    ]
    differ = _differences(side.labels(compared), exact.labels(compared)) if side.has_labels else None
    return Approximation(
        sigma=side.plan.options["sigma"],
        xi=side.plan.options["xi"],
        certified=side.plan.options["certified"],
        labels_differ=differ,
        compared=len(compared) * len(side.scorers),
        largest_error=max(float(error.max()) for error in errors),
        largest_bound=max(float(bound.max()) for bound in bounds),
        within_bound=all(bool((e <= b).all()) for e, b in zip(errors, bounds, strict=True)),
    )


def _differences(one: Sequence[NDArray[Any]], other: Sequence[NDArray[Any]]) -> int:
    return sum(int((a != b).sum()) for a, b in zip(one, other, strict=True))


def _largest_difference(one: Sequence[NDArray[Any]], other: Sequence[NDArray[Any]]) -> float:
    return max(float(np.abs(a - b).max(initial=0.0)) for a, b in zip(one, other, strict=True))


# --- timing -----------------------------------------------------------------------------------------------------------


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


class _Turn:
    """One call to be timed, made often enough to be measured."""

    def __init__(self, call: Callable[[], Any], examples: int) -> None:
        self._call, self._examples = call, examples
        self._times = max(1, math.ceil(SHORTEST / max(_seconds(call), 1e-7)))
        self._found: list[float] = []

    def take(self) -> None:
        seconds = _seconds(lambda: [self._call() for _ in range(self._times)])
        self._found.append(1e6 * seconds / (self._times * self._examples))

    def timing(self) -> Timing:
        return Timing(median(self._found), min(self._found), max(self._found))


_Turns = tuple[_Turn, _Turn | None]  # scores and labels


def _turns(side: _Side, rows: Any, jobs: int = 1) -> _Turns:
    """The calls of an engine, for as many examples as fit into a turn."""
    share = side.share(rows)
    examples = len(share) * len(side.scorers)
    labels = _Turn(lambda: side.labels(share, jobs), examples) if side.has_labels else None
    return _Turn(lambda: side.scores(share, jobs), examples), labels


def _timings(turns: Sequence[_Turns], rounds: int, steps: _Steps) -> list[tuple[Timing, Timing | None]]:
    """Of scores and labels: all in turn, in every round."""
    for _ in range(rounds):
        for scores, labels in turns:
            scores.take()
            if labels is not None:
                labels.take()
            steps.advance()
    return [(scores.timing(), None if labels is None else labels.timing()) for scores, labels in turns]


def _with_speedup(line: EngineLine, direct: EngineLine) -> EngineLine:
    return replace(
        line,
        scores_speedup=_ratio(direct.scores, line.scores),
        labels_speedup=_ratio(direct.labels, line.labels),
    )


def _ratio(one: Timing | None, other: Timing | None) -> float | None:
    return None if one is None or other is None else one.median / other.median
