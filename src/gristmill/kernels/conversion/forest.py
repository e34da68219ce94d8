"""ConvertedForest: trees whose kernel is an inner product of short vectors, for almost all pairs.

Conversion (Kazama and Torisawa 2005) mines the fragments that at least two trees share. Fragments with equal counts in
all trees are one pattern, which stores how many there are of each size: so one conversion is exact for every decay.
Pairs of trees that share too large or too many fragments are called malicious; dynamic programming computes them.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Uint32s
from gristmill.base.checks import check_positive, check_positive_int, is_whole
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.base.warnings import MaliciousPairsWarning, outside
from gristmill.data.forest import Forest
from gristmill.display.bars import aligned
from gristmill.display.numbers import memory

if TYPE_CHECKING:
    from gristmill.kernels import Kernel, TreeKernel
    from gristmill.kernels.conversion.histogram import PairHistogram

PLENTY = 4 << 30  # bytes
RULES = (
    *("size_limit", "same_support", "known_pairs", "precheck", "early_stop", "list_limit", "post_order"),
    *("same_places", "marks", "max_support"),
)
HIGH_RATE = 0.2  # of malicious pairs: above it, dynamic programming does most of the work


@dataclass(frozen=True)
class ConversionStats:
    """The numbers of a conversion, printed as in Table 3 of the paper (Kazama and Torisawa 2005).

    Parameters
    ----------
    examples : int
    trees : int
        Distinct trees.
    features : int
        Fragments that at least two trees share, not all of whose pairs are malicious.
    patterns : int
        Distinct patterns of occurrences among them: the features after compression.
    entries_per_tree : float
        Patterns of a tree on average, the paper's ``|V|``.
    malicious_rate : float
        The paper's r_m: the share of pairs (i, j) of distinct trees that are malicious or have i = j.
    searched : int
        States of the search: sets of fragments in the same places, or with ``rules={"same_places": False}`` single
        fragments.
    seconds : float
    nbytes : int
    """

    examples: int
    trees: int
    features: int
    patterns: int
    entries_per_tree: float
    malicious_rate: float
    searched: int
    seconds: float
    nbytes: int

    @classmethod
    def of(cls, patterns: _core.SubtreePatterns, examples: int, seconds: float) -> ConversionStats:
        """The numbers of these patterns."""
        trees = patterns.n_trees
        return cls(
            examples=examples,
            trees=trees,
            features=patterns.features,
            patterns=patterns.size,
            entries_per_tree=patterns.entries / max(trees, 1),
            malicious_rate=(2 * patterns.n_malicious + trees) / max(trees, 1) ** 2,
            searched=patterns.searched,
            seconds=seconds,
            nbytes=patterns.nbytes,
        )

    def lines(self) -> list[tuple[str, str]]:
        """Names and figures, as in Table 3."""
        return [
            ("# examples", f"{self.examples:,}"),
            ("# different trees", f"{self.trees:,}"),
            ("# feature subtrees (x10^4)", f"{self.features / 1e4:,.4g}"),
            ("# features (compressed) (x10^4)", f"{self.patterns / 1e4:,.4g}"),
            ("avg. |V| (compressed)", f"{self.entries_per_tree:,.1f}"),
            ("rate of malicious pairs r_m (%)", f"{100 * self.malicious_rate:.3g}"),
            ("conversion time (sec.)", f"{self.seconds:,.1f}"),
            ("states searched (x10^4)", f"{self.searched / 1e4:,.4g}"),
            ("memory", memory(self.nbytes)),
        ]

    def __str__(self) -> str:
        return "\n".join(aligned(self.lines(), right=(1,)))


@dataclass(frozen=True, eq=False)
class Mined:
    """The result of a conversion, shared by all slices of the forest."""

    fragments: TreeKernel  # counts the mined fragments
    roots: Uint32s  # of the distinct trees, ascending: the order of their numbers
    indexed: _core.IndexedForest
    patterns: _core.SubtreePatterns
    stats: ConversionStats


class ConvertedForest(Forest):
    """A Forest converted for one family of tree kernels: a kernel value costs a few additions.

    It can be used like the forest it was made of, by kernels, estimators and machines, with the same results up to
    rounding. A kernel that counts the mined fragments, with any decay, normalised or not, uses the conversion; other
    kernels ignore it. Slices belong to the same conversion: convert training and development trees together, fit on
    one part and classify the other (section 4.5 of the paper).

    A converted forest cannot grow: convert all trees together, as in ``gm.ConvertedForest(train + dev, kernel)``. A
    copy (pickle, `copy.deepcopy`, other processes) is a plain Forest.

    Parameters
    ----------
    trees : Forest, or what can be made one
    kernel : TreeKernel, Normalized or str
        `OrderedTreeKernel`, `ProductionTreeKernel`, marked or not, or `SubsetTreeKernel` without leaves; 'lo',
        'lo-marked', 'c', 'c-marked', 'sst'. Its decay does not matter.
    max_size : int
        Two trees that share a fragment of so many nodes are malicious (the paper's D). A larger value makes conversion
        slower and fewer pairs malicious.
    max_embeddings : float
        All trees with a fragment that occurs in them more often than this on average are malicious (the paper's R).
    min_support : int
        Trees that share a fragment with fewer than so many trees are malicious. 2, the paper's, keeps every fragment
        that is shared at all; more gives shorter vectors and more malicious pairs.
    compress : bool
        True joins fragments with equal occurrences to one pattern.
    rules : mapping or None
        Rules of the search to switch off, as {"known_pairs": False}: 'size_limit', 'same_support', 'known_pairs',
        'precheck', 'early_stop', 'list_limit', 'post_order', 'marks', 'same_places', 'max_support'. They change the
        time, not the kernel; 'precheck' and 'max_support' are off unless they are True. 'same_places' searches
        fragments in the same places as one; {"same_places": False} is the paper's search, fragment by fragment.
    max_bytes : int or None
        Memory limit; None is 4 GiB. Beyond it `gristmill.PatternsTooLargeError`, a ValueError, is raised.
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
        min_support: int = 2,
        compress: bool = True,
        rules: Mapping[str, bool] | _core.MiningRules | None = None,
        max_bytes: int | None = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        fragments = _checked_kernel(kernel)
        check_positive_int("max_size", max_size)
        check_positive("max_embeddings", max_embeddings)
        check_min_support(min_support)
        forest = fragments.examples(trees)
        super().__init__(forest._store, forest._roots, forest._reading)
        self._is_checked_for_marks = forest._is_checked_for_marks
        self.mined = mine(
            fragments,
            forest,
            max_size=int(max_size),
            max_embeddings=float(max_embeddings),
            min_support=int(min_support),
            compress=bool(compress),
            rules=_checked_rules(rules),
            max_bytes=_checked_bytes(max_bytes),
            threads=resolve_jobs(n_jobs),
            progress=progress,
        )
        _warn_if_many(self.mined.patterns)

    def __getitem__(self, which: Any) -> Any:
        """As for a Forest; slices and selections belong to the same conversion."""
        found = super().__getitem__(which)
        return self._part(found._roots) if isinstance(found, Forest) else found

    def _part(self, roots: Uint32s) -> ConvertedForest:
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
            "a converted forest needs a kernel: use ConvertedForest(Forest.from_strings(...), 'lo'), likewise for the "
            "other constructors of Forest"
        )

    def extend(self, trees: Any, **reading: Any) -> None:
        """Not possible: a conversion depends on all trees. Raises ValueError."""
        raise ValueError("a converted forest cannot grow; convert all trees together, or extend `forest.plain`")

    def __copy__(self) -> ConvertedForest:
        return self._part(self._roots)

    def __reduce__(self) -> Any:
        return self.plain.__reduce__()

    def __repr__(self) -> str:
        stats = self.mined.stats
        return f"ConvertedForest({len(self)} of {stats.examples} trees, {stats.patterns} patterns)"

    # --- the conversion -----------------------------------------------------------------------------------------------

    @property
    def stats(self) -> ConversionStats:
        """The numbers of the conversion, of all its trees also for a slice."""
        return self.mined.stats

    @property
    def malicious(self) -> Uint32s:
        """Pairs of trees that dynamic programming computes, an array of (i, j) with i < j, sorted.

        i and j are numbers of distinct trees, as in `numbers`. A slice has all pairs of the conversion.
        """
        return np.stack(self.mined.patterns.malicious(), axis=1)

    def numbers(self) -> Uint32s:
        """The number of each tree among the distinct trees of the conversion."""
        return np.searchsorted(self.mined.roots, self._roots).astype(np.uint32)

    def supports(self, kernel: Kernel | str) -> bool:
        """True for kernels, or names of kernels, that this conversion can compute."""
        from gristmill.kernels import as_kernel

        return fragments_of(as_kernel(kernel)) == self.mined.fragments

    def histogram(
        self, *, decay: float = 1.0, rows: int = 100, n_jobs: int | None = None, progress: Progress | None = None
    ) -> PairHistogram:
        """A histogram of kernel values by magnitude, malicious and other pairs.

        Conversion saves time where few pairs have much in common and most have little (the paper's unbalanced
        similarity).

        Parameters
        ----------
        decay : float
            1 counts fragments.
        rows : int
            The size of a sample of trees, evenly spread, that is compared with all others of this forest.
        n_jobs : int or None
        progress : callable or None
        """
        from gristmill.kernels.conversion.histogram import pair_histogram

        check_positive_int("rows", rows)
        return pair_histogram(self, decay, int(rows), n_jobs, progress)


def are_converted_together(one: Any, other: Any) -> bool:
    """True for forests of the same conversion."""
    return isinstance(one, ConvertedForest) and isinstance(other, ConvertedForest) and one.mined is other.mined


# --- mining and validation --------------------------------------------------------------------------------------------


def mine(
    fragments: TreeKernel,
    forest: Forest,
    *,
    max_size: int = 20,
    max_embeddings: float = 20.0,
    min_support: int = 2,
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
    patterns = _core.SubtreePatterns(fragments._native, indexed, *limits, threads, progress, min_support)
    stats = ConversionStats.of(patterns, len(forest), time.perf_counter() - begin)
    return Mined(fragments, roots, indexed, patterns, stats)


def _warn_if_many(patterns: _core.SubtreePatterns) -> None:
    pairs = patterns.n_trees * (patterns.n_trees - 1) // 2
    if patterns.n_malicious > HIGH_RATE * pairs:
        warnings.warn(
            f"{patterns.n_malicious / pairs:.0%} of the pairs of trees share too much to be converted, and are left to "
            "dynamic programming: conversion saves no time; use convert=False, or raise max_size "
            "(--conversion-max-size, or gristmill.ConvertedForest(trees, kernel, max_size=...))",
            MaliciousPairsWarning,
            stacklevel=outside(),
        )


def fragments_of(kernel: Any) -> TreeKernel | None:
    """The `fragments` of a kernel, normalised or not; None where they cannot be mined."""
    from gristmill.kernels import Normalized, TreeKernel

    inner = kernel.kernel if isinstance(kernel, Normalized) else kernel
    return inner.fragments if isinstance(inner, TreeKernel) else None


def check_min_support(value: Any) -> None:
    """Raise ValueError unless it is a whole number from 2 on: a fragment of one tree is shared by no pair."""
    if not is_whole(value) or value < 2:
        raise ValueError(f"min_support must be a whole number from 2 on, got {value!r}")


def _checked_kernel(kernel: Any) -> TreeKernel:
    from gristmill.kernels import as_kernel

    fragments = fragments_of(as_kernel(kernel))
    if fragments is None:
        raise ValueError(
            f"trees can be converted for 'lo', 'lo-marked', 'c', 'c-marked', 'sst' and such kernels, got {kernel!r}"
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
    check_positive_int("max_bytes", max_bytes)
    return int(max_bytes)
