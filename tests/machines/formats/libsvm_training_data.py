"""What LIBSVM itself is trained on in the tests."""

from __future__ import annotations

import functools

import numpy as np

CLASSIFIERS = {"c_svc": "-s 0 -c 0.5", "nu_svc": "-s 1 -n 0.4"}
OTHERS = {"one_class": "-s 2 -n 0.3", "epsilon_svr": "-s 3 -p 0.05", "nu_svr": "-s 4 -n 0.3"}
TYPES = [(name, n_classes) for name in CLASSIFIERS for n_classes in (2, 3, 5)] + [(name, 2) for name in OTHERS]


@functools.cache
def table_of(kind="binary"):
    """Real values have few digits, for LIBSVM writes only eight."""
    rng = np.random.default_rng(5)
    table = rng.random((70, 14)) < 0.35
    return table.astype(float) if kind == "binary" else np.where(table, rng.integers(-12, 12, table.shape) / 8, 0.0)


def as_dictionaries(table):
    """Rows as LIBSVM's Python module takes them: {id counted from 1: value}."""
    return [{int(feature) + 1: float(row[feature]) for feature in np.flatnonzero(row)} for row in table]
