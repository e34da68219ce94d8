"""Examples as matrices: named features become ids, which are ranks by frequency in the training part.

Features that only the test part has come last, in the order in which they appear.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Example = tuple[Iterable[str], Any]  # the names of its features, and its label
Data = tuple[sp.csr_matrix, NDArray[Any]]


def matrices(train: Iterable[Example], test: Iterable[Example]) -> tuple[Data, Data]:
    """(X, y) of both parts, over the same features."""
    seen: dict[str, int] = {}
    parts = [_Part(seen, train), _Part(seen, test)]
    counts = np.bincount(parts[0].features, minlength=len(seen))
    order = np.argsort(-counts, kind="stable")
    ranks = np.empty(len(seen), dtype=np.int32)
    ranks[order] = np.arange(len(seen), dtype=np.int32)
    return parts[0].data(ranks), parts[1].data(ranks)


def sample(data: Data, size: int, seed: int = 1) -> Data:
    """A random part, by seed."""
    X, y = data
    chosen = np.random.default_rng(seed).permutation(len(y))[:size]
    return X[chosen], y[chosen]


class _Part:
    """Examples with features numbered as they were first seen; names are not kept, there are millions."""

    def __init__(self, seen: dict[str, int], examples: Iterable[Example]) -> None:
        self.features, self.offsets = array("i"), array("q", [0])
        self.labels = list(self._read(seen, examples))

    def _read(self, seen: dict[str, int], examples: Iterable[Example]) -> Iterator[Any]:
        for names, label in examples:
            self.features.extend(seen.setdefault(name, len(seen)) for name in names)
            self.offsets.append(len(self.features))
            yield label

    def data(self, ranks: NDArray[np.int32]) -> Data:
        ids = ranks[np.frombuffer(self.features, dtype=np.int32)]
        shape = len(self.labels), len(ranks)
        X = sp.csr_matrix((np.ones(len(ids)), ids, np.array(self.offsets)), shape=shape)
        X.sort_indices()
        return X, np.array(self.labels)
