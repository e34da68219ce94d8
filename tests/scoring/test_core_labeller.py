"""Classes that the core decides row by row are those of `Scorer.decide`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.data.rows import as_rows
from gristmill.machines.schemes import Scheme
from gristmill.scoring.deciding import class_numbers, labeller
from tests.data.strategies import cancelling, classifiers

EXACT = [
    ("direct", {}),
    ("inverted", {}),
    ("expanded", {}),
    ("split", {"rare": 0}),
    ("split", {"rare": 2}),
    ("split", {"rare": 1.0}),
    ("auto", {}),
]
LEFT_OUT = [{"sigma": 0.5}, {"sigma": 2.0, "xi": 2}, {"xi": 3}, {"sigma": 1e9}]
any_rows = st.lists(st.frozensets(st.integers(0, 14), max_size=15), max_size=12)


def decided(scorer, x):
    rows = as_rows(x)
    return labeller(scorer).decide(rows.offsets, rows.ids).tolist()


def assert_defined(machine, x, engines=EXACT):
    """Each engine decides as the definition does."""
    wanted = class_numbers(machine.compile("direct"), x).tolist()
    for engine, options in engines:
        scorer = machine.compile(engine, **options)
        assert decided(scorer, x) == class_numbers(scorer, x).tolist() == wanted, engine


@given(st.one_of(classifiers(), classifiers(longest=2)), any_rows)
def test_classes_are_those_of_the_scorer_with_any_engine(machine, x):
    assert_defined(machine, x)


@given(classifiers(), any_rows, st.sampled_from(LEFT_OUT))
def test_classes_of_an_approximation_are_its_own(machine, x, options):
    scorer = machine.compile("expanded", **options)
    assert decided(scorer, x) == class_numbers(scorer, x).tolist()


@given(classifiers(), any_rows, st.sampled_from(LEFT_OUT))
def test_classes_of_a_certified_approximation_are_those_of_the_definition(machine, x, options):
    assert_defined(machine, x, [("expanded", {"certified": True, **options})])


@given(cancelling(left=(0.0, 0.1)), any_rows)
def test_ties_and_zeros_are_settled_as_in_the_definition(machine, x):
    assert_defined(machine, x)


@pytest.mark.parametrize(("scheme", "n_classes"), [("binary", 2), ("ovo", 3), ("ovr", 3)])
def test_rows_may_be_longer_than_the_core_has_bounds_for(scheme, n_classes):
    rng = np.random.default_rng(7)
    outputs = Scheme.parse(scheme).outputs(n_classes)
    support = gm.ids(np.unique(rng.integers(0, 1500, n)) for n in [*[5] * 30, 300, 400])
    coef = rng.integers(-2, 3, (len(support), outputs)) / 10
    machine = gm.Machine(gm.PolynomialKernel(2), support, coef, np.zeros(outputs), list("abc")[:n_classes], scheme)
    x = [set(rng.permutation(1500)[:n].tolist()) for n in [0, 1, 1000, 1023, 1024, 1025, 1026, 1500]]
    assert_defined(machine, x)
    assert_defined(machine, x[3:5])
    for row in x[3:]:
        assert_defined(machine, [row], [("inverted", {}), ("split", {"rare": 2})])


@pytest.mark.parametrize("coef", [[1.0, 0.9, -1.0], [-1.0, -0.5, 0.0], [0.9, 1.0, 0.0]], ids=str)
@pytest.mark.parametrize("length", [300, 500, 1020, 1500])
def test_a_row_may_have_very_many_weights_of_one_sign(coef, length):
    """Sums of small whole numbers that stand for weights must not overflow."""
    row, half = set(range(length)), set(range(length // 2))
    machine = gm.Machine(gm.PolynomialKernel(2), [row], [coef], np.zeros(3), list("abc"), "ovr")
    assert_defined(machine, [row, half], [("expanded", {}), ("split", {"rare": 0})])


@pytest.mark.parametrize("scale", [1e-300, 1e30, 1e290])
def test_weights_may_be_beyond_single_precision(scale):
    rng = np.random.default_rng(8)
    support = gm.ids(np.unique(rng.zipf(1.5, 6) % 30) for _ in range(60))
    machine = gm.Machine(gm.PolynomialKernel(3, 0.7, 0.1), support, scale * rng.normal(size=60), 0.0, classes=[0, 1])
    assert_defined(machine, gm.ids(np.unique(rng.zipf(1.5, 5) % 32) for _ in range(200)))


@pytest.mark.parametrize(("scheme", "n_classes", "outputs"), [("ovr", 1, 1), ("ovo", 1, 0), ("ovo", 5, 10)])
@pytest.mark.parametrize("zero_class", [0, 1])
def test_any_number_of_classes(scheme, n_classes, outputs, zero_class):
    rng = np.random.default_rng(1)
    support = [set(rng.integers(0, 12, 4).tolist()) for _ in range(20)]
    coef, classes = rng.integers(-1, 2, (20, outputs)), list("abcde")[:n_classes]
    machine = gm.Machine(
        gm.PolynomialKernel(2), support, coef, np.zeros(outputs), classes, scheme, zero_class=zero_class
    )
    others = [set(rng.integers(0, 14, 8).tolist()) for _ in range(60)]
    assert_defined(machine, [set(), {40}, *support, *others])


def test_machines_without_classes_and_with_real_values_have_no_labeller():
    kernel = gm.PolynomialKernel(2)
    for machine in (
        gm.Machine(kernel, [{0}], [1.0], 0.0),
        gm.Machine(kernel, np.array([[0.5, 2.0]]), [1.0], 0.0, classes=["no", "yes"]),
    ):
        with pytest.raises(ValueError, match="binary rows that classify"):
            labeller(machine.compile("direct"))
