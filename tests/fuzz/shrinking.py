"""The input of a find made smaller: parts are left out as long as the same goes wrong (Zeller and Hildebrandt 2002)."""

from __future__ import annotations

import time

from tests.fuzz.children import LOAD, Given, results_of

SECONDS = 20.0
AT_ONCE = 200  # candidates that one child tries


def smallest(data, find):
    """The smallest input found in some seconds."""
    end = time.monotonic() + SECONDS
    size = len(data) // 2
    while size and time.monotonic() < end:
        smaller = _first(_without_parts(data, size), find)
        if smaller is None:
            size //= 2
        else:
            data, size = smaller, min(size, len(smaller) // 2)
    return data


def _without_parts(data, size):
    """The data without each part of this size."""
    return [data[:at] + data[at + size :] for at in range(0, len(data), size)][:AT_ONCE]


def _first(candidates, find):
    """The first with which the same goes wrong, or None."""
    uses = () if find.step == LOAD else (find.step,)
    ((_, result),) = results_of(iter([Given(find.reader, uses, candidates)]), 1)
    numbers = [number for step, problem, number in result.finds if (step, problem) == (find.step, find.problem)]
    return candidates[min(numbers)] if numbers else None
