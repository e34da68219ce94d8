"""gristmill tag: a tag for each token of sentences in columns; learned from sentences that have them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import click
import numpy as np

from gristmill import _core
from gristmill.apps.columns import as_encoded, column_blocks, read_columns
from gristmill.apps.parsing.treebank import read_tags
from gristmill.apps.tagging.chunks import SCHEMES, convert_columns
from gristmill.apps.tagging.model import CONLLU_COLUMNS, DIRECTIONS
from gristmill.apps.tagging.scores import ChunkScores, score_numbers
from gristmill.apps.tagging.tagger import DEFAULT_TEMPLATES, Tagger
from gristmill.apps.templates import parse_templates
from gristmill.base.errors import naming
from gristmill.base.files import decoded, display_name, read_bytes, writing
from gristmill.cli.chunk_screen import show_chunks
from gristmill.cli.groups import CommandGroup
from gristmill.cli.options import jobs_option, json_option, quiet_option
from gristmill.cli.screen import count, percent, progress_line, score_row, table
from gristmill.cli.sections import given
from gristmill.cli.train_app import check_model, is_interrupted, learner_options, learner_settings, say_learned
from gristmill.cli.train_command import check_apart, check_place
from gristmill.display.words import counted
from gristmill.scoring.engines import ENGINES

_FILE = click.Path(allow_dash=True)
_encoding_option = click.option("--encoding", help="Of FILE, such as latin-1.  [default: utf-8, or the model's]")
_tabs_option = click.option("--tabs", is_flag=True, help="Only tabs separate columns; cells may hold blanks.")
_engine_option = click.option(
    "--engine", type=click.Choice(ENGINES), default="auto", show_default=True, help="All give the same tags."
)


@click.group(cls=CommandGroup)
def tag() -> None:
    """Tag the tokens of sentences: chunks, names, parts of speech, whatever there are examples of.

    \b
    FILE    a token a line, columns separated by blanks, an empty line between sentences
            Confidence NN B-NP
            in         IN B-PP
    """


@tag.command()
@click.argument("file", type=_FILE)
@click.argument("model", type=_FILE)
@click.option(
    *("-t", "--templates"),
    metavar="TEXT",
    default=DEFAULT_TEMPLATES,
    show_default=True,
    help="What is a feature, as YamCha spells it.",
)
@click.option("--template-file", type=_FILE, help="The same from a file, YamCha's or CRF++'s; not beside -t.")
@learner_options("tags")
@click.option("--direction", type=click.Choice(DIRECTIONS), default="forward", show_default=True)
@click.option(
    "--scheme",
    type=click.Choice(["keep", *SCHEMES], case_sensitive=False),
    default="keep",
    show_default=True,
    help="How chunks are spelled inside; tags come out as FILE has them.",
)
@_encoding_option
@_tabs_option
@click.option(
    "--conllu",
    type=click.Choice(CONLLU_COLUMNS),
    help="FILE is CoNLL-U, and this column the tag; for `parse --tagger`.",
)
@jobs_option
@quiet_option
@json_option
def train(file: str, model: str, **options: Any) -> None:
    """Learn from the sentences of FILE, whose last column is the tag, and write MODEL.

    \b
    gristmill tag train chunks.txt chunks.safetensors
    gristmill tag train chunks.txt chunks.safetensors --solver dual-cd -j -1      (slower, and a little better)
    """
    templates = [] if options["template_file"] is None else [options["template_file"]]
    check_model(model, file, *templates, as_json=options["as_json"])
    tagger, begin = _tagger(options), time.perf_counter()
    encoding, conllu = options["encoding"] or "utf-8", options["conllu"]
    if conllu is not None:
        columns, encoding = read_tags(file, conllu), "utf-8"
    else:
        columns = read_columns(file, encoding=encoding, tabs=options["tabs"])
    _check_template_file(options["template_file"], tagger.templates, columns)
    with naming(display_name(file)):
        interrupted = is_interrupted(tagger, lambda: tagger.fit_columns(columns, encoding=encoding, conllu=conllu))
    tagger.save(model)
    summary = _summary(tagger, columns, time.perf_counter() - begin) | {"interrupted": interrupted}
    say_learned(model, summary, _said(summary), options)


@tag.command()
@click.argument("model", type=_FILE)
@click.argument("file", type=_FILE)
@click.option("-o", "--output", default="-", type=_FILE, help="Where tagged sentences go; default stdout.")
@click.option("--pretty", is_flag=True, help="Sentences in lines with their chunks in brackets, to look at.")
@_encoding_option
@_tabs_option
@_engine_option
@jobs_option
def run(model: str, file: str, output: str, pretty: bool, **options: Any) -> None:
    """Write the sentences of FILE again with one column more, the tag; FILE may be larger than memory.

    MODEL comes from `gristmill tag train`, or from YamCha. Columns of FILE beyond those of the sentences that MODEL was
    learned from do not matter; columns that are empty (_) now and were not then are warned of. Every line that is not
    empty is a token, also one that begins with #.

    \b
    gristmill tag run chunks.safetensors new.txt -o tagged.txt
    gristmill tag run chunks.safetensors new.txt --pretty | less -R
    """
    if model == file == "-":
        raise click.UsageError("MODEL and FILE cannot both be standard input")
    check_place(output)
    check_apart(output, model)
    tagger = _load(model, options)
    with writing(output) as out:
        for columns, numbers in _tagged(tagger, file, options):
            if pretty:
                out.write(show_chunks(columns, numbers, tagger.tags_, colours=output == "-"))
            else:
                encoding = options["encoding"] or tagger.engine_.model.encoding
                out.write(as_encoded(columns.with_column(numbers, tagger.tags_), encoding))


@tag.command()
@click.argument("files", nargs=-1, required=True, type=_FILE, metavar="[MODEL] FILE")
@click.option("--conlleval", is_flag=True, help="Print what the script conlleval prints.")
@click.option("--raw", is_flag=True, default=None, help="Tags are not those of chunks, even if they look so.")
@_encoding_option
@_tabs_option
@_engine_option
@jobs_option
@json_option
def evaluate(files: tuple[str, ...], conlleval: bool, raw: bool | None, as_json: bool, **options: Any) -> None:
    """Compare tags: with MODEL, its own with the last column of FILE; else the last two columns of FILE.

    Chunks are right if all of their tokens and their type are, as conlleval counts. Tags that are not those of chunks,
    such as parts of speech, are compared token by token.

    \b
    gristmill tag evaluate chunks.safetensors test.txt
    gristmill tag evaluate tagged.txt
    """
    if len(files) > 2:
        raise click.UsageError("expected FILE, or MODEL and FILE")
    if files == ("-", "-"):
        raise click.UsageError("MODEL and FILE cannot both be standard input")
    tagger = _load(files[0], options) if len(files) == 2 else None
    scores = _scores(tagger, files[-1], raw, options)
    if as_json:
        click.echo(json.dumps(scores.as_dict()))
    elif conlleval:
        click.echo(scores.conlleval(), nl=False)
    else:
        _show(scores)


@tag.command()
@click.argument("file", type=_FILE)
@click.option("--to", "scheme", type=click.Choice(SCHEMES, case_sensitive=False), required=True, help="The spelling.")
@click.option("-o", "--output", default="-", type=_FILE, help="Where sentences go; default stdout.")
@_encoding_option
@_tabs_option
def convert(file: str, scheme: str, output: str, encoding: str | None, tabs: bool) -> None:
    """Spell the chunks in the last column of FILE in another way.

    \b
    IOB2    B at the first token of a chunk, I at others
    IOE2    E at the last token, I at others
    IOB1    as IOB2, but B only behind a chunk of the same type; IOE1 likewise
    BIOES   B at the first token, E at the last, S at an only one, I at others
    """
    check_place(output)
    used = encoding or "utf-8"
    with writing(output) as out:
        for columns in column_blocks(file, encoding=used, tabs=tabs):
            with naming(display_name(file)):
                out.write(as_encoded(convert_columns(columns, scheme), used))


# --- behind the door --------------------------------------------------------------------------------------------------


def _tagger(options: dict[str, Any]) -> Tagger:
    templates = options["templates"]
    if options["template_file"] is not None:
        if "templates" in given(click.get_current_context()):
            raise click.UsageError("--templates and --template-file say the same thing: give one")
        templates = decoded(read_bytes(options["template_file"]))
    return Tagger(templates, direction=options["direction"], tag_scheme=options["scheme"], **learner_settings(options))


def _check_template_file(path: str | None, templates: str, columns: _core.Columns) -> None:
    """FormatError with the file, line and column of a template that is wrong."""
    if path is not None and columns.columns > 1:
        with naming(display_name(path)):
            parse_templates(templates, columns.columns - 1)


def _load(model: str, options: dict[str, Any]) -> Tagger:
    return Tagger.load(model, engine=options["engine"], n_jobs=options["jobs"])


def _tagged(tagger: Tagger, file: str, options: dict[str, Any]) -> Iterator[Any]:
    tokens = 0
    with progress_line("tagging") as report:
        for columns, numbers in tagger.tag_blocks(file, encoding=options["encoding"], tabs=options["tabs"]):
            yield columns, numbers
            tokens += columns.tokens
            if report is not None:
                report(tokens, None, f"{count(tokens)} tokens")


def _scores(tagger: Tagger | None, file: str, raw: bool | None, options: dict[str, Any]) -> ChunkScores:
    """Of a whole file, read in blocks: only the numbers of tags are kept."""
    from gristmill import _core

    words, gold, found, starts = _core.Strings([]), [], [], [np.zeros(1, dtype=np.int64)]
    own = np.array([], dtype=np.int32)
    if tagger is not None:
        words = _core.Strings(tagger.tags_)
        blocks = _tagged(tagger, file, options)
    else:
        encoding = options["encoding"] or "utf-8"
        blocks = ((columns, None) for columns in column_blocks(file, encoding=encoding, tabs=options["tabs"]))
    for columns, numbers in blocks:
        if columns.tokens == 0:
            continue
        _check_width(columns, 2, file)
        if tagger is not None:
            with naming(display_name(file)):
                tagger.engine_.check_gold(columns)
        gold.append(columns.numbers(columns.columns - (1 if numbers is not None else 2), words))
        found.append(columns.numbers(columns.columns - 1, words) if numbers is None else numbers)
        starts.append(columns.starts()[1:] + starts[-1][-1])
    parts = (np.concatenate([own, *gold]), np.concatenate([own, *found]), np.concatenate(starts))
    return score_numbers(words.words(), *parts, raw=raw)


def _check_width(columns: Any, wanted: int, file: str) -> None:
    if columns.columns < wanted:
        raise ValueError(f"{display_name(file)}: expected {wanted} columns or more, got {columns.columns}")


def _summary(tagger: Tagger, columns: Any, seconds: float) -> dict[str, Any]:
    machine = tagger.machine_
    return {
        "sentences": len(columns),
        "tokens": columns.tokens,
        "columns": columns.columns,
        "tags": tagger.tags_,
        "features": tagger.n_features_,
        "support": machine.n_support,
        "outputs": machine.n_outputs,
        "seconds": seconds,
    }


def _said(summary: dict[str, Any]) -> str:
    kinds = {"sentences": "sentence", "tokens": "token", "features": "feature", "support": "support row"}
    counts = {name: counted(summary[name], kind) for name, kind in kinds.items()}
    return (
        f"{counts['sentences']}, {counts['tokens']}, {len(summary['tags'])} tags; "
        f"{counts['features']}, {counts['support']}; {summary['seconds']:.1f} s"
    )


def _show(scores: ChunkScores) -> None:
    columns = ["type", "precision", "recall", "F1", "gold", "predicted", "correct"]
    table("tags", columns, (score_row(score.type, score) for score in (*scores.types, scores.total)))
    right = f", {percent(scores.accuracy)} % of them with the right tag" if scores.tokens else ""
    click.echo(counted(scores.tokens, "token") + right)
