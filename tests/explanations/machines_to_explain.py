"""Machines for the tests of explanations, and docs/formulas.md A10 in plain loops."""

from __future__ import annotations

from math import comb

import numpy as np
import scipy.sparse as sp

import gristmill as gm

NAMES = ["money", "bank", "river"]


def bank_machine(**options):
    kernel = gm.PolynomialKernel(2)
    options = {"classes": ["water", "finance"], "feature_names": NAMES} | options
    return gm.Machine(kernel, [{0, 1}, {1, 2}], [1.0, -0.5], 0.25, **options)


def random_machine(kernel, support, n_outputs, seed=0):
    """Coefficients of both signs, some of them zero."""
    rng = np.random.default_rng(seed)
    coef = rng.normal(size=(len(support), n_outputs)) * (rng.random((len(support), n_outputs)) < 0.8)
    return gm.Machine(kernel, support, coef, rng.normal(size=n_outputs))


def scale_of(machine, X):
    """What rounding is measured by: |b| + sum_i |a_i| max |k|."""
    longest = max((len(row) for row in X), default=0)
    largest = np.abs(machine.kernel.values(longest)).max()
    return np.abs(machine.intercept).max() + np.abs(machine.dense_coef()).sum() * largest + 1e-300


def large_machine(seed, n_support, n_features, outputs, kernel, density=0.2, sparse=False):
    """Enough support rows for columns, features from nearly everywhere to nearly nowhere."""
    rng = np.random.default_rng(seed)
    share = np.minimum(1, 3 * density * rng.random(n_features) ** 3)
    support = sp.csr_matrix(rng.random((n_support, n_features)) < share, dtype=np.float64)
    coef = rng.normal(size=(n_support, outputs))
    if sparse:
        coef[rng.random(coef.shape) < 0.7] = 0
    return gm.Machine(kernel, support, sp.csr_matrix(coef) if sparse else coef, rng.normal(size=outputs)), share, rng


def by_overlap(machine, x):
    """docs/formulas.md A10 as printed, in plain loops."""
    degree, gamma, coef0 = machine.kernel.degree, machine.kernel.gamma, machine.kernel.coef0
    k = [(gamma * m + coef0) ** degree for m in range(len(x) + 2)]
    c = [sum((-1) ** (r - m) * comb(r, m) * k[m] for m in range(r + 1)) for r in range(min(degree, len(x)) + 1)]
    coef = machine.dense_coef()
    values, pairs = np.zeros((len(x), machine.n_outputs)), np.zeros((len(x), len(x), machine.n_outputs))
    for number, row in enumerate(machine.support.to_csr()):
        shared = [at for at, feature in enumerate(x) if feature in set(row.indices)]
        m = len(shared)
        pair = sum(comb(m - 2, r - 2) * c[r] / (r - 1) for r in range(2, min(degree, m) + 1)) if m > 1 else 0
        for at in shared:
            values[at] += coef[number] * (k[m] - k[0]) / m
            for other in shared:
                if at < other:
                    pairs[at, other] += coef[number] * pair
    return values, pairs[np.triu_indices(len(x), 1)]
