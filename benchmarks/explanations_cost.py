"""What explanations of machines of all shapes cost beside one scoring of the same rows, and how the rest compares.

Machines learn from the corpora here and now; rows are different ones of the test part, read and checked before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks import conll, links, segmentation, svm_contest
from benchmarks.cost_cases import distinct
from benchmarks.examples import Data, sample
from benchmarks.explanations_check import check
from benchmarks.machines import assert_exact
from benchmarks.measure import Timing, alternate
from gristmill.data.rows import Rows
from gristmill.explanations import rules_of
from gristmill.scoring.scorer import Scorer

INVERTED, EXPANDED, VALUES, PAIRS = "inverted", "expanded", "values", "interactions"
AVERAGE, PAIR_AVERAGE, RULES = "importance", "importance with interactions", "rules"
QUERIES, TOP = 3_000, 100
MAX_BYTES = 1 << 30  # of the expanded engine


@dataclass(frozen=True)
class Case:
    """A corpus, an estimator, and how many examples it learns from."""

    name: str
    load: Callable[[], tuple[Data, Data]]
    estimator: Callable[[], Any]
    train: int

    def __str__(self) -> str:
        return self.name


def _svc(degree: int, C: float) -> Callable[[], Any]:
    return partial(gm.KernelSVC, degree=degree, C=C, multiclass="ovr")


CASES = (
    Case("a9a d=2", partial(svm_contest.load, "a9a"), _svc(2, 0.01), 20_000),
    Case("a9a d=3", partial(svm_contest.load, "a9a"), _svc(3, 0.0001), 20_000),
    Case("BaseNP d=2", conll.load, _svc(2, 1.0), 20_000),
    Case("segmentation d=3", segmentation.load, _svc(3, 1.0), 20_000),
    Case("links d=2, online", links.load, partial(gm.OnlineKernelClassifier, degree=2, C=0.005, epochs=2), 120_000),
    Case("chunk tags d=2", conll.load_tags, _svc(2, 1.0), 20_000),
)
QUICK = (Case("BaseNP d=2", conll.load, _svc(2, 1.0), 2_000),)


@dataclass(frozen=True)
class Cost:
    """Timings of all sides for one machine; of rules they are for the machine, of others for all rows."""

    case: str
    machine: gm.Machine
    rows: Rows
    timings: dict[str, Timing]

    def over(self, side: str, base: str = INVERTED) -> float:
        return self.timings[side].median / self.timings[base].median

    def spread(self, side: str) -> str:
        """Microseconds a row: the median, the fastest and the slowest round."""
        timing = self.timings[side]
        middle, low, high = (f"{1e6 * t / len(self.rows):.3g}" for t in (timing.median, timing.fastest, timing.slowest))
        return f"{middle} ({low} to {high})"

    def rows_a_second(self, side: str) -> float:
        return len(self.rows) / self.timings[side].median


def weigh(case: Case, rounds: int, queries: int = QUERIES) -> Cost:
    """All sides give what they should, then take turns."""
    train, (test, _) = case.load()
    machine = case.estimator().fit(*sample(train, case.train)).machine_
    chosen = np.random.default_rng(1).permutation(test.shape[0])[: 2 * queries]
    rows = distinct(test[chosen])
    rows = rows.take(np.arange(min(queries, len(rows))))
    check(machine, rows)
    return Cost(case.name, machine, rows, alternate(dict(_sides(machine, rows)), rounds))


def _sides(machine: gm.Machine, rows: Rows) -> Iterator[tuple[str, Callable[[], Any]]]:
    inverted, explainer = machine.compile("inverted"), gm.Explainer(machine)
    _assert_direct(inverted, rows)
    yield INVERTED, partial(inverted.decision_function, rows)
    yield VALUES, partial(explainer, rows)
    yield PAIRS, partial(explainer, rows, interactions=True)
    yield AVERAGE, partial(explainer.importance, rows)
    yield PAIR_AVERAGE, partial(explainer.importance, rows, interactions=True)
    yield RULES, partial(rules_of, machine, top=TOP)
    try:
        expanded = machine.compile("expanded", max_bytes=MAX_BYTES)
    except ValueError as too_large:
        print(f"  no expanded engine: {too_large}")
    else:
        _assert_direct(expanded, rows)
        yield EXPANDED, partial(expanded.decision_function, rows)


def _assert_direct(scorer: Scorer, rows: Rows) -> None:
    few = rows.take(np.arange(min(100, len(rows))))
    scores: NDArray[np.float64] = scorer.machine.compile("direct").decision_function(few)
    assert_exact(scorer, few, scores)
