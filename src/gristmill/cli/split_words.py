"""gristmill split-words: the words of tokens that are several; learned from a treebank."""

from __future__ import annotations

from gristmill.apps.editing.scores import SplitScores
from gristmill.apps.editing.splitter import SPLIT_TEMPLATES, Splitter
from gristmill.cli.screen import count, percent, score_table, table
from gristmill.cli.stage_commands import StageCommand


def _show(found: SplitScores) -> None:
    score_table("tokens of several words", "", [("words", found)])
    right = [count(found.tokens), count(found.correct_tokens), percent(found.accuracy, found.tokens)]
    table("all tokens", ["", "all", "correct", "accuracy"], [["tokens", *right]])


split_words = StageCommand(
    "split-words",
    Splitter,
    "words of tokens",
    """Split tokens that are several words, as French au (à le): learn which do and how, split them.

    FILE is CoNLL-U; a range such as 3-4 is a token of several words.

    \b
    Examples:
      gristmill split-words train train.conllu split-words.safetensors
      gristmill split-words run split-words.safetensors new.conllu
    """,
    "tokens in CoNLL-U",
    "new.conllu",
    "tokens",
    f"What of a token are features; columns: the token, the one before, the one behind.  [default: {SPLIT_TEMPLATES}]",
    0.03,
    Splitter.split_file,
    _show,
    b"\n\n",
).group()
