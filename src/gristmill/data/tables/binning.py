"""Numbers into bins of about equal mass that keep spikes, values with much of the mass, as bins of their own.

Quantiles of a column where 91 % are 0 collapse to two bins. Here 0 gets a bin, and the other bins share the rest. The
cost is that of sorting; all decisions are taken in whole numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from gristmill.base.arrays import Indices, Int64s


def equal_mass_bins(counts: Int64s, bins: int) -> Indices:
    """The first value of each bin, for ascending values that occur so many times.

    As many bins as values where there are few; else at most `bins`. A spike has more than the mean mass of the bins
    that are no spikes.

    Examples
    --------
    >>> import numpy as np
    >>> from gristmill.data.tables.binning import equal_mass_bins
    >>> equal_mass_bins(np.array([90, 1, 1, 1, 1, 2, 2, 2]), 4)
    array([0, 1, 4, 6])
    """
    if len(counts) <= bins:
        return np.arange(len(counts))
    spikes = _spikes(counts, bins)
    starts = [*spikes.tolist(), *_starts_between(spikes, counts, bins)]
    return np.array(sorted(starts), dtype=np.intp)


def _spikes(counts: Int64s, bins: int) -> Indices:
    """Values that get a bin of their own: as many of the heaviest as leave a bin for each run of others."""
    found = _heavy(counts, bins)
    found = found[np.argsort(-counts[found], kind="stable")]

    def needed(kept: int) -> int:  # more spikes never need fewer bins
        return kept + len(_runs(np.sort(found[:kept]), len(counts)))

    return np.sort(found[: bisect_right(range(len(found) + 1), bins, key=needed) - 1])


def _heavy(counts: Int64s, bins: int) -> Indices:
    """Values of more than the mean mass of the other bins; each one found makes that mean smaller."""
    found = np.empty(0, dtype=np.intp)
    while True:
        rest, free = int(counts.sum() - counts[found].sum()), bins - len(found)
        more = np.flatnonzero(counts * free > rest)
        if len(more) == len(found):
            return found
        found = more


def _runs(spikes: Indices, size: int) -> list[tuple[int, int]]:
    """Begin and end of the runs of values between spikes."""
    begins, ends = [0, *(spikes + 1).tolist()], [*spikes.tolist(), size]
    return [(begin, end) for begin, end in zip(begins, ends, strict=True) if begin < end]


def _starts_between(spikes: Indices, counts: Int64s, bins: int) -> Iterator[int]:
    """First values of the bins that are no spikes, from left to right; each is as near to its share as can be."""
    cumulative = np.concatenate([[0], np.cumsum(counts)])
    mass, left = int(cumulative[-1] - counts[spikes].sum()), bins - len(spikes)
    runs = _runs(spikes, len(counts))
    for number, (begin, end) in enumerate(runs):
        while begin < end:
            yield begin
            is_last = left == len(runs) - number
            stop = end if is_last else _stop(cumulative, begin, end, mass, left)
            mass, left, begin = mass - int(cumulative[stop] - cumulative[begin]), left - 1, stop


def _stop(cumulative: Int64s, begin: int, end: int, mass: int, bins: int) -> int:
    """Where a bin ends that takes its share, mass / bins; a run of less than one and a half shares is not cut."""
    first = int(cumulative[begin])
    if 2 * bins * (int(cumulative[end]) - first) < 3 * mass:
        return end
    below = int(np.searchsorted(cumulative, first + mass // bins, side="right")) - 1
    near = [at for at in (below, below + 1) if begin < at <= end]
    return min(near, key=lambda at: abs(bins * (int(cumulative[at]) - first) - mass))
