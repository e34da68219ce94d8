"""Claim: SVMs on trees from file to saved model 20 (SST) and 15 (PTK) times as fast as SVM-light-TK's svm_learn.

Question classification: NUM against the rest, and six classes, each against the rest, which `gristmill train` learns
in one run that compares the trees once, and svm_learn in six. Both programs have the same file, kernel (decay 0.4,
mu 0.4, at most 5 children, normalised), C = 1 and tolerance; both answer the 500 test questions themselves. Seconds
are those of whole programs by the wall clock, memory the most they had.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.launch import Launched, launch
from benchmarks.measure import Missing, Table, record
from benchmarks.trees import TreeKernelProgram, lines_of
from gristmill.machines.formats import read_machine

OPTIONS = {"SST": "-t 5 -F 1 -L 0.4 -c 1 -e 0.001", "PTK": "-t 5 -F 3 -L 0.4 -M 0.4 -c 1 -e 0.001"}
OURS = {
    "SST": "--kernel sst --decay 0.4 -C 1 --tol 0.001",
    "PTK": "--kernel ptk --max-children 5 --decay 0.4 --mu 0.4 -C 1 --tol 0.001",
}
CACHE = "-m 1000"  # MB, of svm_learn: more than all rows take
FILES = {"constituents": "qc/{}.tk.gz", "dependencies": "qc/{}.grct.tk.gz"}
ROUNDS, SLOW = 3, 60.0  # what takes more seconds runs once
SCORES = 1e-2  # how far apart at most; both stop at a violation of 1e-3
WANTED = {("SST", False): 20, ("PTK", False): 15, ("SST", True): 40, ("PTK", True): 25}
COLUMNS = [
    *("task", "trees", "kernel", "program", "threads", "seconds", "fastest", "svm_learn beside it", "wanted", "MB"),
    *("support trees", "accuracy, %", "scores apart", "classifying, s"),
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """What is learned: one class against the rest, or all of them."""

    trees: str
    kernel: str
    six: bool
    n: int | None = None  # training examples, None: all

    @property
    def task(self) -> str:
        return "six classes" if self.six else "NUM"


FULL = (
    *(Case("constituents", kernel, six=False) for kernel in OPTIONS),
    *(Case(trees, kernel, six=True) for trees in ("dependencies", "constituents") for kernel in OPTIONS),
)
QUICK = (Case("constituents", "SST", six=False, n=600), Case("dependencies", "PTK", six=True, n=300))


@dataclass(frozen=True)
class Outcome:
    """Of one side: all its runs, then what it learned."""

    runs: list[Launched]  # of six programs their sums
    classifying: Launched
    support: list[int]  # of each output
    labels: NDArray[Any]
    scores: Floats  # of the test part, as our scorers see the model


def main(cases: Sequence[Case] = FULL) -> None:
    learn = find_svm_learn()
    rows, raw = [], {}
    with tempfile.TemporaryDirectory() as name:
        for at, case in enumerate(cases):
            found = measured(case, learn, Path(name) / str(at))
            rows += _rows(case, found)
            raw[str(case)] = {side: outcome.runs for side, outcome in found.items()}
    record(
        "tree_svm",
        "SVMs on trees beside SVM-light-TK",
        COLUMNS,
        rows,
        [
            f"Medians of {ROUNDS} rounds, all sides in turn; svm_learn ran once where it took over {SLOW:.0f} s. "
            "svm_learn has one thread, and a cache for all rows (-m 1000). Six classes: the sum of its six runs.",
            "*scores apart*: the largest difference on the test part, both models read and scored by gristmill.",
            "*support trees*: of six classes the sum of all outputs. Equal trees share a coefficient in gristmill.",
            "*classifying*: 500 questions, from file to file, by the program's own classifier.",
        ],
        raw,
        more=[_support_table(rows)],
    )


def quick() -> None:
    """A look in a minute or so."""
    main(QUICK)


def find_svm_learn() -> str:
    """SVM-light-TK's; SVMlight's own has the same name and knows no trees."""
    TreeKernelProgram.find()
    program = shutil.which("svm_learn")
    if program is None or b"tree" not in Path(program).read_bytes():
        raise Missing("no svm_learn of SVM-light-TK on PATH")
    return program


def measured(case: Case, learn: str, folder: Path) -> dict[str, Outcome]:
    """All sides in turn; AssertionError where scores are not the same."""
    folder.mkdir()
    labels = _write(case, folder)
    calls: dict[str, Callable[[], Launched]] = {
        "gristmill, 1": partial(_gristmill, case, folder, 1),
        "gristmill, 2": partial(_gristmill, case, folder, 2),
        "svm_learn, 1": partial(_svm_learn, case, folder, learn, labels),
    }
    runs: dict[str, list[Launched]] = {side: [] for side in calls}
    for _ in range(ROUNDS):
        for side, call in calls.items():
            if not runs[side] or runs[side][0].seconds < SLOW:
                runs[side].append(call())
    found = {side: _ours(case, folder, runs[side]) for side in ("gristmill, 1", "gristmill, 2")}
    theirs = found["svm_learn, 1"] = _theirs(folder, labels, runs["svm_learn, 1"])
    for side, outcome in found.items():
        assert np.abs(outcome.scores - theirs.scores).max() <= SCORES, (case, side)
    return found


# --- files ------------------------------------------------------------------------------------------------------------


def _write(case: Case, folder: Path) -> list[str]:
    """The parts for both programs; the classes that are learned, the positive one if it is one."""
    classes: list[str] = []
    for part in ("train", "test"):
        lines = lines_of(FILES[case.trees].format(part))[: case.n if part == "train" else None]
        names, trees = zip(*(line.split("\t") for line in lines), strict=True)
        classes = classes or (sorted(set(names)) if case.six else ["NUM"])
        for name in classes:
            signs = np.where(np.array(names) == name, 1, -1)
            gm.write_svmlight_tk(folder / f"{name}.{part}", trees, signs)
        if case.six:
            (folder / f"all.{part}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return classes


def _ours_on(case: Case, folder: Path, part: str) -> Path:
    return folder / (f"all.{part}" if case.six else f"NUM.{part}")


# --- gristmill --------------------------------------------------------------------------------------------------------


def _gristmill(case: Case, folder: Path, jobs: int) -> Launched:
    program = [str(Path(sys.executable).with_name("gristmill")), "train"]
    options = [*OURS[case.kernel].split(), "--multiclass", "ovr", "--json", "-q", "-j", str(jobs)]
    return launch([*program, str(_ours_on(case, folder, "train")), "ours.model", *options], folder)


def _ours(case: Case, folder: Path, runs: list[Launched]) -> Outcome:
    machine, test = read_machine(folder / "ours.model"), _ours_on(case, folder, "test")
    program = str(Path(sys.executable).with_name("gristmill"))
    classifying = launch([program, "predict", "ours.model", str(test), "-o", "ours.answers"], folder)
    answers = (folder / "ours.answers").read_text(encoding="utf-8").split()
    labels = np.array(answers) if case.six else np.where(np.array(answers).astype(float) > 0, "NUM", "")
    summary = json.loads(runs[-1].text)
    assert summary["converged"], summary
    support = np.count_nonzero(machine.dense_coef(), axis=0).tolist()
    return Outcome(runs, classifying, support, labels, _scores(machine, folder))


def _scores(machine: Any, folder: Path) -> Floats:
    """Examples x outputs."""
    trees = [line.split("|")[2].strip() for line in next(folder.glob("*NUM.test")).read_text("utf-8").splitlines()]
    scores = machine.compile().decision_function(gm.Forest.from_strings(trees))
    return np.asarray(scores).reshape(len(trees), -1)


# --- SVM-light-TK -----------------------------------------------------------------------------------------------------


def _svm_learn(case: Case, folder: Path, program: str, classes: list[str]) -> Launched:
    options = [*OPTIONS[case.kernel].split(), *CACHE.split()]
    runs = [launch([program, *options, f"{name}.train", f"{name}.model"], folder) for name in classes]
    return _summed(runs)


def _summed(runs: list[Launched]) -> Launched:
    seconds, cpu = (sum(getattr(run, name) for run in runs) for name in ("seconds", "cpu"))
    return Launched(seconds, max(run.bytes for run in runs), "".join(run.text for run in runs), cpu)


def _theirs(folder: Path, classes: list[str], runs: list[Launched]) -> Outcome:
    program = TreeKernelProgram.find().program
    commands = [[program, f"{name}.test", f"{name}.model", f"{name}.answers"] for name in classes]
    classifying = _summed([launch(command, folder) for command in commands])
    answers = np.stack([np.loadtxt(folder / f"{name}.answers") for name in classes], axis=1)
    best = np.array(classes)[answers.argmax(axis=1)]
    labels = best if len(classes) > 1 else np.where(answers[:, 0] > 0, classes[0], "")
    support = [int(count) for count in re.findall(r"Number of SV: (\d+)", runs[-1].text)]
    scores = [_scores(read_machine(folder / f"{name}.model"), folder) for name in classes]
    return Outcome(runs, classifying, support, labels, np.concatenate(scores, axis=1))


# --- tables -----------------------------------------------------------------------------------------------------------


def _rows(case: Case, found: dict[str, Outcome]) -> list[list[Any]]:
    theirs, rows = found["svm_learn, 1"], []
    names = np.array([line.split("\t")[0] for line in lines_of(FILES[case.trees].format("test"))])
    wanted = names if case.six else np.where(names == "NUM", "NUM", "")
    for side, outcome in found.items():
        program, threads = side.split(", ")
        seconds = median(run.seconds for run in outcome.runs)
        rows.append(
            [
                *(case.task, case.trees, case.kernel, program, threads, f"{seconds:.2f}"),
                f"{min(run.seconds for run in outcome.runs):.2f}",
                f"{median(run.seconds for run in theirs.runs) / seconds:.1f}x",
                f"{WANTED[case.kernel, case.six]}x" if program == "gristmill" else "",
                *(f"{max(run.bytes for run in outcome.runs) / 1e6:.0f}", f"{sum(outcome.support):,}"),
                f"{100 * np.mean(outcome.labels == wanted):.1f}",
                *(f"{np.abs(outcome.scores - theirs.scores).max():.1e}", f"{outcome.classifying.seconds:.2f}"),
            ]
        )
    return rows


def _support_table(rows: list[list[Any]]) -> Table:
    """How the numbers of support trees and accuracies compare, which are wanted to be the same."""
    lines = []
    for at in range(0, len(rows), 3):
        ours, theirs = rows[at], rows[at + 2]
        counts = [int(row[10].replace(",", "")) for row in (ours, theirs)]
        apart = 100 * (counts[0] - counts[1]) / counts[1]
        lines.append([*ours[:3], *counts, f"{apart:+.2f}", f"{float(ours[11]) - float(theirs[11]):+.1f}"])
    columns = ["task", "trees", "kernel", "gristmill's", "svm_learn's", "apart, %", "accuracy apart, points"]
    return Table("Support trees, at most 1 % apart wanted", columns, lines)
