"""The heaviest conjunctions of a machine of conjunctions are its rows, sorted; rules can be a machine again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.explanations.rules import rules_of
from tests.data.conjunctions import example_rows, given_conjunctions, random_conjunctions, random_rows
from tests.data.strategies import parts, rows
from tests.oracle.given_conjunctions import heaviest

LIMITS = st.fixed_dictionaries({"min_support": st.integers(1, 2), "max_size": st.none() | st.integers(1, 4)})


def facts_of(rules):
    return [(rule.features, rule.output, rule.weight, rule.support) for rule in rules]


@given(made=given_conjunctions(), top=st.integers(1, 40), limits=LIMITS)
def test_the_top_is_that_of_the_rows(made, top, limits):
    assert facts_of(rules_of(made.machine(), top=top, **limits)) == heaviest(made.support, made.coef, **limits)[:top]


@given(made=given_conjunctions(), min_weight=st.integers(0, 80).map(lambda n: n / 8), data=st.data())
def test_a_threshold_and_an_output(made, min_weight, data):
    output = data.draw(st.integers(0, made.n_outputs - 1))
    every = heaviest(made.support, made.coef)
    wanted = [one for one in every if one[1] == output and abs(one[2]) >= min_weight]
    assert facts_of(rules_of(made.machine(), min_weight=min_weight, output=output)) == wanted


@given(made=given_conjunctions(), top=st.integers(1, 10), limits=LIMITS, x=example_rows)
def test_what_is_not_listed_is_within_its_bound(made, top, limits, x):
    rules = rules_of(made.machine(), top=top, **limits)
    coverage = rules.coverage(x)
    assert (np.abs(coverage.rest) <= coverage.bound + 1e-9).all()
    assert (
        [rule.features for rule in rules.matching(x[0])]
        == [rule.features for rule in rules if set(rule.features) <= x[0]]
        if x
        else True
    )


@given(made=parts(features=6, longest=6, max_outputs=3), x=rows)
def test_all_rules_of_a_machine_are_the_machine(made, x):
    machine = made.machine()
    same = rules_of(machine, min_weight=0).as_machine()
    assert same.kernel == gm.ConjunctionKernel()
    wanted = machine.compile("direct").decision_function(x)
    scale = 1 + np.abs(machine.coef).sum() * machine.kernel.values(12).max() + np.abs(machine.intercept).max()
    np.testing.assert_allclose(same.compile("direct").decision_function(x), wanted, rtol=0, atol=1e-12 * scale)


def test_some_rules_are_a_smaller_machine():
    machine = random_conjunctions(3000, 100, outputs=3).replace(first_id=1, zero_class=1)
    small = gm.explain(machine, top=50).as_machine()
    assert small.n_support == len({rule.features for rule in gm.explain(machine, top=50)})
    assert (small.first_id, small.zero_class, list(small.classes)) == (1, 1, list(machine.classes))
    whole = rules_of(machine, min_weight=0).as_machine()
    X = random_rows(50, 100, 12)
    wanted = machine.compile().decision_function(X)
    np.testing.assert_allclose(whole.compile().decision_function(X), wanted, rtol=0, atol=1e-10)


def test_the_table_says_how_many_there_are():
    rules = gm.explain(gm.Machine(gm.ConjunctionKernel(), gm.ids([[0], [0, 1], [], [0]]), [1.0, -0.5, 4.0, 0.5], 0.0))
    assert str(rules) == (
        "2 of 4 conjunctions; there are no others\n"
        "weight  conjunction  output  support  positive  negative\n"
        "  +1.5  0            value         2      +1.5        +0\n"
        "  -0.5  0 & 1        value         1        +0      -0.5"
    )
    with pytest.raises(ValueError, match="more than max_rules = 1 conjunctions"):
        rules_of(rules.machine, min_weight=0, max_rules=1)
