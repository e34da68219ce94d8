"""How good answers are that are numbers."""

from __future__ import annotations

import math
from dataclasses import asdict

from gristmill.display.charts import Plot, figure
from gristmill.display.frames import grid, note
from gristmill.display.markup import joined
from gristmill.display.tables import facts
from gristmill.evaluation.histogram import histogram
from gristmill.report.evaluation_result import Known
from gristmill.report.sample import Sample, sample
from gristmill.report.section import Section

_MOST = 500  # points of a chart


def some_points(known: Known) -> tuple[list[tuple[float, float]], Sample]:
    """True values and answers, of as many examples as a chart has room for."""
    truth, answers = known.compared
    some = sample(len(truth), _MOST, known.wishes.random_state)
    return list(zip(truth[some.numbers].tolist(), answers[some.numbers].tolist(), strict=True)), some


def section(known: Known) -> Section:
    """Distances from the truth."""
    judged, (truth, answers), (points, some) = known.judged_values, known.compared, some_points(known)
    ends = float(min(truth.min(), answers.min())), float(max(truth.max(), answers.max()))
    series = {"examples": points, "as they should be": [(end, end) for end in ends]}
    styles = {"examples": "points", "as they should be": "line"}
    low, high = ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[1] + 0.5)
    air = 0.03 * (high - low)
    limits = low - air, high + air
    scatter = Plot(
        *("values", "Answers against true values", "true value", "answer", series),
        styles=styles,
        limits_x=limits,
        limits_y=limits,
    )
    residuals = histogram("residuals", "Residuals", "answer minus true value", {"examples": answers - truth})
    lines = [
        ("examples", judged.examples),
        ("mean squared error", judged.mean_squared_error),
        ("mean absolute error", judged.mean_absolute_error),
        ("R²", "no number: all true values are equal" if math.isnan(judged.r2) else judged.r2),
        ("largest error", judged.largest_error),
    ]
    drawn = grid(figure(scatter), figure(residuals))
    body = joined(facts("Errors", lines), drawn, note(f"Points are drawn {some.said}; the histogram has all."))
    return Section("quality", "How good it is", body, asdict(judged))
