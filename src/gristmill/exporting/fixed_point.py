"""Weights as whole numbers: a scale, and how far a sum of them may lie from the definition's score.

    score(x) = 2^-exponent * (sum of whole numbers)

Weights are rounded to multiples of the unit 2^-exponent. Their sum is exact in 64-bit integers, and in doubles as long
as it stays below 2^53: so it is the same on every platform, whatever the order. Each weight is off by half a unit at
most. The definition adds up doubles and is off by its own rounding: `Doubt` bounds both.

Where coefficients and kernel values are multiples of one unit and sums need no more than 53 bits, nothing is rounded at
all, neither here nor by the definition: the scale is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Floats, Int64s
from gristmill.exporting.levels import Level, all_weights
from gristmill.kernels import ConjunctionKernel
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import EPSILON, VANISHING

BITS = (16, 32, 53)  # of a weight, with its sign
_SUM_BITS = 52  # of a sum: a double holds it, and so does the difference of two
_LARGEST_EXPONENT = 900  # 2^-900 is far from the smallest double
_SMALLEST_EXPONENT = -1000  # 2^1000 is not yet the largest


@dataclass(frozen=True)
class Doubt:
    """How far a score may be off, in units: of a row that has h conjunctions, by constant + linear h + square h^2."""

    constant: float
    linear: float
    square: float

    def of(self, found: int) -> float:
        """For so many conjunctions."""
        return self.constant + self.linear * found + self.square * found * found


@dataclass(frozen=True)
class Scale:
    """The unit is 2^-exponent. Without doubt every score is the definition's."""

    exponent: int
    doubt: Doubt | None

    def whole(self, values: Floats) -> Int64s:
        """Values in units, rounded."""
        return np.rint(np.ldexp(values, self.exponent)).astype(np.int64)


def scale_of(machine: Machine, base: Floats, levels: list[Level], bits: int) -> Scale:
    """The exact one where there is one, else the finest of so many bits."""
    exact = _exact_exponent(machine)
    if exact is not None and exact <= _room(base, levels, max(BITS)):
        return Scale(exact, None)
    exponent = _room(base, levels, bits)
    return Scale(exponent, _doubt(machine, levels, exponent))


def _room(base: Floats, levels: list[Level], bits: int) -> int:
    """The largest exponent at which weights have so many bits and sums do not grow out of a double."""
    weights = all_weights(levels)
    largest = float(np.abs(weights).max(initial=0.0))
    totals = np.abs(base) + sum(np.asarray(abs(level.weights).sum(axis=0)).ravel() for level in levels)
    total, terms = float(totals.max(initial=0.0)), len(weights) + 1
    fine = min(_spare(largest, bits - 1), _spare(total, _SUM_BITS - 1))
    if terms > 2 ** (_SUM_BITS - 1):
        raise ValueError(f"{terms} weights are too many")
    return max(_SMALLEST_EXPONENT, min(fine, _LARGEST_EXPONENT))


def _spare(value: float, bits: int) -> int:
    """The largest e with value * 2^e <= 2^bits - 1, about."""
    return bits - 1 - math.frexp(value)[1] if value > 0 else _LARGEST_EXPONENT


# --- exactly ----------------------------------------------------------------------------------------------------------


def _exact_exponent(machine: Machine) -> int | None:
    """The unit of all that the definition adds up, if its sums need no rounding; else None."""
    kernel = _kernel_values(machine)
    if kernel is None:
        return None
    coef = machine.dense_coef() if isinstance(machine.coef, np.ndarray) else machine.coef.data
    terms = _finest(coef) + _finest(kernel)
    exponent = max(terms, _finest(machine.intercept), 0)
    total = np.abs(machine.intercept) + np.abs(kernel).max(initial=0.0) * _totals(machine)
    fits = exponent <= _LARGEST_EXPONENT and _spare(float(total.max(initial=0.0)), _SUM_BITS) >= exponent
    return exponent if fits else None


def _kernel_values(machine: Machine) -> Floats | None:
    """What a coefficient may be multiplied by, if the kernel is computed without rounding."""
    if isinstance(machine.kernel, ConjunctionKernel):
        return np.ones(1)
    kernel, longest = machine.polynomial, int(machine.rows.lengths.max(initial=0))
    gamma, coef0 = Fraction(kernel.gamma), Fraction(kernel.coef0)
    exact = [(gamma * m + coef0) ** kernel.degree for m in range(longest + 1)]
    values, weights = kernel.values(longest), kernel.subset_weights()[: longest + 1]
    differences = [_difference(exact, size) for size in range(len(weights))]
    found = np.concatenate([values, weights])
    return found if list(map(Fraction, found.tolist())) == exact + differences else None


def _difference(values: list[Fraction], order: int) -> Fraction:
    """At 0: what a conjunction of so many features weighs (docs/formulas.md A3)."""
    terms = ((-1) ** (order - m) * math.comb(order, m) * values[m] for m in range(order + 1))
    return sum(terms, Fraction(0))


def _finest(values: Floats) -> int:
    """The smallest e for which all values are multiples of 2^-e."""
    mantissas, exponents = np.frexp(values[values != 0])
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    lowest = whole & -whole  # a power of two
    return int((53 - exponents - np.log2(lowest.astype(np.float64)).astype(np.int64)).max(initial=-(10**6)))


# --- within bounds ----------------------------------------------------------------------------------------------------


def _totals(machine: Machine) -> Floats:
    """The sum of ``|a_i|`` of each output."""
    return np.asarray(abs(machine.coef).sum(axis=0), dtype=np.float64).ravel()


def _doubt(machine: Machine, levels: list[Level], exponent: int) -> Doubt:
    """Half a unit for each weight and the base, and the rounding of doubles; docs/design/exporting.md has the proof."""
    of_doubles = _conjunction_doubt if isinstance(machine.kernel, ConjunctionKernel) else _polynomial_doubt
    constant, linear, square = (math.ldexp(part, exponent) for part in of_doubles(machine))
    slack = 1 + 2.0**-20  # of evaluating the bound itself
    return Doubt(slack * (constant + 0.5), slack * (linear + 0.5), slack * square)


def _polynomial_doubt(machine: Machine) -> tuple[float, float, float]:
    """As for the engine `expanded`: weights are sums over support rows."""
    longest = int(machine.rows.lengths.max(initial=0))
    kernel = float(machine.polynomial.largest(np.array([longest]), longest)[0])
    scale = 4 * (2 * machine.n_support + 16) * EPSILON
    return scale * float((np.abs(machine.intercept) + kernel * _totals(machine)).max() + VANISHING), 0.0, 0.0


def _conjunction_doubt(machine: Machine) -> tuple[float, float, float]:
    """4 (2 n + 16) eps (|b| + n A), n the conjunctions that hold, none of which weighs more than A."""
    rows, coef = machine.rows, abs(machine.coef)
    always = np.flatnonzero(rows.lengths == 0)
    begin = float((np.abs(machine.intercept) + np.asarray(coef[always].sum(axis=0)).ravel()).max()) + VANISHING
    largest = float(coef.max()) if machine.n_support else 0.0
    equal = max(_most_equal(machine), 1)
    first, each = 2 * len(always) + 16, 2 * equal
    scale = 4 * EPSILON
    return scale * first * begin, scale * (each * begin + first * equal * largest), scale * each * equal * largest


def _most_equal(machine: Machine) -> int:
    """How often a conjunction comes, at most."""
    return int(max(_core.most_equal(machine.rows.offsets, machine.rows.ids), default=1))
