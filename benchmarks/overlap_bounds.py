"""Claim: under kernels of sets, bounds on the overlap make labels certain hardly earlier than scores are known.

f(x) = b + sum_i a_i k(m_i, |x|, |s_i|), where the overlap m_i lies between 0 and the smaller of both lengths, and k
grows with it. What must be looked at before the sign is certain is counted as engines would wish it to be:

- support rows, in the order that is best for each x: those first whose terms settle most of what is open. Only who
  knows all terms knows that order. The order by what lengths leave open is one that an engine can have.
- features of x: overlaps are those that the features read so far have counted, and at most the others more; or each
  feature left adds at most a number that is known of its support rows. Read last are those that take most reading, or
  that can change least for what they take, whichever leaves more unread.
- sums: coefficients of support rows of a length and a sign add up to known numbers, and so do their products with
  overlaps, by one weight for each feature. k is convex in the overlap, so the mean overlap bounds the sum from below
  (Jensen), and the chord from above. Where k is proportional to the overlap (cosine, Dice) both are the score itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks import set_kernels
from benchmarks.examples import Data, sample
from benchmarks.machines import magnitude
from benchmarks.measure import record

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

QUERIES = 100  # of the test part
HALF = 0.5  # of what is looked at anyway: where bounds leave more, looking at them gains nothing
FULL = set_kernels.Sizes(None, 20_000, 6_000, 0, ())
QUICK = set_kernels.Sizes(1_000, 1_000, 600, 0, ())
COLUMNS = [
    *("data", "kernel", "support rows", "score / sum of sizes", "rows that share a feature, %", "rows, best order, %"),
    *("median", "rows, most open first, %", "postings, %", "certain by lengths, %", "certain by sums, %"),
]


def main(sizes: set_kernels.Sizes = FULL, queries: int = QUERIES) -> None:
    rows, early = [], []
    for data, (train, test) in corpora(sizes).items():
        for kernel in kernels(set_kernels.scale_of(train[0])):
            machine = gm.KernelSVC(kernel, C=1.0, n_jobs=1).fit(*train).machine_
            found = looks(machine, sample(test, queries)[0])
            rows.append(_row(data, machine, found))
            early += [f"{data}, {kernel}"] if _is_early(found) else []
            print(*rows[-1], sep="  ", flush=True)
    title = "How early bounds on the overlap make labels certain"
    record("overlap_bounds", title, COLUMNS, rows, _notes(early, queries), [])


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK, 20)


def corpora(sizes: set_kernels.Sizes) -> dict[str, tuple[Data, Data]]:
    prints = set_kernels.fingerprints(sizes.fingerprints)
    return {**set_kernels.corpora_of(sizes), "fingerprints": set_kernels.two_classes(prints)}


def kernels(gamma: float) -> list[Any]:
    """Those whose engines compare rows, and a polynomial."""
    similarities = [gm.TanimotoKernel(), gm.CosineKernel(), gm.DiceKernel()]
    return [gm.RBFKernel(gamma), *similarities, gm.PolynomialKernel(2, gamma, 1.0)]


# --- the page ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """What must be looked at for one label, as shares of all there is."""

    size: float  # of the score, beside the sum of the sizes of its terms
    sharing: float  # support rows that share a feature
    best: float  # support rows in the best order
    most_open: float  # support rows, those first of which lengths leave most open
    postings: float  # of features of x with support rows
    by_lengths: bool
    by_sums: bool


def _row(data: str, machine: gm.Machine, found: list[Look]) -> list[Any]:
    shares = [[look.sharing for look in found], [look.best for look in found], [look.most_open for look in found]]
    sharing, best, most_open = (_percent(values) for values in shares)
    return [
        *(data, str(machine.kernel), f"{machine.n_support:,}", f"1 / {1 / median(look.size for look in found):,.0f}"),
        *(sharing, best, f"{100 * median(shares[1]):.1f}", most_open, _percent([look.postings for look in found])),
        *(_percent([look.by_lengths for look in found]), _percent([look.by_sums for look in found])),
    ]


def _is_early(found: list[Look]) -> bool:
    return mean(look.best for look in found) < HALF * mean(look.sharing for look in found)


def _percent(values: list[Any]) -> str:
    return f"{100 * mean(values):.1f}"


def _notes(early: list[str], queries: int) -> list[str]:
    return [
        f"{queries} examples of each test part; KernelSVC, C = 1. Rows are per cents of the support rows, postings "
        "of those of the example's features, means over examples; *certain* are per cents of the examples.",
        "*score / sum of sizes*: median of |f(x)| over |b| + sum |a_i| k. *Rows that share a feature*: those that the "
        "index of `inverted` leads to.",
        "*best order*: the fewest support rows whose terms, with bounds by lengths alone for all others, make the sign "
        "certain, and *median* over examples. *Most open first*: in the order of what lengths leave open of each term.",
        "*postings*: what must be read of the support rows of the example's features, feature by feature, those last "
        "that take most reading or can change least.",
        "*certain by lengths*: before anything of the example but its length is looked at. *By sums*: when sums of "
        "coefficients, and of their products with overlaps, are known for the support rows of each length and sign, "
        "which costs a product of a matrix and no look at rows. Cosine and Dice are proportional to the overlap: "
        "these sums are the score.",
        "BaseNP: 20,000 of its examples. Fingerprints are made, as in [kernels of sets](set_kernels.md).",
        f"Less than {HALF:.0%} of the rows that share a feature, in the best order: {'; '.join(early) or 'none'}.",
    ]


# --- a score as a sum -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    """A score above 0 as the sum that it is; of one below 0 all signs are turned.

    Parameters
    ----------
    intercept : float
    coef, lengths, overlaps : arrays
        Of the support rows.
    kernel : callable
        Of overlaps and lengths of support rows, for this x.
    length : int
        Of x.
    """

    intercept: float
    coef: Floats
    lengths: Counts
    overlaps: Counts
    kernel: Callable[[Any, Any], Floats]
    length: int

    @functools.cached_property
    def terms(self) -> Floats:
        return self._least(self.overlaps, self.overlaps)

    @functools.cached_property
    def unknown(self) -> Floats:
        """The least that each term can be, by lengths alone."""
        return self._least(self._none, self._most)

    @property
    def value(self) -> float:
        return self.intercept + float(self.terms.sum())

    @property
    def is_certain_by_lengths(self) -> bool:
        return self.intercept + float(self.unknown.sum()) > 0

    def rows_at_best(self) -> int:
        """The fewest support rows to look at."""
        return self._rows_in(np.argsort(self.unknown - self.terms))

    def rows_most_open_first(self) -> int:
        return self._rows_in(np.argsort(self.unknown - self._least(self._most, self._none)))

    def postings_to_read(self, columns: Flags) -> int:
        """How many; for each feature of x the support rows that have it: features x support rows."""
        sizes, changes = columns.sum(axis=1), columns @ -self._steepest
        orders = np.argsort(-sizes), np.argsort(changes / np.maximum(sizes, 1))
        return int(sizes.sum()) - max(self._unread(columns[order], sizes[order]) for order in orders)

    def is_certain_by_sums(self) -> bool:
        is_positive, bound = self.coef > 0, self.intercept
        for length in np.unique(self.lengths):
            for sign in (True, False):
                own = (self.lengths == length) & (is_positive == sign)
                if own.any():
                    weight = float(self.coef[own].sum())
                    overlap = float(self.coef[own] @ self.overlaps[own]) / weight
                    bound += weight * self._mean_kernel(int(length), overlap, sign)
        return bound > 0

    @functools.cached_property
    def _none(self) -> Counts:
        return np.zeros_like(self.overlaps)

    @functools.cached_property
    def _most(self) -> Counts:
        return np.minimum(self.lengths, self.length)

    def _least(self, fewest: Counts, most: Counts) -> Floats:
        """The least that each term is where the overlap lies between these; the most with both exchanged."""
        return np.asarray(self.coef * self.kernel(np.where(self.coef > 0, fewest, most), self.lengths))

    def _rows_in(self, order: Any) -> int:
        bounds = self.intercept + self.unknown.sum() + np.cumsum((self.terms - self.unknown)[order])
        certain = np.flatnonzero(bounds > 0)
        if self.is_certain_by_lengths:
            return 0
        return int(certain[0]) + 1 if len(certain) else len(bounds)

    def _unread(self, columns: Flags, sizes: Counts) -> int:
        """Postings of the most features of this order that can be left out together."""
        few, many = 0, len(columns) + 1
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (middle, many) if self._is_certain_without(columns[:middle]) else (few, middle)
        return int(sizes[:few].sum())

    def _is_certain_without(self, columns: Flags) -> bool:
        """By what is open of all support rows, or by what features add at most to those that have them."""
        counted = self.overlaps - columns.sum(axis=0)
        each = float(self._least(counted, np.minimum(counted + len(columns), self._most)).sum())
        together = float(self._least(counted, counted).sum() + (columns @ self._steepest).sum())
        return self.intercept + max(each, together) > 0

    @functools.cached_property
    def _steepest(self) -> Floats:
        """The least that a shared feature adds to each term: k is convex, so it rises most at the end."""
        rise = self.kernel(self._most, self.lengths) - self.kernel(np.maximum(self._most - 1, 0), self.lengths)
        return np.asarray(np.minimum(self.coef, 0) * rise)

    def _mean_kernel(self, length: int, overlap: float, is_least: bool) -> float:
        """The least, or the most, that k is on average over overlaps with this mean."""
        most = min(length, self.length)
        known = np.arange(most + 1) if is_least else np.array([0, most])
        return float(np.interp(overlap, known, self.kernel(known, length)))


def looks(machine: gm.Machine, X: Any) -> list[Look]:
    """At each example with a score other than 0; AssertionError where terms do not add up to the machine's score."""
    values, sizes = machine.compile("inverted").decision_function(X).ravel(), magnitude(machine, X).ravel()
    support, found = machine.rows.to_csr(X.shape[1]), []
    columns = support.tocsc()
    for x, value, size in zip(X, values, sizes, strict=True):
        score = score_of(machine, support, x, 1.0 if value > 0 else -1.0)
        assert abs(score.value - abs(value)) <= 1e-9 * size, f"{machine.kernel}: {score.value} is not {value}"
        if value:
            found.append(_look(score, abs(value) / size, columns[:, x.indices].toarray().T > 0))
    return found


def score_of(machine: gm.Machine, support: Any, x: Any, sign: float) -> Score:
    own: Any = machine.kernel  # one of sets

    def kernel(overlaps: Any, lengths: Any) -> Floats:
        return np.asarray(own.of_products(np.asarray(overlaps, dtype=float), x.nnz, lengths))

    overlaps = np.rint((support @ x.T).toarray().ravel()).astype(np.int64)
    coef = sign * np.asarray(machine.dense_coef()).ravel()
    return Score(sign * float(machine.intercept[0]), coef, machine.rows.lengths, overlaps, kernel, x.nnz)


def _look(score: Score, size: float, columns: Flags) -> Look:
    rows = len(score.coef)
    return Look(
        size,
        float(np.mean(score.overlaps > 0)),
        score.rows_at_best() / rows,
        score.rows_most_open_first() / rows,
        score.postings_to_read(columns) / max(int(columns.sum()), 1),
        score.is_certain_by_lengths,
        score.is_certain_by_sums(),
    )
