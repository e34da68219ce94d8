"""Statistics of the model: kernel, support, scorer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from gristmill.display.markup import Child
from gristmill.display.numbers import memory
from gristmill.display.page import grid
from gristmill.display.tables import facts, listed
from gristmill.evaluation.summaries import OutputSummary, summarise_machine, summarise_tree_machine
from gristmill.report.evaluation_result import EvaluationResult
from gristmill.report.page import Section


def section(evaluation: EvaluationResult) -> Section | None:
    """Statistics of the machine and of its scorer."""
    machine = evaluation.machine
    summary: OutputSummary
    own: list[tuple[str, Child]]
    if not machine.explains_features:
        of_trees = summarise_tree_machine(machine)
        summary = of_trees
        own = [(f"{name}: different subtrees", count) for name, count in of_trees.subtrees.items()]
    else:
        of_rows = summarise_machine(machine, top=0)
        summary = of_rows
        own = [
            (f"features of the {summary.noun}s", of_rows.features),
            (f"{summary.noun}s that a feature is in", f"{_mean(of_rows.postings)} on average"),
        ]
    how: Child = "the order of scores" if evaluation.ranks else summary.scheme
    lines = [("answers by", how), *_lines(summary), *own]
    body = grid(facts("The machine", lines), facts("How it is scored", _scoring(evaluation)))
    figures = {key: value for key, value in asdict(summary).items() if key not in ("provenance", "frequent")}
    report = evaluation.scorer.report()
    scorer = {"engine": report.engine, "reason": report.reason, "exact": report.exact, "nbytes": report.nbytes}
    return Section("model", "The model", body, figures | {"scorer": scorer})


def _lines(summary: OutputSummary) -> Iterator[tuple[str, Child]]:
    if summary.classes is not None:
        yield "classes", listed(summary.classes)
    yield "outputs", summary.outputs
    yield "kernel", summary.kernel
    yield f"{summary.noun}s", summary.support
    each = " of an output, on average" if summary.outputs > 1 else ""
    if each:
        yield f"{summary.noun}s{each}", _mean(summary.support_per_output)
    yield f"positive coefficients{each}", _mean(summary.positive_per_output)
    yield f"negative coefficients{each}", _mean(summary.negative_per_output)


def _mean(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _scoring(evaluation: EvaluationResult) -> Iterator[tuple[str, Child]]:
    report: Any = evaluation.scorer.report()
    yield "engine", report.engine
    yield "because", report.reason
    yield "scores", "exact up to rounding" if report.exact else "approximate"
    yield "memory", memory(report.nbytes)
    if evaluation.sources.model_bytes is not None:
        yield "file", memory(evaluation.sources.model_bytes)
    probability = evaluation.machine.probability
    yield "probabilities", "none" if probability is None else probability.kind
