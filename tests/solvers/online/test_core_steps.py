"""Online learning: every engine takes the steps of the definition, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import online as oracle
from tests.solvers.online.online_tasks import (
    ALL,
    ENGINES,
    KERNEL,
    NORMS,
    PUSHED,
    SLICED,
    THREADED,
    Engine,
    Task,
    arrays,
    assert_close,
    coefficients_of,
    examples,
    integer_tasks,
    log_of,
    teach,
    zipfian,
)

engines = st.sampled_from(ENGINES)


# --- integers: the same log -------------------------------------------------------------------------------------------


@given(integer_tasks())
def test_every_engine_takes_the_steps_of_the_definition(task):
    expected, seen = task.reference()
    for engine in ENGINES:
        trainer = task.learned(engine)
        assert log_of(trainer) == expected, engine
        assert trainer.stats()["examples"] == seen
        assert trainer.stats()["updates"] == len(expected)


@pytest.mark.parametrize("update", ["perceptron", "pa1"])
def test_a_thousand_examples_by_the_book(update):
    drawn = tuple((x, sum(x) % 7 < 3, 1.0) for x in zipfian(1000, 60))
    task = Task(drawn, 2, rule=oracle.Rule(update, C=0.1, exponent=24))
    expected, _ = task.reference()
    assert len(expected) > 300
    for engine in ENGINES:
        assert log_of(task.learned(engine)) == expected, engine


@given(integer_tasks(), engines)
def test_ranks_by_appearance_change_nothing(task, engine):
    assert log_of(task.learned(engine, by_frequency=False)) == task.reference()[0]


@given(integer_tasks(), engines, st.data())
def test_a_stream_in_parts_is_the_stream(task, engine, data):
    task = replace(task, passes=1, seed=None)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(task.examples)), max_size=3)))
    trainer = task.trainer(engine)
    for begin, end in zip([0, *cuts], [*cuts, len(task.examples)], strict=True):
        teach(trainer, task.examples[begin:end], threads=engine.threads)
    assert log_of(trainer) == task.reference()[0]
    assert trainer.stats() == task.learned(engine).stats() | {"cut_short": trainer.stats()["cut_short"]}


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_larger_streams_in_parts(degree, outputs):
    rng = np.random.default_rng(degree)
    drawn = tuple((x, int(rng.integers(2) if 5 in x else 3 in x), 1.0) for x in zipfian(400, seed=degree))
    task = Task(drawn, degree, outputs=outputs)
    expected = log_of(task.learned(KERNEL))
    for engine in (PUSHED, *THREADED, Engine(expanded=20, choose=True, reuse=True, terminate=True)):
        trainer = task.trainer(engine)
        for begin in range(0, 400, 80):
            teach(trainer, drawn[begin : begin + 80], threads=engine.threads)
        assert log_of(trainer) == expected


@pytest.mark.parametrize("budget", [0, 300])
@pytest.mark.parametrize("seed", [None, 5])
@pytest.mark.parametrize(("degree", "outputs"), [(1, 1), (2, 1), (2, 4), (3, 1), (3, 4), (4, 1)])
def test_threads_take_the_same_steps_over_many_blocks(degree, outputs, seed, budget):
    rng = np.random.default_rng(degree)
    rows = zipfian(800, 300, degree)
    classes = max(outputs, 2)
    weights = rng.choice([0.0, 0.5, 1.0], len(rows), p=[0.1, 0.1, 0.8]).tolist()
    drawn = tuple((x, sum(x) // 7 % classes, weight) for x, weight in zip(rows, weights, strict=True))
    task = Task(drawn, degree, outputs=outputs, passes=3, seed=seed)
    one = task.learned(PUSHED, budget=budget)
    assert one.stats()["updates"] > 500
    for engine in THREADED:
        other = task.learned(engine, budget=budget)
        assert log_of(other) == log_of(one)
        assert other.stats() == one.stats()


@given(integer_tasks(), engines, engines)
def test_passes_one_by_one_are_the_passes(task, engine, other):
    """Also when another engine takes over."""
    task = replace(task, seed=None)
    trainer = task.trainer(engine)
    for number in range(task.passes):
        if number == 1:
            trainer, before = task.trainer(other), trainer
            trainer.restore(*before.state())
        teach(trainer, task.examples, threads=engine.threads)
    assert log_of(trainer) == task.reference()[0]


@given(integer_tasks(), engines, st.data())
def test_a_restored_learner_goes_on_as_if_nothing_had_happened(task, engine, data):
    cut = data.draw(st.integers(0, len(task.examples)))
    first = task.part(0, cut).learned(engine)
    again = task.trainer(engine)
    again.restore(*first.state())
    for trainer in (first, again):
        teach(trainer, task.examples[cut:], task.passes, task.seed, threads=engine.threads)
    assert log_of(again) == log_of(first)
    assert again.stats() == first.stats() | {"cut_short": again.stats()["cut_short"]}
    np.testing.assert_array_equal(again.support(True)[2], first.support(True)[2])
    for one, other in zip(again.state(), first.state(), strict=True):
        if one.dtype != np.float64:
            np.testing.assert_array_equal(one, other)


@given(integer_tasks(), engines, st.integers(0, 3000))
def test_a_limit_of_memory_leaves_the_steps_as_they_are(task, engine, max_bytes):
    assert log_of(task.learned(engine, max_bytes=max_bytes)) == task.reference()[0]


@given(integer_tasks())
def test_stopping_early_misses_no_step(task):
    """The bounds are never violated: the logs are equal whether they are used or not."""
    task = replace(task, outputs=1, examples=tuple((x, label % 2, weight) for x, label, weight in task.examples))
    for engine in SLICED:
        if engine.terminate:
            assert log_of(task.learned(engine)) == log_of(task.learned(replace(engine, terminate=False)))


def test_stopping_early_happens():
    rng = np.random.default_rng(1)
    drawn = [frozenset(np.flatnonzero(rng.random(30) < 0.3).tolist()) for _ in range(80)]
    task = Task(tuple((x, int(3 in x), 1.0) for x in drawn), degree=2, passes=4)
    trainer = task.learned(Engine(terminate=True))
    assert trainer.stats()["cut_short"] > 20
    assert log_of(trainer) == task.reference()[0]


@given(examples(3, largest=5), st.integers(1, 3), st.sampled_from(["pa", "pa2"]), st.sampled_from(NORMS))
def test_rules_without_a_largest_step(drawn, degree, update, norm):
    task = Task(drawn, degree, rule=oracle.Rule(update, norm, 2.0, 25), outputs=3)
    for engine in ENGINES:
        assert log_of(task.learned(engine)) == task.reference()[0]


# --- from 64 to 128 bits ----------------------------------------------------------------------------------------------


@given(
    examples(largest=12),
    engines,
    st.integers(1, 5),
    st.sampled_from([1, 50, 2**20, 2**30]),
    st.sampled_from([1.0, 1e6, 1e30]),
    st.sampled_from(NORMS),
    st.sampled_from([30, 45, 61, 70]),
    st.sampled_from(["pa1", "pa2"]),
)
def test_numbers_grow_when_they_have_to(drawn, engine, degree, gamma, cost, norm, exponent, update):
    task = Task(drawn, degree, gamma, 1, oracle.Rule(update, norm, cost, exponent), passes=2)
    try:
        expected, seen = task.reference()
    except OverflowError:  # PA-II steps further and further: beyond what doubles can say
        with pytest.raises(ValueError, match="leave the range of 128-bit integers"):
            task.learned(engine)
        return
    mass = sum(size for *_, size, _ in expected)
    largest = task.kernel(max([0, *(len(x) for x, *_ in drawn)]) + 1)
    try:
        trainer = task.learned(engine)
    except ValueError:  # only where even 128 bits, less some room, do not suffice
        assert mass * largest * 2**degree > 2**120 or gamma**degree * 2 ** (4 * degree) > 2**120
        return
    assert log_of(trainer) == expected
    assert_close(coefficients_of(trainer, 1, True), oracle.coefficients(expected, task.rule, 1, max(seen, 1)))
    again = task.trainer(engine)
    again.restore(*trainer.state())
    assert log_of(again) == expected


def test_a_step_beyond_64_bits():
    drawn = tuple((frozenset(x), y, 1.0) for x, y in [([1, 2], 1), ([1, 2], 0), ([1], 1), ([2], 1)] * 4)
    task = Task(drawn, 4, 1, 1, oracle.Rule("pa1", "input", 1e40, 40))
    expected, _ = task.reference()
    assert max(size for *_, size, _ in expected) > 2**64
    for engine in ENGINES:
        assert log_of(task.learned(engine)) == expected


# --- how much is read ------------------------------------------------------------------------------------------------


def test_the_kernel_reads_the_postings_of_the_features_of_a_row():
    task = Task(tuple((x, sum(x) % 2, 1.0) for x in zipfian(200, 50)), 2)
    expected, read = task.reference()[0], 0
    for number, (x, *_) in enumerate(task.examples):
        support = {row for row, *_, time in expected if time < number}
        read += sum(len(row & x) for row in support)
    assert task.learned(KERNEL).postings_read == read


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("expanded", [0, 20])
def test_partial_margins_that_are_reused_are_not_found_again(degree, expanded):
    task = Task(tuple((x, sum(x) % 2, 1.0) for x in zipfian(200, 50)), degree, passes=3)
    plain = task.learned(Engine(expanded=expanded))
    reused = task.learned(Engine(expanded=expanded, reuse=True))
    assert log_of(reused) == log_of(plain)
    assert reused.postings_read < 0.6 * plain.postings_read


# --- averages ---------------------------------------------------------------------------------------------------------


@given(integer_tasks(largest=10), engines)
def test_the_average_is_the_mean_of_all_models(task, engine):
    order = task.order[:20]
    task = replace(task, examples=tuple(task.examples[number] for number in order), passes=1, seed=None)
    expected = oracle.mean_of_models(task.examples, range(len(order)), task.kernel, task.rule, task.outputs)
    assert_close(coefficients_of(task.learned(engine), task.outputs, True), expected)


@given(integer_tasks(), engines)
def test_the_last_model_is_the_sum_of_the_steps(task, engine):
    log, seen = task.reference()
    trainer = task.learned(engine)
    assert_close(coefficients_of(trainer, task.outputs), oracle.coefficients(log, task.rule, task.outputs))
    averaged = oracle.coefficients(log, task.rule, task.outputs, max(seen, 1))
    assert_close(coefficients_of(trainer, task.outputs, True), averaged)


# --- the rules by hand ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("update", "norm", "cost", "size"),
    [
        ("perceptron", "input", 0.1, 1.0),
        ("pa", "input", 0.1, 1 / 4),
        ("pa", "kernel", 0.1, 1 / 25),
        ("pa1", "input", 0.125, 1 / 8),
        ("pa1", "input", 9.0, 1 / 4),
        ("pa1", "kernel", 9.0, 1 / 25),
        ("pa2", "input", 0.125, 1 / 8),
        ("pa2", "kernel", 0.5, 1 / 26),
    ],
)
def test_the_first_step_is_what_the_rule_says(update, norm, cost, size):
    """Four features: |x| is 4, k(x, x) is (4 + 1)^2."""
    task = Task(((frozenset([1, 2, 3, 4]), 1, 1.0),), rule=oracle.Rule(update, norm, cost))
    assert [entry[3] for entry in log_of(task.learned())] == [pytest.approx(size, rel=1e-15)]
    units = replace(task, rule=replace(task.rule, exponent=40))
    (entry,) = log_of(units.learned())
    assert 0 <= Fraction(entry[3], 2**40) - Fraction(size) < Fraction(2, 2**40)


def test_three_classes_step_from_the_highest_rival_with_twice_the_norm():
    task = Task(
        ((frozenset([1, 2]), 2, 1.0), (frozenset([1, 2]), 1, 1.0)), rule=oracle.Rule("pa1", "input", 9.0), outputs=3
    )
    assert log_of(task.learned()) == [
        (frozenset([1, 2]), 2, 0, 1 / 4, 0),  # all tied: the first rival
        (frozenset([1, 2]), 1, 2, (1 + 9 / 4) / 4, 1),
    ]


# --- starting from a machine ------------------------------------------------------------------------------------------


@given(integer_tasks(), engines, st.data())
def test_a_machine_to_start_from_is_a_log_of_before(task, engine, data):
    rows = data.draw(st.lists(st.frozensets(st.integers(0, 15), max_size=6), max_size=5, unique=True))
    unit = 2.0**-task.rule.exponent
    sizes = data.draw(st.lists(st.integers(-50, 50), min_size=len(rows), max_size=len(rows)))
    before = [
        (row, *((0, oracle.NOBODY) if size > 0 else (oracle.NOBODY, 0)), abs(size), 0)
        for row, size in zip(rows, sizes, strict=True)
        if size
    ]
    coef = np.zeros((len(rows), task.outputs))
    coef[:, 0] = np.array(sizes) * unit if rows else 0
    trainer = task.trainer(engine)
    trainer.start_from(*arrays(rows), coef.ravel())
    teach(trainer, task.examples, task.passes, task.seed, threads=engine.threads)
    expected, _ = oracle.learn(task.examples, task.order, task.kernel, task.rule, task.outputs, before)
    assert log_of(trainer) == expected


# --- the odd and the large --------------------------------------------------------------------------------------------

ODD = {
    "nothing": (),
    "empty rows": ((frozenset(), 1, 1.0), (frozenset(), 0, 1.0), (frozenset([3]), 1, 1.0), (frozenset(), 0, 1.0)),
    "one class": tuple((frozenset([n, n + 1]), 1, 1.0) for n in range(5)),
    "weights of zero": tuple((frozenset([n % 3]), n % 2, 0.0) for n in range(5)),
    "one feature": tuple((frozenset([0]), n % 2, 1.0) for n in range(7)),
    "long rows": tuple((frozenset(range(n, 100 + 3 * n)), n % 2, 1.0) for n in range(8)),
    "large ids": tuple((frozenset([2**31 - 2, 2**31 - 2 - n, 2**22 + n, n]), n % 2, 1.0) for n in range(1, 9)),
    "duplicates": tuple((frozenset([1, 2]), n % 2, 1.0) for n in range(9)),
}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("coef0", [0, 1])
@pytest.mark.parametrize(
    "drawn",
    [pytest.param(drawn, id=name, marks=[pytest.mark.slow] * (name == "long rows")) for name, drawn in ODD.items()],
)
def test_odd_data(drawn, coef0, norm):
    task = Task(drawn, 3, 1, coef0, oracle.Rule("pa1", norm, 0.5, 30), passes=2)
    for one in (task, replace(task, outputs=3)):
        expected, _ = one.reference()
        for engine in ENGINES:
            assert log_of(one.learned(engine)) == expected


def test_rows_far_longer_than_those_before():
    rows = [frozenset([1]), frozenset(range(300)), frozenset([1, 2]), frozenset(range(100, 900)), frozenset([2])]
    drawn = tuple((row, n % 2, 1.0) for n, row in enumerate(rows))
    for degree in (1, 2, 3, 5):
        task = Task(drawn, degree, 1, 1, oracle.Rule("pa1", "input", 1.0, 20), passes=2)
        expected, _ = task.reference()
        for engine in (KERNEL, PUSHED, *THREADED, Engine(expanded=5, choose=True, reuse=True, terminate=True)):
            assert log_of(task.learned(engine)) == expected


def test_fewer_features_are_expanded_when_memory_is_short():
    rng = np.random.default_rng(2)
    drawn = tuple((frozenset(rng.choice(200, 12, replace=False).tolist()), n % 2, 1.0) for n in range(60))
    task = Task(drawn, 3, 1, 1)
    free, tight = task.learned(Engine()), task.learned(Engine(), max_bytes=50_000)
    assert tight.nbytes < free.nbytes / 2
    assert log_of(tight) == log_of(free)


def test_an_interrupted_call_keeps_what_it_has_learned():
    rng = np.random.default_rng(3)
    drawn = tuple((frozenset(rng.choice(500, 30, replace=False).tolist()), n % 2, 1.0) for n in range(3000))
    task = Task(drawn, 2, 1, 1)

    def stop(done, total):
        assert total == 3_000_000
        raise KeyboardInterrupt

    for engine in (KERNEL, PUSHED, *THREADED, Engine(expanded=ALL, choose=True)):
        trainer = task.trainer(engine)
        with pytest.raises(KeyboardInterrupt):
            teach(trainer, drawn, 1000, progress=stop, threads=engine.threads)
        seen = int(trainer.stats()["examples"])
        assert 0 < seen < 3_000_000
        assert trainer.visited == seen
        again = task.trainer(KERNEL)
        teach(again, (drawn * 1000)[:seen])
        assert log_of(trainer) == log_of(again)


@given(integer_tasks(), engines, st.data())
def test_a_call_goes_on_where_it_was_stopped(task, engine, data):
    visits = len(task.order)
    visited = data.draw(st.integers(0, visits))
    log, _ = oracle.learn(task.examples, task.order[:visited], task.kernel, task.rule, task.outputs)
    first = task.trainer(engine)
    teach(first, [task.examples[number] for number in task.order[:visited]], threads=engine.threads)
    assert log_of(first) == log
    again = task.trainer(engine)
    again.restore(*first.state())
    teach(again, task.examples, task.passes, task.seed, visited=visited, threads=engine.threads)
    assert again.visited == visits
    assert log_of(again) == task.reference()[0]
    whole = task.learned(engine)
    for averaged in (False, True):
        assert coefficients_of(again, task.outputs, averaged) == coefficients_of(whole, task.outputs, averaged)


@given(integer_tasks(), engines, st.data())
def test_a_budget_goes_on_where_it_was_stopped(task, engine, data):
    """Equal examples share a support row, whichever call they come with."""
    visited = data.draw(st.integers(0, len(task.order)))
    budget = data.draw(st.integers(1, 5))
    whole, first, again = (task.trainer(engine, budget=budget) for _ in range(3))
    teach(whole, task.examples, task.passes, task.seed, threads=engine.threads)
    teach(first, [task.examples[number] for number in task.order[:visited]], threads=engine.threads)
    again.restore(*first.state())
    teach(again, task.examples, task.passes, task.seed, visited=visited, threads=engine.threads)
    assert log_of(again) == log_of(whole)


@given(integer_tasks(), engines)
def test_support_rows_are_different_and_count(task, engine):
    for averaged in (False, True):
        offsets, ids, coef = task.learned(engine).support(averaged)
        rows = [tuple(ids[a:b].tolist()) for a, b in pairwise(offsets)]
        assert len(set(rows)) == len(rows)
        assert all(list(row) == sorted(row) for row in rows)
        assert coef.reshape(-1, task.outputs).any(axis=1).all()


def test_an_engine_that_does_not_exist_is_refused():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        Task(()).trainer(replace(KERNEL, kind=3))


def test_a_state_with_too_few_numbers_is_refused():
    trainer = Task(()).trainer()
    *state, numbers = trainer.state()
    with pytest.raises(ValueError, match="five"):
        trainer.restore(*state, numbers[:4])
