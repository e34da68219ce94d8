"""gristmill convert: a model file in another format, compiled on request."""

from __future__ import annotations

import time
from pathlib import Path

import click

from gristmill.apps.loading import command_of
from gristmill.cli.command import Command, arguments, option
from gristmill.cli.options import SUFFIX, Compilation, compile_options, machine_option, optional_engine, scorer_path
from gristmill.cli.places import check_apart
from gristmill.cli.screen import count, note
from gristmill.display.numbers import memory
from gristmill.machines.formats import MODEL_FORMATS, own, read_machine, read_model, write
from gristmill.machines.machine import Machine

_BEGIN = 1 << 12  # bytes that tell the format
_WITH_APPS = (own.NAME, "yamcha")  # formats that hold more than machines


@click.command(cls=Command)
@arguments("source")
@click.argument("target", type=click.Path(allow_dash=True))  # the source, perhaps
@option(
    *("--format", "form"),
    type=click.Choice([known.NAME for known in MODEL_FORMATS]),
    default="gristmill",
    help="The format to write.",
)
@machine_option
@compile_options(optional_engine("Also compile for this engine and keep the result as TARGET.scorer."))
def convert(source: str, target: str, form: str, name: str | None, how: Compilation) -> None:
    """Read the model SOURCE, whatever its format, and write it to TARGET.

    A format that cannot hold the machine is refused with the reason, and nothing is written. With --engine the compiled
    scorer is written to TARGET.scorer; predict, evaluate and inspect find it there and start at once. It is a cache:
    delete it at will. A model of our own format may then be TARGET, too.

    \b
    Examples:
      gristmill convert libsvm.model model.safetensors
      gristmill convert model.safetensors libsvm.model --format libsvm
      gristmill convert libsvm.model model.safetensors --engine expanded
      gristmill convert model.safetensors model.safetensors --engine expanded
    """
    _check(how, target, form)
    if how.engine is None or name is not None or not _is_ours(source):  # else what is replaced is the same again
        check_apart(target, source)
    machine = read_model(source) if name is None else read_machine(source, name)
    if how.engine is not None:
        if not isinstance(machine, Machine):
            raise ValueError(f"{source} holds {len(machine)} machines, --engine compiles one: name it with --machine")
        _compile(machine, target, how)
    write(machine, target, form)
    click.echo(f"{machine!r} written to {target} ({form})", err=True)
    app = command_of(machine)
    if app is not None and not form.startswith(_WITH_APPS):
        note(f"{source} is a model of `gristmill {app}`; {target} holds its machine alone, which {app} cannot run")
    if how.engine is None and scorer_path(target) is not None:
        note(f"{target}{SUFFIX} was there before; if it belongs to another model it will not be used")


def _check(how: Compilation, target: str, form: str) -> None:
    if how.engine is None:
        if not how.is_default:
            raise click.UsageError("--max-bytes, --sigma, --xi, --certified and --rare go with --engine")
        return
    if form != own.NAME or target == "-":
        raise click.UsageError(
            f"--engine writes TARGET{SUFFIX} for a model file of our own format: not to '-', without --format {form}"
        )
    if how.engine in ("direct", "inverted", "bits"):
        raise click.UsageError(
            f"the {how.engine} engine is built while a model is loaded and needs no file; "
            "--engine expanded, split or auto"
        )


def _is_ours(path: str) -> bool:
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return own.sniff(file.read(_BEGIN))


def _compile(machine: Machine, target: str, how: Compilation) -> None:
    path = f"{target}{SUFFIX}"
    Path(path).unlink(missing_ok=True)  # of another model, perhaps
    start = time.perf_counter()
    scorer = how.compile(machine, cache=path)
    seconds = time.perf_counter() - start
    report = scorer.report()
    if not Path(path).is_file():
        note(f"auto chose the {report.engine} engine, which needs no file: {path} is not written ({report.reason})")
        return
    what = f"{memory(report.nbytes)}, {'' if report.exact else 'not '}exact"
    if report.conjunctions is not None:
        what = f"{count(report.conjunctions)} conjunctions, {what}"
    note(f"engine {report.engine} in {path}: {what}, {seconds:.2f} s")
