"""A plan of a table machine: which fields, pairs and triples have tables, and how bins resemble one another.

The kernel is k(x, z) = sum_j s_j^2 g_j(x_j, z_j) + sum_jk s_jk^2 h_j(x_j, z_j) h_k(x_k, z_k) + ..., where bins resemble
one another as `core/solve/tables/factor.hpp` says: one by one, by their distance on the thermometer, or both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats
from gristmill.data.tables.fields import Field

Term = tuple[int, ...]  # one to three numbers of fields, ascending

_PARTS = {"onehot": (1.0, 0.0), "thermometer": (0.0, 1.0), "both": (1.0, 1.0)}
_SINGLE = 2.0
_BINARY = 0.6  # of the scale of other pairs
_TRIPLE = 0.5  # of that of pairs


@dataclass(frozen=True)
class TablePlan:
    """Fields, terms and scales.

    Parameters
    ----------
    fields : tuple of Field
    terms : tuple of tuples of int
        The numbers of the fields of each term.
    single_parts, pair_parts : {'onehot', 'thermometer', 'both'}
        How ordered bins resemble one another, in fields alone and in pairs and triples.
    pair_scale : float
        The scale of pairs, where that of fields is 2.
    monotone : tuple of int
        Of each field 1 where scores must not fall along its ordered bins, -1 where they must not rise, else 0.
    factors : tuple of float
        Of each term, by which its scale is multiplied; empty: 1 for all.
    """

    fields: tuple[Field, ...]
    terms: tuple[Term, ...]
    single_parts: str = "both"
    pair_parts: str = "thermometer"
    pair_scale: float = 0.5
    monotone: tuple[int, ...] = ()
    factors: tuple[float, ...] = field(default=())

    @property
    def bins(self) -> tuple[int, ...]:
        return tuple(len(own.bins) for own in self.fields)

    @property
    def degree(self) -> int:
        return max(map(len, self.terms), default=1)

    def scales(self) -> Floats:
        """Of each term."""
        own = np.array([self._scale(term) for term in self.terms], dtype=np.float64)
        return own * np.array(self.factors) if self.factors else own

    def similarities(self) -> list[_core.BinSimilarity]:
        """Of each field alone, then of each in pairs and triples, then of each beside a monotone one."""
        each = range(len(self.fields))
        found = [self._similarity(number, self.single_parts) for number in each]
        found += [self._similarity(number, self.pair_parts) for number in each]
        return found + [self._similarity(number, self.pair_parts, beside=True) for number in each if any(self.monotone)]

    def used(self) -> list[list[int]]:
        """The numbers of the similarities of each term."""
        return [[self._place(term) * len(self.fields) + number for number in term] for term in self.terms]

    def _place(self, term: Term) -> int:
        """Which of the similarities of a field a term takes; those beside a monotone field have more features."""
        if len(term) == 1:
            return 0
        return 2 if self.monotone and any(self.monotone[number] for number in term) else 1

    def with_terms(self, terms: Sequence[Term]) -> TablePlan:
        return replace(self, terms=tuple(terms), factors=())

    def _scale(self, term: Term) -> float:
        if len(term) == 1:
            return _SINGLE
        binary = all(len(self.fields[number].bins) == 2 for number in term)
        return self.pair_scale * (_BINARY if binary else 1.0) * (_TRIPLE if len(term) == 3 else 1.0)

    def _similarity(self, number: int, parts: str, beside: bool = False) -> _core.BinSimilarity:
        own = self.fields[number]
        direction = self.monotone[number] if self.monotone else 0
        onehot, thermometer = (0.0, 1.0) if direction else _PARTS[parts]
        return _core.BinSimilarity(
            len(own.bins), own.n_ordered, onehot, thermometer, direction, nonnegative=beside and not direction
        )


def single_terms(fields: Sequence[Field]) -> list[Term]:
    """A field of one bin is constant: the intercept says it all."""
    return [(number,) for number, own in enumerate(fields) if len(own.bins) > 1]
