"""Conjunctions of 1, 2, ... features as tables that are looked up: a trie whose children are found by arithmetic.

A conjunction has a node, which is a place in the table of its size. The node of a single feature is its rank. That of
more features is reached from its parent, the conjunction without its most frequent feature, by that one: it stands in
the bucket

    (parent * step + rank) mod size

of its table: `size` is a power of two, at least the number of parents, and `step` is odd. So no two parents agree in
parent * step mod size, and in a bucket the rank alone says whose child a node is: nothing else is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Floats, Int64s
from gristmill.exporting.expansion import Expansion

_GOLDEN = 0.6180339887498949  # of all steps this one spreads parents most evenly


@dataclass(frozen=True, eq=False)
class Level:
    """The conjunctions of so many features, with their weights.

    Parameters
    ----------
    size : int
        The number of buckets; 0 for single features, whose places are their ranks.
    step : int
    starts : int64 array
        The first place of each bucket, and the number of all.
    ranks : int64 array
        The most frequent feature of the conjunction at each place.
    weights : csr_matrix of shape (places, outputs)
    """

    size: int
    step: int
    starts: Int64s
    ranks: Int64s
    weights: sp.csr_matrix

    def __len__(self) -> int:
        return len(self.ranks)

    def child(self, parent: int, rank: int) -> int | None:
        """The place of a conjunction, by its parent and its most frequent feature."""
        bucket = (parent * self.step + rank) & (self.size - 1)
        found = range(int(self.starts[bucket]), int(self.starts[bucket + 1]))
        return next((at for at in found if self.ranks[at] == rank), None)


@dataclass(frozen=True, eq=False)
class _Buckets:
    size: int
    step: int
    starts: Int64s
    order: Int64s  # of the nodes: what stands at each place

    @classmethod
    def of(cls, parents: Int64s, ranks: Int64s, n_parents: int) -> _Buckets:
        size = 1 << (max(n_parents, len(parents), 2) - 1).bit_length()
        step = int(size * _GOLDEN) | 1
        bucket = (parents * step + ranks) & (size - 1)
        starts = np.concatenate([[0], np.cumsum(np.bincount(bucket, minlength=size))])
        return cls(size, step, starts, np.lexsort((ranks, bucket)))


def levels_of(expansion: Expansion) -> list[Level]:
    """The tables of an expansion, that of single features first."""
    conjunctions, n_features = expansion.conjunctions, max(len(expansion.features), 1)
    sizes = (conjunctions >= 0).sum(axis=1)
    nodes = conjunctions[:, 0].astype(np.int64)
    singles = np.arange(len(expansion.features))
    levels = [Level(0, 0, np.zeros(1, np.int64), singles, _weights(expansion, nodes, sizes == 1, len(singles)))]
    for depth in range(1, conjunctions.shape[1]):
        longer = np.flatnonzero(sizes > depth)
        keys, which = np.unique(nodes[longer] * n_features + conjunctions[longer, depth], return_inverse=True)
        parents, ranks = np.divmod(keys, n_features)
        buckets = _Buckets.of(parents, ranks, len(levels[-1]))
        nodes[longer] = np.argsort(buckets.order)[which]
        weights = _weights(expansion, nodes, sizes == depth + 1, len(keys))
        levels.append(Level(buckets.size, buckets.step, buckets.starts, ranks[buckets.order], weights))
    return levels


def _weights(expansion: Expansion, nodes: Int64s, some: Any, n_nodes: int) -> sp.csr_matrix:
    """Those of the conjunctions of one size at their places; of what comes more than once the sum."""
    places = nodes[some], expansion.outputs[some]
    made = sp.csr_matrix((expansion.weights[some], places), shape=(n_nodes, len(expansion.base)))
    made.sum_duplicates()
    return made


def all_weights(levels: list[Level]) -> Floats:
    """Of all conjunctions, one behind the other."""
    return np.concatenate([level.weights.data for level in levels])


def walk(levels: list[Level], ranks: list[int]) -> Iterator[tuple[int, int]]:
    """The conjunctions of a row with these features, ascending: the number of the level, and the place there."""
    stack = [(0, rank, at) for at, rank in reversed(list(enumerate(ranks)))]
    while stack:
        depth, node, before = stack.pop()
        yield depth, node
        if depth + 1 < len(levels):
            children = ((levels[depth + 1].child(node, ranks[at]), at) for at in range(before))
            stack += [(depth + 1, child, at) for child, at in children if child is not None]
