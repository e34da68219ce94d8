"""Online learning in doubles: engines agree up to rounding, and each one with itself to the last bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.oracle import online as oracle
from tests.solvers.online.online_tasks import (
    ENGINES,
    KERNEL,
    NORMS,
    THREADED,
    Task,
    assert_close,
    coefficients_of,
    examples,
    integer_tasks,
    log_of,
    teach,
    zipfian,
)

engines = st.sampled_from(ENGINES)


in_eighths = st.integers(1, 16).map(lambda n: n / 8)
double_rules = st.builds(
    oracle.Rule, st.sampled_from(["pa", "pa1", "pa2"]), st.sampled_from(NORMS), st.sampled_from([0.1, 1.0, 7.3])
)


@given(examples(largest=16), st.integers(1, 3), in_eighths, in_eighths, double_rules, st.integers(1, 2))
def test_doubles_agree_up_to_rounding(drawn, degree, gamma, coef0, rule, passes):
    """A step that closes the gap leaves a loss of about 0, of either sign: coefficients are compared, not logs."""
    task = Task(drawn, degree, gamma / 0.7, coef0 / 0.9, rule, passes=passes)
    wanted = oracle.coefficients(task.reference()[0], rule)
    for engine in ENGINES:
        assert_close(coefficients_of(task.learned(engine), 1), wanted)


def in_the_order_of_the_index(task):
    """PA-I in doubles with two classes, summed up as the engine `inverted` does: feature by feature, row by row."""
    k = gm.PolynomialKernel(task.degree, task.gamma, task.coef0).values(max(len(x) for x, *_ in task.examples))
    ranks = dict.fromkeys(feature for x, *_ in task.examples for feature in sorted(x))
    places = {feature: rank for rank, feature in enumerate(ranks)}
    coef, index, total, log = {}, {feature: [] for feature in ranks}, 0.0, []
    for time, (x, label, weight) in enumerate(task.examples):
        score = total * k[0]
        for row in dict.fromkeys(row for feature in sorted(x, key=places.get) for row in index[feature]):
            score += coef[row] * (k[len(row & x)] - k[0])
        sign = 1 if label == 1 else -1
        if task.rule.is_fine(sign * score):
            continue
        step = task.rule.step(sign * score, len(x), weight)
        log.append((x, *((0, oracle.NOBODY) if sign > 0 else (oracle.NOBODY, 0)), step, time))
        if x not in coef:
            for feature in x:
                index[feature].append(x)
        coef[x] = coef.get(x, 0.0) + sign * step
        total += sign * step
    return log


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_pa1_in_doubles_is_the_reference_in_its_order(degree):
    drawn = tuple((x, sum(x) % 7 < 3, 1.0) for x in zipfian(600, 60) if x)
    task = Task(drawn, degree, 0.3, 0.7, oracle.Rule("pa1", C=0.013))
    log = log_of(task.learned(KERNEL, by_frequency=False))
    assert len(log) > 150
    assert log == in_the_order_of_the_index(task)


@pytest.mark.parametrize("engine", [e for e in ENGINES if not e.reuse and e not in THREADED])
@pytest.mark.parametrize("update", ["pa1", "pa2"])
def test_doubles_go_on_as_if_nothing_had_happened(engine, update):
    drawn = tuple((x, sum(x) % 7 < 3, 1.0) for x in zipfian(300, 60))
    task = Task(drawn, 3, 0.3, 0.7, oracle.Rule(update, C=0.13), passes=4)
    first = replace(task, passes=2).learned(engine)
    again = task.trainer(engine)
    again.restore(*first.state())
    teach(again, task.examples, task.passes, visited=2 * len(drawn))
    assert log_of(again) == log_of(task.learned(engine))


@given(integer_tasks(), engines, double_rules, in_eighths)
def test_doubles_are_reproducible_engine_by_engine(task, engine, rule, gamma):
    task = replace(task, rule=rule, gamma=gamma / 0.7)
    once, again = task.learned(engine), task.learned(engine)
    assert log_of(once) == log_of(again)


@given(examples(4, largest=20), engines, st.integers(1, 3), st.integers(1, 3))
def test_doubles_that_do_not_round_give_the_same_log(drawn, engine, degree, passes):
    task = Task(drawn, degree, 0.5, 0.25, oracle.Rule("perceptron"), outputs=4, passes=passes)
    assert log_of(task.learned(engine)) == task.reference()[0]


powers_of_two = st.sampled_from([2, 4, 8]).flatmap(
    lambda size: st.frozensets(st.integers(0, 15), min_size=size, max_size=size)
)


@given(examples(rows=powers_of_two, largest=10, weights=st.just(1.0)), engines)
def test_pa1_in_doubles_is_the_definition_bit_for_bit(drawn, engine):
    """Rows whose lengths are powers of two, so that no division rounds."""
    task = Task(drawn, 2, 1.0, 1.0, oracle.Rule("pa1", "input", 0.125))
    assert log_of(task.learned(engine)) == task.reference()[0]


@pytest.mark.parametrize("cost", [0.05, 1.0])
def test_degree_1_is_linear_pa1(cost):
    rng = np.random.default_rng(5)
    X = rng.random((200, 30)) < 0.2
    y = np.where(X[:, 0] + X[:, 1] > rng.random(200), 1, -1)
    w = np.zeros(30)
    for x, sign in zip(X, y, strict=True):
        loss = 1 - sign * (w @ x)
        if loss > 0 and x.any():
            w += min(cost, loss / x.sum()) * sign * x
    task = Task(
        tuple((frozenset(np.flatnonzero(x).tolist()), int(sign > 0), 1.0) for x, sign in zip(X, y, strict=True)),
        1, 1.0, 0.0, oracle.Rule("pa1", "input", cost),
    )  # fmt: skip
    for engine in ENGINES:
        coefficients = coefficients_of(task.learned(engine), 1)
        ours = [sum(a for (row, _), a in coefficients.items() if feature in row) for feature in range(30)]
        np.testing.assert_allclose(ours, w, rtol=0, atol=1e-12)
