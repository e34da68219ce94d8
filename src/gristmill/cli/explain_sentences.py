"""gristmill explain for apps whose examples are text or words: sentences of files, decision by decision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

import click

from gristmill.apps import DependencyParser, Lemmatizer, Segmenter, Splitter, Tagger, TextPipeline
from gristmill.apps.columns import BOM, column_blocks, decoded_lines
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.loading import load
from gristmill.apps.parsing.surface import read_surface
from gristmill.apps.parsing.tree import Word
from gristmill.apps.parsing.treebank import conllu_blocks, words_of_columns
from gristmill.apps.pipeline.inputs import TEXT_BLOCK
from gristmill.apps.segmentation.files import text_blocks
from gristmill.apps.sentence_app import SentenceApp
from gristmill.apps.tokenization.tokenizer import Tokenizer
from gristmill.base.errors import naming
from gristmill.base.files import display_name, line_blocks
from gristmill.cli.explain_data import Part
from gristmill.cli.explain_options import explain_examples, row_facts
from gristmill.cli.explain_screen import fitted, screen_width
from gristmill.data.formats.kinds import TABLE, TEXT
from gristmill.data.formats.reading import reading
from gristmill.explanations import Influences

APPS = ("tokenize", "segment", "split-words", "tag", "lemmatize", "parse", "pipeline")

App = Tokenizer | Segmenter | Splitter | Tagger | Lemmatizer | DependencyParser | TextPipeline


def load_app(command: str, model: str, beam: int | None) -> App:
    """The app of a file, by its command."""
    if model == "-":
        raise click.UsageError(f"a model of `gristmill {command}` must be a file here, not standard input")
    if command == "pipeline":
        return TextPipeline.load(model)
    if command == "parse":
        return DependencyParser.load(model, **({} if beam is None else {"beam": beam}))
    if beam is not None:
        raise click.UsageError(f"--beam is for parsers; {display_name(model)} is a model of `gristmill {command}`")
    return Tagger.load(model) if command == "tag" else cast(App, load(model))


def explain_sentences(app: App, data: str, options: dict[str, Any]) -> None:
    """Print the sentences that are chosen."""
    explained_app = app.stage(options["stage"]) if isinstance(app, TextPipeline) else app
    if options["influence"] and not isinstance(explained_app, SentenceApp):
        raise click.UsageError("--influence is for taggers, segmenters and parsers")

    def explained(part: Part) -> Iterator[str]:
        for number, sentence in enumerate(part.X, part.number):
            try:
                yield _of_sentence(explained_app, sentence, number, options)
            except ValueError as error:
                raise ValueError(f"{display_name(data)}, sentence {number}: {error}") from error

    explain_examples("sentence", _blocks(app, data, options["stage"]), lambda _: 1, explained, data, options)


def _of_sentence(app: App, sentence: Any, number: int, options: dict[str, Any]) -> str:
    if options["influence"]:
        deciders = app.influence(sentence, n_jobs=options["jobs"])
        return (
            _influence_facts(number, deciders, options) if options["as_json"] else _deciders(number, deciders, options)
        )
    found = app.explain(sentence, interactions=options["interactions"])
    return json.dumps(_facts(number, found, options)) if options["as_json"] else _drawing(number, found, options)


def _influence_facts(number: int, found: Influences, options: dict[str, Any]) -> str:
    return json.dumps({"row": number, "steps": [one.as_dict(top=options["top"]) for one in found]})


def _deciders(number: int, found: Influences, options: dict[str, Any]) -> str:
    steps = (fitted(one.draw(top=options["top"] or 5), screen_width()) for one in found)
    return "\n\n".join([f"sentence {number}", *steps])


def _facts(number: int, found: SentenceExplanation, options: dict[str, Any]) -> dict[str, Any]:
    return {"row": number, **found.as_dict(), "steps": [row_facts(step, options) for step in found]}


def _drawing(number: int, found: SentenceExplanation, options: dict[str, Any]) -> str:
    width, top = screen_width(), options["top"] or 5
    steps = (fitted(step.draw(top=top), width) for step in found)
    return "\n\n".join([f"sentence {number}\n{found.answer}".rstrip("\n"), *steps])


# --- sentences of files, some at a time -------------------------------------------------------------------------------


def _blocks(app: App, path: str, stage: str | None) -> Iterator[tuple[list[Any], list[None]]]:
    for sentences in _sentences(app, path, stage):
        yield sentences, [None] * len(sentences)


def _sentences(app: App, path: str, stage: str | None) -> Iterator[list[Any]]:
    if isinstance(app, TextPipeline) and not isinstance(app.stage(stage), Tokenizer):
        return _annotated(app, path, stage)
    if isinstance(app, Tokenizer | Segmenter | TextPipeline):
        return _lines(path)
    if isinstance(app, Tagger):
        return _tagged(app, path)
    return _tokens(path) if isinstance(app, Splitter) else _parsed(path)


def _annotated(pipeline: TextPipeline, path: str, stage: str | None) -> Iterator[list[Any]]:
    with reading(path, TEXT, also=(TABLE,)) as looked:
        yield from pipeline.stage_inputs(looked.blocks(line_blocks(path, TEXT_BLOCK)), stage)


def _lines(path: str) -> Iterator[list[str]]:
    number = 1
    for block in text_blocks(path):
        if block == BOM:
            continue
        with naming(display_name(path)):
            yield [line for line in decoded_lines(block, number).split("\n") if line.strip()]
        number += block.count(b"\n")


def _tagged(tagger: Tagger, path: str) -> Iterator[list[list[tuple[str, ...]]]]:
    for columns in column_blocks(path, encoding=tagger.engine_.model.encoding):
        tokens = list(zip(*(columns.column(number) for number in range(columns.columns)), strict=True))
        yield [tokens[begin:end] for begin, end in pairwise(columns.starts().tolist())]


def _tokens(path: str) -> Iterator[list[list[str]]]:
    for text in conllu_blocks(path):
        yield [[token.form for token in sentence.tokens] for sentence in read_surface(text)]


def _parsed(path: str) -> Iterator[list[tuple[Word, ...]]]:
    for text in conllu_blocks(path):
        yield list(words_of_columns(text.columns))
