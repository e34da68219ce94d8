"""Kernels of sets, each with its oracle, and sets of features."""

from __future__ import annotations

import functools

import numpy as np
from hypothesis import strategies as st

import gristmill as gm
from tests.oracle import sets as oracle

LONGEST = 12


def simpson(m, x, s):
    """The overlap over the shorter of both, 1 where that is empty."""
    return np.where(np.minimum(x, s) > 0, m / np.maximum(np.minimum(x, s), 1), 1.0)


def simpson_of_sets(x, s):
    return len(x & s) / min(len(x), len(s)) if x and s else 1.0


def table_of(g, longest=LONGEST):
    """g(m, x, s) of all lengths up to `longest`, 0 beyond."""
    m, x, s = np.meshgrid(*[np.arange(longest + 1)] * 3, indexing="ij")
    return np.where(m <= np.minimum(x, s), g(m, x, s), 0.0)


WITH_ORACLES = {
    "rbf": (gm.RBFKernel(0.25), functools.partial(oracle.rbf, gamma=0.25)),
    "flat rbf": (gm.RBFKernel(0.0), functools.partial(oracle.rbf, gamma=0.0)),
    "narrow rbf": (gm.RBFKernel(400.0), functools.partial(oracle.rbf, gamma=400.0)),
    "tanimoto": (gm.TanimotoKernel(), oracle.tanimoto),
    "sigmoid": (gm.SigmoidKernel(0.5, -1.0), functools.partial(oracle.sigmoid, gamma=0.5, coef0=-1.0)),
    "cosine": (gm.CosineKernel(), oracle.cosine),
    "dice": (gm.DiceKernel(), oracle.dice),
    "callable": (gm.SetKernel(simpson), simpson_of_sets),
    "table": (gm.SetKernel(table_of(simpson)), simpson_of_sets),
}

features = st.sets(st.integers(0, 30), max_size=LONGEST)


def id_rows(sets):
    """Rows of sets of features."""
    return gm.ids([sorted(one) for one in sets], n_features=31)
