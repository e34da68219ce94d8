"""Memory of learning with conjunctions, each run in a process of its own.

How much memory grows while conjunctions are made anew in each pass or kept for every example, as footnote 8 of
Yoshinaga and Kitsuregawa 2010 says; and self-training, their future work: a model that learns from its own answers.
`python -m benchmarks.learning_memory JSON` is a process that learns.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import gristmill as gm
from benchmarks import conll
from benchmarks.chunking import cpu_seconds
from benchmarks.examples import sample
from benchmarks.launch import call
from benchmarks.log_linear import LogLinearTrainer
from benchmarks.measure import Table
from benchmarks.operators import peak_growth
from gristmill.data.rows import as_rows

ROOT = Path(__file__).parents[1]
METHODS = ("push", "expanded", "log-linear", "log-linear, kept")
LOG_LINEAR = {"penalty": 1.0, "rate": 0.1, "decay": 0.85}
COSTS = {2: 0.005, 3: 0.001}
PASSES = 10
BLOCK = 20_000
SURE = 1.0  # the margin of an answer to learn from
RAM = 200  # MB that self-training may take


@dataclass(frozen=True)
class Grown:
    """By how many bytes memory grew at most, in how many seconds."""

    seconds: float
    bytes: int


@dataclass(frozen=True)
class SelfTrained:
    """What came of it: shares of right answers of the test part before and after, and examples learned from."""

    seconds: float
    bytes: int
    before: float
    after: float
    examples: int
    support: int


def memory_table(examples: int) -> Table:
    """All methods on so many examples."""
    rows = []
    for degree in COSTS:
        for method in METHODS:
            found = Grown(**_in_process({"method": method, "degree": degree, "examples": examples}))
            rows.append([degree, method, f"{examples:,}", f"{found.seconds:.2f}", f"{found.bytes / 1e6:.0f}"])
    return Table("Memory of the process", ["degree", "method", "examples", "CPU seconds", "grown by, MB"], rows)


def self_training_table(labelled: int, wanted: int) -> Table:
    """Self-training until so many examples were learned with labels of the model's own."""
    found = SelfTrained(**_in_process({"labelled": labelled, "wanted": wanted}))
    assert found.examples >= wanted, found
    assert found.bytes < RAM * 1e6, found
    shares = [f"{100 * share:.2f}" for share in (found.before, found.after)]
    took = [f"{found.seconds:.1f}", f"{found.bytes / 1e6:.0f}", f"{RAM}", f"{found.support:,}"]
    columns = [
        *("labelled examples", "labelled by the model", "accuracy before, %", "after, %"),
        *("CPU seconds", "grown by, MB", "allowed, MB", "support rows"),
    ]
    return Table("Self-training", columns, [[f"{labelled:,}", f"{found.examples:,}", *shares, *took]])


def _in_process(job: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        call([sys.executable, "-m", "benchmarks.learning_memory", json.dumps(job)], ROOT)
    )
    return found


# --- in the process ---------------------------------------------------------------------------------------------------


def grown(method: str, degree: int, examples: int) -> Grown:
    (X, y), _ = conll.load()
    X, y = sample((X, y), examples)
    learn = _log_linear(method, degree) if method.startswith("log-linear") else _online(method, degree)
    growth, seconds = peak_growth(lambda: cpu_seconds(lambda: learn(X, y)))
    return Grown(seconds, growth)


def _online(engine: str, degree: int) -> Callable[[sp.csr_matrix, Any], Any]:
    return gm.OnlineKernelClassifier(degree=degree, C=COSTS[degree], epochs=PASSES, engine=engine, n_jobs=1).fit


def _log_linear(method: str, degree: int) -> Callable[[sp.csr_matrix, Any], Any]:
    trainer = LogLinearTrainer(degree, **LOG_LINEAR, keep_expanded="kept" in method)
    return lambda X, y: trainer.learn(as_rows(X), (np.asarray(y) == 1).astype(np.int32), PASSES)


def self_trained(labelled: int, wanted: int) -> SelfTrained:
    """From the first examples with their labels, then from the others without, as often as it takes."""
    (X, y), test = conll.load()
    model = gm.OnlineKernelClassifier(degree=2, C=COSTS[2], epochs=PASSES, n_jobs=1).fit(X[:labelled], y[:labelled])
    before, learned = model.score(*test), 0

    def learn() -> None:
        nonlocal learned
        for block in _blocks(X[labelled:]):
            scores = model.decision_function(block)
            sure = abs(scores) > SURE
            learned += int(sure.sum())
            model.partial_fit(block[sure], model.classes_[(scores[sure] > 0).astype(int)])
            if learned >= wanted:
                return

    growth, seconds = peak_growth(lambda: cpu_seconds(learn))
    return SelfTrained(seconds, growth, before, model.score(*test), learned, model.machine_.n_support)


def _blocks(X: sp.csr_matrix) -> Iterator[sp.csr_matrix]:
    """All rows, again and again."""
    while True:
        for begin in range(0, X.shape[0], BLOCK):
            yield X[begin : begin + BLOCK]


def main(job: dict[str, Any]) -> None:
    found = grown(**job) if "method" in job else self_trained(**job)
    print(json.dumps(asdict(found)))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
