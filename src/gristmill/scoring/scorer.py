"""Scorer: a machine, compiled to be evaluated fast. Every exact engine gives the labels of the definition."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Binarize, Rows
from gristmill.display.numbers import memory
from gristmill.display.words import counted, lined
from gristmill.machines.machine import Machine
from gristmill.machines.probability import probabilities
from gristmill.scoring.engines import Engine, Visits
from gristmill.scoring.options import CompileOptions


@dataclass(frozen=True)
class ScorerReport:
    """What a scorer is and why."""

    engine: str
    reason: str
    exact: bool
    nbytes: int
    kernel: str
    noun: str  # what supports it: support row, tree or example, or conjunction
    n_support: int
    n_features: int | None  # of rows
    n_outputs: int
    conjunctions: int | None  # stored with their weights, where the engine stores any
    tiers: tuple[int, int, int] | None  # how many features are dense, common and rare
    work: dict[str, float]  # what a row like the support rows (or the sample) is expected to touch and cost

    def facts(self) -> list[tuple[str, str]]:
        """What there is to say, line by line."""
        found = [
            ("engine", f"{self.engine} ({self.reason})"),
            ("exact", "yes" if self.exact else "no"),
            ("memory", memory(self.nbytes)),
            ("machine", self._machine()),
            ("kernel", self.kernel),
        ]
        if self.conjunctions is not None and self.tiers is not None:
            dense, common, rare = self.tiers
            features = f"{dense} dense, {common} common, {rare} rare features"
            found.append(("expansion", f"{counted(self.conjunctions, 'conjunction')}; {features}"))
        if self.work:
            found.append(("a row", ", ".join(f"{value:.1f} {name}" for name, value in self.work.items())))
        return found

    def _machine(self) -> str:
        parts = [counted(self.n_support, self.noun)]
        if self.n_features is not None:
            parts.append(counted(self.n_features, "feature"))
        return ", ".join([*parts, counted(self.n_outputs, "output")])

    def __str__(self) -> str:
        return lined(self.facts())


class Scorer:
    """Evaluates a machine. Immutable and safe to share between threads.

    Made by `Machine.compile`. `engine` names the engine, `exact` is True when every score is the definition's up to
    rounding, `nbytes` is the memory its structures take.
    """

    def __init__(self, machine: Machine, engine: Engine, reason: str, options: CompileOptions) -> None:
        self.machine = machine
        self._engine = engine
        self._reason = reason
        self._options = options
        self._reader: Callable[[Any], Any] | None = None

    def __reduce__(self) -> Any:
        """Conversions do not travel, so neither does their engine."""
        engine = "auto" if self.engine == "converted" else self.engine
        return _rebuild, (self.machine, engine, self._options.given(), self._reader)

    @property
    def engine(self) -> str:
        return self._engine.name

    @property
    def exact(self) -> bool:
        return self._engine.exact

    @property
    def certified(self) -> bool:
        """True when labels are those of the definition although scores may not be."""
        return self._options.certified

    @property
    def binarize(self) -> Binarize:
        """What becomes of values other than 0 and 1; see `Machine.compile`."""
        return self._options.binarize

    @property
    def nbytes(self) -> int:
        return self._engine.nbytes

    def report(self) -> ScorerReport:
        """What was chosen and why, what it takes and what a row costs."""
        machine, engine = self.machine, self._engine
        return ScorerReport(
            engine=self.engine,
            reason=self._reason,
            exact=self.exact,
            nbytes=self.nbytes,
            kernel=str(machine.kernel),
            noun=machine.support_noun,
            n_support=machine.n_support,
            n_features=machine.n_features if isinstance(machine.support, Rows) else None,
            n_outputs=machine.n_outputs,
            conjunctions=engine.conjunctions,
            tiers=engine.tiers,
            work=engine.expected_work(),
        )

    def _repr_html_(self) -> str:
        from gristmill.display.page import notebook
        from gristmill.display.tables import facts

        return notebook(facts("Scorer", self.report().facts()))

    def decision_function(self, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> Floats:
        """Raw scores, in the machine's order of outputs.

        Parameters
        ----------
        X : sparse matrix, array, frame, `gristmill.ids([...])` or list of sets; trees or Examples
            A plain list of lists could be a table or lists of ids, and is refused. Features the machine has never seen
            count for nothing but the length of their row, where the kernel sees that (RBF, Tanimoto, ...).
        n_jobs : int or None
            Threads; None is one, -1 all cores. Never changes a bit of the result.
        progress : callable or None
            Called with (examples done, examples in all) some twenty times a second.

        Returns
        -------
        array of shape (examples,) for a machine with one output, else (examples, outputs)
        """
        scores = self._engine.scores(self.examples(X), resolve_jobs(n_jobs), progress)
        return scores[:, 0] if self.machine.n_outputs == 1 else scores

    def predict(self, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> NDArray[Any]:
        """Labels (or values, for regression): the definition's, unless the scorer is neither exact nor certified.

        Stops looking at a row as soon as its label is certain. Where a score is smaller than its rounding bound, the
        direct engine is asked.
        """
        from gristmill.scoring.deciding import class_numbers

        if self.machine.classes is None or not self.machine.scheme.has_labels:
            return self.decision_function(X, n_jobs, progress=progress)
        return self.machine.classes[class_numbers(self, X, n_jobs, progress=progress)]

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> Floats:
        """Probabilities by the coefficients that came with the machine, a column per class as in `classes`."""
        return probabilities(self.machine, self._engine.scores(self.examples(X), resolve_jobs(n_jobs), None))

    def error_bound(self, X: Any) -> Floats:
        """How far a score may lie from the definition's: rounding, and what an approximation left out.

        For polynomial kernels on rows, rounding is bounded by ``4 (n + 16) eps (|b| + sum_i |a_i| max_m |k(m)|)``, m up
        to the overlap the row can have, where n is the number of terms the engine adds up; for conjunction kernels by
        ``4 (2 n + 16) eps (|b| + A)``, n and A the number of conjunctions that a row of so many features can have, and
        the sum of their ``|a_i|``, at most. For other kernels by norms,
        ``4 (n + 16) eps (|b| + sum_i |a_i| sqrt(k(s_i, s_i)) sqrt(k(x, x)))``; infinite for kernels that are negative
        somewhere: then the definition decides.
        """
        bounds = self._engine.bounds(self.examples(X))
        return bounds[:, 0] if self.machine.n_outputs == 1 else bounds

    def visits(self, X: Any) -> Visits:
        """What scoring X looks at: conjunctions, and support rows with rare features. Counted, row by row.

        For the engines ``expanded`` and ``split``; what a row is expected to touch is in `report`.
        """
        found = self._engine.visits(self.examples(X))
        if found is None:
            raise ValueError(f"engine {self.engine!r} looks no conjunctions up; use engine='expanded' or 'split'")
        return found

    def examples(self, X: Any) -> Any:
        """X as this scorer reads it, checked: Rows, or a Forest or Examples for machines on those."""
        X = X if self._reader is None or isinstance(X, Rows) else self._reader(X)
        return self.machine.examples(X, binarize=False if self._engine.keeps_values else self.binarize)

    @functools.cached_property
    def _exact(self) -> Scorer:
        """Who is asked where an approximation cannot settle a label; made when first needed, as large as allowed."""
        return self.machine.compile("auto", binarize=self.binarize, max_bytes=self._options.max_bytes)

    def _read_by(self, reader: Callable[[Any], Any]) -> Scorer:
        """The same scorer, which reads data as the estimator does whose reader this is."""
        same = object.__new__(type(self))
        same.__dict__ |= self.__dict__
        same._reader = reader
        return same


def _rebuild(machine: Machine, engine: str, given: dict[str, Any], reader: Callable[[Any], Any] | None) -> Scorer:
    """A scorer travels as its machine and is compiled where it arrives."""
    scorer = machine.compile(engine, **given)
    return scorer if reader is None else scorer._read_by(reader)
