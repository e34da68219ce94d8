"""Machines of conjunctions as hypothesis draws them: duplicates, empty ones and zero weights happen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import gristmill as gm
from gristmill.machines.schemes import Scheme
from tests.data.strategies import eighths

FEATURES = 9


@dataclass(frozen=True)
class Given:
    """A machine as plain Python, for the oracle."""

    support: list  # of frozensets
    coef: list  # rows x outputs
    intercept: list

    @property
    def n_outputs(self):
        return len(self.intercept)

    def column(self, output):
        return [row[output] for row in self.coef]

    def machine(self, **options):
        coef = np.array(self.coef, dtype=float).reshape(len(self.support), self.n_outputs)
        return gm.Machine(gm.ConjunctionKernel(), gm.ids(self.support, FEATURES), coef, self.intercept, **options)


@st.composite
def given_conjunctions(draw, min_outputs=1, max_outputs=4, longest=5, numbers=eighths):
    """Up to 25 conjunctions of up to `longest` of nine features."""
    some = st.frozensets(st.integers(0, FEATURES - 1), max_size=longest)
    support = draw(st.lists(some, max_size=25))
    outputs = draw(st.integers(min_outputs, max_outputs))
    row = st.lists(numbers, min_size=outputs, max_size=outputs)
    return Given(support, [draw(row) for _ in support], draw(row))


@st.composite
def classifiers_of_conjunctions(draw):
    """Machines that decide, in tenths, so that sums round."""
    scheme = draw(st.sampled_from([one for one in Scheme if one.has_labels]))
    n_classes = 2 if scheme in (Scheme.BINARY, Scheme.ONE_CLASS) else draw(st.integers(2, 4))
    outputs = scheme.outputs(n_classes)
    made = draw(given_conjunctions(outputs, outputs, numbers=st.integers(-9, 9).map(lambda n: n / 10)))
    return made.machine(classes=list("abcd")[:n_classes], scheme=scheme, zero_class=draw(st.integers(0, 1)))


# Rows with features that no conjunction has.
example_rows = st.lists(st.frozensets(st.integers(0, FEATURES + 2)), max_size=6)


def random_conjunctions(n, n_features, *, outputs=1, longest=3, seed=0, decimals=1):
    """A machine of so many conjunctions of frequent and rare features, with classes."""
    draw = np.random.default_rng(seed)
    ids = (n_features * draw.random((n, longest)) ** 2).astype(int)
    sizes = draw.integers(1, longest + 1, n)
    support = [set(row[:size]) for row, size in zip(ids.tolist(), sizes.tolist(), strict=True)]
    coef = draw.normal(size=(n, outputs)).round(decimals)
    intercept = draw.normal(size=outputs).round(decimals)
    classes = ["no", "yes"] if outputs <= 1 else [f"class {number}" for number in range(outputs)]
    scheme = "binary" if outputs == 1 else "ovr"
    return gm.Machine(gm.ConjunctionKernel(), gm.ids(support, n_features), coef, intercept, classes, scheme)


def random_rows(n, n_features, length, seed=1):
    """Rows like those conjunctions, of up to `length` features."""
    draw = np.random.default_rng(seed)
    ids = (n_features * draw.random((n, length)) ** 2).astype(int)
    return gm.ids([set(row) for row in ids.tolist()], n_features)
