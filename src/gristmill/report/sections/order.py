"""How good answers are of which the order counts."""

from __future__ import annotations

from dataclasses import asdict

from gristmill.display.charts import Plot, figure
from gristmill.display.markup import joined
from gristmill.display.numbers import in_percent
from gristmill.display.page import note
from gristmill.evaluation.outcomes import JudgedOrder
from gristmill.report.evaluation_result import Known
from gristmill.report.section import Section, paragraph
from gristmill.report.sections.values import some_points


def section(known: Known) -> Section:
    """Pairs in the right order."""
    judged, (points, some) = known.judged_order, some_points(known)
    series, styles = {"examples": points}, {"examples": "points"}
    plot = Plot("order", "Scores against true values", "true value", "score", series, styles=styles)
    body = joined(paragraph(_said(judged)), figure(plot), note(f"Points are drawn {some.said}."))
    return Section("quality", "How good it is", body, asdict(judged))


def _said(judged: JudgedOrder) -> str:
    what = "The machine ranks: of its scores only the order counts, so they are not held against true values."
    if not judged.pairs:
        return f"{what} No two examples have different ones, so there is no order to judge."
    return (
        f"{what} {in_percent(judged.in_order)} of {judged.pairs:,} pairs of examples with different ones are in the "
        "right order, equal scores being half right. All examples are taken for answers to one query."
    )
