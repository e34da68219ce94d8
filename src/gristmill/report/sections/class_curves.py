"""Curves, histograms and thresholds of scores that decide between classes."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.display.charts import Plot, figure
from gristmill.display.markup import Child, Html, joined
from gristmill.display.numbers import number, result
from gristmill.display.page import fold, grid, note
from gristmill.display.tables import table
from gristmill.evaluation.curves import (
    BinaryScores,
    Curve,
    OperatingPoint,
    best_threshold,
    histogram,
    operating_points,
    precision_recall,
    roc,
)
from gristmill.machines.schemes import Scheme
from gristmill.report.evaluation_result import EvaluationResult, Truth, short_names

_MOST = 6  # classes that are drawn: colours to tell apart
_SHARES = np.arange(1, 10) / 10
_THRESHOLDS = (
    "Choose a class to see the results of other thresholds. They are the tenths of these examples' scores, the score "
    "with the highest F1 on these very examples, which flatters it, and for two classes 0."
)
_EACH_CLASS = "The machine itself answers with the class of the highest score."

_ByClass = dict[int, BinaryScores]


def drawn(evaluation: EvaluationResult, truth: Truth) -> tuple[Html, dict[str, Any]]:
    """All of them, and the same in figures."""
    by_class = _by_class(evaluation, truth)
    curves, areas, figures = _curves(evaluation, truth, by_class)
    parts: list[Child] = [areas, curves]
    if any(data.has_both for data in by_class.values()):
        shown, figures["thresholds"] = _thresholds(evaluation, truth, by_class)
        parts.append(shown)
    return joined(*parts), figures


def _by_class(evaluation: EvaluationResult, truth: Truth) -> _ByClass:
    """Scores of the second of two classes, or of the most frequent of several, each against all others."""
    scores = evaluation.class_scores[truth.numbers]
    if evaluation.is_two_sided:
        return {1: BinaryScores(scores[:, 1], truth.values == 1)}
    counts = np.bincount(truth.values, minlength=evaluation.machine.n_classes)[: evaluation.machine.n_classes]
    order = [at for at in np.argsort(-counts, kind="stable")[:_MOST].tolist() if counts[at]]
    return {at: BinaryScores(scores[:, at], truth.values == at) for at in order}


def _curves(evaluation: EvaluationResult, truth: Truth, by_class: _ByClass) -> tuple[Html, Html, dict[str, Any]]:
    names, short = evaluation.labels.names, evaluation.labels.short
    rocs = {at: roc(data) for at, data in by_class.items()}
    precisions = {at: precision_recall(data) for at, data in by_class.items()}
    found: list[dict[str, Any]] = [
        {"class": names[at], "auc": rocs[at].area, "average_precision": precisions[at].area, "examples": data.positives}
        for at, data in by_class.items()
    ]
    heads = ["class", "area under ROC", "average precision", "examples"]
    lines = [
        [short[at], _area(one["auc"]), _area(one["average_precision"]), one["examples"]]
        for at, one in zip(by_class, found, strict=True)
    ]
    areas = joined(table(_caption(evaluation, by_class), heads, lines, numeric=[1, 2, 3]), _remark(evaluation))
    if any(data.has_both for data in by_class.values()):
        charts: list[Child] = [_roc_chart(rocs, short), _precision_chart(precisions, short)]
        charts.append(figure(_scores(evaluation, truth)))
    else:
        one_class = note("All examples are of one class, so there is no curve to draw.")
        charts = [figure(_scores(evaluation, truth)), one_class]
    return grid(charts), areas, {"curves": found}


def _roc_chart(curves: dict[int, Curve], short: tuple[str, ...]) -> Html:
    series = {short[at]: one.points() for at, one in curves.items() if not math.isnan(one.area)}
    axes = "False positive rate", "True positive rate (recall)"
    return figure(Plot("roc", "ROC curve", *axes, series, styles=dict.fromkeys(series, "line"), diagonal=True))


def _precision_chart(curves: dict[int, Curve], short: tuple[str, ...]) -> Html:
    series, whole = {short[at]: one.points() for at, one in curves.items() if not math.isnan(one.area)}, (-0.02, 1.02)
    plot = Plot(
        *("precision-recall", "Precision against recall", "Recall", "Precision", series),
        styles=dict.fromkeys(series, "steps"),
        limits_x=whole,
        limits_y=whole,
    )
    return figure(plot)


def _caption(evaluation: EvaluationResult, by_class: _ByClass) -> str:
    if evaluation.is_two_sided:
        return "How well scores separate the classes"
    if len(by_class) < evaluation.machine.n_classes:
        return f"The {len(by_class)} most frequent classes, each against all others"
    return "Each class against all others"


def _remark(evaluation: EvaluationResult) -> Html | None:
    if evaluation.machine.scheme is Scheme.ONE_VS_ONE:
        return note(
            "This machine compares classes in pairs: a class scores its votes, and up to a third for how clearly "
            "it won or lost them."
        )
    return None


def _area(value: float) -> str:
    return "no number" if math.isnan(value) else number(value)


def _scores(evaluation: EvaluationResult, truth: Truth) -> Plot:
    """Scores by true class where a score is for one of two, else margins of right and of wrong answers."""
    if evaluation.is_two_sided:
        scores = evaluation.scores[truth.numbers, 0]
        groups = {name: scores[truth.values == at] for at, name in enumerate(short_names(truth.names[:_MOST]))}
        title = f"Scores by true class; above 0 the answer is {evaluation.labels.short[1]}"
        return histogram("scores", title, "score", groups)
    margins, right = evaluation.margins[truth.numbers], truth.values == evaluation.answers[truth.numbers]
    title = "Lead of the predicted class over the next one, where it is right and where it is wrong"
    return histogram("margins", title, "margin", {"right": margins[right], "wrong": margins[~right]})


# --- thresholds -------------------------------------------------------------------------------------------------------


def _thresholds(evaluation: EvaluationResult, truth: Truth, by_class: _ByClass) -> tuple[Html, list[dict[str, Any]]]:
    """Results of other thresholds, for the class that a reader chooses; those of the first class are open."""
    parts, figures = list[Child](), list[dict[str, Any]]()
    for at, data in _sides(evaluation, truth, by_class).items():
        name = evaluation.labels.short[at]
        heads = ["score below" if _is_below(evaluation, at) else "score above"]
        heads += [f"answers of {name}", "precision", "recall", "F1", "false positives"]
        found, lines = _threshold_lines(evaluation, at, data)
        title = f"Answering {name} at other scores{' than 0' * evaluation.is_two_sided}"
        parts.append(fold(title, table(title, heads, lines, numeric=[1, 2, 3, 4, 5]), opened=not parts, group="class"))
        figures += [{"class": evaluation.labels.names[at]} | asdict(point) for point in found]
    parts.append(note(_THRESHOLDS if evaluation.is_two_sided else f"{_THRESHOLDS} {_EACH_CLASS}"))
    return joined(*parts), figures


def _sides(evaluation: EvaluationResult, truth: Truth, by_class: _ByClass) -> _ByClass:
    """Classes to choose from: some examples are of them, others are not. Of two classes both."""
    if evaluation.is_two_sided:
        by_class = by_class | {0: BinaryScores(-evaluation.scores[truth.numbers, 0], truth.values == 0)}
    return {at: data for at, data in by_class.items() if data.has_both}


def _is_below(evaluation: EvaluationResult, at: int) -> bool:
    """The first of two classes is answered below a threshold; its scores here have the other sign."""
    return evaluation.is_two_sided and at == 0


def _threshold_lines(
    evaluation: EvaluationResult, at: int, data: BinaryScores
) -> tuple[list[OperatingPoint], list[list[Child]]]:
    """At tenths of the examples, at the highest F1, and for two classes at the machine's own threshold."""
    sign = -1.0 if _is_below(evaluation, at) else 1.0
    own = {"as it is": _own_threshold(evaluation, at, data.scores)} if evaluation.is_two_sided else {}
    marks = own | {"highest F1": best_threshold(data)}
    tenths = np.quantile(data.scores, _SHARES, method="lower").tolist()
    found, lines = operating_points(data, sorted({*tenths, *marks.values()})), list[list[Child]]()
    for one in found:
        what = [mark for mark, threshold in marks.items() if threshold == one.threshold]
        shown = _near_zero(one.threshold, sign) if one.threshold in own.values() else number(sign * one.threshold)
        shares = map(result, (one.precision, one.recall, one.f1, one.false_positive_rate))
        predicted = one.true_positives + one.false_positives
        lines.append([f"{shown} ({', '.join(what)})" if what else shown, predicted, *shares])
    return [replace(one, threshold=sign * one.threshold) for one in found], lines


def _near_zero(threshold: float, sign: float) -> str:
    """0, or the number next to it on the side where 0 itself is answered with the class."""
    return "0" if threshold == 0 else "just below 0" if sign > 0 else "just above 0"


def _own_threshold(evaluation: EvaluationResult, at: int, scores: Floats) -> float:
    """Above which the machine answers with the class: 0, or right below it where 0 itself is answered so."""
    takes_zero = evaluation.machine.zero_class == at and bool((scores == 0).any())
    return float(np.nextafter(0.0, -1.0)) if takes_zero else 0.0
