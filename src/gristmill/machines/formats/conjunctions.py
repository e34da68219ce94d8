"""A sum of weights of conjunctions as a kernel machine, exactly.

f(x) = b + sum of w_t over the stored conjunctions t that x contains. A machine with kernel m^d over support rows s sums
a_s k(|s & x|), and k(m) = sum_r c(r) binomial(m, r), so the conjunction t gets c(|t|) times the sum of a_s over the
rows s that contain t. With the conjunctions themselves as support rows this is solved for a from the longest ones down
(a Moebius inversion): a_t = w_t / c(|t|) - sum of a_s over the longer rows s that contain t. Parts of conjunctions that
have no weight of their own become rows as well. With coef0 = 0 the empty conjunction weighs nothing, as it should.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill.data.rows import Rows
from gristmill.kernels import PolynomialKernel

Ids = NDArray[np.int32]


def as_support(conjunctions: Rows, weights: sp.csr_matrix, kernel: PolynomialKernel) -> tuple[Rows, sp.csr_matrix]:
    """Support rows and coefficients whose machine under this kernel (coef0 = 0) sums the weights.

    Conjunctions have 1 to `kernel.degree` features each.
    """
    shares = kernel.subset_weights()
    solved: list[tuple[Ids, sp.csr_matrix]] = []  # from the longest down
    for size in range(kernel.degree, 0, -1):
        own, of_size = _of_size(conjunctions, size)
        parts = [(longer[:, list(chosen)], -coef) for longer, coef in solved for chosen in _choices(longer, size)]
        solved.append(_added([(own, weights[of_size] / shares[size]), *parts]))
    solved.reverse()
    lengths = np.concatenate([np.full(len(table), table.shape[1], dtype=np.int64) for table, _ in solved])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ids = np.concatenate([table.ravel() for table, _ in solved]).astype(np.int32)
    support = Rows(offsets, ids, n_features=conjunctions.n_features)
    return support, sp.csr_matrix(sp.vstack([coef for _, coef in solved]))


def _of_size(rows: Rows, size: int) -> tuple[Ids, NDArray[np.intp]]:
    """The rows of this length as a table, and their numbers."""
    chosen = np.flatnonzero(rows.lengths == size)
    return rows.ids[rows.offsets[chosen][:, None] + np.arange(size)], chosen


def _choices(table: Ids, size: int) -> list[tuple[int, ...]]:
    return list(combinations(range(table.shape[1]), size))


def _added(parts: list[tuple[Ids, sp.csr_matrix]]) -> tuple[Ids, sp.csr_matrix]:
    """Tables of rows with terms: the distinct rows, each with the sum of its terms."""
    rows = np.concatenate([table for table, _ in parts])
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    shape = (len(distinct), len(rows))
    gather = sp.csr_matrix((np.ones(len(rows)), (place.ravel(), np.arange(len(rows)))), shape=shape)
    return distinct, sp.csr_matrix(gather @ sp.vstack([terms for _, terms in parts]))
