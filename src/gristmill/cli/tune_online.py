"""gristmill tune --online: which settings of online learning are best."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

import click

from gristmill.cli.screen import count, note, percent, progress_bar, progress_line, table
from gristmill.cli.train_options import factors_of, names_of, settings_of
from gristmill.data.rows import Binarize
from gristmill.display.numbers import in_percent
from gristmill.machines.formats import write
from gristmill.machines.machine import Machine
from gristmill.solvers.online.examples import FileInMemory
from gristmill.tuning.online import SCORINGS, Grid, Trial, best, trials

DEGREES, COSTS, EPOCHS = [1, 2, 3], [0.001, 0.01, 0.1, 1.0], [1, 3, 10]


def tune_online(data: str, held_out: str, model: str | None, options: dict[str, Any]) -> None:
    """Try all combinations of degree, C and epochs, each epoch on the way to more; write the best model."""
    if options["binarize"] is False:
        raise click.UsageError("--binarize keep: learning needs values of 0 and 1")
    if options["scoring"] not in (None, *SCORINGS):
        raise click.UsageError(f"--scoring {options['scoring']}: with --online there are {' and '.join(SCORINGS)}")
    options = _with_defaults(options)
    train, other = _read(data, held_out, options)
    grid = Grid(options["degree"], options["cost"], options["epochs"])
    search = _Search(grid, options["scoring"])
    try:
        _run(search, train, other, options)
    finally:  # also after Ctrl-C, or where memory or numbers gave out
        with ExitStack() as last:
            last.callback(search.show, options["as_json"])  # also where the model cannot be written
            if model is not None and search.machine is not None:
                write(search.machine, model, options["format"])
                note(f"the best model is in {model}")


def _with_defaults(options: dict[str, Any]) -> dict[str, Any]:
    """Of what nothing was said; gamma and coef0 have one value."""
    own: dict[str, Any] = {"degree": DEGREES, "cost": COSTS, "epochs": EPOCHS, "scoring": "accuracy"}
    own |= {"gamma": [1.0], "coef0": [1.0]}
    found = options | {name: options[name] or value for name, value in own.items()}
    for name in ("gamma", "coef0"):
        if len(found[name]) > 1:
            raise click.UsageError(f"--{name}: one value only, with --online")
        found[name] = found[name][0]
    if isinstance(found["gamma"], str):
        raise click.UsageError(f"--gamma {found['gamma']} is for batch SVMs, not with --online")
    return found


def _read(data: str, held_out: str, options: dict[str, Any]) -> tuple[FileInMemory, FileInMemory]:
    """Both files, with the classes and the first feature of the first one."""
    binarize: Binarize = options["binarize"]
    with progress_bar("reading") as progress:
        train = FileInMemory(data, names_of(options), options["zero_based"], binarize, progress)
        names = [str(label) for label in train.labels.classes.tolist()]
        other = FileInMemory(held_out, names, train.first_id == 0, binarize, progress)
    return train, other


def _run(search: _Search, train: FileInMemory, held_out: FileInMemory, options: dict[str, Any]) -> None:
    grid = search.grid
    first = {"degree": grid.degrees[0], "cost": grid.costs[0]}
    settings = settings_of(options | first, max(grid.epochs))
    weights = factors_of(options, train.labels)
    seed = options["random_state"] if options["shuffle"] else None
    with progress_line("tuning") as draw:
        tried = trials(
            settings,
            grid,
            train.all,
            held_out.all,
            train.labels.classes,
            weights,
            seed=seed,
            n_jobs=options["jobs"],
            first_id=train.first_id,
        )
        for trial, machine in tried:
            search.note(trial, machine)
            if draw is not None:
                draw(len(search.found), len(grid), search.say())


class _Search:
    """What was tried so far, and the best of it."""

    def __init__(self, grid: Grid, measure: str) -> None:
        self.grid = grid
        self.measure = measure
        self.found: list[Trial] = []
        self.machine: Machine | None = None

    def note(self, trial: Trial, machine: Machine) -> None:
        found = [*self.found, trial]
        if best(found, self.measure) == len(self.found):
            self.machine = machine
        self.found = found

    def say(self) -> str:
        top = self.found[best(self.found, self.measure)]
        return f"{len(self.found)} of {len(self.grid)}, best {self.measure} {in_percent(getattr(top, self.measure))}"

    def show(self, as_json: bool) -> None:
        if not self.found:
            return
        top = best(self.found, self.measure)
        if as_json:
            click.echo(json.dumps({"trials": [asdict(trial) for trial in self.found], "best": top}))
            return
        cells = [
            (
                "*" if at == top else "",
                *(t.degree, f"{t.C:g}", t.epochs, percent(t.accuracy), percent(t.f1), count(t.support)),
                f"{t.seconds:.2f}",
            )
            for at, t in enumerate(self.found)
        ]
        columns = ["best", "degree", "C", "epochs", "accuracy", "F1", "support vectors", "seconds"]
        table(f"{len(self.found)} of {len(self.grid)} combinations, by {self.measure}", columns, cells)
