"""Examples with classes, weights and keys: what a partition holds, what moves, and the working set.

Weights are whole numbers of units, so that sums do not depend on the order in which they are added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Flags, Floats, Indices, Int64s
from gristmill.cluster.keys import Keys, is_among, key_order, keys_of
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.solvers.batch.deduplicate import purged, take

UNITS = 1 << 20  # of a weight of 1


@dataclass(frozen=True)
class KeyedExamples:
    """Different examples by ascending key, each with the sum of the weights of its copies.

    Parameters
    ----------
    data : Rows or Forest
    labels : int array
        Class numbers.
    weights : int64 array
        In units; above 0.
    keys : uint64 array, examples x 2
    """

    data: Any
    labels: Indices
    weights: Int64s
    keys: Keys

    @classmethod
    def of(cls, data: Any, labels: Indices, weights: Int64s) -> KeyedExamples:
        """From examples in any order; those of weight 0 are left out."""
        used = np.flatnonzero(weights > 0)
        data, labels, weights = take(data, used), labels[used], weights[used]
        return cls(data, labels, weights, keys_of(data, labels))._merged()

    @classmethod
    def joined(cls, parts: Sequence[KeyedExamples]) -> KeyedExamples:
        """Examples of several places, the weights of equal ones added; trees as if they had been read in this order."""
        labels, weights, keys = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("labels", "weights", "keys")
        )
        merged = cls(_stacked([part.data for part in parts]), labels, weights, keys)._merged()
        return replace(merged, data=purged(merged.data))

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, numbers: Indices) -> KeyedExamples:
        """Some of them; the numbers ascend."""
        return KeyedExamples(take(self.data, numbers), self.labels[numbers], self.weights[numbers], self.keys[numbers])

    def are_in(self, others: Keys) -> Flags:
        """Whether each is among these keys, which ascend."""
        return is_among(self.keys, others)

    @property
    def nbytes(self) -> int:
        """What is sent when they move, about."""
        data = self.data
        arrays = (data.offsets, data.ids, data.values) if isinstance(data, Rows) else data.flat()
        sizes = (part.nbytes if isinstance(part, np.ndarray) else len(part) for part in arrays)
        return sum(sizes) + self.keys.nbytes + self.labels.nbytes + self.weights.nbytes

    def factors(self) -> Floats:
        """The weights as numbers."""
        return self.weights / UNITS

    def _merged(self) -> KeyedExamples:
        """By ascending key, each once."""
        order = key_order(self.keys)
        keys = self.keys[order]
        begins = np.flatnonzero(np.concatenate([np.ones(min(1, len(keys)), bool), (keys[1:] != keys[:-1]).any(axis=1)]))
        weights = np.add.reduceat(self.weights[order], begins) if len(begins) else self.weights
        first = order[begins]
        return replace(self.take(first), weights=weights)


def units_of(weights: Any, size: int) -> Int64s:
    """Weights in units, checked; None: 1 each."""
    if weights is None:
        return np.full(size, UNITS, dtype=np.int64)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (size,):
        raise ValueError(f"sample_weight has shape {given.shape}, and its partition has {size} examples")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise ValueError("sample_weight must be finite and not below 0")
    units = np.rint(given * UNITS)
    if ((given > 0) & (units == 0)).any() or (units >= 2.0**52).any():
        raise ValueError(f"sample_weight must be 0, or from 1/{UNITS} to 2^32: weights are counted in 1/{UNITS}")
    return np.asarray(units, dtype=np.int64)


def _stacked(parts: Iterable[Any]) -> Any:
    """All examples, one part after the other."""
    given = list(parts)
    if isinstance(given[0], Forest):
        forest = given[0].copy()
        for other in given[1:]:
            forest.extend(other)
        return forest
    sizes = np.concatenate([part.lengths for part in given])
    return replace(
        given[0],
        offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)]),
        ids=np.concatenate([part.ids for part in given]),
        values=np.concatenate([_values(part, given) for part in given]),
        n_features=max(part.n_features for part in given),
    )


def _values(rows: Rows, among: list[Rows]) -> NDArray[np.float64]:
    if all(part.is_binary for part in among):
        return rows.values
    return np.ones(len(rows.ids)) if rows.is_binary else rows.values
