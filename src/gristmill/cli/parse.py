"""gristmill parse: dependency trees of sentences in CoNLL-U; learned from a treebank."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any, Literal

import click

from gristmill._core import Conllu
from gristmill.apps.parsing.chunks import DEFAULT_JOINS
from gristmill.apps.parsing.parser import DependencyParser
from gristmill.apps.parsing.pseudo_projective import SCHEMES
from gristmill.apps.parsing.scores import score_files
from gristmill.apps.parsing.settings import ALGORITHMS, MALT_NAMES, ORACLES, algorithm_of, is_of_units, parsed
from gristmill.apps.parsing.treebank import (
    Treebank,
    conllu_blocks,
    fill_tags,
    read_treebank,
    text_blocks,
    trees_of_conllu,
    with_trees,
)
from gristmill.apps.tagging.tagger import Tagger
from gristmill.base.errors import naming
from gristmill.base.files import decoded, display_name, read_bytes, writing
from gristmill.cli.groups import CommandGroup
from gristmill.cli.options import jobs_option, json_option, quiet_option
from gristmill.cli.parse_screen import drawn, screen_width, show_scores, tree_of_file
from gristmill.cli.screen import count, progress_line
from gristmill.cli.sections import given
from gristmill.cli.train_app import check_model, is_interrupted, learner_options, learner_settings, say_learned
from gristmill.cli.train_command import check_apart, check_place
from gristmill.display.words import counted
from gristmill.scoring.engines import ENGINES

_FILE = click.Path(allow_dash=True)
_engine_option = click.option(
    "--engine", type=click.Choice(ENGINES), default="auto", show_default=True, help="All give the same trees."
)
_beam_option = click.option("--beam", type=click.IntRange(1), help="Ways followed at once.  [default: the model's; 1]")
_temperature_option = click.option(
    "--temperature", type=float, help="Of a beam: smaller trusts scores more.  [default: the model's; 0.3]"
)
_tagger_option = click.option(
    "--tagger",
    "taggers",
    type=_FILE,
    multiple=True,
    help="Fill in parts of speech first: a model of `gristmill tag train --conllu upos`, or xpos. May come twice.",
)
_text_option = click.option(
    "--text",
    is_flag=True,
    help="FILE is a sentence a line, blanks between words. A MODEL that learned from tags needs --tagger.",
)


@click.group(cls=CommandGroup)
def parse() -> None:
    """Parse sentences: on which word each word depends, and how.

    \b
    FILE    CoNLL-U: a word a line in ten columns, separated by tabs, an empty line between sentences
            1  From  from  ADP  IN  _  3  case  _  _
    """


@parse.command()
@click.argument("file", type=_FILE)
@click.argument("model", type=_FILE)
@click.option(
    *("-a", "--algorithm"),
    type=click.Choice([*ALGORITHMS, *MALT_NAMES]),
    default="arc-standard",
    show_default=True,
    help="The first five, or MaltParser's names for the same.",
)
@click.option(*("-t", "--templates"), metavar="TEXT", help="What is a feature.  [default: by the algorithm]")
@click.option(*("-F", "--features"), type=_FILE, help="The same from a file: ours, or MaltParser's .xml or .par.")
@click.option("--oracle", type=click.Choice(ORACLES), default="static", show_default=True, help="dynamic: arc-eager.")
@click.option(
    *("-pp", "--lifting"),
    type=click.Choice(SCHEMES),
    default="none",
    show_default=True,
    help="arc-standard, arc-eager: how crossing arcs are made fit, and put back.",
)
@click.option("--split", metavar="CELL", help="A machine for each value of a cell, such as b0.upos.")
@click.option(
    *("-T", "--split-threshold"),
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Values with fewer rows share a machine.",
)
@learner_options("actions")
@click.option(
    "--units",
    metavar="RELATIONS",
    default=DEFAULT_JOINS,
    show_default=True,
    help="head-final, cascaded: what joins words to a unit; < to a head on the left only.",
)
@_tagger_option
@jobs_option
@quiet_option
@json_option
def train(file: str, model: str, **options: Any) -> None:
    """Learn from the trees of FILE and write MODEL.

    \b
    gristmill parse train train.conllu parser.safetensors
    gristmill parse train train.conllu parser.safetensors -a swap             (crossing arcs as they are)
    gristmill parse train ja.conllu parser.safetensors -a head-final          (Japanese and languages like it)
    """
    inputs = [file, *_given(options["features"]), *options["taggers"]]
    _check_inputs(*inputs)
    check_model(model, *inputs, as_json=options["as_json"])
    parser, begin = _parser(options), time.perf_counter()
    treebank = read_treebank(file, _taggers(options))
    with naming(display_name(file)):
        interrupted = is_interrupted(parser, lambda: parser.fit_treebank(treebank), learned="machines_")
    parser.save(model)
    summary = _summary(parser, treebank, time.perf_counter() - begin) | {"interrupted": interrupted}
    say_learned(model, summary, _said(summary), options)


@parse.command()
@click.argument("model", type=_FILE)
@click.argument("file", type=_FILE)
@click.option("-o", "--output", default="-", type=_FILE, help="Where trees go; default stdout.")
@click.option("--pretty", is_flag=True, help="Draw the trees, to look at.")
@_text_option
@_tagger_option
@_engine_option
@_beam_option
@_temperature_option
@jobs_option
def run(model: str, file: str, output: str, pretty: bool, **options: Any) -> None:
    """Write the sentences of FILE again with heads and relations; FILE may be larger than memory.

    Enhanced dependencies (the column DEPS, and empty nodes such as 8.1) spoke of another tree and are dropped. All else
    stays as it is. With --text, sentences are numbered and their text is in a comment. Warns where FILE leaves columns
    empty that MODEL learned from.

    \b
    gristmill parse run parser.safetensors new.conllu -o parsed.conllu
    gristmill parse run parser.safetensors new.conllu --pretty | less
    echo "The cat sleeps ." | gristmill parse run parser.safetensors - --text --tagger upos.safetensors
    """
    _check_inputs(model, file, *options["taggers"])
    check_place(output)
    check_apart(output, model, *options["taggers"])
    parser = _load(model, options)
    with writing(output) as out:
        for text, heads, relations in _parsed(parser, file, options):
            filled = with_trees(text, heads, relations, parser.engine_.names)
            out.write(drawn(trees_of_conllu(Conllu.parse(filled)), screen_width(out)) if pretty else filled)


@parse.command()
@click.argument("files", nargs=-1, required=True, type=_FILE, metavar="[MODEL] FILE")
@click.option("--system", type=_FILE, help="Compare this file with FILE, instead of what MODEL finds.")
@click.option("--relations", is_flag=True, help="How well each relation is found, too.")
@_tagger_option
@_engine_option
@_beam_option
@_temperature_option
@jobs_option
@json_option
@click.pass_context
def evaluate(
    ctx: click.Context, /, files: tuple[str, ...], system: str | None, relations: bool, as_json: bool, **options: Any
) -> None:
    """Compare trees with those of FILE: what MODEL finds, or those of another file.

    Scores are those of the CoNLL 2018 shared task: UAS (heads), LAS (and relations, up to ':'), CLAS, MLAS, BLEX.

    \b
    gristmill parse evaluate parser.safetensors test.conllu
    gristmill parse evaluate test.conllu --system parsed.conllu
    """
    if len(files) != (1 if system is not None else 2):
        raise click.UsageError("expected MODEL and FILE, or FILE and --system")
    _check_inputs(*files, *_given(system), *options["taggers"])
    if system is not None:
        _refuse_choices(given(ctx))
        scores = score_files(files[0], system)
    else:
        parser = _load(files[0], options)
        scores = parser.score(files[1], _taggers(options))
    if as_json:
        click.echo(json.dumps(scores.as_dict()))
    else:
        show_scores(scores, relations=relations)


@parse.command()
@click.argument("file", type=_FILE)
@click.option("-n", "--number", type=click.IntRange(1), help="Only this sentence, counted from 1.")
@click.option("--style", type=click.Choice(["arcs", "tree"]), default="arcs", show_default=True)
@click.option("--svg", is_flag=True, help="A picture as SVG, of one sentence: the first, or that of --number.")
@click.option("-o", "--output", default="-", type=_FILE, help="Where it goes; default stdout.")
def draw(file: str, number: int | None, style: Literal["arcs", "tree"], svg: bool, output: str) -> None:
    """Draw the trees of FILE.

    \b
    gristmill parse draw test.conllu -n 3
    gristmill parse draw test.conllu -n 3 --svg -o tree.svg
    """
    check_place(output)
    check_apart(output, file)
    with writing(output) as out, naming(display_name(file)):
        if svg:
            out.write(tree_of_file(file, number or 1).svg().encode())
        elif number is not None:
            out.write(drawn([tree_of_file(file, number)], screen_width(out), style))
        else:
            for text in conllu_blocks(file):
                out.write(drawn(trees_of_conllu(text), screen_width(out), style))


# --- behind the door --------------------------------------------------------------------------------------------------


def _check_inputs(*paths: str) -> None:
    if paths.count("-") > 1:
        raise click.UsageError("only one file can be standard input")


def _refuse_choices(spelled: dict[str, str]) -> None:
    """UsageError for options of parsing, where nothing is parsed."""
    for name in ("taggers", "engine", "beam", "temperature"):
        if name in spelled:
            raise click.UsageError(f"{spelled[name]} is for parsing with MODEL; --system has been parsed already")


def _given(path: str | None) -> list[str]:
    return [] if path is None else [path]


def _parser(options: dict[str, Any]) -> DependencyParser:
    templates = options["templates"]
    if options["features"] is not None:
        if templates is not None:
            raise click.UsageError("--templates and --features say the same thing: give one")
        templates = _features(options["features"], options["algorithm"])
    chosen = {name: options[name] for name in ("oracle", "split", "split_threshold")}
    chosen |= {"pseudo_projective": options["lifting"], "chunks": options["units"]}
    algorithm = algorithm_of(options["algorithm"])
    return DependencyParser(algorithm, templates=templates, **chosen, **learner_settings(options))


def _features(path: str, algorithm: str) -> str:
    from gristmill.apps.parsing.malt_features import read_feature_model

    text = decoded(read_bytes(path))
    with naming(display_name(path)):
        if text.lstrip("\ufeff \t\r\n").startswith("<") or path.endswith(".par"):
            text = read_feature_model(text, algorithm=None if is_of_units(algorithm) else algorithm)
        parsed(text, algorithm_of(algorithm))
    return text


def _taggers(options: dict[str, Any]) -> list[Tagger]:
    taggers = list[Tagger]()
    for path in options["taggers"]:
        taggers.append(Tagger.load(path, n_jobs=options["jobs"]))
        if taggers[-1].engine_.model.conllu is None:
            wanted = "use `gristmill tag train --conllu upos`"
            raise ValueError(f"{display_name(path)}: the tagger was not learned from CoNLL-U: {wanted}")
    return taggers


def _load(model: str, options: dict[str, Any]) -> DependencyParser:
    settings = {name: options[name] for name in ("engine", "beam", "temperature") if options[name] is not None}
    return DependencyParser.load(model, n_jobs=options["jobs"], **settings)


def _parsed(parser: DependencyParser, file: str, options: dict[str, Any]) -> Iterator[Any]:
    words, taggers = 0, _taggers(options)
    blocks = text_blocks(file) if options["text"] else conllu_blocks(file)
    with progress_line("parsing") as report:
        for block in blocks:
            with naming(display_name(file)):
                text = fill_tags(block, taggers)
                yield text, *parser.parse_columns(text.columns)
            words += text.columns.tokens
            if report is not None:
                report(words, None, f"{count(words)} words")


def _summary(parser: DependencyParser, treebank: Treebank, seconds: float) -> dict[str, Any]:
    return {
        "sentences": len(treebank),
        "words": treebank.columns.tokens,
        "skipped": parser.n_skipped_,
        "relations": parser.relations_,
        "rows": parser.n_rows_,
        "features": parser.n_features_,
        "machines": len(parser.machines_),
        "support": sum(machine.n_support for machine in parser.machines_.values()),
        "seconds": seconds,
    }


def _said(summary: dict[str, Any]) -> str:
    kinds = {
        "sentences": "sentence",
        "words": "word",
        "rows": "decision",
        "features": "feature",
        "support": "support row",
    }
    counts = {name: counted(summary[name], kind) for name, kind in kinds.items()}
    skipped = f" ({count(summary['skipped'])} skipped: not trees of the algorithm)" if summary["skipped"] else ""
    machines = f"{counted(summary['machines'], 'machine')} with " if summary["machines"] > 1 else ""
    return (
        f"{counts['sentences']}{skipped}, {counts['words']}; {counts['rows']}, {counts['features']}; "
        f"{machines}{counts['support']}; {summary['seconds']:.1f} s"
    )
