"""Shapley values and interactions against a reference row equal the sums over all subsets."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.rows import as_rows
from gristmill.explanations.shapley import reference_explanation
from tests.across.interrupting import SOON, seconds_to_stop
from tests.data.strategies import FEATURES, Parts, eighths, odd_kernels, parts
from tests.oracle import shapley as oracle

PLAYERS = 7
ones = st.just(1)
nonzero = eighths.filter(bool)


def row_dicts(values):
    """Rows with few enough features that a row and a reference have no more than so many players."""
    return st.dictionaries(st.integers(0, FEATURES - 1), values, max_size=4)


def to_rows(dicts):
    table = np.zeros((len(dicts), FEATURES))
    for at, row in enumerate(dicts):
        table[at, list(row)] = list(row.values())
    return as_rows(table, binarize=False)


@st.composite
def cases(draw):
    """A machine, rows and a reference or None: binary or real, with values shared by the row and the reference."""
    values = draw(st.sampled_from([ones, nonzero]))
    made = draw(parts(kernel=odd_kernels(), max_outputs=3, values=values))
    reference = draw(st.none() | row_dicts(values))
    x_rows = draw(st.lists(row_dicts(values), max_size=2))
    if reference and draw(st.booleans()):
        x_rows = [row | dict(list(reference.items())[:2]) for row in x_rows]
    x_rows = [row for row in x_rows if len(oracle.players_of(row, reference or {})) <= PLAYERS]
    return made, x_rows, reference


def explained(machine, x_rows, reference, **options):
    return reference_explanation(
        machine, to_rows(x_rows), None if reference is None else to_rows([reference]), **options
    )


def yardstick(made, output, x, reference):
    """|b| + sum_i |a_i| max |k(s_i, z)| over all mixtures z of the row and the reference."""
    total = abs(Fraction(made.intercept[output]))
    for s, a in zip(made.support, made.column(output), strict=True):
        game = oracle.polynomial_game([s], [a], made.parameters, x, reference)
        total += max(abs(game(coalition)) for coalition in oracle.subsets(oracle.players_of(x, reference)))
    return total


def entries_of(explanation, row):
    """{feature: where its value is} and {pair of features: where its interaction is}."""
    begin, end = explanation.offsets[row : row + 2]
    ids = explanation.ids[begin:end].tolist()
    pairs = dict(zip(combinations(ids, 2), range(*explanation.pair_offsets[row : row + 2]), strict=True))
    return dict(zip(ids, range(begin, end), strict=True)), pairs


def assert_shares(shares, places, expected, output, allowed):
    """What the oracle has no player for is 0 exactly."""
    for name, place in places.items():
        got = shares[place, output]
        assert abs(Fraction(got) - expected[name]) <= allowed if name in expected else got == 0


def assert_equals_the_oracle(made, x_rows, reference, error=Fraction(1, 10**12)):
    """Values and interactions of all rows and outputs, within an error relative to the yardstick."""
    explanation = explained(made.machine(), x_rows, reference, interactions=True)
    other = reference or {}
    for row, x in enumerate(x_rows):
        places, pairs = entries_of(explanation, row)
        players = oracle.players_of(x, other)
        assert list(places) == sorted(x.keys() | other.keys())
        for output in range(made.n_outputs):
            game = oracle.polynomial_game(made.support, made.column(output), made.parameters, x, other)
            allowed = error * yardstick(made, output, x, other)
            assert_shares(explanation.values, places, oracle.values(game, players), output, allowed)
            assert_shares(explanation.interactions, pairs, oracle.interactions(game, players), output, allowed)


@given(cases())
def test_equals_the_sum_over_all_subsets(case):
    assert_equals_the_oracle(*case)


@pytest.mark.parametrize("degree", range(1, 10))
def test_equals_the_sum_over_all_subsets_of_seven_features(degree):
    rng = np.random.default_rng(degree)
    support, (x, other) = ([dict(enumerate((rng.integers(-16, 17, 9) / 8).tolist())) for _ in range(n)] for n in (3, 2))
    x |= {0: other[0], 1: other[1]}
    kernel = gm.PolynomialKernel(degree, -0.75, 0.625)
    assert_equals_the_oracle(Parts(kernel, support, [[1.5], [-2.0], [0.25]], [1.0]), [x], other)


@given(cases())
def test_sparse_coefficients_and_values_alone_change_no_bit(case):
    made, x_rows, reference = case
    dense = made.machine()
    sparse = gm.Machine(made.kernel, dense.support, sp.csr_matrix(dense.coef), made.intercept)
    explanation, alike = explained(dense, x_rows, reference, interactions=True), explained(sparse, x_rows, reference)
    assert np.array_equal(explanation.values, alike.values)
    assert np.array_equal(explanation.base, alike.base)
    assert alike.interactions is None


@pytest.mark.parametrize("degree", [40, 333, 1000])
def test_high_degrees_lose_nothing_to_cancellation(degree):
    made = Parts(gm.PolynomialKernel(degree, 0.25, -0.125), [{0: 1, 1: -2, 2: 1.5, 3: -1.25}], [[1.0]], [0.0])
    x, other = {0: 0.5, 1: 0.75, 2: 1}, {0: -1, 2: 0.25, 3: 0.5}
    assert_equals_the_oracle(made, [x], other, error=Fraction(1, 10**11))


@pytest.fixture(scope="module")
def large():
    """A machine of 60 real support rows and three outputs, and rows of some 80 features."""
    rng = np.random.default_rng(0)
    table = sp.random(60, 200, 0.5, random_state=rng, data_rvs=rng.standard_normal).tocsr()
    machine = gm.Machine(gm.PolynomialKernel(3, -0.02, 0.5), table, rng.standard_normal((60, 3)), [0.5, 0.0, -1.0])
    return machine, *(
        as_rows(sp.random(n, 200, 0.4, random_state=rng, data_rvs=rng.standard_normal).tocsr(), binarize=False)
        for n in (7, 1)
    )


def test_values_of_long_rows_add_up_to_the_score(large):
    machine, rows, other = large
    explanation = reference_explanation(machine, rows, other)
    sums = np.add.reduceat(explanation.values, explanation.offsets[:-1])
    scores = machine.compile("direct", binarize=False).decision_function(rows)
    dots = np.abs(machine.support.to_csr()) @ (np.abs(rows.to_csr()) + np.abs(other.to_csr().toarray())).T
    size = np.abs(machine.intercept) + (0.02 * np.asarray(dots) + 0.5).T ** 3 @ np.abs(machine.coef)
    assert np.all(np.abs(explanation.base + sums - scores) <= 1e-12 * size)


def test_gives_the_same_bits_for_any_number_of_threads(large):
    machine, rows, other = large
    one, four = (reference_explanation(machine, rows, other, interactions=True, n_jobs=n) for n in (1, 4))
    for name in ("offsets", "ids", "data", "values", "base", "interactions"):
        assert np.array_equal(getattr(one, name), getattr(four, name))


def test_rows_do_not_depend_on_their_neighbours(large):
    machine, rows, other = large
    explanation, alone = (reference_explanation(machine, x, other, interactions=True) for x in (rows, rows.one(3)))
    begin, end = explanation.offsets[3:5]
    assert np.array_equal(explanation.values[begin:end], alone.values)
    assert np.array_equal(explanation.interactions[slice(*explanation.pair_offsets[3:5])], alone.interactions)


@given(parts(), st.lists(st.frozensets(st.integers(0, FEATURES - 1)).map(sorted), max_size=4))
def test_binary_rows_without_reference_have_the_closed_form(made, x_rows):
    """phi_f = sum over support rows with f of a_i (k(m_i) - k(0)) / m_i (docs/formulas.md A10)."""
    k = made.kernel.values(FEATURES)
    explanation = reference_explanation(made.machine(), gm.ids(x_rows))
    for row, x in enumerate(x_rows):
        expected = np.zeros((FEATURES, made.n_outputs))
        size = np.abs(np.array(made.intercept))
        for s, a in zip(made.support, np.array(made.coef).reshape(-1, made.n_outputs), strict=True):
            shared = sorted(s.keys() & set(x))
            size = size + np.abs(a) * k[len(shared)]
            if shared:
                expected[shared] += a * (k[len(shared)] - k[0]) / len(shared)
        got = explanation.values[explanation.offsets[row] : explanation.offsets[row + 1]]
        assert np.all(np.abs(got - expected[x]) <= 1e-12 * size)


def test_the_base_is_the_score_of_the_reference(large):
    machine, rows, other = large
    scorer = machine.compile("direct", binarize=False)
    assert np.array_equal(reference_explanation(machine, rows, other).base, scorer.decision_function(other)[0])


def test_degree_zero_and_machines_without_support_have_values_of_0():
    constant = gm.Machine(gm.PolynomialKernel(0), [{0, 1}], [2.0], 1.0)
    empty = gm.Machine(gm.PolynomialKernel(2), sp.csr_matrix((0, 3)), np.empty((0, 1)), 1.0)
    for machine, base in ((constant, 3.0), (empty, 1.0)):
        explanation = reference_explanation(machine, gm.ids([[0, 1], []]), gm.ids([[2]]), interactions=True)
        assert explanation.ids.tolist() == [0, 1, 2, 2]
        assert not explanation.values.any()
        assert not explanation.interactions.any()
        assert explanation.base.tolist() == [base]


def test_no_rows_have_no_entries():
    explanation = reference_explanation(
        gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], 0.0), gm.ids([]), interactions=True
    )
    assert explanation.offsets.tolist() == explanation.pair_offsets.tolist() == [0]
    assert explanation.values.shape == explanation.interactions.shape == (0, 1)


def test_features_beyond_the_machine_get_nothing():
    explanation = reference_explanation(gm.Machine(gm.PolynomialKernel(2), [{1}], [1.0], 0.0), gm.ids([[1, 10**9]]))
    assert explanation.ids.tolist() == [1, 10**9]
    assert explanation.values.ravel().tolist() == [3.0, 0.0]


def test_a_kernel_that_leaves_the_range_of_double_is_refused():
    machine = gm.Machine(gm.PolynomialKernel(9), np.array([[1.0, -1.0]]), [1.0], 0.0)
    rows = as_rows(np.array([[1e60, 1e60]]), binarize=False)  # whose own score is 1
    with pytest.raises(ValueError, match="leaves the range of double between a row and the reference"):
        reference_explanation(machine, rows)


def test_several_references_are_refused(large):
    machine, rows, _ = large
    with pytest.raises(ValueError, match="must be a single row, got 7"):
        reference_explanation(machine, rows, rows)


def test_ctrl_c_ends_a_single_long_row():
    table = np.random.default_rng(0).random((2000, 600))
    machine = gm.Machine(gm.PolynomialKernel(6), table, np.ones(2000), 0.0)
    rows = as_rows(table[:1], binarize=False)
    assert seconds_to_stop(lambda: reference_explanation(machine, rows, interactions=True)) < SOON


def test_progress_reaches_the_number_of_rows(large):
    machine, rows, other = large
    seen = []
    reference_explanation(machine, rows, other, progress=lambda *now: seen.append(now))
    assert seen[-1] == (len(rows), len(rows))
