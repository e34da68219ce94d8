"""gristmill report: all that is known of a model and how it does on a data file, as one page."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from gristmill.apps import DependencyParser, RoleLabeller, Segmenter, Tagger, TextPipeline
from gristmill.apps.loading import chosen, command_of, machines_of, wrong_model
from gristmill.apps.tree_classification.classifier import TreeClassifier
from gristmill.apps.tree_classification.files import tree_blocks
from gristmill.base.errors import FormatError
from gristmill.base.files import display_name, write_bytes
from gristmill.cli.command import FILE, OUTPUT, Command, arguments, declared, option
from gristmill.cli.explain_data import counting, tree_examples
from gristmill.cli.options import (
    Compilation,
    base_option,
    binarize_option,
    compile_options,
    jobs_option,
    json_option,
    machine_option,
    quiet_option,
    refuse_machine_options,
    seed_option,
)
from gristmill.cli.places import check_place
from gristmill.cli.roles import read_predicates
from gristmill.cli.screen import note, progress_bar
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.machines.data_files import read_for
from gristmill.machines.formats import read_model

_CLASSIFIER, _ROLES = "classify-trees", "roles"
_APPS: dict[str, Any] = {"tag": Tagger, "segment": Segmenter, "parse": DependencyParser, "pipeline": TextPipeline}

_OPTIONS: list[Callable[[Any], Any]] = [
    option("--data", required=True, type=FILE, help="Rows in svmlight format, trees, or sentences."),
    option("--props", type=FILE, help="Of roles: predicates of --data with their arguments."),
    option("-o", "--output", type=OUTPUT, help="The file to write the page to.  [required without --json]"),
    json_option,
    option("--title", metavar="TEXT", help="The heading.  [default: the name of MODEL]"),
    option(
        "--max-examples",
        type=click.IntRange(1),
        default=2000,
        help="Explain, and time, at most so many; all are scored.",
    ),
    option("--mistakes", type=click.IntRange(0), default=10, help="How many to explain."),
    seed_option,
    option("--engines/--no-engines", default=True, help="Compare engines, some seconds."),
    option("--ignore-labels", is_flag=True, help="Do not compare answers with the labels of DATA."),
    option(
        "--tree",
        advanced=True,
        metavar="NAME",
        help="Which, where examples have several.  [default: the one learned from]",
    ),
    machine_option,
    compile_options(),
    binarize_option,
    base_option,
    jobs_option,
    quiet_option,
]


@click.command(cls=Command)
@arguments("model")
@functools.partial(declared, options=_OPTIONS)
def report(model: str, data: str, output: str | None, as_json: bool, **options: Any) -> None:
    """Write a page on MODEL and how it does on the examples of --data.

    Quality with curves and thresholds, calibration, the worst mistakes and what led to them, what was learned, engines
    compared, statistics. One HTML file that opens offline; needs matplotlib (`pip install 'gristmill[report]'`). MODEL
    is a machine of any known format, on rows or on trees, or a model of `gristmill classify-trees`, `tag`, `segment`,
    `parse` or `roles`, with data as their `evaluate` takes them; for roles trees, and PROPS by --props.

    \b
    Examples:
      gristmill report libsvm.model --data test.svm -o report.html
      gristmill report questions.safetensors --data test.trees --json
      gristmill report tagger.safetensors --data test.txt -o report.html
    """
    _check(model, data, output, as_json)
    scored, X, labels = _opened(model, data, options)
    made = _made(scored, X, labels, model, data, options)
    if output is not None:
        made.save(output)
    if as_json:
        write_bytes("-", f"{made.to_json()}\n".encode())
    if output not in (None, "-") and not options["quiet"]:
        note(f"{output}: {', '.join(section.title.lower() for section in made.sections)}")


def _check(model: str, data: str, output: str | None, as_json: bool) -> None:
    if output is None and not as_json:
        raise click.UsageError("say where the page goes by --output, or print the figures by --json")
    if output == "-" and as_json:
        raise click.UsageError("the page and the figures cannot both go to standard output")
    if output is not None:
        check_place(output, model, data)


def _opened(model: str, data: str, options: dict[str, Any]) -> tuple[Any, Any, Any]:
    """What is scored, examples for it, and their labels."""
    found, shown = read_model(model), display_name(model)
    command = command_of(found)
    if command == _CLASSIFIER:
        return _classifier(model, data, options)
    if command is not None and command not in (_ROLES, *_APPS):
        raise wrong_model(found, model, "a machine, or a model of " + ", ".join(_APPS))
    if command is not None:
        return *_app(model, command, data, options), None
    _without_props(options, shown)
    machine = counting(chosen(machines_of(found), options["name"], shown), options["zero_based"])
    labels: Any
    if not machine.explains_features:
        X, labels = _joined(tree_examples(machine, data, options["tree"]))
    elif options["tree"] is not None:
        raise click.UsageError("--tree is for trees; this machine is on rows of features")
    else:
        with progress_bar("reading") as progress:
            X, labels = read_for(machine, data, progress=progress)
    how: Compilation = options["how"]
    return how.compile_cached(machine, model, options["binarize"]), X, labels


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
    refuse_machine_options(model, f"a model of `gristmill {_CLASSIFIER}`")
    classifier = TreeClassifier.load(model, engine=options["how"].engine or "auto", n_jobs=options["jobs"])
    blocks = tree_blocks(data, marks=classifier.marked, tree=options["tree"], usual=classifier.tree)
    return classifier, *_joined((block.forest, block.labels or [None] * len(block.forest)) for block in blocks)


def _app(model: str, command: str, data: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """An app by its command, and the data to report on."""
    if model == "-":
        raise click.UsageError(f"a model of `gristmill {command}` is read from a file, not from standard input")
    others = "tree", "engine" if command == _ROLES else "props"
    refuse_machine_options(model, f"a model of `gristmill {command}`", *others)
    if command == _ROLES:
        return RoleLabeller.load(model, n_jobs=options["jobs"]), read_predicates(data, options["props"])
    engine = options["how"].engine or "auto"
    return _APPS[command].load(model, engine=engine, n_jobs=options["jobs"]), data


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
                **{name: options[name] for name in ("mistakes", "random_state", "engines")},
                examples=options["max_examples"],
                labels=not options["ignore_labels"],
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
