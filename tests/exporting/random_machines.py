"""Machines of all kinds that can be exported, and rows for them, by a seed.

Coefficients are few and round in decimals, so that scores often tie in exact arithmetic and not in doubles: then the
order of adding decides, and tables of whole numbers alone could not tell.
"""

from __future__ import annotations

import numpy as np

import gristmill as gm

COEFS = [0.1, 0.2, -0.3, 0.7, -0.7, 1.0, -1.0]
KERNELS = [
    gm.PolynomialKernel(2),
    gm.ConjunctionKernel(),
    gm.PolynomialKernel(1, coef0=0.0),
    gm.PolynomialKernel(3, gamma=0.3, coef0=0.7),
    gm.PolynomialKernel(4, gamma=0.5),
]
SCHEMES = [("binary", 1, 2), ("one-vs-rest", 3, 3), ("one-vs-one", 6, 4), ("regression", 2, None), ("one-class", 1, 2)]


def random_machine(seed):
    rng = np.random.default_rng(seed)
    kernel, (scheme, outputs, classes) = KERNELS[seed % len(KERNELS)], SCHEMES[seed // len(KERNELS) % len(SCHEMES)]
    n_features, n_support = int(rng.integers(1, 14)), int(rng.integers(1, 12))
    exact = rng.random() < 0.2
    coef = rng.choice([1.0, -1.0, 0.5] if exact else COEFS, size=(n_support, outputs))
    return gm.Machine(
        kernel,
        gm.ids(random_rows(rng, n_support, n_features, 7), n_features=n_features + 2),
        coef * (rng.random(coef.shape) < 0.8),
        rng.choice([0.0, 0.5] if exact else [0.0, 0.1, -0.2], size=outputs),
        None if classes is None else [f"c{c}" for c in range(classes)],
        scheme,
        zero_class=int(rng.integers(2)),
    )


def random_rows(rng, count, n_features, longest):
    sizes = rng.integers(0, min(n_features, longest) + 1, size=count)
    return [sorted(rng.choice(n_features, size=size, replace=False).tolist()) for size in sizes]


def rows_for(machine, seed, count=20):
    """Some of their features are unknown."""
    return random_rows(np.random.default_rng(seed), count, machine.n_features + 1, 10)
