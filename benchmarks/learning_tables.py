"""Claim: slicing and pushing learn what the kernel learns, in a fraction of the time, which grows with the data only.

Tables 1 to 3 and figures 1 to 4 of Yoshinaga and Kitsuregawa 2010 on public data: statistics of the data; time, memory
and accuracy of each method for d = 1, 2, 3; time against the number of expanded features; time against the number of
examples with fitted slopes. kernel is the paper's PAI KERNEL, expand its KE, split SP, slice SL-, reslice SL.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks import conll, links
from benchmarks.examples import Data, sample
from benchmarks.log_linear import LogLinearTrainer
from benchmarks.measure import Table, in_turn, record, seconds_of
from gristmill import _core
from gristmill.data.rows import as_rows
from gristmill.display.charts import Plot

DATA = {"BaseNP": conll.load, "links": links.load}
C = {"BaseNP": {1: 0.005, 2: 0.005, 3: 0.001}, "links": {1: 0.001, 2: 0.001, 3: 0.001}}
PASSES = (10, 20)
FEW = 20_000  # examples for those that grow with their square
SPLIT_N = 2_000
CURVE_N = tuple(125 * 2**power for power in range(8))
SIZES = tuple(2**power * 1_000 for power in range(1, 8))
COLUMNS = ["task", "method", "degree", "examples", "passes", "seconds", "updates", "support rows", "MB", "accuracy, %"]
LOG_LINEAR = {"penalty": 1.0, "rate": 0.1, "decay": 0.85}


@dataclass(frozen=True)
class Outcome:
    """Of one run of a method."""

    seconds: float
    updates: int
    support: int
    nbytes: int
    accuracy: float
    digest: str = ""  # of the machine


def main() -> None:
    raw: dict[str, Any] = {}
    rows = [line for task in DATA for line in _methods(task, raw)]
    by_n, by_size = _time_against_expanded(raw), _time_against_examples(raw)
    record(
        "learning_tables",
        "Online learning with conjunctive features",
        COLUMNS,
        rows,
        [
            "PA-I, averaged, one thread, seconds of one run. MB: what the engine keeps, the examples apart.",
            f"kernel and log-linear models of degree 3 learn from {FEW:,} examples.",
            "log-linear: l1, SGD with cumulative penalty, conjunctions spelled out as they come (kept: once).",
            "The data of the paper are not public: BaseNP chunks and EWT link decisions stand for its REL and DEP.",
            "The data: conjunctions of up to so many features; x: of an example, on average; F: distinct ones.",
            "Threads: medians of 3 rounds, in turn; both learned the same, bit for bit.",
            "All kernel methods took the same updates and gave the same coefficients, bit for bit.",
        ],
        raw,
        more=[_statistics(), _slopes(by_size), _threads(raw)],
        plots=[by_n, by_size],
    )


@cache
def learned(task: str, degree: int, engine: str, examples: int | None, passes: int, expanded: int | None) -> Outcome:
    """One run; AssertionError where a method has learned something else than one before it."""
    train, test = DATA[task]()
    X, y = train if examples is None else sample(train, examples)
    model = gm.OnlineKernelClassifier(degree=degree, C=C[task][degree], epochs=passes, engine=engine, expanded=expanded)
    seconds = seconds_of(lambda: model.fit(X, y))
    stats = model.stats_
    machine = model.machine_
    digest = hashlib.sha256(machine.rows.ids.tobytes() + machine.dense_coef().tobytes()).hexdigest()
    assert digest == _digests.setdefault((task, degree, examples, passes), digest), (task, degree, engine)
    return Outcome(seconds, stats.updates, machine.n_support, stats.nbytes, model.score(*test), digest)


_digests: dict[tuple[Any, ...], str] = {}  # of what was learned from the same examples


def log_linear(task: str, degree: int, examples: int | None, passes: int, *, keep: bool) -> Outcome:
    train, (queries, wanted) = DATA[task]()
    X, y = train if examples is None else sample(train, examples)
    data, test = as_rows(X), as_rows(queries)
    trainer = LogLinearTrainer(degree, **LOG_LINEAR, keep_expanded=keep)
    labels = (np.asarray(y) == 1).astype(np.int32)
    seconds = seconds_of(lambda: trainer.learn(data, labels, passes))
    right = (trainer.score(test) > 0) == (np.asarray(wanted) == 1)
    return Outcome(seconds, 0, trainer.used, trainer.nbytes, float(right.mean()))


def _methods(task: str, raw: dict[str, Any]) -> list[list[Any]]:
    lines = []
    for degree in (1, 2, 3):
        wide = task == "links" and degree == 3
        for passes in PASSES:
            for engine in ("push", *(("split", "slice", "reslice") if passes == PASSES[0] else ())):
                examples = FEW if wide and engine != "push" else None
                lines.append(_line(task, degree, engine, examples, passes, raw))
        lines.append(_line(task, degree, "expanded", FEW if degree == 3 else None, PASSES[0], raw))
        lines.append(_line(task, degree, "inverted", FEW, PASSES[0], raw))
        lines.append(_line(task, degree, "push", FEW, PASSES[0], raw))
        for keep in (False, True):
            found = log_linear(task, degree, FEW if degree == 3 else None, PASSES[0], keep=keep)
            lines.append(
                _cells(task, f"log-linear{', kept' * keep}", degree, FEW if degree == 3 else None, PASSES[0], found)
            )
    return lines


def _expanded(engine: str) -> int | None:
    return None if engine in ("push", "inverted", "expanded") else SPLIT_N


def _line(task: str, degree: int, engine: str, examples: int | None, passes: int, raw: dict[str, Any]) -> list[Any]:
    found = learned(task, degree, engine, examples, passes, _expanded(engine))
    raw[f"{task}, d={degree}, {engine}, {examples or 'all'}, {passes}"] = found
    return _cells(task, engine, degree, examples, passes, found)


def _cells(task: str, method: str, degree: int, examples: int | None, passes: int, found: Outcome) -> list[Any]:
    size = examples or DATA[task]()[0][0].shape[0]
    return [
        *(
            task,
            method,
            degree,
            f"{size:,}",
            passes,
            f"{found.seconds:.2f}",
            f"{found.updates:,}" if found.updates else "",
        ),
        *(f"{found.support:,}", f"{found.nbytes / 1e6:.0f}", f"{100 * found.accuracy:.2f}"),
    ]


def _statistics() -> Table:
    """Table 1 of the paper: examples, features, and how many conjunctions there are of them."""
    rows = []
    for task, load in DATA.items():
        data: Data = load()[0]
        X, y = as_rows(data[0]), np.asarray(data[1])
        n = X.lengths.astype(np.float64)
        pairs, triples = n * (n - 1) / 2, n * (n - 1) * (n - 2) / 6
        kinds = [_core.count_conjunctions(X.offsets, X.ids, size) for size in (1, 2, 3)]
        rows.append(
            [
                *(task, f"{len(X):,}", f"{100 * (y == 1).mean():.1f}"),
                *(f"{n.mean():.1f}", f"{(n + pairs).mean():.1f}", f"{(n + pairs + triples).mean():.1f}"),
                *(f"{count:,}" for count in np.cumsum(kinds).tolist()),
            ]
        )
    columns = ["task", "examples", "positive, %", "x", "x^2", "x^3", "F", "F^2", "F^3"]
    return Table("The data", columns, rows)


def _threads(raw: dict[str, Any]) -> Table:
    """One thread and two, in turn."""
    rows = []
    for task, degree in itertools.product(DATA, (2, 3)):
        (X, y), _ = DATA[task]()
        models = {
            jobs: gm.OnlineKernelClassifier(degree=degree, C=C[task][degree], epochs=PASSES[0], n_jobs=jobs)
            for jobs in (1, 2)
        }
        found = in_turn({str(jobs): partial(seconds_of, partial(model.fit, X, y)) for jobs, model in models.items()}, 3)
        assert np.array_equal(models[1].machine_.dense_coef(), models[2].machine_.dense_coef()), (task, degree)
        raw[f"{task}, d={degree}, threads"] = found
        one, two = found["1"].median, found["2"].median
        rows.append([task, degree, f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}x"])
    return Table("Threads", ["task", "degree", "one, s", "two, s", "gain"], rows)


def _time_against_expanded(raw: dict[str, Any]) -> Plot:
    series = {
        engine: [(float(n), _noted(raw, "BaseNP", 3, engine, FEW, n).seconds) for n in CURVE_N]
        for engine in ("split", "slice", "reslice")
    }
    return Plot(
        "expanded", f"BaseNP, degree 3, {FEW:,} examples, 10 passes", "expanded features", "seconds", series, log_x=True
    )


def _time_against_examples(raw: dict[str, Any]) -> Plot:
    largest = {"inverted": FEW * 2, "reslice": 10**9, "push": 10**9}
    series = {
        engine: [
            (float(size), _noted(raw, "BaseNP", 3, engine, size, _expanded(engine)).seconds)
            for size in SIZES
            if size <= largest[engine]
        ]
        for engine in largest
    }
    return Plot("examples", "BaseNP, degree 3, 10 passes", "examples", "seconds", series, log_x=True, log_y=True)


def _noted(raw: dict[str, Any], task: str, degree: int, engine: str, examples: int, expanded: int | None) -> Outcome:
    found = learned(task, degree, engine, examples, PASSES[0], expanded)
    raw[f"{task}, d={degree}, {engine}, {examples}, N={expanded}"] = found
    return found


def _slopes(plot: Plot) -> Table:
    rows = [[name, f"{slope(points):.2f}"] for name, points in plot.series.items()]
    return Table("Time grows with the number of examples to the power of", ["method", "slope"], rows)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the line through the logarithms, by least squares."""
    x, y = np.log(np.asarray(points)).T
    return float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())


if __name__ == "__main__":
    main()
