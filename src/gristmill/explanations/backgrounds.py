"""Backgrounds: what rows are compared with. An absent player has its values from there, on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices, Int32s, Int64s
from gristmill.data.rows import Rows
from gristmill.explanations.contrasts import EMPTY
from gristmill.explanations.field_codes import field_codes
from gristmill.explanations.field_tables import MOST_FIELDS
from gristmill.explanations.groups import Groups
from gristmill.explanations.models import Model
from gristmill.explanations.set_games import takes_independent
from gristmill.machines.machine import Machine


@dataclass(frozen=True, eq=False)
class GivenRows:
    """Rows that all count the same: absent players have their values in one row, averaged over the rows."""

    rows: Rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def features(self) -> Rows:
        """All that any of the rows has, as those of one row."""
        return _row_of(np.unique(self.rows.ids))

    def joint(self, machine: Machine) -> JointWeights:
        """As weights of the bins of fields."""
        return JointWeights(field_codes(self.rows, machine))


@dataclass(frozen=True, eq=False)
class FieldDistribution:
    """The bins of training, each field by itself: absent fields have values that are independent of one another.

    Parameters
    ----------
    shares : tuple of float64 arrays
        Of the rows of training in each bin of each field.
    """

    shares: tuple[Floats, ...]

    def __len__(self) -> int:
        """One: it takes no average over rows."""
        return 1

    @property
    def features(self) -> Rows:
        """All bins that training had, as the features of one row."""
        return _row_of(np.flatnonzero(self.probabilities))

    @property
    def probabilities(self) -> Floats:
        """Of all bins, by their column."""
        return np.concatenate(self.shares)

    def joint(self, machine: Machine) -> ProductWeights:
        return ProductWeights(self.shares)


Background = GivenRows | FieldDistribution


def _row_of(features: Indices | Int32s) -> Rows:
    return Rows(np.array([0, len(features)], dtype=np.int64), features.astype(np.int32))


class ProductWeights:
    """Of the bins of several fields the product of their shares. No row is without a bin, the last of each axis."""

    def __init__(self, shares: tuple[Floats, ...]) -> None:
        self._shares = shares

    def of(self, fields: tuple[int, ...]) -> Floats:
        found = np.ones(())
        for field in fields:
            found = np.multiply.outer(found, np.append(self._shares[field], 0.0))
        return found


class JointWeights:
    """Of the bins of several fields how often rows are in them."""

    def __init__(self, codes: tuple[Indices, tuple[int, ...]]) -> None:
        self._codes, self._sizes = codes

    def of(self, fields: tuple[int, ...]) -> Floats:
        sizes = tuple(self._sizes[field] for field in fields)
        if not fields:
            return np.ones(())
        cells = np.ravel_multi_index(tuple(self._codes[:, field] for field in fields), sizes)
        counts = np.bincount(cells, minlength=int(np.prod(sizes)))
        return np.asarray(counts.reshape(sizes) / len(self._codes))


def background_of(background: Any, model: Model, groups: Groups | None) -> Background:
    """What a user names: None, 'fields' or rows; ValueError for no rows.

    None is the distribution of fields where fields are explained, it is known and the machine allows it; else the row
    without any feature.
    """
    if background is None and _takes_distribution(model.machine, groups):
        background = "fields"
    if isinstance(background, str):
        return _of_training(background, model.machine)
    if background is None:
        return GivenRows(EMPTY)
    rows: Rows = model.examples(background)
    if not len(rows):
        raise ValueError("background must have one row or more, got none")
    return GivenRows(rows)


def _takes_distribution(machine: Machine, groups: Groups | None) -> bool:
    """Whether rows can be compared with the fields of training: see `FieldShapley` and `GroupShapley`."""
    if groups is None or groups.fields is None or _counts(machine) is None:
        return False
    if takes_independent(machine) and len(groups) == len(groups.fields):
        return True
    has_conjunctions = machine.is_polynomial or not machine.compares_sets
    return has_conjunctions and machine.feature_kernel.longest(machine.rows) <= MOST_FIELDS


def _of_training(background: str, machine: Machine) -> FieldDistribution:
    if background != "fields":
        raise ValueError(f"background must be rows, 'fields' or None, got {background!r}")
    counts = _counts(machine)
    if counts is None:
        raise ValueError(
            "background='fields' is the distribution of the fields of training, which this machine does not know: give "
            "rows as background, one or many"
        )
    return FieldDistribution(tuple(own / own.sum() for own in counts))


def _counts(machine: Machine) -> tuple[Int64s, ...] | None:
    """Rows of training in the bins of each field, where that is known."""
    counts = None if machine.encoding is None else machine.encoding.counts
    return counts if counts is not None and all(own.sum() for own in counts) else None
