"""Estimators that forget training examples: which ones, what they were, and what is said about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from gristmill.base.arrays import Flags, Floats, Indices
from gristmill.data.rows import Rows
from gristmill.display.words import counted, listed_labels, quoted_label
from gristmill.machines.store import digest_of
from gristmill.solvers.batch.deduplicate import same_data, take
from gristmill.solvers.batch.forgetting import purged_names, relative_gap
from gristmill.solvers.batch.result import SvmFit
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.receipt import Receipt, data_digest


@dataclass(frozen=True)
class TrainingExamples:
    """What an estimator was fitted on.

    Parameters
    ----------
    data : examples as the kernel compares them
    y : array or None
    weights : float array or None
        Of samples.
    queries : array or None
    rows : TrainingRows or None
        Of these examples, where they were kept.
    """

    data: Any
    y: NDArray[Any] | None
    weights: Floats | None
    queries: NDArray[Any] | None = None
    rows: TrainingRows | None = None

    def __len__(self) -> int:
        return len(self.data)

    @property
    def targets(self) -> NDArray[Any]:
        """y, of learners that have one."""
        assert self.y is not None
        return self.y

    @property
    def factors(self) -> Floats:
        return np.ones(len(self)) if self.weights is None else self.weights

    def without(self, forgotten: Flags, rows: TrainingRows | None) -> TrainingExamples:
        """The others; their data are those of the rows."""
        kept = np.flatnonzero(~forgotten)
        y, weights, queries = (None if one is None else one[kept] for one in (self.y, self.weights, self.queries))
        return TrainingExamples(take(self.data, kept) if rows is None else rows.data, y, weights, queries, rows)

    @cached_property
    def digest(self) -> str:
        named = {"y": self.y, "weights": self.weights, "queries": self.queries}
        return data_digest(self.data, {name: value for name, value in named.items() if value is not None})

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rows": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


NOT_KEPT = "this estimator has not kept its examples: give them again as X and y, or fit with keep_examples=True"


def checked_labels(y: Any, size: int, classes: NDArray[Any]) -> NDArray[Any]:
    """The labels of examples that are given again."""
    labels = column_or_1d(y, warn=True)
    check_consistent_length(labels, np.empty(size))
    if not np.isin(labels, classes).all():
        raise ValueError(f"y holds labels that are not among {listed_labels(classes)}")
    return np.asarray(labels)


def chosen(indices: Any, size: int) -> Flags:
    """Which examples are meant: by numbers from 0, or a bool for each."""
    given = np.atleast_1d(np.asarray(indices))
    if given.dtype == bool:
        if given.shape != (size,):
            raise ValueError(f"a mask has a bool for each of {size} training examples, got shape {given.shape}")
        which = given.copy()
    else:
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise ValueError(f"indices must be numbers of training examples, or a mask, got {str(indices)[:80]}")
        wrong = given[(given < 0) | (given >= size)]
        if len(wrong):
            raise ValueError(f"there is no training example {int(wrong[0])}: they are numbered from 0 to {size - 1}")
        which = np.zeros(size, dtype=bool)
        which[given.astype(np.intp)] = True
    if which.all():
        raise ValueError("these are all examples: nothing would be left to learn from")
    return which


def check_is_training(data: Any, fit: SvmFit, size: int) -> None:
    """Raise ValueError where the examples cannot be those of the fit."""
    advice = "give the examples of the last fit (or forget), all of them and in the same order"
    if len(data) != size:
        raise ValueError(f"this was learned from {counted(size, 'example')}, got {len(data)}: {advice}")
    if fit.support_vectors is not None and not _same(take(data, fit.support), fit.support_vectors):
        raise ValueError(f"the support vectors are not among X where they were: {advice}")


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Rows) and isinstance(other, Rows):
        one = replace(one, n_features=other.n_features)
    return same_data(one, other)


def check_left(labels: Indices, weights: Floats, classes: NDArray[Any], doing: str) -> None:
    """Raise ValueError where a class has no example left."""
    counts = np.bincount(labels[weights > 0], minlength=len(classes))
    if not counts.all():
        gone = quoted_label(classes[int(np.flatnonzero(counts == 0)[0])])
        raise ValueError(
            f"{doing} leaves class {gone} without examples, and the machine would have another shape: fit anew on the "
            "others"
        )


def with_names_purged(fit: SvmFit, before: Any, forgotten: Flags) -> SvmFit:
    """Columns that forgotten examples alone had lose their names, which may tell of them."""
    names = None if fit.machine is None else purged_names(fit.machine.feature_names, before, forgotten)
    if fit.machine is None or names is None:
        return fit
    if fit.rows is not None:
        fit.rows.rename(names)
    vectors = replace(fit.support_vectors, feature_names=names)
    return replace(fit, machine=fit.machine.replace(feature_names=names), support_vectors=vectors)


def receipt_of(
    before: SvmFit,
    after: SvmFit,
    examples: tuple[TrainingExamples, TrainingExamples],
    forgotten: Flags,
    recomputed: tuple[str, ...],
    seconds: float,
) -> Receipt:
    """What is said about it."""
    return Receipt(
        forgotten=int(forgotten.sum()),
        remaining=int((~forgotten).sum()),
        support_forgotten=int(forgotten[before.support].sum()),
        solver=after.solver,
        steps=int(after.n_iter.sum()),
        tol=after.settings.tol,
        violation=float(after.violation.max(initial=0.0)),
        gap=relative_gap(after),
        recomputed=recomputed,
        data_before=examples[0].digest,
        data_after=examples[1].digest,
        machine_before=fit_digest(before),
        machine_after=fit_digest(after),
        seconds=seconds,
    )


def fit_digest(fit: SvmFit) -> str:
    """Of the machine; without one, of coefficients."""
    if fit.machine is not None:
        return digest_of(fit.machine)
    return data_digest(fit.support, {"coef": fit.dual_coef, "intercept": fit.intercept})
