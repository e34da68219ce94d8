"""How far what the model says of its own answers can be trusted."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from gristmill.display.charts import Plot, figure
from gristmill.display.markup import Child, joined
from gristmill.display.numbers import number, percent
from gristmill.display.page import grid, note
from gristmill.display.tables import facts, table
from gristmill.evaluation.calibration import BINS, SMALLEST, Group, equal_count, trust
from gristmill.report.evaluation_result import Floats, Known
from gristmill.report.labels import Truth
from gristmill.report.section import Section, paragraph


def section(known: Known) -> Section | None:
    """Probabilities held against the truth; without them, what came true by the size of the score."""
    if known.truth is None or not known.has_classes:
        return None
    if known.probabilities is None:
        return _by_score(known, known.truth)
    return _by_probability(known, known.truth, known.probabilities[known.truth.numbers])


def _by_probability(known: Known, truth: Truth, probabilities: Floats) -> Section:
    classes = np.where(truth.values < known.machine.n_classes, truth.values, -1)
    if probabilities.shape[1] == 2:
        told, came_true, what = probabilities[:, 1], classes == 1, f"the class {known.labels.short[1]}"
    else:
        best = probabilities.argmax(axis=1)
        told, came_true, what = probabilities.max(axis=1), classes == best, "the most probable class"
    found = trust(probabilities, classes, told, came_true)
    points = [(group.mean, group.share) for group in found.groups]
    plot = Plot(
        "reliability", "Reliability", f"Said: mean probability of {what}", "Came true", {"bins": points}, diagonal=True
    )
    lines: list[tuple[str, Child]] = [
        ("Brier score", found.brier),
        ("log loss", found.log_loss),
        ("expected calibration error", found.ece),
    ]
    said = note(
        f"Examples are put into {BINS} bins of equal width by the probability of {what}; the expected calibration "
        f"error is the mean distance between what was said and what came true, weighted by examples. A probability "
        f"of the truth below {SMALLEST:g} counts as that in the log loss."
    )
    groups = _table(f"Probability of {what}", "from", found.groups, "said", "came true")
    body = joined(facts("Smaller is better", lines), said, grid(figure(plot), groups))
    return Section("calibration", "How far probabilities can be trusted", body, asdict(found) | {"probabilities": True})


def _by_score(known: Known, truth: Truth) -> Section:
    """No probability is claimed."""
    if known.is_two_sided:
        numbers, came_true = known.scores[truth.numbers, 0], truth.values == 1
        what, share = "score", f"are {known.labels.short[1]}"
    else:
        numbers, came_true = known.margins[truth.numbers], truth.values == known.answers[truth.numbers]
        what, share = "margin", "are right"
    groups = equal_count(numbers, came_true)
    shown = _table(f"Examples by {what}, in groups of about one size", f"{what} from", groups, "mean", share)
    points = [(group.mean, group.share) for group in groups]
    plot = Plot(
        *("by-score", f"Examples that {share}, by {what}", f"mean {what} of a group", f"share that {share}"),
        {"groups": points},
        limits_y=(-0.02, 1.02),
    )
    said = paragraph(
        "The model came without probabilities, so none is claimed here. What its scores are worth on these examples:"
    )
    body = joined(said, grid(figure(plot), shown))
    figures = {"probabilities": False, "groups": [asdict(group) for group in groups]}
    return Section("calibration", "What scores are worth", body, figures)


def _table(caption: str, begin: str, groups: tuple[Group, ...], mean: str, share: str) -> Child:
    rows: list[list[Child]] = [
        [number(group.low), number(group.high), group.examples, group.mean, percent(group.share)] for group in groups
    ]
    return table(caption, [begin, "to", "examples", mean, share], rows, numeric=range(5))
