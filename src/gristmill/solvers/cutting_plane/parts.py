"""Variables that take part in a bundle, and how runs ask for products."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.solvers.cutting_plane.sources import Source


@dataclass(frozen=True)
class Ask:
    """A run wants the product of these weights, one for each example of the source; no weights: it only pauses."""

    source: Source
    weights: Floats

    @property
    def is_pause(self) -> bool:
        return len(self.weights) == 0


Asking = Generator[Ask, Floats, None]


@dataclass(frozen=True)
class Part:
    """Some variables: which example of a source each is, and what a constant feature adds to the kernel."""

    source: Source
    places: Indices
    constant: float = 0.0

    def values(self, weights: Floats) -> Generator[Ask, Floats, Floats]:
        """Products of weights of the variables, for the variables."""
        folded = np.asarray(np.bincount(self.places, weights=weights, minlength=self.source.size), dtype=np.float64)
        found = yield Ask(self.source, folded)
        values = np.ascontiguousarray(found[self.places])
        if self.constant:
            values += self.constant * weights.sum()
        return values

    def pause(self) -> Asking:
        """Let others look at how far things are."""
        yield Ask(self.source, np.empty(0))

    def restricted(self, variables: Indices) -> Part:
        """Some of the variables, and their examples only."""
        examples, places = np.unique(self.places[variables], return_inverse=True)
        return Part(self.source.restricted(examples), np.asarray(places, dtype=np.intp), self.constant)


@dataclass(frozen=True)
class PairPart:
    """Variables that are pairs of examples: what the first has more than the second."""

    source: Source
    better: Indices
    worse: Indices

    def values(self, weights: Floats) -> Generator[Ask, Floats, Floats]:
        """As `Part.values`."""
        size = self.source.size
        gains, losses = (np.bincount(ends, weights=weights, minlength=size) for ends in (self.better, self.worse))
        found = yield Ask(self.source, np.asarray(gains - losses, dtype=np.float64))
        return np.asarray(found[self.better] - found[self.worse])

    def restricted(self, variables: Indices) -> PairPart:
        """Some of the pairs, and their examples only."""
        ends = np.concatenate([self.better[variables], self.worse[variables]])
        examples, places = np.unique(ends, return_inverse=True)
        better, worse = np.split(np.asarray(places, dtype=np.intp), 2)
        return PairPart(self.source.restricted(examples), better, worse)


def drive(runs: Sequence[Asking]) -> Generator[None, None, None]:
    """Give all runs what they ask for, products of one source together; yields after every round."""
    waiting: dict[int, Ask] = {}
    for number, run in enumerate(runs):
        _go_on(waiting, number, run, None)
    while waiting:
        for numbers in _by_source(waiting):
            weights = np.stack([waiting[number].weights for number in numbers], axis=1)
            found = waiting[numbers[0]].source.multiply(weights) if len(weights) else weights
            for column, number in enumerate(numbers):
                _go_on(waiting, number, runs[number], np.ascontiguousarray(found[:, column]))
        yield


def _go_on(waiting: dict[int, Ask], number: int, run: Asking, found: Floats | None) -> None:
    try:
        waiting[number] = next(run) if found is None else run.send(found)
    except StopIteration:
        waiting.pop(number, None)


def _by_source(waiting: dict[int, Ask]) -> list[list[int]]:
    groups: dict[tuple[int, bool], list[int]] = {}
    for number, ask in waiting.items():
        groups.setdefault((id(ask.source), ask.is_pause), []).append(number)
    return list(groups.values())
