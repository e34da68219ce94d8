"""Trees and scores of parsers for people."""

from __future__ import annotations

import shutil
import sys
from typing import Any, Literal

import click

from gristmill.apps.parse_scores import ParseScores
from gristmill.apps.treebank import trees_of_conllu
from gristmill.cli.screen import count, counted, percent, table

_SHOWN = ("uas", "las", "clas", "mlas", "blex", "upos", "xpos", "lemmas")


def draw_trees(text: Any, *, chosen: int | None = None, style: Literal["arcs", "tree"] = "arcs") -> bytes:
    """All trees of a text, or that of one number, counted from 1 and perhaps not there; as wide as the terminal."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    trees = trees_of_conllu(text)
    if chosen is not None:
        trees = trees[chosen - 1 : chosen] if chosen >= 1 else []
    return "".join(f"{tree.draw(style, width=width)}\n" for tree in trees).encode()


def svg_of(text: Any, number: int, name: str) -> bytes:
    trees = trees_of_conllu(text)
    if number > len(trees):
        raise click.UsageError(f"{name} has {counted(len(trees), 'sentence')}")
    return trees[number - 1].svg().encode()


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


def _shares(score: Any) -> list[str]:
    return [percent(share) for share in (score.precision, score.recall, score.f1)]


def _counts(score: Any) -> list[str]:
    return [count(number) for number in (score.gold, score.predicted, score.correct)]
