"""Commands with many options: help in sections, and which options were given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click


class SectionOption(click.Option):
    """An option that `--help` lists under a heading."""

    def __init__(self, *args: Any, section: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.section = section


def option(*names: str, section: str = "", **settings: Any) -> Callable[[Any], Any]:
    """As `click.option`, under a heading."""
    return click.option(*names, cls=SectionOption, section=section, **settings)


def declared(command: Any, options: Iterable[Callable[[Any], Any]]) -> Any:
    """A command with options, in this order."""
    for declare in reversed(list(options)):
        command = declare(command)
    return command


def given(ctx: click.Context) -> dict[str, str]:
    """The parameters that stand on the command line, and how each is spelled there at its longest."""
    source = click.core.ParameterSource.COMMANDLINE
    return {
        str(param.name): max(param.opts, key=len)
        for param in ctx.command.params
        if ctx.get_parameter_source(str(param.name)) is source
    }


class SectionCommand(click.Command):
    """A command whose help has a heading for each section, in the order of their first options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(param, "section", ""), []).append(record)
        for title, records in sections.items():
            with formatter.section(title or "Options"):
                formatter.write_dl(records)
