"""A small treebank with all columns, as a file has it, and a pipeline that has learned from it."""

from __future__ import annotations

import functools
import re
from dataclasses import replace

from gristmill import _core
from gristmill.apps import DependencyParser, Lemmatizer, MorphologicalTagger, TextPipeline, Word
from gristmill.apps.parsing.surface import read_surface
from gristmill.apps.tokenization.gold import raw_text
from tests.apps.parsing.small_treebanks import sentences, text_of

FEATS = {"NOUN": "Number=Sing", "VERB": "Mood=Ind|Number=Sing"}


def full(word: Word) -> Word:
    return replace(word, lemma=word.form.lower(), xpos=word.upos[:2], feats=FEATS.get(word.upos, "_"))


def treebank(count: int = 40, seed: int = 0) -> list[list[Word]]:
    """Sentences whose words have all columns."""
    return [[full(word) for word in words] for words in sentences(count, seed)]


def written(words: list[Word]) -> str:
    """A sentence in CoNLL-U: no space before punctuation; `in the` is one token, `inthe`."""
    lines = text_of([words]).splitlines()[:-1]
    for at, word in reversed([*enumerate(words)]):
        if word.upos == "PUNCT":
            lines[at - 1] = re.sub("_$", "SpaceAfter=No", lines[at - 1])
        if word.upos == "ADP" and words[at + 1].upos == "DET":
            lines.insert(at, f"{at + 1}-{at + 2}\t{word.form}{words[at + 1].form}" + "\t_" * 8)
    return "".join(f"{line}\n" for line in [*lines, ""])


def parsed(text: str) -> _core.Conllu:
    return _core.Conllu.parse(text.encode())


def text_to_read(text: str) -> str:
    """The raw text of a treebank."""
    return raw_text(read_surface(parsed(text)))


def pipeline(**options: object) -> TextPipeline:
    """That learns quickly."""
    stages = {
        "tagger": MorphologicalTagger(epochs=2, folds=2),
        "lemmatizer": Lemmatizer(epochs=2),
        "parser": DependencyParser(epochs=2),
    }
    return TextPipeline(**stages | {"folds": 2} | options)


@functools.cache
def learned() -> TextPipeline:
    """Whose stages all learned; not to be changed."""
    return pipeline().fit(parsed(TRAIN))


TRAIN = "".join(map(written, treebank()))
TEXT = "".join(map(written, treebank(12, 1)))
