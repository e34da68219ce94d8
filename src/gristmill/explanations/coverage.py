"""How much of a score some conjunctions carry, and how much all others may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill.data.rows import Rows
from gristmill.explanations.conjunctions import Table
from gristmill.machines.machine import Machine

Floats = NDArray[np.float64]
_BLOCK = 1024  # rows that are matched at a time


@dataclass(frozen=True)
class Carried:
    """What rules say about rows, or fragments about trees, beside what the machine says: arrays of rows x outputs.

    Parameters
    ----------
    score : array
        f(x), by the machine.
    base : array of shape (outputs,)
        f of the empty row; for trees the intercept.
    carried : array
        The weights of the rules that hold in x, or of the fragments that x has, added up.
    bound : array
        What all others could carry at most, from what is known of them alone: they weigh no more than the lightest that
        is listed. It holds for ``|rest|``, up to rounding.
    """

    score: Floats
    base: Floats
    carried: Floats
    bound: Floats

    @property
    def whole(self) -> Floats:
        """The score without the base: what all conjunctions, or fragments, of x carry together."""
        return self.score - self.base

    @property
    def rest(self) -> Floats:
        """What the others do carry: exactly, since the score is known."""
        return self.whole - self.carried


class Unlisted:
    """What a conjunction that is no rule weighs at most, by its size and output."""

    def __init__(
        self, machine: Machine, weights: Floats, floor: float, max_size: int, min_support: int, outputs: range
    ) -> None:
        coef = sp.csc_matrix(machine.coef)[:, list(outputs)]
        raises, lowers = _sums(coef.maximum(0)), _sums((-coef).maximum(0))
        largest = np.asarray(abs(coef).max(axis=0).todense()).ravel() if machine.n_support else np.zeros(len(outputs))
        total = np.maximum(raises, lowers)
        rare = np.minimum(total, (min_support - 1) * largest)  # what too few support rows hold was not looked for
        looked_for = np.arange(len(weights)) <= max_size
        c = np.abs(weights)[:, None]
        known = np.where(looked_for[:, None], np.maximum(floor, c * rare), np.inf)
        self.features = np.unique(machine.support.ids)  # others are in no conjunction
        self.weights: Floats = np.minimum(c * total, known)  # sizes x outputs
        self.outputs = outputs

    @property
    def sizes(self) -> int:
        return len(self.weights)

    def bounds(self, rows: Rows, listed: Floats) -> Floats:
        """Of the sums over all conjunctions of each row but those listed, given as rows x sizes x outputs."""
        known = sp.csr_matrix(
            (np.isin(rows.ids, self.features), rows.ids, rows.offsets), shape=(len(rows), rows.n_features)
        )
        lengths = np.asarray(known.sum(axis=1)).ravel()
        choices, bounds = np.ones(len(rows)), np.zeros((len(rows), len(self.outputs)))
        for size in range(1, self.sizes):
            choices = choices * np.maximum(lengths - size + 1, 0) / size
            bounds += (choices[:, None] - listed[:, size]) * self.weights[size]
        return bounds


def _sums(columns: Any) -> Floats:
    return np.asarray(columns.sum(axis=0), dtype=np.float64).ravel()


def carried_by(table: Table, rows: Rows, unlisted: Unlisted, score: Floats, base: Floats) -> Carried:
    """Match the rules, block by block."""
    outputs, sizes = len(unlisted.outputs), unlisted.sizes
    numbers, columns = np.arange(len(table)), table.outputs - unlisted.outputs.start
    weights = sp.csr_matrix((table.weights, (numbers, columns)), shape=(len(table), outputs))
    kinds = (np.ones(len(table)), (numbers, table.sizes * outputs + columns))
    by_kind = sp.csr_matrix(kinds, shape=(len(table), sizes * outputs))
    carried, bound = np.empty((len(rows), outputs)), np.empty((len(rows), outputs))
    for begin in range(0, len(rows), _BLOCK):
        at = np.arange(begin, min(begin + _BLOCK, len(rows)))
        block = rows.take(at)
        held = table.held(block)
        carried[at] = (held @ weights).toarray()
        listed = (held @ by_kind).toarray().reshape(len(at), sizes, outputs)
        bound[at] = unlisted.bounds(block, listed)
    return Carried(score, base, carried, bound)
