"""A small treebank with all columns, and pipelines that have learned from it."""

from __future__ import annotations

import functools
from dataclasses import replace

from gristmill.apps import DependencyParser, Lemmatizer, MorphologicalTagger, TextPipeline, Word
from tests.apps.parsing.small_treebanks import sentences, text_of

PLURAL = {"NOUN": "Number=Sing", "VERB": "Mood=Ind|Number=Sing"}


def full(word: Word) -> Word:
    return replace(word, lemma=word.form.lower(), xpos=word.upos[:2], feats=PLURAL.get(word.upos, "_"))


def treebank(count: int = 40, seed: int = 0) -> list[list[Word]]:
    """Sentences whose words have all columns."""
    return [[full(word) for word in words] for words in sentences(count, seed)]


@functools.cache
def learned() -> TextPipeline:
    """Whose stages all learned; not to be changed."""
    return pipeline().fit(treebank())


def pipeline(**options: object) -> TextPipeline:
    stages = {
        "tagger": MorphologicalTagger(epochs=2, folds=2),
        "lemmatizer": Lemmatizer(epochs=2),
        "parser": DependencyParser(epochs=2),
    }
    return TextPipeline(**stages | {"folds": 2} | options)


TEXT = text_of(treebank(6, 1))
