"""gristmill evaluate: how good a model is on a labelled data file."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from gristmill.cli.command import Command
from gristmill.cli.options import ScoringTask, json_option, scoring_task
from gristmill.cli.screen import count, percent, progress_bar, table
from gristmill.evaluation.metrics import accuracy, class_scores, mean_squared_error, r2_score
from gristmill.machines.machine import Machine


@click.command(cls=Command)
@scoring_task
@json_option
def evaluate(task: ScoringTask, as_json: bool) -> None:
    """Compare the predictions of MODEL with the labels of DATA (svmlight format).

    Classifiers: accuracy, and precision, recall and F1 of each class. Regression: mean squared error and R2. Labels in
    DATA may be words if the classes of MODEL are. Tables are in percent, --json has fractions of 1.

    \b
    Examples:
      gristmill evaluate model.safetensors test.svm
      gristmill evaluate libsvm.model test.svm --json
    """
    machine = task.load("evaluate")
    rows, truth = task.read(machine)
    with progress_bar("scoring") as progress:
        answers = task.compile(machine).predict(rows, task.jobs, progress=progress)
    results = _results(machine, truth, answers)
    if as_json:
        click.echo(json.dumps(_without_nan(results), allow_nan=False))
    else:
        _show(results)


def _without_nan(results: dict[str, Any]) -> dict[str, Any]:
    """JSON has no nan; what cannot be computed is null."""
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in results.items()}


def _results(machine: Machine, truth: NDArray[Any], answers: NDArray[Any]) -> dict[str, Any]:
    results: dict[str, Any] = {"examples": len(truth)}
    if not machine.scheme.has_labels:
        if machine.n_outputs != 1:
            raise ValueError(f"the machine has {machine.n_outputs} regression outputs, the data one value an example")
        return results | {
            "mean_squared_error": mean_squared_error(truth, answers),
            "r2": r2_score(truth, answers),
        }
    if answers.dtype.kind != "U":
        answers = answers.astype(np.float64)
    classes = [asdict(scores) for scores in class_scores(truth, answers)]
    return results | {"accuracy": accuracy(truth, answers), "classes": classes}


def _show(results: dict[str, Any]) -> None:
    classes = results.pop("classes", None)
    table("evaluation", ["", ""], [(name.replace("_", " "), _shown(name, value)) for name, value in results.items()])
    if classes:
        cells = [
            (_plain(c["label"]), *(percent(c[name]) for name in ("precision", "recall", "f1")), count(c["support"]))
            for c in classes
        ]
        table("classes", ["label", "precision", "recall", "F1", "examples"], cells)


def _plain(label: float | str) -> str:
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _shown(name: str, value: float) -> str:
    """Shares in percent, other numbers as they are."""
    if name == "accuracy":
        return percent(value)
    return count(value) if isinstance(value, int) else f"{value:.6f}"
