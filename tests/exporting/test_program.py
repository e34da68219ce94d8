"""What an exported file holds, before it is written in any language."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.exporting.expansion import Expansion
from gristmill.exporting.levels import levels_of, walk
from gristmill.exporting.program import Program
from gristmill.exporting.self_test import digest_of
from tests.exporting.random_machines import random_machine, rows_for
from tests.oracle import given_conjunctions, polynomial

seeds = st.integers(0, 10**6)


def exact_score(machine, row, output):
    """By the book, in rational arithmetic."""
    support = [machine.rows.one(at).ids.tolist() for at in range(machine.n_support)]
    column, intercept = machine.dense_coef()[:, output], machine.intercept[output]
    if not machine.is_polynomial:
        return given_conjunctions.score(support, column, intercept, row)
    kernel = machine.kernel
    rows = [dict.fromkeys(ids, 1) for ids in support]
    return polynomial.score(rows, column, intercept, (kernel.degree, kernel.gamma, kernel.coef0), dict.fromkeys(row, 1))


@given(seed=seeds, bits=st.sampled_from([16, 32, 53]))
def test_sums_are_the_scores_within_the_bound(seed, bits):
    machine = random_machine(seed)
    program = Program.of(machine, bits=bits)
    for row in rows_for(machine, seed, 5):
        sums, found = program.sums(row)
        unit = Fraction(2) ** -program.scale.exponent
        bound = 0 if program.scale.doubt is None else Fraction(program.scale.doubt.of(found)) * unit
        for output, total in enumerate(sums.tolist()):
            assert abs(total * unit - exact_score(machine, row, output)) <= bound
            assert abs(total) < 2**52


@given(seed=seeds)
def test_a_row_has_the_conjunctions_of_its_features(seed):
    machine = random_machine(seed)
    expansion = Expansion.of(machine)
    rows = [ids[ids >= 0].tolist() for ids in expansion.conjunctions]
    known = {frozenset(row[:size]) for row in rows for size in range(1, len(row) + 1)}
    levels, ranks = levels_of(expansion), list(range(len(expansion.features)))[:7]
    found = list(walk(levels, ranks))
    singles = {frozenset([rank]) for rank in ranks}
    held = {frozenset(some) for size in range(2, 8) for some in combinations(ranks, size)} & known
    assert len(found) == len(singles | held)
    assert len(set(found)) == len(found)


EXACT = [
    (gm.PolynomialKernel(3), [1.0, -2.0, 0.25], True),
    (gm.PolynomialKernel(2, gamma=0.5), [1.0, -2.0, 0.25], True),
    (gm.ConjunctionKernel(), [3.0, -2.0, 0.125], True),
    (gm.PolynomialKernel(2), [0.1, 0.2, -0.3], False),
    (gm.PolynomialKernel(2, gamma=0.1), [1.0, -2.0, 0.25], False),
    (gm.ConjunctionKernel(), [1.0, 2.0**-60, 1.0], False),
]


@pytest.mark.parametrize(("kernel", "coef", "exact"), EXACT)
def test_a_scale_is_exact_where_nothing_is_rounded(kernel, coef, exact):
    machine = gm.Machine(kernel, gm.ids([[0, 1], [1, 2], [0, 2]]), coef, 0.5, classes=[0, 1])
    program = Program.of(machine)
    assert (program.scale.doubt is None) == exact
    assert (program.definition is None) == exact
    if exact:
        rows = [[], [0], [0, 1], [0, 1, 2]]
        scores = machine.compile("direct").decision_function(gm.ids(rows)).tolist()
        assert [float(np.ldexp(program.sums(row)[0][0], -program.scale.exponent)) for row in rows] == scores


def test_fewer_bits_make_a_larger_unit_and_bound():
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([[0, 1], [1, 2]]), [0.1, -0.3], 0.0, classes=[0, 1])
    programs = [Program.of(machine, bits=bits) for bits in (16, 32, 53)]
    exponents = [program.scale.exponent for program in programs]
    assert exponents == sorted(set(exponents))
    assert all(abs(own).max() < 2**15 for own in programs[0].weights)


@pytest.mark.parametrize("coef", [1e-300, 1e300])
def test_coefficients_of_any_size_stay_in_range(coef):
    machine = gm.Machine(gm.ConjunctionKernel(), gm.ids([[0], [1]]), [coef, -coef / 3], 0.0, classes=[0, 1])
    program = Program.of(machine)
    sums, found = program.sums([0, 1])
    unit = Fraction(2) ** -program.scale.exponent
    assert abs(int(sums[0]) * unit - exact_score(machine, [0, 1], 0)) <= Fraction(program.scale.doubt.of(found)) * unit


def test_digests_are_fnv():
    assert digest_of([]) == 2166136261
    assert digest_of([0x61]) != digest_of([0x62])
    assert digest_of([-1]) == digest_of([2**64 - 1 - 2**64])


MACHINES = [
    (gm.Machine(gm.RBFKernel(0.5), gm.ids([[0]]), [1.0], 0.0), "polynomial kernel of degree 1 to 12"),
    (gm.Machine(gm.PolynomialKernel(2, coef0=-1.0), gm.ids([[0]]), [1.0], 0.0), "polynomial kernel of degree 1 to 12"),
    (gm.Machine(gm.PolynomialKernel(2), np.array([[0.5, 1.0]]), [1.0], 0.0), "values other than 0 and 1"),
    (gm.Machine(gm.SubtreeKernel(), gm.Forest.from_strings(["(S a)"]), [1.0], 0.0), "on rows of features"),
]


@pytest.mark.parametrize(("machine", "message"), MACHINES)
def test_machines_without_weights_of_conjunctions_are_refused(machine, message):
    with pytest.raises(ValueError, match=message):
        Program.of(machine)


def test_too_many_weights_are_refused():
    machine = gm.Machine(gm.PolynomialKernel(2), gm.ids([range(10)]), [1.0], 0.0)
    assert Program.of(machine, most=55).n_conjunctions == 55
    with pytest.raises(ValueError, match="more than 54 weights"):
        Program.of(machine, most=54)
