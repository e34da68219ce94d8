"""gristmill report for taggers, segmenters, parsers and role labellers: their models and data."""

from __future__ import annotations

from typing import Any

import click

from gristmill.apps import DependencyParser, RoleLabeller, Segmenter, Tagger
from gristmill.cli.roles import read_predicates
from gristmill.files import display_name

_PROGRAMS: dict[str, Any] = {"tag": Tagger, "segment": Segmenter, "parse": DependencyParser}
_ROLES = "roles"


def open_program(model: str, command: str, data: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """A program by its command, and what it is looked at with."""
    if model == "-":
        raise click.UsageError(f"a model of `gristmill {command}` is read from a file, not from standard input")
    _check(model, command, options)
    if command == _ROLES:
        if data == options["props"] == "-":
            raise click.UsageError("--data and --props cannot both be standard input")
        return RoleLabeller.load(model, n_jobs=options["jobs"]), read_predicates(data, options["props"])
    engine = options["how"].engine or "auto"
    return _PROGRAMS[command].load(model, engine=engine, n_jobs=options["jobs"]), data


def _check(model: str, command: str, options: dict[str, Any]) -> None:
    """UsageError for options that the program has no use for."""
    of_machines = {"--machine": options["name"], "--tree": options["tree"]}
    others = {**of_machines} if command == _ROLES else {**of_machines, "--props": options["props"]}
    for option, value in others.items():
        if value is not None:
            raise click.UsageError(f"{option} is not for {display_name(model)}, a model of `gristmill {command}`")
