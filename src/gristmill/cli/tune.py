"""gristmill tune: which settings learn best."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from gristmill.cli.learning_options import COST, factors_of, learning_options, list_of, names_of, settings_of
from gristmill.cli.options import binarize_option, jobs_option, json_option
from gristmill.cli.screen import count, note, progress_bar, progress_line, table
from gristmill.data import Binarize
from gristmill.formats import MODEL_FORMATS, write_model
from gristmill.machine import Machine
from gristmill.online.examples import FileInMemory
from gristmill.online.tuning import MEASURES, Grid, Trial, best, trials


@click.command()
@click.argument("data", type=click.Path(allow_dash=True))
@click.argument("held_out", type=click.Path())
@click.argument("model", type=click.Path(allow_dash=True), required=False)
@click.option("--online", is_flag=True, help="Perceptron or passive-aggressive learning, example by example.")
@click.option("--degree", type=list_of(click.INT), default="1,2,3", show_default=True, help="Of the kernel.")
@click.option(
    "-C", "--cost", type=list_of(COST), default="0.001,0.01,0.1,1", show_default=True, help="Largest steps, or 'auto'."
)
@click.option("--epochs", type=list_of(click.IntRange(1)), default="1,3,10", show_default=True, help="Passes.")
@click.option(
    "--by", "measure", type=click.Choice(MEASURES), default="accuracy", show_default=True, help="What counts."
)
@learning_options
@click.option(
    "--to", type=click.Choice([known.NAME for known in MODEL_FORMATS]), default="gristmill", show_default=True
)
@binarize_option
@jobs_option
@json_option
def tune(data: str, held_out: str, model: str | None, **options: Any) -> None:
    """Learn from DATA with all combinations of settings, judge them on HELD_OUT, write the best MODEL.

    Both are in svmlight format and read once. Lists have commas between. -C auto counts the most epochs. Ctrl-C ends
    the search with the best so far.

    \b
    gristmill tune train.svm dev.svm model.safetensors --online --degree 1,2,3 -C 0.001,0.01,0.1
    """
    if not options["online"]:
        raise click.UsageError("say how to learn: --online")
    if options["binarize"] is False:
        raise click.UsageError("--binarize keep: learning needs values of 0 and 1")
    if model == "-":
        raise click.UsageError("standard output has the table: name a file for MODEL")
    train, other = _read(data, held_out, options)
    grid = Grid(options["degree"], options["cost"], options["epochs"])
    search = _Search(grid, options["measure"])
    try:
        _run(search, train, other, options)
    finally:  # also after Ctrl-C, or where memory or numbers gave out
        search.show(options["as_json"])
        if model is not None and search.machine is not None:
            write_model(search.machine, model, options["to"])
            note(f"the best model is in {model}")


def _read(data: str, held_out: str, options: dict[str, Any]) -> tuple[FileInMemory, FileInMemory]:
    """Both files, with the classes and the first feature of the first one."""
    binarize: Binarize = options["binarize"]
    with progress_bar("reading") as progress:
        train = FileInMemory(data, names_of(options), options["zero_based"], binarize, progress)
        names = [str(label) for label in train.labels.classes.tolist()]
        other = FileInMemory(held_out, names, train.first_id == 0, binarize, progress)
    if len(other.all.rows) == 0:
        raise ValueError(f"{held_out} holds no examples to judge by")
    return train, other


def _run(search: _Search, train: FileInMemory, held_out: FileInMemory, options: dict[str, Any]) -> None:
    grid = search.grid
    first = {"degree": grid.degrees[0], "cost": grid.costs[0]}
    settings = settings_of(options | first, max(grid.epochs))
    weights = factors_of(options, train.labels)
    seed = options["seed"] if options["shuffle"] else None
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
        return f"{len(self.found)} of {len(self.grid)}, best {self.measure} {getattr(top, self.measure):.4f}"

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
                *(t.degree, f"{t.C:g}", t.epochs, f"{t.accuracy:.2%}", f"{t.f1:.4f}", count(t.support)),
                f"{t.seconds:.2f}",
            )
            for at, t in enumerate(self.found)
        ]
        columns = ["best", "degree", "C", "epochs", "accuracy", "F1", "support vectors", "seconds"]
        table(f"{len(self.found)} of {len(self.grid)} combinations, by {self.measure}", columns, cells)
