"""gristmill pipeline: sentences, words, tags, lemmas and trees of raw text; learned from a treebank."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from gristmill.apps.cross_prediction import FOLDS
from gristmill.apps.loading import load, machines_of
from gristmill.apps.parsing.scores import ParseScores
from gristmill.apps.pipeline.inputs import INPUTS, STARTS
from gristmill.apps.pipeline.pipeline import TextPipeline
from gristmill.apps.pipeline.stages import NONE, SLOTS, Slot
from gristmill.base.errors import naming
from gristmill.base.files import display_name, writing
from gristmill.cli.annotating import AnnotatingCommand, files_argument
from gristmill.cli.app_choosing import dev_files, dev_option, show_trial
from gristmill.cli.app_commands import AppTraining, load_app, print_scores, scoring_options, training_options
from gristmill.cli.command import OUTPUT, Group, arguments, declared, option
from gristmill.cli.options import json_option, output_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import progress_count
from gristmill.display.words import counted

_scoring_options = scoring_options("answers")
_input_option = option(
    *("--input", "given"),
    type=click.Choice(INPUTS),
    default="text",
    help="What FILE is: raw text; words with blanks between them, a sentence a line; a word a line; CoNLL-U, of which "
    "what is there stays.",
)
_stage_options: Callable[[Any], Any] = functools.partial(
    declared,
    options=[
        option(f"--{slot.name}", metavar="MODEL|none", help=f"Take this {slot.name}, or none, instead of learning one.")
        for slot in SLOTS
    ],
)


@click.group(cls=Group)
def pipeline() -> None:
    """Analyse raw text: sentences, words, tags, lemmas and trees, by one model that is learned from a treebank.

    \b
    TRAIN, FILE    CoNLL-U: a word a line in ten columns, separated by tabs, an empty line between sentences
                   1  From  from  ADP  IN  _  3  case  _  _

    \b
    Examples:
      gristmill pipeline train train.conllu english.safetensors
      gristmill pipeline run english.safetensors novel.txt -o novel.conllu
      gristmill pipeline evaluate english.safetensors test.conllu
    """


@pipeline.command()
@arguments("file")
@click.argument("model", type=OUTPUT)
@_stage_options
@option(
    "--folds",
    type=click.IntRange(0),
    default=FOLDS,
    advanced=True,
    help="Parts of FILE; stages learn from what those before them, learned from the other parts, find in each.",
)
@dev_option
@training_options
def train(file: str, model: str, **options: Any) -> None:
    """Learn all stages from FILE and write MODEL.

    Stages that FILE says nothing for are left out, such as lemmas where it has none. Models of `gristmill tag`, `parse`
    and so on may take the place of stages.

    \b
    Examples:
      gristmill pipeline train train.conllu english.safetensors
      gristmill pipeline train train.conllu english.safetensors --dev test.conllu
      gristmill pipeline train train.conllu tags-alone.safetensors --parser none
    """
    files = [options[slot.name] for slot in SLOTS if options[slot.name] not in (None, NONE)]
    training = AppTraining(model, [file, *files, *dev_files(options)], options)
    stages = {slot.name: _stage(slot, options[slot.name]) for slot in SLOTS}
    app = TextPipeline(**stages, folds=options["folds"], n_jobs=options["jobs"])
    with naming(display_name(file)):
        training.fit(app, lambda: app.fit(file, dev=options["dev"], tell=None if options["quiet"] else show_trial))
    support = {name: _support(stage) for name, stage in app.stages_.items()}
    training.print({"support": support}, [f"{name}: {counted(rows, 'support row')}" for name, rows in support.items()])


@pipeline.command(cls=AnnotatingCommand, separator=None)
@arguments("model")
@files_argument("file")
@output_option("sentences")
@_input_option
@_scoring_options
def run(model: str, file: str, output: str, given: str, **options: Any) -> None:
    """Analyse FILE and write CoNLL-U; FILE may be larger than memory.

    \b
    Examples:
      gristmill pipeline run english.safetensors novel.txt -o novel.conllu
      gristmill pipeline run english.safetensors new.conllu --input conllu
      echo "Dogs see cats." | gristmill pipeline run english.safetensors -
    """
    check_place(output, model)
    app, words = load_app(TextPipeline, model, options), 0
    with writing(output) as out, progress_count("analysing", "words") as draw:
        for text in app.process_blocks(file, given=given):
            out.write(text.filled())
            words += text.columns.tokens
            draw(words)


@pipeline.command()
@arguments("model", "file")
@option(
    *("--from", "given"),
    type=click.Choice(STARTS),
    default="text",
    help="What is taken from FILE: its raw text; its words; its words, tags and lemmas.",
)
@_scoring_options
@json_option
def evaluate(model: str, file: str, given: str, as_json: bool, **options: Any) -> None:
    """Analyse the text of FILE anew and compare with FILE.

    Scores are those of the CoNLL 2018 shared task, of words that are found in both: UAS (heads), LAS (and relations),
    MLAS (and tags and features), BLEX (and lemmas), the last two of words of content.

    \b
    Examples:
      gristmill pipeline evaluate english.safetensors test.conllu
      gristmill pipeline evaluate english.safetensors test.conllu --from words
    """
    scores = load_app(TextPipeline, model, options).evaluate(file, given=given)
    print_scores(scores, _show, as_json=as_json)


# --- parts ------------------------------------------------------------------------------------------------------------


def _stage(slot: Slot, value: str | None) -> Any:
    """What an option says: None, 'none', or the app of a model file."""
    if value is None or value == NONE:
        return value
    app = load(value)
    if not isinstance(app, slot.app):
        raise ValueError(f"{display_name(value)} is no {slot.name}, but {app!r:.60}")
    return app


def _support(stage: Any) -> int:
    return sum(machine.n_support for machine in machines_of(stage.machine_).values())


def _show(scores: ParseScores) -> None:
    click.echo(scores.conll18(), nl=False)
