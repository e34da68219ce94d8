"""Scorers: a machine, compiled to be evaluated fast. Every exact engine gives the labels of the definition."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Binarize, Rows
from gristmill.display.numbers import memory
from gristmill.display.words import counted, lined
from gristmill.machines.machine import Machine
from gristmill.machines.probability import CoupledSigmoid, Density, Sigmoid, couple_pairs
from gristmill.machines.schemes import Scheme, decide, decide_among, unsure
from gristmill.scoring.engines import RULES, Direct, Effort, Engine, Real

Floats = NDArray[np.float64]
VANISHING = float(np.finfo(np.float64).smallest_normal)  # times eps is the smallest double there is
_LONGEST = 1024  # features of a row whose class the core decides with its engine; longer ones are for the definition


@dataclass(frozen=True)
class ScorerReport:
    """What a scorer is and why."""

    engine: str
    reason: str
    exact: bool
    nbytes: int
    n_support: int
    n_features: int
    n_outputs: int
    conjunctions: int | None  # stored with their weights, where the engine stores any
    lines: tuple[int, int, int] | None  # how many features are dense, common and rare
    work: dict[str, float]  # what a row like the support rows (or the sample) is expected to touch and cost

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say, line by line."""
        machine = ", ".join(
            counted(*of)
            for of in ((self.n_support, "support row"), (self.n_features, "feature"), (self.n_outputs, "output"))
        )
        told = [
            ("engine", f"{self.engine} ({self.reason})"),
            ("exact", "yes" if self.exact else "no"),
            ("memory", memory(self.nbytes)),
            ("machine", machine),
        ]
        if self.conjunctions is not None and self.lines is not None:
            dense, common, rare = self.lines
            features = f"{dense} dense, {common} common, {rare} rare features"
            told.append(("expansion", f"{counted(self.conjunctions, 'conjunction')}; {features}"))
        if self.work:
            told.append(("a row", ", ".join(f"{value:.1f} {name}" for name, value in self.work.items())))
        return told

    def __str__(self) -> str:
        return lined(self.facts())


class Scorer:
    """Evaluates a machine. Immutable and safe to share between threads.

    Made by `Machine.compile`. `engine` names the engine, `exact` is True when every score is the definition's up to
    rounding, `nbytes` is the memory its structures take.
    """

    def __init__(
        self, machine: Machine, engine: Engine, reason: str, binarize: Binarize, recipe: dict[str, Any]
    ) -> None:
        self.machine = machine
        self.binarize = binarize
        self._engine = engine
        self._reason = reason
        self._recipe = recipe
        self._definition: Engine | None = engine if isinstance(engine, Direct) else None
        self._reader: Callable[[Any], Any] | None = None

    def __reduce__(self) -> Any:
        return _rebuild, (self.machine, self.engine, self._recipe, self._reader)

    @property
    def engine(self) -> str:
        return self._engine.name

    @property
    def exact(self) -> bool:
        return self._engine.exact

    @property
    def certified(self) -> bool:
        """True when labels are those of the definition although scores may not be."""
        return bool(self._recipe.get("certified", False))

    @property
    def nbytes(self) -> int:
        return self._engine.nbytes

    def report(self) -> ScorerReport:
        """What was chosen and why, what it takes and what a row costs."""
        machine = self.machine
        return ScorerReport(
            self.engine,
            self._reason,
            self.exact,
            self.nbytes,
            machine.n_support,
            machine.n_features,
            machine.n_outputs,
            self._engine.conjunctions,
            self._engine.lines,
            self._engine.expected_work(),
        )

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook
        from gristmill.display.tables import facts

        return notebook(facts("Scorer", self.report().facts()))

    def decision_function(self, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> Floats:
        """Raw scores, in the machine's order of outputs.

        Parameters
        ----------
        X : sparse matrix, array, frame, `gristmill.ids([...])` or list of sets
            A plain list of lists could be a table or lists of ids, and is refused. Features the machine has never seen
            count for nothing.
        n_jobs : int or None
            Threads; None is one, -1 all cores. Never changes a bit of the result.
        progress : callable or None
            Called with (rows done, rows in all) some twenty times a second.

        Returns
        -------
        array of shape (rows,) for a machine with one output, else (rows, outputs)
        """
        scores = self._scores(self.examples(X), n_jobs, progress)
        return scores[:, 0] if self.machine.n_outputs == 1 else scores

    def predict(self, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> NDArray[Any]:
        """Labels (or values, for regression): the definition's, unless the scorer is neither exact nor certified.

        Stops looking at a row as soon as its label is certain. Where a score is smaller than its rounding bound, the
        direct engine is asked.
        """
        if self.machine.classes is None or not self.machine.scheme.has_labels:
            return self.answers_of(self._scores(self.examples(X), n_jobs, progress))
        return self.machine.classes[self.decide(X, n_jobs, progress=progress)]

    def answers_of(self, scores: Floats) -> NDArray[Any]:
        """The labels (or values) that trusted scores mean."""
        if self.machine.classes is None or not self.machine.scheme.has_labels:
            return scores[:, 0] if self.machine.n_outputs == 1 else scores
        return self.machine.classes[self.decided(scores)]

    def decide(self, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> NDArray[np.intp]:
        """Class numbers: positions in the machine's `classes`."""
        if not self.machine.scheme.has_labels:
            raise ValueError("a regression machine has no classes")
        rows = self.examples(X)
        shorter = self._decide_early(rows, n_jobs, progress) if self.exact else None
        if shorter is None:
            return self.decided(self.trusted_scores(rows, n_jobs, progress=progress))
        classes = shorter[0].astype(np.intp)
        open_rows = np.flatnonzero(classes < 0)
        if len(open_rows):
            classes[open_rows] = self.decided(self._direct_scores(self._some(rows, open_rows), n_jobs))
        return classes

    def effort(self, X: Any, n_jobs: int | None = None) -> Effort:
        """What `predict` has to look at and what it may skip, counted over the distinct rows of X."""
        rows = self.examples(X)
        can_stop = self.exact and self.machine.scheme.has_labels
        shorter = self._decide_early(rows, n_jobs, None) if can_stop else None
        return Effort(len(rows), 0, len(rows.ids), 0) if shorter is None else shorter[1]

    def labeller(self) -> _core.Labeller:
        """The core's own way from rows to class numbers, for programs that need one class before the next row."""
        if not self.machine.scheme.has_labels or isinstance(self._engine, Real):
            raise ValueError("classes one by one are those of machines with binary rows that classify")
        if self._definition is None:
            self._definition = Direct(self.machine)
        return _core.Labeller(
            self._engine.native,
            self._definition.native,
            RULES[self.machine.scheme],
            self.machine.n_classes,
            self.machine.zero_class,
            self.exact or self.certified,
            self.exact,
            np.ascontiguousarray(self._doubt(_LONGEST)),
        )

    def _doubt(self, longest: int) -> Floats:
        """How far rounding may move any score, by the length of the row."""
        total, intercept = self._magnitudes[0].max(initial=0.0), np.abs(self.machine.intercept).max(initial=0.0)
        return self._rounding(np.arange(longest + 1), total, intercept)[:, 0]

    def _decide_early(
        self, rows: Rows, n_jobs: int | None, progress: Progress | None
    ) -> tuple[NDArray[np.int32], Effort] | None:
        if not rows.is_binary or not self.machine.is_binary_valued:
            return None
        doubt = self._doubt(int(rows.lengths.max(initial=0)))
        return self._engine.decide(rows, doubt, resolve_jobs(n_jobs), progress)

    def decided(self, scores: Floats) -> NDArray[np.intp]:
        """The class numbers that trusted scores mean."""
        return decide(self.machine.scheme, scores, self.machine.n_classes, self.machine.zero_class)

    def decided_among(self, X: Any, scores: Floats, possible: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The same where only some classes are possible, given the rows: the definition's.

        Scores that can be trusted for the best of all classes may be too close for the best of some.
        """
        found = self.decided(scores)
        others = np.flatnonzero(~possible[found])
        if len(others):
            is_certain = self.exact or self.certified
            again = self._direct_scores(self._some(self.examples(X), others), None) if is_certain else scores[others]
            found[others] = decide_among(self.machine.scheme, again, possible, self.machine.zero_class)
        return found

    def trusted_scores(self, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> Floats:
        """Raw scores of shape (rows, outputs) that decide as the definition does.

        Rows whose label could hang on an error are scored again by the direct engine. A scorer that is neither exact
        nor certified gives its own scores.
        """
        rows = self.examples(X)
        scores = self._scores(rows, n_jobs, progress)
        if self.engine == "direct" or not self.machine.scheme.has_labels or not (self.exact or self.certified):
            return scores
        doubtful = np.flatnonzero(unsure(self.machine.scheme, scores, self._bounds(rows)))
        if len(doubtful):
            scores[doubtful] = self._settled(self._some(rows, doubtful), n_jobs)
        return scores

    def _settled(self, rows: Rows, n_jobs: int | None) -> Floats:
        """Scores that decide as the definition does, of rows for which the engine's own do not."""
        return self._direct_scores(rows, n_jobs) if self.exact else self._exact.trusted_scores(rows, n_jobs)

    def _direct_scores(self, rows: Rows, n_jobs: int | None) -> Floats:
        if self._definition is None:
            self._definition = Direct(self.machine)
        return self._definition.run(rows, resolve_jobs(n_jobs), None)

    @functools.cached_property
    def _exact(self) -> Scorer:
        """Who is asked where an approximation cannot settle a label; made when first needed, as large as allowed."""
        return self.machine.compile("auto", binarize=self.binarize, max_bytes=self._recipe.get("max_bytes"))

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> Floats:
        """Probabilities by the coefficients that came with the machine, a column per class as in `classes`."""
        return self.probabilities_of(self._scores(self.examples(X), n_jobs, None))

    def probabilities_of(self, scores: Floats) -> Floats:
        """The probabilities that raw scores of shape (rows, outputs) mean."""
        machine, probability = self.machine, self.machine.probability
        if isinstance(probability, Density):
            inside = probability.of_scores(scores[:, 0])
            return np.column_stack([1 - inside, inside])
        if not isinstance(probability, Sigmoid):
            raise ValueError("this machine came without probability estimates; train it with them (LIBSVM: -b 1)")
        if machine.scheme is Scheme.ONE_VS_REST:
            return probability.normalised(scores)
        positive = probability.of_outputs(scores)
        if machine.scheme is Scheme.ONE_VS_ONE:
            return couple_pairs(positive, machine.n_classes)
        return couple_pairs(1 - positive, 2, iterate_two=isinstance(probability, CoupledSigmoid))

    def error_bound(self, X: Any) -> Floats:
        """How far a score may lie from the definition's: rounding, and what an approximation left out.

        Rounding is bounded by ``4 (n + 16) eps (|b| + sum_i |a_i| max_m |k(m)|)``, m up to the overlap the row can
        have, where n is the number of terms the engine adds up.
        """
        bounds = self._bounds(self.examples(X))
        return bounds[:, 0] if self.machine.n_outputs == 1 else bounds

    def examples(self, X: Any) -> Any:
        """X as this scorer reads it, checked: Rows, or a Forest or Examples for machines on those."""
        keep = isinstance(self._engine, Real)
        X = X if self._reader is None or isinstance(X, Rows) else self._reader(X)
        return self.machine.examples(X, binarize=False if keep else self.binarize)

    def read_by(self, reader: Callable[[Any], Any]) -> Scorer:
        """The same scorer, which reads data as the estimator does whose reader this is."""
        same = object.__new__(type(self))
        same.__dict__ |= self.__dict__
        same._reader = reader
        return same

    @staticmethod
    def _some(rows: Any, numbers: NDArray[np.intp]) -> Any:
        return rows.take(numbers)

    def _scores(self, rows: Rows, n_jobs: int | None, progress: Progress | None) -> Floats:
        return self._engine.run(rows, resolve_jobs(n_jobs), progress)

    def _bounds(self, rows: Rows) -> Floats:
        if not (self.machine.is_binary_valued and rows.is_binary):
            raise ValueError("rounding bounds are known for binary machines and data only")
        lengths, which = np.unique(rows.lengths, return_inverse=True)
        by_length = self._rounding(lengths, self._magnitudes[0], np.abs(self.machine.intercept))
        return np.asarray(by_length[which] + self._engine.missing(rows)[:, None])

    def _rounding(self, lengths: NDArray[Any], total: Any, intercept: Any) -> Floats:
        """Rounding bounds for rows of these lengths (ascending), a column per output.

        total, intercept : sum_i |a_i| and |b|, per output or the largest of all
        """
        largest = self._magnitudes[1]
        reach = largest[np.minimum(lengths, len(largest) - 1)][:, None]
        terms = self._engine.roundings(int(lengths.max(initial=0)))[lengths][:, None]
        scale = 4 * (terms + 16) * float(np.finfo(np.float64).eps)
        # products below the smallest double may vanish, whatever their size relative to the sum
        return np.asarray(scale * (intercept + reach * total) + scale * VANISHING)

    @functools.cached_property
    def _magnitudes(self) -> tuple[Floats, Floats]:
        """sum_i |a_i| per output, and the largest |k| up to each overlap."""
        machine = self.machine
        total = np.asarray(abs(machine.coef).sum(axis=0), dtype=np.float64).ravel()
        longest = int(machine.support.lengths.max(initial=0))
        return total, np.maximum.accumulate(np.abs(machine.kernel.values(longest)))


def _rebuild(machine: Machine, engine: str, recipe: dict[str, Any], reader: Callable[[Any], Any] | None) -> Scorer:
    """A scorer travels as its machine and is compiled where it arrives."""
    scorer = machine.compile(engine, **recipe)
    return scorer if reader is None else scorer.read_by(reader)
