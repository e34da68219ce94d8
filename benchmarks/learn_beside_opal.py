"""Claim: online learning with conjunctions at least four times as fast as opal, the paper's own program.

PA-I, averaged, the same C and passes, one thread. opal's time is that of the whole program less that of a run which
only reads (a linear model, one pass); of its modes (splitting, with and without early termination and slicing) the
fastest in a first try goes into the rounds. Ours is the time of `fit` on examples in memory. opal's multi-class build
is looked for as `opal-multi`. Its models are read and scored by us.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks import conll, links
from benchmarks.examples import Data, sample
from benchmarks.measure import Missing, Timing, in_turn, record, seconds_of
from benchmarks.peer_machines import write_examples, write_nothing
from benchmarks.peers import found, run
from gristmill.machines.formats import read_machine

ROUNDS = 5
MODES = {"-p": ["-p"], "-k -p": ["-k", "-p"], "": []}
COLUMNS = [
    *(
        "task",
        "degree",
        "passes",
        "ours, s (median)",
        "fastest",
        "opal, s (median)",
        "fastest",
        "opal's mode",
        "over opal",
    ),
    *("accuracy, ours", "opal's", "support rows", "MB"),
]


@dataclass(frozen=True)
class Case:
    """What is learned, and with which settings."""

    task: str
    load: Callable[[], tuple[Data, Data]]
    degree: int
    C: float
    passes: int = 10
    program: str = "opal"
    modes: tuple[str, ...] = tuple(MODES)


def load_three() -> tuple[Data, Data]:
    """Inside a noun phrase, at its beginning, or outside."""
    (X, tags), (queries, wanted) = conll.load_tags()
    return (X, _three(tags)), (queries, _three(wanted))


def _three(tags: Any) -> Any:
    return np.where(tags == "B-NP", 1, np.where(tags == "I-NP", 2, 3))


CASES = (
    Case("BaseNP", conll.load, 2, 0.005),
    Case("BaseNP", conll.load, 3, 0.001),
    Case("links", links.load, 2, 0.001),
    Case("links", links.load, 3, 0.001, passes=10, modes=("-p",)),
    Case("three classes", load_three, 2, 0.005, program="opal-multi"),
)


def main(cases: Sequence[Case] = CASES, rounds: int = ROUNDS) -> None:
    rows: list[list[Any]] = []
    raw: dict[str, dict[str, Timing]] = {}
    notes = [
        f"PA-I, averaged, one thread; medians of {rounds} rounds, in turn (one round where opal takes a minute).",
        "opal: the whole program less a run that only reads. Ours: fit(), exact integer arithmetic, engine 'push'.",
    ]
    for case in cases:
        if not found(case.program):
            notes.append(f"{case.task}: {case.program} is not on PATH.")
            continue
        line, raw[f"{case.task}, d={case.degree}"] = _measure(case, rounds)
        rows.append(line)
    if not rows:
        raise Missing("opal is not on PATH")
    record("learn_beside_opal", "Online learning beside opal", COLUMNS, rows, notes, raw)


def quick() -> None:
    """A look in a minute or so: the cases of degree 2, with few examples."""
    main([replace(case, load=partial(_few, case.load)) for case in CASES if case.degree == 2], rounds=1)


def _few(load: Callable[[], tuple[Data, Data]], size: int = 5_000) -> tuple[Data, Data]:
    train, test = load()
    return sample(train, size), test


def _measure(case: Case, most_rounds: int) -> tuple[list[Any], dict[str, Timing]]:
    train, test = case.load()
    model = gm.OnlineKernelClassifier(degree=case.degree, C=case.C, epochs=case.passes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_examples(folder / "train", train)
        write_nothing(folder)
        mode, rounds = _best_mode(case, folder, most_rounds)
        timings = in_turn(
            {
                "ours": partial(seconds_of, partial(model.fit, *train)),
                "opal": partial(seconds_of, partial(_opal, case, folder, mode)),
                "opal: reading": partial(seconds_of, partial(_read, case, folder)),
            },
            rounds,
        )
        theirs = accuracy(read_machine(folder / "model"), test)
    reading = timings["opal: reading"].median
    opal_median, opal_fastest = timings["opal"].median - reading, timings["opal"].fastest - reading
    line = [
        *(case.task, case.degree, case.passes),
        *(f"{timings['ours'].median:.2f}", f"{timings['ours'].fastest:.2f}"),
        *(f"{opal_median:.2f}", f"{opal_fastest:.2f}", mode or "splitting"),
        f"{opal_median / timings['ours'].median:.1f}x",
        *(f"{model.score(*test):.4f}", f"{theirs:.4f}"),
        *(f"{model.machine_.n_support:,}", f"{model.stats_.nbytes / 1e6:.0f}"),
    ]
    return line, timings


def _best_mode(case: Case, folder: Path, rounds: int) -> tuple[str, int]:
    """The fastest of opal's modes in one try each, and how many rounds there is time for."""
    if len(case.modes) == 1:
        return case.modes[0], 1
    tries = {mode: seconds_of(partial(_opal, case, folder, mode)) for mode in case.modes}
    return min(tries, key=lambda mode: tries[mode]), rounds


def _opal(case: Case, folder: Path, mode: str) -> None:
    settings = ["-t", "1", "-d", str(case.degree), "-c", str(case.C), "-a", "-i", str(case.passes)]
    run([case.program, *settings, *MODES[mode], "train", "model", "nothing"], folder)


def _read(case: Case, folder: Path) -> None:
    run([case.program, "-t", "0", "-d", "1", "-c", "1", "-i", "1", "train", "linear.model", "nothing"], folder)


def accuracy(machine: gm.Machine, test: Data) -> float:
    """Of a model file's machine, whose features and classes are numbers as in the data files."""
    X, y = test
    labels = machine.compile().predict(X)
    return float(np.mean(np.asarray(labels).astype(float) == np.asarray(y).astype(float)))


if __name__ == "__main__":
    main()
