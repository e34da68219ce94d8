"""Labels decided early are those of the definition, and what was saved is counted right."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.machines.schemes import Scheme
from gristmill.scoring.deciding import class_numbers, early_stop_stats
from tests.data.strategies import cancelling, classifiers

EXACT = [
    ("inverted", {}),
    ("expanded", {}),
    ("split", {"rare": 0}),
    ("split", {"rare": 2}),
    ("split", {"rare": 1.0}),
    ("auto", {}),
]
exact_engines = pytest.mark.parametrize(("engine", "options"), EXACT, ids=str)
any_row = st.frozensets(st.integers(0, 14), max_size=15)  # three features nobody knows


def assert_same_labels(machine, engine, options, x):
    scorer, wanted = machine.compile(engine, **options), class_numbers(machine.compile("direct"), x)
    np.testing.assert_array_equal(class_numbers(scorer, x), wanted)
    np.testing.assert_array_equal(scorer.predict(x), machine.classes[wanted])
    return scorer


@exact_engines
@given(machine=st.one_of(classifiers(), classifiers(longest=2)), x=st.lists(any_row, max_size=12))
def test_labels_are_those_of_the_definition_for_rows_of_any_length(engine, options, machine, x):
    """Also rows longer than every support row."""
    assert_same_labels(machine, engine, options, x)


@exact_engines
@given(machine=cancelling(), x=st.lists(any_row, max_size=6))
def test_labels_are_those_of_the_definition_where_scores_are_exactly_zero(engine, options, machine, x):
    assert_same_labels(machine, engine, options, x)


@exact_engines
@pytest.mark.parametrize("length", [30, 200])
@pytest.mark.parametrize("gamma", [0.1, 0.3, 0.7])
@pytest.mark.parametrize("terms", [(0.2, 0.7), (0.1, 0.2), (1.1, 1.3)], ids=str)
def test_doubt_survives_a_feature_that_could_have_added_a_lot(engine, options, length, gamma, terms):
    """The last of many features could weigh a thousand million times the score and adds nothing; one more is left."""
    last = 9 + length
    long_row = set(range(10, last + 1))
    machine = gm.Machine(
        gm.PolynomialKernel(3, gamma, 0.6),
        [{0, 1}, {0, 1}, {0, 1}, long_row, long_row, {5000}],
        [*terms, -sum(terms), 1.0, -1.0, 0.0],
        0.0,
        classes=["no", "yes"],
    )
    assert_same_labels(machine, engine, options, [{0, 1, last, 5000}, {0, last, 5000}, {0, 1}])


@exact_engines
@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e290])
def test_labels_are_those_of_the_definition_for_weights_beyond_single_precision(engine, options, scale):
    """Reaches are kept in single precision: the largest become infinite, the smallest vanish."""
    rng = np.random.default_rng(8)
    support = gm.ids(np.unique(rng.zipf(1.5, 6) % 30) for _ in range(60))
    machine = gm.Machine(gm.PolynomialKernel(3, 0.7, 0.1), support, scale * rng.normal(size=60), 0.0, classes=[0, 1])
    assert_same_labels(machine, engine, options, gm.ids(np.unique(rng.zipf(1.5, 5) % 32) for _ in range(200)))


# --- few outputs, few classes -----------------------------------------------------------------------------------------

CLASSES_AND_OUTPUTS = [
    ("binary", 2, 1),
    ("one-class", 2, 1),
    ("ovo", 2, 1),
    ("ovr", 1, 1),
    ("ovr", 2, 2),
    ("ovo", 3, 3),
    ("ovr", 3, 3),
    ("ovo", 1, 0),
]


@exact_engines
@pytest.mark.parametrize(("scheme", "n_classes", "outputs"), CLASSES_AND_OUTPUTS)
@pytest.mark.parametrize("zero_class", [0, 1])
def test_any_number_of_classes(engine, options, scheme, n_classes, outputs, zero_class):
    rng = np.random.default_rng(1)
    support = [set(rng.integers(0, 12, 4).tolist()) for _ in range(20)]
    coef = rng.integers(-3, 4, (20, outputs)) / 2
    machine = gm.Machine(
        gm.PolynomialKernel(2), support, coef, np.zeros(outputs), list("abc")[:n_classes], scheme, zero_class=zero_class
    )
    others = [set(rng.integers(0, 14, 8).tolist()) for _ in range(60)]
    assert_same_labels(machine, engine, options, [set(), {40}, *support, *others])


@exact_engines
@pytest.mark.parametrize("coef", [0.0, 1e-320, 1.0])
def test_a_machine_of_one_feature(engine, options, coef):
    machine = gm.Machine(gm.PolynomialKernel(3, 1.0, 0.0), [{4}] * 3, [coef] * 3, -coef, classes=[0, 1])
    assert_same_labels(machine, engine, options, [set(), {4}, {3}, {3, 4, 5}] * 20)


# --- a skewed machine with blocks, combs and rare features ------------------------------------------------------------

SUPPORT, FEATURES = 1500, 2500


def skewed(rng, rows, length):
    return [frozenset((rng.zipf(1.35, length) % FEATURES).tolist()) for _ in range(rows)]


@pytest.fixture(
    scope="module", params=[(2, "binary", 2), (3, "binary", 2), (2, "ovo", 5), (3, "ovr", 4), (4, "ovo", 3)], ids=str
)
def task(request):
    """A machine and rows like its own, longer ones, repeated ones, and ones with features nobody knows."""
    degree, scheme, n_classes = request.param
    rng = np.random.default_rng(9)
    outputs = Scheme.parse(scheme).outputs(n_classes)
    kernel = gm.PolynomialKernel(degree, 0.3, 1.1)
    support = skewed(rng, SUPPORT, 12)
    machine = gm.Machine(
        kernel, support, rng.normal(size=(SUPPORT, outputs)), np.zeros(outputs), list("abcde")[:n_classes], scheme
    )
    x = [*skewed(rng, 700, 12), *skewed(rng, 30, 80), *support[:50] * 4, {FEATURES + 7}, set()]
    return machine, x, class_numbers(machine.compile("direct"), x)


@exact_engines
def test_labels_of_a_skewed_machine_are_those_of_the_definition(engine, options, task):
    machine, x, wanted = task
    np.testing.assert_array_equal(class_numbers(machine.compile(engine, **options), x), wanted)


def test_labels_of_a_skewed_machine_mined_and_certified_are_those_of_the_definition(task):
    machine, x, wanted = task
    for sigma, xi in [(0.01, 1), (1.0, 2), (0, 3), (1e9, 1)]:
        np.testing.assert_array_equal(
            class_numbers(machine.compile("expanded", sigma=sigma, xi=xi, certified=True), x), wanted
        )


@pytest.mark.parametrize(("engine", "options"), EXACT[1:-1], ids=str)
def test_effort_counts_each_row_and_feature_once(engine, options, task):
    machine, x, _ = task
    distinct = list(set(x[:700]))
    scorer = machine.compile(engine, **options)
    effort = early_stop_stats(scorer, distinct)
    known = set(machine.support.ids.tolist())
    assert effort.rows == len(distinct)
    assert effort.features == sum(len(known & row) for row in distinct)
    assert effort.stopped <= effort.rows
    assert effort.stopped <= effort.skipped <= effort.features


@pytest.mark.parametrize(("engine", "options"), EXACT[1:-1], ids=str)
def test_labels_and_effort_do_not_depend_on_threads(engine, options, task):
    machine, x, wanted = task
    scorer = machine.compile(engine, **options)
    for n_jobs in (2, 3, -1):
        np.testing.assert_array_equal(class_numbers(scorer, x, n_jobs), wanted)
        assert astuple(early_stop_stats(scorer, x, n_jobs)) == astuple(early_stop_stats(scorer, x))


def test_most_labels_are_decided_early_where_scores_are_clear():
    rng = np.random.default_rng(10)
    support = skewed(rng, SUPPORT, 12)
    machine = gm.Machine(gm.PolynomialKernel(2), support, rng.normal(size=SUPPORT) + 3, 50.0, classes=["no", "yes"])
    x = skewed(rng, 400, 10)
    scorer = machine.compile("split", rare=5)
    effort = early_stop_stats(scorer, x)
    assert set(scorer.predict(x)) == {"yes"}
    assert effort.stopped > effort.rows / 2
    assert "rows decided early" in str(effort)
