"""gristmill report: all that is known of a model and how it does on a data file, as one page."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from gristmill.apps.loading import chosen, command_of, machines_of
from gristmill.apps.tree_classification.classifier import TreeClassifier
from gristmill.apps.tree_classification.files import tree_blocks
from gristmill.base.errors import FormatError
from gristmill.base.files import display_name, write_bytes
from gristmill.cli.app_options import refuse_of_machines
from gristmill.cli.compiling import Compilation, compilation
from gristmill.cli.explain_data import counting, tree_examples
from gristmill.cli.options import base_option, binarize_option, jobs_option, machine_option, quiet_option
from gristmill.cli.report_apps import open_program
from gristmill.cli.screen import note, progress_bar
from gristmill.cli.sections import declared
from gristmill.cli.train_command import check_apart, check_place
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.machines.formats import load
from gristmill.machines.reading import read_for
from gristmill.machines.structured import StructuredMachine

_FILE = click.Path(allow_dash=True)
_CLASSIFIER = "classify-trees"

_OPTIONS: list[Callable[[Any], Any]] = [
    click.option("--data", required=True, type=_FILE, help="Rows in svmlight format, trees, or sentences."),
    click.option("--props", type=_FILE, help="Of roles: predicates of --data with their arguments."),
    click.option("-o", "--output", type=_FILE, help="Where the page goes.  [required without --json]"),
    click.option("--json", "figures", type=_FILE, help="Where the figures go, for programs; '-' is standard output."),
    click.option("--title", metavar="TEXT", help="The heading.  [default: the name of MODEL]"),
    click.option(
        "--examples",
        type=click.IntRange(1),
        default=2000,
        show_default=True,
        metavar="N",
        help="Explain, and time, at most so many; all are scored.",
    ),
    click.option(
        "--mistakes", type=click.IntRange(0), default=10, show_default=True, metavar="N", help="How many to explain."
    ),
    click.option(
        "--seed",
        "random_state",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="By which examples are chosen.",
    ),
    click.option("--engines/--no-engines", default=True, show_default=True, help="Compare engines, some seconds."),
    click.option("--labels/--no-labels", default=True, show_default=True, help="Judge answers by the labels of DATA."),
    click.option("--tree", metavar="NAME", help="Which, where examples have several.  [default: the one learned from]"),
    machine_option,
    compilation(),
    binarize_option,
    base_option,
    jobs_option,
    quiet_option,
]


@click.command()
@click.argument("model", type=_FILE)
@functools.partial(declared, options=_OPTIONS)
def report(model: str, data: str, output: str | None, figures: str | None, **options: Any) -> None:
    """Write a page on MODEL and how it does on the examples of --data.

    Quality with curves and thresholds, calibration, the worst mistakes and what led to them, what was learned, engines
    compared, statistics. One HTML file that opens offline; needs matplotlib (`pip install 'gristmill[report]'`). MODEL
    is a machine of any known format, on rows or on trees, or a model of `gristmill classify-trees`, `tag`, `segment`,
    `parse` or `roles`, with data as their `evaluate` takes them; for roles trees, and PROPS by --props.

    \b
    gristmill report libsvm.model --data test.svm -o report.html
    gristmill report questions.safetensors --data test.trees -o report.html --json figures.json
    gristmill report chunks.safetensors --data test.txt -o report.html
    """
    _check(model, data, output, figures)
    scored, X, labels = _opened(model, data, options)
    made = _made(scored, X, labels, model, data, options)
    if output is not None:
        made.save(output)
    if figures is not None:
        write_bytes(figures, f"{made.to_json()}\n".encode())
    if output not in (None, "-") and not options["quiet"]:
        note(f"{output}: {', '.join(section.title.lower() for section in made.sections)}")


def _check(model: str, data: str, output: str | None, figures: str | None) -> None:
    if model == data == "-":
        raise click.UsageError("MODEL and --data cannot both be standard input")
    places = [place for place in (output, figures) if place is not None]
    if not places:
        raise click.UsageError("say where the page goes by --output, or the figures by --json")
    if len(set(places)) < len(places):
        raise click.UsageError("the page and the figures cannot both go to one place")
    for place in places:
        check_place(place)
        for source in (model, data):
            check_apart(place, source)


def _opened(model: str, data: str, options: dict[str, Any]) -> tuple[Any, Any, Any]:
    """What is scored, examples for it, and their labels."""
    found, shown = load(model), display_name(model)
    program = command_of(found)
    if program == _CLASSIFIER:
        return _classifier(model, data, options)
    if program is not None:
        return *open_program(model, program, data, options), None
    _without_props(options, shown)
    machine = counting(chosen(machines_of(found), options["name"], shown), options["zero_based"])
    labels: Any
    if isinstance(machine, StructuredMachine):
        X, labels = _joined(tree_examples(machine, data, options["tree"]))
    elif options["tree"] is not None:
        raise click.UsageError("--tree is for trees; this machine is on rows of features")
    else:
        with progress_bar("reading") as progress:
            X, labels = read_for(machine, data, progress=progress)
    how: Compilation = options["how"]
    return how.compile_beside(machine, model, options["binarize"]), X, labels


def _joined(blocks: Iterable[tuple[Any, list[Any]]]) -> tuple[Any, list[Any]]:
    """All examples of a file."""
    found, labels = None, list[Any]()
    for X, own in blocks:
        labels += own
        if isinstance(X, Examples) and found is not None:
            found = Examples(**{name: found[name] + field for name, field in X.fields.items()})
        else:
            found = X if found is None else found + X
    return Forest() if found is None else found, labels


def _classifier(model: str, data: str, options: dict[str, Any]) -> tuple[TreeClassifier, Forest, list[Any]]:
    if model == "-":
        raise click.UsageError("a model of `gristmill classify-trees` is read from a file, not from standard input")
    _without_props(options, display_name(model))
    refuse_of_machines(model, f"a model of `gristmill {_CLASSIFIER}`")
    classifier = TreeClassifier.load(model, engine=options["how"].engine or "auto", n_jobs=options["jobs"])
    blocks = tree_blocks(data, marks=classifier.marked, tree=options["tree"], usual=classifier.tree)
    return classifier, *_joined((block.forest, block.labels or [None] * len(block.forest)) for block in blocks)


def _without_props(options: dict[str, Any], shown: str) -> None:
    if options["props"] is not None:
        raise click.UsageError(f"--props is for models of `gristmill roles`, which {shown} is not")


def _made(scored: Any, X: Any, labels: Any, model: str, data: str, options: dict[str, Any]) -> Any:
    try:
        from gristmill.report import Sources, make_report

        with progress_bar("reporting") as progress:
            return make_report(
                scored,
                X,
                labels,
                title=options["title"],
                sources=Sources(display_name(model), display_name(data), _size(model)),
                **{name: options[name] for name in ("examples", "mistakes", "random_state", "engines", "labels")},
                n_jobs=options["jobs"],
                progress=progress,
            )
    except ImportError as error:
        raise click.ClickException(str(error)) from error
    except FormatError:
        raise
    except ValueError as error:
        raise ValueError(f"{display_name(model)} on {display_name(data)}: {error}") from error


def _size(model: str) -> int | None:
    path = Path(model)
    return path.stat().st_size if model != "-" and path.is_file() else None
