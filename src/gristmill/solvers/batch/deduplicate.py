"""Groups of equal examples, which share one row of the Gram matrix. Cost: linear in the data."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Flags, Indices
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows, as_rows


def groups_of(data: Any) -> Indices:
    """For each example the number of its group.

    Groups of rows are numbered by what the rows hold: a solver then takes the same steps whether examples have weights
    or occur several times, and in whatever order.
    """
    if isinstance(data, Forest):
        return np.asarray(np.unique(data._roots, return_inverse=True)[1], dtype=np.intp)
    if isinstance(data, Examples):
        parts = [groups_of(field) for field in data.fields.values()]
        return _of_keys(list(zip(*(part.tolist() for part in parts), strict=True)))
    if isinstance(data, list):  # examples of a callable may be anything
        return _of_keys(data) if all(isinstance(item, str) for item in data) else np.arange(len(data))
    rows = as_rows(data, binarize=False)
    if rows.is_binary:
        return _core.number_rows(rows.offsets, rows.ids).astype(np.intp)
    return _of_keys(_row_keys(rows))


def first_of(groups: Indices) -> Indices:
    """The first example of each group; groups are numbered without gaps."""
    first = np.empty(int(groups.max(initial=-1)) + 1, dtype=np.intp)
    first[groups[::-1]] = np.arange(len(groups))[::-1]  # the last write stays
    return first


def take(data: Any, numbers: Indices) -> Any:
    """The examples with these numbers, in this order."""
    if isinstance(data, Rows):
        return data.take(numbers)
    if isinstance(data, list):
        return [data[number] for number in numbers]
    return data[numbers]


def without(data: Any, gone: Flags) -> Any:
    """The other examples, in memory of their own."""
    if isinstance(data, Rows):
        return data.without(np.flatnonzero(gone))
    return purged(take(data, np.flatnonzero(~gone)))


def purged(data: Any) -> Any:
    """Examples in memory of their own: slices of a forest share its graph, with all that other trees were made of."""
    if isinstance(data, Forest):
        return Forest.from_flat(*data.flat())
    if isinstance(data, Examples):
        return Examples(**{name: purged(field) for name, field in data.fields.items()})
    return data


def same_data(one: Any, other: Any) -> bool:
    """True when the examples are the same in the same order."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Rows):
        return bool(one == replace(other, feature_names=one.feature_names))
    if isinstance(one, Examples):
        fields, others = one.fields, other.fields
        return fields.keys() == others.keys() and all(same_data(fields[name], others[name]) for name in fields)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, Forest | list):
        return len(one) == len(other) and bool(one == other)
    return bool(one.shape == other.shape and (one != other).nnz == 0)  # a sparse matrix


def _row_keys(rows: Rows) -> list[Any]:
    bounds = itertools.pairwise(rows.offsets.tolist())
    return [(rows.ids[begin:end].tobytes(), rows.values[begin:end].tobytes()) for begin, end in bounds]


def _of_keys(keys: list[Any]) -> Indices:
    places = {key: number for number, key in enumerate(sorted(set(keys)))}
    return np.array([places[key] for key in keys], dtype=np.intp)
