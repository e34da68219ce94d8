"""Programs that score the same machines, where they are on PATH: pecco, opal and LIBSVM's svm-predict.

What is counted. pecco and opal have clocks of their own (builds with USE_TIMER), which run while an example is
classified: reading text is outside, and so are the numbers that the program gives to the features; inside is one
reading of the clock, some 10 ns. svm-predict has none: it is the time of the whole program less that of one run on an
empty file. pecco and opal are given the test part several times over, so that they are as warm as a scorer in memory.

pecco stops early unless it prints margins (-O 2). It keeps what it compiles beside the model and beside the examples
of -f, whatever the options were, so each set of options has a folder of its own. opal stops early with -p; it knows no
intercept, so it is asked for machines without one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.measure import Missing, seconds_of
from gristmill.machines.formats import write

Done = subprocess.CompletedProcess[str]

FEW = 1_000
TRAIN = "TRAIN"  # in options: the file of training examples


@dataclass(frozen=True)
class Files:
    """A task as files: training part, test part, that part several times over, and nothing."""

    train: Path
    test: Path
    repeated: Path
    nothing: Path


@dataclass(frozen=True)
class Run:
    """Of a program on a data file: seconds an example by its clock, and what it printed."""

    seconds: float
    text: str
    column: int

    @property
    def values(self) -> NDArray[np.float64]:
        """The labels or margins."""
        return np.array([line.split()[self.column] for line in self.text.splitlines()], dtype=np.float64)


class Peer(Protocol):
    """A program with its options, about one machine."""

    program: str
    options: str

    def compile(self) -> float: ...

    def margins(self, data: Path) -> Run: ...

    def labels(self, data: Path) -> Run: ...

    def discard(self) -> None: ...


class _Program:
    """With a folder of its own; what it leaves there goes with it."""

    program: str

    def __init__(self, machine: gm.Machine, options: str, files: Files, folder: Path) -> None:
        self.options, self._files, self._folder = options, files, folder
        folder.mkdir(parents=True)
        self._write(machine)

    def discard(self) -> None:
        shutil.rmtree(self._folder)

    def _write(self, machine: gm.Machine) -> None:
        raise NotImplementedError

    def _clocked(self, done: Done, column: int) -> Run:
        return Run(_clock(self.program, "classify", done.stderr), done.stdout, column)


class Pecco(_Program):
    program = "pecco"

    def compile(self) -> float:
        for cached in self._folder.iterdir():
            if cached.name not in ("model", "events"):
                cached.unlink()
        return _clock(self.program, "model", self._run(self._files.nothing, "-c").stderr)

    def margins(self, data: Path) -> Run:
        return self._clocked(self._run(data, "-O", "2"), 1)

    def labels(self, data: Path) -> Run:
        return self._clocked(self._run(data, "-O", "1"), 0)

    def _write(self, machine: gm.Machine) -> None:
        (self._folder / "model").write_text(pecco_model(machine), encoding="ascii")
        (self._folder / "events").symlink_to(self._files.train)

    def _run(self, data: Path, *more: str) -> Done:
        options = self.options.replace(TRAIN, "events").split()
        return run([self.program, *options, *more, "model", str(data)], self._folder)


class Opal(_Program):
    program = "opal"

    def compile(self) -> float:
        return seconds_of(lambda: self._run(self._files.nothing))

    def margins(self, data: Path) -> Run:
        return self._clocked(self._run(data, "-O", "3"), 1)

    def labels(self, data: Path) -> Run:
        return self._clocked(self._run(data, "-p", "-O", "2"), 0)

    def _write(self, machine: gm.Machine) -> None:
        self._kernel = ["-t", "1", "-d", str(machine.polynomial.degree)]
        write(machine, self._folder / "model", "opal")

    def _run(self, data: Path, *more: str) -> Done:
        command = [self.program, *self._kernel, *self.options.split(), *more, "-", "model", str(data)]
        return run(command, self._folder)


class SvmPredict(_Program):
    """Prints labels only, and takes as long for them as for margins. So slow that the beginning of the data will do."""

    program = "svm-predict"

    def compile(self) -> float:
        return seconds_of(lambda: self._run(self._files.nothing))

    def margins(self, data: Path) -> Run:
        return self.labels(data)

    def labels(self, data: Path) -> Run:
        with data.open("rb") as file:
            lines = list(islice(file, FEW))
        few = self._folder / "few"
        few.write_bytes(b"".join(lines))
        seconds = seconds_of(lambda: self._run(few))
        text = (self._folder / "answers").read_text(encoding="ascii")
        return Run((seconds - self.compile()) / len(lines), text, 0)

    def _write(self, machine: gm.Machine) -> None:
        write(machine, self._folder / "model", "libsvm")

    def _run(self, data: Path) -> Done:
        return run([self.program, *self.options.split(), str(data), "model", "answers"], self._folder)


def found(program: str) -> bool:
    return shutil.which(program) is not None


def run(command: list[str], folder: Path) -> Done:
    """One thread, no input; what went wrong is said in the program's words."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}")
    return done


def pecco_model(machine: gm.Machine) -> str:
    """The machine as pecco reads it: opal's text, with a threshold.

    A sigmoid other than -1 and 0 spares pecco to fit one to the examples of -e, which is no part of the comparison.
    """
    kernel, support = machine.polynomial, machine.rows
    head = [
        "opal # for pecco",
        "1 # kernel type",
        f"{kernel.degree} # kernel parameter -d",
        f"{kernel.gamma:.17g} # kernel parameter -s",
        f"{kernel.coef0:.17g} # kernel parameter -r",
        "-2 # sigmoid -A",
        "0 # sigmoid -B",
        f"{-machine.intercept[0]:.17g} # threshold b",
    ]
    ids = (support.ids + (machine.first_id or 0)).tolist()
    coef = np.asarray(machine.coef).ravel().tolist()
    bounds = zip(coef, support.offsets[:-1].tolist(), support.offsets[1:].tolist(), strict=True)
    lines = (f"{a:.17g} " + " ".join(f"{feature}:1" for feature in ids[start:end]) for a, start, end in bounds)
    return "\n".join([*head, *lines, ""])


def _clock(program: str, name: str, text: str) -> float:
    """Seconds by a clock of the program, an example where it counts them."""
    said = re.search(rf"^{name}\s*: ([\d.]+) ms\.(?:/\w+ \(([\d.]+)/(\d+)\))?", text, re.MULTILINE)
    if said is None:
        raise Missing(f"{program} prints no clock {name!r}: it was built without USE_TIMER")
    once, total, examples = said.groups()
    return float(once) / 1e3 if total is None else float(total) / int(examples) / 1e3
