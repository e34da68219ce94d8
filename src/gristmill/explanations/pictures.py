"""Explanations as HTML: bars for features, trees coloured by what their nodes add, tables of rules.

Used by notebooks (`_repr_html_`), reports and the web pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gristmill.display.contributions import Line, bar_table
from gristmill.display.markup import Html, element, joined, shortened
from gristmill.display.numbers import number, signed
from gristmill.display.page import note, scroll
from gristmill.display.tables import table
from gristmill.display.trees import svg_tree
from gristmill.display.words import counted

if TYPE_CHECKING:
    from gristmill.explanations.explanation import Contribution, RowExplanation
    from gristmill.explanations.heaviest import Heaviest
    from gristmill.explanations.importances import Importance
    from gristmill.explanations.tree_explanation import TreeExplanation

LONGEST = 120  # characters of a name
FEW = 3  # examples of many that are drawn
_IMPORTANT = 20  # features, and pairs, of a data set


def row_picture(row: RowExplanation, top: int = 10) -> Html:
    """What the features of a row add to the predicted output, from the baseline to the score; then pairs, if any.

    `top` features have a line of their own; all others share one.
    """
    at = row.output(None)
    name = row.outputs.name(at)
    base, score = (float(row.outputs.column(numbers, at)) for numbers in (row.base, row.score))
    lines = _lines(row.top(None, at), top, row.noun)
    heads = row.noun, "adds"
    caption = f"What each {row.noun} adds to the score of {name}"
    drawn = bar_table(caption, lines, heads=heads, first=("baseline", base), last=("score", score))
    if row.interactions is None:
        return drawn
    pairs = [_line(one) for one in row.top_pairs(top, at)]
    return joined(
        drawn, bar_table(f"What pairs of {row.noun}s add together", pairs, heads=("pair", "adds")) if pairs else None
    )


def importance_picture(importance: Importance) -> Html:
    """The most important features, and pairs if there are any."""
    lines = [_line(one) for one in importance.top(_IMPORTANT)]
    drawn = bar_table(f"Mean |value| over {importance.rows:,} rows", lines, heads=("feature", "mean"))
    if importance.pairs is None:
        return drawn
    pairs = [_line(one) for one in importance.top_pairs(_IMPORTANT)]
    return joined(drawn, bar_table("Mean |interaction|", pairs, heads=("pair", "mean")))


def tree_picture(explanation: TreeExplanation, top: int = 10) -> Html:
    """The tree coloured by what its nodes add to the predicted output, and how that adds up to the score.

    Vector features, such as the words of the tree, have bars below it.
    """
    at, outputs = explanation.predicted, explanation.outputs
    name = outputs.name(at)
    base, score = (float(outputs.column(numbers, at)) for numbers in (explanation.base, explanation.score))
    shares = explanation.shares(at)
    drawn = svg_tree(explanation.labels, explanation.parents.tolist(), shares.tolist())
    parts = [("the tree", float(shares.sum()))]
    parts += [(field.field, float(outputs.column(field.values, at).sum())) for field in explanation.vector_features]
    terms = ", ".join(f"{part} {signed(value)}" for part, value in parts)
    return joined(
        element("p", f"{name}: {number(score)} = baseline {number(base)}, {terms}"),
        scroll(f"What each node adds to the score of {name}", drawn),
        [
            bar_table(f"What {one.field} add", _lines(one.top(outputs.column(one.values, at)), top))
            for one in explanation.vector_features
        ],
    )


def heaviest_picture(heaviest: Heaviest[Any], top: int = 30) -> Html:
    """The first rules or fragments of a machine."""
    heads, *lines = heaviest.lines(top)
    shown = [[shortened(cell, LONGEST) for cell in line] for line in lines]
    drawn = table(heaviest.summary(), [head.strip() for head in heads], shown, numeric=heaviest.numeric)
    return joined(drawn, note(f"{len(heaviest) - top:,} more") if len(heaviest) > top else None)


def first_pictures(drawn: Sequence[Html], what: str, total: int) -> list[Html]:
    """The first of many examples under their numbers, and how many more there are."""
    parts = [joined(element("p", element("strong", f"{what} {at}")), one) for at, one in enumerate(drawn)]
    more = total - len(drawn)
    return [*parts, note(counted(more, f"more {what}"))] if more else parts


def _lines(found: list[Contribution], top: int, noun: str = "feature") -> list[Line]:
    shown, rest = found[:top], found[top:]
    if len(rest) == 1:
        shown, rest = found, []
    lines = [_line(one) for one in shown]
    return [*lines, (f"{len(rest):,} other {noun}s", sum(one.value for one in rest))] if rest else lines


def _line(one: Contribution) -> Line:
    return shortened(one.name, LONGEST), one.value
