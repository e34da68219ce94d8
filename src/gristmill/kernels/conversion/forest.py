"""ConvertedForest: trees whose kernels have become inner products of short vectors, for all pairs but a few.

Conversion (Kazama and Torisawa 2005) mines the fragments that at least two trees share. Fragments that occur in the
same trees as often are one pattern, which remembers how many of each size there are: so one conversion serves every
decay, exactly. Pairs of trees that share too large or too many fragments, called malicious, are left to dynamic
programming.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gristmill import _core
from gristmill.base.checks import check_positive, check_whole
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.base.warnings import MaliciousPairsWarning, outside
from gristmill.data.forest import Forest, Roots
from gristmill.kernels.conversion.stats import ConversionStats

if TYPE_CHECKING:
    from gristmill.kernels import Kernel, TreeKernel
    from gristmill.kernels.conversion.histogram import PairHistogram

PLENTY = 4 << 30  # bytes
HIGH_RATE = 0.2  # of malicious pairs: beyond, most of the work is left to dynamic programming


@dataclass(frozen=True, eq=False)
class Mined:
    """What a conversion found, shared by all forests cut from it."""

    fragments: TreeKernel  # which were mined
    roots: Roots  # of the different trees, ascending: the order in which they are numbered
    indexed: _core.IndexedForest
    patterns: _core.SubtreePatterns
    stats: ConversionStats


class ConvertedForest(Forest):
    """A Forest that was converted for one family of tree kernels: their rows cost a few additions for each pair.

    It is the forest it was made of: kernels, estimators and machines take it, and give what they give for that, up to
    rounding. Where a kernel counts the fragments that were mined, with any decay, normalised or not, it uses the
    conversion; other kernels do not notice. Slices belong to the same conversion: convert training and development
    trees together, fit on one part and classify the other (section 4.5 of the paper).

    A converted forest cannot grow: convert all trees together, as in ``gm.ConvertedForest(train + dev, kernel)``. One
    that travels (pickle, `copy.deepcopy`, other processes) arrives as a plain Forest.

    Parameters
    ----------
    trees : Forest, or what can be made one
    kernel : TreeKernel, Normalized or str
        `OrderedTreeKernel`, `ProductionTreeKernel`, marked or not, or `SubsetTreeKernel` without leaves; 'lo',
        'lo-marked', 'c', 'c-marked', 'sst'. Its decay does not matter.
    max_size : int
        Two trees that share a fragment of so many nodes are malicious (the paper's D). The larger, the longer
        conversion takes, and the fewer pairs are malicious.
    max_embeddings : float
        So are all trees that have a fragment which occurs in them more often than this, on average (the paper's R).
    compress : bool
        Whether fragments with equal occurrences are one pattern.
    rules : mapping or None
        Which rules of the search to switch off, as {"known_pairs": False}: 'size_limit', 'same_support', 'known_pairs',
        'precheck', 'early_stop', 'list_limit', 'post_order', 'marks', 'same_places'. They change how long it takes, not
        the kernel. 'same_places' searches fragments in the same places as one; {"same_places": False} is the paper's
        search, fragment by fragment.
    max_bytes : int or None
        Memory; None is 4 GiB. Where that is too little, `gristmill.PatternsTooLargeError`, a ValueError, is raised.
    n_jobs : int or None
    progress : callable or None
        Called with (done, total). Raise in it, or press Ctrl-C, to stop.

    Examples
    --------
    >>> import gristmill as gm
    >>> trees = ["(S (NP*1 the dog) (VP barks))", "(S (NP*1 the cat) (VP barks))", "(S (NP*1 dogs) (VP*2 bark))"]
    >>> forest = gm.ConvertedForest(trees, "lo-marked")
    >>> forest.stats.features, forest.stats.patterns
    (8, 2)
    >>> kernel = gm.OrderedTreeKernel(decay=0.5, marked=True)
    >>> bool((kernel(forest) == kernel(forest.plain)).all())
    True
    >>> kernel(forest[2:], forest[:2])  # both are of the same conversion
    array([[0.75, 0.75]])
    """

    mined: Mined

    def __init__(
        self,
        trees: Any,
        kernel: Kernel | str,
        *,
        max_size: int = 20,
        max_embeddings: float = 20.0,
        compress: bool = True,
        rules: Mapping[str, bool] | _core.MiningRules | None = None,
        max_bytes: int | None = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        fragments = _checked_kernel(kernel)
        check_whole("max_size", max_size)
        check_positive("max_embeddings", max_embeddings)
        forest = fragments.examples(trees)
        super().__init__(forest._store, forest._roots, forest._reading)
        self._is_checked_for_marks = forest._is_checked_for_marks
        self.mined = mine(
            fragments,
            forest,
            max_size=int(max_size),
            max_embeddings=float(max_embeddings),
            compress=bool(compress),
            rules=_checked_rules(rules),
            max_bytes=_checked_bytes(max_bytes),
            threads=resolve_jobs(n_jobs),
            progress=progress,
        )
        _warn_if_many(self.mined.patterns)

    def __getitem__(self, which: Any) -> Any:
        """As of a Forest; those of a slice, of numbers or of a mask are of the same conversion."""
        found = super().__getitem__(which)
        return self._part(found._roots) if isinstance(found, Forest) else found

    def _part(self, roots: Roots) -> ConvertedForest:
        part = ConvertedForest.__new__(ConvertedForest)
        Forest.__init__(part, self._store, roots, self._reading)
        part.mined = self.mined
        part._is_checked_for_marks = self._is_checked_for_marks
        return part

    @property
    def plain(self) -> Forest:
        """The same trees, not converted."""
        plain = Forest(self._store, self._roots, self._reading)
        plain._is_checked_for_marks = self._is_checked_for_marks
        return plain

    @classmethod
    def _empty(cls, reading: Mapping[str, Any] | None = None) -> Forest:
        raise TypeError(
            "a converted forest is made of trees and a kernel: ConvertedForest(Forest.from_strings(...), 'lo'), or "
            "likewise of what Forest makes otherwise"
        )

    def extend(self, trees: Any, **reading: Any) -> None:
        """Refused: what trees are converted to depends on all of them."""
        raise ValueError("a converted forest cannot grow; convert all trees together, or extend `forest.plain`")

    def __copy__(self) -> ConvertedForest:
        return self._part(self._roots)

    def __reduce__(self) -> Any:
        return self.plain.__reduce__()

    def __repr__(self) -> str:
        stats = self.mined.stats
        return f"ConvertedForest({len(self)} of {stats.examples} trees, {stats.patterns} patterns)"

    # --- what it was converted to -------------------------------------------------------------------------------------

    @property
    def stats(self) -> ConversionStats:
        """The conversion in numbers, also of a slice: those of all trees that were converted."""
        return self.mined.stats

    @property
    def malicious(self) -> NDArray[np.uint32]:
        """Pairs of trees that are left to dynamic programming, an array of (i, j) with i < j, sorted.

        i and j are numbers of different trees, as `numbers` gives them; also of a slice, all pairs there are.
        """
        return np.stack(self.mined.patterns.malicious(), axis=1)

    def numbers(self) -> NDArray[np.uint32]:
        """For each tree its number among the different trees that were converted."""
        return np.searchsorted(self.mined.roots, self._roots).astype(np.uint32)

    def serves(self, kernel: Kernel | str) -> bool:
        """True for kernels, or names of kernels, whose values can be had from this conversion."""
        from gristmill.kernels import as_kernel

        return fragments_of(as_kernel(kernel)) == self.mined.fragments

    def histogram(
        self, *, decay: float = 1.0, rows: int = 100, n_jobs: int | None = None, progress: Progress | None = None
    ) -> PairHistogram:
        """How often kernel values of each magnitude occur, malicious pairs apart from others.

        Conversion pays where few pairs have much in common and most have little (the paper's unbalanced similarity).

        Parameters
        ----------
        decay : float
            1 counts fragments.
        rows : int
            So many trees, evenly spread, are compared with all others of this forest.
        n_jobs : int or None
        progress : callable or None
        """
        from gristmill.kernels.conversion.histogram import pair_histogram

        check_whole("rows", rows)
        return pair_histogram(self, decay, int(rows), n_jobs, progress)


def are_converted_together(one: Any, other: Any) -> bool:
    """True for forests of the same conversion."""
    return isinstance(one, ConvertedForest) and isinstance(other, ConvertedForest) and one.mined is other.mined


# --- behind the door --------------------------------------------------------------------------------------------------


def mine(
    fragments: TreeKernel,
    forest: Forest,
    *,
    max_size: int = 20,
    max_embeddings: float = 20.0,
    compress: bool = True,
    rules: _core.MiningRules | None = None,
    max_bytes: int = PLENTY,
    threads: int = 1,
    progress: Progress | None = None,
) -> Mined:
    """See `ConvertedForest`."""
    begin = time.perf_counter()
    roots = np.unique(forest._roots)
    indexed = _core.IndexedForest(forest._store, roots)
    limits = max_size, max_embeddings, rules or _core.MiningRules(), compress, max_bytes
    patterns = _core.SubtreePatterns(fragments._native, indexed, *limits, threads, progress)
    stats = ConversionStats.of(patterns, len(forest), time.perf_counter() - begin)
    return Mined(fragments, roots, indexed, patterns, stats)


def _warn_if_many(patterns: _core.SubtreePatterns) -> None:
    pairs = patterns.n_trees * (patterns.n_trees - 1) // 2
    if patterns.n_malicious > HIGH_RATE * pairs:
        warnings.warn(
            f"{patterns.n_malicious / pairs:.0%} of the pairs of trees share too much to be converted, and are left to "
            "dynamic programming: conversion will not pay; do without (convert=False), or raise max_size "
            "(--conversion-max-size, or gristmill.ConvertedForest(trees, kernel, max_size=...))",
            MaliciousPairsWarning,
            stacklevel=outside(),
        )


def fragments_of(kernel: Any) -> TreeKernel | None:
    """What a kernel, normalised or not, counts; None where that cannot be mined."""
    from gristmill.kernels import Normalized, TreeKernel

    inner = kernel.kernel if isinstance(kernel, Normalized) else kernel
    return inner.fragments if isinstance(inner, TreeKernel) else None


def _checked_kernel(kernel: Any) -> TreeKernel:
    from gristmill.kernels import as_kernel

    fragments = fragments_of(as_kernel(kernel))
    if fragments is None:
        raise ValueError(
            f"trees are converted for 'lo', 'lo-marked', 'c', 'c-marked' or 'sst', or such kernels, got {kernel!r}"
        )
    return fragments


def _checked_rules(rules: Mapping[str, bool] | _core.MiningRules | None) -> _core.MiningRules:
    if isinstance(rules, _core.MiningRules):
        return rules
    try:
        return _core.MiningRules(**(rules or {}))
    except TypeError as error:
        raise ValueError(f"rules must name rules of the search, each True or False, got {rules!r}") from error


def _checked_bytes(max_bytes: Any) -> int:
    if max_bytes is None:
        return PLENTY
    check_whole("max_bytes", max_bytes)
    return int(max_bytes)
