"""Engines for kernels of sets on rows, and the cheapest engine that a machine on rows has."""

from __future__ import annotations

import abc
import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Bytes, Floats, Int32s
from gristmill.base.progress import Progress
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import EPSILON, VANISHING, EarlyStopStats, Engine, Visits, engines_for, register, within
from gristmill.scoring.options import CompileOptions


class RowEngine(Engine):
    """What the engines for kernels of sets share: a scorer of the core, and bounds of its rounding."""

    def __init__(self, machine: Machine, native: Any) -> None:
        super().__init__(machine)
        self.native = native

    @classmethod
    def takes(cls, machine: Machine) -> bool:
        return machine.compares_sets

    @property
    def nbytes(self) -> int:
        return int(self.native.nbytes)

    def scores(self, X: Rows, threads: int, progress: Progress | None) -> Floats:
        out = np.empty((len(X), self.machine.n_outputs))
        self.native.score(X.offsets, X.ids, out, threads, progress)
        return out

    def bounds(self, X: Rows) -> Floats:
        if not (self.machine.is_binary_valued and X.is_binary):
            raise ValueError("rounding bounds are known for binary machines and data only")
        lengths, which = np.unique(X.lengths, return_inverse=True)
        by_length = self._rounding(lengths, self._totals, np.abs(self.machine.intercept))
        return np.asarray(by_length[which] + self._omitted(X)[:, None])

    def doubt(self, longest: int) -> Floats:
        """How far rounding may move any score, for rows of 0, 1, ..., longest features."""
        total, intercept = self._totals.max(initial=0.0), np.abs(self.machine.intercept).max(initial=0.0)
        return self._rounding(np.arange(longest + 1), total, intercept)[:, 0]

    def _rounding(self, lengths: NDArray[Any], total: Any, intercept: Any) -> Floats:
        """Rounding bounds for rows of these lengths (ascending), a column per output.

        total, intercept : sum_i |a_i| and |b|, per output or the largest of all
        """
        longest = int(self.machine.rows.lengths.max(initial=0))
        kernel = self.machine.set_kernel.largest(lengths, longest)[:, None]
        terms = self._terms(int(lengths.max(initial=0)))[lengths][:, None]
        scale = 4 * (terms + 16) * EPSILON
        # products below the smallest double may vanish, whatever their size relative to the sum
        with np.errstate(over="ignore", invalid="ignore"):  # no bound: the definition decides
            bounds = scale * (intercept + kernel * total) + scale * VANISHING
        return np.asarray(np.where(np.isnan(bounds), np.inf, bounds))

    @functools.cached_property
    def _totals(self) -> Floats:
        """sum_i |a_i| per output."""
        with np.errstate(over="ignore"):
            return np.asarray(abs(self.machine.coef).sum(axis=0), dtype=np.float64).ravel()

    def _terms(self, longest: int) -> Floats:
        """How many numbers are added up, at most, for a row of 0, 1, ..., longest features."""
        return np.full(longest + 1, float(self.machine.n_support))

    def _omitted(self, X: Rows) -> Floats:
        """How far each score may lie from the machine's because weights were left out."""
        return np.zeros(len(X))

    def expected_work(self) -> dict[str, float]:
        costs = expected_costs(self.machine, CompileOptions()) if self.machine.is_binary_valued else {}
        return {"ns": costs[self.name]} if self.name in costs else {}


@register("rows")
class Direct(RowEngine):
    """The definition."""

    name = "direct"

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, _core.DirectScorer(machine._native))

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> RowEngine:
        return cls(machine) if why_real(machine, options) is None else RealDirect(machine)


class RealDirect(RowEngine):
    """The definition on real values."""

    name = "direct"
    keeps_values = True

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, _core.RealScorer(machine._native))

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> RowEngine:
        return cls(machine)

    def scores(self, X: Rows, threads: int, progress: Progress | None) -> Floats:
        out = np.empty((len(X), self.machine.n_outputs))
        values = np.ones(len(X.ids)) if X.is_binary else X.values
        self.native.score(X.offsets, X.ids, values, out, threads, progress)
        return out


class _BinaryEngine(RowEngine):
    """Engines that count features, and know no values."""

    @classmethod
    def check(cls, machine: Machine, options: CompileOptions) -> None:
        """ValueError for real values."""
        real = why_real(machine, options)
        if real is not None:
            raise ValueError(f"engine {cls.name!r} needs binary rows, but {real}; use engine='direct' or 'auto'")


@register("rows")
class Inverted(_BinaryEngine):
    """An inverted index of the support rows (PKI)."""

    name = "inverted"

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> Inverted:
        cls.check(machine, options)
        return cls(machine, _core.InvertedScorer(machine._native))


@register("rows")
class Bits(_BinaryEngine):
    """Support rows as columns of bits, counted 256 at once; for rows that share many features."""

    name = "bits"

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> Bits:
        cls.check(machine, options)
        return cls(machine, _core.BitsScorer(machine._native))


class TableEngine(_BinaryEngine):
    """Engines that look up weights of conjunctions in tables of the core."""

    def __init__(self, machine: Machine, native: _core.ExpandedScorer, options: CompileOptions) -> None:
        super().__init__(machine, native)
        self.exact = not options.approximates
        self._options = options
        self.numbers: dict[str, int] = native.numbers()
        dense, common, features = (self.numbers[key] for key in ("dense", "common", "features"))
        self.conjunctions = self.numbers["conjunctions"]
        self.tiers = (dense, common - dense, features - common)

    @classmethod
    @abc.abstractmethod
    def restored(cls, machine: Machine, options: CompileOptions, numbers: Any, arrays: dict[str, Bytes]) -> Engine:
        """From what a file keeps of its tables."""

    def arrays(self) -> dict[str, Bytes] | None:
        """What a file keeps of its tables."""
        return cast("dict[str, Bytes]", self.native.arrays())

    def decide(self, X: Rows, threads: int, progress: Progress | None) -> tuple[Int32s, EarlyStopStats] | None:
        if not X.is_binary:
            return None
        out = np.empty(len(X), dtype=np.int32)
        doubt = self.doubt(int(X.lengths.max(initial=0)))
        policy = self.machine.decision.native
        found = self.native.decide(X.offsets, X.ids, policy, doubt, out, threads, progress)
        return out, EarlyStopStats(found.rows, found.stopped, found.features, found.skipped)

    def visits(self, X: Rows) -> Visits | None:
        found = self.native.visits(X.offsets, X.ids)
        return Visits(len(X), found.features, found.entries + found.probes, found.lines)


@register("rows")
class Expanded(TableEngine):
    """Weights of conjunctions (PKE); rare features by the support rows that have them."""

    name = "expanded"

    @classmethod
    def takes(cls, machine: Machine) -> bool:
        return machine.is_polynomial

    @classmethod
    def build(cls, machine: Machine, options: CompileOptions) -> Expanded:
        cls.check(machine, options)
        if not machine.polynomial.expandable:
            raise ValueError(
                f"engine {cls.name!r} needs degree 1 to 12, gamma > 0 and coef0 >= 0, so that conjunctions have "
                f"weights; the kernel is {machine.kernel}; use engine='inverted' or 'auto'"
            )
        native, rare, max_bytes, offsets, ids = _plan_arguments(machine, options)
        how: tuple[Any, ...] = (rare, max_bytes, offsets, ids, options.progress, options.rare_may_grow)
        return cls(machine, _core.ExpandedScorer(native, options.sigma, options.xi, *how), options)

    @classmethod
    def restored(cls, machine: Machine, options: CompileOptions, numbers: Any, arrays: dict[str, Bytes]) -> Expanded:
        return cls(machine, _core.ExpandedScorer.restore(machine._native, numbers, arrays), options)

    def _terms(self, longest: int) -> Floats:
        """Weights are sums over support rows; scores are sums of weights."""
        lengths = np.arange(longest + 1, dtype=np.float64)
        terms, choices = np.zeros(longest + 1), np.ones(longest + 1)
        for size in range(1, self.machine.polynomial.degree + 1):
            choices = choices * np.maximum(lengths - size + 1, 0) / size
            terms = np.minimum(terms + choices, float(self.numbers["conjunctions"]))
        # rare features add a term per support row besides
        return 2.0 * self.machine.n_support + terms

    def _omitted(self, X: Rows) -> Floats:
        return np.asarray(self.native.error_bounds(X.offsets, X.ids))

    def expected_work(self) -> dict[str, float]:
        nothing_rare = replace(self._options, engine="split", rare=0)
        options = nothing_rare if self._options.approximates else self._options
        terms = cost_terms(self.machine, options)["expanded"]
        touched = {term.name: term.count for term in terms}
        return {"ns": cost_of(terms)} | {name: touched[name] for name in ("entries", "probes", "lines")}


@register("rows")
class Split(Expanded):
    """Expanded for frequent features alone; the support rows of rare ones are compared (splitSVM)."""

    name = "split"


def why_real(machine: Machine, options: CompileOptions) -> str | None:
    """Why values other than 0 and 1 are computed with; None where there are none."""
    if not machine.is_binary_valued:
        return "support rows hold values other than 0 and 1"
    keeps = options.binarize is False and machine.kernel.takes_values
    return "binarize=False keeps data values" if keeps else None


# --- the cheapest -----------------------------------------------------------------------------------------------------


def cheapest(machine: Machine, options: CompileOptions) -> tuple[Engine, str]:
    """The engine that is expected to cost least among those that fit, and why."""
    real = why_real(machine, options)
    if real is not None:
        return Direct.build(machine, options), real
    known = engines_for(machine)
    costs = {name: cost for name, cost in expected_costs(machine, options).items() if name in known}
    if machine.is_polynomial and not machine.polynomial.expandable:
        del costs["expanded"]
    refused = []
    for name in sorted(costs, key=lambda name: costs[name]):
        try:
            engine = within(known[name].build(machine, options), options.max_bytes)
        except (ValueError, MemoryError) as error:
            refused.append(f"{name} did not fit: {error}")
            continue
        others = ", ".join(f"{other} {costs[other] / 1000:.2f}" for other in costs if other != name)
        reason = f"expected {costs[name] / 1000:.2f} us a row; {others}"
        return engine, "; ".join([reason, *refused])
    raise ValueError("no engine fits: " + "; ".join(refused))


@dataclass(frozen=True)
class Term:
    """A part of what a row is expected to cost."""

    name: str  # of what is counted
    each: float  # nanoseconds, a constant of the release
    count: float  # a row, on average


def cost_terms(machine: Machine, options: CompileOptions) -> dict[str, list[Term]]:
    """What a row is expected to touch with each engine."""
    plan = _plan_arguments(machine, options)
    found = _core.expected_costs(*(plan if machine.compares_sets else (plan[0], *plan[3:])))
    engines = {
        "direct": found.direct,
        "inverted": found.inverted,
        "bits": found.bits,
        "expanded": found.expanded,
    }
    return {engine: [Term(term.name, term.each, term.count) for term in terms] for engine, terms in engines.items()}


def cost_of(terms: Iterable[Term]) -> float:
    """In nanoseconds."""
    return sum(term.each * term.count for term in terms)


def expected_costs(machine: Machine, options: CompileOptions) -> dict[str, float]:
    """Nanoseconds a row is expected to cost with each engine."""
    return {engine: cost_of(terms) for engine, terms in cost_terms(machine, options).items()}


def _plan_arguments(machine: Machine, options: CompileOptions) -> tuple[Any, ...]:
    rows = options.sample
    return (
        machine._native,
        options.rare_count(machine),
        options.max_bytes,
        np.zeros(1, dtype=np.int64) if rows is None else rows.offsets,
        np.empty(0, dtype=np.int32) if rows is None else rows.ids,
    )
