"""gristmill train --online: perceptrons and passive-aggressive learners."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

import click

from gristmill.apps.loading import open_machine
from gristmill.base.errors import naming, refusing
from gristmill.cli.places import check_apart, check_place
from gristmill.cli.screen import count, note, progress_bar, progress_line
from gristmill.cli.train_options import factors_of, names_of, settings_of
from gristmill.data.rows import Binarize
from gristmill.machines.formats import write
from gristmill.solvers.online import OnlineLearner, OnlineSettings, OnlineStats, checkpoint
from gristmill.solvers.online.examples import FileInMemory, FileStream
from gristmill.solvers.online.training import Training

# Everything else says how to learn; a checkpoint knows it.
_WITH_RESUME = {"data", "model", "online", "stream", "resume", "format", "binarize", "as_json", "jobs", "quiet"} | {
    "checkpoint_path",
    "checkpoint_every",
}


def train_online(data: str, model: str, options: dict[str, Any], given: Mapping[str, str]) -> None:
    """Learn from a file and write the model; Ctrl-C writes what was learned so far."""
    if options["binarize"] is False:
        raise click.UsageError("--binarize keep: learning needs values of 0 and 1")
    if isinstance(options["gamma"], str):
        raise click.UsageError(f"--gamma {options['gamma']} is for batch SVMs, not with --online")
    options["checkpoint_path"] = _checkpoint_path(data, model, options)
    training = _resumed(data, options, given) if options["resume"] else _begun(data, options)
    training.n_jobs = options["jobs"]
    interruption = _learn(training, options)
    machine = training.learner.machine(first_id=training.source.first_id)
    write(machine, model, options["format"])
    stats = training.learner.stats()
    if options["as_json"]:
        click.echo(json.dumps(asdict(stats) | {"interrupted": interruption.requested, "visited": training.visited}))
    if not options["quiet"]:
        note(f"{describe(stats)}, {stats.seconds:.1f} s")
    if interruption.requested:
        note(f"interrupted after {training.visited:,} examples; what was learned so far is in {model}")
        raise KeyboardInterrupt


def _learn(training: Training, options: dict[str, Any]) -> Interruption:
    path = options["checkpoint_path"]
    with Interruption() as interruption, progress_line("learning") as draw:
        training.watch = Watching(training, interruption, draw, path, options["checkpoint_every"])
        try:
            training.run()
        except KeyboardInterrupt:
            if not interruption.requested:
                raise
        if path is not None:
            checkpoint.save(training.learner, training.position(), path)
    return interruption


def _checkpoint_path(data: str, model: str, options: dict[str, Any]) -> str | None:
    """Where the state is kept: --checkpoint, or the file that a resumed run came from."""
    resumed = options["resume"] if options["resume"] != "-" else None  # what came from a pipe cannot be written back
    path: str | None = options["checkpoint_path"] or resumed
    if path is None:
        return None
    check_place(path, data)
    check_apart(model, path)
    if path == resumed and not os.access(Path(path).resolve().parent, os.W_OK):
        raise click.UsageError(
            f"--resume {path} is to be kept up to date, and its folder cannot be written to: name "
            "another file with --checkpoint"
        )
    return path


def _begun(data: str, options: dict[str, Any]) -> Training:
    source = _source(data, options, names_of(options), options["stream"], options["zero_based"])
    settings = _settings(data, options)
    classes = source.labels.classes
    weights = factors_of(options, source.labels)
    how: dict[str, Any] = {"smallest_weight": min(weights, default=1.0)}
    if options["init"] is None:
        learner = OnlineLearner(settings, classes, **how)
    else:
        with naming(options["init"]), refusing():
            learner = OnlineLearner(settings, classes, **how, init=open_machine(options["init"], trees=False))
    if source.lengths is not None:
        learner.begin(source.lengths)
    if isinstance(source, FileStream) and source.features is not None and settings.rank_by == "frequency":
        learner.rank(source.features)
    seed = options["random_state"] if options["shuffle"] else None
    return Training(learner, source, weights, seed, _nobody)


def _resumed(data: str, options: dict[str, Any], given: Mapping[str, str]) -> Training:
    more = [spelled for name, spelled in given.items() if name not in _WITH_RESUME]
    if more:
        raise click.UsageError(f"--resume goes on with the settings of the checkpoint; leave out {', '.join(more)}")
    learner, run = checkpoint.load(options["resume"])
    stream = run.examples is None
    if options["stream"] and not stream:
        raise click.UsageError("the checkpoint is of a run in memory: leave out --stream")
    labels = [str(label) for label in learner.classes.tolist()]
    source = _source(data, options, labels, stream, run.first_id == 0)
    if isinstance(source, FileInMemory) and source.checksum != run.examples:
        raise ValueError(f"{data} does not hold the examples that {options['resume']} was learning from")
    return Training(learner, source, run.weights, run.seed, _nobody, run.visited, head=run.head)


def _nobody(_: int, __: int | None) -> None:
    """Called until a training is watched."""


def _source(
    data: str, options: dict[str, Any], names: list[str], stream: bool, zero_based: bool | None
) -> FileInMemory | FileStream:
    binarize: Binarize = options["binarize"]
    kind = FileStream if stream else FileInMemory
    if stream and options["shuffle"]:
        raise click.UsageError("--shuffle needs all examples in memory: not with --stream")
    with progress_bar("reading") as progress:
        return kind(data, names, zero_based, binarize, progress)


def _settings(data: str, options: dict[str, Any]) -> OnlineSettings:
    once = options["stream"] and data == "-"
    epochs = options["epochs"] or (1 if once else 10)
    if once and epochs != 1:
        raise click.UsageError("standard input can be read once: --epochs 1")
    return settings_of(options, epochs)


# --- while it runs ----------------------------------------------------------------------------------------------------


class Interruption:
    """Notes the first Ctrl-C or SIGTERM, so that the work ends at a good place; the second one interrupts as always.

    A signal that was ignored when the program started (SIGINT by nohup, or in the background of a script) stays so.
    """

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        self._before = {number: handler for number, handler in handlers.items() if callable(handler)}
        for number in self._before:
            signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        self.__exit__()
        with contextlib.suppress(KeyboardInterrupt):  # the work raises it where it may end
            self._before[number](number, frame)


class Watching:
    """Called while a training runs: see `Training.watch`."""

    def __init__(
        self,
        training: Training,
        interruption: Interruption,
        draw: Callable[[int, int | None, str], None] | None,
        path: str | None,
        every: float,
    ) -> None:
        self.training = training
        self.interruption = interruption
        self.draw = draw
        self.path = path
        self.every = every
        self._begin = self._saved = time.monotonic()
        self._first = training.visited

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if self.draw is not None:
            speed = (done - self._first) / max(now - self._begin, 1e-9)
            self.draw(done, total, f"{describe(self.training.learner.stats())}, {count(int(speed))} examples/s")
        if self.interruption.requested:
            raise KeyboardInterrupt
        if self.path is not None and now - self._saved >= self.every:
            checkpoint.save(self.training.learner, self.training.position(), self.path)
            self._saved = time.monotonic()


def describe(stats: OnlineStats) -> str:
    """The state of a training, in a line."""
    return (
        f"{count(stats.examples)} examples, loss {stats.mean_loss:.4f}, {count(stats.updates)} updates, "
        f"{count(stats.support)} support vectors"
    )
