"""PairHistogram: kernel values of pairs of converted trees, by powers of ten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gristmill.base.arrays import Flags, Floats, Indices, Uint32s
from gristmill.base.progress import Progress
from gristmill.display.bars import aligned, bar
from gristmill.kernels import TreeKernel
from gristmill.kernels.trees import TreeRows

if TYPE_CHECKING:
    from gristmill.kernels.conversion.forest import ConvertedForest


@dataclass(frozen=True)
class PairHistogram:
    """Kernel values K(i, j) of pairs of different trees, i from a sample and j any other.

    Parameters
    ----------
    rows : int
        Trees in the sample.
    nothing : int
        Pairs without a common fragment: K = 0.
    lowest : int
        The first bin is 10^lowest <= K < 10^(lowest + 1).
    pairs : list of int
        Pairs in each bin.
    malicious : list of int
        How many of them are malicious.
    """

    rows: int
    nothing: int
    lowest: int
    pairs: list[int]
    malicious: list[int]

    def lines(self) -> Iterator[tuple[str, str, str, str]]:
        """(magnitude, bar, pairs, malicious pairs): '#' are malicious, '-' others, long by the logarithm of pairs."""
        most = float(np.log1p(max([self.nothing, *self.pairs, 1])))
        yield "0", _bar(self.nothing, 0, most), f"{self.nothing:,}", "0"
        for at, (pairs, malicious) in enumerate(zip(self.pairs, self.malicious, strict=True)):
            yield f"10^{self.lowest + at}", _bar(pairs, malicious, most), f"{pairs:,}", f"{malicious:,}"

    def __str__(self) -> str:
        return "\n".join(aligned([("K from", "", "pairs", "malicious"), *self.lines()], right=(2, 3)))


def pair_histogram(
    forest: ConvertedForest, decay: float, rows: int, n_jobs: int | None, progress: Progress | None
) -> PairHistogram:
    """See `ConvertedForest.histogram`."""
    trees = forest[np.unique(forest.numbers(), return_index=True)[1]]
    sample = np.unique(np.linspace(0, len(trees) - 1, min(rows, len(trees))).astype(np.intp))
    kernel: Any = forest.mined.fragments
    compared: TreeKernel = replace(kernel, decay=decay)
    values = TreeRows(compared, trees.plain).take(sample, n_jobs=n_jobs, progress=progress)
    others = np.arange(len(trees)) != sample[:, None]
    return _counted(len(sample), values[others], _malicious(forest, trees.numbers(), sample)[others])


def _malicious(forest: ConvertedForest, numbers: Uint32s, sample: Indices) -> Flags:
    """Which pairs of a tree of the sample with another are malicious."""
    places = np.full(forest.stats.trees, -1)
    places[numbers] = np.arange(len(numbers))
    rows = np.full(len(numbers), -1)
    rows[sample] = np.arange(len(sample))
    found = np.zeros((len(sample), len(numbers)), dtype=bool)
    pairs = places[forest.malicious]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    for one, other in (pairs.T, pairs.T[::-1]):
        taken = rows[one] >= 0
        found[rows[one[taken]], other[taken]] = True
    return found


def _counted(rows: int, values: Floats, malicious: Flags) -> PairHistogram:
    positive = values > 0
    magnitudes = np.floor(np.log10(values[positive])).astype(np.intp)
    lowest = int(magnitudes.min()) if len(magnitudes) else 0
    bins = magnitudes - lowest
    size = int(bins.max(initial=-1)) + 1
    return PairHistogram(
        rows,
        int(np.count_nonzero(~positive)),
        lowest,
        np.bincount(bins, minlength=size).tolist(),
        np.bincount(bins[malicious[positive]], minlength=size).tolist(),
    )


def _bar(pairs: int, malicious: int, most: float) -> str:
    return bar(float(np.log1p(pairs)) / most, malicious / max(pairs, 1))
