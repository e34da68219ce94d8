"""Rounds of successive halving: sample sizes, and the settings that go on to the next round."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.base.checks import check_positive_int

_FIRST = 600  # examples; see docs/tuning.md for how rankings agree from there on
_CUTTING_PLANES = (250, 1000)  # sample sizes that the paper finds enough for C and for kernels


@dataclass(frozen=True)
class Round:
    """One sample size; the last round uses all examples and is exact."""

    number: int
    sample_size: int
    is_exact: bool


def make_rounds(search: str, given: Any, n_examples: int, smallest: int, factor: float) -> list[Round]:
    """The rounds of a search; a sample of `smallest` examples holds all classes."""
    sizes = _checked(given, n_examples, smallest, search) if given is not None else []
    if given is None and search == "cutting-plane":
        sizes = [size for size in _CUTTING_PLANES if size < n_examples]
    elif given is None and search != "exact":
        sizes = _by_factors(n_examples, max(_FIRST, smallest), factor)
    return [Round(at, size, size == n_examples) for at, size in enumerate([*sizes, n_examples])]


def _by_factors(n_examples: int, first: int, factor: float) -> list[int]:
    sizes, size = [], float(first)
    while size * min(factor, 1.5) <= n_examples:  # a sample of nearly all examples would save nothing
        sizes.append(int(size))
        size *= max(factor, 2.0)
    return sizes


def _checked(given: Any, n_examples: int, smallest: int, search: str) -> list[int]:
    sizes = [given] if isinstance(given, str) or not hasattr(given, "__iter__") else list(given)
    for size in sizes:
        check_positive_int("sample_sizes", size)
        if size > n_examples:
            raise ValueError(f"sample_sizes: {size} is more than the {n_examples} examples there are; use smaller ones")
        if size < smallest and search != "cutting-plane":
            raise ValueError(
                f"sample_sizes: the first {size} examples do not hold every class in every fold; from {smallest} on "
                "they do"
            )
    if search == "exact" and sizes:
        raise ValueError("sample_sizes are of the other searches: 'exact' looks at all examples at once")
    return sorted({int(size) for size in sizes} - {n_examples})


_MOST = 2.0  # at most so many times the planned number goes on: a flat grid must get smaller too


def survivors(scores: list[float], influences: list[Floats], factor: float) -> list[int]:
    """Numbers of the settings that go on, ascending.

    The best 1/factor go on, and all that are tied with the last of them. So do others within one standard error of the
    difference to that last one, by the same validation examples.
    """
    ranked = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    planned = max(math.ceil(len(scores) / factor), 1)
    cut, most = ranked[planned - 1], min(math.ceil(_MOST * planned), len(ranked))
    kept = ranked[:planned]
    for place, at in enumerate(ranked[planned:], planned):
        tied = scores[at] == scores[cut]
        if tied or (place < most and scores[cut] - scores[at] <= noise(influences[at], influences[cut])):
            kept.append(at)
    return sorted(kept)


def noise(one: Floats, other: Floats) -> float:
    """Standard error of the difference of two scores, by the influences of the examples."""
    return math.sqrt(float(np.square(one - other).sum()))
