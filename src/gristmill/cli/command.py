"""Commands and their options: headings in the help, advanced options, configuration files."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click
from click.core import ParameterSource

from gristmill.cli.places import check_apart, check_outputs

_SHOWS_ALL = "gristmill.help_all"
TEXT_OR_FILE = "TEXT|@FILE"  # the metavar of options whose value may be in a file


class Option(click.Option):
    """An option that the help lists under a heading; an advanced one is listed by --help-all only.

    The help shows the default value, unless the text of the help says what it is.
    """

    def __init__(self, *args: Any, section: str = "", advanced: bool = False, **settings: Any) -> None:
        settings.setdefault("show_default", _shows_default(settings))
        super().__init__(*args, **settings)
        if self.metavar is None and isinstance(self.type, click.INT.__class__ | click.FLOAT.__class__):
            self.metavar = "N"
        self.section = section
        self.advanced = advanced

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Without the range of numbers: an error names it where it matters."""
        return {name: value for name, value in super().get_help_extra(ctx).items() if name != "range"}

    @property
    def spelled(self) -> str:
        """The longest name, as --degree."""
        return max(self.opts, key=len)

    @property
    def key(self) -> str:
        """The name in a configuration file."""
        return self.spelled.lstrip("-")


def _shows_default(settings: Mapping[str, Any]) -> bool:
    return settings.get("default") not in (None, ()) and "[default:" not in settings.get("help", "")


def option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """As `click.option`, with the parameters of `Option`."""
    return click.option(*names, cls=Option, **settings)


def declared(command: Any, options: Iterable[Callable[[Any], Any]]) -> Any:
    """A command with options, in this order."""
    for declare in reversed(list(options)):
        command = declare(command)
    return command


class InputFile(click.Path):
    """A file to read, or standard input."""


class OutputFile(click.Path):
    """A file to write, or standard output."""


FILE = InputFile(allow_dash=True)
OUTPUT = OutputFile(allow_dash=True)


def arguments(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """Arguments that are files to read."""
    return functools.partial(declared, options=[click.argument(name, type=FILE, **settings) for name in names])


def check_files(ctx: click.Context, *targets: str) -> None:
    """Refuse to write to a file that is read, or twice to the same one, before anything is done."""
    inputs, outputs = _files(ctx, InputFile), [*_files(ctx, OutputFile), *targets]
    for target in outputs:
        check_apart(target, *inputs)
    check_outputs(outputs)


def _files(ctx: click.Context, kind: type[click.Path]) -> list[str]:
    params = (param for param in ctx.command.params if isinstance(param.type, kind))
    return [value for param in params for value in _values(ctx, param) if isinstance(value, str)]


def _values(ctx: click.Context, param: click.Parameter) -> tuple[Any, ...]:
    value = ctx.params.get(str(param.name))
    return value if isinstance(value, tuple) else (value,)


def check_stdin(ctx: click.Context) -> None:
    """Refuse to read standard input twice."""
    spelled = list[str]()
    for param in ctx.command.params:
        values = _values(ctx, param)
        if isinstance(param.type, InputFile):
            spelled += [_spelled(param)] * values.count("-")
        elif param.metavar == TEXT_OR_FILE:
            spelled += [_spelled(param)] * values.count("@-")
    if len(spelled) > 1:
        raise click.UsageError(f"only one file can be standard input, not {' and '.join(spelled)}", ctx)


def _spelled(param: click.Parameter) -> str:
    return param.spelled if isinstance(param, Option) else param.human_readable_name


def options_of(command: click.Command) -> list[Option]:
    """The command's own options, without those that all commands have."""
    return [param for param in command.params if isinstance(param, Option) and param.expose_value]


def given(ctx: click.Context) -> dict[str, str]:
    """The parameters that the command line or the configuration file sets, and how each is spelled at its longest."""
    sources = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)
    return {
        str(param.name): max(param.opts, key=len)
        for param in ctx.command.params
        if param.expose_value and ctx.get_parameter_source(str(param.name)) in sources
    }


# --- options of all commands ------------------------------------------------------------------------------------------


def _show_all(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_SHOWS_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _read_config(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    if path is not None:
        from gristmill.cli.config import read_config

        ctx.default_map = read_config(path, ctx.command, ctx.command_path)


def _common_options(*, advanced: bool) -> list[click.Parameter]:
    """--config and --save-config; --help-all where something is advanced."""
    file = click.Path(allow_dash=True)
    config: dict[str, Any] = {"is_eager": True, "expose_value": False, "callback": _read_config}
    found = [
        Option(
            ["--config"], type=file, metavar="FILE", help="Take options from a TOML file, as `degree = 2`.", **config
        ),
        Option(
            ["--save-config"],
            type=file,
            metavar="FILE",
            expose_value=False,
            help="Write the given options to a TOML file.",
        ),
    ]
    if advanced:
        shows: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False, "callback": _show_all}
        found.append(Option(["--help-all"], help="Show all options.", **shows))
    return list(found)


class Command(click.Command):
    """A command whose help has headings, and whose options may come from a file."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        own = [param for param in self.params if isinstance(param, Option)]
        if own:
            self.params += _common_options(advanced=any(param.advanced for param in own))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spelled = list(args)
        rest = super().parse_args(ctx, args)
        check_stdin(ctx)
        check_files(ctx)
        if any(word.startswith("--save-config") for word in spelled):
            from gristmill.cli.config import write_config

            raw: Mapping[str, Any] = self.make_parser(ctx).parse_args(spelled)[0]
            check_files(ctx, raw["save_config"])
            write_config(raw["save_config"], self, {**(ctx.default_map or {}), **raw})
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A heading for each section, in the order of their first options."""
        sections: dict[str, list[tuple[str, str]]] = {"": []}
        shows_all = ctx.meta.get(_SHOWS_ALL, False)
        for param in self.get_params(ctx):
            record = None
            if isinstance(param, click.Option) and (shows_all or not getattr(param, "advanced", False)):
                record = param.get_help_record(ctx)
            if record is not None:
                sections.setdefault(getattr(param, "section", ""), []).append(record)
        for title, records in sections.items():
            with formatter.section(title or "Options"):
                formatter.write_dl(records)


class Group(click.Group):
    """A group whose error for an unknown command names those that are spelled alike."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = str(args[0])
        if name.startswith("-") or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        suggestion = suggested(name.lower(), self.list_commands(ctx))
        raise click.UsageError(f"there is no command {name!r}; {suggestion}", ctx)


def suggested(name: str, names: list[str]) -> str:
    """Did you mean one of these? Else all of them."""
    close = difflib.get_close_matches(name, names)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {', '.join(names)}"
