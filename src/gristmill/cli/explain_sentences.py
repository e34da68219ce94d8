"""gristmill explain for taggers, segmenters and parsers: sentences of files, decision by decision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import click

from gristmill.apps import DependencyParser, Segmenter, Tagger
from gristmill.apps.columns import BOM, column_blocks, decoded_lines
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.parsing.tree import Word
from gristmill.apps.parsing.treebank import conllu_blocks, words_of_columns
from gristmill.apps.segmentation.files import text_blocks
from gristmill.base.errors import naming
from gristmill.base.files import display_name
from gristmill.cli.explain_data import Part
from gristmill.cli.explain_options import explain_examples, row_facts
from gristmill.cli.explain_screen import fitted, screen_width
from gristmill.explanations import Influences

APPS = ("tag", "segment", "parse")

App = Tagger | Segmenter | DependencyParser


def load_app(command: str, model: str, beam: int | None) -> App:
    """The app of a file, by its command."""
    if model == "-":
        raise click.UsageError(f"a model of `gristmill {command}` must be a file here, not standard input")
    if command == "parse":
        return DependencyParser.load(model, **({} if beam is None else {"beam": beam}))
    if beam is not None:
        raise click.UsageError(f"--beam is for parsers; {display_name(model)} is a model of `gristmill {command}`")
    return Tagger.load(model) if command == "tag" else Segmenter.load(model)


def explain_sentences(app: App, data: str, options: dict[str, Any]) -> None:
    """Print the sentences that are chosen."""

    def explained(part: Part) -> Iterator[str]:
        for number, sentence in enumerate(part.X, part.number):
            try:
                yield _of_sentence(app, sentence, number, options)
            except ValueError as error:
                raise ValueError(f"{display_name(data)}, sentence {number}: {error}") from error

    explain_examples("sentence", _blocks(app, data), lambda _: 1, explained, data, options)


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


def _blocks(app: App, path: str) -> Iterator[tuple[list[Any], list[None]]]:
    read = _lines if isinstance(app, Segmenter) else _tagged if isinstance(app, Tagger) else _parsed
    for sentences in read(app, path):
        yield sentences, [None] * len(sentences)


def _lines(_: App, path: str) -> Iterator[list[str]]:
    number = 1
    for block in text_blocks(path):
        if block == BOM:
            continue
        with naming(display_name(path)):
            yield [line for line in decoded_lines(block, number).split("\n") if line.strip()]
        number += block.count(b"\n")


def _tagged(tagger: App, path: str) -> Iterator[list[list[tuple[str, ...]]]]:
    assert isinstance(tagger, Tagger)
    for columns in column_blocks(path, encoding=tagger.engine_.model.encoding):
        tokens = list(zip(*(columns.column(number) for number in range(columns.columns)), strict=True))
        yield [tokens[begin:end] for begin, end in pairwise(columns.starts().tolist())]


def _parsed(_: App, path: str) -> Iterator[list[tuple[Word, ...]]]:
    for text in conllu_blocks(path):
        yield list(words_of_columns(text.columns))
