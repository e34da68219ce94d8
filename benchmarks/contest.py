"""One machine, scored by gristmill and by its peers: answers compared, options tried, the fastest timed in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

import gristmill as gm
from benchmarks.machines import magnitude
from benchmarks.measure import Missing, Timing, in_turn, seconds_of
from benchmarks.peer_machines import PASSES, read
from benchmarks.peers import Files, Peer
from gristmill.machines.data_files import read_rows_for
from gristmill.scoring.scorer import Scorer

ROUNDS, TRIALS, COMPILES, FINALISTS = 9, 2, 3, 3
OURS, MATRICES = "gristmill", "gristmill, scipy matrices"
PRINTED = 1e-6  # pecco and opal print six decimals

What = Literal["margin", "label"]
Clocks = dict[str, Callable[[], float]]


@dataclass(frozen=True)
class Trial:
    """A program with some options: seconds to compile, and an example."""

    peer: Peer
    compile: float
    margin: float
    label: float

    def side(self, what: What) -> str:
        return f"{self.peer.program} {self.peer.options}: {what}"


@dataclass(frozen=True)
class Standing:
    """A program at the end: seconds an example, and to compile."""

    margin: Timing
    label: Timing
    compile: Timing
    options: tuple[str, str] = ("", "")  # for margins and for labels


@dataclass(frozen=True)
class Result:
    """Of all programs on a machine."""

    n_support: int
    trials: list[Trial]
    standings: dict[str, Standing]


def hold(path: Path, files: Files, peers: Callable[[gm.Machine], Iterable[Peer]], notes: list[str]) -> Result:
    """The contest about the machine in this file; what could not take part is said in the notes."""
    machine = read(path)
    scorer, rows = machine.compile(), read_rows_for(machine, files.test)[0]
    trials = _try_all(peers(machine), scorer, rows.to_csr(), files, notes)
    finalists = {what: _finalists(trials, what) for what in _WHATS}
    _discard([trial for trial in trials if all(trial not in kept for kept in finalists.values())])
    clocks = _own_clocks(scorer, OURS, rows, len(rows)) | _own_clocks(scorer, MATRICES, rows.to_csr(), len(rows))
    timings = in_turn(clocks | _peer_clocks(finalists, files.repeated), ROUNDS)
    winners = {what: _winners(finalists[what], timings, what) for what in _WHATS}
    compiles: Clocks = {OURS: partial(seconds_of, lambda: read(path).compile())}
    compiled = in_turn(compiles | {name: trial.peer.compile for name, trial in winners["margin"].items()}, COMPILES)
    standings = {
        name: Standing(timings[f"{name}: margin"], timings[f"{name}: label"], compiled[OURS])
        for name in (OURS, MATRICES)
    }
    for name in winners["margin"]:
        margin, label = winners["margin"][name], winners["label"][name]
        options = margin.peer.options, label.peer.options
        sides = timings[margin.side("margin")], timings[label.side("label")]
        standings[name] = Standing(*sides, compiled[name], options)
    return Result(machine.n_support, trials, standings)


def check(peer: Peer, margins: Any, labels: Any, scorer: Scorer, X: Any) -> None:
    """Labels are ours, but where the score is no more than rounding; margins are, as far as they are printed."""
    X = X[: len(labels)]
    scores, name = scorer.decision_function(X), f"{peer.program} {peer.options}"
    unlike = np.flatnonzero(labels != scorer.predict(X))
    assert np.all(np.abs(scores[unlike]) <= 1e-9 * magnitude(scorer.machine, X[unlike])), f"{name}: labels"
    if peer.program != "svm-predict":
        assert np.all(np.abs(margins - scores) <= PRINTED * (1 + np.abs(scores))), f"{name}: margins"


_WHATS: tuple[What, What] = ("margin", "label")


def _try_all(peers: Iterable[Peer], scorer: Scorer, X: Any, files: Files, notes: list[str]) -> list[Trial]:
    trials, refused = [], set()
    for peer in peers:
        if peer.program in refused:
            continue
        try:
            trials.append(_try(peer, scorer, X, files.test))
        except Missing as reason:
            refused.add(peer.program)
            notes.append(f"{reason}.")
    return trials


def _try(peer: Peer, scorer: Scorer, X: Any, data: Path) -> Trial:
    compiled = peer.compile()
    margins, labels = ([run(data) for _ in range(TRIALS)] for run in (peer.margins, peer.labels))
    check(peer, margins[0].values, labels[0].values, scorer, X)
    return Trial(peer, compiled, min(run.seconds for run in margins), min(run.seconds for run in labels))


def _finalists(trials: list[Trial], what: What) -> list[Trial]:
    """The fastest of each program."""
    groups = _by_program(trials).values()
    return [trial for own in groups for trial in sorted(own, key=lambda one: float(getattr(one, what)))[:FINALISTS]]


def _discard(trials: list[Trial]) -> None:
    """pecco's tables take hundreds of megabytes a set of options."""
    for trial in trials:
        trial.peer.discard()


def _own_clocks(scorer: Scorer, name: str, data: Any, n: int) -> Clocks:
    calls = {"margin": scorer.decision_function, "label": scorer.predict}
    return {f"{name}: {what}": partial(_each, partial(call, data), n) for what, call in calls.items()}


def _peer_clocks(finalists: dict[What, list[Trial]], data: Path) -> Clocks:
    clocks: Clocks = {}
    for what, trials in finalists.items():
        for trial in trials:
            run = trial.peer.margins if what == "margin" else trial.peer.labels
            clocks[trial.side(what)] = lambda run=run: run(data).seconds  # type: ignore[misc]
    return clocks


def _winners(trials: list[Trial], timings: dict[str, Timing], what: What) -> dict[str, Trial]:
    groups = _by_program(trials).items()
    return {program: min(own, key=lambda trial: timings[trial.side(what)].median) for program, own in groups}


def _by_program(trials: list[Trial]) -> dict[str, list[Trial]]:
    groups: dict[str, list[Trial]] = {}
    for trial in trials:
        groups.setdefault(trial.peer.program, []).append(trial)
    return groups


def _each(call: Callable[[], Any], n: int) -> float:
    """Seconds an example, after a pass that warms up what other programs have left cold."""
    call()
    return sum(seconds_of(call) for _ in range(PASSES)) / PASSES / n
