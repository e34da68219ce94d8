"""Options of machines, where a model is a program's."""

from __future__ import annotations

import click

from gristmill.base.files import display_name
from gristmill.cli.sections import given

_OF_MACHINES = ("name", "binarize", "zero_based", "max_bytes", "sigma", "xi", "certified", "rare")


def refuse_of_machines(model: str, kind: str, *others: str) -> None:
    """UsageError where options stand on the command line that the program of a model has no use for."""
    for name, spelled in given(click.get_current_context()).items():
        if name in (*_OF_MACHINES, *others):
            raise click.UsageError(f"{spelled} is not for {display_name(model)}, {kind}")
