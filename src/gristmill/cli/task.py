"""What every command that scores has: a model, data, and the options between them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import click
from numpy.typing import NDArray

from gristmill.apps.loading import open_machine
from gristmill.cli.compiling import Compilation, compilation
from gristmill.cli.options import base_option, binarize_option, jobs_option, machine_option
from gristmill.cli.screen import progress_bar
from gristmill.data.rows import Binarize
from gristmill.machines.machine import Machine
from gristmill.machines.reading import read_for
from gristmill.scoring.scorer import Scorer


@dataclass(frozen=True)
class ScoringTask:
    """The arguments of a command, by the names of its parameters."""

    model: str
    data: str
    name: str | None
    how: Compilation
    jobs: int | None
    binarize: Binarize
    zero_based: bool | None

    def load(self) -> Machine:
        """The machine."""
        if self.model == self.data == "-":
            raise click.UsageError("MODEL and DATA cannot both be standard input")
        return open_machine(self.model, self.name)

    def read(self, machine: Machine) -> tuple[Any, NDArray[Any]]:
        """The rows and labels, counted as the machine counts them; trees for a machine on trees."""
        with progress_bar("reading") as progress:
            return read_for(machine, self.data, zero_based=self.zero_based, progress=progress)

    def compile(self, machine: Machine) -> Scorer:
        """The machine, compiled as asked, or the compiled scorer beside its file."""
        return self.how.compile_beside(machine, self.model, self.binarize)


_DECLARED: tuple[Callable[[Any], Any], ...] = (
    click.argument("model", type=click.Path(allow_dash=True)),
    click.argument("data", type=click.Path(allow_dash=True)),
    machine_option,
    compilation(),
    jobs_option,
    binarize_option,
    base_option,
)


def scoring_task(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command MODEL, DATA and the options of scoring; it receives them as `task`."""

    @functools.wraps(command)
    def gathered(**arguments: Any) -> None:
        own = {field.name: arguments.pop(field.name) for field in fields(ScoringTask)}
        command(ScoringTask(**own), **arguments)

    for declare in reversed(_DECLARED):
        gathered = declare(gathered)
    return gathered
