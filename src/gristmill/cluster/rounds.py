"""Exact training over partitions, in rounds.

A working set is solved exactly on the client. Every partition is scored by the machine found: it returns its loss and
the examples outside the working set that violate their margin, which join it. The solution of the working set is that
of all examples as soon as no other example violates its margin.

Certificate, at every round: the variables of the working set, and zeros for all other examples, are feasible for the
dual of the whole problem, so their dual value is a lower bound of the minimum; the objective of the machine on all
examples is an upper bound. Losses are counted in whole units and rounded up.

Nothing depends on the number or order of partitions and workers: examples are known by the hash of their content, equal
ones are merged, the working set is sorted by hash, and sums are sums of whole numbers.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.cluster.examples import UNITS, KeyedExamples
from gristmill.cluster.models import SharedModel
from gristmill.cluster.partitions import LOSS_UNITS, Answer, Question, Survey, answer, below, margins_of
from gristmill.cluster.working_set import WorkingSet
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme
from gristmill.scoring.scorer import Scorer
from gristmill.solvers.batch.problems import class_sides, scheme_of
from gristmill.solvers.batch.result import SvmFit
from gristmill.solvers.batch.settings import SvmSettings

_FIRST, _SHARE = 10_000, 20  # examples of the first working set: so many, or one in so many
_OF_A_CLASS = 50  # at least, in the first working set
_GROWING, _ROUGH = 10, 10.0  # a set that has grown by one in so many is solved to so many times tol
_OBJECTIVE = 20  # times tol of the objective that a gap may be, as for cutting planes on one machine


class Partitions(Protocol):
    """Where the keyed examples are; a function of a partition is called for each of them, where it is."""

    def map(self, function: Callable[..., Any], shared: Any) -> list[Any]:
        """function(examples, shared) of all partitions, in their order."""
        ...

    def share(self, machine: Machine) -> tuple[SharedModel, Scorer]:
        """The machine as it goes to where the partitions are, and compiled as it is there."""
        ...


@dataclass(frozen=True)
class Round:
    """What a round has found; `bounds` are, per output, those of the minimum of the whole objective."""

    number: int
    working_set: int
    n_support: int
    n_violators: int
    bounds: Floats
    bytes_moved: int
    seconds: float

    @property
    def gap(self) -> float:
        """The largest distance between the bounds of an output, relative to the upper one."""
        lower, upper = self.bounds.T
        return float(np.max((upper - lower) / np.maximum(upper, np.finfo(float).tiny)))


@dataclass(frozen=True)
class Totals:
    """What the surveys of all partitions say together."""

    classes: NDArray[Any]
    units: list[int]  # weight of each class
    counts: list[int]  # examples of each class

    @classmethod
    def of(cls, surveys: Sequence[Survey]) -> Totals:
        found = [np.asarray(one.classes) for one in surveys if one.classes]
        if not found:
            raise ValueError("there are no examples with a weight above 0")
        if len({labels.dtype.kind in "US" for labels in found}) > 1:
            raise ValueError("labels are words in some partitions and numbers in others: they must be of one kind")
        classes = np.unique(np.concatenate(found))
        places = {label: number for number, label in enumerate(classes.tolist())}
        units, counts = [0] * len(classes), [0] * len(classes)
        for one in surveys:
            for label, unit, count in zip(one.classes, one.units, one.counts, strict=True):
                units[places[label]] += unit
                counts[places[label]] += count
        return cls(classes, units, counts)

    def factors(self, class_weight: Any) -> Floats:
        """Factors of C by class, as KernelSVC has them."""
        if class_weight is None:
            return np.ones(len(self.classes))
        if isinstance(class_weight, str):
            total = sum(self.units)
            return np.array([total / (len(self.classes) * unit) for unit in self.units])
        return np.array([float(class_weight.get(label, 1.0)) for label in self.classes.tolist()])


@dataclass
class Training:
    """The rounds of one training; `fit` and `rounds` are what there is so far, also after an interruption."""

    partitions: Partitions
    totals: Totals
    settings: SvmSettings
    class_factors: Floats
    max_working_set: int
    n_jobs: int | None = None
    progress: Progress | None = None
    fit: SvmFit | None = None
    rounds: list[Round] = field(default_factory=list)
    is_full: bool = False  # violators are left for which there was no room

    def run(self) -> None:
        """Train until no example outside the working set violates its margin, or there is no room for those that do."""
        working = self._first()
        spread = self._spread(working)
        is_rough = spread > 1  # other costs than those of all: not the last one
        for number in itertools.count(1):
            begin = time.perf_counter()
            fit, working = self._solve(working, spread, is_rough)
            assert fit.machine is not None
            model, scorer = self.partitions.share(fit.machine)
            margins = margins_of(working.examples, scorer, self._scheme, len(self.totals.classes), self.n_jobs)
            norms = _squared_norms(working, margins, fit, self._sides(working), self.settings)
            solved, working = len(working), working.without_idle(margins)
            room = self.max_working_set - len(working)
            known, kinds = working.examples.keys, len(self.totals.classes)
            asked = Question(model, self._scheme, kinds, self.settings.tol, known, max(room, 0))
            answers = self.partitions.map(answer, asked)
            lower = -fit.objective if spread == 1.0 else np.full(len(norms), np.nan)
            bounds = np.stack([lower, 0.5 * norms + self._losses(answers)], axis=1)
            left = sum(one.n_violators for one in answers)
            moved = model.nbytes + known.nbytes + sum(one.violators.nbytes for one in answers)
            seconds = time.perf_counter() - begin
            self.fit = fit
            self.rounds.append(Round(number, solved, len(fit.support), left, bounds, moved, seconds))
            if (left == 0 and not is_rough) or self._is_near(bounds):
                return
            if left > 0 and room <= 0:
                self.is_full = True
                return
            before, working = len(working), working.scaled(1 / spread)
            working = working.joined([one.violators for one in answers], room)
            spread, is_rough = 1.0, _GROWING * (len(working) - before) > before

    # --- steps of a round ---------------------------------------------------------------------------------------------

    @property
    def _scheme(self) -> Scheme:
        return scheme_of(len(self.totals.classes), self.settings)

    def _sides(self, working: WorkingSet) -> NDArray[np.int8]:
        return np.stack(class_sides(working.examples.labels, len(self.totals.classes), self._scheme), axis=1)

    def _first(self) -> WorkingSet:
        """The examples with the smallest keys, some of every class."""
        counts = self.totals.counts
        size = min(max(_FIRST, sum(counts) // _SHARE), self.max_working_set)
        wanted = [max(size * count // sum(counts), min(count, _OF_A_CLASS)) for count in counts]
        thresholds = [2**64 * want // count for want, count in zip(wanted, counts, strict=True)]
        while True:
            examples = KeyedExamples.joined(self.partitions.map(below, thresholds))
            found = np.bincount(examples.labels, minlength=len(counts))
            if found.all():
                working = WorkingSet.of(examples, 0)
                return replace(working, alphas=np.zeros(self._sides(working).shape))
            thresholds = [limit if some else 8 * limit for limit, some in zip(thresholds, found.tolist(), strict=True)]

    def _spread(self, working: WorkingSet) -> float:
        """How much more all examples weigh than those of the first set, whose costs are multiplied by that."""
        return sum(self.totals.units) / int(working.examples.weights.sum())

    def _solve(self, working: WorkingSet, spread: float, is_rough: bool) -> tuple[SvmFit, WorkingSet]:
        """The solution of the working set, with that as the next start."""
        tol = self.settings.tol * self._looseness(working, is_rough)
        settings = replace(self.settings, C=self.settings.cost * spread, tol=tol, part_of=sum(self.totals.counts))
        return working.solve(settings, self.totals.classes, self.class_factors, self.n_jobs, self.progress)

    def _looseness(self, working: WorkingSet, is_rough: bool) -> float:
        """Times tol, for a working set.

        A set that grows fast is not the last one and need not be solved to the end. Cutting planes take tol as a share
        of the costs, and may leave a quarter of what is allowed for those of all examples.
        """
        if not (self.rounds and self._has_planes):
            return _ROUGH if is_rough else 1.0
        upper = self.rounds[-1].bounds[:, 1]
        units = np.zeros(len(self.totals.units))
        np.add.at(units, working.examples.labels, working.examples.weights)
        own, allowed = self._allowed_gap(units, upper), self._allowed_gap(np.array(self.totals.units), upper)
        return max(1.0, float((allowed / own).min()) / 4)

    def _losses(self, answers: Sequence[Answer]) -> Floats:
        """C times the weighted losses of all examples, per output."""
        factors, found = self.class_factors.tolist(), []
        for rows in zip(*(one.losses for one in answers), strict=True):  # of one output
            by_class = [sum(units) for units in zip(*rows, strict=True)]
            found.append(sum(factor * units for factor, units in zip(factors, by_class, strict=True)))
        return self.settings.cost * np.array(found) / (UNITS * LOSS_UNITS)

    @property
    def _has_planes(self) -> bool:
        return self.fit is not None and self.fit.solver == "cutting-plane"

    def _is_near(self, bounds: Floats) -> bool:
        """Cutting planes do not look at single examples but at the objective; so does their end here."""
        lower, upper = bounds.T
        allowed = self.settings.tol * self._allowed_gap(np.array(self.totals.units), upper)
        return self._has_planes and bool((upper - lower <= allowed).all())

    def _allowed_gap(self, units: Any, upper: Floats) -> Floats:
        """Per output, for a tol of 1: the costs of so many units of each class, or some times the objective."""
        classes = len(units)
        takes_part = np.stack(class_sides(np.arange(classes), classes, self._scheme), axis=1) != 0
        costs = self.settings.cost * (units * self.class_factors / UNITS) @ takes_part
        return np.asarray(np.minimum(costs, _OBJECTIVE * upper))


def _squared_norms(
    working: WorkingSet, margins: Floats, fit: SvmFit, sides: NDArray[np.int8], settings: SvmSettings
) -> Floats:
    """|w|^2 per output, with the square of a priced intercept: sums of variables times margins."""
    inside = np.where(sides == 0, 0.0, margins)
    if settings.is_balanced:
        inside = inside - sides * fit.intercept
    return np.asarray(np.einsum("ij,ij->j", working.alphas, inside))
