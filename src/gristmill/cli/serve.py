"""gristmill serve: a model as a page to try it on, and as a small JSON API."""

from __future__ import annotations

import json
import threading
import webbrowser
from pathlib import Path
from typing import Any

import click

from gristmill.apps.loading import open_model
from gristmill.base.files import display_name
from gristmill.cli.command import Command, option
from gristmill.cli.options import (
    BYTES,
    Compilation,
    binarize_option,
    compile_options,
    machine_option,
    refuse_machine_options,
)
from gristmill.cli.screen import note
from gristmill.data.rows import Binarize
from gristmill.machines.machine import Machine


@click.command(cls=Command)
@click.argument("model", type=click.Path())
@option("--host", default="127.0.0.1", help="The address to listen on.")
@option("--port", type=click.IntRange(0, 65535), default=8000, help="0: any that is free.")
@option("--workers", type=click.IntRange(1, 256), default=1, help="Processes that answer.")
@option("--allow-host", "allowed", multiple=True, metavar="NAME", help="Another name of this server; * for all.")
@option("--examples", type=click.Path(), metavar="FILE", help="Inputs that the page offers, one a line.")
@option("--max-body", type=BYTES, default="1MiB", metavar="SIZE", help="Of a request.")
@option("--timeout", type=click.FloatRange(0.1), default=10.0, help="Seconds for a request.")
@option("--open", "opens", is_flag=True, help="Show the page in a browser.")
@option("--log", is_flag=True, help="Print a line for every request.")
@machine_option
@binarize_option
@compile_options()
def serve(model: str, host: str, name: str | None, binarize: Binarize, how: Compilation, **options: Any) -> None:
    """Show MODEL on a web page: type features, a sentence or a tree, see the answer and its reasons, live.

    MODEL is a file of any known format. The same server answers programs, in JSON; /api/openapi.json describes it.
    It listens on this machine alone unless --host says otherwise. Ctrl-C ends it.

    \b
    Examples:
      gristmill serve model.safetensors
      gristmill serve tagger.safetensors --port 0
      curl -s localhost:8000/api/score -H 'Content-Type: application/json' -d '{"rows": [["good", "plot"]]}'
    """
    web = _web()
    examples = options["examples"]
    app = web.create_app(
        _opened(model, name, how, binarize),
        name=Path(display_name(model)).name,
        binarize=binarize,
        limits=web.Limits(body=options["max_body"], seconds=options["timeout"]),
        examples=None if examples is None else _read_examples(examples),
        host=host,
        allowed_hosts=options["allowed"],
    )
    with web.listen(host, options["port"]) as listening:
        address = web.address_of(listening)
        if not web.is_local(host):
            note(f"{host} can be reached from other machines; there is no password and no encryption")
        click.echo(address)
        if options["opens"]:
            threading.Timer(0.5, webbrowser.open, [address]).start()
        web.serve(app, listening, workers=options["workers"], log=options["log"])


def _web() -> Any:
    try:
        from gristmill import web

        web.serve  # noqa: B018 - imports what it needs
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error.name} is not installed: pip install 'gristmill[web]'") from error
    return web


def _opened(path: str, name: str | None, how: Compilation, binarize: Binarize) -> Any:
    """The app of the file, or its machine, compiled."""
    settings = {} if how.engine in (None, "auto") else {"engine": how.engine}
    model = open_model(path, name, **settings)
    if isinstance(model, Machine):
        return how.compile_cached(model, path, binarize)
    refuse_machine_options(path, f"a {type(model).__name__}")
    return model


def _read_examples(path: str) -> list[Any]:
    """One a line: JSON as a request has it, or a text."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [_example(line) for line in lines if line.strip()]


def _example(line: str) -> Any:
    if line.lstrip()[0] not in "[{":
        return line
    try:
        return json.loads(line)
    except ValueError:
        return line  # a sentence may begin with a bracket
