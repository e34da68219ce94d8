"""gristmill train --target: a table estimator from a file of a table."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.errors import FormatError, naming, refusing
from gristmill.base.files import display_name
from gristmill.cli.command import suggested
from gristmill.cli.screen import note, overview_table, progress_bar
from gristmill.cli.table_options import MAX_CLASSES
from gristmill.data.formats.delimited import MISSING, TextColumn
from gristmill.data.formats.table_files import TableReading, read_table_file
from gristmill.data.tables.columns import Column
from gristmill.data.tables.frames import Table
from gristmill.data.tables.overview import ColumnOverview, overview
from gristmill.display.words import counted, quoted_label
from gristmill.estimators.table_base import TableEstimator
from gristmill.estimators.tables import TableClassifier, TableRegressor
from gristmill.machines.formats import own, write
from gristmill.machines.machine import Machine
from gristmill.machines.table_files import KEY, TableSource

_SAME_NAME = ("bins", "min_frequency", "random_state")
_IF_GIVEN = {"cost": "C", "degree": "degree", "tol": "tol", "max_iter": "max_iter"}


def train_table(data: str, model: str, options: dict[str, Any], given: Mapping[str, str]) -> None:
    """Learn from a table and write the model; Ctrl-C writes what was learned so far."""
    if model == "-" and options["as_json"]:
        raise click.UsageError("standard output has the model: with --json name a file for MODEL")
    if options["format"] != own.NAME:
        raise click.UsageError(f"--format {options['format']}: only {own.NAME} holds the columns of a table")
    begin = time.perf_counter()
    with progress_bar("reading") as progress:
        found = read_table_file(data, _reading(options), progress)
    with naming(display_name(data)), refusing():
        examples = _examples(found, options)
        found = _readable(found, options["drop"])
        columns = overview(found)
    unsaid = None if options["quiet"] or options["as_json"] else _show(columns, options, to_stderr=model == "-")
    learner = _learner(examples, options, given)
    interrupted = _learn(learner, examples)
    write(_with_source(learner.machine_, found, _source(columns, options)), model, own.NAME)
    _tell(learner, columns, time.perf_counter() - begin, interrupted, options)
    if interrupted:
        note(f"interrupted; what was learned so far is in {model}")
        raise KeyboardInterrupt
    if unsaid is not None:
        raise unsaid


def _show(columns: Sequence[ColumnOverview], options: Mapping[str, Any], *, to_stderr: bool) -> OSError | None:
    """Why the columns cannot be shown, to be raised when the model is written: nothing has been learned yet."""
    try:
        overview_table(columns, _roles(options), to_stderr=to_stderr)
    except OSError as error:
        return error
    return None


def _reading(options: Mapping[str, Any]) -> TableReading:
    missing = MISSING if options["missing"] is None else ("", *options["missing"])
    return TableReading(options["separator"], missing)


def _source(columns: Sequence[ColumnOverview], options: Mapping[str, Any]) -> TableSource:
    """What the model keeps of the file: how it reads the next one."""
    target, dropped = options["target"], tuple(options["drop"])
    reading = replace(_reading(options), kinds={one.name: one.kind for one in columns})
    typical = {one.name: one.typical for one in columns if one.name not in (target, *dropped)}
    return TableSource(target, dropped, reading, typical)


def _with_source(machine: Machine, found: Table, source: TableSource) -> Machine:
    """The machine that reads other tables as the file was read; Parquet has no texts for missing values."""
    encoding, reading = machine.encoding, source.reading
    assert encoding is not None
    if isinstance(found.read(0), TextColumn):
        kinds = tuple(reading.kinds[name] for name in encoding.names)
        encoding = replace(encoding, missing=reading.missing, kinds=kinds)
    return machine.replace(encoding=encoding, provenance={**machine.provenance, KEY: source.to_spec()})


# --- examples ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Examples:
    X: Table
    y: NDArray[Any]
    has_classes: bool


def _examples(found: Table, options: Mapping[str, Any]) -> _Examples:
    target = options["target"]
    for name in (target, *options["drop"]):
        _check_column(name, found.names)
    column = found.read(found.names.index(target))
    _check_target(column)
    has_classes = _has_classes(column) if options["task"] is None else options["task"] == "classification"
    names = [name for name in found.names if name not in (target, *options["drop"])]
    if not names:
        raise FormatError(f"there is no column to learn from, besides {target!r}")
    return _Examples(found.only(names), _labels(column) if has_classes else column.numbers(), has_classes)


def _readable(found: Table, dropped: Collection[str]) -> Table:
    """Without those of the dropped columns that hold what no column may, such as the lists of Parquet."""
    return found.only([name for at, name in enumerate(found.names) if name not in dropped or _can_be_read(found, at)])


def _can_be_read(found: Table, at: int) -> bool:
    try:
        found.read(at)
    except (ValueError, TypeError):
        return False
    return True


def _check_column(name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise FormatError(f"there is no column {name!r}; {suggested(name, list(names))}")


def _check_target(column: Column) -> None:
    missing = np.flatnonzero(column.missing())
    if len(missing):
        message = f"the target is missing in {counted(len(missing), 'row')}; leave rows without it out"
        if isinstance(column, TextColumn):
            raise column.refusal(int(missing[0]), message)
        raise FormatError(f"column {column.name!r}: {message}")


def _has_classes(column: Column) -> bool:
    """Whether a target is a class: no number, or one of few whole numbers."""
    if column.kind != "number":
        return True
    values = np.unique(column.numbers())
    return len(values) <= MAX_CLASSES and _are_whole(values)


def _are_whole(values: Floats) -> bool:
    return bool((np.abs(values) <= 2.0**53).all() and (values == np.floor(values)).all())


def _labels(column: Column) -> NDArray[Any]:
    """Booleans, whole numbers, other numbers, or texts, of two classes at least."""
    found = _targets(column)
    if (found == found[0]).all():
        only = quoted_label(found[0])
        raise FormatError(f"column {column.name!r}: every row has {only}; classes must be two or more")
    return found


def _targets(column: Column) -> NDArray[Any]:
    if column.kind == "boolean":
        return column.numbers().astype(np.bool_)
    if column.kind != "number":
        words = column.words()
        return np.array(words.texts)[words.codes]
    numbers = column.numbers()
    return numbers.astype(np.int64) if _are_whole(numbers) else numbers


# --- learning ---------------------------------------------------------------------------------------------------------


def _learner(examples: _Examples, options: Mapping[str, Any], given: Mapping[str, str]) -> TableEstimator:
    settings = {name: options[name] for name in _SAME_NAME}
    settings |= {name: options[key] for key, name in _IF_GIVEN.items() if key in given}
    settings |= {"kinds": dict(options["kinds"]) or None, "monotone": dict(options["monotone"]) or None}
    settings |= {"interactions": _pairs(options["pairs"]), "n_jobs": options["jobs"]}
    if not examples.has_classes:
        if options["weights"]:
            raise click.UsageError("--class-weight is for classes; this is regression")
        return TableRegressor(**settings)
    return TableClassifier(**settings, class_weight=_class_weights(examples.y, options["weights"]))


def _pairs(said: list[str] | None) -> Any:
    if said in (None, ["all"], ["none"]):
        return {"all": "all", "none": False}[said[0]] if said else None
    pairs = [tuple(pair.split(":")) for pair in said or []]
    wrong = next((":".join(pair) for pair in pairs if len(pair) != 2), None)
    if wrong is not None:
        raise click.UsageError(f"--pairs: {wrong!r} is no pair of columns as A:B; or say none or all")
    return pairs


def _class_weights(y: NDArray[Any], weights: Sequence[tuple[str, float]]) -> dict[Any, float] | None:
    known = {str(label): label for label in np.unique(y).tolist()}
    for name, _ in weights:
        if name not in known:
            raise click.UsageError(f"--class-weight: there is no class {name!r}; {suggested(name, list(known))}")
    return {known[name]: factor for name, factor in weights} or None


def _learn(learner: TableEstimator, examples: _Examples) -> bool:
    """Whether it was interrupted, with something learned."""
    with progress_bar("learning") as progress:
        try:
            learner.set_params(progress=progress).fit(examples.X, examples.y)
        except KeyboardInterrupt:
            if not hasattr(learner, "encoder_"):
                raise
            return True
    return False


# --- what is said -----------------------------------------------------------------------------------------------------


def _roles(options: Mapping[str, Any]) -> dict[str, str]:
    """What is said of columns besides what they look like."""
    declared = {name: f"as {kind if isinstance(kind, str) else 'ordered'}" for name, kind in options["kinds"]}
    return {**declared, **dict.fromkeys(options["drop"], "left out"), options["target"]: "target"}


def _tell(
    learner: TableEstimator,
    columns: Sequence[ColumnOverview],
    seconds: float,
    interrupted: bool,
    options: Mapping[str, Any],
) -> None:
    is_classifier = isinstance(learner, TableClassifier)
    facts = {
        "task": "classification" if is_classifier else "regression",
        "classes": learner.classes_.tolist() if is_classifier and learner.classes_ is not None else None,
        "C": learner.C_,
        "degree": learner.degree_,
        "rounds": learner.rounds_,
        "fields": len(learner.encoder_.fields_),
        "interactions": len(learner.interactions_),
        "validation_loss": learner.validation_loss_,
        "seconds": seconds,
        "interrupted": interrupted,
    }
    if options["as_json"]:
        click.echo(json.dumps(facts | {"columns": [asdict(one) for one in columns]}))
    if not options["quiet"]:
        note(_sentence(facts))


def _sentence(facts: Mapping[str, Any]) -> str:
    classes = facts["classes"]
    what = "regression" if classes is None else f"{len(classes)} classes, {', '.join(map(str, classes[:5]))}"
    more = ", ..." if classes is not None and len(classes) > 5 else ""
    loss = "" if facts["validation_loss"] is None else f", loss of rows held out {facts['validation_loss']:.4f}"
    chosen = "" if facts["C"] is None else f", C {facts['C']:g}"
    parts = f"{counted(facts['fields'], 'field')}, {counted(facts['interactions'], 'interaction')}"
    return f"{what}{more}: {parts}, degree {facts['degree']}{chosen}{loss}, {facts['seconds']:.1f} s"
