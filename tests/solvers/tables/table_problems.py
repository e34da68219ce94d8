"""Small random tables, as hypothesis draws them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gristmill import _core

LOSSES = {"logistic": _core.TableLoss.LOGISTIC, "softmax": _core.TableLoss.SOFTMAX, "squared": _core.TableLoss.SQUARED}


@dataclass(frozen=True)
class TableProblem:
    """All that a solver is given, and the oracle."""

    codes: Any
    similarities: list[tuple[int, int, float, float, int]]  # of each column, once for singles and once for the others
    terms: list[tuple[list[int], list[int], float]]
    loss: str
    outputs: int
    y: Any
    weights: Any
    C: float

    def solver(self, *, n_jobs=1, wide=False):
        beside = {p for columns, used, _ in self.terms for p in used if len(columns) > 1}
        monotone = any(similarity[4] for similarity in self.similarities)
        factors = [
            _core.BinSimilarity(*similarity, nonnegative=monotone and not similarity[4] and number in beside)
            for number, similarity in enumerate(self.similarities)
        ]
        return _core.TableSolver(
            np.asfortranarray(self.codes, dtype=np.uint16 if wide else np.uint8),
            np.array([similarity[0] for similarity in self.similarities[: self.codes.shape[1]]], dtype=np.uint32),
            factors,
            [columns for columns, _, _ in self.terms],
            [used for _, used, _ in self.terms],
            np.array([scale for _, _, scale in self.terms]),
            LOSSES[self.loss],
            self.outputs,
            self.y,
            self.weights,
            n_jobs,
        )


@st.composite
def table_problems(draw, losses=tuple(LOSSES), monotone=True):
    """One row, constant fields, equal rows, weights of 0, one to three bins, bins beside the ordered ones."""
    n, p = draw(st.integers(1, 30)), draw(st.integers(1, 3))
    loss = draw(st.sampled_from(losses))
    outputs = draw(st.integers(2, 3)) if loss == "softmax" else 1
    n = n if loss == "squared" else max(n, outputs, 2)
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    bins = [draw(st.sampled_from([1, 2, 3, 5])) for _ in range(p)]
    ordered = [draw(st.integers(0, k)) for k in bins]
    directions = [draw(st.sampled_from([0, 0, 1, -1])) if monotone else 0 for _ in range(p)]
    kinds = [draw(st.sampled_from([(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 2.0)])) for _ in range(2 * p)]
    similarities = [(bins[j % p], ordered[j % p], *kinds[j], directions[j % p]) for j in range(2 * p)]
    terms = [([j], [j], 2.0) for j in range(p)]
    for size in range(2, draw(st.integers(1, 3)) + 1):
        terms += [
            (list(c), [p + j for j in c], draw(st.sampled_from([0.5, 0.3, 1.0]))) for c in combinations(range(p), size)
        ]
    y = rng.normal(size=n).round(1) if loss == "squared" else rng.permutation(np.arange(n) % max(outputs, 2)) * 1.0
    weights = rng.choice([0.0, 1.0, 1.0, 2.5], n)
    weights[np.unique(y, return_index=True)[1]] = 1.0  # no class without weight
    codes = np.stack([rng.integers(0, k, n) for k in bins], axis=1)
    return TableProblem(codes, similarities, terms, loss, outputs, y, weights, draw(st.sampled_from([0.01, 0.5, 5.0])))
