"""Precision, recall and F1 of what was looked for, as tables."""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.apps.found_scores import FoundScore
from gristmill.drawing.markup import Html
from gristmill.drawing.tables import table

Line = tuple[str, float, float, float, int, int, int]


def found_line(name: str, score: FoundScore) -> Line:
    return name, score.precision, score.recall, score.f1, score.gold, score.predicted, score.correct


def found_table(caption: str, what: str, lines: Iterable[Line]) -> Html:
    """Names of `what`, precision, recall, F1, and how many there are, were found, and were found right."""
    heads = [what, "precision", "recall", "F1", "there are", "found", "right"]
    return table(caption, heads, lines, numeric=range(1, len(heads)))


def in_percent(share: float) -> str:
    """With two decimals, by which systems are compared.

    Examples
    --------
    >>> from gristmill.report.programs.found_tables import in_percent
    >>> in_percent(0.93456)
    '93.46 %'
    """
    return f"{100 * share:.2f} %"
