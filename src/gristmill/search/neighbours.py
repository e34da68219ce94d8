"""Neighbours: what a search found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from gristmill.base.arrays import Floats, Int64s
from gristmill.display.words import counted

_SHOWN = 10  # queries, and neighbours of each


class Neighbour(NamedTuple):
    """An example that is similar to a query."""

    number: int
    similarity: float


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The neighbours of each query: the most similar first, of equally similar ones the one with the smaller number.

    ``len`` is the number of queries, ``found[i]`` the list of `Neighbour` of query i.

    Parameters
    ----------
    offsets : int64 array, one more than there are queries
        Where the neighbours of each query start in `numbers` and `similarities`.
    numbers : int64 array
        Of examples of the data.
    similarities : float64 array
        Values of the kernel.
    n_examples : int
        How many examples were searched.

    Examples
    --------
    >>> import gristmill as gm
    >>> found = gm.nearest(gm.ids([[1, 2, 3], [2, 3, 4], [7]]), gm.ids([[1, 2, 3, 4], [7]]), k=2)
    >>> found
    2 queries among 3 examples, 4 neighbours
    0: 0 (0.75), 1 (0.75)
    1: 2 (1), 0 (0)
    >>> found[1][0]
    Neighbour(number=2, similarity=1.0)
    """

    offsets: Int64s
    numbers: Int64s
    similarities: Floats
    n_examples: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, query: int) -> list[Neighbour]:
        number = range(len(self))[query]
        own = slice(self.offsets[number], self.offsets[number + 1])
        return [
            Neighbour(*one) for one in zip(self.numbers[own].tolist(), self.similarities[own].tolist(), strict=True)
        ]

    def __iter__(self) -> Iterator[list[Neighbour]]:
        return (self[query] for query in range(len(self)))

    @property
    def counts(self) -> Int64s:
        """How many neighbours each query has."""
        return np.diff(self.offsets)

    def pairs(self) -> Int64s:
        """All pairs (number of the query, number of the example), an array of two columns."""
        return np.column_stack([np.repeat(np.arange(len(self)), self.counts), self.numbers])

    def to_csr(self) -> sp.csr_matrix:
        """A sparse matrix of similarities, queries x examples; what was not found is 0."""
        shape = (len(self), self.n_examples)
        found = sp.csr_matrix((self.similarities, self.numbers, self.offsets), shape=shape, copy=True)
        found.sort_indices()
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "examples": self.n_examples,
            "neighbours": [[{"number": number, "similarity": value} for number, value in one] for one in self],
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict())

    def __repr__(self) -> str:
        heading = (
            f"{counted(len(self), 'query', 'queries')} among {counted(self.n_examples, 'example')}, "
            f"{counted(len(self.numbers), 'neighbour')}"
        )
        lines = [f"{query}: {_listed(self[query])}" for query in range(min(len(self), _SHOWN))]
        return "\n".join([heading, *lines, *(["..."] if len(self) > _SHOWN else [])])


def _listed(found: list[Neighbour]) -> str:
    shown = ", ".join(f"{one.number} ({one.similarity:.4g})" for one in found[:_SHOWN])
    return (shown or "none") + (", ..." if len(found) > _SHOWN else "")
