"""Inputs are tried in copies of this process, so that whatever ends one of them is a find that names its input.

A child tries one input after the other. Its address space is limited, each step has a clock that counts its own
processor time, and memory is measured as the growth of the peak of the resident set.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import random
import re
import resource
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import gristmill as gm
from gristmill.base.warnings import SkippedFileWarning
from tests.across.interrupting import SANITIZED
from tests.fuzz.readers import READERS
from tests.fuzz.uses import USES

ANSWERS = (ValueError, OSError)  # FormatError is a ValueError
SECONDS = 2.0
GRACE = 3.0  # times the seconds: then the child is ended
TIMES_INPUT, BEYOND = 50, 64 << 20  # bytes
ADDRESSES = 2 << 30  # bytes that a child may map in addition to what it has
LOAD = "load"
STEPS = (LOAD, *USES)
VARYING = re.compile(r"0x\w+|\\u\w+|'[^']*'|\"[^\"]*\"|[-+\d.e]*\d")
WARNINGS = (
    *(gm.SwappedParametersWarning, SkippedFileWarning, gm.TableWarning, gm.DataConversionWarning),
    *(gm.DirectScoringWarning, gm.EmptyColumnsWarning, gm.UnmarkedTreesWarning, gm.ConvergenceWarning),
)


class Batch(NamedTuple):
    """Inputs first to last - 1 of a reader, and what is done with what it reads."""

    reader: str
    uses: tuple[str, ...]
    seed: int
    first: int
    last: int

    def inputs(self) -> Iterator[bytes]:
        for number in range(self.first, self.last):
            yield input_of(self.reader, self.seed, number)

    def rest(self, tried: int) -> Batch | None:
        """What is left behind so many inputs."""
        return self._replace(first=self.first + tried) if self.first + tried < self.last else None


class Given(NamedTuple):
    """These inputs, numbered from 0."""

    reader: str
    uses: tuple[str, ...]
    given: list[bytes]
    first: int = 0

    def inputs(self) -> Iterator[bytes]:
        return iter(self.given)

    def rest(self, tried: int) -> None:
        """Nothing: who gave them wants to know the first find."""


@dataclass
class Count:
    """What came of a step."""

    runs: int = 0
    answered: int = 0
    refused: int = 0
    slowest: float = 0.0
    largest: int = 0
    finds: int = 0

    def add(self, other: Count) -> None:
        for name in ("runs", "answered", "refused", "finds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.slowest, self.largest = max(self.slowest, other.slowest), max(self.largest, other.largest)


@dataclass
class Result:
    """Counts by step and finds: (step, what happened, number of the input)."""

    inputs: int = 0
    seconds: float = 0.0
    counts: dict[str, Count] = field(default_factory=dict)
    finds: list[tuple[str, str, int]] = field(default_factory=list)


def input_of(reader: str, seed: int, number: int) -> bytes:
    """An input depends on its reader, the seed and its number alone."""
    return READERS[reader].make(random.Random(f"{reader} {seed} {number}"))


# --- in the parent ----------------------------------------------------------------------------------------------------


class Child:
    """A running batch."""

    def __init__(self, batch: Batch | Given) -> None:
        self.batch = batch
        self._start = time.monotonic()
        self._folder = tempfile.TemporaryDirectory()
        self._said = Path(self._folder.name) / "said"
        self._said.touch()
        self._note = mmap.mmap(-1, 16)  # number of the input and of the step
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: those of tests wait
            self.pid = os.fork()
        if self.pid == 0:
            _follow(batch, Path(self._folder.name), self._note)

    def result(self, status: int) -> Result:
        """What came of it, once it has ended with this status."""
        code = os.waitstatus_to_exitcode(status)
        lines = [json.loads(line) for line in self._said.read_text().splitlines()]
        result = Result(finds=[(step, problem, number) for kind, step, problem, number in lines if kind == "find"])
        result.seconds = time.monotonic() - self._start
        self._folder.cleanup()
        if code == 0 and lines[-1][0] == "end":
            result.inputs = lines[-1][1]
            result.counts = {step: Count(**count) for step, count in lines[-1][2].items()}
            return result
        number, step = (int.from_bytes(self._note[at : at + 8], "little") for at in (0, 8))
        result.inputs = number + 1 - self.batch.first
        result.finds.append((STEPS[step], _ended_by(code), number))
        return result


def _ended_by(code: int) -> str:
    if code in (-signal.SIGPROF, -signal.SIGALRM):
        return f"took more than {GRACE * SECONDS:g} s"
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


def results_of(batches: Iterator[Any], jobs: int) -> Iterator[tuple[Any, Result]]:
    """Batches with their results, so many at a time."""
    running: dict[int, Child] = {}
    for batch in batches:
        if len(running) == jobs:
            yield _next_result(running)
        _start(batch, running)
    while running:
        yield _next_result(running)


def _start(batch: Any, running: dict[int, Child]) -> None:
    child = Child(batch)
    running[child.pid] = child


def _next_result(running: dict[int, Child]) -> tuple[Any, Result]:
    """Of the child that ends first; where an input ended it, another goes on behind that."""
    pid, status = _ended(running)
    child = running.pop(pid)
    result = child.result(status)
    if (rest := child.batch.rest(result.inputs)) is not None:
        _start(rest, running)
    return child.batch, result


def _ended(running: dict[int, Child]) -> tuple[int, int]:
    """One of these children and its status; a process of tests may have others."""
    while True:
        for pid in running:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return pid, status
        time.sleep(0.002)


# --- in the child -----------------------------------------------------------------------------------------------------


def _follow(batch: Batch | Given, folder: Path, note: mmap.mmap) -> None:
    """Try a batch and end this process without what it inherited."""
    status = 1
    try:
        with (folder / "said").open("a", buffering=1) as said:
            _try_batch(batch, folder, note, said)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _try_batch(batch, folder, note, said):
    _limit()
    trial = Trial(folder, note, said)
    number = batch.first
    for data in batch.inputs():
        trial.try_input(batch.reader, batch.uses, data, number)
        number += 1
    counts = {step: asdict(count) for step, count in trial.counts.items()}
    said.write(json.dumps(["end", number - batch.first, counts, None]) + "\n")


def _limit():
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * mmap.PAGESIZE + ADDRESSES
    if not SANITIZED:  # which maps far more than it uses
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)


class Trial:
    """Tries inputs and keeps count."""

    def __init__(self, folder, note, said):
        self.folder, self._note, self._said = folder, note, said
        self.counts: dict[str, Count] = {}

    def try_input(self, reader, uses, data, number):
        path = self.folder / "input"
        path.write_bytes(data)
        self._size, self._number = len(data), number
        read, value = self._step(LOAD, lambda: READERS[reader].read(path))
        if not read:
            return
        chance = random.Random(number)
        for name in uses:
            use = USES[name]
            if use.takes(value) and (len(uses) == 1 or chance.random() < use.share):
                self._step(name, lambda use=use: use.run(value, self.folder))

    def _step(self, name, action):
        """(whether there was an answer, the answer)"""
        self._note[:16] = self._number.to_bytes(8, "little") + STEPS.index(name).to_bytes(8, "little")
        count = self.counts.setdefault(name, Count())
        count.runs += 1
        with Meter() as meter:
            answered, value, problem = _outcome(action)
        count.answered += answered
        count.refused += not answered and problem is None
        count.slowest, count.largest = max(count.slowest, meter.seconds), max(count.largest, meter.grown)
        problem = problem or meter.excess(self._size)
        if problem:
            count.finds += 1
            self._said.write(json.dumps(["find", name, problem, self._number]) + "\n")
        return answered, value


def _outcome(action):
    """(whether there was an answer, the answer, what went wrong)"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in WARNINGS:
            warnings.simplefilter("ignore", category)
        try:
            return True, action(), None
        except ANSWERS:
            return False, None, None
        except BaseException as error:
            return False, None, _described(error)


def _described(error):
    """What differs between problems, and not between inputs with one problem."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "gristmill" in frame.filename and "/tests/" not in frame.filename] or frames
    where = f"{Path(own[-1].filename).name}:{own[-1].lineno}"
    return f"{type(error).__name__}: {VARYING.sub('N', str(error))[:120]} ({where})"


class Meter:
    """Time and memory of a step, and the clock that ends the process."""

    def __enter__(self):
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        self._resident = _status("VmRSS")
        signal.setitimer(signal.ITIMER_PROF, GRACE * SECONDS)
        signal.setitimer(signal.ITIMER_REAL, 20 * GRACE * SECONDS)  # for those that wait for ever
        self._start = time.process_time()
        return self

    def __exit__(self, *_):
        self.seconds = time.process_time() - self._start
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.grown = max(0, _status("VmHWM") - self._resident)

    def excess(self, size):
        if self.seconds > SECONDS:
            return f"took more than {SECONDS:g} s"
        too_large = self.grown > TIMES_INPUT * size + BEYOND and not SANITIZED
        return "took more memory than it may" if too_large else None


def _status(name):
    text = Path("/proc/self/status").read_bytes()
    return int(text.split(f"{name}:".encode())[1].split(None, 1)[0]) << 10
