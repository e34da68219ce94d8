"""The options of `gristmill explain`, and which of them go together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from gristmill.cli.options import base_option, binarize_option, jobs_option, json_option, machine_option, quiet_option
from gristmill.cli.sections import given, option
from gristmill.explanations.models import Outputs
from gristmill.machines.machine import Machine

FILE = click.Path(allow_dash=True)
ALONE, DATA, ROWS, TREES = "Without DATA", "With DATA", "With rows as DATA", "With trees as DATA"
FEATURES, SENTENCES = "With rows or sentences as DATA", "With sentences as DATA"
FEW = 10  # examples that people look at

_NUMBER = click.IntRange(1)
_APART = (("top", "sigma"), ("row", "rows"), ("row", "overall"), ("rows", "overall"), ("real", "binarize"))

OPTIONS: list[Callable[[Any], Any]] = [
    machine_option,
    option(
        "--output",
        metavar="NAME|NUMBER",
        help="Of several outputs that of a class, of a pair 'a : b', or of a number from 0.  [default: all together; "
        "for a row or tree the one with the largest score]",
    ),
    option(
        "--top",
        type=_NUMBER,
        metavar="N",
        help="How many to show.  [default: 20 conjunctions or fragments, 20 features of --global, 10 of each row, "
        "5 of each decision on a sentence, trees whole; with --json all features]",
    ),
    base_option,
    binarize_option,
    jobs_option,
    json_option,
    quiet_option,
    option("--min-support", type=_NUMBER, default=1, metavar="N", section=ALONE, help="Support examples that have it."),
    option("--max-size", type=_NUMBER, metavar="N", section=ALONE, help="Features, or nodes, that it has at most."),
    option("--sigma", type=float, metavar="W", section=ALONE, help="Instead of --top: all that weigh W, up or down."),
    option("--row", type=_NUMBER, metavar="N", section=DATA, help="This example alone, counted from 1."),
    option(
        "--rows",
        type=click.IntRange(0),
        metavar="N",
        section=DATA,
        help=f"The first N examples, 0 for all.  [default: {FEW}, which people read; all with --json, for programs]",
    ),
    option("--global", "overall", is_flag=True, section=ROWS, help="What features add on average over all rows."),
    option("--interactions", is_flag=True, section=FEATURES, help="Also how pairs of features act together."),
    option("--baseline", type=FILE, section=ROWS, help="Compare with the first row of this file, not the empty row."),
    option("--real", is_flag=True, section=ROWS, help="Compute with values other than 0 and 1: --binarize keep."),
    option(
        "--shares",
        type=click.Choice(["shared", "rooted"]),
        default="shared",
        show_default=True,
        section=TREES,
        help="What a node gets: its part of every fragment it is in, or all of those it is the top of (faster).",
    ),
    option(
        "--beam",
        type=_NUMBER,
        section=SENTENCES,
        help="Of a parser: ways that are followed at once. The steps are those of the way that wins.  "
        "[default: the model's]",
    ),
    option("--tree", metavar="NAME", section=TREES, help="Which, where examples have several.  [default: the first]"),
]


def check_together(ctx: click.Context, model: str, data: str | None, baseline: str | None) -> None:
    """Refuse options that do not go together, as far as that can be seen before the model is."""
    if [model, data, baseline].count("-") > 1:
        raise click.UsageError("only one of MODEL, DATA and --baseline can be standard input")
    if data is None:
        for section in (DATA, ROWS, FEATURES, TREES, SENTENCES):
            refuse(ctx, section, "of examples: name a file of them as DATA")
    else:
        refuse(ctx, ALONE, "of the machine itself: leave DATA away")
    for pair in _APART:
        spelled = [given(ctx)[name] for name in pair if name in given(ctx)]
        if len(spelled) == 2:
            raise click.UsageError(f"give {spelled[0]} or {spelled[1]}, not both")


def refuse(ctx: click.Context, section: str, why: str, *more: str) -> None:
    """Refuse options of a section, and more by their names."""
    sections = {str(param.name): getattr(param, "section", "") for param in ctx.command.params} | {"binarize": ROWS}
    wrong = [spelled for name, spelled in given(ctx).items() if sections[name] == section or name in more]
    if wrong:
        raise click.UsageError(f"{', '.join(wrong)}: {why}")


def output_number(machine: Machine, text: str | None, *, with_classes: bool) -> int | None:
    """The number of an output, or of a class of pairs; names, which may be numbers themselves, go first."""
    outputs = Outputs.of(machine)
    names = outputs.all_names if with_classes else outputs.names
    if text is None:
        return None
    if names.count(text) == 1:
        return names.index(text)
    if text.isdecimal() and int(text) < len(names):
        return int(text)
    some = ", ".join(names[:20]) + ", ..." * (len(names) > 20)
    raise click.UsageError(f"there is no output {text!r}; there are {some}, or 0 to {len(names) - 1}")
