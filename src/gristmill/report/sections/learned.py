"""What the machine has learned: features that matter, pairs of them, rules; fragments of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gristmill.data.rows import Rows
from gristmill.display.contributions import Line, bar_table
from gristmill.display.frames import grid, note
from gristmill.display.markup import Child, joined
from gristmill.display.tables import LONGEST
from gristmill.display.widths import shortened
from gristmill.explanations import Explainer, Importance, fragments_of, rules_of
from gristmill.explanations.pictures import heaviest_picture
from gristmill.kernels import Kernel
from gristmill.kernels.components import leaves
from gristmill.kernels.trees import TreeKernel
from gristmill.machines.machine import Machine
from gristmill.machines.structured import StructuredMachine
from gristmill.report.evaluation_result import Known
from gristmill.report.sample import Sample, sample
from gristmill.report.section import Section

_TOP = 20
_VALUES = 5_000_000  # numbers that explaining may make: features of all examples times outputs
_PAIRS = 5_000_000


def section(known: Known) -> Section | None:
    """By examples, and by the machine alone."""
    parts: list[Child] = []
    figures: dict[str, Any] = {}
    if isinstance(known.X, Rows):
        drawn, figures = _features(known)
        parts.append(drawn)
    heaviest, told = _heaviest(known)
    parts.append(heaviest)
    return Section("learned", "What it has learned", joined(*parts), figures | told)


def _features(known: Known) -> tuple[Child, dict[str, Any]]:
    """Mean Shapley values on some examples."""
    explainer = Explainer(known.machine, binarize=known.scorer.binarize)
    some = _bounded(known, known.X.lengths, _VALUES)
    if not len(some.numbers):
        return note("Examples have too many features to look at what each of them adds."), {}
    found = explainer.importance(known.some(some.numbers), n_jobs=known.wishes.n_jobs)
    signed = known.machine.n_outputs == 1
    name = shortened(known.outputs[0], LONGEST) if signed else "all outputs"
    column = found.means[:, 0] if signed else None
    lines: list[Line] = [(shortened(one.name, LONGEST), one.value) for one in found.top(_TOP)]
    parts = [bar_table(f"Features that matter most for {name}", lines, heads=("feature", "mean |value|"))]
    if column is not None:
        means = [(shortened(one.name, LONGEST), float(column[one.features[0]])) for one in found.top(_TOP)]
        parts.append(bar_table(f"Which way they pull: for {name} to the right", means, heads=("feature", "mean value")))
    said = note(f"Shapley values, exact, averaged {some.said}; examples without a feature count as 0.")
    pairs, pair_figures = _pairs(known, explainer)
    features = [
        {"name": one.name, "magnitude": one.value, "mean": None if column is None else float(column[one.features[0]])}
        for one in found.top(_TOP)
    ]
    figures = {"examples": len(some.numbers), "features": features, **pair_figures}
    return joined(grid(*parts), said, pairs), figures


def _pairs(known: Known, explainer: Explainer) -> tuple[Child, dict[str, Any]]:
    if known.machine.kernel.degree == 1:
        return note("The kernel is linear: no features act together."), {}
    lengths = known.X.lengths
    some = _bounded(known, lengths * (lengths - 1) // 2, _PAIRS)
    if not len(some.numbers):
        return note("Examples have too many features to look at all pairs of them."), {}
    found: Importance = explainer.importance(known.some(some.numbers), interactions=True, n_jobs=known.wishes.n_jobs)
    lines: list[Line] = [(shortened(one.name, LONGEST), one.value) for one in found.top_pairs(_TOP)]
    drawn = bar_table("Pairs that act together most", lines, heads=("pair", "mean |interaction|"))
    told = [{"name": one.name, "magnitude": one.value} for one in found.top_pairs(_TOP)]
    said = note(f"Shapley interactions, exact, averaged {some.said}.")
    return joined(drawn, said), {"pair_examples": len(some.numbers), "pairs": told}


def _bounded(known: Known, costs: Any, most: int) -> Sample:
    """As many examples as were asked for, fewer where they would make more than so many numbers."""
    mean = max(float(np.mean(costs)), 1e-9) * known.machine.n_outputs
    return sample(len(known), min(known.wishes.examples, int(most / mean)), known.wishes.random_state)


def _heaviest(known: Known) -> tuple[Child, dict[str, Any]]:
    """Rules and fragments, or why there are none."""
    parts: list[Child] = []
    figures: dict[str, Any] = {}
    for find, machine in _machines(known):
        try:
            found = find(machine, top=_TOP, n_jobs=known.wishes.n_jobs)
        except ValueError as error:
            parts.append(note(f"Rules and fragments are not shown: {error}."))
            continue
        parts.append(heaviest_picture(found, _TOP))
        figures |= {f"{found.kind}_floor": found.floor, found.kind: found.as_dict()[found.kind]}
    said = "What it adds to an output wherever it holds: the weight" + (
        ", in a tree divided by the norm of the tree." if known.forest is not None else "."
    )
    return joined(grid(*parts), note(said) if figures else None), figures


def _machines(known: Known) -> list[tuple[Callable[..., Any], Machine]]:
    """The machine; of one that looks at trees and at rows beside them, such as their words, what each kernel adds."""
    machine = known.machine
    if not isinstance(machine, StructuredMachine):
        return [(rules_of, machine)]
    try:
        parts = list(leaves(machine.kernel, machine.support, machine.dense_coef()))
    except ValueError:  # fragments_of says what is missing
        return [(fragments_of, machine)]
    if all(isinstance(part.kernel, TreeKernel) for part in parts):
        return [(fragments_of, machine)]
    outputs = machine.intercept, machine.classes, str(machine.scheme)
    return [(_finder(part.kernel), Machine(part.kernel, part.support, part.coef, *outputs)) for part in parts]


def _finder(kernel: Kernel) -> Callable[..., Any]:
    return fragments_of if isinstance(kernel, TreeKernel) else rules_of
