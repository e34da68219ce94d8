"""Claim: a report on 50,000 examples takes seconds, and is a page of a few hundred kilobytes.

`gristmill report` in a process of its own, from a model file and a data file to the page: everything it draws and says
by default. Examples are none that the machines have learned from.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks import conll, links
from benchmarks.boundaries import SST, boundaries
from benchmarks.examples import Data
from benchmarks.launch import Launched, launch
from benchmarks.measure import Timing, in_turn, record

EXAMPLES, ROUNDS = 50_000, 3
TRAIN, TRAIN_TREES, TRAIN_TAGS = 120_000, 10_000, 20_000  # examples
COLUMNS = ["machine", "support", "examples", "accuracy, %", "seconds", "fastest", "slowest"]
COLUMNS += ["memory, MB", "page, kB", "gzip, kB"]


@dataclass(frozen=True)
class Case:
    """What is reported on; `make` writes `model` and `data` to a folder and gives the machine."""

    name: str
    make: Callable[[Path, int], Any]


@dataclass(frozen=True)
class Outcome:
    """Of one report."""

    support: int
    examples: int
    accuracy: float
    timing: Timing
    peak: int  # bytes
    size: int
    packed: int


def _links(folder: Path, examples: int) -> Any:
    (X, y), _ = links.load()
    chosen = np.random.default_rng(1).permutation(len(y))
    learner = gm.OnlineKernelClassifier(degree=2, C=0.005, epochs=2)
    return _on_rows(folder, learner, (X, y), chosen[:TRAIN], chosen[TRAIN : TRAIN + examples])


def _tags(folder: Path, examples: int) -> Any:
    (X, tags), _ = conll.load_tags()
    y = np.unique(tags, return_inverse=True)[1]  # labels of svmlight files are numbers
    chosen = np.random.default_rng(1).permutation(len(y))
    learner = gm.KernelSVC(degree=2, multiclass="ovr")
    return _on_rows(folder, learner, (X, y), chosen[:TRAIN_TAGS], chosen[TRAIN_TAGS : TRAIN_TAGS + examples])


def _on_rows(folder: Path, learner: Any, data: Data, train: Any, test: Any) -> Any:
    X, y = data
    machine = learner.fit(X[train], y[train]).machine_
    gm.write_svmlight(folder / "data", X[test], y[test])
    machine.save(folder / "model")
    return machine


def _trees(folder: Path, examples: int) -> Any:
    task = boundaries(TRAIN_TREES + examples)
    machine = gm.KernelSVC(kernel=SST).fit(task.X[:TRAIN_TREES], task.y[:TRAIN_TREES]).machine_
    gm.write_svmlight_tk(folder / "data", task.X[TRAIN_TREES:], task.y[TRAIN_TREES:])
    machine.save(folder / "model")
    return machine


CASES = (Case("links, degree 2", _links), Case("chunk tags, degree 2", _tags), Case("role boundaries, SST", _trees))


def main(cases: Sequence[Case] = CASES, examples: int = EXAMPLES, rounds: int = ROUNDS) -> None:
    found = {}
    for case in cases:
        print(case.name, flush=True)
        found[case.name] = reported(case, examples, rounds)
    record(
        "reports",
        f"Reports on {examples:,} examples",
        COLUMNS,
        [_line(name, outcome) for name, outcome in found.items()],
        [
            f"From files to a file, Python and its imports included, one thread; medians of {rounds}. *memory*: the "
            "most that the process had.",
            "The page holds statistics of data and machine, quality with curves, calibration, engines compared, what "
            "was learned, and the worst mistakes with their explanations, style and pictures inside.",
        ],
        found,
    )


def reported(case: Case, examples: int, rounds: int) -> Outcome:
    runs: list[Launched] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        machine = case.make(folder, examples)

        def run() -> float:
            command = [sys.executable, "-m", "gristmill", "report", "model", "--data", "data", "-o", "report.html"]
            runs.append(launch([*command, "--json", "-j", "1"], folder))
            return runs[-1].seconds

        timing = in_turn({case.name: run}, rounds)[case.name]
        page = (folder / "report.html").read_bytes()
    figures = json.loads(runs[-1].text)
    return Outcome(
        machine.n_support,
        figures["data"]["examples"],
        figures["quality"]["accuracy"],
        timing,
        max(run.bytes for run in runs),
        len(page),
        len(gzip.compress(page)),
    )


def _line(name: str, one: Outcome) -> list[str]:
    seconds = [f"{value:.1f}" for value in (one.timing.median, one.timing.fastest, one.timing.slowest)]
    sizes = [f"{one.peak / 1e6:,.0f}", f"{one.size / 1e3:,.0f}", f"{one.packed / 1e3:,.0f}"]
    return [name, f"{one.support:,}", f"{one.examples:,}", f"{100 * one.accuracy:.2f}", *seconds, *sizes]


if __name__ == "__main__":
    main()
