"""The working set: examples on the client, solved exactly by any solver, from the solution of the round before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.base.progress import Progress
from gristmill.cluster.examples import KeyedExamples
from gristmill.cluster.keys import NO_KEYS, Keys, is_among, key_order
from gristmill.solvers.batch.problems import Problem, balance
from gristmill.solvers.batch.result import SvmFit
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings
from gristmill.solvers.batch.training import make_task, solve_task

_FAR = 0.1  # beyond the margin: examples nearer than that come back


@dataclass(frozen=True)
class WorkingSet:
    """Examples by ascending key, with the variables of each output where they were solved before.

    An example leaves at most once: one that comes back stays, so that rounds end.
    """

    examples: KeyedExamples
    alphas: Floats  # examples x outputs; 0 for new ones
    have_left: Keys

    @classmethod
    def of(cls, examples: KeyedExamples, n_outputs: int) -> WorkingSet:
        return cls(examples, np.zeros((len(examples), n_outputs)), NO_KEYS)

    def __len__(self) -> int:
        return len(self.examples)

    def solve(
        self,
        settings: SvmSettings,
        classes: NDArray[Any],
        class_factors: Floats,
        n_jobs: int | None,
        progress: Progress | None,
    ) -> tuple[SvmFit, WorkingSet]:
        """The solution, from these variables, and the set with those of the solution."""
        examples = self.examples
        rows = TrainingRows.of(settings, examples.data, None)
        task = make_task(rows, examples.labels, classes, settings, (examples.factors(), class_factors), None, None)
        started = [self._started(problem, output, settings) for output, problem in enumerate(task.problems)]
        fit = solve_task(replace(task, problems=started), n_jobs, progress)
        return fit, self._solved(fit)

    def _started(self, problem: Problem, output: int, settings: SvmSettings) -> Problem:
        own = self.alphas[problem.members, output]
        if not own.any():
            return problem
        sums = np.bincount(problem.variables, weights=own, minlength=len(problem.bounds)).astype(np.float64)
        start = np.minimum(sums, problem.bounds)
        if settings.is_balanced:
            balance(start, problem.signs > 0)
        return replace(problem, start=start)

    def _solved(self, fit: SvmFit) -> WorkingSet:
        """Examples that are one variable (equal ones of two classes against a third) share its value."""
        alphas = np.zeros_like(self.alphas)
        for output, (problem, alpha) in enumerate(zip(fit.problems, fit.alphas, strict=True)):
            alphas[problem.members, output] = np.abs(problem.coefficients(alpha))
        return replace(self, alphas=alphas)

    def scaled(self, factor: float) -> WorkingSet:
        """With variables for other costs."""
        return replace(self, alphas=self.alphas * factor)

    def without_idle(self, margins: Floats) -> WorkingSet:
        """Without examples whose variables are 0 and whose margin is well above 1 in every output that they are in."""
        idle = ~self.alphas.any(axis=1) & (margins > 1 + _FAR).all(axis=1)
        idle &= ~is_among(self.examples.keys, self.have_left)
        idle[np.unique(self.examples.labels, return_index=True)[1]] = False  # of every class one stays
        known = np.concatenate([self.have_left, self.examples.keys[idle]])
        return replace(self._taken(~idle), have_left=known[key_order(known)])

    def joined(self, parts: Sequence[KeyedExamples], room: int) -> WorkingSet:
        """With violators, those of the smallest keys if there is no room for all."""
        added = KeyedExamples.joined(parts)
        added = added.take(np.arange(min(len(added), room)))
        both = KeyedExamples.joined([self.examples, added])
        alphas = np.zeros((len(both), self.alphas.shape[1]))
        alphas[is_among(both.keys, self.examples.keys)] = self.alphas
        return replace(self, examples=both, alphas=alphas)

    def _taken(self, kept: Flags) -> WorkingSet:
        numbers: Indices = np.flatnonzero(kept)
        return replace(self, examples=self.examples.take(numbers), alphas=self.alphas[numbers])
