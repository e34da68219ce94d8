"""Trainings of one machine by several sides, in turn: what they learned is compared before their times count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gristmill as gm
from benchmarks import conll
from benchmarks.examples import Data, sample
from benchmarks.measure import corpora
from benchmarks.svm_runs import LIBSVM, SVC, Outcome, Settings, Task, available, objective_of, support_of

DUAL_CD, SMO = "dual-cd", "smo"
ALL = (LIBSVM, SVC, SMO, DUAL_CD)
SLOW = 20.0  # what takes more seconds trains once
WORSE, BETTER, SCORES = 1e-6, 1e-5, 10.0  # how far apart: objectives, relatively; scores, times the tolerance

Result = dict[tuple[str, int], list[Outcome]]  # by side and threads


@dataclass(frozen=True)
class Case:
    """A machine to train, and by whom."""

    data: str
    n: int | None  # None: all examples
    degree: int
    C: float
    sides: tuple[str, ...] = ALL
    jobs: tuple[int, ...] = (1,)  # of ours

    @property
    def settings(self) -> Settings:
        return Settings(self.degree, self.C)


@cache
def load(data: str) -> tuple[Data, Data]:
    """(X, y) to train on and (X, y) to test with."""
    if data == "BaseNP":
        return conll.load()
    train, test = (gm.read_svmlight(corpora() / "binary" / f"a9a{part}.gz") for part in ("", ".t"))
    return train, (_widened(test[0], train[0].shape[1]), test[1])


def _widened(X: Any, columns: int) -> Any:
    X.resize(X.shape[0], columns)
    return X


def task_of(data: str, n: int | None, folder: Path) -> Task:
    train, test = load(data)
    return Task.of(train if n is None else sample(train, n), test, folder)


def measured(case: Case, folder: Path, rounds: int) -> Result:
    """All sides in turn; AssertionError where one has learned something else."""
    task = task_of(case.data, case.n, folder)
    sides = [(side, jobs) for side in case.sides for jobs in (case.jobs if side in (DUAL_CD, SMO) else (1,))]
    calls = {
        (side, jobs): trainer(task, side, replace(case.settings, jobs=jobs)) for side, jobs in sides if available(side)
    }
    result = in_rounds(calls, rounds)
    reference = reference_of(result)
    for (side, _), runs in result.items():
        check(f"{case}, {side}", runs[0], reference, SCORES * case.settings.tol)
    return result


def trainer(task: Task, side: str, settings: Settings) -> Callable[[], Outcome]:
    return lambda: task.run(side, settings)


def in_rounds(calls: dict[Any, Callable[[], Outcome]], rounds: int) -> dict[Any, list[Outcome]]:
    """In turn, several times; the slow ones once."""
    found: dict[Any, list[Outcome]] = {key: [] for key in calls}
    for _ in range(rounds):
        for key, call in calls.items():
            if not found[key] or found[key][0].report.seconds < SLOW:
                found[key].append(call())
    return found


def reference_of(result: Result) -> Outcome:
    """svm-train's, or that of the first side if it is absent."""
    return result.get((LIBSVM, 1), next(iter(result.values())))[0]


def check(name: str, outcome: Outcome, reference: Outcome, scores: float) -> None:
    """Objectives and scores are the reference's; what a side says about its objective is so."""
    assert outcome.machine is not None
    said = outcome.report.objective
    objective = objective_of(outcome.machine)
    assert said is None or abs(said - objective) <= 1e-6 * (1 + abs(objective)), f"{name}: {said} is not {objective}"
    assert -BETTER <= objective_apart(outcome, reference) <= WORSE, f"{name}: {objective}"
    assert scores_apart(outcome, reference) <= scores, f"{name}: {scores_apart(outcome, reference)}"


def objective_apart(outcome: Outcome, reference: Outcome) -> float:
    """Relative; the dual is minimised: below 0 the side came nearer to the solution than the reference."""
    assert outcome.machine is not None
    assert reference.machine is not None
    wanted = objective_of(reference.machine)
    return (objective_of(outcome.machine) - wanted) / abs(wanted)


def scores_apart(outcome: Outcome, reference: Outcome) -> float:
    return float(np.abs(outcome.scores - reference.scores).max())


def shared(outcome: Outcome, reference: Outcome) -> float:
    assert outcome.machine is not None
    assert reference.machine is not None
    ours, theirs = support_of(outcome.machine), support_of(reference.machine)
    return len(ours & theirs) / len(ours | theirs)
