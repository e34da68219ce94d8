"""Claim: exact Tanimoto search over fingerprints is five times as fast as counting bits row by row, or more.

Made fingerprints of 2,048 bits, 50 to 100 of them set, some bits in a third of all rows and most in a few of a
thousand; half of the rows are variants of others, as series of molecules are. Queries are variants of rows. Beside
gristmill stand those of RDKit and FPSim2 that are installed, and bits counted by NumPy; all with one thread.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.measure import Table, Timing, cpu_seconds_of, in_turn, record
from gristmill.data.rows import Rows

BITS = 2048
LEAST, MOST = 56, 130  # bits drawn for a row; some twice
BLOCK = 10_000  # rows
QUERIES, ROUNDS = 100, 5
SIZES = (100_000, 1_000_000)
THRESHOLDS = (0.4, 0.6, 0.8)
K = 10
COLUMNS = ["rows", "asked", "side", "queries a second", "ns a pair", "over gristmill", "found a query"]
Pairs = list[tuple[int, float]]
Words = NDArray[np.uint64]


# --- data -------------------------------------------------------------------------------------------------------------


def fingerprints(size: int, seed: int = 0) -> Words:
    """Rows of bits, packed."""
    random = np.random.default_rng(seed)
    likely = 1.0 / (np.arange(BITS) + 20.0) ** 0.8
    edges = np.cumsum(likely / likely.sum())[:-1]
    blocks = []
    for begin in range(0, size, BLOCK):
        rows = np.zeros((min(BLOCK, size - begin), BITS), dtype=bool)
        drawn = np.searchsorted(edges, random.random((len(rows), MOST)))
        at, column = np.nonzero(np.arange(MOST) < random.integers(LEAST, MOST + 1, len(rows))[:, None])
        rows[at, drawn[at, column]] = True
        half = len(rows) // 2
        rows[half : 2 * half] = varied(rows[:half], random)
        blocks.append(packed(rows))
    return np.concatenate(blocks)


def packed(rows: NDArray[np.bool_]) -> Words:
    return np.packbits(rows, axis=1).view(np.uint64)


def unpacked(words: Words) -> NDArray[np.bool_]:
    return np.unpackbits(words.view(np.uint8), axis=1).astype(bool)


def varied(rows: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.bool_]:
    """Each with some of its bits replaced by others."""
    changed = rows & (random.random(rows.shape) > random.uniform(0.02, 0.3, len(rows))[:, None])
    changed[np.arange(len(rows))[:, None], random.integers(0, BITS, (len(rows), 6))] = True
    return changed


@dataclass(frozen=True)
class Problem:
    """Rows and queries."""

    rows: Words
    queries: Words

    @classmethod
    def make(cls, size: int, queries: int) -> Problem:
        rows, random = fingerprints(size), np.random.default_rng(1)
        return cls(rows, packed(varied(unpacked(rows[random.choice(size, queries)]), random)))

    @cached_property
    def lists(self) -> Rows:
        return listed(self.rows)


def listed(words: Words) -> Rows:
    """As lists of feature ids."""
    blocks = [np.nonzero(unpacked(words[begin : begin + BLOCK])) for begin in range(0, len(words), BLOCK)]
    lengths = np.concatenate([np.bincount(at, minlength=min(BLOCK, len(words))) for at, _ in blocks])
    offsets = np.concatenate([[0], np.cumsum(lengths[: len(words)])])
    ids = np.concatenate([ids for _, ids in blocks])
    return Rows(offsets.astype(np.int64), ids.astype(np.int32), n_features=BITS)


# --- sides ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """So many neighbours, or all from a similarity on."""

    k: int | None = None
    threshold: float | None = None

    def __str__(self) -> str:
        return f"the {self.k} nearest" if self.threshold is None else f"all from {self.threshold:g} on"

    def pick(self, similarities: NDArray[np.float64]) -> Pairs:
        """From the similarities of all rows."""
        if self.threshold is None:
            assert self.k is not None
            numbers = np.argpartition(-similarities, self.k)[: self.k]
        else:
            numbers = np.flatnonzero(similarities >= self.threshold)
        return [(int(number), float(similarities[number])) for number in numbers]


class Ours:
    """gristmill."""

    def __init__(self, problem: Problem) -> None:
        self._index = gm.NearestIndex(problem.lists)
        self._queries = listed(problem.queries)

    def __call__(self, asked: Asked, queries: int) -> list[Pairs]:
        found = self._index.query(self._queries.take(np.arange(queries)), k=asked.k, threshold=asked.threshold)
        return [[(number, similarity) for number, similarity in one] for one in found]

    def clock(self, asked: Asked, queries: int) -> None:
        self._index.query(self._queries.take(np.arange(queries)), k=asked.k, threshold=asked.threshold)


class NumPy:
    """AND, and bits counted."""

    def __init__(self, problem: Problem) -> None:
        self._rows, self._queries = problem.rows, problem.queries
        self._lengths = np.bitwise_count(self._rows).sum(axis=1, dtype=np.int64)

    def __call__(self, asked: Asked, queries: int) -> list[Pairs]:
        return [asked.pick(self._similarities(query)) for query in self._queries[:queries]]

    clock = __call__

    def _similarities(self, query: Words) -> NDArray[np.float64]:
        shared = np.bitwise_count(self._rows & query).sum(axis=1, dtype=np.int64)
        either = self._lengths + int(np.bitwise_count(query).sum()) - shared
        return np.asarray(shared / np.maximum(either, 1))


class RDKit:
    """Similarities in bulk."""

    def __init__(self, problem: Problem) -> None:
        self._structs: Any = importlib.import_module("rdkit.DataStructs")
        self._rows = [self._vector(row) for row in problem.rows[:, None]]
        self._queries = [self._vector(row) for row in problem.queries[:, None]]

    def _vector(self, row: Words) -> Any:
        vector = self._structs.ExplicitBitVect(BITS)
        vector.SetBitsFromList(np.flatnonzero(unpacked(row)).tolist())
        return vector

    def __call__(self, asked: Asked, queries: int) -> list[Pairs]:
        bulk = self._structs.BulkTanimotoSimilarity
        return [asked.pick(np.array(bulk(query, self._rows))) for query in self._queries[:queries]]

    clock = __call__


class FPSim2:
    """Its compiled search over rows by their counts, which its engine calls."""

    def __init__(self, problem: Problem) -> None:
        self._library: Any = importlib.import_module("FPSim2.FPSim2lib")
        self._rows, self._starts = _with_counts(problem.rows)
        self._queries = np.column_stack(
            [np.zeros(len(problem.queries), np.uint64), problem.queries, _counts(problem.queries)]
        )

    def __call__(self, asked: Asked, queries: int) -> list[Pairs]:
        return [
            [(int(one["mol_id"]), float(one["coeff"])) for one in self._found(query, asked)]
            for query in self._queries[:queries]
        ]

    def clock(self, asked: Asked, queries: int) -> None:
        for query in self._queries[:queries]:
            self._found(query, asked)

    def _found(self, query: Words, asked: Asked) -> Any:
        begin, end = 0, len(self._rows)
        if asked.threshold is not None:
            count = int(query[-1])
            least, most = int(np.ceil(count * asked.threshold)), int(count / asked.threshold)
            begin, end = int(self._starts[least]), int(self._starts[min(most, BITS) + 1])
        return self._library.GenericSearch(query, self._rows, asked.threshold or 0.0, asked.k or 0, 0, begin, end)


def _counts(words: Words) -> Words:
    return np.asarray(np.bitwise_count(words).sum(axis=1, dtype=np.uint64))


def _with_counts(words: Words) -> tuple[Words, NDArray[np.int64]]:
    counts = _counts(words)
    order = np.argsort(counts, kind="stable")
    rows = np.column_stack([order.astype(np.uint64), words[order], counts[order]])
    return np.ascontiguousarray(rows), np.searchsorted(counts[order], np.arange(BITS + 2))


PEERS: dict[str, Callable[[Problem], Any]] = {"RDKit": RDKit, "FPSim2": FPSim2, "NumPy": NumPy}


def sides_of(problem: Problem) -> dict[str, Any]:
    """Those that are installed."""
    found: dict[str, Any] = {"gristmill": Ours(problem)}
    for name, make in PEERS.items():
        try:
            found[name] = make(problem)
        except ImportError:
            print(f"without {name}: it is not installed")
    return found


# --- measuring --------------------------------------------------------------------------------------------------------


def main(sizes: Sequence[int] = SIZES, queries: int = QUERIES, rounds: int = ROUNDS) -> None:
    """Compare, then time all sides in turn."""
    rows, timings, builds = [], {}, []
    for size in sizes:
        problem = Problem.make(size, queries)
        sides = sides_of(problem)
        builds.append(_index_line(problem.lists))
        for asked in (Asked(k=K), *(Asked(threshold=one) for one in THRESHOLDS)):
            found = check(sides, asked, min(queries, 10))
            raw = _timed(sides, asked, queries, rounds)
            timings[f"{size} {asked}"] = raw
            rows += [_line(size, asked, side, raw, found) for side in sides]
    notes = [
        f"Processor time of one thread, medians of {rounds} rounds of all sides in turn. {queries} queries for "
        "gristmill and FPSim2, as many as take about as long for the others, in one call each.",
        "Answers are equal: the same similarities, and the same rows where none are equally similar.",
        "FPSim2 is asked for the rows whose counts of bits can reach the threshold, as its engine does.",
    ]
    index = Table("The index", ["rows", "seconds", "bytes a row"], builds)
    record("nearest", "Nearest neighbours of fingerprints", COLUMNS, rows, notes, timings, more=[index])


def _index_line(lists: Rows) -> list[str]:
    seconds = cpu_seconds_of(partial(gm.NearestIndex, lists))
    return [f"{len(lists):,}", f"{seconds:.2f}", f"{gm.NearestIndex(lists).nbytes / len(lists):.0f}"]


def quick() -> None:
    """A look in a minute or so."""
    main((20_000,), 30, 3)


def _timed(sides: dict[str, Any], asked: Asked, queries: int, rounds: int) -> dict[str, Timing]:
    """Seconds a query."""
    many = {name: queries if name in ("gristmill", "FPSim2") else max(1, queries // 20) for name in sides}

    def clock(name: str) -> float:
        return cpu_seconds_of(partial(sides[name].clock, asked, many[name])) / many[name]

    return in_turn({name: partial(clock, name) for name in sides}, rounds)


def check(sides: dict[str, Any], asked: Asked, queries: int) -> float:
    """All sides find the same; how many neighbours a query has."""
    expected = [sorted(one, key=_order) for one in sides["gristmill"](asked, queries)]
    for name, side in sides.items():
        for ours, theirs in zip(expected, side(asked, queries), strict=True):
            assert len(ours) == len(theirs), (name, len(ours), len(theirs))
            ordered = sorted(theirs, key=_order)
            np.testing.assert_allclose([one[1] for one in ordered], [one[1] for one in ours], rtol=1e-6, err_msg=name)
            last = min((one[1] for one in ours), default=0.0)
            above = last + 1e-6 if asked.threshold is None else 0.0  # the last of k may be one of several
            assert {n for n, value in theirs if value > above} == {n for n, value in ours if value > above}, name
    return sum(map(len, expected)) / max(len(expected), 1)


def _order(pair: tuple[int, float]) -> tuple[float, int]:
    return -round(pair[1], 6), pair[0]


def _line(size: int, asked: Asked, side: str, timings: dict[str, Timing], found: float) -> list[Any]:
    seconds = timings[side].median
    return [
        *(f"{size:,}", str(asked), side, f"{1 / seconds:,.0f}", f"{1e9 * seconds / size:.3g}"),
        *(f"{seconds / timings['gristmill'].median:.1f}x", f"{found:.1f}"),
    ]
