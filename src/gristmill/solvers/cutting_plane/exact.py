"""Cutting planes over all examples, with a line search to the best point so far (OCAS).

Large problems are first solved on the examples near the margin, found by a small sample, and then checked on all. A
plane that leaves examples out is a plane of the whole problem too, so planes stay, and missing examples are added.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.arrays import Floats, Indices
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.result import Solution
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.cutting_plane.parts import PairPart, Part, ProductRequest, Requests

Step = Generator[ProductRequest, Floats, None]
AnyPart = Part | PairPart

_LARGE = 30_000  # variables; larger problems mostly use those near the margin
_SAMPLE = 20  # one of so many variables is in the sample that finds them
_BAND = 0.25  # how far beyond the margin
_ROUGH = 4.0  # times tol: the accuracy at which missing examples are added
_STALLED = 10  # rounds in a row without progress
_ROUNDING = 1e-14  # of the mean loss
_RELATIVE = 20.0  # times tol: relative to the objective, which may be far below all costs
_NEAR_BEST, _NEAR_MASTER = 0.1, 0.6  # where to cut, from the best point to the solution of the planes


def intercept_of(settings: SvmSettings, point: _core.BundlePoint, weights: Floats) -> float:
    """Of a point with these weights: that of the planes, or that of the constant feature."""
    return settings.constant * float(weights.sum()) if settings.constant else point.intercept


def with_best_intercept(
    settings: SvmSettings, problem: Problem, point: _core.BundlePoint, found: Solution, values: Floats | None
) -> Solution:
    """With the free intercept that is best for the point, where its products with all variables are known."""
    if not settings.is_balanced or values is None:
        return found
    intercept = optimal_intercept(problem.signs, values, problem.bounds)
    primal = point.norm / 2 + hinge_loss(problem.signs, values, problem.bounds, intercept)
    return replace(found, intercept=intercept, primal=None if found.primal is None else primal)


class Run(Protocol):
    """A problem that is being solved; `solution` may be called at any time."""

    gap: float  # relative to the sum of all costs

    def run(self) -> Requests: ...

    def solution(self) -> Solution: ...


class ExactRun:
    """One problem, by exact planes."""

    def __init__(self, problem: Problem, whole: AnyPart, settings: SvmSettings) -> None:
        self._problem = problem
        self._whole = whole
        self._settings = settings
        self._total = float(problem.bounds.sum())
        self._rounds = 0
        self._members: Indices = np.empty(0, dtype=np.intp)
        self._bundle: _core.Bundle | None = None
        self._upper = np.inf  # the objective of the solution so far, over all examples
        self._is_sparse = False  # the solution is that of the planes, not the best point
        self._of_start: tuple[Floats, float] | None = None  # its products with all variables, and its intercept
        self._values: Floats | None = None  # products of it with all variables, where some are not in the bundle
        self.gap = np.inf

    def run(self) -> Requests:
        n = len(self._problem.signs)
        if len(self._problem.start):
            near = yield from self._near_the_start()
        else:
            near = (yield from self._near_the_margin()) if n >= _LARGE else np.arange(n)
        part = yield from self._begin(near)
        if len(self._members) < n:
            part = yield from self._settle(part)
        yield from self._finish(part)

    def solution(self) -> Solution:
        """Of the planes if it is good enough, else the best point so far."""
        alpha = np.zeros(len(self._problem.signs))
        if self._bundle is None:
            return Solution(alpha, 0.0, 0.0, np.inf, self._rounds, converged=False)
        bundle = self._bundle
        point = bundle.master if self._is_sparse else bundle.best
        alpha[self._members] = np.minimum(point.dual, self._problem.bounds[self._members])
        intercept = intercept_of(self._settings, point, self._problem.signs * alpha)
        limited = 0 <= self._settings.max_iter <= self._rounds
        converged = self.gap <= self._allowed(bundle)
        found = Solution(
            *(alpha, intercept, -bundle.lower, self.gap, self._rounds, converged),
            limited=limited and not converged,
            primal=self._upper,
        )
        values = self._known_values(point) if self._has_all else self._values
        return with_best_intercept(self._settings, self._problem, point, found, values)

    # --- rounds -------------------------------------------------------------------------------------------------------

    def _round(self, bundle: _core.Bundle, part: AnyPart) -> Step:
        """Solve the planes; the best point moves."""
        bundle.solve(self._settings.patience)
        bundle.place((yield from part.values(bundle.master.weights)))
        bundle.search()
        self._rounds += bundle is self._bundle  # rounds on the sample do not count

    def _cut(self, bundle: _core.Bundle, part: AnyPart, stalled: int) -> Step:
        """Near the best point until it is good enough; then nearer to the solution of the planes."""
        toward = _NEAR_BEST if self._best_gap(bundle) > self._allowed(bundle) else _NEAR_MASTER
        toward = toward if self._settings.line_search and stalled == 0 else 1.0
        bundle.add((yield from part.values(bundle.cut(toward))))

    def _first_planes(self, bundle: _core.Bundle, part: AnyPart, signs: NDArray[np.int8]) -> Step:
        """Those of either sign keep a free intercept within bounds; then that of the origin."""
        if self._settings.is_balanced:
            for sign in (1, -1):
                bundle.add((yield from part.values(bundle.cut_where(signs == sign))))
        bundle.add((yield from part.values(bundle.cut(0.0))))

    def _until(self, bundle: _core.Bundle, part: AnyPart, is_enough: Callable[[], bool]) -> Step:
        """Rounds, each but the last with a new plane."""
        if self._is_out_of_rounds:
            return
        yield from self._round(bundle, part)
        stalled, before = 0, np.inf
        while not (is_enough() or self._is_out_of_rounds or stalled == _STALLED):
            yield from self._cut(bundle, part, stalled)
            yield from self._round(bundle, part)
            gap = self._best_gap(bundle)
            stalled = 0 if gap < before - _ROUNDING else stalled + 1
            before = min(gap, before)

    @property
    def _is_out_of_rounds(self) -> bool:
        return 0 <= self._settings.max_iter <= self._rounds

    def _best_gap(self, bundle: _core.Bundle) -> float:
        return (bundle.best.objective - bundle.lower) / self._total

    def _allowed(self, bundle: _core.Bundle) -> float:
        """The gap that is small enough: tol, and no more than some times tol of the objective."""
        return self._settings.tol * min(1.0, _RELATIVE * bundle.lower / self._total)

    # --- examples near the margin -------------------------------------------------------------------------------------

    def _near_the_margin(self) -> Generator[ProductRequest, Floats, Indices]:
        """Variables near the margin of a machine trained on a sample, with the costs of all."""
        problem = self._problem
        chosen = _spread_sample(problem)
        costs = problem.bounds[chosen] * (self._total / problem.bounds[chosen].sum())
        signs = np.ascontiguousarray(problem.signs[chosen])
        part = self._whole.restricted(chosen)
        bundle = _core.Bundle(signs, costs, self._total, self._settings.is_balanced)
        yield from self._first_planes(bundle, part, signs)
        yield from self._until(bundle, part, lambda: self._best_gap(bundle) <= _ROUGH * self._allowed(bundle))
        weights = np.zeros(len(problem.signs))
        weights[chosen] = bundle.best.weights
        values = yield from self._whole.values(weights)
        return np.flatnonzero(problem.signs * (values + bundle.best.intercept) < 1 + _BAND)

    def _begin(self, near: Indices) -> Generator[ProductRequest, Floats, AnyPart]:
        """The bundle of these variables; of all, if one sign is missing among them."""
        problem = self._problem
        if len(np.unique(problem.signs[near])) < len(np.unique(problem.signs)):
            near = np.arange(len(problem.signs))
        is_all = len(near) == len(problem.signs)
        part = self._whole if is_all else self._whole.restricted(near)
        signs = np.ascontiguousarray(problem.signs[near])
        bundle = _core.Bundle(signs, problem.bounds[near], self._total, self._settings.is_balanced)
        self._members, self._bundle = near, bundle
        yield from self._first_planes(bundle, part, signs)
        if self._of_start is not None:
            self._add_start(bundle, near, *self._of_start)
        return part

    def _near_the_start(self) -> Generator[ProductRequest, Floats, Indices]:
        """Variables near the margin of the start, or above 0 in it; all of a small problem."""
        problem, size = self._problem, len(self._problem.signs)
        values = yield from self._whole.values(problem.start * problem.signs)
        intercept = (
            optimal_intercept(problem.signs, values, problem.bounds) if self._settings.is_balanced and size else 0.0
        )
        self._of_start = values, intercept
        is_near = (problem.signs * (values + intercept) < 1 + _BAND) | (problem.start > 0)
        return np.flatnonzero(is_near | (size < _LARGE))

    def _add_start(self, bundle: _core.Bundle, near: Indices, values: Floats, intercept: float) -> None:
        """The start as the best point so far, and as a plane: the planes' solution is then no worse."""
        start, own = np.ascontiguousarray(self._problem.start[near]), np.ascontiguousarray(values[near])
        bundle.start(start, own, intercept)
        used = np.flatnonzero(start)
        if len(used):
            bundle.add_sample(used.astype(np.uint32), start[used] / self._total, own / self._total)

    def _settle(self, part: AnyPart) -> Generator[ProductRequest, Floats, AnyPart]:
        """Solve roughly and add missing variables, until those hardly matter."""
        bundle = self._made
        while not self._is_out_of_rounds:
            yield from self._until(bundle, part, lambda: self._best_gap(bundle) <= _ROUGH * self._allowed(bundle))
            values, loss = yield from self._on_all(bundle.best)
            members = len(self._members)
            if loss - bundle.best.loss > self._allowed(bundle):
                part = self._extended(part, values, bundle.best.intercept, values)
            if len(self._members) == members:
                break
        return part

    def _finish(self, part: AnyPart) -> Step:
        """Until the solution of the planes is good on all examples."""
        bundle = self._made
        while True:
            yield from self._until(bundle, part, self._is_certain)
            values, loss = yield from self._on_all(bundle.master)
            self._note(bundle.master, loss, values, is_sparse=True)
            if self.gap <= self._allowed(bundle):
                return
            of_best, loss = yield from self._on_all(bundle.best)
            self._note(bundle.best, loss, of_best, is_sparse=False)
            members = len(self._members)
            if not self._is_out_of_rounds:
                part = self._extended(part, values, bundle.master.intercept, of_best)
            if len(self._members) == members:
                return

    def _is_certain(self) -> bool:
        bundle = self._made
        if self._has_all:
            self._note(bundle.best, bundle.best.loss, None, is_sparse=False)
        return (bundle.master.objective - bundle.lower) / self._total <= self._allowed(bundle)

    @property
    def _made(self) -> _core.Bundle:
        assert self._bundle is not None
        return self._bundle

    @property
    def _has_all(self) -> bool:
        return len(self._members) == len(self._problem.signs)

    def _note(self, point: _core.BundlePoint, loss: float, values: Floats | None, *, is_sparse: bool) -> None:
        """Set the solution so far and its loss over all examples; `values` if the bundle lacks variables."""
        self._values = values
        self._upper, self._is_sparse = point.norm / 2 + self._total * loss, is_sparse
        self.gap = (self._upper - self._made.lower) / self._total

    def _on_all(self, point: _core.BundlePoint) -> Generator[ProductRequest, Floats, tuple[Floats, float]]:
        """Products of a point for all variables, and its mean hinge loss."""
        if self._has_all:
            return self._known_values(point), point.loss
        weights = np.zeros(len(self._problem.signs))
        weights[self._members] = point.weights
        values = yield from self._whole.values(weights)
        return values, hinge_loss(self._problem.signs, values, self._problem.bounds, point.intercept) / self._total

    def _known_values(self, point: _core.BundlePoint) -> Floats:
        """Products of a point for all variables, from its margins."""
        values = np.empty(len(self._problem.signs))
        values[self._members] = self._problem.signs[self._members] * point.margins - point.intercept
        return values

    def _extended(self, part: AnyPart, values: Floats, intercept: float, of_best: Floats) -> AnyPart:
        """With all variables near the margin that were missing."""
        missing = self._problem.signs * (values + intercept) < 1 + _BAND
        missing[self._members] = False
        new = np.flatnonzero(missing)
        if len(new) == 0:
            return part
        signs = np.ascontiguousarray(self._problem.signs[new])
        self._made.extend(signs, self._problem.bounds[new], np.ascontiguousarray(of_best[new]))
        self._members = np.concatenate([self._members, new])
        return self._whole.restricted(self._members)


def _spread_sample(problem: Problem) -> Indices:
    """Some of the variables of either sign, spread over all."""
    parts = [np.flatnonzero(problem.signs == sign)[::_SAMPLE] for sign in (1, -1)]
    return np.sort(np.concatenate(parts))


_SAME_COSTS = 1e-10  # relative to all costs: sums that differ by less are equal


def optimal_intercept(signs: NDArray[np.int8], values: Floats, costs: Floats) -> float:
    """The middle of the interval of b that minimise sum_v cost_v max(0, 1 - sign_v (value_v + b)).

    The loss is piecewise linear in b, and convex. Its slope starts at minus the costs of all positive variables, and
    grows by the cost of a variable where this one meets the margin, at b = sign - value.
    """
    meets = signs - values
    order = np.argsort(meets, kind="stable")
    slopes = np.cumsum(costs[order]) - costs[signs > 0].sum()
    level = _SAME_COSTS * costs.sum()
    last = len(slopes) - 1
    low, high = (min(int(np.searchsorted(slopes, limit)), last) for limit in (-level, level))
    return float(meets[order[low]] + meets[order[high]]) / 2


def hinge_loss(signs: NDArray[np.int8], values: Floats, costs: Floats, intercept: float) -> float:
    """The total cost of margins below 1."""
    return float(costs @ np.maximum(1 - signs * (values + intercept), 0))
