"""How good the answers are, where the truth is known; else the answers alone."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from gristmill.display.charts import Plot, figure
from gristmill.display.markup import Html, joined, shortened
from gristmill.display.numbers import in_percent, percent, result
from gristmill.display.page import grid, note
from gristmill.display.tables import LONGEST, facts, matrix, table
from gristmill.evaluation.curves import histogram
from gristmill.evaluation.metrics import ClassificationMetrics, RankingMetrics
from gristmill.machines.schemes import Scheme
from gristmill.report.evaluation_result import EvaluationResult, Sample, sample, short_names
from gristmill.report.page import Section, paragraph
from gristmill.report.sections import class_curves

_MOST_CLASSES = 60  # of a table
_MOST_POINTS = 500  # of a chart


def section(evaluation: EvaluationResult) -> Section | None:
    """Metrics of classes, values or a ranking; without the truth, the answers alone."""
    if evaluation.truth is None:
        return _answers(evaluation)
    if evaluation.ranks:
        return _ranking(evaluation)
    if not evaluation.has_classes:
        return _regression(evaluation)
    metrics = evaluation.classification
    drawn, curves = class_curves.drawn(evaluation, evaluation.truth)
    body = joined(_accuracy(evaluation, metrics), _tables(metrics), drawn)
    return Section("quality", "How good it is", body, _figures(metrics) | curves)


def _accuracy(evaluation: EvaluationResult, metrics: ClassificationMetrics) -> Html:
    low, high = (in_percent(bound) for bound in metrics.interval)
    missing = len(evaluation) - metrics.examples
    without = f" {missing:,} examples without a label are left out here." if missing else ""
    return paragraph(
        f"{metrics.right:,} of {metrics.examples:,} answers are right: {in_percent(metrics.accuracy)}, "
        f"between {low} and {high} by chance of the examples (95 % interval of Wilson).{without}"
    )


def _tables(metrics: ClassificationMetrics) -> Html:
    lines: list[list[Any]] = [
        [shortened(one.label, LONGEST), *map(result, (one.precision, one.recall, one.f1)), one.support]
        for one in metrics.classes[:_MOST_CLASSES]
    ]
    lines.append(["mean of the classes (macro)", *map(result, metrics.macro), metrics.examples])
    lines.append(["all examples (micro)", *[result(metrics.accuracy)] * 3, metrics.examples])
    caption = "Precision, recall and F1 in percent"
    if len(metrics.classes) > _MOST_CLASSES:
        caption += f" of the first {_MOST_CLASSES} of {len(metrics.classes):,} classes"
    heads = ["class", "precision", "recall", "F1", "examples"]
    scores = table(caption, heads, lines, numeric=[1, 2, 3, 4])
    return grid(matrix("Confusion matrix", short_names(metrics.names), metrics.counts), scores)


def _figures(metrics: ClassificationMetrics) -> dict[str, Any]:
    precision, recall, f1 = metrics.macro
    return {
        "examples": metrics.examples,
        "accuracy": metrics.accuracy,
        "interval": list(metrics.interval),
        "macro": {"precision": precision, "recall": recall, "f1": f1},
        "classes": [asdict(one) for one in metrics.classes],
        "confusion": {"names": list(metrics.names), "counts": metrics.counts.tolist()},
    }


# --- without the truth ------------------------------------------------------------------------------------------------


def _answers(evaluation: EvaluationResult) -> Section:
    """The answers, and why there are no metrics."""
    machine = evaluation.machine
    if not evaluation.has_classes and machine.n_outputs > 1:
        why = (
            f"The machine answers with {machine.n_outputs:,} numbers at once, which one label cannot be compared with."
        )
    else:
        why = "The data have no labels, so nobody can say how good the answers are; here is what they look like."
    figures: dict[str, Any] = {"examples": len(evaluation), "has_truth": False}
    parts: list[Html] = [paragraph(why)]
    if machine.scheme is Scheme.ONE_CLASS:
        outside = float((evaluation.answers == 0).mean())
        figures["outliers"] = outside
        parts.append(paragraph(f"{percent(outside)} of the examples are outliers: their score is not above 0."))
    name, numbers = ("score", evaluation.scores[:, 0]) if machine.n_outputs == 1 else ("margin", evaluation.margins)
    parts.append(figure(histogram("scores", f"The {name} of all examples", name, {"examples": numbers})))
    if name == "margin":
        parts.append(note("The margin is the lead of the predicted class over the next one."))
    return Section("quality", "The answers", joined(*parts), figures)


# --- values and rankings ----------------------------------------------------------------------------------------------


def _some_points(evaluation: EvaluationResult) -> tuple[list[tuple[float, float]], Sample]:
    """True values and answers, of as many examples as a chart has room for."""
    truth, answers = evaluation.compared
    some = sample(len(truth), _MOST_POINTS, evaluation.options.random_state)
    return list(zip(truth[some.numbers].tolist(), answers[some.numbers].tolist(), strict=True)), some


def _regression(evaluation: EvaluationResult) -> Section:
    """Errors of numbers."""
    metrics, (truth, answers), (points, some) = evaluation.regression, evaluation.compared, _some_points(evaluation)
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
        ("examples", metrics.examples),
        ("mean squared error", metrics.mean_squared_error),
        ("mean absolute error", metrics.mean_absolute_error),
        ("R²", "no number: all true values are equal" if math.isnan(metrics.r2) else metrics.r2),
        ("largest error", metrics.largest_error),
    ]
    drawn = grid(figure(scatter), figure(residuals))
    body = joined(facts("Errors", lines), drawn, note(f"Points are drawn {some.on_examples}; the histogram has all."))
    return Section("quality", "How good it is", body, asdict(metrics))


def _ranking(evaluation: EvaluationResult) -> Section:
    """Pairs in the right order, where only the order of scores counts."""
    metrics, (points, some) = evaluation.ranking, _some_points(evaluation)
    series, styles = {"examples": points}, {"examples": "points"}
    plot = Plot("order", "Scores against true values", "true value", "score", series, styles=styles)
    body = joined(paragraph(_ranking_text(metrics)), figure(plot), note(f"Points are drawn {some.on_examples}."))
    return Section("quality", "How good it is", body, asdict(metrics))


def _ranking_text(metrics: RankingMetrics) -> str:
    what = "The machine ranks: of its scores only the order counts, so they are not compared with true values."
    if not metrics.pairs:
        return f"{what} No two examples have different ones, so there is no order to compare."
    return (
        f"{what} {in_percent(metrics.in_order)} of {metrics.pairs:,} pairs of examples with different ones are in the "
        "right order, equal scores count half. All examples are taken as answers to one query."
    )
