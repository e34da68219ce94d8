"""A machine as tables over the fields of its encoding, and what fields add together against a background.

f(x) = b + an entry of a table for each field, pair and triple of fields. Against a background the same function is a
sum of effects w_S, where w_S(x) is what the fields of S add together beyond what fewer of them do:

    w_S(x) = sum over R in S of (-1)^(|S| - |R|) E[table(x_R, z_rest)],   z from the background,

Harsanyi's dividends. Against independent fields they are the functional ANOVA (Hoeffding): each effect has mean 0 along
each of its fields, so singles carry all of the main effect, and pairs nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from gristmill.base.arrays import Floats, Indices, Int64s
from gristmill.data.tables.fields import MAX_BINS
from gristmill.explanations.rules import rules_of
from gristmill.kernels import ConjunctionKernel
from gristmill.machines.machine import Machine

Term = tuple[int, ...]  # numbers of fields, ascending
Tables = Mapping[Term, Floats]  # an axis for the bins of each field, and for being in none; one for outputs

MOST_FIELDS = 3  # of a term
_MOST_CONJUNCTIONS = 1_000_000  # that a polynomial machine is expanded to
_MOST_CELLS = 20_000_000


class Weights(Protocol):
    """Of the bins of fields, adding up to 1."""

    def of(self, fields: Term) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Effects:
    """f(x) = base + the sum of an entry of each table; made by `effects_of`."""

    base: Floats
    tables: Tables


def tables_of(machine: Machine) -> Tables | None:
    """The tables of a machine with an encoding; None where it has none, or they would be too large.

    The one of no field, at (), is a constant.
    """
    found = _conjunctions(machine)
    if machine.encoding is None or found is None:
        return None
    starts, rows, weights = machine.encoding.starts, found.rows, found.dense_coef()
    sizes = np.diff(starts) + 1
    if sizes.max() > MAX_BINS:  # codes have no room for being in none
        return None
    field = np.searchsorted(starts, rows.ids, side="right").astype(np.intp) - 1
    bins = rows.ids - starts[field]
    tables: dict[Term, Floats] = {(): machine_base(found)}
    for fields, members in _by_fields(rows.lengths, rows.offsets, field):
        if len(fields) > MOST_FIELDS:
            return None
        cells = tuple(bins[rows.offsets[members] + place] for place in range(len(fields)))
        shape = (*sizes[list(fields)].tolist(), machine.n_outputs)
        if sum(table.size for table in tables.values()) + np.prod(shape, dtype=np.float64) > _MOST_CELLS:
            return None
        table = np.zeros(shape)
        np.add.at(table, cells, weights[members])
        tables[fields] = table
    return tables


def machine_base(machine: Machine) -> Floats:
    """What conjunctions without features add to the intercept."""
    empty = machine.dense_coef()[machine.rows.lengths == 0]
    return np.asarray(machine.intercept + empty.sum(axis=0))


def _conjunctions(machine: Machine) -> Machine | None:
    """The same machine as conjunctions of few features; None where they are too many."""
    if isinstance(machine.kernel, ConjunctionKernel):
        return machine
    if not machine.is_polynomial or not machine.is_binary_valued or machine.polynomial.degree > MOST_FIELDS:
        return None
    degree, lengths = machine.polynomial.degree, machine.rows.lengths.tolist()
    most = min(_subsets(lengths, degree), _subsets([machine.n_features], degree))
    if most * machine.n_outputs > _MOST_CONJUNCTIONS:
        return None
    return rules_of(machine, min_weight=0, max_rules=_MOST_CONJUNCTIONS).as_machine()


def _subsets(lengths: Sequence[int], degree: int) -> int:
    """Of rows of such lengths, all those of up to so many features."""
    return sum(comb(length, size) for length in lengths for size in range(1, degree + 1))


def _by_fields(lengths: Int64s, offsets: Int64s, field: Indices) -> Iterator[tuple[Term, Indices]]:
    """The conjunctions of each set of fields; those of two bins of a field never hold."""
    for length in range(1, int(lengths.max(initial=0)) + 1):
        members = np.flatnonzero(lengths == length)
        fields = field[offsets[members][:, None] + np.arange(length)]
        holds = (np.diff(fields, axis=1) > 0).all(axis=1)
        terms, place = np.unique(fields[holds], axis=0, return_inverse=True)
        order = np.argsort(place.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(place.ravel(), minlength=len(terms)))
        parts = np.split(members[holds][order], ends)[: len(terms)]  # what is behind the last end is empty
        yield from zip(map(tuple, terms.tolist()), parts, strict=True)


def effects_of(tables: Tables, weights: Weights) -> Effects:
    """What sets of fields add together against a background."""
    found: dict[Term, Floats] = {}
    for term, table in tables.items():
        for part, effect in _effects_of_term(term, table, weights).items():
            found[part] = found[part] + effect if part in found else effect
    return Effects(found.pop(()), {part: found[part] for part in sorted(found, key=lambda part: (len(part), part))})


def _effects_of_term(term: Term, table: Floats, weights: Weights) -> dict[Term, Floats]:
    """From few fields to many: the mean over all others, without the effects of fewer fields."""
    found: dict[Term, Floats] = {}
    for size in range(len(term) + 1):
        for part in combinations(term, size):
            effect = _mean(term, table, part, weights)
            for fewer, known in found.items():
                if set(fewer) < set(part):
                    effect = effect - _spread(known, fewer, part)
            found[part] = effect
    return found


def _mean(term: Term, table: Floats, part: Term, weights: Weights) -> Floats:
    """Over the bins of the fields that are not in the part."""
    others = tuple(field for field in term if field not in part)
    if not others:
        return table
    axes = tuple(term.index(field) for field in others)
    return np.asarray(np.tensordot(weights.of(others), table, axes=(range(len(others)), axes)))


def _spread(effect: Floats, fields: Term, part: Term) -> Floats:
    """With an axis of length 1 for each field of the part that the effect does not have."""
    absent = tuple(axis for axis, field in enumerate(part) if field not in fields)
    return np.expand_dims(effect, absent)
