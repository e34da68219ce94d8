"""Exact Shapley values and interactions of the features of rows, and the Explainer that computes them.

Against the empty row (binary rows, the usual case) they cost one pass over an inverted index of the support rows.
Against any other row, and for real values, `reference_explanation` computes them from the values in both rows. Fields
of tables are explained by `FieldShapley`, other groups of columns, and rows against many, by `GroupShapley`, columns
that are dropped from the kernel by `dropped_explanation`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Int64s
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.rows import Binarize, Rows
from gristmill.explanations.backgrounds import Background, GivenRows, background_of
from gristmill.explanations.conjunction_shapley import conjunction_explanation
from gristmill.explanations.contrasts import EMPTY, NO_PLAYERS, joined
from gristmill.explanations.dropped_shapley import check_dropped, dropped_explanation
from gristmill.explanations.explanation import Explanation, pair_offsets
from gristmill.explanations.field_shapley import FieldShapley
from gristmill.explanations.field_tables import tables_of
from gristmill.explanations.group_shapley import GroupShapley
from gristmill.explanations.groups import GroupsLike, encoded, groups_of
from gristmill.explanations.importances import Importance, Totals
from gristmill.explanations.models import AsTheModel, model_of
from gristmill.explanations.set_games import Players, SetGame, scores_of
from gristmill.machines.machine import Machine

PLENTY = 4 << 30  # bytes
BLOCK = 4096  # rows of a stream that are explained together
BLOCK_BYTES = 64 << 20  # that their interactions may take


class Explainer:
    """Explains the scores of a machine on rows of features, row by row or over a data set.

    It keeps an inverted index of the support rows, so use one Explainer where rows come one by one. ``explainer(X)``
    returns what `gristmill.explain` does. Threads may share it.

    Parameters
    ----------
    machine : Machine, or what has one
        A Scorer, a fitted estimator, a fitted scikit-learn SVC and its like, or a Pipeline or search that ends in one.
    groups : None, 'fields', 'columns', False, mapping, sequence or TableEncoder
        The players, see `gristmill.explain`.
    background : rows, 'fields' or None
        What rows are compared with, see `gristmill.explain`.
    baseline : row, or None
        The same as a background of one row.
    absent : 'dropped' or None
        What an absent feature is, see `gristmill.explain`.
    binarize : float, None, False or 'auto'
        What becomes of values other than 0 and 1, as for `Machine.compile`: a threshold (with a warning), None to
        reject them, False to compute with them. A machine with real support values always computes with them. 'auto'
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

    def __init__(
        self,
        machine: Any,
        *,
        groups: GroupsLike = None,
        background: Any = None,
        baseline: Any = None,
        absent: Literal["dropped"] | None = None,
        binarize: Binarize | AsTheModel = "auto",
    ) -> None:
        model = model_of(machine, binarize)
        model.machine.feature_kernel  # noqa: B018 - ValueError where features cannot be explained
        self.absent = absent
        if absent is not None:
            _check_absent(absent, model.machine, groups, background, baseline)
            groups = False
        self.machine, groups = encoded(model.machine, groups)
        self._model = replace(model, machine=self.machine)
        self.groups = groups_of(groups, self.machine)
        if baseline is not None and background is not None:
            raise ValueError("baseline is a background of one row: give one of the two")
        self.background: Background = (
            background_of(background, self._model, self.groups)
            if baseline is None
            else GivenRows(self._one_row(baseline))
        )

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
            Called with (rows done, all rows) about twenty times a second.
        """
        explanation = self._explained(self._rows(X), interactions, n_jobs, progress)
        return replace(explanation, machine=self._model.named_by(X).machine)

    def importance(
        self, X: Any, *, interactions: bool = False, n_jobs: int | None = None, progress: Progress | None = None
    ) -> Importance:
        """What features, and pairs of them, add on average over a data set.

        Parameters
        ----------
        X : rows, or an iterator over blocks of rows
            Only one block is in memory.
        interactions : bool
            Also of all pairs of features that some row has, at 32 bytes or more per pair.
        n_jobs, progress
            As for a call; the second number of progress is 0 where the number of rows is not known.
        """
        totals, done = Totals(self.machine, interactions, self.groups), 0
        blocks = X if isinstance(X, Iterator) else iter([X])
        known = not isinstance(X, Iterator)
        for block in blocks:
            rows = self._rows(block)
            for part in self._parts(rows, interactions):
                totals.add(self._explained(part, interactions, n_jobs, None))
                done += len(part)
                if progress is not None:
                    progress(done, len(rows) if known else 0)
        named = self._model.named_by(X) if known else self._model
        return replace(totals.importance(), machine=named.machine)

    def _rows(self, X: Any) -> Rows:
        rows: Rows = self._model.examples(X)
        return rows

    def _one_row(self, baseline: Any) -> Rows:
        row = self._rows(baseline)
        if len(row) != 1:
            raise ValueError(f"baseline must be a single row, got {len(row)}; background may be several")
        return row

    def _explained(self, rows: Rows, interactions: bool, n_jobs: int | None, progress: Progress | None) -> Explanation:
        machine = self.machine
        if self.absent is not None:
            if interactions:
                raise ValueError("absent='dropped' has values alone: leave interactions out")
            return dropped_explanation(machine, rows, n_jobs, progress)
        if interactions:
            self._check_pairs(rows)
        if self._reference is None:
            players = self._of_groups if self._of_fields is None or not rows.is_binary else self._of_fields
            return players.explain(rows, interactions, n_jobs, progress)
        if isinstance(self._native, _core.ConjunctionShapley):
            how = interactions, n_jobs, progress
            return conjunction_explanation(
                machine, self._native, rows, self._reference if len(self._reference.ids) else None, *how
            )
        if not len(self._reference.ids) and machine.is_binary_valued and rows.is_binary:
            return self._against_empty_row(rows, interactions, n_jobs, progress)
        return reference_explanation(
            machine, rows, self._reference, interactions=interactions, n_jobs=n_jobs, progress=progress, game=self._game
        )

    def _against_empty_row(
        self, rows: Rows, interactions: bool, n_jobs: int | None, progress: Progress | None
    ) -> Explanation:
        outputs, threads = self.machine.n_outputs, resolve_jobs(n_jobs)
        values = np.empty((len(rows.ids), outputs))
        starts = pair_offsets(rows.offsets) if interactions else np.empty(0, dtype=np.int64)
        pairs = np.empty((int(starts[-1]) if interactions else 0, outputs))
        assert isinstance(self._native, _core.ShapleyExplainer)
        self._native.explain(rows.offsets, rows.ids, values, starts, pairs, threads, progress)
        if not np.isfinite(values).all() or not np.isfinite(pairs).all():
            raise ValueError("the values leave the range of double: scale the coefficients down")
        ones, found = np.ones(len(rows.ids)), pairs if interactions else None
        return Explanation(self.machine, rows.offsets, rows.ids, ones, values, self._base, found)

    @functools.cached_property
    def _reference(self) -> Rows | None:
        """The one row that columns by themselves are compared with; None for groups and other backgrounds."""
        if self.groups is None and isinstance(self.background, GivenRows) and len(self.background) == 1:
            return self.background.rows
        return None

    @functools.cached_property
    def _of_fields(self) -> FieldShapley | None:
        """For fields of binary rows, where the machine is a sum of tables over them."""
        if self.groups is None or self.groups.fields is None:
            return None
        tables = tables_of(self.machine)
        return None if tables is None else FieldShapley(self.machine, tables, self.groups, self.background)

    @functools.cached_property
    def _of_groups(self) -> GroupShapley:
        return GroupShapley(self.machine, self.groups, self.background)

    @functools.cached_property
    def _native(self) -> _core.ShapleyExplainer | _core.ConjunctionShapley:
        kind = _core.ShapleyExplainer if self.machine.compares_sets else _core.ConjunctionShapley
        return kind(self.machine._native)

    @functools.cached_property
    def _base(self) -> Floats:
        return np.asarray(scores_of(self.machine, EMPTY)[0])

    @functools.cached_property
    def _game(self) -> SetGame:
        return SetGame(self.machine)

    def _pairs(self, rows: Rows) -> Int64s:
        """How many pairs each row has at most."""
        lengths = rows.lengths + len(self.background.features.ids)
        if self.groups is not None:
            lengths = (
                np.full(len(rows), len(self.groups)) if self.groups.fields else np.minimum(lengths, len(self.groups))
            )
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
        """Blocks of rows: some thousands, fewer if their interactions are many."""
        pairs = self._pairs(rows) if interactions else np.zeros(len(rows), dtype=np.int64)
        before = np.concatenate([[0], np.cumsum(pairs)])
        most, begin = BLOCK_BYTES // (8 * self.machine.n_outputs), 0
        while begin < len(rows):
            fits = int(np.searchsorted(before, before[begin] + most, side="right")) - 1
            end = min(max(fits, begin + 1), begin + BLOCK, len(rows))
            yield _slice(rows, begin, end)
            begin = end


def _check_absent(absent: Any, machine: Machine, groups: Any, background: Any, baseline: Any) -> None:
    if absent != "dropped":
        raise ValueError(f"absent must be 'dropped' or None, got {absent!r}")
    check_dropped(machine)
    given = {"groups": groups not in (None, False), "background": background is not None}
    for name, is_given in (given | {"baseline": baseline is not None}).items():
        if is_given:
            raise ValueError(f"{name} does not go with absent='dropped', which compares rows with no others")


def _slice(rows: Rows, begin: int, end: int) -> Rows:
    first, last = rows.offsets[begin], rows.offsets[end]
    return replace(
        rows, offsets=rows.offsets[begin : end + 1] - first, ids=rows.ids[first:last], values=rows.values[first:last]
    )


def reference_explanation(
    machine: Machine,
    rows: Rows,
    reference: Rows | None = None,
    *,
    interactions: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    game: SetGame | None = None,
) -> Explanation:
    """Shapley values, and interactions if `interactions`, of the features in which each row differs from the reference.

    A present feature has its value in the row, an absent one its value in the reference. Features that are the same in
    both get 0, as do those that no support row has where the kernel does not see the lengths of rows.

    Parameters
    ----------
    machine : Machine
        With a kernel of sets. Values other than 0 and 1, in its support or in rows, are for polynomial and RBF kernels.
    rows : Rows
    reference : Rows or None
        A single row; None is the empty one, in which every feature is absent.
    interactions, n_jobs, progress
    game : SetGame or None
        Of the machine, where there is one already.

    Examples
    --------
    Two houses, by rooms and garden, each compared with a house of two rooms without a garden:

    >>> import numpy as np
    >>> import gristmill as gm
    >>> from gristmill.data.rows import as_rows
    >>> machine = gm.Machine(gm.PolynomialKernel(2), np.array([[1.0, 2.0]]), [0.5], 10.0)
    >>> houses, small = (as_rows(np.array(table), binarize=False) for table in ([[4.0, 0.5], [2.0, 1.0]], [[2.0, 0]]))
    >>> found = reference_explanation(machine, houses, small, interactions=True)
    >>> found.base, found.ids, found.offsets
    (array([14.5]), array([0, 1, 0, 1], dtype=int32), array([0, 2, 4]))
    >>> found.values.ravel(), found.interactions.ravel()
    (array([9. , 4.5, 0. , 8. ]), array([2., 0.]))
    """
    reference = EMPTY if reference is None else reference
    if len(reference) != 1:
        raise ValueError(f"the reference must be a single row, got {len(reference)}")
    offsets, ids, x, other = joined(rows, reference)
    starts = pair_offsets(offsets)
    values = np.zeros((len(ids), machine.n_outputs))
    pairs = np.zeros((int(starts[-1]) if interactions else 0, machine.n_outputs))
    game = SetGame(machine) if game is None else game
    game.explain(Players(offsets, ids, x, *NO_PLAYERS), other, values, pairs, resolve_jobs(n_jobs), progress)
    base = scores_of(machine, reference)[0]
    if not all(np.isfinite(numbers).all() for numbers in (values, pairs, base)):
        raise ValueError(
            "the kernel leaves the range of double between a row and the reference; "
            "use a smaller degree, gamma or coef0"
        )
    return Explanation(machine, offsets, ids, x, values, base, pairs if interactions else None)
