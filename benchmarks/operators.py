"""Margins of all examples for weights of some of them: by the compiled operator of a tree kernel, and by its rows."""

from __future__ import annotations

import gc
import tempfile
import time
from ctypes import CDLL
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.measure import Missing, Timing, in_turn, seconds_of
from benchmarks.trees import TreeKernelProgram
from gristmill.kernels import Kernel, KernelRows

Floats = NDArray[np.float64]

SUPPORT, SAMPLE, BLOCK, QUERIES, ROUNDS = 10_000, 1_000, 25, 200, 5
PATIENCE, MAX_BYTES = 120.0, 4 << 30  # seconds and memory for compiling
SLOW = 20.0  # seconds: what compiles for longer does so once


class TooSlow(Exception):  # noqa: N818
    """Compiling takes longer than anyone wants to wait."""


@dataclass(frozen=True)
class Problem:
    """Examples; the support trees among them, chosen at random, and a sample to compare and to time rows on."""

    kernel: Kernel
    forest: gm.Forest
    seed: int = 0

    @cached_property
    def support(self) -> NDArray[np.intp]:
        return self._choose(SUPPORT, len(self.forest), 1)

    @cached_property
    def sample(self) -> NDArray[np.intp]:
        """Whole blocks of neighbours, which are often of one sentence: rows remember what they share."""
        n = len(self.forest)
        blocks = self._choose(SAMPLE // BLOCK, -(-n // BLOCK), 2)
        numbers = (blocks[:, None] * BLOCK + np.arange(BLOCK)).ravel()
        return numbers[numbers < n]

    def weights(self, sides: int = 1) -> Floats:
        """Of the support trees, for so many right-hand sides."""
        return np.random.default_rng([self.seed, 3]).normal(size=(len(self.support), sides))

    def spread(self, weights: Floats) -> Floats:
        """Weights of all examples: zero outside the support."""
        spread = np.zeros((len(self.forest), weights.shape[1]))
        spread[self.support] = weights
        return spread[:, 0] if weights.shape[1] == 1 else spread

    @cached_property
    def rows(self) -> KernelRows:
        return self.kernel.rows(self.forest[self.support])

    def sums(self, numbers: NDArray[np.intp], weights: Floats) -> Floats:
        """By rows, a small block at a time: finding memory for large ones takes the system longer than the rows."""
        blocks = [numbers[begin : begin + BLOCK] for begin in range(0, len(numbers), BLOCK)]
        return np.concatenate([self.rows.against(self.forest[block], n_jobs=1) @ weights for block in blocks])

    def compiled(self, n_jobs: int = 1) -> Any:
        """The operator; ValueError if it is too large, TooSlow if it takes too long."""
        options = {"method": "compiled", "max_bytes": MAX_BYTES, "n_jobs": n_jobs, "progress": _patience()}
        return self.kernel.operator(self.forest, **options)

    def chosen(self) -> str:
        """What the kernel itself chooses: 'compiled' or 'rows'."""
        try:
            return str(self.kernel.operator(self.forest, max_bytes=MAX_BYTES, progress=_patience()).method)
        except TooSlow:
            return "compiled"

    def compare(self, operator: Any, sides: int = 1) -> None:
        """The operator's sums are those of the rows, within 1e-9 of sum_i |w_i| k(s_i, x)."""
        weights = self.weights(sides)
        ours = (operator @ self.spread(weights))[self.sample].reshape(-1, sides)
        allowed = 1e-9 * self.sums(self.sample, np.abs(weights))
        assert np.all(np.abs(ours - self.sums(self.sample, weights)) <= allowed), self.kernel

    def _choose(self, number: int, among: int, stream: int) -> NDArray[np.intp]:
        random = np.random.default_rng([self.seed, stream])
        return np.sort(random.choice(among, min(number, among), replace=False))


@dataclass(frozen=True)
class Outcome:
    """Of one kernel on some examples. Without an operator there is a reason, and rows alone were timed."""

    data: str
    kernel: str
    n: int
    subtrees: int
    timings: dict[str, Timing]  # seconds to compile, to apply, to apply with 2 threads, to go by rows
    trees: int = 0
    nbytes: int = 0
    growth: int = 0
    reason: str = ""
    chosen: str = ""  # by method='auto'

    def seconds(self, what: str) -> float:
        """The median; nan where nothing was timed."""
        return self.timings[what].median if what in self.timings else float("nan")


def measure(data: str, name: str, problem: Problem) -> Outcome:
    """Compare, then time all sides in turn."""
    n, subtrees = len(problem.forest), problem.forest.n_subtrees
    rows = {"rows": partial(_seconds_by_rows, problem)}
    begin = time.perf_counter()
    try:
        growth, operator = peak_growth(problem.compiled)
    except (TooSlow, ValueError) as refusal:
        reason = str(refusal) if isinstance(refusal, TooSlow) else f"over {MAX_BYTES >> 30} GB"
        return Outcome(data, name, n, subtrees, in_turn(rows, ROUNDS), reason=reason, chosen=problem.chosen())
    seconds = time.perf_counter() - begin
    problem.compare(operator)
    weights = problem.spread(problem.weights())
    clocks = {"apply": partial(seconds_of, partial(operator.__matmul__, weights)), **rows}
    if seconds < SLOW:
        both = problem.compiled(n_jobs=2)
        assert np.array_equal(operator @ weights, both @ weights), name
        clocks["apply, 2 threads"] = partial(seconds_of, partial(both.__matmul__, weights))
        clocks["compile"] = partial(seconds_of, problem.compiled)
    once = {"compile": Timing(seconds, seconds, seconds, 1)}
    timings = once | in_turn(clocks, ROUNDS)
    sizes = {"trees": operator.n_trees, "nbytes": operator.nbytes, "growth": growth}
    return Outcome(data, name, n, subtrees, timings, **sizes, chosen=problem.chosen())


def _seconds_by_rows(problem: Problem) -> float:
    """For all examples, from those of the sample; memory is found for a block before the clock runs."""
    problem.sums(problem.sample[:BLOCK], problem.weights())
    seconds = seconds_of(partial(problem.sums, problem.sample, problem.weights()))
    return seconds * len(problem.forest) / len(problem.sample)


def find_peer() -> TreeKernelProgram | None:
    """SVM-light-TK, where it is."""
    try:
        return TreeKernelProgram.find()
    except Missing as reason:
        print(f"without the peer: {reason}")
        return None


def seconds_by_peer(program: TreeKernelProgram, kernel: Kernel, support: gm.Forest, queries: gm.Forest) -> float:
    """Seconds an evaluation of the kernel takes SVM-light-TK, after comparing the answers."""
    ones = np.ones(len(support))
    with tempfile.TemporaryDirectory() as folder:
        seconds, theirs = program.classify(kernel, list(support), list(queries), Path(folder))
    np.testing.assert_allclose(theirs, kernel.rows(support).against(queries) @ ones, rtol=1e-4)
    return seconds / (len(support) * len(queries))


def _patience() -> Any:
    end = time.perf_counter() + PATIENCE

    def progress(done: int, total: int) -> None:
        if time.perf_counter() > end:
            raise TooSlow(f"over {PATIENCE:.0f} s")

    return progress


def peak_growth(call: Any) -> tuple[int, Any]:
    """By how many bytes the memory of this process grew at most during a call, and its result."""
    gc.collect()
    CDLL(None).malloc_trim(0)  # or the call would fill memory that others have left
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is now what there is now
    before = _memory("VmRSS")
    result = call()
    return _memory("VmHWM") - before, result


def _memory(what: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))
