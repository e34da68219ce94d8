"""What the columns of tables add: curves of the fields that matter most, heat maps of the heaviest pairs."""

from __future__ import annotations

from typing import Any

from gristmill.display.contributions import bar_table
from gristmill.display.markup import Html, joined, shortened
from gristmill.display.page import fold, grid, note
from gristmill.display.tables import LONGEST
from gristmill.explanations.shape_pictures import shape_picture
from gristmill.explanations.shapes import Shape, Shapes, shapes_of
from gristmill.report.evaluation_result import EvaluationResult
from gristmill.report.page import Section

_CURVES = 12  # of fields; the first of them stand open
_OPEN = 6
_MAPS = 4  # of pairs


def section(evaluation: EvaluationResult) -> Section | None:
    """For machines that read tables and are sums of tables over their fields."""
    if evaluation.machine.encoding is None:
        return None
    try:
        shapes = shapes_of(evaluation.machine)
    except ValueError:  # its conjunctions have more than three fields, or are too many
        return None
    fields, pairs = shapes.of(1), shapes.of(2)
    curves = [shape_picture(one, one.heaviest_output) for one in fields[:_CURVES]]
    more = fold(f"{len(curves) - _OPEN} more", *curves[_OPEN:]) if len(curves) > _OPEN else None
    body = joined(
        note(
            "A score is its mean over independent columns and an entry of each table below. These tables have mean 0 "
            "along each of their columns: a column has all of its effect by itself, a pair only what both add together."
        ),
        grid(_bars("Columns by what they add", fields), _bars("Pairs of columns by what they add together", pairs)),
        grid(*curves[:_OPEN]),
        more,
        [shape_picture(one, one.heaviest_output) for one in pairs[:_MAPS]],
    )
    return Section("shapes", "What each column adds", body, _figures(shapes))


def _bars(caption: str, shapes: list[Shape]) -> Html | None:
    lines = [(_name(one), float(one.magnitude.sum())) for one in shapes[:_CURVES]]
    return bar_table(caption, lines, heads=("columns", "mean |value|")) if lines else None


def _name(shape: Shape) -> str:
    return shortened(" & ".join(shape.names), LONGEST)


def _figures(shapes: Shapes) -> dict[str, Any]:
    found = {"fields": shapes.of(1)[:_CURVES], "pairs": shapes.of(2)[:_MAPS]}
    return {"base": shapes.base.tolist()} | {key: [one.as_dict() for one in listed] for key, listed in found.items()}
