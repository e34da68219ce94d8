"""Claim: slicing and pushing learn what the kernel learns, in a fraction of the time, which grows with the data only.

Tables 1 to 3 and figures 1 to 4 of Yoshinaga and Kitsuregawa 2010 on public data: statistics of the data; time, memory
and accuracy of each method for d = 1, 2, 3; time against the number of expanded features; time against the number of
examples with fitted slopes. inverted is the paper's PAI KERNEL, expanded its KE, split SP, slice SL-, reslice SL.
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
from benchmarks import conjunction_keys, conll, learning_budget, links, lists
from benchmarks.chunking import cpu_seconds
from benchmarks.examples import Data, sample
from benchmarks.learning_memory import LOG_LINEAR, memory_table, self_training_table
from benchmarks.log_linear import LogLinearTrainer
from benchmarks.measure import Table, in_turn, record, seconds_of
from gristmill import _core
from gristmill.data.rows import as_rows
from gristmill.display.charts import Plot

DATA = {"BaseNP": conll.load, "links": links.load, "lists": lists.load}
C = {
    "BaseNP": {1: 0.005, 2: 0.005, 3: 0.001},
    "links": {1: 0.001, 2: 0.001, 3: 0.001},
    "lists": {1: 0.03, 2: 0.003, 3: 0.003},
}
PASSES = (10, 20)
EXPANDED = {1: 2_000, 2: 2_000, 3: 125}  # N by degree: what reslice is fastest with
WHOLE = ("expanded", "split")  # add up whole margins, as the paper's KE and SP
COLUMNS = ["task", "method", "degree", "examples", "passes", "seconds", "updates", "support rows", "MB", "accuracy, %"]


@dataclass(frozen=True)
class Sizes:
    """Examples: the most that anything learns from, and those for what grows with their square."""

    most: int | None = None
    few: int = 20_000
    some: int = 10_000  # for the curves over N
    expanded: tuple[int, ...] = tuple(125 * 4**power for power in range(5))  # N of the paper's figures 1 and 2
    examples: tuple[int, ...] = tuple(2**power * 1_000 for power in range(1, 8))  # |T| of its figures 3 and 4
    budgets: tuple[int, ...] = (250, 500, 1_000, 2_000, 4_000)  # of support rows
    labelled: int = 20_000  # before self-training
    automatic: int = 1_000_000  # in self-training


@dataclass(frozen=True)
class Outcome:
    """Of one run of a method."""

    seconds: float
    updates: int
    support: int
    nbytes: int
    accuracy: float
    digest: str = ""  # of the machine


def main(sizes: Sizes = Sizes()) -> None:
    raw: dict[str, Any] = {}
    rows = [line for task in DATA for line in _methods(task, sizes, raw)]
    by_n = [_time_against_expanded(task, sizes, raw) for task in DATA]
    growth = {task: _growth(task, sizes, raw) for task in DATA}
    record(
        "learning_tables",
        "Online learning with conjunctive features",
        COLUMNS,
        rows,
        [
            "PA-I, averaged, one thread, CPU seconds of one run. MB: what the engine keeps, the examples apart.",
            f"Methods that do not get far with all examples learn from {sizes.few:,} of them. As in the paper, "
            "inverted, expanded and split add up whole margins; the others stop where no step can be needed.",
            "split, slice and reslice expand 2,000 features, at degree 3 125: what reslice is fastest with.",
            "log-linear: l1, SGD with cumulative penalty, conjunctions spelled out as they come (kept: once).",
            "The data of the paper are not at hand: decisions of a parser (links) stand for its DEP, pairs of words "
            "out of lists for its REL; BaseNP chunks beside them.",
            "The data: conjunctions of up to so many features; x: of an example, on average; F: distinct ones.",
            "Growth: a kernel learner reads the support rows for each example, so its power is about 1 and that of "
            "the support rows together. These grow more slowly than the examples, which repeat themselves.",
            "Threads: medians of 3 rounds, in turn; both learned the same, bit for bit.",
            "Bytes of a conjunction: the trie of the paper has the variable-byte codes of ranks as keys, in a double "
            "array, which takes at least 8 bytes a node and as many for the weight. The learners here keep an edge in "
            "a hash table; compiled: all that a scorer takes, for each conjunction.",
            f"A budget of support rows: BaseNP, degree 2, {sizes.few:,} examples, not averaged.",
            "Memory of the process: BaseNP, 10 passes, how far it grew at most beyond the examples.",
            "Self-training: BaseNP, degree 2; answers beyond a margin of 1 are learned as they are, block by block.",
            "All kernel methods took the same updates and gave the same coefficients, bit for bit.",
        ],
        raw,
        more=[
            *(_statistics(sizes), _slopes(growth), _threads(sizes, raw), conjunction_keys.table(_machines(sizes))),
            learning_budget.table(*_budget_task(sizes), sizes.budgets),
            *(memory_table(sizes.few), self_training_table(sizes.labelled, sizes.automatic)),
        ],
        plots=[*by_n, *(_growth_plot(task, found) for task, found in growth.items())],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(Sizes(5_000, 2_000, 1_000, (125, 2_000), (500, 1_000, 2_000), (100, 500), 2_000, 20_000))


@cache
def learned(task: str, degree: int, engine: str, examples: int | None, passes: int, expanded: int | None) -> Outcome:
    """One run; AssertionError where a method has learned something else than one before it."""
    X, y = _train(task, examples)
    model = gm.OnlineKernelClassifier(
        degree=degree,
        C=C[task][degree],
        epochs=passes,
        engine=engine,
        expanded=expanded,
        early_termination=engine not in WHOLE,
        n_jobs=1,
    )
    seconds = cpu_seconds(lambda: model.fit(X, y))
    stats = model.stats_
    machine = model.machine_
    digest = hashlib.sha256(machine.rows.ids.tobytes() + machine.dense_coef().tobytes()).hexdigest()
    assert digest == _digests.setdefault((task, degree, examples, passes), digest), (task, degree, engine)
    return Outcome(seconds, stats.updates, machine.n_support, stats.nbytes, model.score(*DATA[task]()[1]), digest)


_digests: dict[tuple[Any, ...], str] = {}  # of what was learned from the same examples


def _train(task: str, examples: int | None) -> Data:
    train, _ = DATA[task]()
    return train if examples is None else sample(train, examples)


def log_linear(task: str, degree: int, examples: int | None, passes: int, *, keep: bool) -> Outcome:
    (X, y), (queries, wanted) = _train(task, examples), DATA[task]()[1]
    data, test = as_rows(X), as_rows(queries)
    trainer = LogLinearTrainer(degree, **LOG_LINEAR, keep_expanded=keep)
    labels = (np.asarray(y) == 1).astype(np.int32)
    seconds = cpu_seconds(lambda: trainer.learn(data, labels, passes))
    right = (trainer.score(test) > 0) == (np.asarray(wanted) == 1)
    return Outcome(seconds, 0, trainer.used, trainer.nbytes, float(right.mean()))


def _methods(task: str, sizes: Sizes, raw: dict[str, Any]) -> list[list[Any]]:
    lines = []
    for degree in (1, 2, 3):
        lines += [_line(task, degree, "push", sizes.most, passes, raw) for passes in PASSES]
        most = sizes.few if task == "links" else sizes.most
        lines += [_line(task, degree, engine, most, PASSES[0], raw) for engine in ("split", "slice", "reslice")]
        most = sizes.few if task == "links" or degree == 3 else sizes.most
        lines.append(_line(task, degree, "expanded", most, PASSES[0], raw))
        lines += [_line(task, degree, engine, sizes.few, PASSES[0], raw) for engine in ("inverted", "push")]
        for keep in (False, True):
            found = log_linear(task, degree, most, PASSES[0], keep=keep)
            lines.append(_cells(task, f"log-linear{', kept' * keep}", degree, most, PASSES[0], found))
    return lines


def _expanded(engine: str, degree: int) -> int | None:
    return None if engine in ("push", "inverted", "expanded") else EXPANDED[degree]


def _line(task: str, degree: int, engine: str, examples: int | None, passes: int, raw: dict[str, Any]) -> list[Any]:
    found = learned(task, degree, engine, examples, passes, _expanded(engine, degree))
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


def _statistics(sizes: Sizes) -> Table:
    """Table 1 of the paper: examples, features, and how many conjunctions there are of them."""
    rows = []
    for task in DATA:
        matrix, labels = _train(task, sizes.most)
        X, y = as_rows(matrix), np.asarray(labels)
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


def _threads(sizes: Sizes, raw: dict[str, Any]) -> Table:
    """One thread and two, in turn."""
    rows = []
    for task, degree in itertools.product(DATA, (2, 3)):
        X, y = _train(task, sizes.most)
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


def _machines(sizes: Sizes) -> dict[tuple[str, int], gm.Machine]:
    """By task and degree."""
    return {
        (task, degree): gm.OnlineKernelClassifier(degree=degree, C=C[task][degree], epochs=PASSES[0])
        .fit(*_train(task, sizes.few))
        .machine_
        for task, degree in itertools.product(DATA, (2, 3))
    }


def _budget_task(sizes: Sizes) -> tuple[Data, Data, dict[str, Any]]:
    """The data, and the settings to learn with."""
    task, degree = next(iter(DATA)), 2
    settings = {"degree": degree, "C": C[task][degree], "epochs": PASSES[0], "n_jobs": 1}
    return _train(task, sizes.few), DATA[task]()[1], settings


def _time_against_expanded(task: str, sizes: Sizes, raw: dict[str, Any]) -> Plot:
    series = {
        engine: [(float(n), _noted(raw, task, engine, sizes.some, n).seconds) for n in sizes.expanded]
        for engine in ("split", "slice", "reslice")
    }
    title = f"{task}, degree 3, {sizes.some:,} examples, 10 passes"
    return Plot(f"expanded-{task}", title, "expanded features", "seconds", series, log_x=True, log_y=True)


Growth = dict[str, dict[int, Outcome]]  # by engine and number of examples


def _growth(task: str, sizes: Sizes, raw: dict[str, Any]) -> Growth:
    largest = {"inverted": sizes.few * 2, "split": sizes.few, "reslice": 10**9, "push": 10**9}
    available = DATA[task]()[0][0].shape[0]
    return {
        engine: {
            size: _noted(raw, task, engine, size, _expanded(engine, 3))
            for size in sizes.examples
            if size <= min(limit, available)
        }
        for engine, limit in largest.items()
    }


def _growth_plot(task: str, growth: Growth) -> Plot:
    series = {name: [(float(n), one.seconds) for n, one in found.items()] for name, found in growth.items()}
    title = f"{task}, degree 3, 10 passes"
    return Plot(f"examples-{task}", title, "examples", "seconds", series, log_x=True, log_y=True)


def _noted(raw: dict[str, Any], task: str, engine: str, examples: int, expanded: int | None) -> Outcome:
    found = learned(task, 3, engine, examples, PASSES[0], expanded)
    raw[f"{task}, d=3, {engine}, {examples}, N={expanded}"] = found
    return found


def _slopes(growth: dict[str, Growth]) -> Table:
    rows = []
    for task, by_engine in growth.items():
        for engine, found in by_engine.items():
            seconds = slope([(n, one.seconds) for n, one in found.items()])
            rows.append(
                [task, engine, f"{seconds:.2f}", f"{slope([(n, one.support) for n, one in found.items()]):.2f}"]
            )
    columns = ["task", "method", "seconds", "support rows"]
    return Table("Growth with the number of examples, to the power of", columns, rows)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the line through the logarithms, by least squares."""
    x, y = np.log(np.asarray(points)).T
    return float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())


if __name__ == "__main__":
    main()
