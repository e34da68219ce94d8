"""gristmill tune: try settings, score them on held-out data or by folds, keep the best model."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any

import click
import numpy as np

from gristmill.cli.command import Command, arguments, given
from gristmill.cli.kernel_options import ROW_KERNELS
from gristmill.cli.places import check_outputs, check_place
from gristmill.cli.screen import note, progress_line, table
from gristmill.cli.train_batch import check_format, check_keeps_probability, kernel_for, solve
from gristmill.cli.train_data import TrainingData, read_training_data
from gristmill.cli.train_options import check_together, tune_options
from gristmill.cli.tune_online import tune_online
from gristmill.kernels import Kernel
from gristmill.machines.formats import write
from gristmill.solvers.batch import SvmFit
from gristmill.solvers.batch.calibrating import train_with_probability
from gristmill.solvers.batch.deduplicate import take
from gristmill.tuning.api import COSTS, make_search
from gristmill.tuning.drawing import check_figure
from gristmill.tuning.result import COLUMNS, Tuning, TuningInterrupted, notes, rows, score_in_words, summary
from gristmill.tuning.search import Search

_TREE_KERNELS = ["st", "sst", "sst-bow", "ptk", "uptk"]
_PARAMETERS = ("decay", "mu", "degree", "gamma", "coef0")
_SAME_NAME = (
    *("folds", "search", "sample_sizes", "factor", "multiclass", "tol", "binarize", "max_bytes", "random_state"),
)
_DEGREES = [1, 2, 3]
_DEFAULTS: dict[str, Any] = {  # of the options by which `gristmill train` makes a kernel, and tune does not have
    **dict.fromkeys(("weighting", "max_children", "terminal_factor", "combine", *_PARAMETERS)),
    "normalize_vectors": False,
    "vectors": "poly",
    "tree_weight": 1.0,
}


@click.command(cls=Command)
@arguments("data")
@click.argument("files", metavar="[HELD_OUT] [MODEL]", type=click.Path(allow_dash=True), nargs=-1)
@tune_options
@click.pass_context
def tune(ctx: click.Context, /, data: str, files: tuple[str, ...], **options: Any) -> None:
    """Learn from DATA with all combinations of settings, score them on HELD_OUT or by --folds, write the best MODEL.

    A support vector machine learns from trees or vectors, which are recognised as by `gristmill train`; most settings
    are tried on samples only, the best on everything. Lists have commas between. Ctrl-C ends the search with the best
    so far.

    \b
    Examples:
      gristmill tune train.trees test.trees model.safetensors --kernel sst,ptk --decay 0.2,0.4
      gristmill tune train.svm model.safetensors --folds 5 --degree 1,2,3 -C 0.01,0.1,1
      gristmill tune train.svm dev.svm model.safetensors --online --degree 1,2 -C 0.01,0.1
    """
    online = options["online"]
    check_together(ctx, online=online)
    held_out, model = _places(files, options["folds"])
    if model == "-":
        raise click.UsageError("standard output has the table: name a file for MODEL")
    for target in filter(None, (model, options["plot"])):
        check_place(target, data, *filter(None, [held_out]))
    check_outputs([*filter(None, (model, options["plot"]))])
    if online:
        if held_out is None:
            raise click.UsageError("--online is scored on examples that are held out: name HELD_OUT")
        tune_online(data, held_out, model, options)
        return
    _tune_batch(given(ctx), data, held_out, model, options)


def _places(files: tuple[str, ...], folds: int | None) -> tuple[str | None, str | None]:
    """HELD_OUT and MODEL, of which each may be missing."""
    held_out = files[:1] if folds is None else ()
    rest = files[len(held_out) :]
    if folds is None and not held_out:
        raise click.UsageError("what is scored? Name HELD_OUT after DATA, or give --folds 5")
    if len(rest) > 1:
        hint = "; with --folds there is no HELD_OUT" * (folds is not None)
        raise click.UsageError(f"got more files than DATA, HELD_OUT and MODEL: {rest[1]}{hint}")
    return (held_out[0] if held_out else None), (rest[0] if rest else None)


# --- batch SVMs -------------------------------------------------------------------------------------------------------


def _tune_batch(
    given: dict[str, str], data: str, held_out: str | None, model: str | None, options: dict[str, Any]
) -> None:
    """Search, show what was found, and write the model of the best setting."""
    _check_plot(options["plot"])
    names = options["kernels"]
    train, other = _read(data, held_out, names, options, given)
    kernels = _kernels(train, names, options, given)
    with _cluster(options["cluster"]) as client:
        search = _search(train, other, kernels, options, client)
        _check_model(train, search, model, options)
        found, interrupted = _run(search)
    if found is not None:
        _write_all(train, found, search, model, options)
    if interrupted:
        note("interrupted" if found is None else f"interrupted; the best so far is {found.best}")
        raise KeyboardInterrupt


def _cluster(name: str | None) -> AbstractContextManager[Any]:
    """A client of the cluster; None without one."""
    if name is None:
        return nullcontext()
    from gristmill.cluster.clients import opened

    return opened(name)


def _check_model(train: TrainingData, search: Search, model: str | None, options: dict[str, Any]) -> None:
    """Whether the format of the model can hold what is searched for."""
    if model is not None:
        if search.dataset.asks_probability:
            check_keeps_probability(f"--scoring {options['scoring']}", options["format"])
        for setting in search.grid.kernels:
            check_format(train, search.options.settings(setting.kernel), options["format"])


def _read(
    data: str, held_out: str | None, names: list[str] | None, options: dict[str, Any], given: dict[str, str]
) -> tuple[TrainingData, TrainingData | None]:
    """Both files, with the classes and the first feature of the first one."""
    if data == held_out == "-":
        raise click.UsageError("only one file can be standard input, not DATA and HELD_OUT")
    marked = next((name for name in names or [] if name.endswith("-marked")), None)
    train = read_training_data(data, marked, options, given)
    if held_out is None:
        return train, None
    same = options if train.first_id is None else options | {"zero_based": train.first_id == 0}
    other = read_training_data(held_out, marked, same, given)
    if type(other.X) is not type(train.X):
        raise ValueError(f"{held_out} holds other data than {data}: trees or vectors, both must be the same")
    return train, other


def _kernels(
    data: TrainingData, names: list[str] | None, options: dict[str, Any], given: dict[str, str]
) -> dict[str, Kernel]:
    """As `gristmill train` makes them; what is varied comes later."""
    chosen = names or (_TREE_KERNELS if data.tree_fields else ["poly"])
    fixed = {name: spelled for name, spelled in given.items() if name not in _PARAMETERS}
    made = {name: kernel_for(data, name, options | _DEFAULTS, _for_kernel(fixed, name)) for name in chosen}
    return {name: kernel for name, kernel in made.items() if isinstance(kernel, Kernel)}


def _for_kernel(given: dict[str, str], name: str) -> dict[str, str]:
    """Without what is for kernels of trees, where other kernels are tried too."""
    of_trees = ("no_normalize", "marks", "field") if name in ROW_KERNELS else ()
    return {key: spelled for key, spelled in given.items() if key not in of_trees}


def _search(
    train: TrainingData, other: TrainingData | None, kernels: dict[str, Kernel], options: dict[str, Any], client: Any
) -> Search:
    own = options if options["degree"] or "poly" not in kernels else options | {"degree": _DEGREES}
    varied = {name: own[name] for name in _PARAMETERS if own[name] is not None}
    return make_search(
        *(train.X, train.labels.classes[train.numbers], kernels, options["cost"] or COSTS, varied),
        held_out=None if other is None else (other.X, _labels(train, other)),
        scoring=options["scoring"] or "f1",
        class_weight=_class_weight(train, options),
        fit_intercept=options["intercept"],
        n_jobs=options["jobs"],
        client=client,
        **{name: options[name] for name in _SAME_NAME},
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
                    f"{done} of {total}, best {score_in_words(search.dataset.scoring, top.score)}: {top.setting}",
                )

        try:
            return search.run(None if draw is None else progress), False
        except TuningInterrupted as stop:
            return stop.result, True


def _write_all(train: TrainingData, found: Tuning, search: Search, model: str | None, options: dict[str, Any]) -> None:
    """The model, which took longest, then figure and table; none of them is lost because another one fails."""
    with ExitStack() as last_first:
        last_first.callback(_show, found, as_json=options["as_json"])
        if options["plot"] is not None:
            last_first.callback(_draw, found, options["plot"])
        if model is not None:
            _write(train, found, search, model, options)


def _write(train: TrainingData, found: Tuning, search: Search, model: str, options: dict[str, Any]) -> None:
    """From all examples or, after an interruption, from as many as the best setting was scored on."""
    size = found.best_trial.sample_size if found.interrupted else len(search.dataset)
    fit, interrupted = _learn(train, found, search, size, options)
    assert fit.machine is not None
    write(fit.machine, model, options["format"])
    which = f"of {found.best}, from {size:,} examples" if found.interrupted else f"of {found.best}"
    note(f"the best model, {which}, is in {model}")
    if interrupted:
        note("interrupted; that model is the best so far of its training")
        raise KeyboardInterrupt


def _learn(
    train: TrainingData, found: Tuning, search: Search, size: int, options: dict[str, Any]
) -> tuple[SvmFit, bool]:
    """What was learned, and whether somebody interrupted that."""
    cases, whole = search.dataset, size == len(search.dataset)
    numbers = np.arange(size) if whole else np.sort(cases.order.examples[:size])
    labels = train.numbers[numbers]
    settings = search.options.settings(found.best.kernel, found.best.C)
    data = train.X if whole else take(train.X, numbers)
    how: dict[str, Any] = {
        "train": train_with_probability if cases.asks_probability else None,
        "class_factors": cases.factors(labels.astype(np.intp)),
        "n_jobs": options["jobs"],
        "first_id": train.first_id,
    }
    return solve(data, labels, cases.classes, settings, **how)


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
    try:
        check_figure(path)
    except (ImportError, ValueError) as error:
        raise click.UsageError(f"--plot: {error}") from error
