"""gristmill export: a model as one file of C or JavaScript that needs nothing else."""

from __future__ import annotations

import json
from typing import Any

import click

from gristmill.apps.loading import open_machine
from gristmill.cli.command import FILE, OUTPUT, Command, arguments, option
from gristmill.cli.options import base_option, json_option, machine_option, quiet_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import progress_bar
from gristmill.exporting import export as exported
from gristmill.exporting.fixed_point import BITS
from gristmill.machines.data_files import read_for


@click.command(cls=Command)
@arguments("model")
@option("-o", "--output", required=True, type=OUTPUT, help="The file to write: model.c, model.js or model.mjs.")
@option(
    "--language",
    type=click.Choice(["c", "js", "mjs"]),
    help="C99, a script that is a CommonJS module too, or an ES module.  [default: by the end of the file's name]",
)
@option("--name", "prefix", help="What names in the file begin with.  [default: the name of the file]")
@option("--data", type=FILE, help="Rows like those to come: says how many are near a decision; the self-test has some.")
@option("--names", is_flag=True, help="Write the names of features as well.")
@option(
    "--bits",
    type=click.Choice([str(bits) for bits in BITS]),
    help="Of a weight: fewer make a smaller file.  [default: 32, for regression 53]",
)
@option(
    "--definition/--no-definition",
    default=True,
    help="Write the support rows as well, which decide where rounding could change a label.  [default: yes]",
)
@machine_option
@base_option
@json_option
@quiet_option
def export(model: str, output: str, prefix: str | None, data: str | None, name: str | None, **options: Any) -> None:
    """Write MODEL as one file of C99 or JavaScript that needs nothing else.

    The file holds the weights of all conjunctions as whole numbers, whose sums are the same on every platform, and a
    function that looks them up. It says how far scores may be off, and its labels are those of `gristmill predict`
    always. Models on rows with a polynomial kernel or with weights of conjunctions can be exported, of two or more
    classes, regression and one-class. A row is an array of column numbers, counted from 0.

    \b
    Examples:
      gristmill export model.safetensors -o model.c && cc -O2 -DSELF_TEST model.c && ./a.out
      gristmill export model.safetensors -o model.js && node model.js --self-test
      gristmill export libsvm.model -o model.mjs --data test.svm
    """
    check_place(output, model, *([] if data is None else [data]))
    machine = open_machine(model, name, trees=False)
    rows = None if data is None else read_for(machine, data, zero_based=options["zero_based"])[0]
    with progress_bar("mining") as progress:
        found = exported(
            machine,
            output,
            language=options["language"],
            name=prefix,
            bits=None if options["bits"] is None else int(options["bits"]),
            definition=options["definition"],
            names=options["names"],
            data=rows,
            progress=progress,
        )
    if options["as_json"]:
        click.echo(json.dumps(found.as_dict()), err=output == "-")
    elif not options["quiet"]:
        click.echo(str(found), err=True)
