"""gristmill svm-classify: a stand-in for the programs of that name of SVMlight and TinySVM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click
import numpy as np

from gristmill.apps.loading import open_machine
from gristmill.base.arrays import Flags, Floats
from gristmill.base.files import write_bytes
from gristmill.cli.command import OUTPUT, Command, arguments, option
from gristmill.cli.options import engine_option, jobs_option
from gristmill.cli.screen import progress_bar
from gristmill.data.rows import Rows, as_rows
from gristmill.machines.data_files import read_for
from gristmill.machines.formats import svmlight_tk, tinysvm
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer


@click.command("svm-classify", cls=Command)
@option("-v", "level", type=click.IntRange(0), help="SVMlight: 0 prints nothing, 1 less, 2 all (default).")
@option("-f", "form", type=click.IntRange(0, 1), help="SVMlight: 1 writes scores (default), 0 as V1.0 did.")
@option("-V", "--verbose", is_flag=True, help="TinySVM: print the label and the score of each example.")
@engine_option()
@jobs_option
@arguments("example_file", "model_file")
@click.argument("output_file", type=OUTPUT, required=False)
def svm_classify(
    level: int | None,
    form: int | None,
    verbose: bool,
    engine: str,
    jobs: int | None,
    example_file: str,
    model_file: str,
    output_file: str | None,
) -> None:
    """Stand in for svm_classify, SVMlight's, SVM-light-TK's or TinySVM's: arguments, output, what is printed.

    The model says which program is meant: a TinySVM model TinySVM's, one of SVM-light-TK or on trees SVM-light-TK's,
    which prints F1 too, any other SVMlight's. Models with one output are taken, whatever their format. The line
    "Runtime (without IO) in cpu-seconds" is left out: it is a clock. --engine and --jobs are additions.

    Scores have eight digits. With features of 0 and 1 they are SVMlight's to the last one: of 247,648 scores compared
    none differed, with any engine. Both programs compute in single precision where values are others, and SVM-light-TK
    for trees too; here everything is in double. So the last digit or two differ in most lines then: in 46,299 of 60,000
    scores of SVMlight on real values, by 1e-7 of the largest at most, and in 64 of 94 of SVM-light-TK, by 2e-6.

    \b
    Examples:
      gristmill svm-classify -v 1 test.svm svmlight.model predictions.txt
      gristmill svm-classify -V test.svm tinysvm.model
    """
    machine = open_machine(model_file)
    _check_options(machine, svmlight=(level, form, output_file), tinysvm=verbose)
    with progress_bar("reading") as progress:
        rows, truth = read_for(machine, example_file, progress=progress)
    answers = _answer(machine, rows, truth, engine, jobs)
    if _is_tinysvm(machine):
        _write_lines("-", _tinysvm_lines(answers, verbose))
        return
    _write_lines(output_file or "svm_predictions", _predictions(answers, 1 if form is None else form))
    said = _svmlight_lines(answers, machine.n_support, 2 if level is None else level, _is_svmlight_tk(machine))
    click.echo("".join(f"{line}\n" for line in said), nl=False)


def _is_tinysvm(machine: Machine) -> bool:
    return machine.provenance.get("format") == tinysvm.NAME


def _is_svmlight_tk(machine: Machine) -> bool:
    known = machine.provenance.get("format") == svmlight_tk.NAME
    return known or not machine.explains_features


def _check_options(machine: Machine, svmlight: tuple[object, ...], tinysvm: bool) -> None:
    if _is_tinysvm(machine) and any(given is not None for given in svmlight):
        raise click.UsageError(
            "this is a TinySVM model, and TinySVM's svm_classify takes [-V] EXAMPLE_FILE MODEL_FILE; "
            "-v, -f and OUTPUT_FILE are SVMlight's"
        )
    if tinysvm and not _is_tinysvm(machine):
        raise click.UsageError("-V is TinySVM's, and this is no TinySVM model; the scores are in OUTPUT_FILE")


def _write_lines(path: str, lines: Iterator[str]) -> None:
    write_bytes(path, "".join(f"{line}\n" for line in lines).encode())


# --- scoring ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answers:
    """Labels and scores; `positive` is what the scores decide."""

    truth: Floats
    scores: Floats
    positive: Flags

    @property
    def correct(self) -> int:
        """A label of 0 is never met."""
        return _count(self.positive & (self.truth > 0)) + _count(~self.positive & (self.truth < 0))

    @property
    def table(self) -> tuple[int, int, int, int]:
        """Answered and labelled positive; only answered; only labelled; neither."""
        p, t = self.positive, self.truth > 0
        return _count(p & t), _count(p & ~t), _count(~p & t), _count(~p & ~t)


def _count(flags: Flags) -> int:
    return int(flags.sum())


def _answer(machine: Machine, rows: Rows, truth: Floats, engine: str, jobs: int | None) -> Answers:
    if machine.n_outputs != 1:
        raise ValueError(
            f"svm_classify knows machines with one output; this one is {machine.scheme} with {machine.n_outputs}: "
            "use gristmill predict or gristmill svm-predict"
        )
    scorer = _scorer(machine, rows, engine)
    with progress_bar("scoring") as progress:
        scores = trusted_scores(scorer, rows, jobs, progress=progress)[:, 0]
    one_vs_one = machine.scheme is Scheme.ONE_VS_ONE  # above 0 is the first class, at 0 the second
    positive = scores >= 0 if machine.zero_class == 1 and not one_vs_one else scores > 0
    if _first_is_larger(machine) != one_vs_one:
        return Answers(truth, -scores, ~positive)
    return Answers(truth, scores, positive)


def _scorer(machine: Machine, rows: Rows, engine: str) -> Scorer:
    if not machine.explains_features:
        return machine.compile("direct" if engine == "direct" else "auto")
    fast = machine.is_binary_valued and as_rows(rows, binarize=False).is_binary
    return machine.compile(engine) if fast else machine.compile("direct", binarize=False)


def _first_is_larger(machine: Machine) -> bool:
    """So in LIBSVM's models whose first label is the smaller one: positive scores mean that."""
    classes = machine.classes
    ordered = classes is not None and len(classes) == 2 and classes.dtype.kind != "U"
    return ordered and bool(np.asarray(classes)[0] > np.asarray(classes)[1])


# --- SVMlight ---------------------------------------------------------------------------------------------------------


def _predictions(answers: Answers, form: int) -> Iterator[str]:
    for score, positive in zip(answers.scores.tolist(), answers.positive.tolist(), strict=True):
        if form == 1:
            yield f"{score:.8g}"
        elif positive:
            yield f"{score:.8g}:+1 {-score:.8g}:-1"
        else:
            yield f"{-score:.8g}:-1 {score:.8g}:+1"


def _svmlight_lines(answers: Answers, n_support: int, level: int, with_f1: bool) -> Iterator[str]:
    if level >= 1:
        yield f"Reading model...OK. ({n_support} support vectors read)"
    total = len(answers.truth)
    if level >= 2:
        yield f"Classifying test examples..{''.join(f'{done}..' for done in range(100, total + 1, 100))}done"
    if level >= 1 and bool(((0.01 + answers.truth**2).astype(np.int64) == 1).all()):  # its test for labels 1 and -1
        correct = answers.correct
        yield (
            f"Accuracy on test set: {_percent(correct, total, 2)} "
            f"({correct} correct, {total - correct} incorrect, {total} total)"
        )
        yield from _f1_lines(answers) if with_f1 else _precision_lines(answers)


def _precision_lines(answers: Answers) -> Iterator[str]:
    both, answered, labelled, _ = answers.table
    yield f"Precision/recall on test set: {_percent(both, both + answered, 2)}/{_percent(both, both + labelled, 2)}"


def _f1_lines(answers: Answers) -> Iterator[str]:
    """SVM-light-TK's, which keeps these shares in single precision."""
    both, answered, labelled, _ = answers.table
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = (np.float32(100.0 * both / np.float64(both + rest)) for rest in (answered, labelled))
        f1 = np.float32(2) * precision * recall / (precision + recall)
    shares = ["-nan%" if np.isnan(share) else f"{share:.2f}%" for share in (precision, recall, f1)]
    yield f"Precision/recall on test set: {shares[0]}/{shares[1]}"
    yield f"F1-measure on test set: {shares[2]}"


def _percent(part: int, whole: int, digits: int) -> str:
    """As C prints it: 0/0 has a sign there."""
    return f"{100.0 * part / whole:.{digits}f}%" if whole else "-nan%"


# --- TinySVM ----------------------------------------------------------------------------------------------------------


def _tinysvm_lines(answers: Answers, verbose: bool) -> Iterator[str]:
    if verbose:
        for label, score in zip(answers.truth.tolist(), answers.scores.tolist(), strict=True):
            yield f"{label:g} {score:g}"
    both, answered, labelled, neither = answers.table
    shares = {
        "Accuracy:   ": (answers.correct, len(answers.truth)),
        "Precision:  ": (both, both + answered),
        "Recall:     ": (both, both + labelled),
    }
    for name, (part, whole) in shares.items():
        yield f"{name}{_percent(part, whole, 5)} ({part}/{whole})"
    yield f"System/Answer p/p p/n n/p n/n: {both} {answered} {labelled} {neither}"
