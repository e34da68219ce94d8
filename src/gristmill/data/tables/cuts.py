"""Cuts between bins of numbers: short decimals in the gaps between values, so that the names of bins are readable.

A bin is `lower < x <= upper`. A cut between fractions is no value of training, so nobody needs to know
which bin it belongs to itself, and rounding to float32 changes no bin.
"""

from __future__ import annotations

import math
from itertools import chain, pairwise
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices, Int64s

LARGEST = float(np.finfo(np.float64).max)
_SMALLEST = 1e-290  # so that no step of ten is lost
_NEAR, _FAR = 1 / 16, 15 / 16  # of a gap between two values, its ends are kept free
_MASS_FRACTION = 8  # a bin may lose one part in eight of its mass at each end for a shorter name


def are_whole(values: Floats) -> bool:
    """Whether the finite ones are whole numbers that float64 tells apart from their neighbours."""
    finite = values[np.isfinite(values)]
    return bool((np.abs(finite) < 1e15).all() and (finite == np.rint(finite)).all())


def cuts_between(values: Floats, starts: Indices, whole: bool) -> Floats:
    """The upper ends of all bins but the last, whose first values are `starts` of `values`."""
    sizes = np.diff([*starts, len(values)])
    single = (sizes == 1).tolist()
    return np.array(
        [
            _cut(float(values[start - 1]), float(values[start]), whole, *sides)
            for start, sides in zip(starts[1:], pairwise(single), strict=True)
        ]
    )


def _cut(below: float, above: float, whole: bool, below_alone: bool, above_alone: bool) -> float:
    """A number from `below` on, less than `above`."""
    if math.isinf(below) or math.isinf(above):
        return _beside_infinity(below, above)
    if whole and below_alone != above_alone:  # a bin of one whole number holds nothing else
        return below if below_alone else above - 1
    low, high = _room(below, above, whole)
    middle = math.floor(0.5 * (low + high)) if whole else 0.5 * low + 0.5 * high
    found = short_decimal(middle, low, high)
    return found if below <= found < above else below  # where rounding leaves no room


def _room(below: Any, above: Any, whole: bool) -> tuple[Any, Any]:
    """Where a cut between two values may be: at whole numbers, or away from both values."""
    return (below, above - 1) if whole else (_FAR * below + _NEAR * above, _NEAR * below + _FAR * above)


def _beside_infinity(below: float, above: float) -> float:
    """Bins of infinity hold nothing else; numbers between the two infinities go by their sign."""
    if math.isinf(below):
        return 0.0 if math.isinf(above) else below
    return LARGEST


def short_decimal(middle: float, low: float, high: float) -> float:
    """0, or the number nearest to `middle` of the fewest decimal digits with which it is from `low` to `high`.

    Examples
    --------
    >>> from gristmill.data.tables.cuts import short_decimal
    >>> short_decimal(0.28, 0.2613, 0.2987), short_decimal(114999, 110013, 119986)
    (0.28, 115000.0)
    """
    rounded = chain([0.0], (float(f"{middle:.{digits}e}") for digits in range(17)))
    return next((found for found in rounded if low <= found <= high), middle)


def at_round_gaps(values: Floats, counts: Int64s, starts: Indices, whole: bool) -> Indices:
    """The starts, moved a little to where the gap between two values holds the shortest decimal."""
    cumulative = np.concatenate([[0], np.cumsum(counts)])
    ends = [*starts.tolist(), len(values)]
    moved = [ends[0]]
    for before, start, after in zip(ends, ends[1:], ends[2:], strict=False):
        alone = start - before == 1 or after - start == 1
        moved.append(start if alone else _roundest(values, _window(cumulative, before, start, after), start, whole))
    return np.array(moved, dtype=np.intp)


def _window(cumulative: Int64s, before: int, start: int, after: int) -> Indices:
    """Starts that move at most an eighth of the lighter of the two bins."""
    lighter = min(cumulative[start] - cumulative[before], cumulative[after] - cumulative[start])
    first = np.searchsorted(cumulative, cumulative[start] - lighter // _MASS_FRACTION)
    last = np.searchsorted(cumulative, cumulative[start] + lighter // _MASS_FRACTION, side="right")
    return np.arange(max(first, before + 1), min(last, after))


def _roundest(values: Floats, window: Indices, start: int, whole: bool) -> int:
    """The start of the window, the nearest to `start`, before which the coarsest step of ten has a multiple."""
    below, above = values[window - 1], values[window]
    if len(window) == 1 or math.isinf(below[0]) or math.isinf(above[-1]):
        return start
    low, high = _room(below, above, whole)
    exponent = math.ceil(math.log10(max(abs(high[-1]), abs(low[0]), _SMALLEST)))
    for step in 10.0 ** np.arange(min(exponent, 308), exponent - 18, -1):
        rounded = np.rint((0.5 * low + 0.5 * high) / step) * step
        round_ones = window[(low <= rounded) & (rounded <= high)]
        if len(round_ones):
            return int(round_ones[np.argmin(np.abs(round_ones - start))])
    return start
