"""Curves, histograms and thresholds of scores that decide classes."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from gristmill.display.charts import Plot, figure
from gristmill.display.markup import Child, Html, joined
from gristmill.display.numbers import number, result
from gristmill.display.page import fold, grid, note
from gristmill.display.tables import table
from gristmill.evaluation.curves import Cut, Steps, best_threshold, cuts, precision_recall, roc, steps_of
from gristmill.evaluation.histogram import histogram
from gristmill.machines.schemes import Scheme
from gristmill.report.evaluation_result import Floats, Known
from gristmill.report.labels import Truth, short_names

_MOST = 6  # classes that are drawn: colours to tell apart
_SHARES = np.arange(1, 10) / 10
_THRESHOLDS = (
    "Choose a class to see what other thresholds would give. They are the tenths of these examples' scores, the score "
    "with the highest F1 on these very examples, which flatters it, and for two classes 0."
)
_EACH_CLASS = "The machine itself answers with the class of the highest score."


def drawn(known: Known, truth: Truth) -> tuple[Html, dict[str, Any]]:
    """Everything, and the same in figures."""
    steps = _steps(known, truth)
    curves, areas, figures = _curves(known, truth, steps)
    parts: list[Child] = [areas, curves]
    if any(one.positives and one.negatives for one in steps.values()):
        shown, figures["thresholds"] = _thresholds(known, truth, steps)
        parts.append(shown)
    return joined(*parts), figures


def _steps(known: Known, truth: Truth) -> dict[int, Steps]:
    """Of the second of two classes, or of the most frequent of several, each against all others."""
    scores = known.class_scores[truth.numbers]
    if known.is_two_sided:
        return {1: steps_of(scores[:, 1], truth.values == 1)}
    counts = np.bincount(truth.values, minlength=known.machine.n_classes)[: known.machine.n_classes]
    order = [at for at in np.argsort(-counts, kind="stable")[:_MOST].tolist() if counts[at]]
    return {at: steps_of(scores[:, at], truth.values == at) for at in order}


def _curves(known: Known, truth: Truth, steps: dict[int, Steps]) -> tuple[Html, Html, dict[str, Any]]:
    names, short = known.labels.names, known.labels.short
    rocs = {at: roc(one) for at, one in steps.items()}
    precisions = {at: precision_recall(one) for at, one in steps.items()}
    found: list[dict[str, Any]] = [
        {"class": names[at], "auc": rocs[at].area, "average_precision": precisions[at].area, "examples": one.positives}
        for at, one in steps.items()
    ]
    heads = ["class", "area under ROC", "average precision", "examples"]
    lines = [
        [short[at], _known(one["auc"]), _known(one["average_precision"]), one["examples"]]
        for at, one in zip(steps, found, strict=True)
    ]
    areas = joined(table(_caption(known, steps), heads, lines, numeric=[1, 2, 3]), _remark(known))
    charts: list[Child] = [figure(_scores(known, truth))]
    if any(one.positives and one.negatives for one in steps.values()):
        series = {short[at]: one.points() for at, one in rocs.items() if not math.isnan(one.area)}
        texts = "False positive rate", "True positive rate (recall)"
        plot = Plot("roc", "ROC curve", *texts, series, styles=dict.fromkeys(series, "line"), diagonal=True)
        series = {short[at]: one.points() for at, one in precisions.items() if not math.isnan(one.area)}
        whole = (-0.02, 1.02)
        other = Plot(
            *("precision-recall", "Precision against recall", "Recall", "Precision", series),
            styles=dict.fromkeys(series, "steps"),
            limits_x=whole,
            limits_y=whole,
        )
        charts = [figure(plot), figure(other), *charts]
    else:
        charts.append(note("All examples are of one class, so there is no curve to draw."))
    return grid(charts), areas, {"curves": found}


def _caption(known: Known, steps: dict[int, Steps]) -> str:
    if known.is_two_sided:
        return "How well scores tell the classes apart"
    if len(steps) < known.machine.n_classes:
        return f"The {len(steps)} most frequent classes, each against all others"
    return "Each class against all others"


def _remark(known: Known) -> Html | None:
    if known.machine.scheme is Scheme.ONE_VS_ONE:
        return note(
            "This machine compares classes in pairs: a class scores its votes, and up to a third for how clearly "
            "it won or lost them."
        )
    return None


def _known(value: float) -> str:
    return "no number" if math.isnan(value) else number(value)


def _scores(known: Known, truth: Truth) -> Plot:
    """By the true class where a score speaks for one of two, else margins of right and of wrong answers."""
    if known.is_two_sided:
        scores = known.scores[truth.numbers, 0]
        groups = {name: scores[truth.values == at] for at, name in enumerate(short_names(truth.names[:_MOST]))}
        title = f"Scores by true class; above 0 the answer is {known.labels.short[1]}"
        return histogram("scores", title, "score", groups)
    margins, right = known.margins[truth.numbers], truth.values == known.answers[truth.numbers]
    title = "What the answer leads the next class by, where it is right and where it is wrong"
    return histogram("margins", title, "margin", {"right": margins[right], "wrong": margins[~right]})


def _thresholds(known: Known, truth: Truth, steps: dict[int, Steps]) -> tuple[Html, list[dict[str, Any]]]:
    """If answers were cut elsewhere, for the class that a reader chooses; those of the first one are open."""
    parts, figures = list[Child](), list[dict[str, Any]]()
    for at, one in _sides(known, truth, steps).items():
        name = known.labels.short[at]
        heads = ["score below" if _is_below(known, at) else "score above"]
        heads += [f"answers of {name}", "precision", "recall", "F1", "false positives"]
        found, lines = _cut_lines(known, truth, at, one)
        title = f"Answering {name} at other scores{' than 0' * known.is_two_sided}"
        parts.append(fold(title, table(title, heads, lines, numeric=[1, 2, 3, 4, 5]), opened=not parts, group="class"))
        figures += [{"class": known.labels.names[at]} | asdict(cut) for cut in found]
    parts.append(note(_THRESHOLDS if known.is_two_sided else f"{_THRESHOLDS} {_EACH_CLASS}"))
    return joined(*parts), figures


def _sides(known: Known, truth: Truth, steps: dict[int, Steps]) -> dict[int, Steps]:
    """Classes to choose from that some examples have and others have not; of two classes the other one, too."""
    if known.is_two_sided:
        steps = steps | {0: steps_of(-known.scores[truth.numbers, 0], truth.values == 0)}
    return {at: one for at, one in steps.items() if one.positives and one.negatives}


def _is_below(known: Known, at: int) -> bool:
    """The first of two classes is answered below a threshold; its steps are of scores with the other sign."""
    return known.is_two_sided and at == 0


def _cut_lines(known: Known, truth: Truth, at: int, steps: Steps) -> tuple[list[Cut], list[list[Child]]]:
    """At tenths of the examples, where F1 is highest, and for two classes where the machine itself cuts."""
    sign = -1.0 if _is_below(known, at) else 1.0
    scores = sign * known.scores[truth.numbers, 0] if known.is_two_sided else known.class_scores[truth.numbers, at]
    own = {"as it is": _own_threshold(known, at, scores)} if known.is_two_sided else {}
    marks = own | {"highest F1": best_threshold(steps)}
    tenths = np.quantile(scores, _SHARES, method="lower").tolist()
    found, lines = cuts(steps, sorted({*tenths, *marks.values()})), list[list[Child]]()
    for one in found:
        what = [mark for mark, threshold in marks.items() if threshold == one.threshold]
        told = number(sign * one.threshold) if one.threshold not in own.values() else _told_zero(one.threshold, sign)
        shown = f"{told} ({', '.join(what)})" if what else told
        lines.append([shown, one.hits + one.alarms, *map(result, (one.precision, one.recall, one.f1, one.alarm_share))])
    return [replace(one, threshold=sign * one.threshold) for one in found], lines


def _told_zero(threshold: float, sign: float) -> str:
    """0, or the number next to it on the side where 0 itself is answered with the class."""
    return "0" if threshold == 0 else "just below 0" if sign > 0 else "just above 0"


def _own_threshold(known: Known, at: int, scores: Floats) -> float:
    """Above which the machine answers with the class: 0, or right below it where 0 itself is answered so."""
    takes_zero = known.machine.zero_class == at and bool((scores == 0).any())
    return float(np.nextafter(0.0, -1.0)) if takes_zero else 0.0
