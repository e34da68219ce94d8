"""Pairs of classes: their order, and LIBSVM's compact way to keep their coefficients."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def pairs(n_classes: int) -> list[tuple[int, int]]:
    """(0, 1), (0, 2), ..., (1, 2), ...: the order of one-vs-one outputs."""
    return [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]


def pairwise_coef(coefs: Floats, sizes: NDArray[np.int64]) -> sp.csr_matrix:
    """LIBSVM's compact coefficients (support rows x rival classes) as support rows x pairs of classes.

    A row of class c holds its coefficients against the other classes in order.
    """
    n_classes = len(sizes)
    columns = np.repeat(_pair_columns(n_classes), sizes, axis=0)
    offsets = np.arange(len(coefs) + 1, dtype=np.int64) * (n_classes - 1)
    shape = (len(coefs), n_classes * (n_classes - 1) // 2)
    matrix = sp.csr_matrix((coefs.ravel(), columns.ravel(), offsets), shape=shape)
    matrix.sort_indices()  # zeros stay: rows of one class then have one pattern, which the core keeps as a block
    return matrix


def _pair_columns(n_classes: int) -> NDArray[np.int32]:
    """For each class the outputs of its pairs with the others, in the order of the others."""
    number = {pair: output for output, pair in enumerate(pairs(n_classes))}
    table = [[number[min(c, o), max(c, o)] for o in range(n_classes) if o != c] for c in range(n_classes)]
    return np.array(table, dtype=np.int32).reshape(n_classes, n_classes - 1)


def compact_coef(coef: sp.csr_matrix, n_classes: int) -> tuple[NDArray[np.intp], Floats, list[int]]:
    """Support rows sorted by class with their coefficients against the other classes.

    A row whose coefficients do not all involve one class is written once for each class it needs.
    """
    all_pairs = pairs(n_classes)
    by_class: list[list[tuple[int, Floats]]] = [[] for _ in range(n_classes)]
    for row in range(coef.shape[0]):
        entries = range(coef.indptr[row], coef.indptr[row + 1])
        terms = [(*all_pairs[coef.indices[at]], float(coef.data[at])) for at in entries]
        for owner, values in _owners(terms, n_classes).items():
            by_class[owner].append((row, values))
    order = np.array([row for rows in by_class for row, _ in rows], dtype=np.intp)
    coefs = np.array([values for rows in by_class for _, values in rows]).reshape(len(order), n_classes - 1)
    return order, coefs, [len(rows) for rows in by_class]


def _owners(terms: list[tuple[int, int, float]], n_classes: int) -> dict[int, Floats]:
    """The classes a support row is written under, each with its coefficients against the others."""
    shared = set.intersection(*({i, j} for i, j, _ in terms)) if terms else {0}
    owned: dict[int, Floats] = {}
    for i, j, value in terms:
        natural = i if value > 0 else j
        owner = natural if natural in shared or not shared else min(shared)
        rival = j if owner == i else i
        owned.setdefault(owner, np.zeros(n_classes - 1))[rival - (rival > owner)] = value
    return owned or {0: np.zeros(n_classes - 1)}
