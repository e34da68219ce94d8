"""Which settings go on to the next sample: the best, those tied with the last of them, those that may be as good."""

from __future__ import annotations

import math

import numpy as np

from gristmill.base.arrays import Floats

_MOST = 2.0  # times as many as should go on, noise included: else a flat grid would never get smaller


def survivors(scores: list[float], influences: list[Floats], factor: float) -> list[int]:
    """Numbers of the settings that go on, ascending.

    The best 1/factor go on, and what is tied with the last of them. Others follow while they are within the noise of
    the cut, which is one standard error of the difference of two settings judged by the same examples.
    """
    ranked = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    wanted = max(math.ceil(len(scores) / factor), 1)
    cut, most = ranked[wanted - 1], min(math.ceil(_MOST * wanted), len(ranked))
    kept = ranked[:wanted]
    for place, at in enumerate(ranked[wanted:], wanted):
        tied = scores[at] == scores[cut]
        if tied or (place < most and scores[cut] - scores[at] <= noise(influences[at], influences[cut])):
            kept.append(at)
    return sorted(kept)


def noise(one: Floats, other: Floats) -> float:
    """Standard error of the difference of two scores, from what each example adds to them."""
    return math.sqrt(float(np.square(one - other).sum()))
