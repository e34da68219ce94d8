"""What `train` of tag, segment, classify-trees and roles has in common: how it begins, is interrupted and ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from gristmill.cli.screen import note, progress_bar
from gristmill.cli.train_command import check_apart, check_place


def check_model(model: str, *inputs: str, as_json: bool) -> None:
    """Refuse a MODEL that cannot be written, or that would be lost or lose something else."""
    if model == "-" and as_json:
        raise click.UsageError("standard output has the model: with --json name a file for MODEL")
    check_place(model)
    check_apart(model, *inputs)


def is_interrupted(learner: Any, fit: Callable[[], object], *, learned: str = "machine_") -> bool:
    """Learn; whether it was interrupted, with something learned, which the learner has by this name."""
    with progress_bar("learning") as learner.progress:
        try:
            fit()
        except KeyboardInterrupt:
            if not hasattr(learner, learned):
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
