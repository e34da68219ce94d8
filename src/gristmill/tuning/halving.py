"""Which settings go on to the next sample: the best, those tied with the last of them, those that may be as good."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_MOST = 2.0  # times as many as should go on, noise included: else a flat grid would never get smaller

Right = NDArray[np.bool_]  # for each example that judged, whether the answer was right


def survivors(scores: list[float], right: list[Right], factor: float) -> list[int]:
    """Numbers of the settings that go on, ascending.

    The best 1/factor go on, and what is tied with the last of them. Others follow while they are within the noise of
    the cut, which is one standard error of the difference of two settings judged by the same examples (McNemar's: the
    root of how many only one of them answers right).
    """
    ranked = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    wanted = max(math.ceil(len(scores) / factor), 1)
    cut, most = ranked[wanted - 1], min(math.ceil(_MOST * wanted), len(ranked))
    kept = ranked[:wanted]
    for place, at in enumerate(ranked[wanted:], wanted):
        tied = scores[at] == scores[cut]
        if tied or (place < most and scores[cut] - scores[at] <= noise(right[at], right[cut])):
            kept.append(at)
    return sorted(kept)


def noise(one: Right, other: Right) -> float:
    """Standard error of the difference of their shares of right answers."""
    return math.sqrt(int((one != other).sum())) / max(len(one), 1)
