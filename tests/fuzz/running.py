"""A run: batches of all readers until the time is up; finds are kept, each kind once, as small as they can be."""

from __future__ import annotations

import contextlib
import hashlib
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.fuzz.children import LOAD, Batch, Count, Result, input_of, results_of
from tests.fuzz.readers import READERS
from tests.fuzz.shrinking import smallest
from tests.fuzz.uses import USES

BATCH_SECONDS = 5.0
FIRST_BATCH = 20  # inputs; later ones as many as fit into the seconds


class Plan(NamedTuple):
    """What is to be tried, and how much."""

    readers: tuple[str, ...]
    uses: tuple[str, ...]
    seed: int = 1
    first: int = 0
    inputs: int = 10**9  # a reader
    seconds: float = 60.0
    jobs: int = 1
    keep: Path | None = None


class Find(NamedTuple):
    """What went wrong, where it did for the first time."""

    reader: str
    step: str
    problem: str
    number: int


@dataclass
class Totals:
    """Inputs and seconds by reader, counts by reader and step, and finds with how often they were made."""

    inputs: dict[str, int] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)
    counts: dict[tuple[str, str], Count] = field(default_factory=dict)
    finds: dict[tuple[str, str], tuple[Find, int]] = field(default_factory=dict)  # by step and problem
    seconds: float = 0.0

    def add(self, batch: Batch, result: Result) -> list[Find]:
        """Count what came of a batch; finds of a new kind are given back."""
        self.inputs[batch.reader] = self.inputs.get(batch.reader, 0) + result.inputs
        self.spent[batch.reader] = self.spent.get(batch.reader, 0.0) + result.seconds
        for step, count in result.counts.items():
            self.counts.setdefault((batch.reader, step), Count()).add(count)
        new = []
        for step, problem, number in result.finds:
            if (step, problem) not in self.finds:
                new.append(Find(batch.reader, step, problem, number))
                self.finds[step, problem] = new[-1], 0
            first, times = self.finds[step, problem]
            self.finds[step, problem] = first, times + 1
        return new

    def of_step(self, step: str) -> Count:
        """What came of a step with all readers."""
        total = Count()
        for (_, one), count in self.counts.items():
            if one == step:
                total.add(count)
        return total


class Schedule:
    """Which inputs are next: of the reader that had the least time so far, as many as take some seconds."""

    def __init__(self, plan: Plan, totals: Totals) -> None:
        self._plan, self._totals = plan, totals
        self._next = dict.fromkeys(plan.readers, plan.first)
        self._expected = dict.fromkeys(plan.readers, 0.0)  # seconds of all batches so far
        self._end = time.monotonic() + plan.seconds

    def batches(self) -> Iterator[Batch]:
        last = self._plan.first + self._plan.inputs
        while time.monotonic() < self._end:
            waiting = [name for name in self._plan.readers if self._next[name] < last]
            if not waiting:
                return
            reader = min(waiting, key=self._expected.__getitem__)
            first = self._next[reader]
            self._next[reader] = min(last, first + self._size(reader))
            yield Batch(reader, self._plan.uses, self._plan.seed, first, self._next[reader])

    def _size(self, reader: str) -> int:
        """Inputs of the next batch."""
        inputs, spent = self._totals.inputs.get(reader, 0), self._totals.spent.get(reader, 0.0)
        seconds = min(BATCH_SECONDS, self._plan.seconds / len(self._plan.readers) / 2)
        size = max(1, int(seconds * inputs / spent)) if inputs else FIRST_BATCH
        self._expected[reader] = spent + (size * spent / inputs if inputs else 0.1)
        return size


def fuzz(plan: Plan) -> Totals:
    """Try everything of a plan."""
    warm_up(plan)
    totals, start = Totals(), time.monotonic()
    for batch, result in results_of(Schedule(plan, totals).batches(), plan.jobs):
        for find in totals.add(batch, result):
            print(f"{find.reader}, {find.step}, input {find.number}: {find.problem}", flush=True)
    totals.seconds = time.monotonic() - start
    if plan.keep is not None:
        for find, _ in totals.finds.values():
            keep(find, plan)
    return totals


def warm_up(plan: Plan) -> None:
    """Use sound inputs here, so that children find everything imported and no step pays for it."""
    with TemporaryDirectory() as folder:
        for name in plan.readers:
            (Path(folder) / "input").write_bytes(READERS[name].sound(Random(name)))
            with contextlib.suppress(Exception):
                _use_all(READERS[name].read(Path(folder) / "input"), plan.uses, Path(folder))


def _use_all(value, uses, folder):
    for name in uses:
        if USES[name].takes(value):
            with contextlib.suppress(Exception):
                USES[name].run(value, folder)


def keep(find: Find, plan: Plan) -> None:
    """Write the input of a find, made smaller, and what happened."""
    plan.keep.mkdir(parents=True, exist_ok=True)
    data = smallest(input_of(find.reader, plan.seed, find.number), find)
    name = f"{find.reader}-{find.step}-{hashlib.sha256(find.problem.encode()).hexdigest()[:8]}"
    (plan.keep / name).write_bytes(data)
    again = f"python -m tests.fuzz --reader {find.reader} --use {find.step} --seed {plan.seed} --number {find.number}"
    (plan.keep / f"{name}.txt").write_text(f"{find.problem}\n{again}\n")


def again(data: bytes, reader: str, uses: tuple[str, ...]) -> int:
    """Try an input in this process and print tracebacks."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        path.write_bytes(data)
        try:
            value = READERS[reader].read(path)
        except Exception:
            traceback.print_exc()
            return 0
        print(f"{LOAD}: {value!r}"[:500])
        for name in uses:
            if USES[name].takes(value):
                print(name, end=": ", flush=True)
                try:
                    USES[name].run(value, Path(folder))
                    print("answered")
                except Exception:
                    print(traceback.format_exc())
    return 0
