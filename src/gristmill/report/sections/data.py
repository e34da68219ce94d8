"""Statistics of the data: sizes, classes, and features that the machine has never seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from gristmill.data.rows import Rows
from gristmill.data.tree_summary import summarise_trees
from gristmill.display.markup import Child, Html, element, shortened
from gristmill.display.numbers import percent
from gristmill.display.page import grid, note
from gristmill.display.tables import LONGEST, facts, table
from gristmill.evaluation.summaries import summarise_data
from gristmill.explanations.models import feature_name
from gristmill.report.evaluation_result import EvaluationResult
from gristmill.report.page import Section

_MOST = 30  # classes that a table shows


def section(evaluation: EvaluationResult) -> Section | None:
    """Statistics of the examples."""
    balance, counts = _balance(evaluation)
    figures, about, frequent = _rows(evaluation) if isinstance(evaluation.X, Rows) else _trees(evaluation)
    body = grid(about, element("div", balance, frequent))
    return Section("data", "The data", body, figures | {"classes": counts})


def _rows(evaluation: EvaluationResult) -> tuple[dict[str, Any], Html, Html | None]:
    rows, machine = evaluation.X, evaluation.machine
    found = summarise_data(rows, np.empty(0), first_id=machine.first_id or 0, degree=1, top=10)
    foreign = _foreign(rows, machine.rows)
    lines: list[tuple[str, Child]] = [
        ("examples", found.examples),
        ("values", "0 and 1" if found.binary else "real"),
        ("different features", found.features),
        ("features that occur once", found.once),
        ("features of an example", f"{found.average:.4g} on average, {found.shortest:,} to {found.longest:,}"),
    ]
    if not evaluation.are_decisions:
        lines.append((f"features no {evaluation.support_noun} has", percent(foreign)))
    names = [
        (shortened(feature_name(machine, int(at) - found.first_id), LONGEST), times) for at, times in found.frequent
    ]
    shown = table("Most frequent features", ["feature", "examples"], names, numeric=[1])
    effect = "make rows longer, and count for nothing else" if machine.sees_lengths else "count for nothing"
    remark = (
        "Features that the machine has never seen count for nothing, and are left out here."
        if evaluation.are_decisions
        else f"Features that no {evaluation.support_noun} has {effect}; their share is of all features of all examples."
    )
    kept = ("examples", "entries", "features", "binary", "shortest", "average", "longest", "once")
    figures = {key: value for key, value in asdict(found).items() if key in kept}
    about = element("div", facts("Examples", lines), note(remark))
    figures |= {} if evaluation.are_decisions else {"foreign_share": foreign}
    return figures, about, shown if names else None


def _foreign(rows: Rows, support: Rows) -> float:
    return float((~np.isin(rows.ids, np.unique(support.ids))).mean()) if len(rows.ids) else 0.0


def _trees(evaluation: EvaluationResult) -> tuple[dict[str, Any], Html, Html | None]:
    if evaluation.forest is None:
        return {"examples": len(evaluation)}, facts("Examples", [("examples", len(evaluation))]), None
    found = summarise_trees(evaluation.forest)
    lines: list[tuple[str, Child]] = [
        ("examples", found.trees),
        ("different trees", found.different_trees),
        ("nodes of a tree", f"{found.nodes_per_tree:.4g} on average"),
        ("leaves of a tree", f"{found.leaves_per_tree:.4g} on average"),
        ("levels of a tree", f"{found.levels_per_tree:.4g} on average, {found.deepest:,} at most"),
        ("different labels of nodes", found.node_labels),
        ("different productions", found.productions),
        ("nodes for each different subtree", f"{found.node_sharing:.4g}"),
    ]
    frequent = [(shortened(production, LONGEST), times) for production, times in found.frequent]
    shown = table("Most frequent productions", ["production", "times"], frequent, numeric=[1])
    figures = {key: value for key, value in asdict(found).items() if key not in ("labels", "frequent")}
    return figures | {"examples": found.trees}, facts("Examples", lines), shown if found.frequent else None


def _balance(evaluation: EvaluationResult) -> tuple[Html | None, list[dict[str, Any]]]:
    """Counts of each class among true labels and among answers."""
    if not evaluation.has_classes:
        return None, []
    names = evaluation.labels.names if evaluation.truth is None else evaluation.truth.names
    true = None if evaluation.truth is None else np.bincount(evaluation.truth.values, minlength=len(names))
    answered = np.bincount(evaluation.answers, minlength=len(names))
    counts: list[dict[str, Any]] = [
        {"class": name, "examples": None if true is None else int(true[at]), "answers": int(answered[at])}
        for at, name in enumerate(names)
    ]
    order = sorted(counts, key=lambda one: (-(one["examples"] or 0), -one["answers"]))
    caption = f"The {_MOST} most frequent of {len(names):,} classes" if len(names) > _MOST else "Classes"
    columns = (
        {"answers": len(evaluation)}
        if evaluation.truth is None
        else {"examples": len(evaluation.truth), "answers": len(evaluation)}
    )
    heads = ["class", *(head for what in columns for head in (what, f"share of {what}"))]
    rows = [[shortened(one["class"], LONGEST), *_shares(one, columns)] for one in order[:_MOST]]
    return table(caption, heads, rows, numeric=range(1, len(heads))), counts


def _shares(one: dict[str, Any], columns: dict[str, int]) -> Iterator[Child]:
    for what, total in columns.items():
        yield one[what]
        yield percent(one[what] / max(total, 1))
