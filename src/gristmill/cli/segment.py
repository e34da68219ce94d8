"""gristmill segment: words of text that has no spaces between them; learned from text that has."""

from __future__ import annotations

import json
import time
from typing import Any, get_args

import click

from gristmill.apps.learning import SOLVERS
from gristmill.apps.segmentation.files import join_file
from gristmill.apps.segmentation.scores import WordScores
from gristmill.apps.segmentation.segmenter import CHARACTERS, DICTIONARY, Format, Segmenter
from gristmill.cli.command import Group, option
from gristmill.cli.options import (
    FILE,
    check_apart,
    check_place,
    engine_option,
    jobs_option,
    json_option,
    output_option,
    quiet_option,
)
from gristmill.cli.screen import count, percent, progress_line, table
from gristmill.cli.train_app import check_model, is_interrupted, print_summary, text_or_file
from gristmill.display.words import counted
from gristmill.scoring.engines import ENGINES

_engine_option = engine_option(ENGINES, "words")
_output_option = output_option("text")


@click.group(cls=Group)
def segment() -> None:
    """Segment text without spaces (Japanese, Chinese, Thai) into words: learn where words end, find them.

    \b
    Text            a sentence a line
    Segmented text  the same with one space more between words: また 行き たい
                    Spaces of the text itself come behind it, so that `join` gives the text again.
    CoNLL-U         words and SpaceAfter=No; other columns do not matter

    All are UTF-8.

    \b
    Examples:
      gristmill segment train words.txt words.safetensors
      gristmill segment run words.safetensors novel.txt
    """


@segment.command()
@click.argument("file", type=FILE)
@click.argument("model", type=FILE)
@option(
    "--templates",
    metavar="TEXT|@FILE",
    help="Which characters around a boundary are features, seen how; column 1 is the dictionary.  "
    f"[default: {CHARACTERS} {DICTIONARY}]",
)
@option("--dictionary/--no-dictionary", default=True, help="Whether to keep the words of FILE, and look for them.")
@option("--longest-word", advanced=True, type=click.IntRange(1), default=12, help="Of the dictionary, in characters.")
@option(*("-d", "--degree"), type=click.IntRange(1), default=2, help="Features in a conjunction.")
@option("-C", "--cost", type=float, default=0.001, help="What an error costs.")
@option(
    "--solver",
    type=click.Choice(SOLVERS),
    default="online",
    help="Online learning takes seconds; the others learn an exact support vector machine.",
)
@option("--epochs", type=click.IntRange(1), default=10, help="Passes of online learning.")
@jobs_option
@quiet_option
@json_option
def train(file: str, model: str, **options: Any) -> None:
    """Learn from segmented text or CoNLL-U, and write MODEL.

    Words have one space between them, then the text's own; or two spaces everywhere, as in SIGHAN's corpora.

    \b
    Examples:
      gristmill segment train words.txt words.safetensors
      gristmill segment train ja.conllu japanese.safetensors --degree 3
    """
    check_model(model, file, as_json=options["as_json"])
    segmenter, begin = _segmenter(options), time.perf_counter()
    interrupted = is_interrupted(segmenter, lambda: segmenter.fit_file(file))
    segmenter.save(model)
    summary = _summary(segmenter, time.perf_counter() - begin) | {"interrupted": interrupted}
    print_summary(model, summary, _said(summary), options)


@segment.command()
@click.argument("model", type=FILE)
@click.argument("file", type=FILE)
@_output_option
@option(
    *("--format", "form"),
    type=click.Choice(get_args(Format)),
    default="text",
    help="Segmented text, or CoNLL-U with empty columns.",
)
@_engine_option
@jobs_option
def run(model: str, file: str, output: str, form: Format, **options: Any) -> None:
    """Find the words of text, and write it segmented.

    FILE may be larger than memory.

    \b
    Examples:
      gristmill segment run words.safetensors novel.txt -o novel.words
      echo また行きたい | gristmill segment run words.safetensors -
    """
    check_place(output)
    check_apart(output, model)
    segmenter = _load(model, file, options)
    with progress_line("segmenting") as line:
        if line is not None:
            segmenter.progress = lambda done, _: line(done, None, f"{count(done)} characters")
        segmenter.segment_file(file, output, to=form)


@segment.command()
@click.argument("model", type=FILE)
@click.argument("file", type=FILE)
@_engine_option
@jobs_option
@json_option
def evaluate(model: str, file: str, as_json: bool, **options: Any) -> None:
    """Compare words that are found with those of FILE.

    FILE is segmented text or CoNLL-U; its text is segmented anew. A word is right if it begins and ends where it
    should. Boundaries are those between two characters that no space of the text gives away.

    \b
    Examples:
      gristmill segment evaluate words.safetensors words.txt
      gristmill segment evaluate words.safetensors words.txt --json
    """
    found = _load(model, file, options).evaluate_file(file)
    if as_json:
        click.echo(json.dumps(found.as_dict()))
    else:
        _show(found)


@segment.command()
@click.argument("file", type=FILE)
@_output_option
def join(file: str, output: str) -> None:
    """Write text again as it was before `run`.

    FILE is segmented text, or CoNLL-U, whose empty lines are lost.

    \b
    Examples:
      gristmill segment join words.txt -o text.txt
      gristmill segment run words.safetensors novel.txt | gristmill segment join - | cmp - novel.txt
    """
    check_place(output)
    join_file(file, output)


def _segmenter(options: dict[str, Any]) -> Segmenter:
    names = ("dictionary", "longest_word", "degree", "solver", "epochs")
    templates = None if options["templates"] is None else text_or_file(options["templates"])[0]
    own = {name: options[name] for name in names}
    return Segmenter(templates=templates, C=options["cost"], n_jobs=options["jobs"], **own)


def _load(model: str, file: str, options: dict[str, Any]) -> Segmenter:
    if model == file == "-":
        raise click.UsageError("MODEL and FILE cannot both be standard input")
    return Segmenter.load(model, engine=options["engine"], n_jobs=options["jobs"])


def _summary(segmenter: Segmenter, seconds: float) -> dict[str, Any]:
    return {
        "boundaries": segmenter.n_boundaries_,
        "words": len(segmenter.words_),
        "features": segmenter.n_features_,
        "support": segmenter.machine_.n_support,
        "seconds": seconds,
    }


def _said(summary: dict[str, Any]) -> str:
    return "; ".join(
        [
            counted(summary["boundaries"], "boundary", "boundaries"),
            f"{counted(summary['words'], 'word')} in the dictionary",
            counted(summary["features"], "feature"),
            counted(summary["support"], "support row"),
            f"{summary['seconds']:.1f} s",
        ]
    )


def _show(found: WordScores) -> None:
    shares = [percent(share, found.gold + found.predicted) for share in (found.precision, found.recall, found.f1)]
    columns = ["", "precision", "recall", "F1", "gold", "found", "correct"]
    table("words", columns, [["words", *shares, *map(count, (found.gold, found.predicted, found.correct))]])
    right = [count(found.boundaries), count(found.correct_boundaries), percent(found.accuracy, found.boundaries)]
    table("boundaries", ["", "all", "correct", "accuracy"], [["boundaries", *right]])
