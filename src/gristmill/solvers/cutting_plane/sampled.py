"""Cutting planes over samples (Yu and Joachims 2008): uniform ones, and ones of the examples that have a loss.

A sample is drawn by cost, spread evenly over all costs: with equal costs and as many draws as examples, every example
is drawn once. Planes of samples are below the loss on average only, so a test that one sample passes is repeated with
another one, or with all examples.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Floats, Indices
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.result import Solution
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.cutting_plane.exact import intercept_of, with_best_intercept
from gristmill.solvers.cutting_plane.parts import Part, ProductRequest, Requests

Step = Generator[ProductRequest, Floats, None]

_ENOUGH = 100  # draws per variable; more would not help
_LATELY, _HARDLY = 100, 1e-3  # rounds in which the lower bound must rise by this share; else sampling stops


@dataclass(frozen=True)
class Sample:
    """Different variables and their weights, which add up to 1."""

    variables: Indices
    weights: Floats


@dataclass(frozen=True)
class Urn:
    """Variables to draw from, and their cumulated costs."""

    variables: Indices
    ends: Floats

    @property
    def total(self) -> float:
        return float(self.ends[-1])


class Draws:
    """Samples of variables, by cost."""

    def __init__(self, costs: Floats, signs: NDArray[np.int8], kind: str | None, size: int, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self.size = min(size, _ENOUGH * len(costs))
        self._costs = costs
        self._sides = [self.urn(np.flatnonzero(signs == sign)) for sign in (1, -1)]
        self._all = None if kind == "balanced" else self.urn(np.arange(len(costs)))

    def urn(self, variables: Indices) -> Urn:
        """An urn of some variables."""
        return Urn(variables, np.cumsum(self._costs[variables]))

    def of_all(self) -> Sample:
        """A sample by cost; if balanced, as many of either sign, with weights that correct for it."""
        if self._all is not None:
            return self.draw(self._all, self.size)
        total = sum(side.total for side in self._sides)
        drawn = [self.draw(side, (self.size + 1) // 2, side.total / total) for side in self._sides]
        return Sample(*(np.concatenate([getattr(each, name) for each in drawn]) for name in ("variables", "weights")))

    def of_sign(self, sign: int) -> Sample:
        """A sample of one sign, with the total weight of that sign."""
        side = self._sides[0 if sign > 0 else 1]
        return self.draw(side, self.size, side.total / sum(each.total for each in self._sides))

    def draw(self, urn: Urn, size: int, weight: float = 1.0) -> Sample:
        """`size` draws, by cost, one in each of as many equal parts of all costs; together they count `weight`."""
        points = (np.arange(size) + self._random.random(size)) * (urn.total / size)
        places = np.searchsorted(urn.ends, points, side="right")
        last = len(urn.variables) - 1  # rounding may exceed it
        drawn, counts = np.unique(np.minimum(places, last), return_counts=True)
        return Sample(urn.variables[drawn], weight * counts / size)


class SampledRun:
    """Base of sampled runs: a bundle of sampled planes."""

    def __init__(self, problem: Problem, whole: Part, settings: SvmSettings, number: int) -> None:
        self._problem = problem
        self._whole = whole
        self._settings = settings
        self._total = float(problem.bounds.sum())
        seed = int(np.random.default_rng([settings.seed, number]).integers(2**63))  # each problem has its own samples
        self._draws = Draws(problem.bounds, problem.signs, settings.sampling, settings.sample_size, seed)
        self._bundle = _core.Bundle(problem.signs, problem.bounds, self._total, settings.is_balanced)
        self._rounds = 0
        self._is_known = False  # whether losses of all examples are known
        self._passed = False
        self._before = -np.inf  # the lower bound some rounds ago
        self.gap = np.inf

    def solution(self) -> Solution:
        point = self._bundle.best if self._is_known else self._bundle.master
        alpha = np.asarray(point.dual)  # may be above C: few variables stand for many
        intercept = intercept_of(self._settings, point, self._problem.signs * alpha)
        limited = not self._passed and 0 <= self._settings.max_iter <= self._rounds
        primal = point.objective if self._is_known else None
        found = (alpha, intercept, -self._bundle.lower, self.gap, self._rounds, self._passed)
        values = self._problem.signs * point.margins - point.intercept if self._is_known else None
        return with_best_intercept(
            self._settings, self._problem, point, Solution(*found, limited=limited, primal=primal), values
        )

    @property
    def _is_over(self) -> bool:
        """Whether max_iter is reached, or the last rounds did not help."""
        if self._rounds % _LATELY == 0:
            before, self._before = self._before, self._bundle.lower
            if self._before <= before * (1 + _HARDLY):
                return True
        return 0 <= self._settings.max_iter <= self._rounds

    def _first_planes(self) -> Step:
        """With a free intercept a plane of either sign, to bound it; then a plane of both."""
        if self._settings.is_balanced:
            for sign in (1, -1):
                yield from self._add(self._draws.of_sign(sign))
        yield from self._add(self._draws.of_all())
        self._bundle.solve(self._settings.patience)

    def _add(self, plane: Sample) -> Step:
        """Add a plane; its products are needed for the members of all planes."""
        weights = np.zeros(len(self._problem.signs))
        weights[plane.variables] = plane.weights * self._problem.signs[plane.variables]
        known = self._bundle.members()
        needed = np.concatenate([known, plane.variables.astype(known.dtype)])
        values = np.zeros(len(weights))
        values[needed] = yield from self._values(needed, weights)
        self._bundle.add_sample(plane.variables.astype(np.uint32), plane.weights, values)

    def _values(self, needed: NDArray[Any], weights: Floats) -> Generator[ProductRequest, Floats, Floats]:
        """Products of weights for some variables: pair by pair if that is cheaper."""
        part = self._whole
        used = np.flatnonzero(weights)
        if part.source.prefers_products(len(needed), len(used)):
            everywhere = yield from part.values(weights)
            return np.asarray(everywhere[needed])
        examples, places = np.unique(part.places[used], return_inverse=True)
        folded = np.bincount(places, weights=weights[used], minlength=len(examples))
        some, back = np.unique(part.places[needed], return_inverse=True)
        values = part.source.partial(some, examples, np.asarray(folded, dtype=np.float64))[back]
        return np.asarray(values + part.constant * float(weights.sum()))

    def _measured_on_all(self) -> Generator[ProductRequest, Floats, float]:
        """The gap between the loss of the solution over all examples and the lower bound."""
        bundle = self._bundle
        bundle.place((yield from self._whole.values(bundle.master.weights)))
        bundle.search()
        return (bundle.master.objective - bundle.lower) / self._total


class UniformRun(SampledRun):
    """uSVM: a round looks at a sample only, so its work does not grow with the examples."""

    def run(self) -> Requests:
        yield from self._first_planes()
        while True:
            yield from self._whole.pause()
            self._rounds += 1
            sample, margins = yield from self._look()
            if self._is_over or (self.gap <= self._settings.tol and (yield from self._is_confirmed())):
                return
            chosen = margins <= 1
            if chosen.any():
                yield from self._add(Sample(sample.variables[chosen], sample.weights[chosen]))
            self._bundle.solve(self._settings.patience)

    def _look(self) -> Generator[ProductRequest, Floats, tuple[Sample, Floats]]:
        """A new sample, its margins and the gap of it."""
        sample = self._draws.of_all()
        master = self._bundle.master
        values = yield from self._values(sample.variables, master.weights)
        margins = self._problem.signs[sample.variables] * (values + master.intercept)
        self.gap = max(float(sample.weights @ np.maximum(1 - margins, 0)) - self._bundle.slack, 0.0)
        return sample, margins

    @property
    def _confirms_on_all(self) -> bool:
        """A sample as large as the data costs as much as all of them."""
        return self._settings.confirm == "all" or self._draws.size >= len(self._problem.signs)

    def _is_confirmed(self) -> Generator[ProductRequest, Floats, bool]:
        """Whether a fresh sample, or all examples, pass the test as well."""
        if self._confirms_on_all:
            self.gap = yield from self._measured_on_all()
        else:
            yield from self._look()
        self._passed = self.gap <= self._settings.tol
        self._is_known = self._passed and self._confirms_on_all  # else what comes is of samples again
        return self._passed


class ImportanceRun(SampledRun):
    """iSVM: a round looks at all examples, and makes its plane of a sample of those that have a loss.

    The other plane, that of all examples, is for the test only.
    """

    def run(self) -> Requests:
        yield from self._first_planes()
        while True:
            self._rounds += 1
            bundle = self._bundle
            yield from self._measured_on_all()
            self._is_known = True
            self.gap = max(bundle.master.loss - bundle.slack, 0.0)
            self._passed = self.gap <= self._settings.tol
            if self._passed or self._is_over:
                return
            yield from self._add(self._of_violators())
            bundle.solve(self._settings.patience)

    def _of_violators(self) -> Sample:
        """A sample of them that counts as much as they do together."""
        violators = self._draws.urn(np.flatnonzero(self._bundle.master.margins < 1))
        return self._draws.draw(violators, self._draws.size, violators.total / self._total)
