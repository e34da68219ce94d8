"""gristmill train --loss logistic: weights of conjunctions whose scores are log odds."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from gristmill.base.checks import seed_of
from gristmill.cli.screen import count, note, progress_bar
from gristmill.cli.train_data import TrainingData, read_training_data
from gristmill.cli.train_options import factors_of, polynomial_of
from gristmill.data.rows import Rows
from gristmill.machines.formats import own, write
from gristmill.solvers.cost_scale import AUTO
from gristmill.solvers.logistic import LogisticFit, LogisticInterrupted, LogisticSettings, train_logistic


def train_logistic_machine(data: str, model: str, options: dict[str, Any], given: dict[str, str]) -> None:
    """Learn from a file and write the model; Ctrl-C writes the best machine so far."""
    if model == "-" and options["as_json"]:
        raise click.UsageError("standard output has the model: with --json name a file for MODEL")
    if options["format"] != own.NAME:
        raise click.UsageError(f"--loss logistic learns weights of conjunctions, which --format {own.NAME} keeps")
    examples = read_training_data(data, "poly", options, given)
    assert isinstance(examples.X, Rows)
    settings = _settings(examples.X, options, given)
    fit, interrupted = _solve(examples, examples.X, settings, options)
    write(fit.machine, model, own.NAME)
    summary = _summary(examples, fit) | {"interrupted": interrupted}
    if options["as_json"]:
        click.echo(json.dumps(summary))
    if not options["quiet"]:
        note(_described(summary))
    if interrupted:
        note(f"interrupted; the best machine so far is in {model}")
        raise KeyboardInterrupt


def _settings(rows: Rows, options: dict[str, Any], given: dict[str, str]) -> LogisticSettings:
    """Defaults are those of the estimator."""
    return LogisticSettings(
        polynomial_of(options, rows),
        C=AUTO if options["cost"] is None else options["cost"],
        max_bytes=options["max_bytes"],
        seed=seed_of(options["random_state"]),
        **{name: options[name] for name in ("tol", "max_iter") if name in given},
    )


def _solve(
    data: TrainingData, rows: Rows, settings: LogisticSettings, options: dict[str, Any]
) -> tuple[LogisticFit, bool]:
    """What was learned, and whether it was interrupted."""
    how: dict[str, Any] = {"class_factors": np.array(factors_of(options, data.labels)), "n_jobs": options["jobs"]}
    with progress_bar("solving") as progress:
        try:
            how |= {"first_id": data.first_id, "progress": progress}
            numbers = data.numbers.astype(np.intp)
            return train_logistic(rows, numbers, data.labels.classes, settings, **how), False
        except LogisticInterrupted as stop:
            return stop.fit, True


def _summary(data: TrainingData, fit: LogisticFit) -> dict[str, Any]:
    return {
        "examples": len(data.X),
        "classes": data.labels.classes.tolist(),
        "kernel": fit.machine.provenance["kernel"],
        "C": fit.C,
        "conjunctions": fit.machine.n_support,
        "passes": fit.passes,
        "objective": fit.objective,
        "gap": fit.gap,
        "converged": fit.converged,
        "seconds": fit.seconds,
    }


def _described(summary: dict[str, Any]) -> str:
    return (
        f"{count(summary['examples'])} examples of {len(summary['classes'])} classes, logistic regression, C "
        f"{summary['C']:.3g}: weights of {count(summary['conjunctions'])} conjunctions, objective "
        f"{summary['objective']:.6g}, at most {summary['gap']:.2g} above its minimum, {summary['passes']} passes, "
        f"{summary['seconds']:.1f} s"
    )
