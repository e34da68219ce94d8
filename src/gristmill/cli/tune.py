"""gristmill tune: which settings learn best."""

from __future__ import annotations

import functools
from typing import Any

import click

from gristmill.cli.learning_options import COST, ONLINE, learning_options, list_of
from gristmill.cli.options import binarize_option, jobs_option, json_option
from gristmill.cli.sections import SectionCommand, SectionOption, declared, given, option
from gristmill.cli.train_command import check_place
from gristmill.cli.tune_options import BATCH, batch_options
from gristmill.machines.formats import MODEL_FORMATS

_SHARED = [
    option("--online", is_flag=True, help="Perceptron or passive-aggressive learning, example by example."),
    option("-d", "--degree", type=list_of(click.INT), help="poly: of (gamma <x, y> + coef0)^degree.  [default: 1,2,3]"),
    option("-g", "--gamma", type=list_of(click.FLOAT), help="poly: factor of the dot product.  [default: 1]"),
    option("-r", "--coef0", type=list_of(click.FLOAT), help="poly: the constant.  [default: 1]"),
    option(
        *("-c", "-C", "--cost"),
        type=list_of(COST),
        help="What an error costs.  [default: 0.01,0.1,1,10,100,1000]  With --online largest steps, or 'auto'.  "
        "[default: 0.001,0.01,0.1,1]",
    ),
    option(
        *("--by", "measure"),
        type=click.Choice(["f1", "accuracy"]),
        help="What counts. F1 is that of the second of two classes, the mean over more.  [default: f1; with --online "
        "accuracy, and f1 is always the mean]",
    ),
]
_EPOCHS = [option("--epochs", type=list_of(click.IntRange(1)), section=ONLINE, help="Passes.  [default: 1,3,10]")]
_RUNNING = [
    option("--to", type=click.Choice([known.NAME for known in MODEL_FORMATS]), default="gristmill", show_default=True),
    binarize_option,
    jobs_option,
    json_option,
]


@click.command(cls=SectionCommand)
@click.argument("data", type=click.Path(allow_dash=True))
@click.argument("files", metavar="[HELD_OUT] [MODEL]", type=click.Path(allow_dash=True), nargs=-1)
@functools.partial(declared, options=_SHARED)
@batch_options
@functools.partial(learning_options, scale=False)
@functools.partial(declared, options=_EPOCHS)
@functools.partial(declared, options=_RUNNING)
@click.pass_context
def tune(ctx: click.Context, /, data: str, files: tuple[str, ...], **options: Any) -> None:
    """Learn from DATA with all combinations of settings, judge them on HELD_OUT or by --folds, write the best MODEL.

    A support vector machine learns from trees or vectors, which are recognised as by `gristmill train`; most settings
    are tried on samples only, the best on everything. Lists have commas between. Ctrl-C ends the search with the best
    so far.

    \b
    gristmill tune train.trees dev.trees model.safetensors --kernel sst,ptk --decay 0.2,0.4,0.6
    gristmill tune questions.trees --folds 5 --kernel st,sst,sst-bow,ptk,uptk --decay 0.2,0.4,0.6,0.8 --plot found.svg
    gristmill tune train.svm model.safetensors --folds 5 --degree 1,2,3 -C 0.01,0.1,1
    gristmill tune train.svm dev.svm model.safetensors --online --degree 1,2,3 -C 0.001,0.01,0.1
    """
    online = options["online"]
    _check_together(ctx, online=online)
    held_out, model = _places(files, options["folds"])
    if model == "-":
        raise click.UsageError("standard output has the table: name a file for MODEL")
    if model is not None:
        check_place(model)
    if online:
        from gristmill.cli.tune_online import tune_online

        if held_out is None:
            raise click.UsageError("--online is judged on examples that are held out: name HELD_OUT")
        tune_online(data, held_out, model, options)
        return
    from gristmill.cli.tune_batch import tune_batch

    tune_batch(ctx, data, held_out, model, options)


def _places(files: tuple[str, ...], folds: int | None) -> tuple[str | None, str | None]:
    """HELD_OUT and MODEL, of which each may be missing."""
    held_out = files[:1] if folds is None else ()
    rest = files[len(held_out) :]
    if folds is None and not held_out:
        raise click.UsageError("say who judges: name HELD_OUT after DATA, or give --folds 5")
    if len(rest) > 1:
        hint = "; with --folds there is no HELD_OUT" * (folds is not None)
        raise click.UsageError(f"got more files than DATA, HELD_OUT and MODEL: {rest[1]}{hint}")
    return (held_out[0] if held_out else None), (rest[0] if rest else None)


def _check_together(ctx: click.Context, *, online: bool) -> None:
    """Refuse options of the other way of learning."""
    other, where = (BATCH, "of batch SVMs, not with --online") if online else (ONLINE, "with --online only")
    sections = {param.name: param.section for param in ctx.command.params if isinstance(param, SectionOption)}
    wrong = [said for name, said in given(ctx).items() if sections.get(name) == other]
    if wrong:
        raise click.UsageError(f"{', '.join(wrong)}: {where}")
