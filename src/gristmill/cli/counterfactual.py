"""gristmill counterfactual: what would change the answer of a model, and what suffices for it; with proof."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import click

from gristmill.base.files import display_name
from gristmill.cli.command import Command, arguments, declared, option
from gristmill.cli.explain_data import Part, RowFiles, counting, explained_machine
from gristmill.cli.explain_options import DATA_OPTIONS, explain_examples
from gristmill.cli.explain_screen import head
from gristmill.cli.options import base_option, binarize_option, json_option, machine_option, quiet_option
from gristmill.cli.screen import progress_bar
from gristmill.display.bars import printable
from gristmill.explanations import DecisionExplainer
from gristmill.explanations.change_options import NODES
from gristmill.machines.formats import read_model
from gristmill.machines.machine import Machine

CHANGES, SEARCH = "Changes", "The search"
_APART = (("sufficient", "radius"), ("target", "above"), ("target", "below"), ("above", "below"))
_OF_CHANGES = (
    *("target", "probability", "above", "below", "answers", "max_changes", "disjoint", "costs", "immutable"),
    *("increase_only", "decrease_only", "add_only", "remove_only", "to_unknown"),
)


def _names(name: str, help: str) -> Callable[[Any], Any]:
    return option(name, multiple=True, metavar="NAME", section=CHANGES, help=f"{help} Can be repeated.")


_OPTIONS: list[Callable[[Any], Any]] = [
    option("--target", metavar="CLASS", help="The class to become.  [default: any other]"),
    option(
        *("--min-probability", "probability"),
        type=float,
        metavar="P",
        help="Of two classes: with this probability at least.",
    ),
    option("--above", type=float, metavar="SCORE", help="Instead of a class: a score above this, as of regression."),
    option("--below", type=float, metavar="SCORE", help="Instead of a class: a score below this."),
    option("-k", "--answers", type=click.IntRange(1), default=1, help="How many answers."),
    option("--sufficient", is_flag=True, help="Not changes, but the fewest facts that fix the class."),
    option("--radius", is_flag=True, help="How many changes it takes, whatever the values become."),
    machine_option,
    base_option,
    binarize_option,
    json_option,
    quiet_option,
    *DATA_OPTIONS,
    option(
        *("--group", "groups"),
        multiple=True,
        metavar="NAME=A,B-C",
        section=CHANGES,
        help="Columns (names, or numbers as in the data) of which a row has one. Tables have their fields. Can be "
        "repeated.",
    ),
    _names("--at-most-one", "A group of which a row may also have no column."),
    option(
        *("--cost", "costs"),
        multiple=True,
        metavar="NAME=N|distance",
        section=CHANGES,
        help="What a change costs: a number, or the steps between ordered values; 'distance' alone is for all. Can be "
        "repeated.  [default: 1]",
    ),
    _names("--immutable", "What may not change."),
    _names("--increase-only", "What may only become a later one of its ordered values."),
    _names("--decrease-only", "What may only become an earlier one."),
    _names("--add-only", "What may only become present."),
    _names("--remove-only", "What may only become absent."),
    option("--to-unknown", is_flag=True, section=CHANGES, help="Values of tables may become missing or 'other'."),
    option("--max-changes", type=click.IntRange(1), section=CHANGES, help="Answers have at most so many."),
    option("--disjoint", is_flag=True, section=CHANGES, help="Answers share no variable."),
    option(
        "--max-nodes",
        type=click.IntRange(0),
        default=NODES,
        section=SEARCH,
        help="How much is searched for a row; 0: to the end.",
    ),
]


@click.command(cls=Command)
@arguments("model", "data")
@functools.partial(declared, options=_OPTIONS)
@click.pass_context
def counterfactual(ctx: click.Context, /, model: str, data: str, name: str | None, **options: Any) -> None:
    """Find what would change the answers of MODEL on the rows of DATA: the cheapest changes, with proof.

    Changes are those of the fields of a table, of groups of columns, or of single columns that come and go. The answer
    says what is proven: that no cheaper changes give another class, or up to which cost this is known.

    \b
    Examples:
      gristmill counterfactual people.safetensors people.csv --row 3 --immutable age
      gristmill counterfactual people.safetensors people.csv --target True --cost distance --json
      gristmill counterfactual people.safetensors people.csv --sufficient
      gristmill counterfactual libsvm.model test.svm --row 1 --answers 3
    """
    _check_together(ctx)
    loaded, shown = read_model(model), display_name(model)
    found = explained_machine(loaded, name, shown, with_data=True)
    machine = counting(found, options["zero_based"])
    files = RowFiles(found, options["zero_based"])
    with progress_bar("searching") as progress:
        explainer = DecisionExplainer(
            machine,
            _groups(machine, options["groups"]),
            at_most_one=_columns(machine, options["at_most_one"]),
            progress=progress,
        )
    ask = _question(explainer, machine, options)

    def explained(part: Part) -> Iterator[str]:
        for at, truth in enumerate(part.labels):
            asked, number = ask(part.X.one(at)), part.number + at
            known = {} if truth is None else {"true_label": truth}
            if options["as_json"]:
                yield json.dumps({"row": number, **known, **asked.as_dict()}, allow_nan=False)
            else:
                lines = [head("row", number, asked.prediction, truth), *map(printable, str(asked).split("\n"))]
                yield "\n".join(lines)

    explain_examples("row", files.blocks(data, options["binarize"]), lambda _: 1, explained, data, options)


def _check_together(ctx: click.Context) -> None:
    from gristmill.cli.command import given

    spelled = given(ctx)
    pairs = [*_APART, *((one, other) for one in ("sufficient", "radius") for other in _OF_CHANGES)]
    for pair in pairs:
        if all(name in spelled for name in pair):
            raise click.UsageError(f"give {spelled[pair[0]]} or {spelled[pair[1]]}, not both")


def _question(explainer: DecisionExplainer, machine: Machine, options: dict[str, Any]) -> Callable[[Any], Any]:
    nodes = options["max_nodes"] or None
    if options["sufficient"]:
        return functools.partial(explainer.sufficient, max_nodes=nodes)
    if options["radius"]:
        return functools.partial(explainer.flip_radius, max_nodes=nodes)
    asked = ("target", "probability", "above", "below", "to_unknown", "max_changes", "disjoint")
    named = ("immutable", "increase_only", "decrease_only", "add_only", "remove_only")
    how: dict[str, Any] = {key: options[key] for key in asked} | {key: _columns(machine, options[key]) for key in named}
    costs = _costs(machine, options["costs"])
    return functools.partial(explainer.counterfactual, k=options["answers"], costs=costs, max_nodes=nodes, **how)


def _columns(machine: Machine, words: tuple[str, ...]) -> list[str | int]:
    return [_column(machine, word) for word in words]


def _column(machine: Machine, word: str) -> str | int:
    """A name; or a number as in the data, where features have no names."""
    if word.isdecimal() and machine.feature_names is None:
        return int(word) - (machine.first_id or 0)
    return word


def _groups(machine: Machine, words: tuple[str, ...]) -> dict[str, list[str | int]] | None:
    found: dict[str, list[str | int]] = {}
    for word in words:
        name, equals, columns = word.partition("=")
        if not (name and equals and columns):
            raise click.UsageError(f"--group is NAME=A,B or NAME=A-B, got {word!r}")
        found[name] = [column for part in columns.split(",") for column in _range(machine, part)]
    return found or None


def _range(machine: Machine, part: str) -> list[str | int]:
    first, dash, last = part.partition("-")
    if dash and first.isdecimal() and last.isdecimal() and machine.feature_names is None:
        begin = machine.first_id or 0
        return list(range(int(first) - begin, int(last) - begin + 1))
    return [_column(machine, part)]


def _costs(machine: Machine, words: tuple[str, ...]) -> Any:
    if words == ("distance",):
        return "distance"
    found: dict[str | int, Any] = {}
    for word in words:
        name, equals, cost = word.rpartition("=")
        try:
            found[_column(machine, name)] = cost if cost == "distance" and equals else float(cost)
        except ValueError:
            raise click.UsageError(f"--cost is NAME=NUMBER, NAME=distance or distance, got {word!r}") from None
    return found or None
