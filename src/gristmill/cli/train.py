"""gristmill train: learn from a file, in batch or online, or from a table."""

from __future__ import annotations

from typing import Any

import click

from gristmill.cli.command import OUTPUT, Command, arguments, given
from gristmill.cli.places import check_place
from gristmill.cli.table_options import check_table
from gristmill.cli.train_batch import train_batch
from gristmill.cli.train_logistic import train_logistic_machine
from gristmill.cli.train_online import train_online
from gristmill.cli.train_options import LOGISTIC, check_together, train_options


@click.command(cls=Command)
@arguments("data")
@click.argument("model", type=OUTPUT)
@train_options
@click.pass_context
def train(ctx: click.Context, /, data: str, model: str, **options: Any) -> None:
    """Learn from DATA and write MODEL: a support vector machine; with --loss logistic one whose scores are log odds;
    with --online a perceptron or the like.

    DATA are in svmlight format; for an SVM they may also be bracketed trees, one a line behind its label and a tab, or
    examples of SVM-light-TK or KeLP. Labels may be numbers or words. Ctrl-C writes what was learned so far.

    With --target DATA are a table, CSV or Parquet, whose first line names the columns: numbers, categories, booleans
    and dates. What is learned is a TableClassifier or TableRegressor; C and degree are chosen unless they are given.

    With --online and --checkpoint a run can go on later (--resume), as often as it takes, and ends with the same model
    as one that was never interrupted. `svm-train` and `svm-learn` take the options of LIBSVM and SVMlight.

    \b
    Examples:
      gristmill train train.svm model.safetensors --degree 2 -C 0.1
      gristmill train train.svm model.safetensors --loss logistic
      gristmill train people.csv people.safetensors --target income --drop id
      gristmill train train.trees model.safetensors --kernel ptk --decay 0.4
      gristmill train train.svm model.safetensors --online --epochs 5 --save-config online.toml
    """
    online, loss = options["online"], options.pop("loss")
    check_place(model)
    if options["target"] is not None:
        check_table(ctx)
        _train_table(data, model, options, given(ctx))
        return
    check_together(ctx, online=online, loss=loss)
    learn = train_online if online else train_logistic_machine if loss == LOGISTIC else train_batch
    learn(data, model, options, given(ctx))


def _train_table(*arguments: Any) -> None:
    """Imports scikit-learn, which takes a second."""
    from gristmill.cli.train_table import train_table

    train_table(*arguments)
