"""Conjunctions spelled out: the polynomial kernel as a plain dot product, and frequent conjunctions as features.

A kernel (<x, y> + 1)^d of binary rows that share m features is sum_k c_k binom(m, k), c_k the k-th difference of
(m + 1)^d at 0: with sqrt(c_k) as the value of each conjunction of k features a linear machine learns what the kernel
machine does. It costs n binom(features of a row, k) numbers in memory, a sort of them, and a weight for each kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Codes = NDArray[np.int64]

BLOCK = 20_000  # rows whose conjunctions are spelled out at once


def differences(degree: int) -> list[int]:
    """c_0, ..., c_degree."""
    return [sum((-1) ** (k - j) * comb(k, j) * (j + 1) ** degree for j in range(k + 1)) for k in range(degree + 1)]


def conjunctions(X: sp.csr_matrix, size: int) -> Iterator[tuple[NDArray[np.intp], Codes]]:
    """(numbers of rows, a row of codes each) of all conjunctions of so many features, block by block.

    The code of a < b < c is (c * columns + b) * columns + a.
    """
    if X.shape[1] ** size > np.iinfo(np.int64).max:
        raise ValueError(f"conjunctions of {size} out of {X.shape[1]} features have no 64-bit codes")
    lengths = np.diff(X.indptr)
    for length in np.unique(lengths):
        places = np.array(list(combinations(range(length), size)), dtype=np.intp)
        alike = np.flatnonzero(lengths == length)
        for rows in np.split(alike, range(BLOCK, len(alike), BLOCK)):
            if len(places):
                yield rows, _codes(X, rows, int(length), places)


def _codes(X: sp.csr_matrix, rows: NDArray[np.intp], length: int, places: NDArray[np.intp]) -> Codes:
    ids = X.indices[X.indptr[rows][:, None] + np.arange(length)].astype(np.int64)
    codes: Codes = ids[:, places[:, -1]]
    for place in range(places.shape[1] - 2, -1, -1):
        codes = codes * X.shape[1] + ids[:, places[:, place]]
    return codes


@dataclass(frozen=True)
class Mined:
    """Conjunctions that occur in at least so many rows: codes, ascending, by size, and how often each occurs."""

    codes: dict[int, Codes]
    counts: dict[int, Codes]

    @classmethod
    def of(cls, X: sp.csr_matrix, degree: int, least: int) -> Mined:
        """Of 1 to `degree` features; what is frequent is made of frequent features only, so others go first."""
        X = _binary(X)
        often = np.bincount(X.indices, minlength=X.shape[1])
        known = np.flatnonzero(often >= least)
        codes, counts = {1: known.astype(np.int64)}, {1: often[known].astype(np.int64)}
        frequent = without(X, often >= least)
        for size in range(2, degree + 1):
            found = [np.unique(codes, return_counts=True) for _, codes in conjunctions(frequent, size)]
            codes[size], counts[size] = _summed(found, least)
        return cls(codes, counts)

    @property
    def columns(self) -> int:
        return sum(len(known) for known in self.codes.values())

    @property
    def frequencies(self) -> Codes:
        """By column."""
        return np.concatenate(list(self.counts.values()))

    def spell(self, X: sp.csr_matrix, values: dict[int, float] | None = None) -> sp.csr_matrix:
        """Rows with a column for each conjunction, singles first; of value 1, or by size."""
        X = without(_binary(X), np.isin(np.arange(X.shape[1]), self.codes[1]))
        parts, before = [], 0
        for size, known in self.codes.items():
            for rows, codes in conjunctions(X, size) if len(known) else ():
                places = np.searchsorted(known, codes)
                places[places == len(known)] = 0
                hit = known[places] == codes
                numbers = np.repeat(rows, hit.sum(axis=1)).astype(np.int32)
                weights = np.full(len(numbers), 1.0 if values is None else values[size])
                parts.append((weights, numbers, (before + places[hit]).astype(np.int32)))
            before += len(known)
        return _matrix(parts, (X.shape[0], self.columns))


def _summed(found: list[tuple[Codes, Codes]], least: int) -> tuple[Codes, Codes]:
    """Counts of all blocks together, of those that are frequent."""
    if not found:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    codes, inverse = np.unique(np.concatenate([codes for codes, _ in found]), return_inverse=True)
    counts = np.bincount(inverse, np.concatenate([counts for _, counts in found])).astype(np.int64)
    frequent = counts >= least
    return codes[frequent], counts[frequent]


def without(X: sp.csr_matrix, kept: NDArray[np.bool_]) -> sp.csr_matrix:
    """The same rows and columns, those that are not kept empty."""
    stays = kept[X.indices]
    offsets = np.concatenate([[0], np.cumsum(stays)])[X.indptr]
    return sp.csr_matrix((X.data[stays], X.indices[stays], offsets), shape=X.shape)


def _binary(X: sp.csr_matrix) -> sp.csr_matrix:
    if not np.all(X.data == 1):
        raise ValueError("conjunctions are of values 0 and 1")
    X.sort_indices()
    return X


@dataclass(frozen=True)
class Expansion:
    """All conjunctions of the rows it was made for, valued so that dot products are the kernel less `constant`."""

    mined: Mined
    values: dict[int, float]
    constant: float

    @classmethod
    def learn(cls, X: sp.csr_matrix, degree: int) -> tuple[Expansion, sp.csr_matrix]:
        """The expansion of these rows, and the rows expanded, with one sort of all conjunctions of a size."""
        X = _binary(X)
        constant, *others = differences(degree)
        values = {size: float(np.sqrt(c)) for size, c in enumerate(others, start=1)}
        lengths = np.diff(X.indptr)
        offsets = np.concatenate([[0], np.cumsum(sum(_binomial(lengths, size) for size in values))])
        columns, data = np.empty(offsets[-1], dtype=np.int32), np.empty(offsets[-1])
        codes: dict[int, Codes] = {}
        counts: dict[int, Codes] = {}
        begins, before = offsets[:-1].copy(), 0
        for size, value in values.items():
            blocks = list(conjunctions(X, size))
            found = np.concatenate([block.ravel() for _, block in blocks]) if blocks else np.zeros(0, dtype=np.int64)
            codes[size], numbers, counts[size] = _numbered(found, X.shape[1] ** size)
            at = 0
            for rows, block in blocks:
                places = begins[rows][:, None] + np.arange(block.shape[1])
                columns[places] = before + np.sort(numbers[at : at + block.size].reshape(block.shape), axis=1)
                data[places] = value
                begins[rows] += block.shape[1]
                at += block.size
            before += len(codes[size])
        shape = X.shape[0], before
        return cls(Mined(codes, counts), values, float(constant)), sp.csr_matrix((data, columns, offsets), shape=shape)

    def __call__(self, X: Any) -> sp.csr_matrix:
        return self.mined.spell(X, self.values)


def _binomial(n: NDArray[Any], size: int) -> NDArray[np.int64]:
    table = np.array([comb(length, size) for length in range(int(n.max(initial=0)) + 1)], dtype=np.int64)
    return np.asarray(table[n])


def _numbered(codes: Codes, bound: int) -> tuple[Codes, NDArray[np.int32], Codes]:
    """Different codes, ascending, the number of each code among them, and how often each occurs.

    Code and place in one 64-bit number, if they fit, are sorted several times as fast as np.unique sorts places.
    """
    bits = max(len(codes) - 1, 1).bit_length()
    if (bound - 1).bit_length() + bits > 63:
        different, inverse, often = np.unique(codes, return_inverse=True, return_counts=True)
        return different, inverse.astype(np.int32), often.astype(np.int64)
    keys = np.sort((codes << bits) | np.arange(len(codes)))
    ordered = keys >> bits
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    numbers = np.empty(len(codes), dtype=np.int32)
    numbers[keys & ((1 << bits) - 1)] = np.cumsum(first, dtype=np.int32) - 1
    begins = np.flatnonzero(first)
    counts = np.diff(np.append(begins, len(codes))).astype(np.int64)
    return ordered[begins], numbers, counts


def _matrix(parts: list[tuple[Any, Any, Any]], shape: tuple[int, int]) -> sp.csr_matrix:
    """Of (values, rows, columns)."""
    values, rows, columns = (np.concatenate(part) for part in zip(*parts, strict=True)) if parts else ([], [], [])
    matrix = sp.csr_matrix((values, (rows, columns)), shape=shape)
    matrix.sort_indices()
    return matrix
