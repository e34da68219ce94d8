"""What `train` of tag, segment, classify-trees and roles has in common: how it begins, is interrupted and ends."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import click

from gristmill.apps.learning import MULTICLASS, SOLVERS
from gristmill.cli.screen import note, progress_bar
from gristmill.cli.train_command import check_apart, check_place


def learner_options(answers: str) -> Callable[[Any], Any]:
    """How machines are learned that choose among these answers, from rows of features."""
    options = [
        click.option(
            "--solver", type=click.Choice(SOLVERS), default="online", show_default=True, help="Seconds, or minutes."
        ),
        click.option(
            "--multiclass",
            type=click.Choice(MULTICLASS),
            default="auto",
            show_default=True,
            help=f"All {answers} at once (native, online), each against the rest, each against each.",
        ),
        click.option(
            *("-d", "--degree"),
            type=click.IntRange(1, 12),
            default=2,
            show_default=True,
            help="Features in a conjunction.",
        ),
        click.option(*("-c", "-C", "--cost"), type=float, help="What an error costs.  [default: by the solver]"),
        click.option(
            *("-e", "--epochs"), type=click.IntRange(1), default=10, show_default=True, help="Of online learning."
        ),
    ]
    return lambda command: functools.reduce(lambda inner, option: option(inner), reversed(options), command)


def learner_settings(options: dict[str, Any]) -> dict[str, Any]:
    """What the options say, as Tagger and DependencyParser take it."""
    chosen = {name: options[name] for name in ("solver", "multiclass", "degree", "epochs")}
    return chosen | {"C": options["cost"], "n_jobs": options["jobs"]}


def check_model(model: str, *inputs: str, as_json: bool) -> None:
    """Refuse a MODEL that cannot be written, or that would be lost or lose something else."""
    if model == "-" and as_json:
        raise click.UsageError("standard output has the model: with --json name a file for MODEL")
    check_place(model)
    check_apart(model, *inputs)


def is_interrupted(learner: Any, fit: Callable[[], object]) -> bool:
    """Learn; whether it was interrupted, with something learned."""
    with progress_bar("learning") as learner.progress:
        try:
            fit()
        except KeyboardInterrupt:
            if not hasattr(learner, "machine_"):
                raise
            return True
        finally:
            learner.progress = None
    return False


def say_learned(model: str, summary: dict[str, Any], said: str, options: dict[str, Any]) -> None:
    """To programs and to people, if they asked; then end as an interrupted program does, if it was one."""
    if options["as_json"]:
        click.echo(json.dumps(summary))
    if not options["quiet"]:
        note(said)
    if summary.get("interrupted"):
        note(f"interrupted; what was learned so far is in {model}")
        raise KeyboardInterrupt
