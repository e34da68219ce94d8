"""Engines: the ways to evaluate a machine, each with what it takes, how exact it is and what it costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme

Floats = NDArray[np.float64]
Classes = NDArray[np.int32]

ENGINES = ("auto", "direct", "inverted", "expanded", "split")
RULES = {Scheme.BINARY: 0, Scheme.ONE_CLASS: 0, Scheme.ONE_VS_REST: 1, Scheme.ONE_VS_ONE: 2}  # as in the core


@dataclass(frozen=True)
class Effort:
    """What deciding labels without finishing scores saved."""

    rows: int
    stopped: int  # rows whose label was certain before all of their features were looked at
    features: int  # known features of all rows
    skipped: int  # of which were not looked at beyond their own weight

    def __str__(self) -> str:
        rows, features = max(self.rows, 1), max(self.features, 1)
        return (
            f"{self.stopped / rows:.0%} of {self.rows} rows decided early, "
            f"{self.skipped / features:.0%} of {self.features} features skipped"
        )


@dataclass(frozen=True)
class Options:
    """What an engine may be told. Checked by `check_options`."""

    max_bytes: int | None = None
    sigma: float = 0.0
    xi: int = 1
    rare: int | None = None  # features in at most so many support rows
    rare_may_grow: bool = False  # more of them, where the others do not fit
    sample: Rows | None = None
    progress: Progress | None = field(default=None, compare=False)

    @property
    def approximates(self) -> bool:
        return self.sigma > 0 or self.xi > 1


class Engine:
    """A compiled machine. Subclasses say what makes their kind."""

    name = ""
    exact = True

    def __init__(self, machine: Machine, native: Any) -> None:
        self.machine = machine
        self.native = native

    @property
    def nbytes(self) -> int:
        return int(self.native.nbytes)

    def run(self, rows: Rows, threads: int, progress: Progress | None) -> Floats:
        """Scores, rows x outputs."""
        out = np.empty((len(rows), self.machine.n_outputs))
        self.native.score(rows.offsets, rows.ids, out, threads, progress)
        return out

    def roundings(self, longest: int) -> Floats:
        """How many numbers are added up, at most, for a row of 0, 1, ..., longest features."""
        return np.full(longest + 1, float(self.machine.n_support))

    def missing(self, rows: Rows) -> Floats:
        """How far each score may lie from the machine's beyond rounding."""
        return np.zeros(len(rows))

    def decide(
        self, rows: Rows, doubt: Floats, threads: int, progress: Progress | None
    ) -> tuple[Classes, Effort] | None:
        """Class numbers, -1 where they hang on rounding; None when the engine has no shorter way than scores."""
        return None

    conjunctions: int | None = None  # stored with their weights
    lines: tuple[int, int, int] | None = None  # dense, common and rare features

    def expected_work(self) -> dict[str, float]:
        """What a row is expected to touch and cost, for `Scorer.report`."""
        costs = expected_costs(self.machine, Options()) if self.machine.is_binary_valued else {}
        return {"ns": costs[self.name]} if self.name in costs else {}


class Direct(Engine):
    """The definition."""

    name = "direct"

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, _core.DirectScorer(machine._native))


class Real(Engine):
    """The definition on real values."""

    name = "direct"

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, _core.RealScorer(machine._native))

    def run(self, rows: Rows, threads: int, progress: Progress | None) -> Floats:
        out = np.empty((len(rows), self.machine.n_outputs))
        values = np.ones(len(rows.ids)) if rows.is_binary else rows.values
        self.native.score(rows.offsets, rows.ids, values, out, threads, progress)
        return out


class Inverted(Engine):
    """An inverted index of the support rows."""

    name = "inverted"

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, _core.InvertedScorer(machine._native))


class Expanded(Engine):
    """Weights of conjunctions; rare features by the support rows that have them. Also the split engine."""

    def __init__(
        self, machine: Machine, name: str, options: Options, native: _core.ExpandedScorer | None = None
    ) -> None:
        if native is None:
            native = _expand(machine, options)
        super().__init__(machine, native)
        self.name = name
        self.exact = not options.approximates
        self._options = options
        self.numbers: dict[str, int] = native.numbers()
        dense, common, features = (self.numbers[key] for key in ("dense", "common", "features"))
        self.conjunctions = self.numbers["conjunctions"]
        self.lines = (dense, common - dense, features - common)

    def roundings(self, longest: int) -> Floats:
        """Weights are sums over support rows; scores are sums of weights."""
        lengths = np.arange(longest + 1, dtype=np.float64)
        terms, choices = np.zeros(longest + 1), np.ones(longest + 1)
        for size in range(1, self.machine.kernel.degree + 1):
            choices = choices * np.maximum(lengths - size + 1, 0) / size
            terms = np.minimum(terms + choices, float(self.numbers["conjunctions"]))
        # rare features add a term per support row besides
        return 2.0 * self.machine.n_support + terms

    def missing(self, rows: Rows) -> Floats:
        return np.asarray(self.native.missing(rows.offsets, rows.ids))

    def decide(
        self, rows: Rows, doubt: Floats, threads: int, progress: Progress | None
    ) -> tuple[Classes, Effort] | None:
        out = np.empty(len(rows), dtype=np.int32)
        rule = RULES[self.machine.scheme]
        effort = self.native.decide(rows.offsets, rows.ids, rule, doubt, out, threads, progress)
        return out, Effort(*effort)

    def expected_work(self) -> dict[str, float]:
        options = replace(self._options, rare=0) if self._options.approximates else self._options  # nothing is rare
        terms = cost_terms(self.machine, options)["expanded"]
        touched = {term.name: term.count for term in terms}
        return {"ns": cost_of(terms)} | {name: touched[name] for name in ("entries", "probes", "lines")}


@dataclass(frozen=True)
class Term:
    """A part of what a row is expected to cost."""

    name: str  # of what is counted
    each: float  # nanoseconds, a constant of the release
    count: float  # a row, on average


def cost_terms(machine: Machine, options: Options) -> dict[str, list[Term]]:
    """What a row is expected to touch with each engine."""
    found = _core.expected_costs(*_plan_arguments(machine, options))
    return {engine: [Term(*term) for term in terms] for engine, terms in found.items()}


def cost_of(terms: Iterable[Term]) -> float:
    """In nanoseconds."""
    return sum(term.each * term.count for term in terms)


def expected_costs(machine: Machine, options: Options) -> dict[str, float]:
    """Nanoseconds a row is expected to cost with each engine."""
    return {engine: cost_of(terms) for engine, terms in cost_terms(machine, options).items()}


def _plan_arguments(machine: Machine, options: Options) -> tuple[Any, ...]:
    rows = options.sample
    return (
        machine._native,
        options.rare,
        options.max_bytes,
        np.zeros(1, dtype=np.int64) if rows is None else rows.offsets,
        np.empty(0, dtype=np.int32) if rows is None else rows.ids,
    )


def _expand(machine: Machine, options: Options) -> _core.ExpandedScorer:
    native, rare, max_bytes, offsets, ids = _plan_arguments(machine, options)
    how: tuple[Any, ...] = (rare, max_bytes, offsets, ids, options.progress, options.rare_may_grow)
    return _core.ExpandedScorer(native, options.sigma, options.xi, *how)
