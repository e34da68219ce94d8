"""gristmill convert: a model file in another format."""

from __future__ import annotations

import click

from gristmill.cli.options import machine_option
from gristmill.formats import MODEL_FORMATS, load, load_machine, write_model


@click.command()
@click.argument("source", type=click.Path(allow_dash=True))
@click.argument("target", type=click.Path(allow_dash=True))
@click.option(
    "--to",
    type=click.Choice([known.NAME for known in MODEL_FORMATS]),
    default="gristmill",
    show_default=True,
    help="The format to write.",
)
@machine_option
def convert(source: str, target: str, to: str, name: str | None) -> None:
    """Read the model SOURCE, whatever its format, and write it to TARGET.

    A format that cannot hold the machine is refused with the reason, and nothing is written.

    \b
    gristmill convert libsvm.model model.safetensors
    gristmill convert model.safetensors - --to libsvm
    """
    machine = load(source) if name is None else load_machine(source, name)
    write_model(machine, target, to)
    click.echo(f"{machine!r} written to {target} ({to})", err=True)
