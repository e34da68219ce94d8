"""gristmill predict: labels, scores or probabilities for a data file."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from typing import Any

import click
import numpy as np

from gristmill.base.files import write_bytes
from gristmill.cli.annotating import AnnotatingCommand, files_argument
from gristmill.cli.command import option
from gristmill.cli.options import ScoringTask, json_option, output_option, scoring_task
from gristmill.cli.screen import progress_bar
from gristmill.machines.table_files import TableSource
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer


@click.command(cls=AnnotatingCommand)
@partial(scoring_task, data=files_argument("data"))
@output_option("answers")
@option("--scores", is_flag=True, help="Print raw scores, tab-separated, instead of labels.")
@option("--probabilities", is_flag=True, help="Print a probability per class, tab-separated, instead of labels.")
@option("--csv", "as_csv", is_flag=True, help="Print a table with a first line: answers, and what else is asked for.")
@json_option
def predict(task: ScoringTask, output: str, scores: bool, probabilities: bool, as_csv: bool, as_json: bool) -> None:
    """Predict the label of each example of DATA (svmlight format, or a table for a MODEL of tables), one a line.

    MODEL is a file of any known format, recognised by its content. A binary score above 0 means the second of the
    classes that `gristmill inspect MODEL` lists; probabilities stand in the order of that list. Columns of a table are
    matched by name, in any order; others are not read. For a MODEL on trees DATA are trees; models of `tag`, `segment`,
    `parse`, `roles` and `classify-trees` are run by these commands.

    \b
    Examples:
      gristmill predict model.safetensors test.svm -o labels.txt
      gristmill predict people.safetensors people.csv --probabilities --csv
      gristmill predict libsvm.model test.svm --scores
    """
    if scores and probabilities and not as_csv:
        raise click.UsageError("give --scores or --probabilities, or both with --csv")
    if as_csv and as_json:
        raise click.UsageError("give --csv or --json, not both")
    machine = task.load()
    rows, _ = task.read(machine)
    scorer, jobs = task.compile(machine), task.jobs
    with progress_bar("scoring") as progress:
        if as_json:
            lines = _json_lines(scorer, rows, jobs, probabilities)
        elif as_csv:
            lines = _csv_lines(scorer, rows, jobs, scores, probabilities)
        elif probabilities:
            lines = _columns(scorer.predict_proba(rows, jobs))
        elif scores:
            lines = _columns(scorer.decision_function(rows, jobs, progress=progress))
        else:
            lines = [str(label) for label in scorer.predict(rows, jobs, progress=progress).tolist()]
    write_bytes(output, "".join(f"{line}\n" for line in lines).encode())


def _columns(numbers: Any) -> list[str]:
    return ["\t".join(map(repr, row)) for row in np.asarray(numbers).reshape(len(numbers), -1).tolist()]


def _csv_lines(scorer: Scorer, rows: Any, jobs: int | None, scores: bool, probabilities: bool) -> list[str]:
    """The answer first, in a column that is called as what the machine predicts where that is known."""
    from gristmill.explanations.models import class_names, output_names

    machine = scorer.machine
    found = trusted_scores(scorer, rows, jobs)
    names, columns = [TableSource.of(machine).target or "answer"], [machine.answers(found).tolist()]
    if scores:
        names += ["score"] if found.shape[1] == 1 else [f"score of {name}" for name in output_names(machine)]
        columns += found.T.tolist()
    if probabilities:
        names += [f"probability of {name}" for name in class_names(machine)]
        columns += scorer.predict_proba(rows, jobs).T.tolist()
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows([names, *zip(*columns, strict=True)])
    return written.getvalue().removesuffix("\n").split("\n")


def _json_lines(scorer: Scorer, rows: Any, jobs: int | None, probabilities: bool) -> list[str]:
    scores = trusted_scores(scorer, rows, jobs)
    answers: dict[str, list[Any]] = {
        "label": scorer.machine.answers(scores).tolist(),
        "scores": (scores[:, 0] if scores.shape[1] == 1 else scores).tolist(),
    }
    if probabilities:
        answers["probabilities"] = scorer.predict_proba(rows, jobs).tolist()
    return [json.dumps(dict(zip(answers, row, strict=True))) for row in zip(*answers.values(), strict=True)]
