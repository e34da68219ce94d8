"""gristmill forget: a model without some of its training examples, exact, with a receipt."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import click
import numpy as np

from gristmill.apps.loading import command_of
from gristmill.base.arrays import Flags, Indices
from gristmill.base.files import display_name, writing
from gristmill.cli.command import FILE, OUTPUT, TEXT_OR_FILE, Command, arguments, option
from gristmill.cli.forget_logistic import forget_logistic
from gristmill.cli.options import base_option, jobs_option, json_option, machine_option, quiet_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import note, progress_bar
from gristmill.display.words import listed_labels
from gristmill.machines.data_files import read_for
from gristmill.machines.formats import own, read_machine, write
from gristmill.machines.machine import Machine
from gristmill.machines.store import digest_of
from gristmill.solvers.batch import forgetting
from gristmill.solvers.batch.calibrating import train_with_probability
from gristmill.solvers.batch.forgetting import Forgetting, purged_names, relative_gap
from gristmill.solvers.batch.present import Present
from gristmill.solvers.batch.refound import class_factors_of, present_of, settings_of
from gristmill.solvers.batch.result import SvmFit
from gristmill.solvers.batch.training import with_cost
from gristmill.solvers.cost_scale import AUTO
from gristmill.solvers.receipt import Receipt, data_digest


@click.command(cls=Command)
@arguments("model")
@option("--data", type=FILE, required=True, help="The file that MODEL was learned from, as it was.")
@option(
    *("--rows", "which"),
    metavar=TEXT_OR_FILE,
    required=True,
    help="The examples to forget, counted from 1: numbers and ranges, as 3,17,20-25, or a file of them.",
)
@option("-o", "--output", type=OUTPUT, required=True, help="The model without them, in our own format.")
@machine_option
@base_option
@jobs_option
@json_option
@quiet_option
def forget(model: str, data: str, which: str, output: str, name: str | None, **options: Any) -> None:
    """Forget training examples of MODEL: what is written is the machine of the others, up to the tolerance.

    MODEL is a machine of `gristmill train` (a support vector machine, or logistic), KernelSVC or
    KernelLogisticRegression; it knows C, tolerance and class weights. The problem is solved again from MODEL, which is
    far quicker than learning anew where few examples of a support vector machine are forgotten; a logistic loss changes
    all weights. C=auto and probabilities are found anew. A receipt goes to standard error, or as JSON to standard
    output: how well the problem of the others is solved, and SHA-256 digests of data and model before and after.

    \b
    Examples:
      gristmill forget svm.safetensors --data train.svm --rows 3 -o new.safetensors
      gristmill forget svm.safetensors --data train.svm --rows 1,4-5 -o new.safetensors --json
    """
    check_place(output)
    if output == "-" and options["as_json"]:
        raise click.UsageError("standard output has the model: with --json name a file for --output")
    begin, machine = time.perf_counter(), read_machine(model, name)
    app = command_of(machine)
    if app is not None:
        raise ValueError(f"{display_name(model)} is a model of `gristmill {app}`, which makes its examples: learn anew")
    X, found = read_for(machine, data, zero_based=options["zero_based"])
    labels = _numbers(machine, found, data)
    forgotten = chosen_rows(_text(which), len(labels))
    _check_left(machine, labels[~forgotten])
    learn_less = forget_logistic if machine.provenance.get("trained") == "logistic" else _forgotten
    after, receipt = learn_less(machine, (X, labels), forgotten, options["jobs"], begin)
    write(after, output, own.NAME)
    if options["as_json"]:
        with writing("-") as out:
            out.write(f"{receipt.to_json()}\n".encode())
    elif not options["quiet"]:
        note(str(receipt))


def _forgotten(
    machine: Machine, examples: tuple[Any, Indices], forgotten: Flags, jobs: int | None, begin: float
) -> tuple[Machine, Receipt]:
    settings = settings_of(machine)
    present = present_of(machine, *examples, settings)
    task, anew = present.task, list[str]()
    weights = np.where(forgotten, 0.0, 1.0)
    if settings.auto_cost:
        settings, anew = with_cost(replace(settings, C=AUTO), task.rows, weights), ["C"]
    factors = class_factors_of(machine)
    asked = Forgetting(forgotten, settings.cost * (weights * factors[task.labels]), settings)
    with progress_bar("solving") as progress:
        fit = forgetting.forget(present, asked, str(machine.provenance["solver"]), n_jobs=jobs, progress=progress)
    if machine.probability is not None:
        anew.append("probabilities")
        fit = _with_probability(fit, task.labels[~forgotten], machine, jobs)
    after = _finished(fit, machine, task.rows.data, forgotten)
    return after, _receipt(machine, present, fit, after, forgotten, tuple(anew), time.perf_counter() - begin)


def _with_probability(fit: SvmFit, labels: Any, machine: Machine, jobs: int | None) -> SvmFit:
    factors = class_factors_of(machine)
    settings = replace(fit.settings, C=AUTO) if fit.settings.auto_cost else fit.settings  # each fold has its own
    with progress_bar("probabilities") as progress:
        return train_with_probability(
            *(fit.rows, labels, np.asarray(machine.classes), settings),
            class_factors=None if (factors == 1).all() else factors,
            n_jobs=jobs,
            progress=progress,
            initial=fit,
            first_id=machine.first_id,
        )


def _finished(fit: SvmFit, before: Machine, data: Any, forgotten: Flags) -> Machine:
    """With what the machine had besides, and without names that only forgotten examples gave it."""
    assert fit.machine is not None
    after = fit.machine.replace(zero_class=before.zero_class)
    if before.feature_names is None:
        return after
    names = purged_names(before.feature_names, data, forgotten)
    return after.replace(feature_names=before.feature_names if names is None else names)


def _receipt(
    before: Machine,
    present: Present,
    fit: SvmFit,
    after: Machine,
    forgotten: Flags,
    anew: tuple[str, ...],
    seconds: float,
) -> Receipt:
    labels, rows = present.task.labels, present.task.rows
    assert fit.rows is not None
    gone = {
        int(member)
        for problem, alpha in zip(present.task.problems, present.alphas, strict=True)
        for member in problem.members[(alpha[problem.variables] > 0) & forgotten[problem.members]]
    }
    return Receipt(
        forgotten=int(forgotten.sum()),
        remaining=int((~forgotten).sum()),
        support_forgotten=len(gone),
        solver=fit.solver,
        steps=int(fit.n_iter.sum()),
        tol=fit.settings.tol,
        violation=float(fit.violation.max(initial=0.0)),
        gap=relative_gap(fit),
        recomputed=anew,
        data_before=data_digest(rows.data, {"labels": labels}),
        data_after=data_digest(fit.rows.data, {"labels": labels[~forgotten]}),
        machine_before=digest_of(before),
        machine_after=digest_of(after),
        seconds=seconds,
    )


def _check_left(machine: Machine, labels: Any) -> None:
    counts = np.bincount(labels, minlength=machine.n_classes)
    if not counts.all():
        gone = listed_labels(np.asarray(machine.classes)[counts == 0])
        raise ValueError(f"forgetting them leaves class {gone} without examples: learn anew without it")


def _numbers(machine: Machine, labels: Any, data: str) -> Any:
    classes = np.asarray(machine.classes)
    if not np.isin(labels, classes).all():
        raise ValueError(
            f"{display_name(data)} has labels that are no classes of the model, which are {listed_labels(classes)}: "
            "give the file that the model was learned from"
        )
    return np.argmax(np.asarray(labels)[:, None] == classes, axis=1)


# --- which ------------------------------------------------------------------------------------------------------------


def _text(which: str) -> str:
    if not which.startswith("@"):
        return which
    with click.open_file(which[1:], encoding="utf-8") as file:
        return str(file.read())


def chosen_rows(text: str, size: int) -> Flags:
    """Numbers from 1 and ranges, between commas or spaces, as a flag for each example."""
    forgotten = np.zeros(size, dtype=bool)
    for word in text.replace(",", " ").split():
        first, _, last = word.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal()):
            raise click.UsageError(f"--rows takes numbers and ranges such as 3,17,20-25, got {word!r}")
        begin, end = int(first), int(last or first)
        if not 1 <= begin <= end <= size:
            raise click.UsageError(f"--rows: there is no row {word}; the data have rows 1 to {size}")
        forgotten[begin - 1 : end] = True
    if not forgotten.any():
        raise click.UsageError("--rows names no example")
    if forgotten.all():
        raise click.UsageError("--rows names all examples: nothing would be left to learn from")
    return forgotten
