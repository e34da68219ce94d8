"""gristmill train: learn a machine from a data file, as a batch SVM or example by example."""

from __future__ import annotations

import functools
from typing import Any

import click

from gristmill.cli.kernel_options import row_options
from gristmill.cli.learning_options import COST, ONLINE, learning_options
from gristmill.cli.options import binarize_option, json_option
from gristmill.cli.sections import declared, option
from gristmill.cli.train_batch import train_batch
from gristmill.cli.train_command import TrainCommand, check_place, check_together
from gristmill.cli.train_online import train_online
from gristmill.cli.train_options import batch_options
from gristmill.machines.formats import MODEL_FORMATS

_SHARED = [
    option("--online", is_flag=True, help="Perceptron or passive-aggressive learning, example by example."),
    option(
        *("-c", "-C", "--cost"),
        type=COST,
        default=1.0,
        show_default=True,
        help="What an error costs; with --online the largest step, or 'auto'.",
    ),
    *row_options(degree=2)[:1],
]
_RUNNING = [
    option(
        "--to",
        type=click.Choice([known.NAME for known in MODEL_FORMATS]),
        default="gristmill",
        show_default=True,
        help="The format of MODEL.",
    ),
    binarize_option,
    option(
        *("-j", "--jobs"),
        type=int,
        metavar="N",
        help="Threads; all cores if nothing is said, one with --online. Never changes a result.",
    ),
    option("-q", "--quiet", is_flag=True, help="Say nothing unless something is wrong."),
    json_option,
]
_ONLINE = [
    option(
        "--epochs",
        type=click.IntRange(1),
        section=ONLINE,
        help="Passes; 10 if nothing is said, 1 for a stream from stdin.",
    ),
    option("--init", type=click.Path(), section=ONLINE, help="A model to start from."),
    option(
        "--stream",
        is_flag=True,
        section=ONLINE,
        help="Never hold DATA in memory: read them block by block, in each epoch.",
    ),
    option(
        "--checkpoint",
        "checkpoint_path",
        type=click.Path(),
        section=ONLINE,
        help="Where to keep the state while learning: every minute, when interrupted and at the end.",
    ),
    option(
        "--checkpoint-every",
        type=click.FloatRange(0),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        section=ONLINE,
    ),
    option(
        "--resume",
        type=click.Path(),
        section=ONLINE,
        help="A checkpoint to go on from, with its settings. It is kept up to date, unless --checkpoint names another.",
    ),
]
_LETTERS = """
LIBSVM's letters are -c -d -e -g -h -m -q -r -s -t, and -wLABEL FACTOR for --weight. Its defaults are others: gamma is
1 here and 1 / features there, coef0 is 1 here and 0 there, so say -g and -r to learn its machines. SVM-light-TK's
letters are -c -d -e -m -r and -F -L -M -N -S -T; its -C is --combine here, its -s is -g, its -j 2 is -w1 2.
"""


@click.command(cls=TrainCommand, epilog=_LETTERS)
@click.argument("data", type=click.Path(allow_dash=True))
@click.argument("model", type=click.Path(allow_dash=True))
@functools.partial(declared, options=_SHARED)
@batch_options
@learning_options
@functools.partial(declared, options=_ONLINE)
@functools.partial(declared, options=_RUNNING)
@click.pass_context
def train(ctx: click.Context, /, data: str, model: str, **options: Any) -> None:
    """Learn from DATA and write MODEL: a support vector machine or, with --online, a perceptron and its kin.

    DATA are in svmlight format; for an SVM they may also be bracketed trees, one a line behind its label and a tab, or
    examples of SVM-light-TK or KeLP. Labels may be numbers or words. Ctrl-C writes what was learned so far.

    With --online and --checkpoint a run can go on later (--resume), as often as it takes, and ends with the same model
    as one that was never interrupted.

    \b
    gristmill train train.svm model.safetensors -d 2 -C 0.1
    gristmill train train.svm libsvm.model -t 1 -d 2 -g 0.5 -r 0 -c 10 -w1 2 -m 2000 --to libsvm
    gristmill train questions.trees model.safetensors -k ptk --decay 0.4
    gristmill train train.svm model.safetensors --online -d 2 -C 0.1
    gristmill train huge.svm.gz model.safetensors --online --stream --checkpoint huge.state
    zcat huge.svm.gz | gristmill train - model.safetensors --online --stream --classes=-1,+1
    """
    online = options["online"]
    check_together(ctx, online=online)
    check_place(model)
    (train_online if online else train_batch)(ctx, data, model, options)
