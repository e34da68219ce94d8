"""gristmill tune: kernels, their parameters and C of support vector machines."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import click
import numpy as np

from gristmill.cli.kernel_options import ROW_KERNELS
from gristmill.cli.screen import note, progress_bar, progress_line, table
from gristmill.cli.sections import given
from gristmill.cli.train_batch import check_format
from gristmill.cli.train_command import check_place
from gristmill.cli.train_data import TrainingData, read_training_data
from gristmill.cli.train_kernel import kernel_for
from gristmill.display.numbers import in_percent
from gristmill.kernels import Kernel
from gristmill.machines.formats import write
from gristmill.solvers.batch import SvmFit, SvmInterrupted, train_svm
from gristmill.solvers.batch.deduplicate import take
from gristmill.tuning.api import COSTS, make_search
from gristmill.tuning.drawing import check_figure
from gristmill.tuning.result import COLUMNS, Tuning, TuningInterrupted, notes, rows, summary
from gristmill.tuning.search import Search

_TREE_KERNELS = ["st", "sst", "sst-bow", "ptk", "uptk"]
_PARAMETERS = ("decay", "mu", "degree", "gamma", "coef0")
_DEGREES = [1, 2, 3]
_UNSAID: dict[str, Any] = {  # what `gristmill train` asks besides, to make a kernel of a name
    **dict.fromkeys(("weighting", "max_children", "tree_type", "combine", "normalise")),
    **dict.fromkeys(_PARAMETERS),
    "vectors": "poly",
    "tree_weight": 1.0,
}


def tune_batch(ctx: click.Context, data: str, held_out: str | None, model: str | None, options: dict[str, Any]) -> None:
    """Search, show what was found, and write the model of the best setting."""
    _check_plot(options["plot"])
    names, said = options["kernels"], given(ctx)
    train, other = _read(data, held_out, names, options, said)
    kernels = _kernels(train, names, options, said)
    search = _search(train, other, kernels, options)
    if model is not None:
        for setting in search.grid.kernels:
            check_format(train, search.options.settings(setting.kernel), options["to"])
    found, interrupted = _run(search)
    if found is not None:
        _keep(train, found, search, model, options)
    if interrupted:
        note("interrupted" if found is None else f"interrupted; the best so far is {found.best}")
        raise KeyboardInterrupt


def _read(
    data: str, held_out: str | None, names: list[str] | None, options: dict[str, Any], said: dict[str, str]
) -> tuple[TrainingData, TrainingData | None]:
    """Both files, with the classes and the first feature of the first one."""
    if data == held_out == "-":
        raise click.UsageError("DATA and HELD_OUT cannot both be standard input")
    marked = next((name for name in names or [] if name.endswith("-marked")), None)
    train = read_training_data(data, marked, options, said)
    if held_out is None:
        return train, None
    same = options if train.first_id is None else options | {"zero_based": train.first_id == 0}
    other = read_training_data(held_out, marked, same, said)
    if type(other.X) is not type(train.X):
        raise ValueError(f"{held_out} holds other data than {data}: trees or vectors, both must be the same")
    return train, other


def _kernels(
    data: TrainingData, names: list[str] | None, options: dict[str, Any], said: dict[str, str]
) -> dict[str, Kernel]:
    """As `gristmill train` makes them; what is varied comes later."""
    chosen = names or (_TREE_KERNELS if data.tree_fields else ["poly"])
    fixed = {name: spelled for name, spelled in said.items() if name not in _PARAMETERS}
    made = {name: kernel_for(data, name, options | _UNSAID, _own(fixed, name)) for name in chosen}
    return {name: kernel for name, kernel in made.items() if isinstance(kernel, Kernel)}


def _own(said: dict[str, str], name: str) -> dict[str, str]:
    """Without what is for kernels of trees, where others stand beside this one."""
    of_trees = ("raw", "marks", "field") if name in ROW_KERNELS else ()
    return {key: spelled for key, spelled in said.items() if key not in of_trees}


def _search(
    train: TrainingData, other: TrainingData | None, kernels: dict[str, Kernel], options: dict[str, Any]
) -> Search:
    if "auto" in (options["cost"] or ()):
        raise click.UsageError("-C auto is of online learning, with --online only")
    own = options if options["degree"] or "poly" not in kernels else options | {"degree": _DEGREES}
    varied = {name: own[name] for name in _PARAMETERS if own[name] is not None}
    return make_search(
        *(train.X, train.labels.classes[train.numbers], kernels, options["cost"] or COSTS, varied),
        held_out=None if other is None else (other.X, _labels(train, other)),
        folds=options["folds"],
        scoring=options["measure"] or "f1",
        search=options["search"],
        sample_sizes=options["sample_sizes"],
        factor=options["factor"],
        class_weight=_class_weight(train, options),
        multiclass=options["scheme"],
        fit_intercept=options["intercept"],
        tol=options["tol"],
        binarize=options["binarize"],
        max_bytes=options["max_bytes"],
        n_jobs=options["jobs"],
        random_state=options["seed"],
    )


def _labels(train: TrainingData, other: TrainingData) -> Any:
    """Of the other file, as the first one spells its classes."""
    names = [str(label) for label in other.labels.classes.tolist()]
    return train.labels.classes[np.array([train.labels.number(name) for name in names])[other.numbers]]


def _class_weight(train: TrainingData, options: dict[str, Any]) -> dict[Any, float] | None:
    classes = train.labels.classes.tolist()
    return {classes[train.labels.number(name)]: factor for name, factor in options["weights"]} or None


def _run(search: Search) -> tuple[Tuning | None, bool]:
    """What was found, and whether somebody interrupted."""
    with progress_line("tuning") as draw:

        def progress(done: int, total: int) -> None:
            top = search.best_trial
            if draw is not None and top is not None:
                draw(
                    done,
                    total,
                    f"{done} of {total}, best {search.dataset.scoring} {in_percent(top.score)}: {top.setting}",
                )

        try:
            return search.run(None if draw is None else progress), False
        except TuningInterrupted as stop:
            return stop.result, True


def _keep(train: TrainingData, found: Tuning, search: Search, model: str | None, options: dict[str, Any]) -> None:
    """The model, which took longest, then figure and table; none of them is lost because another one fails."""
    with ExitStack() as last_first:
        last_first.callback(_show, found, as_json=options["as_json"])
        if options["plot"] is not None:
            last_first.callback(_draw, found, options["plot"])
        if model is not None:
            _write(train, found, search, model, options)


def _write(train: TrainingData, found: Tuning, search: Search, model: str, options: dict[str, Any]) -> None:
    """From all examples or, after an interruption, from as many as the best setting was judged by."""
    size = found.best_trial.sample_size if found.interrupted else len(search.dataset)
    fit, interrupted = _learn(train, found, search, size, options)
    assert fit.machine is not None
    write(fit.machine, model, options["to"])
    which = f"of {found.best}, from {size:,} examples" if found.interrupted else f"of {found.best}"
    note(f"the best model, {which}, is in {model}")
    if interrupted:
        note("interrupted; that model is the best so far of its training")
        raise KeyboardInterrupt


def _learn(
    train: TrainingData, found: Tuning, search: Search, size: int, options: dict[str, Any]
) -> tuple[SvmFit, bool]:
    """What was learned, and whether somebody interrupted that."""
    dataset, whole = search.dataset, size == len(search.dataset)
    numbers = np.arange(size) if whole else np.sort(dataset.order.examples[:size])
    labels = train.numbers[numbers]
    factors = dataset.factors(labels.astype(np.intp))
    settings = search.options.settings(found.best.kernel, found.best.C)
    with progress_bar("learning") as progress:
        how: dict[str, Any] = {"weights": factors[labels], "n_jobs": options["jobs"], "progress": progress}
        data = train.X if whole else take(train.X, numbers)
        try:
            return train_svm(data, labels, dataset.classes, settings, first_id=train.first_id, **how), False
        except SvmInterrupted as stop:
            return stop.fit, True


def _draw(found: Tuning, path: str) -> None:
    found.plot(path)
    note(f"the figure is in {path}")


def _show(found: Tuning, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(found.as_dict(), allow_nan=False))
        return
    table(summary(found), COLUMNS, rows(found), left=2)
    for line in notes(found):
        click.echo(line)


def _check_plot(path: str | None) -> None:
    """Refuse what cannot be drawn: better now than after hours."""
    if path is None:
        return
    check_place(path)
    try:
        check_figure(path)
    except (ImportError, ValueError) as error:
        raise click.UsageError(f"--plot: {error}") from error
