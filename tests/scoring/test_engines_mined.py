"""PKE: what is kept is Definition 3's set, errors stay within their bound, certified labels are the definition's."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.machines.schemes import Scheme
from gristmill.scoring.deciding import early_stop_stats
from tests.data.strategies import Parts, as_dicts, classifiers, feature_sets, kernels, parts, rows
from tests.oracle import conjunctions as oracle
from tests.oracle import polynomial

FEW = 5  # features, so that all rows there are can be scored
ALL_ROWS = oracle.subsets(range(FEW), FEW)
few_parts = parts(kernel=kernels(max_degree=4), features=FEW)  # up to degree 4 eighths stay exact
sigmas = st.integers(0, 4000).map(lambda n: n / 8)
xis = st.integers(1, 4)


def weights_of(scorer, outputs):
    """What a scorer has kept, seen from outside: {conjunction: weight} for each output."""
    scores = scorer.decision_function(ALL_ROWS).reshape(len(ALL_ROWS), outputs)
    columns = [dict(zip(ALL_ROWS, map(Fraction, column), strict=True)) for column in scores.T]
    return [oracle.weights_in(column) for column in columns]


def kept_of(made, sigma, xi):
    return [oracle.kept(made.support, made.column(o), made.parameters, sigma, xi) for o in range(made.n_outputs)]


# --- the kept set -----------------------------------------------------------------------------------------------------


@given(made=few_parts, sigma=sigmas, xi=xis)
def test_an_output_keeps_exactly_what_definition_3_keeps_for_it(made, sigma, xi):
    wanted = kept_of(made, sigma, xi)
    scorer = made.machine().compile("expanded", sigma=sigma, xi=xi)
    assert weights_of(scorer, made.n_outputs) == wanted
    if not scorer.exact:  # else rare features may be left to the support rows
        assert scorer.report().conjunctions == len(set().union(*wanted))


@given(made=few_parts, xi=xis, data=st.data())
def test_a_weight_that_equals_its_threshold_is_kept(made, xi, data):
    """sigma such that sigma_pos (or sigma_neg) of some output is the weight of some conjunction."""
    output = data.draw(st.integers(0, made.n_outputs - 1))
    column = made.column(output)
    count = sum(a != 0 for a in column)
    shares = {
        w: sum(a * w > 0 for a in column) for w in oracle.expansion(made.support, column, made.parameters).values()
    }
    exact = [abs(w) * count / share for w, share in shares.items() if share]
    exact = [sigma for sigma in exact if Fraction(float(sigma)) == sigma]
    sigma = data.draw(st.sampled_from(exact or [Fraction(1)]))
    scorer = made.machine().compile("expanded", sigma=float(sigma), xi=xi)
    assert weights_of(scorer, made.n_outputs) == kept_of(made, sigma, xi)


def test_a_threshold_is_rounded_once():
    """9 of 11 support rows are positive: sigma_pos is 63 / 8, but (9 / 11) * sigma would be a little more."""
    coef = [63 / 8, *[1 / 8] * 8, -1 / 8, -1 / 8]
    machine = gm.Machine(gm.PolynomialKernel(1, 1.0, 0.0), [{n} for n in range(11)], coef, 0.0)
    scores = machine.compile("expanded", sigma=77 / 8).decision_function([{0}, {1}])
    assert list(scores) == [63 / 8, 0]


@given(made=few_parts)
def test_without_sigma_and_xi_everything_is_kept(made):
    wanted = kept_of(made, 0, 1)
    expanded, split = made.machine().compile("expanded"), made.machine().compile("split", rare=0)
    assert expanded.exact
    assert weights_of(expanded, made.n_outputs) == weights_of(split, made.n_outputs) == wanted
    assert split.report().conjunctions == len(set().union(*wanted))


@given(made=few_parts, sigma=sigmas, xi=xis)
def test_outputs_are_mined_as_if_each_were_alone(made, sigma, xi):
    """With its own support rows only."""
    together = weights_of(made.machine().compile("expanded", sigma=sigma, xi=xi), made.n_outputs)
    for output, weights in enumerate(together):
        own = [(set(s), a) for s, a in zip(made.support, made.column(output), strict=True) if a != 0]
        support, coef = [s for s, _ in own], [a for _, a in own]
        alone = gm.Machine(made.kernel, support, coef, made.intercept[output])
        assert weights_of(alone.compile("expanded", sigma=sigma, xi=xi), 1) == [weights]


# docs/formulas.md A8: feature 0 has w+ = 30 and w- = -6; 2 of 10 support rows are positive, so sigma = 10 makes
# sigma_pos 2 and sigma_neg -8: mined apart, w- is dropped and 30 is stored instead of 24.
TRAP = gm.Machine(
    gm.PolynomialKernel(1, 1.0, 0.0),
    [{0}, {0}, *[{0}] * 4, *[{n} for n in range(1, 5)]],
    [20.0, 10.0, *[-1.5] * 4, *[-9.0] * 4],
    0.0,
    classes=["no", "yes"],
)


def test_positive_and_negative_parts_are_not_thresholded_apart():
    scorer = TRAP.compile("expanded", sigma=10)
    assert list(scorer.decision_function([{0}, {1}, {0, 1}])) == [24, -9, 15]
    assert scorer.report().conjunctions == 5


def test_the_oracle_keeps_the_trap_whole():
    coef = TRAP.dense_coef()[:, 0]
    support = [{0}] * 6 + [{n} for n in range(1, 5)]
    assert oracle.thresholds(coef, 10) == (2, -8)
    assert oracle.kept(support, coef, (1, 1, 0), 10, 1)[frozenset({0})] == 24


# --- errors -----------------------------------------------------------------------------------------------------------


def assert_within_bounds(made, scorer, x):
    shape = (len(x), made.n_outputs)
    scores, bounds = scorer.decision_function(x).reshape(shape), scorer.error_bound(x).reshape(shape)
    for at, row in enumerate(as_dicts(x)):
        for output in range(made.n_outputs):
            asked = (made.support, made.column(output), made.intercept[output], made.parameters)
            assert abs(Fraction(scores[at, output]) - polynomial.score(*asked, row)) <= Fraction(bounds[at, output])


@given(made=parts(kernel=kernels(max_degree=4)), x=rows, sigma=sigmas, xi=xis)
def test_scores_lie_within_their_error_bound(made, x, sigma, xi):
    scorer = made.machine().compile("expanded", sigma=sigma, xi=xi)
    assert scorer.exact == (sigma == 0 and xi == 1)
    assert_within_bounds(made, scorer, x)


@given(
    kernel=kernels(),
    support=st.lists(st.frozensets(st.integers(0, 11), max_size=4), min_size=1, max_size=20),
    x=st.lists(st.frozensets(st.integers(0, 11), min_size=5), min_size=1, max_size=3),
    sigma=st.sampled_from([0.5, 20.0, 1e3, 1e9]),
    xi=xis,
    data=st.data(),
)
def test_rows_longer_than_every_support_row_lie_within_their_error_bound(kernel, support, x, sigma, xi, data):
    coef = data.draw(st.lists(st.sampled_from([[1.0], [0.5], [-1.0]]), min_size=len(support), max_size=len(support)))
    made = Parts(kernel, as_dicts(support), coef, [0.0])
    assert_within_bounds(made, made.machine().compile("expanded", sigma=sigma, xi=xi), x)


@pytest.mark.parametrize("degree", [2, 3, 4, 5])
@pytest.mark.parametrize("length", [2, 3, 4])
def test_every_dropped_conjunction_of_a_long_row_counts(degree, length):
    """All sets of `length` of 9 features, all of one sign, and nothing kept: the worst a row of 9 can do."""
    support = [s for s in oracle.subsets(range(9), length) if len(s) == length]
    machine = gm.Machine(gm.PolynomialKernel(degree), support, np.ones(len(support)), 0.0)
    x = [set(range(n)) for n in range(10)]
    scorer = machine.compile("expanded", sigma=1e12)
    gap = abs(scorer.decision_function(x) - machine.compile("direct").decision_function(x))
    assert scorer.report().conjunctions == 0
    assert (gap <= scorer.error_bound(x)).all()


# --- certified --------------------------------------------------------------------------------------------------------

ROWS_AND_LONG_ONES = st.lists(st.one_of(feature_sets, st.just(frozenset(range(12)))), max_size=8)


@given(machine=classifiers(), x=ROWS_AND_LONG_ONES, sigma=st.integers(0, 400).map(lambda n: n / 10), xi=xis)
def test_certified_labels_are_those_of_the_definition(machine, x, sigma, xi):
    scorer = machine.compile("expanded", sigma=sigma, xi=xi, certified=True)
    assert scorer.certified
    np.testing.assert_array_equal(scorer.predict(x), machine.compile("direct").predict(x))


@given(made=parts(min_outputs=3, max_outputs=3), x=ROWS_AND_LONG_ONES, sigma=sigmas, xi=xis, zero=st.integers(0, 1))
@pytest.mark.parametrize("scheme", [Scheme.ONE_VS_ONE, Scheme.ONE_VS_REST])
def test_certified_labels_are_those_of_the_definition_where_scores_tie(scheme, made, x, sigma, xi, zero):
    """Eighths cancel exactly, so that votes and scores tie."""
    machine = made.machine(classes=list("abc"), scheme=scheme, zero_class=zero)
    scorer = machine.compile("expanded", sigma=sigma, xi=xi, certified=True)
    np.testing.assert_array_equal(scorer.predict(x), machine.compile("direct").predict(x))


@pytest.mark.parametrize("zero_class", [0, 1])
def test_certified_labels_know_what_zero_means(zero_class):
    machine = gm.Machine(
        gm.PolynomialKernel(2), [{0, 1}, {2, 3}], [1.0, -1.0], 0.0, ["no", "yes"], zero_class=zero_class
    )
    x = [set(), {0, 2}, {0, 1, 2, 3}, {7}, {0}, {3}]
    scorer = machine.compile("expanded", sigma=100, certified=True)
    np.testing.assert_array_equal(scorer.predict(x), machine.compile("direct").predict(x))


def test_labels_that_are_not_certified_may_be_wrong():
    machine = gm.Machine(gm.PolynomialKernel(2), [{0, 1}], [1.0], -8.0, ["no", "yes"])
    wanted = machine.compile("direct").predict([{0, 1}])
    mined = machine.compile("expanded", sigma=3)
    assert not mined.exact
    assert not mined.certified
    assert mined.predict([{0, 1}]) != wanted
    assert machine.compile("expanded", sigma=3, certified=True).predict([{0, 1}]) == wanted


@given(machine=classifiers(), x=rows, sigma=st.integers(1, 400).map(lambda n: n / 10))
def test_effort_without_early_decisions_skips_nothing(machine, x, sigma):
    effort = early_stop_stats(machine.compile("expanded", sigma=sigma), x)
    assert (effort.rows, effort.stopped, effort.skipped) == (len(x), 0, 0)
