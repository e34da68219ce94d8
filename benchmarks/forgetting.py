"""Claim: forgetting a training example is ten times quicker than learning anew without it, at the same gap.

BaseNP decisions (CoNLL-2000, 211,727 examples) and a9a with polynomial kernels: one support vector, and a hundred
examples by chance, are forgotten by `KernelSVC.forget`, from an estimator that kept its examples and from one that is
given them again; beside it `fit` on the others. Both end by the same tolerance; before times count, scores on held-out
examples have to agree, and the relative gap of the objective is computed for both.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.measure import Table, in_turn, record
from benchmarks.svm_contest import load
from gristmill.display.words import counted
from gristmill.solvers.batch.forgetting import relative_gap

TOL = 1e-3
APART = 0.05  # of scores: each side may be off by some tolerances
WANTED = 10
FIT, KEPT, GIVEN = "fit anew", "forget, examples kept", "forget, examples given again"
COLUMNS = [
    *("data", "examples", "degree", "C", "forgotten", "of them support vectors", "side", "seconds", "over fit anew"),
    *("relative gap", "scores apart"),
]


@dataclass(frozen=True)
class Case:
    data: str
    degree: int
    C: float
    n: int | None = None  # examples; None: all
    single: int = 3  # support vectors that are forgotten one by one; the time is the median of theirs


FULL = (
    *(Case("BaseNP", 2, 0.001), Case("BaseNP", 3, 0.001)),
    Case("a9a", 2, 0.01),
)
QUICK = (Case("BaseNP", 2, 0.001, 20_000, 2), Case("BaseNP", 3, 0.001, 20_000, 2))


def main(cases: tuple[Case, ...] = FULL, rounds: int = 1) -> None:
    found = [_measured(case, rounds) for case in cases]
    record(
        "forgetting",
        "Forgetting beside learning anew",
        COLUMNS,
        [row for rows, _ in found for row in rows],
        [
            f"{counted(rounds, 'round')}, all sides in turn, one thread, seconds of the processor. *One* is the median "
            "over several support vectors, drawn by chance; a hundred examples are drawn by chance from all.",
            f"All end at a violation of {TOL:g}. *Relative gap*: how far the objective may be above its minimum, by "
            "the duality gap of the solution. Forgetting goes on until it is not above that of the machine it begins "
            "with. *Scores apart*: from those of the machine learned anew, on other data.",
        ],
        {f"{case}": raw for case, (_, raw) in zip(cases, found, strict=True)},
        more=[_claims([row for rows, _ in found for row in rows])],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK, 1)


def _measured(case: Case, rounds: int) -> tuple[list[list[Any]], dict[str, Any]]:
    (X, y), (test, _) = load(case.data)
    X, y = sp.csr_matrix(X)[: case.n], np.asarray(y)[: case.n]
    learned = {kept: _learner(case, kept).fit(X, y) for kept in (True, False)}
    rng = np.random.default_rng(0)
    singles = [np.array([one]) for one in rng.choice(learned[True].support_, case.single, replace=False)]
    rows, raw = list[list[Any]](), dict[str, Any]()
    for which in (singles, [rng.choice(X.shape[0], 100, replace=False)]):
        some, times = _beside(case, learned, (X, y, test), which, rounds)
        rows += some
        raw[str(len(which[0]))] = times
    return rows, raw


def _learner(case: Case, kept: bool) -> gm.KernelSVC:
    return gm.KernelSVC(degree=case.degree, C=case.C, tol=TOL, keep_examples=kept)


def _beside(
    case: Case,
    learned: dict[bool, gm.KernelSVC],
    data: tuple[sp.csr_matrix, NDArray[Any], Any],
    which: list[NDArray[Any]],
    rounds: int,
) -> tuple[list[list[Any]], Any]:
    X, y, test = data
    timings = {side: list[float]() for side in (FIT, KEPT, GIVEN)}
    facts = dict[str, tuple[float, float]]()
    support = list[int]()
    for gone in which:
        rest = np.setdiff1d(np.arange(X.shape[0]), gone)
        less, labels = X[rest], y[rest]
        anew = _learner(case, True).fit(less, labels)
        expected = anew.decision_function(test)
        facts[FIT] = relative_gap(anew._learned.fit), 0.0
        for side, kept in ((KEPT, True), (GIVEN, False)):
            one = _forgetting(learned[kept], gone, () if kept else (X, y))()
            apart = float(np.abs(one.decision_function(test) - expected).max())
            assert apart <= APART, f"{case}, {side}: scores are {apart} apart"
            facts[side] = one.receipt_.gap, apart
        support.append(one.receipt_.support_forgotten)
        clocks: dict[str, Callable[[], float]] = {
            FIT: partial(_cpu_seconds, partial(_learner(case, False).fit, less, labels)),
            KEPT: partial(_clock, learned[True], gone, ()),
            GIVEN: partial(_clock, learned[False], gone, (X, y)),
        }
        for side, timing in in_turn(clocks, rounds).items():
            timings[side].append(timing.median)
    base = median(timings[FIT])
    size = f"{len(which[0])}"
    rows = [
        [
            *(case.data, f"{X.shape[0]:,}", case.degree, case.C, size, f"{median(support):g}", side),
            *(f"{median(seconds):.3f}", f"{base / median(seconds):.1f}x"),
            *(f"{facts[side][0]:.1e}", f"{facts[side][1]:.1e}"),
        ]
        for side, seconds in timings.items()
    ]
    return rows, timings


def _clock(clf: gm.KernelSVC, gone: NDArray[Any], examples: tuple[Any, ...]) -> float:
    return _cpu_seconds(_forgetting(clf, gone, examples))


def _cpu_seconds(call: Callable[[], Any]) -> float:
    """Of this process, whatever else the machine does: all sides take one thread."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def _forgetting(clf: gm.KernelSVC, gone: NDArray[Any], examples: tuple[Any, ...]) -> Callable[[], gm.KernelSVC]:
    """The call, on a copy that has made no more rows of the kernel than the fit did."""
    own = copy.copy(clf)
    own._learned = copy.copy(clf._learned)
    if clf._examples is not None:
        own._examples = copy.copy(clf._examples)
        object.__setattr__(own._examples, "rows", copy.copy(clf._examples.rows))
    return lambda: own.forget(gone, *examples)


def _claims(rows: list[list[Any]]) -> Table:
    """Of the sides that kept their examples."""
    kept = [row for row in rows if row[6] == KEPT]
    claims = [[f"forgetting {row[4]}, {row[0]}, degree {row[2]}, C={row[3]}", f"{WANTED}x", row[8]] for row in kept]
    return Table("What was wanted", ["what", "wanted", "found"], claims)
