"""The command line: `gristmill COMMAND --help`. Errors go to standard error with a non-zero exit."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from gristmill import __version__
from gristmill.base.warnings import (
    ConvergenceWarning,
    DataConversionWarning,
    DirectScoringWarning,
    EmptyColumnsWarning,
    MaliciousPairsWarning,
    UnmarkedTreesWarning,
)
from gristmill.cli.groups import CommandGroup

COMMANDS = (
    *("demo", "train", "tune", "predict", "evaluate", "convert", "inspect", "explain", "report"),
    *("kernel", "bench"),
    *("tag", "segment", "parse", "classify-trees", "roles"),
    *("serve", "svm-predict", "svm-classify"),
)

_ALWAYS = (
    ConvergenceWarning,
    DataConversionWarning,
    DirectScoringWarning,
    EmptyColumnsWarning,
    MaliciousPairsWarning,
)


class _Commands(CommandGroup):
    """Imports a command when it is asked for: half of the time of a short run would go to the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(importlib.import_module(f"gristmill.cli.{name}"), name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gristmill")
def gristmill() -> None:
    """Exact kernel machines on sparse binary features, at the speed of linear models.

    Files may be compressed (gzip, bzip2, xz); '-' is standard input or output.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        for category in _ALWAYS:
            warnings.simplefilter("always", category)
        warnings.simplefilter("default", UnmarkedTreesWarning)  # once, whether of one file or of two
        try:
            gristmill.main(args=arguments, prog_name="gristmill", standalone_mode=False)
        except click.exceptions.Exit as stop:
            return stop.exit_code
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except (KeyboardInterrupt, click.Abort):
            return _fail("interrupted", 130)
        except OSError as error:
            return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), 1)
        except (ValueError, MemoryError) as error:
            return _fail(str(error) or "out of memory", 1)
    return 0


def _fail(message: str, code: int) -> int:
    click.echo(f"gristmill: error: {message}", err=True)
    return code


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"gristmill: warning: {message}", err=True)
