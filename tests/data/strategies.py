"""What hypothesis draws: small machines and rows, degenerate ones included."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

import gristmill as gm
from gristmill.machines.schemes import Scheme

FEATURES = 12

feature_sets = st.frozensets(st.integers(0, FEATURES - 1), max_size=FEATURES)
rows = st.lists(feature_sets, max_size=8)  # a list of sets: rows by their feature ids
# Multiples of 1/8: exact in binary, so that the rational oracle sees the same numbers.
eighths = st.integers(-80, 80).map(lambda n: n / 8)
positive_eighths = st.integers(1, 40).map(lambda n: n / 8)


@st.composite
def kernels(draw, max_degree=6):
    """Kernels that every engine serves."""
    coef0 = draw(st.integers(0, 24)) / 8
    return gm.PolynomialKernel(draw(st.integers(1, max_degree)), draw(positive_eighths), coef0)


@st.composite
def odd_kernels(draw, max_degree=6):
    """Kernels with any gamma and coef0, also negative ones, and degree 0."""
    return gm.PolynomialKernel(draw(st.integers(0, max_degree)), draw(eighths), draw(eighths))


@dataclass(frozen=True)
class Parts:
    """A machine as plain Python, for the oracle."""

    kernel: gm.PolynomialKernel
    support: list  # of {feature: value}
    coef: list  # rows x outputs
    intercept: list

    @property
    def parameters(self):
        return self.kernel.degree, self.kernel.gamma, self.kernel.coef0

    @property
    def n_outputs(self):
        return len(self.intercept)

    def column(self, output):
        return [row[output] for row in self.coef]

    def machine(self, **options):
        """The machine; real values by way of a dense table."""
        table = np.zeros((len(self.support), FEATURES))
        for at, row in enumerate(self.support):
            for feature, value in row.items():
                table[at, feature] = value
        coef = np.array(self.coef, dtype=float).reshape(len(self.support), self.n_outputs)
        return gm.Machine(self.kernel, table, coef, self.intercept, **options)


@st.composite
def parts(draw, kernel=None, max_outputs=4, values=None, min_outputs=1, features=FEATURES, longest=FEATURES):
    """The parts of a machine: binary unless `values` draws something else. Duplicates and zero weights happen."""
    kernel = draw(kernels() if kernel is None else kernel)
    values = st.just(1) if values is None else values
    support = draw(st.lists(st.dictionaries(st.integers(0, features - 1), values, max_size=longest), max_size=10))
    n_outputs = draw(st.integers(min_outputs, max_outputs))
    coef_row = st.lists(eighths, min_size=n_outputs, max_size=n_outputs)
    coef = draw(st.lists(coef_row, min_size=len(support), max_size=len(support)))
    intercept = draw(coef_row)
    return Parts(kernel, support, coef, intercept)


def as_dicts(id_lists):
    """Id lists as {feature: 1}."""
    return [dict.fromkeys(row, 1) for row in id_lists]


def in_tenths(machine_parts):
    """The same parts with numbers that binary fractions cannot hold, so that sums round and seldom cancel."""
    kernel = machine_parts.kernel
    return replace(
        machine_parts,
        kernel=gm.PolynomialKernel(kernel.degree, kernel.gamma / 10, kernel.coef0 / 10),
        coef=[[a / 10 for a in row] for row in machine_parts.coef],
        intercept=[b / 10 for b in machine_parts.intercept],
    )


@st.composite
def classifiers(draw, schemes=tuple(scheme for scheme in Scheme if scheme.has_labels), probability=None, **limits):
    """Machines of two to four classes, in tenths.

    `probability(draw, outputs)` makes their sigmoids; `limits` are those of `parts`.
    """
    scheme = draw(st.sampled_from(schemes))
    n_classes = 2 if scheme in (Scheme.BINARY, Scheme.ONE_CLASS) else draw(st.integers(2, 4))
    outputs = scheme.outputs(n_classes)
    made = in_tenths(draw(parts(min_outputs=outputs, max_outputs=outputs, **limits)))
    options = {"zero_class": draw(st.integers(0, 1))}
    if probability is not None:
        options["probability"] = probability(draw, outputs)
    return made.machine(classes=list("abcd")[:n_classes], scheme=scheme, **options)


@st.composite
def cancelling(draw, left=(0.1,)):
    """Machines in which every support row has an opposite, but for one that weighs what is left: most scores are 0."""
    scheme, n_classes = draw(
        st.sampled_from([("binary", 2), ("one-class", 2), ("ovo", 2), ("ovo", 3), ("ovr", 2), ("ovr", 3)])
    )
    outputs = Scheme.parse(scheme).outputs(n_classes)
    made = draw(parts(min_outputs=outputs, max_outputs=outputs, longest=4))
    coef = [*made.coef, *[[-a for a in row] for row in made.coef], [draw(st.sampled_from(left))] * outputs]
    doubled = Parts(made.kernel, [*made.support, *made.support, {11: 1}], coef, [0.0] * outputs)
    return doubled.machine(classes=list("abc")[:n_classes], scheme=scheme, zero_class=draw(st.integers(0, 1)))
