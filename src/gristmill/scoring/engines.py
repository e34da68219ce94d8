"""Engines: the ways to evaluate a machine. Each registers for the kinds of examples that it scores.

`row_engines` has those for kernels of sets on rows, `conjunction_engines` those where the conjunctions of rows are
given, `kernel_engines` those for every other kernel. A new engine is a class there.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from gristmill.base.arrays import Floats, Int32s
from gristmill.base.progress import Progress
from gristmill.machines.machine import Machine
from gristmill.scoring.options import CompileOptions

# On rows; the last two are for polynomial kernels.
ENGINES = ("auto", "direct", "inverted", "bits", "expanded", "split")
EPSILON = float(np.finfo(np.float64).eps)
VANISHING = float(np.finfo(np.float64).smallest_normal)  # times EPSILON is the smallest double there is


@dataclass(frozen=True)
class EarlyStopStats:
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
class Visits:
    """What scoring rows looks at, in all."""

    rows: int
    features: int  # known to the machine
    conjunctions: int  # of two features and more that are looked up, whether they are stored or not
    support_rows: int  # that have a rare feature, and are compared


class Engine(abc.ABC):
    """A machine, compiled. Immutable: threads share it."""

    name: ClassVar[str]
    exact = True
    keeps_values = False  # whether data values other than 0 and 1 are computed with
    conjunctions: int | None = None  # stored with their weights
    tiers: tuple[int, int, int] | None = None  # how many features are dense, common and rare

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    @classmethod
    def takes(cls, machine: Machine) -> bool:
        """Whether the engine is for machines with such a kernel."""
        return True

    @classmethod
    @abc.abstractmethod
    def build(cls, machine: Machine, options: CompileOptions) -> Engine:
        """Compile; ValueError where the machine or the options do not allow it."""

    @property
    def nbytes(self) -> int:
        return 0

    @abc.abstractmethod
    def scores(self, X: Any, threads: int, progress: Progress | None) -> Floats:
        """Scores, examples x outputs."""

    @abc.abstractmethod
    def bounds(self, X: Any) -> Floats:
        """How far each score may lie from the definition's: rounding, and what an approximation left out."""

    def decide(self, X: Any, threads: int, progress: Progress | None) -> tuple[Int32s, EarlyStopStats] | None:
        """Class numbers, -1 where they hang on rounding; None when the engine has no shorter way than scores."""
        return None

    def resolved(self, X: Any, threads: int) -> Floats:
        """Scores that decide as the definition does, of examples for which the engine's own do not."""
        return self.definition.scores(X, threads, None)

    @property
    def definition(self) -> Engine:
        """The machine by its definition."""
        return self if self.name == "direct" else self._definition

    @functools.cached_property
    def _definition(self) -> Engine:
        return definition_of(self.machine)

    def visits(self, X: Any) -> Visits | None:
        """What scoring looks at; None where the engine does not count it."""
        return None

    def expected_work(self) -> dict[str, float]:
        """What an example is expected to touch and cost, for `Scorer.report`."""
        return {}


E = TypeVar("E", bound=type[Engine])
_REGISTERED: dict[str, list[type[Engine]]] = {}  # by kind of examples


def register(*kinds: str) -> Callable[[E], E]:
    """Make an engine known for these kinds of examples. Of those with one name, only one takes any given machine."""

    def named(engine: E) -> E:
        for kind in kinds:
            _REGISTERED.setdefault(kind, []).append(engine)
        return engine

    return named


def engines_for(machine: Machine) -> dict[str, type[Engine]]:
    """The engines that take a machine, by name."""
    known = _REGISTERED[machine.support.kind]
    return {engine.name: engine for engine in known if engine.takes(machine)}


def definition_of(machine: Machine) -> Engine:
    """The machine by its definition."""
    return engines_for(machine)["direct"].build(machine, CompileOptions("direct"))


def within(engine: Engine, max_bytes: int | None) -> Engine:
    """The engine; ValueError where it takes more than so many bytes."""
    if max_bytes is not None and engine.nbytes > max_bytes:
        raise ValueError(
            f"engine {engine.name!r} takes {engine.nbytes} bytes for this machine, more than max_bytes={max_bytes}"
        )
    return engine
