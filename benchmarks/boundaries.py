"""The tasks of Severyn and Moschitti 2010, machines trained on them, and how these are judged.

Boundaries of semantic roles (section 5.2): which nodes of a parsed sentence are arguments of a predicate? Sections 02
to 21 of the Wall Street Journal are learned from, in the order of the file, 23 and 24 are judged by F1. Questions:
which are of one class? Each training has one thread and, so that its memory can be told, a process of its own; seconds
are those of its processor. What it learned is judged by the objective over all examples, which the operator of the
kernel gives for any support trees.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import resource
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

import gristmill as gm
from benchmarks.measure import corpora
from benchmarks.srl import Form, boundary_examples
from gristmill.kernels import Kernel

TESTS = {"23": "wsj_delex.test_23", "24": "wsj_delex.dev_24"}
CORPORA = {
    "WSJ": ("wsj_delex.train_02-21", TESTS),  # tags are leaves
    "EWT": ("ewt.train", {"test": "ewt.test", "dev": "ewt.dev"}),  # words are
}
SST = gm.Normalized(gm.SubsetTreeKernel(decay=0.4))
ROUNDS = 500  # at most, of sampled planes
SEED = 1
MEMORY = 8 << 30
TOLERANCE = 1e-3

Labels = NDArray[np.int8]


@dataclass(frozen=True)
class Task:
    """Examples to learn from, and those that judge."""

    X: gm.Forest
    y: Labels
    tests: Mapping[str, tuple[gm.Forest, Labels]]

    def first(self, n: int) -> Task:
        return Task(self.X[:n], self.y[:n], self.tests)

    def unjudged(self) -> Task:
        """For trainings that are only timed."""
        return Task(self.X, self.y, {})

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True)
class Side:
    """A way to train."""

    name: str
    options: Mapping[str, Any]


EXACT = Side("exact", {"solver": "cutting-plane"})
TIGHT = Side("exact, tol = 1e-4", {"solver": "cutting-plane", "tol": 1e-4})
SMO = Side("smo", {"solver": "smo", "convert": False})


def uniform(size: int) -> Side:
    return _sampled("uniform", size)


def importance(size: int) -> Side:
    return _sampled("importance", size)


def _sampled(kind: str, size: int) -> Side:
    how = {"sampling": kind, "sample_size": size, "max_iter": ROUNDS, "random_state": SEED}
    return Side(f"{kind}, r = {size:,}", {"solver": "cutting-plane", **how})


@dataclass(frozen=True)
class Learned:
    """What a training took, and support trees with their weights."""

    seconds: float
    rounds: int
    ended: bool  # by its own test, not by the limit of rounds
    support: NDArray[np.intp]
    weights: NDArray[np.float64]
    intercept: float
    dual: float  # the objective, LIBSVM's sign
    peak: int  # bytes of the process at most, examples included
    f1: tuple[float, ...]  # %, by test

    @property
    def f1_cells(self) -> list[str]:
        return [f"{value:.2f}" for value in self.f1]


class Judge:
    """Objectives over all examples of a task."""

    def __init__(self, X: gm.Forest, y: Labels, kernel: Kernel = SST) -> None:
        self._X, self._y, self._kernel = X, y, kernel

    @cached_property
    def _operator(self) -> Any:
        return self._kernel.operator(self._X, max_bytes=MEMORY, n_jobs=1)

    def mean_objective(self, learned: Learned, C: float) -> float:
        """|w|^2 / 2C and the sum of hinge losses, over the number of examples."""
        weights = np.zeros(len(self._y))
        weights[learned.support] = learned.weights
        values = self._operator @ weights
        losses = np.maximum(1 - self._y * (values + learned.intercept), 0)
        return float(weights @ values / (2 * C) + losses.sum()) / len(self._y)

    def beyond(self, learned: Learned, best: Learned, C: float) -> str:
        """By how many % its objective is above another's."""
        found, least = (self.mean_objective(each, C) for each in (learned, best))
        return f"{100 * (found / least - 1):+.2f}"


@lru_cache(maxsize=1)
def boundaries(n: int, form: Form = "path", corpus: str = "WSJ") -> Task:
    """The first n examples, at most all; all of both tests."""
    tests = _tests(form, corpus)
    X, y = boundary_examples(CORPORA[corpus][0], n, form)
    _trim()
    return Task(X, y, tests)


@lru_cache
def _tests(form: Form, corpus: str) -> Mapping[str, tuple[gm.Forest, Labels]]:
    return {part: boundary_examples(name, None, form) for part, name in CORPORA[corpus][1].items()}


def questions(kind: str, n: int | None = None) -> Task:
    """One class against the others."""
    (X, y), (queries, gold) = (gm.read_trees(corpora() / f"qc/{part}.tk.gz") for part in ("train", "test"))
    return Task(X[:n], _one_of(y[:n], kind), {"test": (queries, _one_of(gold, kind))})


def _one_of(classes: NDArray[Any], kind: str) -> Labels:
    return np.where(np.asarray(classes) == kind, 1, -1).astype(np.int8)


def train(task: Task, side: Side, C: float = 1.0, kernel: Kernel | str = SST) -> Learned:
    """In a process of its own."""
    learned: Learned = apart(lambda: _train(task, side, C, kernel))
    how = f"C={C:g}" if kernel is SST else f"C={C:g} {kernel}"
    print(
        f"{len(task):,} {side.name} {how}: {learned.seconds:.2f} s, {learned.rounds} rounds, "
        f"{len(learned.support):,} support trees, F1 {' '.join(learned.f1_cells)}, {learned.peak / 1e6:.0f} MB",
        flush=True,
    )
    return learned


def _train(task: Task, side: Side, C: float, kernel: Kernel | str) -> Learned:
    options = {"tol": TOLERANCE, "max_bytes": MEMORY, "n_jobs": 1, **side.options}
    clf: Any = gm.KernelSVC(kernel, C=C, **options)
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gm.ConvergenceWarning)
        clf.fit(task.X, task.y)
    seconds = time.process_time() - begin
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    support, weights = different(task.X, clf.support_, clf.dual_coef_[0])
    found = clf.intercept_[0], float(clf.objective_[0])
    scores = tuple(100 * f1(clf.predict(trees), gold) for trees, gold in task.tests.values())
    return Learned(seconds, int(clf.n_iter_[0]), not clf.fit_status_, support, weights, *found, peak, scores)


def different(X: gm.Forest, support: Any, weights: Any) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Equal support trees as one, with the sum of their weights."""
    _, first, places = np.unique(X[support]._roots, return_index=True, return_inverse=True)
    sums = np.bincount(places, weights=weights)
    return np.asarray(support)[first[sums != 0]], sums[sums != 0]


def f1(found: NDArray[Any], gold: Labels) -> float:
    right = int(((found > 0) & (gold > 0)).sum())
    return 2 * right / max(int((found > 0).sum()) + int((gold > 0).sum()), 1)


def rank_correlation(some: Sequence[float], others: Sequence[float]) -> float:
    """Spearman's; not a number where all are equal."""
    if min(len(set(some)), len(set(others))) < 2:
        return float("nan")
    return float(spearmanr(some, others).statistic)


# --- a process of its own ---------------------------------------------------------------------------------------------


def apart(call: Callable[[], Any]) -> Any:
    """What it gives, from a copy of this process, which ends with it."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(sender, call))
    child.start()
    sender.close()
    try:
        is_good, found = receiver.recv()
    except EOFError:
        child.join()
        raise RuntimeError(f"a training ended with {child.exitcode}") from None
    child.join()
    if not is_good:
        raise RuntimeError(found)
    return found


def _send(sender: Any, call: Callable[[], Any]) -> None:
    try:
        sender.send((True, call()))
    except BaseException:  # told to the process that waits
        sender.send((False, traceback.format_exc()))


def _trim() -> None:
    """What reading took is given back, so that it does not count as a training's memory."""
    ctypes.CDLL(None).malloc_trim(0)
