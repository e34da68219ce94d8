"""gristmill lemmatize: the lemmas of words; learned from a treebank."""

from __future__ import annotations

from gristmill.apps.editing.lemmatizer import LEMMA_TEMPLATES, Lemmatizer
from gristmill.apps.editing.scores import LemmaScores
from gristmill.cli.screen import count, percent, table
from gristmill.cli.stage_commands import StageCommand


def _show(found: LemmaScores) -> None:
    right = [count(found.words), count(found.correct), percent(found.accuracy, found.words)]
    table("lemmas", ["", "all", "correct", "accuracy"], [["lemmas", *right]])


lemmatize = StageCommand(
    "lemmatize",
    Lemmatizer,
    "lemmas",
    """Find the lemmas of words: learn how they are made of forms, find them.

    FILE is CoNLL-U; parts of speech and features help where they are given.

    \b
    Examples:
      gristmill lemmatize train train.conllu lemmatize.safetensors
      gristmill lemmatize run lemmatize.safetensors new.conllu
    """,
    "words in CoNLL-U",
    "new.conllu",
    "words",
    f"What of a word are features; columns are form, upos, xpos and feats.  [default: {LEMMA_TEMPLATES}]",
    None,
    Lemmatizer.lemmatize_file,
    _show,
    b"\n\n",
).group()
