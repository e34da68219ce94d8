"""Calibration: whether predicted probabilities come true."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from gristmill.base.arrays import Floats
from gristmill.display.charts import Plot, figure
from gristmill.display.markup import Child, joined
from gristmill.display.numbers import number, percent
from gristmill.display.page import grid, note
from gristmill.display.tables import facts, table
from gristmill.evaluation.calibration import BINS, SMALLEST, Group, calibration, equal_count
from gristmill.report.evaluation_result import EvaluationResult, Truth
from gristmill.report.page import Section, paragraph


def section(evaluation: EvaluationResult) -> Section | None:
    """Probabilities compared with the truth; without them, the share of right answers by the size of the score."""
    if evaluation.truth is None or not evaluation.has_classes:
        return None
    if evaluation.probabilities is None:
        return _by_score(evaluation, evaluation.truth)
    return _by_probability(evaluation, evaluation.truth, evaluation.probabilities[evaluation.truth.numbers])


def _by_probability(evaluation: EvaluationResult, truth: Truth, probabilities: Floats) -> Section:
    classes = np.where(truth.values < evaluation.machine.n_classes, truth.values, -1)
    if probabilities.shape[1] == 2:
        predicted, outcome, what = probabilities[:, 1], classes == 1, f"the class {evaluation.labels.short[1]}"
    else:
        best = probabilities.argmax(axis=1)
        predicted, outcome, what = probabilities.max(axis=1), classes == best, "the most probable class"
    found = calibration(probabilities, classes, predicted, outcome)
    points = [(group.mean, group.share) for group in found.groups]
    plot = Plot(
        "reliability",
        "Reliability",
        f"Mean predicted probability of {what}",
        "Share that came true",
        {"bins": points},
        diagonal=True,
    )
    lines: list[tuple[str, Child]] = [
        ("Brier score", found.brier),
        ("log loss", found.log_loss),
        ("expected calibration error", found.ece),
    ]
    remark = note(
        f"Examples are put into {BINS} bins of equal width by the probability of {what}; the expected calibration "
        "error is the mean distance between the predicted probability and the share that came true, weighted by "
        f"examples. A probability of the truth below {SMALLEST:.2g} counts as that in the log loss."
    )
    groups = _table(f"Probability of {what}", "from", found.groups, "predicted", "came true")
    body = joined(facts("Smaller is better", lines), remark, grid(figure(plot), groups))
    return Section("calibration", "Calibration of probabilities", body, asdict(found) | {"probabilities": True})


def _by_score(evaluation: EvaluationResult, truth: Truth) -> Section:
    """Outcomes by the size of the score, without a claim about probabilities."""
    if evaluation.is_two_sided:
        numbers, outcome = evaluation.scores[truth.numbers, 0], truth.values == 1
        what, share = "score", f"are {evaluation.labels.short[1]}"
    else:
        numbers, outcome = evaluation.margins[truth.numbers], truth.values == evaluation.answers[truth.numbers]
        what, share = "margin", "are right"
    groups = equal_count(numbers, outcome)
    shown = _table(f"Examples by {what}, in groups of about one size", f"{what} from", groups, "mean", share)
    points = [(group.mean, group.share) for group in groups]
    plot = Plot(
        *("by-score", f"Examples that {share}, by {what}", f"mean {what} of a group", f"share that {share}"),
        {"groups": points},
        limits_y=(-0.02, 1.02),
    )
    remark = paragraph(
        "The model came without probabilities, so none is claimed here. What its scores are worth on these examples:"
    )
    body = joined(remark, grid(figure(plot), shown))
    figures = {"probabilities": False, "groups": [asdict(group) for group in groups]}
    return Section("calibration", "What scores are worth", body, figures)


def _table(caption: str, begin: str, groups: tuple[Group, ...], mean: str, share: str) -> Child:
    rows: list[list[Child]] = [
        [number(group.low), number(group.high), group.examples, group.mean, percent(group.share)] for group in groups
    ]
    return table(caption, [begin, "to", "examples", mean, share], rows, numeric=range(5))
