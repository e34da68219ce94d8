"""gristmill evaluate: how good a model is on a labelled data file."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Floats
from gristmill.base.files import display_name
from gristmill.cli.command import Command
from gristmill.cli.options import ScoringTask, json_option, scoring_task
from gristmill.cli.screen import count, note, percent, progress_bar, table
from gristmill.display.words import counted, listed_labels
from gristmill.evaluation.calibration import calibration_error, equal_width
from gristmill.evaluation.metrics import (
    accuracy,
    area_under_roc,
    class_scores,
    log_loss,
    mean_squared_error,
    r2_score,
)
from gristmill.machines.data_files import spelled
from gristmill.machines.machine import Machine
from gristmill.machines.probability import probabilities
from gristmill.machines.table_files import TableSource
from gristmill.scoring.deciding import trusted_scores

_NAMES = {"auc": "area under the ROC curve"}


@click.command(cls=Command)
@scoring_task
@json_option
def evaluate(task: ScoringTask, as_json: bool) -> None:
    """Compare the predictions of MODEL with the labels of DATA (svmlight format, or a table for a MODEL of tables).

    Classifiers: accuracy, and precision, recall and F1 of each class; where there are probabilities also their log loss
    and calibration error, and for two classes the area under the ROC curve. Regression: mean squared error, its root
    and R2. Labels in DATA may be words if the classes of MODEL are; those of a table are the column that MODEL
    predicts. Tables are in percent, --json has fractions of 1.

    \b
    Examples:
      gristmill evaluate model.safetensors test.svm
      gristmill evaluate people.safetensors people.csv
      gristmill evaluate libsvm.model test.svm --json
    """
    machine = task.load("evaluate")
    rows, truth = task.read(machine)
    scorer = task.compile(machine)
    if machine.encoding is not None:
        rows, truth = _answered(machine, rows, truth, task.data)
    if machine.scheme.has_labels:
        _check_labels(machine, truth, display_name(task.data))
    with progress_bar("scoring") as progress:
        if machine.scheme.has_labels and machine.probability is not None:
            scores = trusted_scores(scorer, rows, task.jobs, progress=progress)
            answers, more = machine.answers(scores), _of_probabilities(machine, truth, scores)
        else:
            answers, more = scorer.predict(rows, task.jobs, progress=progress), {}
    results = _results(machine, truth, answers, more)
    if as_json:
        click.echo(json.dumps(_without_nan(results), allow_nan=False))
    else:
        _show(results)


def _answered(machine: Machine, rows: Any, truth: NDArray[Any], data: str) -> tuple[Any, NDArray[Any]]:
    """The rows of a table whose answer is known."""
    known = truth != "" if truth.dtype.kind == "U" else ~np.isnan(truth)
    if not known.any():
        target = TableSource.of(machine).target
        column = f"no column {target!r}" if target else "not one column more than the model reads,"
        raise ValueError(f"{display_name(data)} has {column} with true answers to compare with")
    if not known.all():
        note(f"warning: {display_name(data)}: the target is missing in {counted(int((~known).sum()), 'row')}, left out")
    return rows.take(np.flatnonzero(known)), truth[known]


def _check_labels(machine: Machine, truth: NDArray[Any], data: str) -> None:
    """Refuse labels of which none is a class of the model; say which are none where some are not."""
    known = np.asarray(machine.classes)
    unknown = ~np.isin(truth, known)
    if not unknown.any():
        return
    found = (spelled(label, machine) for label in np.unique(truth[unknown]).tolist())
    labels = listed_labels(label for label in found if label is not None) or "words"  # read as nan for numbers
    classes = listed_labels(known)
    if unknown.all():
        raise ValueError(f"{data}: no label is a class of the model: got {labels}, the classes are {classes}")
    note(
        f"warning: {data}: {counted(int(unknown.sum()), 'example')} with labels that are no classes of the model, "
        f"which count as mistakes: got {labels}, the classes are {classes}"
    )


def _of_probabilities(machine: Machine, truth: NDArray[Any], scores: Floats) -> dict[str, float]:
    """Metrics of probabilities, and of the order of scores of two classes."""
    shares = probabilities(machine, scores)
    classes = np.asarray(machine.classes)
    numbers = np.argmax(truth[:, None] == classes, axis=1)
    numbers[~np.isin(truth, classes)] = -1
    found = {"log_loss": log_loss(shares, numbers)}
    if len(classes) == 2:
        known = numbers >= 0
        found = {"auc": area_under_roc(numbers[known] == 1, scores[known, 0])} | found
        predicted, outcome = shares[:, 1], numbers == 1
    else:
        predicted, outcome = shares.max(axis=1), shares.argmax(axis=1) == numbers
    return found | {"calibration_error": calibration_error(equal_width(predicted, outcome))}


def _without_nan(results: dict[str, Any]) -> dict[str, Any]:
    """JSON has no nan; what cannot be computed is null."""
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in results.items()}


def _results(machine: Machine, truth: NDArray[Any], answers: NDArray[Any], more: dict[str, float]) -> dict[str, Any]:
    results: dict[str, Any] = {"examples": len(truth)}
    if not machine.scheme.has_labels:
        if machine.n_outputs != 1:
            raise ValueError(f"the machine has {machine.n_outputs} regression outputs, the data one value an example")
        squared = mean_squared_error(truth, answers)
        return results | {
            "mean_squared_error": squared,
            "root_mean_squared_error": math.sqrt(squared),
            "r2": r2_score(truth, answers),
        }
    if answers.dtype.kind != "U":
        answers = answers.astype(np.float64)
    found = class_scores(truth, answers)
    classes = [asdict(one) | {"label": spelled(one.label, machine)} for one in found]
    return results | {"accuracy": accuracy(truth, answers), **more, "classes": classes}


def _show(results: dict[str, Any]) -> None:
    classes = results.pop("classes", None)
    cells = [(_NAMES.get(name, name.replace("_", " ")), _shown(name, value)) for name, value in results.items()]
    table("evaluation", ["", ""], cells)
    if classes:
        counts = [
            (_plain(c["label"]), *(percent(c[name]) for name in ("precision", "recall", "f1")), count(c["support"]))
            for c in classes
        ]
        table("classes", ["label", "precision", "recall", "F1", "examples"], counts)


def _plain(label: float | str) -> str:
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _shown(name: str, value: float) -> str:
    """Shares in percent, other numbers as they are."""
    if name in ("accuracy", "auc", "calibration_error"):
        return percent(value)
    return count(value) if isinstance(value, int) else f"{value:.6f}"
