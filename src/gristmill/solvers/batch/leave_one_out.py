"""Scores of training examples by machines that are trained without them, all from one solution.

An example whose variable is 0 changes nothing but, where no variable is free, the interval of the intercept. Each of
the others is forgotten alone, from the present solution: decomposition begins with its variable forced down to what
equal examples leave it, and the score of the example is part of the gradient that is kept up to date.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.solvers.batch.forgetting import filled
from gristmill.solvers.batch.present import Present
from gristmill.solvers.batch.problems import Problem
from gristmill.solvers.batch.settings import SvmSettings

_ROUNDING = 1e-12  # of bounds: nearer to one is at it, as for the intercept
_AT_ONCE = 64  # problems
_BYTES = 256 << 20  # that they may take
_EACH = 64  # bytes of a variable


@dataclass(frozen=True)
class LeftOut:
    """One example of a problem, and its variables with the bounds that are left to them."""

    example: int
    variables: Indices
    bounds: Floats


def left_out_scores(
    present: Present,
    scores: Floats,
    examples: Indices,
    *,
    share: float | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[Floats, Flags]:
    """Scores of these examples, each by the machine of all others; and which of them took a solution of their own.

    Parameters
    ----------
    present : Present
    scores : float array, examples x outputs
        By the machine of all examples.
    examples : int array
    share : float or None
        Of a one-class machine: nu, the share of all costs that the variables add up to.
    """
    found, solved = scores[examples].copy(), np.zeros(len(examples), dtype=bool)
    gradients = present.gradients()
    known = zip(present.task.problems, present.alphas, gradients, strict=True)
    changed = [_changed(*one, examples, present.task.settings, share is not None) for one in known]
    done, in_all = 0, sum(map(len, changed))
    for output, some in enumerate(changed):
        run = _Run(present, output, gradients[output], share, n_jobs)
        for begin in range(0, len(some), run.at_once):
            part = some[begin : begin + run.at_once]
            places = np.searchsorted(examples, [one.example for one in part])
            found[places, output], solved[places] = run.scores(part), True
            done += len(part)
            if progress is not None:
                progress(done, in_all)
    return found, solved


class _Run:
    """Solves one problem again and again, each time without an example."""

    def __init__(
        self, present: Present, output: int, gradient: Floats, share: float | None, n_jobs: int | None
    ) -> None:
        self._problem, self._alpha = present.task.problems[output], present.alphas[output]
        self._gradient, self._share, self._jobs = gradient, share, n_jobs
        self._settings = present.task.settings
        self._rows = present.task.rows.native(n_jobs, None)
        size = max(len(self._alpha), 1)
        self.at_once = int(np.clip(_BYTES // (_EACH * size), 1, _AT_ONCE))

    def scores(self, left: list[LeftOut]) -> list[float]:
        settings = self._settings
        duals = [self._without(one).native(settings) for one in left]
        solver = _core.SmoSolver(self._rows, duals, settings.tol, settings.max_iter, settings.shrinking)
        solver.solve(resolve_jobs(self._jobs), None)
        return [self._score(solver.solution(at), one) for at, one in enumerate(left)]

    def _without(self, one: LeftOut) -> Problem:
        bounds = self._problem.bounds.copy()
        bounds[one.variables] = one.bounds
        if self._share is None:
            return replace(self._problem, bounds=bounds, start=self._alpha, gradient=self._gradient)
        start = filled(np.minimum(self._alpha, bounds), bounds, self._share * float(bounds.sum()))
        return replace(self._problem, bounds=bounds, start=start)

    def _score(self, found: _core.DualSolution, one: LeftOut) -> float:
        at, problem = one.variables[0], self._problem
        score = found.gradient[at] - problem.signs[at] * problem.linear[at]
        return float(score + found.intercept) if self._settings.is_balanced else float(score)


def _changed(
    problem: Problem, alpha: Floats, gradient: Floats, examples: Indices, settings: SvmSettings, every: bool
) -> list[LeftOut]:
    """Those of the examples without which the solution, or its intercept, may be another."""
    ends = _ends(problem, alpha, gradient) if settings.is_balanced else np.zeros(len(alpha), dtype=bool)
    counts = np.bincount(problem.variables, minlength=len(alpha))
    found = []
    order = np.argsort(problem.members, kind="stable")
    members = problem.members[order]
    first, last = np.searchsorted(members, examples), np.searchsorted(members, examples, side="right")
    for example, begin, end in zip(examples.tolist(), first.tolist(), last.tolist(), strict=True):
        entries = order[begin:end]
        if len(entries) == 0:
            continue
        own = problem.variables[entries]
        less = np.where(counts[own] == 1, 0.0, problem.bounds[own] - problem.costs[entries])
        supports = alpha[own] > np.where(less > 0, less * (1 - _ROUNDING), 0.0)
        if every or supports.any() or (ends[own] & (less == 0)).any():
            found.append(LeftOut(example, own, less))
    return found


def _ends(problem: Problem, alpha: Floats, gradient: Floats) -> Flags:
    """Variables at an end of the interval of the intercept; none where a free variable says what it is."""
    near = _ROUNDING * np.minimum(problem.bounds, alpha.max(initial=0.0))
    above, below = alpha > near, alpha < problem.bounds - near
    if (above & below).any():
        return np.zeros(len(alpha), dtype=bool)
    positive = problem.signs > 0
    may_grow, may_fall = np.where(positive, below, above), np.where(positive, above, below)
    low = gradient[may_fall].max(initial=-np.inf)
    high = gradient[may_grow].min(initial=np.inf)
    return np.asarray((may_fall & (gradient == low)) | (may_grow & (gradient == high)))
