"""gristmill segment: words of text that has no spaces between them; learned from text that has."""

from __future__ import annotations

from typing import Any, get_args

import click

from gristmill.apps.choosing import learning_choices
from gristmill.apps.segmentation.files import join_file, segmented_blocks, split_segmented
from gristmill.apps.segmentation.scores import WordScores
from gristmill.apps.segmentation.segmenter import CHARACTERS, DICTIONARY, Format, Segmenter
from gristmill.base.errors import naming
from gristmill.base.files import display_name
from gristmill.cli.annotating import AnnotatingCommand, files_argument
from gristmill.cli.app_choosing import Lesson, dev_files, dev_option, fixed_parameters
from gristmill.cli.app_commands import (
    AppTraining,
    degree_option,
    epochs_option,
    keep_option,
    load_app,
    print_scores,
    scoring_options,
    solver_option,
    text_or_file,
    training_options,
)
from gristmill.cli.command import OUTPUT, TEXT_OR_FILE, Group, arguments, option
from gristmill.cli.options import json_option, output_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import count, percent, progress_count, score_table, table
from gristmill.display.words import counted

_scoring_options = scoring_options("words")
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
@arguments("file")
@click.argument("model", type=OUTPUT)
@option(
    "--templates",
    metavar=TEXT_OR_FILE,
    help="Which characters around a boundary are features, seen how; column 1 is the dictionary.  "
    f"[default: {CHARACTERS} {DICTIONARY}]",
)
@option("--dictionary/--no-dictionary", default=True, help="Whether to keep the words of FILE, and look for them.")
@option("--longest-word", advanced=True, type=click.IntRange(1), default=12, help="Of the dictionary, in characters.")
@degree_option
@option("-C", "--cost", type=float, default=0.003, help="What an error costs.")
@solver_option
@epochs_option
@keep_option
@dev_option
@training_options
def train(file: str, model: str, **options: Any) -> None:
    """Learn from segmented text or CoNLL-U, and write MODEL.

    Words have one space between them, then the text's own; or two spaces everywhere, as in SIGHAN's corpora.

    \b
    Examples:
      gristmill segment train words.txt words.safetensors
      gristmill segment train ja.conllu japanese.safetensors --degree 3
      gristmill segment train words.txt words.safetensors --dev 0.1
    """
    training, segmenter = AppTraining(model, [file, *dev_files(options)], options), _segmenter(options)
    lesson = Lesson(
        data=_sentences(file),
        read=_sentences,
        cut=split_segmented,
        prepare=lambda known: known,
        learn=segmenter.fit_segmented,
        score=lambda unseen: segmenter.evaluate_segmented(unseen).main,
    )
    with naming(display_name(file)):
        training.fit(segmenter, lesson.learning(segmenter, learning_choices(segmenter, fixed_parameters()), options))
    summary = _summary(segmenter)
    training.print(summary, _described(summary))


@segment.command(cls=AnnotatingCommand)
@arguments("model")
@files_argument("file")
@_output_option
@option(
    *("--format", "form"),
    type=click.Choice(get_args(Format)),
    default="text",
    help="Segmented text, or CoNLL-U with empty columns.",
)
@_scoring_options
def run(model: str, file: str, output: str, form: Format, **options: Any) -> None:
    """Find the words of text, and write it segmented.

    FILE may be larger than memory.

    \b
    Examples:
      gristmill segment run words.safetensors novel.txt -o novel.words
      echo また行きたい | gristmill segment run words.safetensors -
    """
    check_place(output, model)
    segmenter: Segmenter = load_app(Segmenter, model, options)
    with progress_count("segmenting", "characters") as draw:
        segmenter.progress = lambda done, _: draw(done)
        segmenter.segment_file(file, output, to=form)


@segment.command()
@arguments("model", "file")
@_scoring_options
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
    print_scores(load_app(Segmenter, model, options).evaluate_file(file), _show, as_json=as_json)


@segment.command()
@arguments("file")
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
    names = ("dictionary", "longest_word", "degree", "solver", "epochs", "keep_examples")
    templates = None if options["templates"] is None else text_or_file(options["templates"])[0]
    own = {name: options[name] for name in names}
    return Segmenter(templates=templates, C=options["cost"], n_jobs=options["jobs"], **own)


def _sentences(file: str) -> bytes:
    return b"".join(segmented_blocks(file))


def _summary(segmenter: Segmenter) -> dict[str, Any]:
    return {
        "boundaries": segmenter.n_boundaries_,
        "words": len(segmenter.words_),
        "features": segmenter.n_features_,
        "support": segmenter.machine_.n_support,
    }


def _described(summary: dict[str, Any]) -> list[str]:
    return [
        counted(summary["boundaries"], "boundary", "boundaries"),
        f"{counted(summary['words'], 'word')} in the dictionary",
        counted(summary["features"], "feature"),
        counted(summary["support"], "support row"),
    ]


def _show(found: WordScores) -> None:
    score_table("words", "", [("words", found)])
    right = [count(found.boundaries), count(found.correct_boundaries), percent(found.accuracy, found.boundaries)]
    table("boundaries", ["", "all", "correct", "accuracy"], [["boundaries", *right]])
