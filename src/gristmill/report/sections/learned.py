"""What the machine has learned: important features and pairs of them, rules, fragments of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gristmill.data.rows import Rows
from gristmill.display.contributions import Line, bar_table
from gristmill.display.markup import Child, joined, shortened
from gristmill.display.page import grid, note
from gristmill.display.tables import LONGEST
from gristmill.explanations import Explainer, Importance, fragments_of, rules_of
from gristmill.explanations.pictures import heaviest_picture
from gristmill.kernels import Kernel
from gristmill.kernels.components import components
from gristmill.kernels.trees import TreeKernel
from gristmill.machines.machine import Machine
from gristmill.report.evaluation_result import EvaluationResult, Sample, sample
from gristmill.report.page import Section

_TOP = 20
_VALUES = 5_000_000  # numbers that explaining may make: features of all examples times outputs
_PAIRS = 5_000_000


def section(evaluation: EvaluationResult) -> Section | None:
    """Importance on the examples, and the heaviest rules or fragments of the machine."""
    parts: list[Child] = []
    figures: dict[str, Any] = {}
    if isinstance(evaluation.X, Rows):
        try:
            drawn, figures = _features(evaluation)
        except ValueError as error:  # groups or values that are not explained under the kernel
            drawn = note(f"Shapley values are not shown: {error}.")
        parts.append(drawn)
    heaviest, more = _heaviest(evaluation)
    parts.append(heaviest)
    return Section("learned", "What it has learned", joined(*parts), figures | more)


def _features(evaluation: EvaluationResult) -> tuple[Child, dict[str, Any]]:
    """Mean Shapley values on some examples."""
    explainer = Explainer(evaluation.machine, binarize=evaluation.scorer.binarize)
    some = _bounded(evaluation, evaluation.X.lengths, _VALUES)
    if not len(some.numbers):
        return note("Examples have too many features to look at what each of them adds."), {}
    found = explainer.importance(evaluation.some(some.numbers), n_jobs=evaluation.options.n_jobs)
    signed = evaluation.machine.n_outputs == 1
    name = shortened(evaluation.outputs[0], LONGEST) if signed else "all outputs"
    lines: list[Line] = [(shortened(one.name, LONGEST), one.value) for one in found.top(_TOP)]
    parts = [bar_table(f"Features that matter most for {name}", lines, heads=("feature", "mean |value|"))]
    if signed:
        means = [(shortened(one.name, LONGEST), found.mean(one.features[0])) for one in found.top(_TOP)]
        parts.append(bar_table(f"Which way they pull: for {name} to the right", means, heads=("feature", "mean value")))
    remark = note(f"Shapley values, exact, averaged {some.on_examples}; examples without a feature count as 0.")
    pairs, pair_figures = _pairs(evaluation, explainer)
    features = [
        {"name": one.name, "magnitude": one.value, "mean": found.mean(one.features[0]) if signed else None}
        for one in found.top(_TOP)
    ]
    figures = {"examples": len(some.numbers), "features": features, **pair_figures}
    return joined(grid(*parts), remark, pairs), figures


def _pairs(evaluation: EvaluationResult, explainer: Explainer) -> tuple[Child, dict[str, Any]]:
    machine = evaluation.machine
    if machine.feature_kernel.longest(machine.rows) < 2:
        return note("The machine is linear: no features act together."), {}
    lengths = evaluation.X.lengths
    some = _bounded(evaluation, lengths * (lengths - 1) // 2, _PAIRS)
    if not len(some.numbers):
        return note("Examples have too many features to look at all pairs of them."), {}
    found: Importance = explainer.importance(
        evaluation.some(some.numbers), interactions=True, n_jobs=evaluation.options.n_jobs
    )
    lines: list[Line] = [(shortened(one.name, LONGEST), one.value) for one in found.top_pairs(_TOP)]
    drawn = bar_table("Pairs that act together most", lines, heads=("pair", "mean |interaction|"))
    listed = [{"name": one.name, "magnitude": one.value} for one in found.top_pairs(_TOP)]
    remark = note(f"Shapley interactions, exact, averaged {some.on_examples}.")
    return joined(drawn, remark), {"pair_examples": len(some.numbers), "pairs": listed}


def _bounded(evaluation: EvaluationResult, costs: Any, most: int) -> Sample:
    """As many examples as the options allow, fewer where they would make more than so many numbers."""
    mean = max(float(np.mean(costs)), 1e-9) * evaluation.machine.n_outputs
    return sample(len(evaluation), min(evaluation.options.examples, int(most / mean)), evaluation.options.random_state)


def _heaviest(evaluation: EvaluationResult) -> tuple[Child, dict[str, Any]]:
    """Rules and fragments, or why there are none."""
    parts: list[Child] = []
    figures: dict[str, Any] = {}
    for find, machine in _machines(evaluation):
        try:
            found = find(machine, top=_TOP, n_jobs=evaluation.options.n_jobs)
        except ValueError as error:
            parts.append(note(f"Rules and fragments are not shown: {error}."))
            continue
        parts.append(heaviest_picture(found, _TOP))
        figures |= {f"{found.kind}_floor": found.floor, found.kind: found.as_dict()[found.kind]}
    meaning = "What it adds to an output wherever it holds: the weight" + (
        ", in a tree divided by the norm of the tree." if evaluation.forest is not None else "."
    )
    return joined(grid(*parts), note(meaning) if figures else None), figures


def _machines(evaluation: EvaluationResult) -> list[tuple[Callable[..., Any], Machine]]:
    """The machine; for one that reads trees and rows, such as their words, one machine for each kernel."""
    machine = evaluation.machine
    if machine.explains_features:
        return [(rules_of, machine)]
    parts = list(components(machine.kernel, machine.support, machine.dense_coef()))
    if all(isinstance(part.kernel, TreeKernel) for part in parts):
        return [(fragments_of, machine)]
    outputs = machine.intercept, machine.classes, str(machine.scheme)
    return [(_finder(part.kernel), Machine(part.kernel, part.support, part.coef, *outputs)) for part in parts]


def _finder(kernel: Kernel) -> Callable[..., Any]:
    return fragments_of if isinstance(kernel, TreeKernel) else rules_of
