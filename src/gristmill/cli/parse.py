"""gristmill parse: dependency trees of sentences in CoNLL-U; learned from a treebank."""

from __future__ import annotations

import functools
import itertools
import shutil
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Literal

import click

from gristmill._core import Columns, Conllu
from gristmill.apps.choosing import learning_choices, system_choices
from gristmill.apps.cross_prediction import FOLDS, check_folds
from gristmill.apps.parsing.chunks import DEFAULT_JOINS
from gristmill.apps.parsing.column_dropout import DEFAULT_DROPOUT
from gristmill.apps.parsing.cross_filling import split_conllu, with_cross_tags
from gristmill.apps.parsing.model import (
    ALGORITHMS,
    MALT_NAMES,
    ORACLES,
    PSEUDO_PROJECTIVE,
    algorithm_of,
    links_chunks,
    parsed,
)
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.pseudo_projective import SCHEMES
from gristmill.apps.parsing.scores import ParseScores, score_files
from gristmill.apps.parsing.tree import DependencyTree
from gristmill.apps.parsing.treebank import (
    ColumnTagger,
    Treebank,
    conllu_blocks,
    fill_tags,
    read_trees,
    text_blocks,
    trees_of_conllu,
    with_trees,
)
from gristmill.apps.tagging.loading import load_column_tagger
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import display_name, writing
from gristmill.cli.annotating import AnnotatingCommand, files_argument
from gristmill.cli.app_choosing import Lesson, dev_files, dev_option, fixed_parameters
from gristmill.cli.app_commands import (
    AppTraining,
    learner_options,
    learner_settings,
    load_app,
    print_scores,
    scoring_options,
    text_or_file,
    training_options,
)
from gristmill.cli.command import FILE, OUTPUT, TEXT_OR_FILE, Group, arguments, given, option
from gristmill.cli.options import json_option, output_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import count, percent, progress_count, score_table, table
from gristmill.display.words import counted

_beam_option = option(
    "--beam", type=click.IntRange(1), advanced=True, help="The width of the beam.  [default: the model's; 1]"
)
_temperature_option = option(
    "--temperature",
    type=float,
    advanced=True,
    help="Of a beam: smaller follows scores more closely.  [default: the model's; 0.3]",
)
_scoring_options = scoring_options("trees", _beam_option, _temperature_option)
_tagger_option = option(
    "--tagger",
    "taggers",
    type=FILE,
    multiple=True,
    help="Fill in tags first: a model of `gristmill tag train --conllu all`, or upos, xpos. May come twice.",
)
_text_option = option(
    "--text",
    is_flag=True,
    help="FILE is a sentence a line, blanks between words. A MODEL that learned from tags needs --tagger.",
)


@click.group(cls=Group)
def parse() -> None:
    """Parse sentences: on which word each word depends, and how.

    \b
    FILE    CoNLL-U: a word a line in ten columns, separated by tabs, an empty line between sentences
            1  From  from  ADP  IN  _  3  case  _  _

    \b
    Examples:
      gristmill parse train train.conllu parser.safetensors
      gristmill parse run parser.safetensors new.conllu
    """


@parse.command()
@arguments("file")
@click.argument("model", type=OUTPUT)
@option(
    *("-a", "--algorithm"),
    type=click.Choice([*ALGORITHMS, *MALT_NAMES]),
    default="arc-standard",
    help="The first five, or MaltParser's names for the same.",
)
@option(
    "--templates",
    metavar=TEXT_OR_FILE,
    help="The features: templates, or a file of them, ours or MaltParser's .xml or .par.  [default: by the algorithm]",
)
@option("--oracle", type=click.Choice(ORACLES), default="static", advanced=True, help="dynamic: arc-eager.")
@option(
    "--pseudo-projective",
    type=click.Choice(SCHEMES),
    default="none",
    advanced=True,
    help="arc-standard, arc-eager: how crossing arcs are projectivised, and restored.",
)
@option("--split", metavar="CELL", advanced=True, help="A machine for each value of a cell, such as b0.upos.")
@option(
    "--split-threshold",
    type=click.IntRange(1),
    default=1000,
    advanced=True,
    help="Values with fewer rows share a machine.",
)
@learner_options("actions")
@option(
    "--chunks",
    metavar="RELATIONS",
    default=DEFAULT_JOINS,
    advanced=True,
    help="head-final, cascaded: relations that join words to a chunk; < to a head on the left only.",
)
@option(
    "--column-dropout",
    metavar="SHARE",
    type=float,
    default=DEFAULT_DROPOUT,
    advanced=True,
    help="Sentences that learn without their lemmas, without XPOS, without features: a run may lack them.",
)
@_tagger_option
@option(
    "--folds",
    type=click.IntRange(0),
    default=FOLDS,
    advanced=True,
    help="--tagger: learn from tags of FILE and from those that were found in each fold of it by what was learned from "
    "the others. 0: from those that the tagger finds.",
)
@dev_option
@training_options
def train(file: str, model: str, **options: Any) -> None:
    """Learn from the trees of FILE and write MODEL.

    \b
    Examples:
      gristmill parse train train.conllu parser.safetensors
      gristmill parse train train.conllu parser.safetensors -a swap             (crossing arcs as they are)
      gristmill parse train ja.conllu japanese.safetensors -a head-final        (Japanese and languages like it)
    """
    templates = options["templates"]
    own = [templates[1:]] if templates and templates.startswith("@") else []
    inputs = [file, *own, *options["taggers"], *dev_files(options)]
    check_folds(options["folds"])
    training, parser = AppTraining(model, inputs, options), _parser(options)
    taggers, folds = _taggers(options), options["folds"]
    if taggers and isinstance(options["dev"], float):
        raise click.UsageError("--tagger knows the whole of FILE: with it, --dev takes a file, not a share")
    text = read_trees(file)
    if text.columns.tokens == 0:
        raise FormatError("there are no words", display_name(file))
    lesson = Lesson(
        data=text,
        read=read_trees,
        cut=split_conllu,
        prepare=lambda known: Treebank.of_conllu(with_cross_tags(known, taggers, folds) if taggers else known),
        learn=parser.fit_treebank,
        score=lambda unseen: parser.evaluate(unseen, taggers=taggers).main,
    )
    choices = [of(parser, fixed_parameters()) for of in (system_choices, learning_choices)]
    with naming(display_name(file)):
        training.fit(parser, lesson.learning(parser, [*itertools.chain(*choices)], options))
    summary = _summary(parser, text.columns)
    training.print(summary, _described(summary, algorithm_of(parser.algorithm) in PSEUDO_PROJECTIVE))


@parse.command(cls=AnnotatingCommand, separator=None)
@arguments("model")
@files_argument("file")
@output_option("trees")
@option("--pretty", is_flag=True, help="Draw the trees, to look at.")
@_text_option
@_tagger_option
@_scoring_options
def run(model: str, file: str, output: str, pretty: bool, **options: Any) -> None:
    """Write the sentences of FILE again with heads and relations; FILE may be larger than memory.

    Enhanced dependencies (the column DEPS, and empty nodes such as 8.1) belong to the old tree and are dropped; all
    else stays. With --text, sentences are numbered and their text is in a comment. Warns where FILE leaves columns
    empty that MODEL learned from.

    \b
    Examples:
      gristmill parse run parser.safetensors new.conllu -o parsed.conllu
      gristmill parse run parser.safetensors new.conllu --pretty
      echo "dogs see cats" | gristmill parse run parser.safetensors - --text --tagger upos.safetensors
    """
    check_place(output, model, *options["taggers"])
    parser = _load(model, options)
    with writing(output) as out:
        for text, heads, relations in _parsed(parser, file, options):
            filled = with_trees(text, heads, relations, parser.engine_.names)
            out.write(_drawn(trees_of_conllu(Conllu.parse(filled)), _screen_width(out)) if pretty else filled)


@parse.command()
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="[MODEL] FILE")
@option("--system", type=FILE, help="Compare this file with FILE, instead of what MODEL finds.")
@option("--relations", is_flag=True, help="How well each relation is found, too.")
@_tagger_option
@_scoring_options
@json_option
@click.pass_context
def evaluate(
    ctx: click.Context, /, files: tuple[str, ...], system: str | None, relations: bool, as_json: bool, **options: Any
) -> None:
    """Compare trees with those of FILE: what MODEL finds, or those of another file.

    Scores are those of the CoNLL 2018 shared task: UAS (heads), LAS (and relations, up to ':'), CLAS, MLAS, BLEX.

    \b
    Examples:
      gristmill parse evaluate parser.safetensors test.conllu
      gristmill parse evaluate test.conllu --system parsed.conllu
    """
    if len(files) != (1 if system is not None else 2):
        raise click.UsageError("expected MODEL and FILE, or FILE and --system")
    if system is not None:
        _refuse_choices(given(ctx))
        scores = score_files(files[0], system)
    else:
        scores = _load(files[0], options).evaluate(files[1], taggers=_taggers(options))
    print_scores(scores, functools.partial(_show, relations=relations), as_json=as_json)


@parse.command()
@arguments("file")
@option("--number", type=click.IntRange(1), help="Only this sentence, counted from 1.")
@option("--style", type=click.Choice(["arcs", "tree"]), default="arcs")
@option("--svg", is_flag=True, help="A picture as SVG, of one sentence: the first, or that of --number.")
@output_option("the drawing")
def draw(file: str, number: int | None, style: Literal["arcs", "tree"], svg: bool, output: str) -> None:
    """Draw the trees of FILE.

    \b
    Examples:
      gristmill parse draw test.conllu
      gristmill parse draw test.conllu --number 1 --svg -o tree.svg
    """
    check_place(output, file)
    with writing(output) as out, naming(display_name(file)):
        if svg:
            out.write(_tree_of_file(file, number or 1).svg().encode())
        elif number is not None:
            out.write(_drawn([_tree_of_file(file, number)], _screen_width(out), style))
        else:
            for text in conllu_blocks(file):
                out.write(_drawn(trees_of_conllu(text), _screen_width(out), style))


# --- parts ------------------------------------------------------------------------------------------------------------


def _refuse_choices(spelled: dict[str, str]) -> None:
    """UsageError for options of parsing, where nothing is parsed."""
    for name in ("taggers", "engine", "beam", "temperature"):
        if name in spelled:
            raise click.UsageError(f"{spelled[name]} is for parsing with MODEL; --system has been parsed already")


def _parser(options: dict[str, Any]) -> DependencyParser:
    names = ("oracle", "pseudo_projective", "split", "split_threshold", "chunks", "column_dropout")
    own = {name: options[name] for name in names}
    templates = None if options["templates"] is None else _templates(options["templates"], options["algorithm"])
    return DependencyParser(algorithm_of(options["algorithm"]), templates=templates, **own, **learner_settings(options))


def _templates(value: str, algorithm: str) -> str:
    """The templates of a text or a file, which may be one of MaltParser."""
    from gristmill.apps.parsing.malt_features import read_feature_model

    text, path = text_or_file(value)
    if path is None:
        return text
    with naming(display_name(path)):
        if text.lstrip("\ufeff \t\r\n").startswith("<") or path.endswith(".par"):
            text = read_feature_model(text, algorithm=None if links_chunks(algorithm) else algorithm)
        parsed(text, algorithm_of(algorithm))
    return text


def _taggers(options: dict[str, Any]) -> list[ColumnTagger]:
    return [load_column_tagger(path, n_jobs=options["jobs"]) for path in options["taggers"]]


def _load(model: str, options: dict[str, Any]) -> DependencyParser:
    parser: DependencyParser = load_app(DependencyParser, model, options, "beam", "temperature")
    return parser


def _parsed(parser: DependencyParser, file: str, options: dict[str, Any]) -> Iterator[Any]:
    words, taggers = 0, _taggers(options)
    blocks = text_blocks(file) if options["text"] else conllu_blocks(file)
    with progress_count("parsing", "words") as draw:
        for block in blocks:
            with naming(display_name(file)):
                text = fill_tags(block, taggers)
                yield text, *parser.parse_columns(text.columns)
            words += text.columns.tokens
            draw(words)


def _summary(parser: DependencyParser, columns: Columns) -> dict[str, Any]:
    return {
        "sentences": len(columns),
        "words": columns.tokens,
        "skipped": parser.n_skipped_,
        "relations": parser.relations_,
        "rows": parser.n_rows_,
        "features": parser.n_features_,
        "machines": len(parser.machine_),
        "support": sum(machine.n_support for machine in parser.machine_.values()),
    }


def _described(summary: dict[str, Any], is_projective: bool) -> list[str]:
    kinds = {"rows": "decision", "support": "support row"} | {
        name: name[:-1] for name in ("sentences", "words", "features")
    }
    counts = {name: counted(summary[name], kind) for name, kind in kinds.items()}
    why = "arcs cross: use --pseudo-projective head, or -a swap" if is_projective else "not trees of the algorithm"
    skipped = f" ({count(summary['skipped'])} skipped, {why})" if summary["skipped"] else ""
    machines = f"{counted(summary['machines'], 'machine')} with " if summary["machines"] > 1 else ""
    return [
        f"{counts['sentences']}{skipped}, {counts['words']}",
        f"{counts['rows']}, {counts['features']}",
        f"{machines}{counts['support']}",
    ]


# --- the screen -------------------------------------------------------------------------------------------------------

_SHOWN = ("uas", "las", "clas", "mlas", "blex", "upos", "xpos", "lemmas")


def _screen_width(out: BinaryIO) -> int | None:
    """As wide as the terminal, if it is one."""
    return shutil.get_terminal_size().columns if out.isatty() else None


def _drawn(trees: Iterable[DependencyTree], width: int | None, style: Literal["arcs", "tree"] = "arcs") -> bytes:
    return "".join(f"{tree.draw(style, width=width)}\n" for tree in trees).encode()


def _tree_of_file(path: str, number: int) -> DependencyTree:
    """The tree of one sentence, counted from 1; the file is read up to there."""
    seen = 0
    for text in conllu_blocks(path):
        place = number - 1 - seen
        if place < len(text.columns):
            return trees_of_conllu(text, slice(place, place + 1))[0]
        seen += len(text.columns)
    raise click.UsageError(f"{display_name(path)} has {counted(seen, 'sentence')}")


def _show(scores: ParseScores, *, relations: bool) -> None:
    found = ((name.upper() if len(name) < 6 else name, getattr(scores, name)) for name in _SHOWN)
    score_table("words", "score", found)
    if relations:
        names = ["relation", "words", "right head", "and relation"]
        rows = (
            [one.relation, count(one.gold), percent(one.heads / one.gold), percent(one.correct / one.gold)]
            for one in scores.relations
        )
        table("relations of gold", names, rows)
    click.echo(f"{counted(scores.sentences.gold, 'sentence')}, {counted(scores.words.gold, 'word')}")
