"""However a stream is cut, the same model is learned, to the last bit."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gristmill as gm
from gristmill.solvers.online import OnlineSettings
from tests.oracle import online as oracle
from tests.properties import share

WIDTH = 140
RNG = np.random.default_rng(29)
# Rows of 0 to 140 features: beyond 64 and 128 steps are rounded more finely.
SHARES = RNG.permutation(np.repeat([0.0, 0.02, 0.1, 0.3, 0.6, 1.0], 8))
X = (RNG.random((len(SHARES), WIDTH)) < SHARES[:, None]).astype(float)
Y2 = (X[:, :40].sum(axis=1) + RNG.normal(size=len(X)) > 8).astype(int)
Y3 = np.where(X[:, 50], Y2, 2)


def bits(clf: Any) -> tuple[bytes, ...]:
    machine = clf.machine_
    parts = (machine.support.offsets, machine.support.ids, machine.dense_coef(), clf.stats_.mean_loss)
    return tuple(np.asarray(part).tobytes() for part in parts)


def cut(y: NDArray[Any], places: list[int], options: dict[str, Any]) -> Any:
    clf = gm.OnlineKernelClassifier(**options)
    ends = sorted({0, len(X), *places})
    for begin, end in itertools.pairwise(ends):
        clf.partial_fit(X[begin:end], y[begin:end], classes=np.unique(y))
    return clf


SETTINGS = [
    {"degree": 2, "C": 0.01},
    {"degree": 3, "C": 1.0, "norm": "kernel", "engine": "inverted"},
    {"degree": 4, "C": 0.3, "norm": "kernel", "averaged": False, "engine": "inverted"},
    {"degree": 2, "C": 3.0, "budget": 20},
    {"degree": 2, "update": "perceptron", "rank_by": "appearance"},
    {"degree": 1, "C": 0.1, "class_weight": {0: 0.5, 1: 1.0, 2: 2.0}, "engine": "reslice"},
    {"degree": 2, "C": 1.0, "update": "pa2", "norm": "kernel", "arithmetic": "integer"},
    {"degree": 2, "update": "pa", "norm": "kernel", "arithmetic": "integer", "engine": "push"},
]


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@given(y=st.sampled_from([Y2, Y3]), places=st.lists(st.integers(1, len(X) - 1), max_size=6))
@share(0.12)
def test_every_way_to_cut_a_stream_gives_the_same_model(
    options: dict[str, Any], y: NDArray[Any], places: list[int]
) -> None:
    whole = gm.OnlineKernelClassifier(epochs=1, **options).fit(X, y)
    assert bits(cut(y, places, options)) == bits(whole)


def test_a_first_part_of_short_rows_fixes_nothing() -> None:
    short = np.argsort(X.sum(axis=1), kind="stable")  # the unit becomes finer on the way
    rows, y = X[short], Y2[short]
    whole = gm.OnlineKernelClassifier(epochs=1, C=0.01, degree=2).fit(rows, y)
    parts = gm.OnlineKernelClassifier(C=0.01, degree=2)
    units = []
    for begin in range(0, len(rows), 7):
        parts.partial_fit(rows[begin : begin + 7], y[begin : begin + 7], classes=[0, 1])
        units.append(parts._learner.exponent)
    assert units[0] == 20 + 7  # C = 0.01
    assert units[-1] == 20 + 8
    assert bits(parts) == bits(whole)


def test_a_machine_to_start_from_is_rounded_by_its_own_rows() -> None:
    init = gm.OnlineKernelClassifier(epochs=1, C=0.01, degree=2).fit(X[:30], Y2[:30]).machine_
    options = {"init": init, "C": 0.01, "degree": 2}
    assert bits(cut(Y2, [10, 40], options)) == bits(gm.OnlineKernelClassifier(epochs=1, **options).fit(X, Y2))


@pytest.mark.parametrize("options", [{"C": 0.3}, {"C": 1e-3, "norm": "kernel", "degree": 2}], ids=str)
def test_steps_are_rounded_by_the_definition(options: dict[str, Any]) -> None:
    """The twin counts in one fine unit and rounds each step up by the length of its row."""
    clf = gm.OnlineKernelClassifier(**{"degree": 2, "averaged": False, "epochs": 1} | options).fit(X, Y2)
    table = clf._settings().exponents(options["C"], 1)
    assert table is not None

    class Rounding(oracle.Rule):
        length = 0

        def step(self, margin: Any, norm: Any, weight: float) -> Any:
            grain = 2 ** (self.exponent - table[max(Rounding.length - 1, 0).bit_length()])  # type: ignore[operator]
            return grain * ceil(Fraction(super().step(margin, norm, weight), grain))

    def kernel(overlap: int) -> int:
        return (overlap + 1) ** 2

    rule = Rounding("pa1", options.get("norm", "input"), options["C"], 60)
    log: list[Any] = []
    for time, (row, label) in enumerate(zip(X, Y2, strict=True)):
        features = frozenset(np.flatnonzero(row).tolist())
        Rounding.length = len(features)
        log, _ = oracle.learn([(features, int(label), 1.0)], [0], kernel, rule, 1, log, time)
    expected = {row: float(a) for (row, _), a in oracle.coefficients(log, rule).items() if a}
    machine = clf.machine_
    rows = np.split(machine.support.ids, machine.support.offsets[1:-1])
    found = {frozenset(row.tolist()): a for row, a in zip(rows, machine.dense_coef()[:, 0], strict=True)}
    assert found == expected


def test_settings_alone_choose_the_arithmetic() -> None:
    def exponents(**options: Any) -> list[int] | None:
        degree = options.pop("degree", 2)
        return OnlineSettings(gm.PolynomialKernel(degree), **options).exponents(1.0, 1)

    assert exponents(norm="kernel", degree=4) is not None
    assert max(exponents(norm="kernel", degree=4) or []) == 60
    assert exponents(norm="kernel", degree=5) is None
    assert max(exponents(norm="kernel", degree=5, arithmetic="integer") or []) > 60
    assert exponents(update="pa") is None
    assert exponents(update="perceptron") == [20]
