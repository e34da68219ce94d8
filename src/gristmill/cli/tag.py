"""gristmill tag: a tag for each token of sentences in columns; learned from sentences that have them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np

from gristmill import _core
from gristmill.apps.choosing import learning_choices
from gristmill.apps.columns import as_encoded, column_blocks, read_columns, split_columns
from gristmill.apps.cross_prediction import FOLDS
from gristmill.apps.loading import machines_of
from gristmill.apps.parsing.cross_filling import split_conllu
from gristmill.apps.parsing.treebank import (
    ColumnTagger,
    conllu_blocks,
    fill_tags,
    read_conllu,
    read_tags,
    tags_of_conllu,
)
from gristmill.apps.tagging.chunks import SCHEMES, are_chunk_tags, chunks_of, convert_columns
from gristmill.apps.tagging.column_scores import ColumnScores, score_columns
from gristmill.apps.tagging.engine import CONLLU_COLUMNS, CONSTRAINTS, DIRECTIONS
from gristmill.apps.tagging.loading import load_tagger
from gristmill.apps.tagging.morphological_tagger import AUTO, MorphologicalTagger, check_columns
from gristmill.apps.tagging.morphology import TEMPLATES as MORPHOLOGY_TEMPLATES
from gristmill.apps.tagging.scores import ChunkScores, score_numbers
from gristmill.apps.tagging.tagger import DEFAULT_TEMPLATES, Tagger
from gristmill.apps.templates import parse_templates
from gristmill.base.errors import naming
from gristmill.base.files import display_name, writing
from gristmill.cli.annotating import AnnotatingCommand, files_argument
from gristmill.cli.app_choosing import Lesson, dev_files, dev_option, fixed_parameters
from gristmill.cli.app_commands import (
    AppTraining,
    learner_options,
    learner_settings,
    load_settings,
    print_scores,
    scoring_options,
    text_or_file,
    training_options,
)
from gristmill.cli.command import FILE, OUTPUT, TEXT_OR_FILE, Group, arguments, option
from gristmill.cli.options import json_option, output_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import percent, progress_count, score_table, table
from gristmill.display.words import counted

_encoding_option = option("--encoding", advanced=True, help="Of FILE, as latin-1.  [default: utf-8, or the model's]")
_tabs_option = option("--tabs", is_flag=True, advanced=True, help="Only tabs separate columns; cells may hold blanks.")


def _constraints_option(default: str) -> Callable[[Any], Any]:
    return option(
        "--constraints",
        type=click.Choice(CONSTRAINTS),
        help=f"chunks: only tags that make well spelled chunks, no I-NP but behind B-NP or I-NP.  [default: {default}]",
    )


_scoring_options = scoring_options("tags", _constraints_option("the model's"))


@click.group(cls=Group)
def tag() -> None:
    """Tag the tokens of sentences: chunks, names, parts of speech, whatever there are examples of.

    \b
    FILE    a token a line, columns separated by blanks, an empty line between sentences
            Confidence NN B-NP
            in         IN B-PP

    \b
    Examples:
      gristmill tag train train.txt chunks.safetensors
      gristmill tag run chunks.safetensors new.txt
    """


@tag.command()
@arguments("file")
@click.argument("model", type=OUTPUT)
@option(
    "--templates",
    metavar=TEXT_OR_FILE,
    help="The features: templates as YamCha spells them, or a file of them, YamCha's or CRF++'s.  [default: by FILE]",
)
@learner_options("tags")
@option("--direction", type=click.Choice(DIRECTIONS), default="forward", advanced=True)
@option(
    "--tag-scheme",
    type=click.Choice(["keep", *SCHEMES], case_sensitive=False),
    default="keep",
    advanced=True,
    help="How chunks are spelled inside; tags are written as FILE has them.",
)
@_constraints_option("none")
@_encoding_option
@_tabs_option
@option(
    "--conllu",
    metavar="COLUMNS",
    help="FILE is CoNLL-U: learn upos, xpos, feats, several with commas, or all; for `parse --tagger`, too.",
)
@option(
    "--folds",
    type=click.IntRange(0),
    default=FOLDS,
    advanced=True,
    help="--conllu: XPOS and FEATS learn from UPOS that were found in each fold by what was learned from the others.",
)
@option(
    "--probability",
    is_flag=True,
    help="Tags get probabilities, for `run --confidence`: fitted to the file of --dev or, without one, to each fifth "
    "of FILE by what was learned from the rest, which is five times more to learn.",
)
@dev_option
@training_options
def train(file: str, model: str, **options: Any) -> None:
    """Learn from the sentences of FILE, whose last column is the tag, and write MODEL.

    \b
    Examples:
      gristmill tag train train.txt chunks.safetensors
      gristmill tag train train.txt chunks.safetensors --solver dual-cd      (slower, and a little better)
      gristmill tag train train.conllu tags.safetensors --conllu all
    """
    default = DEFAULT_TEMPLATES if options["conllu"] is None else MORPHOLOGY_TEMPLATES
    templates, template_file = text_or_file(options["templates"] or default)
    training = AppTraining(model, [file, *([template_file] if template_file else []), *dev_files(options)], options)
    if options["conllu"] is not None:
        with naming(display_name(template_file)) if template_file else nullcontext():
            parse_templates(templates, 1)
        return _train_conllu(file, templates, training, options)
    tagger, encoding = _tagger(templates, options), options["encoding"] or "utf-8"
    columns = read_columns(file, encoding=encoding, tabs=options["tabs"])
    _check_template_file(template_file, templates, columns)
    lesson = Lesson(
        data=columns,
        read=lambda path: read_columns(path, encoding=encoding, tabs=options["tabs"]),
        cut=split_columns,
        prepare=lambda known: known,
        learn=lambda known: tagger.fit_columns(known, encoding=encoding),
        score=lambda unseen: tagger.evaluate_columns(unseen).main,
    )
    learning = lesson.learning(tagger, learning_choices(tagger, fixed_parameters()), options)
    with naming(display_name(file)):
        training.fit(tagger, _calibrated(learning, tagger, columns, lesson.read, options))
    summary = _summary(tagger, columns)
    training.print(summary, _described(summary))
    return None


@tag.command(cls=AnnotatingCommand, separator=b"\n\n")
@arguments("model")
@files_argument("file")
@output_option("tagged sentences")
@option("--pretty", is_flag=True, help="Sentences in lines with their chunks in brackets, to look at.")
@option(
    "--best",
    type=click.IntRange(1),
    metavar="N",
    help="Behind the tag one column more: the N best tags of the token with their scores, NN=0.81,VB=-0.2.",
)
@option(
    "--confidence",
    is_flag=True,
    help="Behind the tag one column more: its probability, of a MODEL that was trained with --probability.",
)
@_encoding_option
@_tabs_option
@_scoring_options
def run(model: str, file: str, output: str, **options: Any) -> None:
    """Write the sentences of FILE again with one column more, the tag; FILE may be larger than memory.

    MODEL comes from `gristmill tag train`, or from YamCha. Columns of FILE beyond those of the sentences that MODEL was
    learned from do not matter; columns that are empty (_) now and were not then are warned of. Every line that is not
    empty is a token, also one that begins with #.

    Where MODEL was learned from several columns of CoNLL-U, FILE is CoNLL-U too, and they are filled in; where it was
    learned from one, so is FILE if its name has .conllu in it.

    \b
    Examples:
      gristmill tag run tagger.safetensors new.txt -o tagged.txt
      gristmill tag run tagger.safetensors new.txt --pretty
      gristmill tag run tagger.safetensors new.txt --best 3
    """
    check_place(output, model)
    tagger = load_tagger(model, **load_settings(options, "constraints"))
    more = next((name for name in ("best", "confidence") if options[name]), None)
    if more is not None and options["pretty"]:
        raise click.UsageError(f"--{more} writes columns, --pretty sentences: give one of them")
    if isinstance(tagger, MorphologicalTagger) or _is_conllu(tagger, file):
        if more is not None:
            raise click.UsageError(f"CoNLL-U has no column for --{more}: it is for files of columns")
        return _run_conllu(tagger, file, output)
    with writing(output) as out:
        for columns, numbers in _tagged(tagger, file, options):
            if options["pretty"]:
                out.write(_drawn_chunks(columns, numbers, tagger.tags_, colours=output == "-"))
            else:
                numbers, words = _with_more(tagger, columns, numbers, options) if more else (numbers, tagger.tags_)
                encoding = options["encoding"] or tagger.engine_.model.encoding
                out.write(as_encoded(columns.with_column(numbers, words), encoding))
    return None


@tag.command()
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="[MODEL] FILE")
@option("--conlleval", is_flag=True, help="Print what the script conlleval prints.")
@option("--raw", is_flag=True, default=None, help="Tags are not those of chunks, even if they look so.")
@_encoding_option
@_tabs_option
@_scoring_options
@json_option
def evaluate(files: tuple[str, ...], conlleval: bool, raw: bool | None, as_json: bool, **options: Any) -> None:
    """Compare tags: with MODEL, its own with the last column of FILE; else the last two columns of FILE.

    Chunks are right if all of their tokens and their type are, as conlleval counts. Tags that are not those of chunks,
    such as parts of speech, are compared token by token.

    \b
    Examples:
      gristmill tag evaluate tagger.safetensors test.txt
      gristmill tag evaluate tagged.txt --conlleval
    """
    if len(files) > 2:
        raise click.UsageError("expected FILE, or MODEL and FILE")
    tagger = load_tagger(files[0], **load_settings(options, "constraints")) if len(files) == 2 else None
    if isinstance(tagger, MorphologicalTagger) or (tagger is not None and _is_conllu(tagger, files[-1])):
        return print_scores(_score(tagger, read_conllu(files[-1])), _show_columns, as_json=as_json)
    scores = _scores(tagger, files[-1], raw, options)
    print_scores(scores, _print_conlleval if conlleval else _show, as_json=as_json)
    return None


@tag.command()
@arguments("file")
@option("--tag-scheme", type=click.Choice(SCHEMES, case_sensitive=False), required=True, help="The spelling.")
@output_option("sentences")
@_encoding_option
@_tabs_option
def convert(file: str, tag_scheme: str, output: str, encoding: str | None, tabs: bool) -> None:
    """Spell the chunks in the last column of FILE in another way.

    \b
    IOB2    B at the first token of a chunk, I at others
    IOE2    E at the last token, I at others
    IOB1    as IOB2, but B only behind a chunk of the same type; IOE1 likewise
    BIOES   B at the first token, E at the last, S at an only one, I at others

    \b
    Examples:
      gristmill tag convert train.txt --tag-scheme BIOES -o bioes.txt
      gristmill tag convert bioes.txt --tag-scheme IOB2
    """
    check_place(output)
    used = encoding or "utf-8"
    with writing(output) as out:
        for columns in column_blocks(file, encoding=used, tabs=tabs):
            with naming(display_name(file)):
                out.write(as_encoded(convert_columns(columns, tag_scheme), used))


# --- parts ------------------------------------------------------------------------------------------------------------


def _tagger(templates: str, options: dict[str, Any]) -> Tagger:
    own = {name: options[name] for name in ("direction", "tag_scheme")}
    return Tagger(templates, constraints=options["constraints"] or "none", **own, **learner_settings(options))


def _calibrated(
    learn: Callable[[], object],
    tagger: Tagger,
    columns: _core.Columns,
    read: Callable[[str], _core.Columns],
    options: dict[str, Any],
) -> Callable[[], object]:
    """Learning from columns and, if wanted, probabilities: from the file of --dev, or else from folds of the same."""
    if not options["probability"]:
        return learn

    def learn_both() -> None:
        learn()
        has_file = isinstance(options["dev"], str)
        tagger.calibrate_columns(read(options["dev"]) if has_file else columns, folds=0 if has_file else FOLDS)

    return learn_both


def _check_template_file(path: str | None, templates: str, columns: _core.Columns) -> None:
    """FormatError with the file, line and column of a template that is wrong."""
    if path is not None and columns.columns > 1:
        with naming(display_name(path)):
            parse_templates(templates, columns.columns - 1)


def _tagged(tagger: Tagger, file: str, options: dict[str, Any]) -> Iterator[Any]:
    tokens = 0
    with progress_count("tagging", "tokens") as draw:
        for columns, numbers in tagger.tag_blocks(file, encoding=options["encoding"], tabs=options["tabs"]):
            yield columns, numbers
            tokens += columns.tokens
            draw(tokens)


def _with_more(tagger: Tagger, columns: _core.Columns, numbers: Any, options: dict[str, Any]) -> Any:
    """Two columns or three of each token, its tag and how sure it is, as `with_column` takes them."""
    between, tags, engine, jobs = "\t" if options["tabs"] else " ", tagger.tags_, tagger.engine_, options["jobs"]
    cells = [[tags[number] for number in numbers.tolist()]]
    if options["confidence"]:
        cells.append([f"{share:.4f}" for share in engine.confidences(columns, jobs).tolist()])
    if options["best"]:
        found = engine.candidates(columns, options["best"], jobs, probability=options["confidence"])
        cells.append([",".join(f"{tag}={score:.4g}" for tag, score in token) for token in found])
    words = [between.join(token) for token in zip(*cells, strict=True)]
    return np.arange(len(words), dtype=np.int32), words


def _scores(tagger: Tagger | None, file: str, raw: bool | None, options: dict[str, Any]) -> ChunkScores:
    """Of a whole file, read in blocks: only the numbers of tags are kept."""
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
        if columns.columns < 2:
            raise ValueError(f"{display_name(file)}: expected 2 columns or more, got {columns.columns}")
        if tagger is not None:
            with naming(display_name(file)):
                tagger.engine_.check_gold(columns)
        gold.append(columns.numbers(columns.columns - (1 if numbers is not None else 2), words))
        found.append(columns.numbers(columns.columns - 1, words) if numbers is None else numbers)
        starts.append(columns.starts()[1:] + starts[-1][-1])
    parts = (np.concatenate([own, *gold]), np.concatenate([own, *found]), np.concatenate(starts))
    return score_numbers(words.words(), *parts, raw=raw)


def _summary(tagger: Tagger, columns: Any) -> dict[str, Any]:
    machine = tagger.machine_
    return {
        "sentences": len(columns),
        "tokens": columns.tokens,
        "columns": columns.columns,
        "tags": tagger.tags_,
        "features": tagger.n_features_,
        "support": machine.n_support,
        "outputs": machine.n_outputs,
    }


def _described(summary: dict[str, Any]) -> list[str]:
    sentences, tokens = counted(summary["sentences"], "sentence"), counted(summary["tokens"], "token")
    features, support = counted(summary["features"], "feature"), counted(summary["support"], "support row")
    return [f"{sentences}, {tokens}, {len(summary['tags'])} tags", f"{features}, {support}"]


def _print_conlleval(scores: ChunkScores) -> None:
    click.echo(scores.conlleval(), nl=False)


def _show(scores: ChunkScores) -> None:
    score_table("tags", "type", ((score.type, score) for score in (*scores.types, scores.total)))
    right = f", {percent(scores.accuracy)} % of them with the right tag" if scores.tokens else ""
    click.echo(counted(scores.tokens, "token") + right)


# --- CoNLL-U ----------------------------------------------------------------------------------------------------------


def _is_conllu(tagger: Tagger, file: str) -> bool:
    """Whether a tagger of one column is to fill it in."""
    return tagger.engine_.model.conllu is not None and ".conllu" in Path(file).suffixes


def _train_conllu(file: str, templates: str, training: AppTraining, options: dict[str, Any]) -> None:
    text, names = read_conllu(file), options["conllu"]
    settings = learner_settings(options)
    tagger: Tagger | MorphologicalTagger
    learn: Callable[[_core.Conllu], object]
    if names in CONLLU_COLUMNS:
        tagger = _tagger(templates, options)
        learn = functools.partial(tagger.fit_conllu, column=names)
    else:
        _check_several(options)
        settings.pop("keep_examples")
        columns = AUTO if names == "all" else ",".join(check_columns(names))
        tagger = MorphologicalTagger(columns, templates=templates, folds=options["folds"], **settings)
        learn = tagger.fit_conllu
    lesson = Lesson(
        text, read_conllu, split_conllu, lambda known: known, learn, lambda unseen: _score(tagger, unseen).main
    )
    learning = lesson.learning(tagger, learning_choices(tagger, fixed_parameters()), options)
    with naming(display_name(file)):
        if isinstance(tagger, Tagger):
            read = functools.partial(read_tags, column=names)
            learning = _calibrated(learning, tagger, tags_of_conllu(text, names), read, options)
        training.fit(tagger, learning)
    _print_conllu(tagger, text, training)


def _check_several(options: dict[str, Any]) -> None:
    for name in ("keep_examples", "constraints", "probability"):
        if options[name]:
            spelled = name.replace("_", "-")
            raise click.UsageError(f"--{spelled} is for one column at a time, as in --conllu upos")


def _print_conllu(tagger: Tagger | MorphologicalTagger, text: _core.Conllu, training: AppTraining) -> None:
    sentences, words, columns = len(text.columns), text.columns.tokens, tagger.conllu_columns_
    support = sum(machine.n_support for machine in machines_of(tagger.machine_).values())
    summary = {"sentences": sentences, "words": words, "columns": columns, "support": support}
    counts = [counted(sentences, "sentence"), counted(words, "word"), *columns]
    training.print(summary, [", ".join(counts), counted(support, "support row")])


def _score(tagger: ColumnTagger, gold: _core.Conllu) -> ColumnScores:
    return score_columns(gold, fill_tags(gold, [tagger]), tagger.conllu_columns_)


def _run_conllu(tagger: ColumnTagger, file: str, output: str) -> None:
    words = 0
    with writing(output) as out, progress_count("tagging", "words") as draw:
        for text in conllu_blocks(file):
            out.write(text.filled(**tagger.fill_conllu(text)))
            words += text.columns.tokens
            draw(words)


def _show_columns(scores: ColumnScores) -> None:
    rows = [[name.upper(), percent(share)] for name, share in scores.accuracy.items()]
    table("tags", ["column", "right"], [*rows, ["all", percent(scores.main)]])
    click.echo(counted(scores.words, "word"))


# --- drawings ---------------------------------------------------------------------------------------------------------

_COLOURS = (34, 32, 35, 36, 33, 31)  # of terminals
_PLAIN = "\033[0m"


def _drawn_chunks(columns: Any, numbers: Any, tags: Sequence[str], *, colours: bool) -> bytes:
    """[NP He ] [VP reckons ] ... or, where tags are not those of chunks, He/PRP reckons/VBZ ..."""
    words, starts = columns.column(0), columns.starts().tolist()
    spelled = [tags[number] for number in numbers.tolist()]
    shown = _in_brackets if are_chunk_tags(tags) else _with_slashes
    coloured = colours and sys.stdout.isatty()
    lines = [" ".join(shown(words[begin:end], spelled[begin:end], coloured)) for begin, end in pairwise(starts)]
    return "".join(f"{line}\n" for line in lines).encode()


def _in_brackets(words: list[str], tags: list[str], coloured: bool) -> Iterator[str]:
    at = 0
    for first, last, kind in chunks_of(tags):
        yield from words[at:first]
        yield f"[{_paint(kind, coloured)} {' '.join(words[first : last + 1])} ]"
        at = last + 1
    yield from words[at:]


def _with_slashes(words: list[str], tags: list[str], coloured: bool) -> Iterator[str]:
    for word, tag in zip(words, tags, strict=True):
        yield f"{word}/{_paint(tag, coloured)}"


def _paint(name: str, coloured: bool) -> str:
    """A kind has the same colour in every run."""
    colour = _COLOURS[sum(name.encode()) % len(_COLOURS)]
    return f"\033[{colour}m{name}{_PLAIN}" if coloured and name else name
