"""Machines with an encoding of small tables, for the tests of explanations in fields."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from hypothesis import strategies as st

import gristmill as gm
from tests.data.strategies import eighths
from tests.oracle import given_conjunctions, groups, polynomial, shapley

TABLE = [
    {"size": size, "colour": colour, "when": when}
    for size, colour, when in zip([1, 2, 1, 1, 2, 1], list("rgrrrr"), ["2024-01-05", "2024-02-05"] * 3, strict=True)
]
# two sizes, two colours and others, months and days of the week
ENCODING = gm.TableEncoder(min_frequency=1, kinds={"when": "date"}).fit(TABLE).encoding_
STARTS = ENCODING.starts.tolist()
COUNTS = [own.tolist() for own in ENCODING.counts]
N_BINS, N_FIELDS = STARTS[-1], len(ENCODING.fields)


@dataclass(frozen=True)
class Made:
    """A machine, and its score of {feature: value} by the definition."""

    machine: gm.Machine
    support: list
    coef: list  # rows x outputs
    intercept: list

    @property
    def is_polynomial(self):
        return isinstance(self.machine.kernel, gm.PolynomialKernel)

    def score(self, output):
        coef, b = [row[output] for row in self.coef], self.intercept[output]
        kernel, support = self.machine.kernel, [dict.fromkeys(s, 1) for s in self.support]

        @functools.cache
        def score(row):
            if not self.is_polynomial:
                return given_conjunctions.score(self.support, coef, b, dict(row))
            return polynomial.score(support, coef, b, (kernel.degree, kernel.gamma, kernel.coef0), dict(row))

        return lambda row: score(frozenset(row.items()))

    def scale(self):
        """|b| + sum_i |a_i| max k, over all outputs."""
        largest = (
            float(np.abs(self.machine.kernel.values(max(map(len, self.support), default=0))).max())
            if self.is_polynomial
            else 1.0
        )
        return 1 + sum(map(abs, self.intercept)) + largest * sum(abs(a) for row in self.coef for a in row)


@st.composite
def rows_of_bins(draw, whole=False):
    """A set of one-hot columns with at most one bin of each field; `whole`: one of each."""
    bins = [range(begin, end) for begin, end in pairwise(STARTS)]
    return frozenset(
        feature for own in bins if (feature := draw(st.sampled_from([*own] if whole else [*own, None]))) is not None
    )


@st.composite
def machines_of_fields(draw, degrees=(1, 2, 3, 4, 5)):
    """Conjunctions of up to three bins, some of which never hold; or polynomial machines."""
    outputs = draw(st.integers(1, 2))
    degree = draw(st.sampled_from([None, *degrees]))
    some = st.frozensets(st.integers(0, N_BINS - 1), max_size=3) if degree is None else rows_of_bins()
    support = draw(st.lists(some, max_size=6))
    row = st.lists(eighths, min_size=outputs, max_size=outputs)
    coef, intercept = [draw(row) for _ in support], draw(row)
    kernel = gm.ConjunctionKernel()
    if degree is not None:
        kernel = gm.PolynomialKernel(degree, draw(st.sampled_from([0.5, 1.0])), draw(st.sampled_from([0.0, 1.0])))
    table = np.array(coef, dtype=float).reshape(len(support), outputs)
    machine = gm.Machine(kernel, gm.ids(support, N_BINS), table, intercept, encoding=ENCODING)
    return Made(machine, support, coef, intercept)


def as_row(features):
    return dict.fromkeys(sorted(features), 1)


def assert_explains(explanation, made, group_of, x, background):
    """Values, interactions and base of one row, {feature: value}, are those of the game; other players have none."""
    players = sorted({group_of[feature] for row in (x, *(z for _, z in background)) for feature in row})
    ids = explanation.ids.tolist()
    assert set(players) <= set(ids)
    assert not explanation.values[[player not in players for player in ids]].any()
    pairs = {pair: at for at, pair in enumerate(combinations(ids, 2))}
    allowed = 1e-11 * made.scale()
    for output in range(len(made.intercept)):
        game = groups.game(made.score(output), group_of, x, background)
        assert abs(explanation.base[output] - float(game(frozenset()))) <= allowed
        for player, value in shapley.values(game, players).items():
            assert abs(explanation.values[ids.index(player), output] - float(value)) <= allowed
        for pair, value in shapley.interactions(game, players).items():
            assert abs(explanation.interactions[pairs[pair], output] - float(value)) <= 4 * allowed


def field_of():
    """{feature: the number of its field}."""
    return {f: n for n, (begin, end) in enumerate(pairwise(STARTS)) for f in range(begin, end)}
