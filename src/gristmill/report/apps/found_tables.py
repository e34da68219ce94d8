"""Precision, recall and F1 of what was looked for, as tables."""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.apps.scores import MatchScore
from gristmill.display.markup import Child, Html
from gristmill.display.numbers import result
from gristmill.display.tables import table

Line = tuple[str, float, float, float, int, int, int]


def found_line(name: str, score: MatchScore) -> Line:
    return name, score.precision, score.recall, score.f1, score.gold, score.predicted, score.correct


def found_table(caption: str, what: str, lines: Iterable[Line]) -> Html:
    """Names of `what`; precision, recall and F1 in percent; how many there are, were found, and were found right."""
    heads = [what, "precision", "recall", "F1", "there are", "found", "right"]
    cells: list[list[Child]] = [[line[0], *map(result, line[1:4]), *line[4:]] for line in lines]
    return table(caption, heads, cells, numeric=range(1, len(heads)))
