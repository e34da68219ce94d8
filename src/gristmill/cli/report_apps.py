"""gristmill report for taggers, segmenters, parsers and role labellers: their models and data."""

from __future__ import annotations

from typing import Any

import click

from gristmill.apps import DependencyParser, RoleLabeller, Segmenter, Tagger
from gristmill.cli.app_options import refuse_of_machines
from gristmill.cli.roles import read_predicates

_PROGRAMS: dict[str, Any] = {"tag": Tagger, "segment": Segmenter, "parse": DependencyParser}
_ROLES = "roles"


def open_program(model: str, command: str, data: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """A program by its command, and what it is looked at with."""
    if model == "-":
        raise click.UsageError(f"a model of `gristmill {command}` is read from a file, not from standard input")
    others = "tree", "engine" if command == _ROLES else "props"
    refuse_of_machines(model, f"a model of `gristmill {command}`", *others)
    if command == _ROLES:
        if data == options["props"] == "-":
            raise click.UsageError("--data and --props cannot both be standard input")
        return RoleLabeller.load(model, n_jobs=options["jobs"]), read_predicates(data, options["props"])
    engine = options["how"].engine or "auto"
    return _PROGRAMS[command].load(model, engine=engine, n_jobs=options["jobs"]), data
