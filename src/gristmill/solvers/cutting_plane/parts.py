"""Variables of a bundle, and the products that runs request."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.solvers.cutting_plane.sources import Source


@dataclass(frozen=True)
class ProductRequest:
    """A run needs the product of the Gram matrix with these weights, one per example of the source. Empty: a pause."""

    source: Source
    weights: Floats

    @property
    def is_pause(self) -> bool:
        return len(self.weights) == 0


Requests = Generator[ProductRequest, Floats, None]


@dataclass(frozen=True)
class Part:
    """Some variables: the example of each in a source, and what a constant feature adds to the kernel."""

    source: Source
    places: Indices
    constant: float = 0.0

    def values(self, weights: Floats) -> Generator[ProductRequest, Floats, Floats]:
        """Products of weights of the variables, for the variables."""
        folded = np.asarray(np.bincount(self.places, weights=weights, minlength=self.source.size), dtype=np.float64)
        found = yield ProductRequest(self.source, folded)
        values = np.ascontiguousarray(found[self.places])
        if self.constant:
            values += self.constant * weights.sum()
        return values

    def pause(self) -> Requests:
        """Let the caller report progress."""
        yield ProductRequest(self.source, np.empty(0))

    def restricted(self, variables: Indices) -> Part:
        """Some of the variables, and their examples only."""
        examples, places = np.unique(self.places[variables], return_inverse=True)
        return Part(self.source.restricted(examples), np.asarray(places, dtype=np.intp), self.constant)


@dataclass(frozen=True)
class PairPart:
    """Variables that are pairs of examples: the difference of the first and the second."""

    source: Source
    better: Indices
    worse: Indices

    def values(self, weights: Floats) -> Generator[ProductRequest, Floats, Floats]:
        """As `Part.values`."""
        size = self.source.size
        gains, losses = (np.bincount(ends, weights=weights, minlength=size) for ends in (self.better, self.worse))
        found = yield ProductRequest(self.source, np.asarray(gains - losses, dtype=np.float64))
        return np.asarray(found[self.better] - found[self.worse])

    def restricted(self, variables: Indices) -> PairPart:
        """Some of the pairs, and their examples only."""
        ends = np.concatenate([self.better[variables], self.worse[variables]])
        examples, places = np.unique(ends, return_inverse=True)
        better, worse = np.split(np.asarray(places, dtype=np.intp), 2)
        return PairPart(self.source.restricted(examples), better, worse)


def drive(runs: Sequence[Requests]) -> Generator[None, None, None]:
    """Compute the products that all runs request, those of one source together; yields after every round."""
    waiting: dict[int, ProductRequest] = {}
    for number, run in enumerate(runs):
        _resume(waiting, number, run, None)
    while waiting:
        for numbers in _by_source(waiting):
            weights = np.stack([waiting[number].weights for number in numbers], axis=1)
            found = waiting[numbers[0]].source.multiply(weights) if len(weights) else weights
            for column, number in enumerate(numbers):
                _resume(waiting, number, runs[number], np.ascontiguousarray(found[:, column]))
        yield


def _resume(waiting: dict[int, ProductRequest], number: int, run: Requests, found: Floats | None) -> None:
    try:
        waiting[number] = next(run) if found is None else run.send(found)
    except StopIteration:
        waiting.pop(number, None)


def _by_source(waiting: dict[int, ProductRequest]) -> list[list[int]]:
    groups: dict[tuple[int, bool], list[int]] = {}
    for number, request in waiting.items():
        groups.setdefault((id(request.source), request.is_pause), []).append(number)
    return list(groups.values())
