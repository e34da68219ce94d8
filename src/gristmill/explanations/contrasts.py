"""Rows beside the reference that they are explained against: the features of both, and their values in each."""

from __future__ import annotations

import numpy as np

from gristmill.base.arrays import Floats, Int32s, Int64s
from gristmill.data.rows import Rows

EMPTY = Rows(np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.int32))  # one row without features
NO_PLAYERS = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint32)  # each entry is one by itself


def joined(rows: Rows, reference: Rows) -> tuple[Int64s, Int32s, Floats, Floats]:
    """Offsets and ids of each row joined with the reference, and the value of each entry in both of them."""
    width = 1 + max(int(part.ids.max(initial=0)) for part in (rows, reference))
    starts = width * np.arange(len(rows) + 1, dtype=np.int64)
    own = np.repeat(starts[:-1], rows.lengths) + rows.ids
    others = (starts[:-1, None] + reference.ids).ravel()
    keys = np.unique(np.concatenate([own, others]))
    x, other = np.zeros(len(keys)), np.zeros(len(keys))
    x[np.searchsorted(keys, own)] = values_of(rows)
    other[np.searchsorted(keys, others)] = np.tile(values_of(reference), len(rows))
    return np.searchsorted(keys, starts), (keys % width).astype(np.int32), x, other


def values_of(rows: Rows) -> Floats:
    """The values of all entries."""
    return np.ones(len(rows.ids)) if rows.is_binary else rows.values
