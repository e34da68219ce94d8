"""The options of gristmill explain, and the examples that they choose."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from gristmill.base.files import display_name, writing
from gristmill.cli.command import FILE, given, option
from gristmill.cli.explain_data import ExampleRange, Part
from gristmill.cli.options import base_option, binarize_option, jobs_option, json_option, machine_option, quiet_option
from gristmill.cli.screen import count, note, progress_line
from gristmill.display.words import counted
from gristmill.explanations import RowExplanation
from gristmill.explanations.models import Outputs
from gristmill.machines.machine import Machine

ALONE, DATA, ROWS, TREES = "Without DATA", "With DATA", "With rows as DATA", "With trees as DATA"
FEATURES, SENTENCES = "With rows or sentences as DATA", "With sentences as DATA"
FEW = 10  # examples that people look at

_NUMBER = click.IntRange(1)
_WITHOUT_INFLUENCE = tuple(
    ("influence", name) for name in ("overall", "interactions", "baseline", "background", "shares")
)
_APART = (
    *(("top", "min_weight"), ("row", "rows"), ("row", "overall"), ("rows", "overall"), ("why_not", "overall")),
    *(("baseline", "background"), ("absent", "baseline"), ("absent", "background"), ("absent", "groups")),
    *(("absent", "interactions"), *_WITHOUT_INFLUENCE),
)


def _advanced(section: str, name: str, **settings: Any) -> Callable[[Any], Any]:
    return option(name, section=section, advanced=True, **settings)


DATA_OPTIONS: list[Callable[[Any], Any]] = [
    option("--row", type=_NUMBER, section=DATA, help="This example alone, counted from 1."),
    option(
        "--rows",
        type=click.IntRange(0),
        section=DATA,
        help=f"The first N examples, 0 for all.  [default: {FEW}, which people read; all with --json, for programs]",
    ),
]

OPTIONS: list[Callable[[Any], Any]] = [
    machine_option,
    option(
        *("--class", "output"),
        metavar="NAME|NUMBER",
        help="Of several outputs that of a class, of a pair 'a : b', or of a number from 0.  [default: all together; "
        "for a row or tree the one with the largest score]",
    ),
    option(
        "--top",
        type=_NUMBER,
        help="How many to show.  [default: 20 conjunctions or fragments, 20 features of --global, 10 of each row, "
        "5 of each decision on a sentence, trees whole; with --json all features]",
    ),
    base_option,
    binarize_option,
    jobs_option,
    json_option,
    quiet_option,
    _advanced(ALONE, "--min-support", type=_NUMBER, default=1, help="Support examples that have it."),
    _advanced(ALONE, "--max-size", type=_NUMBER, help="Features, or nodes, that it has at most."),
    _advanced(ALONE, "--min-weight", type=float, metavar="W", help="Not --top: all of weight W or more, up or down."),
    *DATA_OPTIONS,
    option(
        "--why-not",
        metavar="CLASS",
        section=ROWS,
        help="Also the cheapest changes that give this class; `gristmill counterfactual` has more options.",
    ),
    option(
        "--influence",
        is_flag=True,
        section=DATA,
        help="Who decided it: the support examples that add most, for and against, and what they share.",
    ),
    option("--global", "overall", is_flag=True, section=ROWS, help="What features add on average over all rows."),
    option("--interactions", is_flag=True, section=FEATURES, help="Also how pairs of features act together."),
    _advanced(ROWS, "--baseline", type=FILE, help="Compare with the first row of this file, not the empty row."),
    _advanced(
        *(ROWS, "--background"),
        type=FILE,
        metavar="FILE|fields",
        help="Compare with all rows of this file, or with the fields of training. An absent feature has its values "
        "there, on average.  [default: fields where a model of tables is explained, else the empty row]",
    ),
    _advanced(
        *(ROWS, "--groups"),
        type=FILE,
        multiple=True,
        metavar="NAME=A,B|PREFIX*|FILE",
        help="Columns that come and go as one: these, those whose names begin so, or the groups of a JSON file "
        '({"NAME": ["A", "B"]}). May be repeated. For models of tables also: fields, columns, or none for bins.  '
        "[default: fields]",
    ),
    _advanced(
        *(ROWS, "--absent"),
        type=click.Choice(["dropped"]),
        help="Drop absent columns from an RBF kernel; all are players.  [default: compare with the empty row]",
    ),
    _advanced(
        *(TREES, "--shares"),
        type=click.Choice(["shared", "rooted"]),
        default="shared",
        help="What a node gets: its part of every fragment it is in, or all of those it is the top of (faster).",
    ),
    _advanced(
        *(SENTENCES, "--beam"),
        type=_NUMBER,
        help="Of a parser: the width of the beam. The steps are those of the winning path.  [default: the model's]",
    ),
    _advanced(SENTENCES, "--stage", metavar="NAME", help="Of a text pipeline, such as tagger.  [default: the last]"),
    _advanced(TREES, "--tree", metavar="NAME", help="Which, where examples have several.  [default: the first]"),
]


def check_together(ctx: click.Context, data: str | None) -> None:
    """Refuse options that do not go together, as far as that can be seen before the model is."""
    if data is None:
        for section in (DATA, ROWS, FEATURES, TREES, SENTENCES):
            refuse(ctx, section, "for examples: name a file of them as DATA")
    else:
        refuse(ctx, ALONE, "for the machine itself: leave DATA away")
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
    raise click.UsageError(f"there is no class {text!r}; there are {some}, or 0 to {len(names) - 1}")


# --- examples ---------------------------------------------------------------------------------------------------------


def explain_examples(
    what: str,
    blocks: Iterator[tuple[Any, list[Any]]],
    size: Callable[[Any], int],
    explained: Callable[[Part], Iterator[str]],
    data: str,
    options: dict[str, Any],
) -> None:
    """Print the chosen examples, and note what else there is."""
    chosen, printed = ExampleRange(blocks, *_range(options)), False
    with _progress() as draw, writing("-") as out:
        for part in chosen.parts(size):
            for text in explained(part):
                between = "\n" if printed and not options["as_json"] else ""
                out.write(f"{between}{text}\n".encode())
                printed = True
            out.flush()
            if draw is not None:
                done = part.number - 1 + len(part.labels)
                draw(done, None, counted(done, what))
    if options["row"] is not None and not printed:
        raise click.UsageError(
            f"{display_name(data)} has {counted(chosen.seen, what)}, none of number {options['row']}"
        )
    if not printed and not options["quiet"]:
        note(f"{display_name(data)} has no {what}s")
    if options["row"] is options["rows"] is None and chosen.others and not options["quiet"]:
        note(f"these are the first {count(FEW)}; --rows N or --row N shows others")


def _range(options: dict[str, Any]) -> tuple[int, int | None]:
    """The first and the last example."""
    if options["row"] is not None:
        return options["row"], options["row"]
    if options["rows"] is None:
        return 1, None if options["as_json"] else FEW
    return 1, options["rows"] or None


@contextlib.contextmanager
def _progress() -> Iterator[Any]:
    """A line, unless answers go to the same screen."""
    if sys.stdout.isatty():
        yield None
        return
    with progress_line("explaining") as draw:
        yield draw


def row_facts(row: RowExplanation, options: dict[str, Any]) -> dict[str, Any]:
    """As JSON can hold it: one output, and as many features as --top says."""
    facts, top = row.as_dict(options["output"]), options["top"]
    if top is not None:
        facts["other_features"] = sum(feature["value"] for feature in facts["features"][top:])
        facts |= {key: facts[key][:top] for key in ("features", "interactions") if key in facts}
    return facts
