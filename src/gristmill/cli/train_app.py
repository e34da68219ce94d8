"""What the `train` commands of apps share."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import click

from gristmill.apps.learning import MULTICLASS, SOLVERS
from gristmill.base.files import decoded, read_bytes
from gristmill.cli.command import declared, option
from gristmill.cli.options import check_apart, check_place
from gristmill.cli.screen import note, progress_bar


def learner_options(answers: str) -> Callable[[Any], Any]:
    """The options of learning machines that choose among these answers."""
    options = [
        option(
            "--solver",
            type=click.Choice(SOLVERS),
            default="online",
            help="online takes seconds; the others learn an exact support vector machine, in minutes.",
        ),
        option(
            "--multiclass",
            type=click.Choice(MULTICLASS),
            default="auto",
            advanced=True,
            help=f"All {answers} at once (native, online), each against the rest, each against each.",
        ),
        option(*("-d", "--degree"), type=click.IntRange(1, 12), default=2, help="Features in a conjunction."),
        option(*("-C", "--cost"), type=float, help="What an error costs.  [default: by the solver]"),
        option("--epochs", type=click.IntRange(1), default=10, help="Passes of online learning."),
    ]
    return functools.partial(declared, options=options)


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


def print_summary(model: str, summary: dict[str, Any], line: str, options: dict[str, Any]) -> None:
    """As JSON and as a line, where they are wanted; ends as an interrupted command if learning was interrupted."""
    if options["as_json"]:
        click.echo(json.dumps(summary))
    if not options["quiet"]:
        note(line)
    if summary.get("interrupted"):
        note(f"interrupted; what was learned so far is in {model}")
        raise KeyboardInterrupt


def text_or_file(value: str) -> tuple[str, str | None]:
    """The text of an option such as --templates, and the file that it is from where it is `@FILE`."""
    if not value.startswith("@"):
        return value, None
    return decoded(read_bytes(value[1:])), value[1:]
