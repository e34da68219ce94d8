"""Scorers: a machine, compiled to be evaluated fast. Every engine gives the labels of the definition."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.data import Binarize, Rows, as_rows, check_binarize
from gristmill.kernels import Progress
from gristmill.machine import Machine
from gristmill.probability import CoupledSigmoid, Density, Sigmoid, couple_pairs
from gristmill.schemes import Scheme, decide, unsure
from gristmill.threads import resolve_jobs

Floats = NDArray[np.float64]
_VANISHING = float(np.finfo(np.float64).smallest_normal)  # times eps is the smallest double there is
ENGINES = ("auto", "direct", "inverted")


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

    def __str__(self) -> str:
        return (
            f"engine    {self.engine} ({self.reason})\n"
            f"exact     {'yes' if self.exact else 'no'}\n"
            f"memory    {self.nbytes / 1e6:.1f} MB\n"
            f"machine   {self.n_support} support rows, {self.n_features} features, {self.n_outputs} outputs"
        )


class Scorer:
    """Evaluates a machine. Immutable and safe to share between threads.

    Made by `Machine.compile`. `engine` names the engine, `exact` is True when every score is the definition's up to
    rounding, `nbytes` is the memory its structures take.
    """

    exact = True

    def __init__(self, machine: Machine, engine: str, native: Any, reason: str, binarize: Binarize) -> None:
        self.machine = machine
        self.engine = engine
        self.binarize = binarize
        self._native = native
        self._reason = reason
        self._definition: _core.DirectScorer | None = native if isinstance(native, _core.DirectScorer) else None

    def __reduce__(self) -> Any:
        return _rebuild, (self.machine, self.engine, self.binarize)

    @property
    def nbytes(self) -> int:
        return int(self._native.nbytes)

    def report(self) -> ScorerReport:
        """What was chosen and why."""
        machine = self.machine
        return ScorerReport(
            self.engine, self._reason, self.exact, self.nbytes, machine.n_support, machine.n_features, machine.n_outputs
        )

    def decision_function(self, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> Floats:
        """Raw scores, in the machine's order of outputs.

        Parameters
        ----------
        X : sparse matrix, array, frame or list of id lists
            Features the machine has never seen count for nothing.
        n_jobs : int or None
            Threads; None is one, -1 all cores. Never changes a bit of the result.
        progress : callable or None
            Called with (rows done, rows in all) some twenty times a second.

        Returns
        -------
        array of shape (rows,) for a machine with one output, else (rows, outputs)
        """
        scores = self._scores(self._rows(X), n_jobs, progress)
        return scores[:, 0] if self.machine.n_outputs == 1 else scores

    def predict(self, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> NDArray[Any]:
        """Labels (or values, for regression): always those of the definition.

        Where a score is smaller than its rounding bound, the direct engine is asked.
        """
        scores = self.trusted_scores(X, n_jobs, progress=progress)
        return self.answers_of(scores)

    def answers_of(self, scores: Floats) -> NDArray[Any]:
        """The labels (or values) that trusted scores mean."""
        if self.machine.classes is None or not self.machine.scheme.has_labels:
            return scores[:, 0] if self.machine.n_outputs == 1 else scores
        return self.machine.classes[self._decided(scores)]

    def decide(self, X: Any, n_jobs: int | None = None) -> NDArray[np.intp]:
        """Class numbers: positions in the machine's `classes`."""
        if not self.machine.scheme.has_labels:
            raise ValueError("a regression machine has no classes")
        return self._decided(self.trusted_scores(X, n_jobs))

    def _decided(self, scores: Floats) -> NDArray[np.intp]:
        return decide(self.machine.scheme, scores, self.machine.n_classes, self.machine.zero_class)

    def trusted_scores(self, X: Any, n_jobs: int | None = None, *, progress: Progress | None = None) -> Floats:
        """Raw scores of shape (rows, outputs) that decide as the definition does.

        Rows whose label could hang on a rounding error are scored again by the direct engine.
        """
        rows = self._rows(X)
        scores = self._scores(rows, n_jobs, progress)
        if self.engine == "direct" or not self.machine.scheme.has_labels:
            return scores
        doubtful = np.flatnonzero(unsure(self.machine.scheme, scores, self._bounds(rows)))
        if len(doubtful):
            if self._definition is None:
                self._definition = _core.DirectScorer(self.machine._native)
            scores[doubtful] = _run(
                self._definition, rows.take(doubtful), self.machine.n_outputs, resolve_jobs(n_jobs), None
            )
        return scores

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> Floats:
        """Probabilities by the coefficients that came with the machine, a column per class as in `classes`."""
        machine, probability = self.machine, self.machine.probability
        scores = self._scores(self._rows(X), n_jobs, None)
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
        """How far a score may lie from the definition's: rounding alone, since the engine is exact.

        The bound is ``4 (n + 16) eps (|b| + sum_i |a_i| max_m |k(m)|)``, m up to the overlap the row can have.
        """
        bounds = self._bounds(self._rows(X))
        return bounds[:, 0] if self.machine.n_outputs == 1 else bounds

    def _rows(self, X: Any) -> Rows:
        keep = isinstance(self._native, _core.RealScorer)
        rows = as_rows(X, binarize=False if keep else self.binarize)
        names = self.machine.feature_names
        return rows if names is None or rows.feature_names is None else rows.aligned(names)

    def _scores(self, rows: Rows, n_jobs: int | None, progress: Progress | None) -> Floats:
        return _run(self._native, rows, self.machine.n_outputs, resolve_jobs(n_jobs), progress)

    def _bounds(self, rows: Rows) -> Floats:
        if not (self.machine.is_binary_valued and rows.is_binary):
            raise ValueError("rounding bounds are known for binary machines and data only")
        scale, total, largest = self._rounding
        reach = largest[np.minimum(rows.lengths, len(largest) - 1)]
        # products below the smallest double may vanish, whatever their size relative to the sum
        return scale * (np.abs(self.machine.intercept) + reach[:, None] * total) + scale * _VANISHING

    @functools.cached_property
    def _rounding(self) -> tuple[float, Floats, Floats]:
        """A factor, sum_i |a_i| per output, and the largest |k| up to each overlap."""
        machine = self.machine
        scale = 4 * (machine.n_support + 16) * float(np.finfo(np.float64).eps)
        total = np.asarray(abs(machine.coef).sum(axis=0), dtype=np.float64).ravel()
        longest = int(machine.support.lengths.max(initial=0))
        return scale, total, np.maximum.accumulate(np.abs(machine.kernel.values(longest)))


def _run(native: Any, rows: Rows, n_outputs: int, threads: int, progress: Progress | None) -> Floats:
    out = np.empty((len(rows), n_outputs))
    if isinstance(native, _core.RealScorer):
        values = np.ones(len(rows.ids)) if rows.is_binary else rows.values
        native.score(rows.offsets, rows.ids, values, out, threads, progress)
    else:
        native.score(rows.offsets, rows.ids, out, threads, progress)
    return out


def compile_machine(machine: Machine, engine: str, *, max_bytes: int | None, binarize: Binarize) -> Scorer:
    """See `Machine.compile`."""
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(map(repr, ENGINES))}, got {engine!r}")
    check_binarize(binarize)
    if not machine.is_binary_valued or binarize is False:
        return _compile_real(machine, engine, binarize, max_bytes)
    if engine != "auto":
        return _within(Scorer(machine, engine, _NATIVE[engine](machine._native), "as asked", binarize), max_bytes)
    reason = "the fastest engine for binary rows"
    scorer = Scorer(machine, "inverted", _NATIVE["inverted"](machine._native), reason, binarize)
    if max_bytes is None or scorer.nbytes <= max_bytes:
        return scorer
    reason = f"the inverted index would take {scorer.nbytes} bytes, more than max_bytes={max_bytes}"
    return _within(Scorer(machine, "direct", _NATIVE["direct"](machine._native), reason, binarize), max_bytes)


def _rebuild(machine: Machine, engine: str, binarize: Binarize) -> Scorer:
    """A scorer travels as its machine and is compiled where it arrives."""
    return compile_machine(machine, engine, max_bytes=None, binarize=binarize)


_NATIVE: dict[str, Any] = {"direct": _core.DirectScorer, "inverted": _core.InvertedScorer}


def _compile_real(machine: Machine, engine: str, binarize: Binarize, max_bytes: int | None) -> Scorer:
    why = (
        "binarize=False keeps data values"
        if machine.is_binary_valued
        else "support rows hold values other than 0 and 1"
    )
    if engine not in ("auto", "direct"):
        raise ValueError(f"engine {engine!r} needs binary rows, but {why}; use engine='direct' or 'auto'")
    return _within(Scorer(machine, "direct", _core.RealScorer(machine._native), why, binarize), max_bytes)


def _within(scorer: Scorer, max_bytes: int | None) -> Scorer:
    if max_bytes is not None and scorer.nbytes > max_bytes:
        raise ValueError(
            f"engine {scorer.engine!r} takes {scorer.nbytes} bytes for this machine, more than max_bytes={max_bytes}"
        )
    return scorer
