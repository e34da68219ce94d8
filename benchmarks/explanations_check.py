"""Explanations held against three slow accounts: the formula, a sum over all subsets, and the scores themselves.

The formula, with m_i features shared by x and support row i: a feature of both gets a_i (k(m_i) - k(0)) / m_i from it,
a pair a_i times the sum over r of binomial(m_i - 2, r - 2) c(r) / (r - 1), where c weighs conjunctions by their size.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.machines import magnitude
from gristmill.data.rows import Rows

Floats = NDArray[np.float64]

FEW, SHORT = 20, 8  # rows by the formula; features of those by subsets
TOLERANCE = 1e-9  # of |b| + sum |a_i| k(s_i, x)


def check(machine: gm.Machine, rows: Rows) -> None:
    """AssertionError where values and interactions are not what they should be."""
    explainer = gm.Explainer(machine)
    assert_adds_up(machine, rows, explainer(rows))
    few = [ids_of(rows, at) for at in range(min(FEW, len(rows)))]
    for account, lists in ((by_formula, few), (by_subsets, [ids[:SHORT] for ids in few[:3]])):
        X = gm.ids(lists)
        told, scale = explainer(X, interactions=True), _scales(machine, X)
        for row, ids, allowed in zip(told, lists, scale, strict=True):
            values, pairs = account(machine, ids)
            assert np.all(np.abs(row.values - values) <= TOLERANCE * allowed)
            assert row.interactions is not None
            assert np.all(np.abs(row.interactions - pairs) <= TOLERANCE * allowed)


def assert_adds_up(machine: gm.Machine, rows: Rows, told: gm.Explanation) -> None:
    """Baseline and values add up to the scores of the inverted engine."""
    scores = machine.compile("inverted").decision_function(rows).reshape(len(rows), -1)
    assert np.all(np.abs(told.scores - scores) <= TOLERANCE * _scales(machine, rows))


def ids_of(rows: Rows, at: int) -> list[int]:
    return [int(feature) for feature in rows.ids[rows.offsets[at] : rows.offsets[at + 1]]]


def by_formula(machine: gm.Machine, ids: list[int]) -> tuple[Floats, Floats]:
    """Values (features x outputs) and interactions (pairs x outputs), from the overlaps with all support rows."""
    support = machine.rows.to_csr().tocsc()
    support.resize(machine.n_support, max(support.shape[1], max(ids, default=0) + 1))
    held = support[:, ids].toarray()
    overlaps = held.sum(axis=1).astype(np.int64)
    singles, pairs = _shares(machine.polynomial, len(ids))
    coef = machine.dense_coef()
    one, other = np.triu_indices(len(ids), 1)
    together = held[:, one] * held[:, other]
    return held.T @ (singles[overlaps, None] * coef), together.T @ (pairs[overlaps, None] * coef)


def _shares(kernel: gm.PolynomialKernel, longest: int) -> tuple[Floats, Floats]:
    """Of a feature and of a pair, by the overlap."""
    k, c = kernel.values(longest), kernel.subset_weights()
    overlaps = np.arange(longest + 1)
    singles = (k - k[0]) / np.maximum(overlaps, 1)
    pairs = [sum(comb(m - 2, r - 2) * c[r] / (r - 1) for r in range(2, len(c))) if m > 1 else 0.0 for m in overlaps]
    return singles, np.array(pairs, dtype=np.float64)


def by_subsets(machine: gm.Machine, ids: list[int]) -> tuple[Floats, Floats]:
    """The same by the definition: what joins adds, on average over all orders in which features come."""
    numbers = range(1 << len(ids))
    subsets = [{feature for at, feature in enumerate(ids) if number >> at & 1} for number in numbers]
    scores = machine.compile("direct").decision_function(subsets).reshape(len(subsets), -1)
    values = [_gain(scores, len(ids), (at,)) for at in range(len(ids))]
    pairs = [_gain(scores, len(ids), pair) for pair in combinations(range(len(ids)), 2)]
    shape = -1, machine.n_outputs
    return np.reshape(values, shape), np.reshape(pairs, shape)


def _gain(scores: Floats, features: int, joining: tuple[int, ...]) -> Floats:
    """Of features that join together, beyond what fewer of them add."""
    others = features - len(joining)
    bits = sum(1 << at for at in joining)
    before = np.array([number for number in range(1 << features) if not number & bits])
    weights = [1 / ((others + 1) * comb(others, int(number).bit_count())) for number in before]
    gains = np.zeros((len(before), scores.shape[1]))
    for size in range(len(joining) + 1):
        for came in combinations(joining, size):
            gains += (-1) ** (len(joining) - size) * scores[before | sum(1 << at for at in came)]
    return np.asarray(weights @ gains)


def _scales(machine: gm.Machine, X: Any) -> Floats:
    """Rows x outputs."""
    return magnitude(machine, X).reshape(-1, machine.n_outputs)
