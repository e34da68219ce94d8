"""gristmill svm-predict: a stand-in for LIBSVM's program of that name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import click
import numpy as np

from gristmill.apps.loading import open_machine
from gristmill.base.arrays import Floats
from gristmill.base.files import write_bytes
from gristmill.cli.command import OUTPUT, Command, arguments, option
from gristmill.cli.options import engine_option, jobs_option
from gristmill.cli.screen import progress_bar
from gristmill.compat.svm import svm_forms, svm_model
from gristmill.compat.svmutil import noise_note
from gristmill.machines.data_files import read_rows_for


@click.command("svm-predict", cls=Command)
@option("-b", "probability", type=click.IntRange(0, 1), default=0, help="1: probability estimates.")
@option("-q", "quiet", is_flag=True, help="Print nothing.")
@engine_option()
@jobs_option
@arguments("test_file", "model_file")
@click.argument("output_file", type=OUTPUT)
def svm_predict(
    probability: int, quiet: bool, engine: str, jobs: int | None, test_file: str, model_file: str, output_file: str
) -> None:
    """Stand in for LIBSVM's svm-predict: its arguments, its output file, what it prints.

    MODEL_FILE may be of any known format. Values other than 0 and 1 are computed with, as LIBSVM does. --engine and
    --jobs are additions; regression, whose values are written in full, is scored as LIBSVM adds unless an engine is
    named.

    \b
    Examples:
      gristmill svm-predict test.svm libsvm.model answers.txt
      gristmill svm-predict -q test.svm model.safetensors answers.txt
    """
    model = _model(model_file, engine)
    if probability and not model.is_probability_model():
        raise ValueError(f"{model_file}: Model does not support probabiliy estimates")  # LIBSVM's words
    with progress_bar("reading") as progress:
        rows, truth = read_rows_for(model.machine, test_file, progress=progress)
    with progress_bar("scoring") as progress:
        if probability:
            answers, shares = model.probabilities(rows, jobs)
        else:
            answers, _ = model.answers(rows, jobs, progress=progress)
    lines = _with_shares(model, answers, shares) if probability and not model.is_regression else _alone(answers)
    write_bytes(output_file, "".join(f"{line}\n" for line in lines).encode())
    if not quiet:
        for line in _said(model, bool(probability), truth, answers):
            click.echo(line)


def _model(path: str, engine: str) -> svm_model:
    model = svm_model(open_machine(path, trees=False), engine)
    if engine == "auto" and model.is_regression:
        model.engine = "direct"
    return model


# --- the output file --------------------------------------------------------------------------------------------------


def _alone(answers: Floats) -> Iterable[str]:
    return (f"{answer:.17g}" for answer in answers.tolist())


def _with_shares(model: svm_model, answers: Floats, shares: Floats) -> Iterator[str]:
    if model.get_svm_type() == svm_forms.ONE_CLASS:
        yield "label normal outlier"
    else:
        yield " ".join(["labels", *map(str, model.get_labels())])
    for answer, row in zip(answers.tolist(), shares.tolist(), strict=True):
        yield " ".join(f"{number:g}" for number in (answer, *row))


# --- what is printed --------------------------------------------------------------------------------------------------


def _said(model: svm_model, probability: bool, truth: Floats, answers: Floats) -> Iterator[str]:
    if probability and model.is_regression:
        yield noise_note(model)
    elif not probability and model.is_probability_model():
        yield "Model supports probability estimates, but disabled in prediction."
    total = len(truth)
    if model.is_regression:
        yield f"Mean squared error = {_g(_ratio(_added((answers - truth) ** 2), total))} (regression)"
        yield f"Squared correlation coefficient = {_g(_squared_correlation(truth, answers))} (regression)"
    else:
        correct = int((answers == truth).sum())
        yield f"Accuracy = {_g(_ratio(correct, total) * 100)}% ({correct}/{total}) (classification)"


def _squared_correlation(t: Floats, p: Floats) -> float:
    n = len(t)
    both = n * _added(p * t) - _added(p) * _added(t)
    one = n * _added(p * p) - _added(p) * _added(p)
    other = n * _added(t * t) - _added(t) * _added(t)
    return _ratio(both * both, one * other)


def _added(numbers: Floats) -> float:
    """One after another, as LIBSVM adds: where everything cancels, the rest is what is printed."""
    return float(np.cumsum(numbers)[-1]) if len(numbers) else 0.0


def _ratio(part: float, whole: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(part) / np.float64(whole))


def _g(number: float) -> str:
    """C's %g; 0/0 has a sign there."""
    return "-nan" if math.isnan(number) else f"{number:g}"
