"""How good the answers are, where the truth is known; else the answers alone."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from gristmill.display.charts import figure
from gristmill.display.markup import Html, joined, shortened
from gristmill.display.numbers import in_percent, percent, result
from gristmill.display.page import grid, note
from gristmill.display.tables import LONGEST, matrix, table
from gristmill.evaluation.histogram import histogram
from gristmill.evaluation.outcomes import JudgedClasses
from gristmill.machines.schemes import Scheme
from gristmill.report.evaluation_result import Known
from gristmill.report.labels import short_names
from gristmill.report.section import Section, paragraph
from gristmill.report.sections import class_curves, order, values

_MOST = 60  # classes that a table shows


def section(known: Known) -> Section | None:
    """By what the answers are, and whether they can be judged."""
    if known.truth is None:
        return _answers(known)
    if known.ranks:
        return order.section(known)
    if not known.has_classes:
        return values.section(known)
    judged = known.judged_classes
    drawn, curves = class_curves.drawn(known, known.truth)
    body = joined(_said(known, judged), _tables(judged), drawn)
    return Section("quality", "How good it is", body, _figures(judged) | curves)


def _said(known: Known, judged: JudgedClasses) -> Html:
    low, high = (in_percent(bound) for bound in judged.interval)
    missing = len(known) - judged.examples
    without = f" {missing:,} examples without a label are left out here." if missing else ""
    return paragraph(
        f"{judged.right:,} of {judged.examples:,} answers are right: {in_percent(judged.accuracy)}, by chance of the "
        f"examples between {low} and {high} (95 % interval of Wilson).{without}"
    )


def _tables(judged: JudgedClasses) -> Html:
    lines: list[list[Any]] = [
        [shortened(one.label, LONGEST), *map(result, (one.precision, one.recall, one.f1)), one.support]
        for one in judged.classes[:_MOST]
    ]
    lines.append(["mean of the classes (macro)", *map(result, judged.macro), judged.examples])
    lines.append(["all examples (micro)", *[result(judged.accuracy)] * 3, judged.examples])
    caption = "Precision, recall and F1 in percent"
    if len(judged.classes) > _MOST:
        caption += f" of the first {_MOST} of {len(judged.classes):,} classes"
    heads = ["class", "precision", "recall", "F1", "examples"]
    scores = table(caption, heads, lines, numeric=[1, 2, 3, 4])
    return grid(matrix("Confusion matrix", short_names(judged.names), judged.counts), scores)


def _figures(judged: JudgedClasses) -> dict[str, Any]:
    precision, recall, f1 = judged.macro
    return {
        "examples": judged.examples,
        "accuracy": judged.accuracy,
        "interval": list(judged.interval),
        "macro": {"precision": precision, "recall": recall, "f1": f1},
        "classes": [asdict(one) for one in judged.classes],
        "confusion": {"names": list(judged.names), "counts": judged.counts.tolist()},
    }


# --- without the truth ------------------------------------------------------------------------------------------------


def _answers(known: Known) -> Section:
    """What was answered, and why nobody can say how good that is."""
    machine = known.machine
    if not known.has_classes and machine.n_outputs > 1:
        why = f"The machine answers with {machine.n_outputs:,} numbers at once, which one label cannot be held against."
    else:
        why = "The data have no labels, so nobody can say how good the answers are; here is what they look like."
    figures: dict[str, Any] = {"examples": len(known), "judged": False}
    parts: list[Html] = [paragraph(why)]
    if machine.scheme is Scheme.ONE_CLASS:
        outside = float((known.answers == 0).mean())
        figures["outliers"] = outside
        parts.append(paragraph(f"{percent(outside)} of the examples are outliers: their score is not above 0."))
    name, numbers = ("score", known.scores[:, 0]) if machine.n_outputs == 1 else ("margin", known.margins)
    parts.append(figure(histogram("scores", f"The {name} of all examples", name, {"examples": numbers})))
    if name == "margin":
        parts.append(note("The margin is what the class that was answered leads the next one by."))
    return Section("quality", "The answers", joined(*parts), figures)
