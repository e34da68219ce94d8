"""How a command compiles the model: the options, and the compiled scorer that may lie beside the file."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from gristmill.cli.options import BYTES, ENGINE_NAMES, RARE, engine_option
from gristmill.cli.screen import note, progress_bar
from gristmill.data.rows import Binarize
from gristmill.machines.machine import Machine
from gristmill.machines.structured import StructuredMachine
from gristmill.scoring.scorer import Scorer

SUFFIX = ".scorer"  # the compiled scorer of MODEL is MODEL.scorer


@dataclass(frozen=True)
class Compilation:
    """What was asked for, by the names of the options."""

    engine: str | None
    max_bytes: int | None
    sigma: float
    xi: int
    certified: bool
    rare: float | None

    @property
    def options(self) -> dict[str, Any]:
        """For `Machine.compile`, beside the engine."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "engine"}

    @property
    def is_default(self) -> bool:
        """True when no option was given."""
        return self == Compilation(None, None, 0.0, 1, False, None)

    def compile(self, machine: Machine, binarize: Binarize = 0.0, **others: Any) -> Scorer:
        """Build the scorer."""
        if isinstance(machine, StructuredMachine):
            if replace(self, engine=None, max_bytes=None) != Compilation(None, None, 0.0, 1, False, None):
                raise ValueError("--sigma, --xi, --certified and --rare are for machines on rows; this one is on trees")
            with progress_bar("compiling") as progress:
                return machine.compile(self.engine or "auto", max_bytes=self.max_bytes, progress=progress, **others)
        with progress_bar("compiling") as progress:
            return machine.compile(
                self.engine or "auto", binarize=binarize, progress=progress, **self.options, **others
            )

    def compile_beside(self, machine: Machine, model: str, binarize: Binarize = 0.0) -> Scorer:
        """The scorer that lies beside the model if it is what is asked for, else a new one. Writes nothing."""
        from gristmill.scoring.compile import kept_scorer
        from gristmill.scoring.structured_scorer import kept_tree_scorer

        path = scorer_path(model)
        if path is None or self.engine in ("direct", "inverted") or binarize is False:
            return self.compile(machine, binarize)
        if isinstance(machine, StructuredMachine):
            found = kept_tree_scorer(machine, path, self.max_bytes)
        else:
            found = kept_scorer(machine, path, self.engine or "auto", binarize=binarize, **self.options)
        if isinstance(found, Scorer):
            return found
        note(f"{path} {found}: it is not used, the model is compiled anew")
        return self.compile(machine, binarize)


def scorer_path(model: str) -> Path | None:
    """The compiled scorer beside a model file, if there is one."""
    path = Path(f"{model}{SUFFIX}")
    return path if model != "-" and path.is_file() else None


# --- options ----------------------------------------------------------------------------------------------------------

max_bytes_option = click.option(
    "--max-bytes", type=BYTES, metavar="SIZE", help="Memory the compiled model may take, as 500M or 2G; default 4GiB."
)
sigma_option = click.option(
    "--sigma",
    type=click.FloatRange(0),
    default=0.0,
    metavar="S",
    help="expanded: drop conjunctions that weigh less, as 0.001; faster, no longer exact. Default 0: keep all.",
)
xi_option = click.option(
    "--xi",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="expanded: drop conjunctions that fewer support vectors have; no longer exact. Default 1: keep all.",
)
certified_option = click.option(
    "--certified",
    is_flag=True,
    help="With --sigma or --xi: exact labels all the same; where one is open, an exact engine is asked.",
)
rare_option = click.option(
    "--rare",
    type=RARE,
    metavar="N|SHARE",
    help="split: features in fewer than N support vectors (or 0.5%, or 0.005 of them) are rare. "
    "Default 0.5%, or what fits.",
)


def optional_engine(help: str) -> Callable[[Any], Any]:
    """--engine for commands that do not compile unless they are told to."""
    return click.option("--engine", type=click.Choice(ENGINE_NAMES), help=help)


def compilation(engine: Callable[[Any], Any] = engine_option) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of compiling; it receives them as `how`."""

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def gathered(**arguments: Any) -> None:
            own = {field.name: arguments.pop(field.name) for field in fields(Compilation)}
            command(how=Compilation(**own), **arguments)

        for option in (rare_option, certified_option, xi_option, sigma_option, max_bytes_option, engine):
            gathered = option(gathered)
        return gathered

    return declare
