"""Shortcuts to a kernel machine that Severyn and Moschitti 2010 name beside cutting planes (section 2).

Nystrom (Williams and Seeger 2001): scores are sums over m random trees; a linear SVM (LIBLINEAR, hinge loss) finds the
weights, at O(n m) kernels and memory. Pegasos with kernels (Shalev-Shwartz, Singer, Srebro and Cotter 2011): steps of
1 / (lambda t) from random examples, one at a time, at a row of the kernel for each that has a loss, or many at a time,
at a product with the operator. Both give support trees with weights, so that all machines are judged alike. Equal trees
are merged as in the library; a free intercept is set to the best one in the end.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import gristmill as gm
from gristmill.kernels import Kernel
from gristmill.solvers.batch.deduplicate import first_of, groups_of, take

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

SEED = 1
EIGENVALUE = 1e-10  # smaller ones, beside the largest, are rounding
TOLERANCE, PASSES = 1e-2, 1_000  # of LIBLINEAR


@dataclass(frozen=True)
class Weighted:
    """Support trees, by number, their weights and the intercept."""

    support: Numbers
    weights: Floats
    intercept: float
    rounds: int


@dataclass(frozen=True)
class Merged:
    """Different trees, which of them every example is, and the first example of each."""

    trees: gm.Forest
    places: Numbers
    first: Numbers

    @classmethod
    def of(cls, X: gm.Forest) -> Merged:
        groups = groups_of(X)
        first = first_of(groups)
        return cls(take(X, first), np.asarray(groups, dtype=np.intp), np.asarray(first, dtype=np.intp))


def nystrom(X: gm.Forest, y: NDArray[np.int8], kernel: Kernel, C: float, landmarks: int) -> Weighted:
    merged = Merged.of(X)
    random = np.random.default_rng(SEED)
    chosen = np.sort(random.permutation(len(merged.trees))[:landmarks])
    with threadpool_limits(1):
        kernels = kernel(merged.trees, merged.trees[chosen], n_jobs=1)
        root = _inverse_root(kernels[chosen])
        features = kernels @ root
        pairs, counts = np.unique(2 * merged.places + (y > 0), return_counts=True)
        model = LinearSVC(C=C, loss="hinge", tol=TOLERANCE, max_iter=PASSES, random_state=SEED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(features[pairs // 2], pairs % 2, sample_weight=counts)
    weights = root @ model.coef_[0]
    intercept = best_intercept((kernels @ weights)[merged.places], y)
    return Weighted(merged.first[chosen], weights, intercept, int(model.n_iter_))


def _inverse_root(gram: Floats) -> Floats:
    """G^(-1/2), without what is only rounding."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > EIGENVALUE * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def pegasos(X: gm.Forest, y: NDArray[np.int8], kernel: Kernel, C: float, epochs: float) -> Weighted:
    """One example at a time; the intercept is the weight of a feature that is always 1."""
    merged = Merged.of(X)
    rows = kernel.rows(merged.trees)
    n, random = len(y), np.random.default_rng(SEED)
    steps = int(epochs * n)
    sums, weights = np.zeros(len(merged.trees)), np.zeros(len(merged.trees))  # both to be divided by lambda t
    for t, example in enumerate(random.integers(n, size=steps), start=1):
        place, sign = merged.places[example], float(y[example])
        if sign * sums[place] * n * C < t:
            sums += sign * (rows.take(np.array([place]), n_jobs=1)[0] + 1)
            weights[place] += sign
    scale = n * C / steps
    values = (sums - weights.sum()) * scale
    return _weighted(merged, weights * scale, best_intercept(values[merged.places], y), steps)


def pegasos_batches(X: gm.Forest, y: NDArray[np.int8], kernel: Kernel, C: float, batch: int, steps: int) -> Weighted:
    """Many examples at a time, by products with the operator; the mean of the last half of the steps."""
    merged = Merged.of(X)
    operator: Any = kernel.operator(merged.trees, n_jobs=1)
    n, random = len(y), np.random.default_rng(SEED)
    weights, constant, mean = np.zeros(len(merged.trees)), 0.0, np.zeros(len(merged.trees))
    for t in range(1, steps + 1):
        scores = operator @ weights + constant
        drawn = random.integers(n, size=batch)
        lossy = drawn[y[drawn] * scores[merged.places[drawn]] < 1]
        step = n * C / (t * batch)
        weights *= 1 - 1 / t
        weights += step * np.bincount(merged.places[lossy], weights=y[lossy], minlength=len(weights))
        constant = constant * (1 - 1 / t) + step * float(y[lossy].sum())
        if 2 * t > steps:
            mean += weights
    mean /= steps - steps // 2
    return _weighted(merged, mean, best_intercept((operator @ mean)[merged.places], y), steps)


def best_intercept(values: Floats, y: NDArray[np.int8]) -> float:
    """That of the least sum of hinge losses: its slope rises by 1 at each y - value, from minus the positives."""
    positives = int((y > 0).sum())
    return float(np.partition(y - values, positives - 1)[positives - 1])


def _weighted(merged: Merged, weights: Floats, intercept: float, rounds: int) -> Weighted:
    used = np.flatnonzero(weights)
    return Weighted(merged.first[used], weights[used], intercept, rounds)
