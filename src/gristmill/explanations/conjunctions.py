"""Conjunctions of features with their weights, as arrays."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill.data.rows import Rows
from gristmill.kernels import PolynomialKernel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """Conjunctions as the core gives them, heaviest first."""

    n_features: int
    offsets: NDArray[np.int64]  # of the features of each in `ids`
    ids: NDArray[np.int32]
    outputs: NDArray[np.int32]
    positive: Floats  # what the support rows give that raise the output
    negative: Floats  # what those give that lower it
    support: NDArray[np.int64]  # rows

    def __len__(self) -> int:
        return len(self.outputs)

    @functools.cached_property
    def weights(self) -> Floats:
        return self.positive + self.negative

    @functools.cached_property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    def held(self, rows: Rows) -> sp.csr_matrix:
        """Rows x conjunctions: 1 where all features of a conjunction are in the row."""
        features = rows.to_csr()
        features.resize(len(rows), self.n_features)  # others are in no conjunction
        entries = features.tocoo()
        present = entries.row.astype(np.int64) * self.n_features + entries.col  # ascending, as rows and ids do
        found = (features @ self._by_rarest).tocoo()
        row, number = found.row.astype(np.int64), found.col
        for others in self._rarest_first.T[1:]:
            wanted = others[number]
            fit = (wanted < 0) | _among(present, row * self.n_features + wanted)
            row, number = row[fit], number[fit]
        return sp.csr_matrix((np.ones(len(row)), (row, number)), shape=(len(rows), len(self)))

    @functools.cached_property
    def _rarest_first(self) -> NDArray[np.int64]:
        """Conjunctions x places: their features, those that few conjunctions have first; -1 where there are no more."""
        owners = np.repeat(np.arange(len(self)), self.sizes)
        ids = self.ids[np.lexsort((np.bincount(self.ids)[self.ids], owners))]
        table = np.full((len(self), int(self.sizes.max(initial=0))), -1, dtype=np.int64)
        table[owners, np.arange(len(ids)) - self.offsets[owners]] = ids
        return table

    @functools.cached_property
    def _by_rarest(self) -> sp.csr_matrix:
        """Features x conjunctions: 1 at the first place."""
        ones, firsts = np.ones(len(self)), self._rarest_first[:, :1].ravel()
        return sp.csr_matrix((ones, (firsts, np.arange(len(self)))), shape=(self.n_features, len(self)))


def _among(ascending: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the wanted numbers are there."""
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.asarray(ascending[at] == wanted)


def subset_weights(kernel: PolynomialKernel, largest: int) -> Floats:
    """c(0), ..., c(largest): what a conjunction of so many features weighs, for any gamma and coef0.

    They are the forward differences of k at 0 (docs/formulas.md A3). In whole numbers nothing cancels.

    Examples
    --------
    >>> import gristmill as gm
    >>> from gristmill.explanations.conjunctions import subset_weights
    >>> subset_weights(gm.PolynomialKernel(3, gamma=-1.0), 3)
    array([ 1., -1.,  0., -6.])
    """
    gamma, coef0 = Fraction(kernel.gamma), Fraction(kernel.coef0)
    scale = max(gamma.denominator, coef0.denominator)  # powers of 2
    values = [int(scale * (gamma * m + coef0)) ** kernel.degree for m in range(largest + 1)]
    weights = []
    while values:
        weights.append(values[0])
        values = [after - before for before, after in pairwise(values)]
    try:
        return np.array([weight / scale**kernel.degree for weight in weights])
    except OverflowError:
        raise ValueError(f"conjunctions of {largest} features leave the range of double with {kernel}") from None
