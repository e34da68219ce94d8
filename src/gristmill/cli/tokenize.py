"""gristmill tokenize: sentences and tokens of raw text; learned from a treebank."""

from __future__ import annotations

from gristmill.apps.tokenization.scores import TokenScores
from gristmill.apps.tokenization.tokenizer import SPACED, SPACELESS, Tokenizer
from gristmill.cli.screen import score_table
from gristmill.cli.stage_commands import StageCommand


def _show(found: TokenScores) -> None:
    score_table("tokens and sentences", "", [("tokens", found.tokens), ("sentences", found.sentences)])


tokenize = StageCommand(
    "tokenize",
    Tokenizer,
    "sentences and tokens",
    """Find the sentences of raw text and their tokens: learn where they end, find them.

    \b
    Raw text   an empty line ends a sentence; other line breaks are spaces
    CoNLL-U    the comments newpar and newdoc, forms and SpaceAfter=No; other columns do not matter

    \b
    Examples:
      gristmill tokenize train train.conllu tokenize.safetensors
      gristmill tokenize run tokenize.safetensors text.txt
    """,
    "raw text",
    "text.txt",
    "sentences",
    f"What of a place between characters are features.  [default: {SPACED}; without spaces: {SPACELESS}]",
    0.002,
    Tokenizer.tokenize_file,
    _show,
).group()
