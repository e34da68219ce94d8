"""Small machines whose decisions can be enumerated: coefficients are whole, so that ties and scores of 0 are common."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

import gristmill as gm
from tests.oracle import decisions as oracle
from tests.oracle import given_conjunctions, polynomial

WIDTH = 6


@st.composite
def machines(draw, schemes=("binary", "ovr", "ovo"), degrees=range(1, 6), given=True):
    """Of any degree and coef0, or of conjunctions; with two classes or more."""
    scheme = draw(st.sampled_from(schemes))
    n_classes = 2 if scheme == "binary" else draw(st.integers(3, 4))
    outputs = {"binary": 1, "ovr": n_classes, "ovo": n_classes * (n_classes - 1) // 2}[scheme]
    support = draw(st.lists(st.sets(st.integers(0, WIDTH - 1), max_size=5), min_size=1, max_size=6))
    whole = st.integers(-3, 3).map(float)
    of_row = st.lists(whole, min_size=outputs, max_size=outputs)
    coef = draw(st.lists(of_row, min_size=len(support), max_size=len(support)))
    intercept = draw(st.lists(st.integers(-4, 4).map(float), min_size=outputs, max_size=outputs))
    kernel = gm.ConjunctionKernel()
    if not (given and draw(st.integers(0, 3)) == 0):
        gamma, coef0 = draw(st.sampled_from([(1.0, 1.0), (1.0, 0.0), (0.5, 2.0), (1.0, -1.0)]))
        kernel = gm.PolynomialKernel(draw(st.sampled_from(degrees)), gamma, coef0)
    zero_class = draw(st.integers(0, 1))
    rows = gm.ids([sorted(row) for row in support], n_features=WIDTH)
    return gm.Machine(kernel, rows, coef, intercept, list(range(n_classes)), scheme, zero_class=zero_class)


def scores_by_the_book(machine, row):
    support = [set(machine.rows.ids[a:b].tolist()) for a, b in pairwise(machine.rows.offsets)]
    coef = machine.dense_coef()
    found = []
    for output in range(machine.n_outputs):
        column, intercept = coef[:, output], machine.intercept[output]
        if machine.is_polynomial:
            kernel = machine.kernel.degree, machine.kernel.gamma, machine.kernel.coef0
            ones = [dict.fromkeys(own, 1) for own in support]
            found.append(polynomial.score(ones, column, intercept, kernel, dict.fromkeys(row, 1)))
        else:
            found.append(given_conjunctions.score(support, column, intercept, row))
    return found


def label_by_the_book(machine, row):
    scores = scores_by_the_book(machine, row)
    if machine.scheme == "one-vs-rest":
        return oracle.largest_class(scores)
    zero_above = Fraction(machine.zero_class)
    if machine.scheme == "one-vs-one":
        signs = [score if score else zero_above or -1 for score in scores]
        return polynomial.vote(signs, machine.n_classes)
    return int(scores[0] > 0 or (scores[0] == 0 and machine.zero_class == 1))


@st.composite
def grouped_rows(draw, machine):
    """Groups of columns, which of them may be empty, and a row with at most one column of each."""
    columns = draw(st.permutations(range(WIDTH)))
    cuts = sorted(draw(st.sets(st.integers(1, WIDTH - 1), max_size=3)))
    parts = [sorted(columns[a:b]) for a, b in pairwise([0, *cuts, WIDTH])]
    groups = {f"g{at}": part for at, part in enumerate(parts) if len(part) > 1}
    optional = [name for name in groups if draw(st.booleans())]
    row = [draw(st.sampled_from([None, *part])) for part in parts]
    return groups, optional, sorted(one for one in row if one is not None)


def variables_of(machine, groups, optional, row):
    """As the oracle has them, with a cost of 1 for each change; and their names."""
    grouped = {column for part in groups.values() for column in part}
    names = groups | {str(column): [column] for column in range(WIDTH) if column not in grouped}
    variables = []
    for name, part in names.items():
        own = next((column for column in part if column in row), None)
        may_be_none = own is None or len(part) == 1 or name in optional
        others = [column for column in [None] * may_be_none + part if column != own]
        variables.append([(own, 0), *((column, 1) for column in others)])
    return list(names), variables


def features_of(answer):
    return frozenset(answer.row.ids.tolist())


def one_row(row):
    return gm.ids([sorted(row)])
