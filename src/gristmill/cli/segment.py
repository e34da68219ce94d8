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
from gristmill.cli.groups import CommandGroup
from gristmill.cli.options import jobs_option, json_option, quiet_option
from gristmill.cli.screen import count, percent, progress_line, table
from gristmill.cli.train_app import check_model, is_interrupted, say_learned
from gristmill.cli.train_command import check_apart, check_place
from gristmill.display.words import counted
from gristmill.scoring.engines import ENGINES

_FILE = click.Path(allow_dash=True)
_engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="How to score: all find the same words, 'auto' picks the fastest.",
)
_output_option = click.option("-o", "--output", default="-", type=_FILE, help="Where text goes; default stdout.")


@click.group(cls=CommandGroup)
def segment() -> None:
    """Learn where words end in Japanese, Chinese, Thai or any text without spaces, and segment text.

    \b
    Text            a sentence a line
    Segmented text  the same with one space more between words: また 行き たい
                    Spaces of the text itself come behind it, so that `join` gives the text again.
    CoNLL-U         words and SpaceAfter=No; other columns do not matter

    All are UTF-8.
    """


@segment.command()
@click.argument("file", type=_FILE)
@click.argument("model", type=_FILE)
@click.option(
    *("-t", "--templates"),
    metavar="TEXT",
    help="Which characters around a boundary are features, seen how; column 1 is the dictionary.  "
    f"[default: {CHARACTERS} {DICTIONARY}]",
)
@click.option(
    "--dictionary/--no-dictionary",
    default=True,
    show_default=True,
    help="Whether to keep the words of FILE, and look for them.",
)
@click.option(
    "--longest-word", type=click.IntRange(1), default=12, show_default=True, help="Of the dictionary, in characters."
)
@click.option(*("-d", "--degree"), type=click.IntRange(1), default=2, show_default=True, help="Features together.")
@click.option("-c", "-C", "--cost", type=float, default=0.001, show_default=True, help="What an error costs.")
@click.option(
    "--solver",
    type=click.Choice(SOLVERS),
    default="online",
    show_default=True,
    help="Online learning takes seconds; the others learn an exact support vector machine.",
)
@click.option("--epochs", type=click.IntRange(1), default=10, show_default=True, help="Passes of online learning.")
@jobs_option
@quiet_option
@json_option
def train(file: str, model: str, **options: Any) -> None:
    """Learn from segmented text or CoNLL-U, and write MODEL.

    Words have one space between them, then the text's own; or two spaces everywhere, as in SIGHAN's corpora.

    \b
    gristmill segment train words.txt words.safetensors
    gristmill segment train ja_gsd-ud-train.conllu.gz japanese.safetensors
    """
    check_model(model, file, as_json=options["as_json"])
    segmenter, begin = _segmenter(options), time.perf_counter()
    interrupted = is_interrupted(segmenter, lambda: segmenter.fit_file(file))
    segmenter.save(model)
    summary = _summary(segmenter, time.perf_counter() - begin) | {"interrupted": interrupted}
    say_learned(model, summary, _said(summary), options)


@segment.command()
@click.argument("model", type=_FILE)
@click.argument("file", type=_FILE)
@_output_option
@click.option(
    "--to",
    type=click.Choice(get_args(Format)),
    default="text",
    show_default=True,
    help="Segmented text, or CoNLL-U with empty columns.",
)
@_engine_option
@jobs_option
def run(model: str, file: str, output: str, to: Format, **options: Any) -> None:
    """Find the words of text, and write it segmented.

    FILE may be larger than memory.

    \b
    gristmill segment run japanese.safetensors novel.txt.gz -o novel.words
    echo また行きたい | gristmill segment run japanese.safetensors -
    """
    check_place(output)
    check_apart(output, model)
    segmenter = _load(model, file, options)
    with progress_line("segmenting") as line:
        if line is not None:
            segmenter.progress = lambda done, _: line(done, None, f"{count(done)} characters")
        segmenter.segment_file(file, output, to=to)


@segment.command()
@click.argument("model", type=_FILE)
@click.argument("file", type=_FILE)
@_engine_option
@jobs_option
@json_option
def evaluate(model: str, file: str, as_json: bool, **options: Any) -> None:
    """Compare words that are found with those of FILE.

    FILE is segmented text or CoNLL-U; its text is segmented anew. A word is right if it begins and ends where it
    should. Boundaries are those between two characters that no space of the text gives away.

    \b
    gristmill segment evaluate japanese.safetensors ja_gsd-ud-test.conllu.gz
    """
    found = _load(model, file, options).score_file(file)
    if as_json:
        click.echo(json.dumps(found.as_dict()))
    else:
        _show(found)


@segment.command()
@click.argument("file", type=_FILE)
@_output_option
def join(file: str, output: str) -> None:
    """Write text again as it was before `run`.

    FILE is segmented text, or CoNLL-U, whose empty lines are lost.

    \b
    gristmill segment run japanese.safetensors novel.txt | gristmill segment join - | cmp - novel.txt
    """
    check_place(output)
    join_file(file, output)


def _segmenter(options: dict[str, Any]) -> Segmenter:
    names = ("templates", "dictionary", "longest_word", "degree", "solver", "epochs")
    return Segmenter(C=options["cost"], n_jobs=options["jobs"], **{name: options[name] for name in names})


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
    shares = [percent(share, found.gold + found.found) for share in (found.precision, found.recall, found.f1)]
    columns = ["", "precision", "recall", "F1", "gold", "found", "correct"]
    table("words", columns, [["words", *shares, *map(count, (found.gold, found.found, found.correct))]])
    right = [count(found.boundaries), count(found.correct_boundaries), percent(found.accuracy, found.boundaries)]
    table("boundaries", ["", "all", "correct", "accuracy"], [["boundaries", *right]])
