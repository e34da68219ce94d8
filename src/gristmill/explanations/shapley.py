"""Explainer: exact Shapley values and interactions of the features of rows, at the price of one inverted index."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Binarize, Rows
from gristmill.explanations.explanation import Explanation, pair_offsets
from gristmill.explanations.importances import Importance, Totals
from gristmill.explanations.models import AsTheModel, model_of
from gristmill.explanations.reference import reference_explanation
from gristmill.machines.machine import Machine
from gristmill.machines.structured import StructuredMachine
from gristmill.scoring.engines import Real

Floats = NDArray[np.float64]

PLENTY = 4 << 30  # bytes
BLOCK = 4096  # rows that a stream looks at together
BLOCK_BYTES = 64 << 20  # that their interactions may take


class Explainer:
    """Explains the scores of a machine with a polynomial kernel, row by row or over a data set.

    Worth keeping where rows come one by one: it has the inverted index of the support rows. ``explainer(X)`` is what
    `gristmill.explain` gives; the same object may serve many threads.

    Parameters
    ----------
    machine : Machine, or what has one
        A Scorer, a fitted estimator, or a fitted scikit-learn SVC and its like.
    baseline : row, or None
        What every row is compared with: one row, read like X. None: the empty row, in which every feature is absent
        (or 0).
    binarize : float, None, False or 'auto'
        What becomes of values other than 0 and 1, as for `Machine.compile`: a threshold (with a warning), None to
        refuse them, False to compute with them. A machine with real support values always computes with them. 'auto'
        is what the model does: an estimator reads rows for an explanation as it does in `predict`.

    Examples
    --------
    >>> import gristmill as gm
    >>> names = ["money", "bank", "river"]
    >>> support, classes = gm.ids([[0, 1], [1, 2]]), ["water", "finance"]
    >>> machine = gm.Machine(gm.PolynomialKernel(2), support, [1.0, -0.5], 0.0, classes, feature_names=names)
    >>> explanation = gm.Explainer(machine)(gm.ids([[0, 1], [1, 2]]), interactions=True)
    >>> print(explanation[0])
    baseline          0.5
      money            +4  ########################################
      bank           +2.5  #########################
    score (finance)     7
    <BLANKLINE>
    interactions
      money & bank     +2  ########################################
    >>> explanation.scores.ravel()
    array([ 7. , -0.5])
    """

    def __init__(self, machine: Any, *, baseline: Any = None, binarize: Binarize | AsTheModel = "auto") -> None:
        self._model = model_of(machine, binarize)
        self.machine: Machine = self._model.machine
        if isinstance(self.machine, StructuredMachine):
            raise ValueError(
                f"features are explained for machines whose kernel is a PolynomialKernel, got {self.machine.kernel!r}"
            )
        self.baseline = None if baseline is None else self._one_row(baseline)

    def __call__(
        self, X: Any, *, interactions: bool = False, n_jobs: int | None = None, progress: Progress | None = None
    ) -> Explanation:
        """Explain all rows of X.

        Parameters
        ----------
        X : rows, as the model itself reads them
        interactions : bool
            Also how pairs of features interact.
        n_jobs : int or None
            Threads; None is one, -1 all cores. Never changes a bit of the result.
        progress : callable or None
            Called with (rows done, rows in all) some twenty times a second.
        """
        return self._explained(self._rows(X), interactions, n_jobs, progress)

    def importance(
        self, X: Any, *, interactions: bool = False, n_jobs: int | None = None, progress: Progress | None = None
    ) -> Importance:
        """What features, and pairs of them, add on average over a data set.

        Parameters
        ----------
        X : rows, or an iterator over blocks of rows
            Only one block is in memory.
        interactions : bool
            Also of all pairs of features that some row has; these take memory, 32 bytes or more a pair.
        n_jobs, progress
            As for a call; the second number of progress is 0 where the number of rows is not known.
        """
        totals, done = Totals(self.machine, interactions), 0
        blocks = X if isinstance(X, Iterator) else iter([X])
        known = not isinstance(X, Iterator)
        for block in blocks:
            rows = self._rows(block)
            for part in self._parts(rows, interactions):
                totals.add(self._explained(part, interactions, n_jobs, None))
                done += len(part)
                if progress is not None:
                    progress(done, len(rows) if known else 0)
        return totals.importance()

    # --- behind the door ----------------------------------------------------------------------------------------------

    def _rows(self, X: Any) -> Rows:
        rows: Rows = self._model.examples(X)
        return rows

    def _one_row(self, baseline: Any) -> Rows:
        row = self._rows(baseline)
        if len(row) != 1:
            raise ValueError(
                f"baseline must be a single row, got {len(row)}; values against several rows are the mean of those "
                "against each: sum(gm.explain(machine, X, baseline=B[i : i + 1]).to_csr(output) for i in range(n)) / n"
            )
        return row

    def _explained(self, rows: Rows, interactions: bool, n_jobs: int | None, progress: Progress | None) -> Explanation:
        machine = self.machine
        if interactions:
            self._check_pairs(rows)
        if self.baseline is None and machine.is_binary_valued and rows.is_binary:
            return self._against_nothing(rows, interactions, n_jobs, progress)
        told = reference_explanation(
            machine, rows, self.baseline, interactions=interactions, n_jobs=n_jobs, progress=progress
        )
        data = _data_of(rows, told.offsets, told.ids)
        return Explanation(machine, told.offsets, told.ids, data, told.values, told.base, told.interactions)

    def _against_nothing(
        self, rows: Rows, interactions: bool, n_jobs: int | None, progress: Progress | None
    ) -> Explanation:
        outputs, threads = self.machine.n_outputs, resolve_jobs(n_jobs)
        values = np.empty((len(rows.ids), outputs))
        starts = pair_offsets(rows.offsets) if interactions else np.empty(0, dtype=np.int64)
        pairs = np.empty((int(starts[-1]) if interactions else 0, outputs))
        self._native.explain(rows.offsets, rows.ids, values, starts, pairs, threads, progress)
        told = pairs if interactions else None
        if not np.isfinite(values).all() or not (told is None or np.isfinite(told).all()):
            raise ValueError("the values leave the range of double: scale the coefficients down")
        return Explanation(self.machine, rows.offsets, rows.ids, np.ones(len(rows.ids)), values, self._base, told)

    @functools.cached_property
    def _native(self) -> _core.ShapleyExplainer:
        return _core.ShapleyExplainer(self.machine._native)

    @functools.cached_property
    def _base(self) -> Floats:
        return np.asarray(Real(self.machine).run(_NOTHING, 1, None)[0])

    def _pairs(self, rows: Rows) -> NDArray[np.int64]:
        """How many each row has at most."""
        lengths = rows.lengths if self.baseline is None else rows.lengths + len(self.baseline.ids)
        return np.asarray(lengths * (lengths - 1) // 2)

    def _check_pairs(self, rows: Rows) -> None:
        pairs = self._pairs(rows)
        needed = int(pairs.sum()) * self.machine.n_outputs * 8
        if needed <= PLENTY:
            return
        advice = "use importance, which keeps averages only, or explain fewer rows at a time"
        if len(rows) == 1:
            advice = f"a row of {len(rows.ids):,} features has too many; leave some out"
        raise ValueError(f"the interactions take {needed / (1 << 30):.1f} GiB: {advice}")

    def _parts(self, rows: Rows, interactions: bool) -> Iterable[Rows]:
        """Rows that are looked at together: some thousands, fewer if their interactions are many."""
        pairs = self._pairs(rows) if interactions else np.zeros(len(rows), dtype=np.int64)
        before = np.concatenate([[0], np.cumsum(pairs)])
        most, begin = BLOCK_BYTES // (8 * self.machine.n_outputs), 0
        while begin < len(rows):
            fits = int(np.searchsorted(before, before[begin] + most, side="right")) - 1
            end = min(max(fits, begin + 1), begin + BLOCK, len(rows))
            yield _slice(rows, begin, end)
            begin = end


_NOTHING = Rows(np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.int32))


def _slice(rows: Rows, begin: int, end: int) -> Rows:
    first, last = rows.offsets[begin], rows.offsets[end]
    return replace(
        rows, offsets=rows.offsets[begin : end + 1] - first, ids=rows.ids[first:last], values=rows.values[first:last]
    )


def _data_of(rows: Rows, offsets: NDArray[np.int64], ids: NDArray[np.int32]) -> Floats:
    """The values of rows at these entries, which hold theirs and others."""
    width = 1 + int(max(rows.ids.max(initial=0), ids.max(initial=0)))
    own = np.repeat(np.arange(len(rows)), rows.lengths) * width + rows.ids
    wanted = np.repeat(np.arange(len(rows)), np.diff(offsets)) * width + ids
    data = np.zeros(len(ids))
    data[np.searchsorted(wanted, own)] = 1.0 if rows.is_binary else rows.values
    return data
