"""Trees and scores of parsers for people."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from typing import BinaryIO, Literal

import click

from gristmill.apps.parsing.scores import ParseScore, ParseScores
from gristmill.apps.parsing.tree import DependencyTree
from gristmill.apps.parsing.treebank import conllu_blocks, trees_of_conllu
from gristmill.base.files import display_name
from gristmill.cli.screen import count, percent, table
from gristmill.display.words import counted

_SHOWN = ("uas", "las", "clas", "mlas", "blex", "upos", "xpos", "lemmas")


def screen_width(out: BinaryIO) -> int | None:
    """As wide as the terminal, if it is one."""
    return shutil.get_terminal_size().columns if out.isatty() else None


def drawn(trees: Iterable[DependencyTree], width: int | None, style: Literal["arcs", "tree"] = "arcs") -> bytes:
    return "".join(f"{tree.draw(style, width=width)}\n" for tree in trees).encode()


def tree_of_file(path: str, number: int) -> DependencyTree:
    """The tree of one sentence, counted from 1; the file is read up to there."""
    seen = 0
    for text in conllu_blocks(path):
        place = number - 1 - seen
        if place < len(text.columns):
            return trees_of_conllu(text, slice(place, place + 1))[0]
        seen += len(text.columns)
    raise click.UsageError(f"{display_name(path)} has {counted(seen, 'sentence')}")


def show_scores(scores: ParseScores, *, relations: bool) -> None:
    columns = ["score", "precision", "recall", "F1", "gold", "found", "correct"]
    found = [(name.upper() if len(name) < 6 else name, getattr(scores, name)) for name in _SHOWN]
    table("words", columns, ([name, *_shares(score), *_counts(score)] for name, score in found))
    if relations:
        names = ["relation", "words", "right head", "and relation"]
        rows = (
            [one.relation, count(one.gold), percent(one.heads / one.gold), percent(one.correct / one.gold)]
            for one in scores.relations
        )
        table("relations of gold", names, rows)
    click.echo(f"{counted(scores.sentences.gold, 'sentence')}, {counted(scores.words.gold, 'word')}")


def _shares(score: ParseScore) -> list[str]:
    return [percent(share) for share in (score.precision, score.recall, score.f1)]


def _counts(score: ParseScore) -> list[str]:
    return [count(number) for number in (score.gold, score.predicted, score.correct)]
