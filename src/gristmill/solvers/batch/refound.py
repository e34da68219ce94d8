"""Training examples found again behind a machine of a file: which of them its support examples are, and its settings.

A support example is an example that is equal to it and of a class that its coefficients speak for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import Any

import numpy as np

from gristmill.base.arrays import Floats, Indices
from gristmill.data.examples import Examples
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.machines.schemes import Scheme, pairs
from gristmill.solvers.batch.present import Present, found_gradients, variables_of
from gristmill.solvers.batch.problems import class_problems
from gristmill.solvers.batch.result import Task
from gristmill.solvers.batch.rows import TrainingRows
from gristmill.solvers.batch.settings import SvmSettings

_LOOSE = 10.0  # times tol: how far a machine of a file may be from the solution


def settings_of(machine: Machine) -> SvmSettings:
    """How the machine was trained, as it remembers; ValueError where that is not known, or not to be repeated."""
    known = machine.provenance
    how = known.get("trained")
    if how == "online":
        raise ValueError("an online learner cannot forget: each step depends on all steps before it; learn anew")
    if how != "batch" or "C" not in known or not machine.scheme.has_labels or machine.n_classes < 2:
        raise ValueError(
            "only machines of `gristmill train` and KernelSVC know how they were learned (C, tolerance, weights); "
            f"this one says {dict(known)!r}: learn anew without the rows"
        )
    if known.get("weighted"):
        raise ValueError("examples had weights of their own, which the model does not keep: use KernelSVC.forget")
    if known.get("sampling"):
        raise ValueError("cutting planes of samples are approximate, and no solution to start from: learn anew")
    return SvmSettings(
        machine.kernel,
        C=known["C"],
        tol=known["tol"],
        solver=known["solver"] if known["solver"] == "cutting-plane" else "auto",
        multiclass="ovr" if machine.scheme is Scheme.ONE_VS_REST else "ovo",
        fit_intercept=known.get("fit_intercept", True),
        intercept_scaling=known.get("intercept_scaling"),
        auto_cost=known.get("C_rule") == "auto",
    )


def class_factors_of(machine: Machine) -> Floats:
    """The factor of C of each class."""
    return np.asarray(machine.provenance.get("class_factors", np.ones(machine.n_classes)), dtype=np.float64)


def present_of(machine: Machine, X: Any, labels: Indices, settings: SvmSettings) -> Present:
    """The solution that the machine is, of these examples; ValueError where it is none."""
    rows = TrainingRows.of(settings, X, None)
    costs = settings.cost * (np.ones(len(rows)) * class_factors_of(machine)[labels])
    problems = class_problems(labels, machine.n_classes, machine.scheme, costs, rows.groups)
    task = Task(settings, rows, labels, machine.classes, machine.scheme, problems, machine.first_id)
    alphas = variables_of(problems, machine.coef, support_numbers(machine, rows.data, labels))
    scores = machine.compile(binarize=False).decision_function(rows.distinct).reshape(rows.size, -1)
    gradients = found_gradients(task, machine.intercept, scores)
    present = Present(task, alphas, machine.intercept, lambda: gradients)
    if machine.provenance["solver"] != "cutting-plane":
        _check_is_solved(present)
    return present


def support_numbers(machine: Machine, data: Any, labels: Indices) -> Indices:
    """The training example of each support example."""
    places = defaultdict[Hashable, list[int]](list)
    for number, key in enumerate(_keys(data)):
        places[key].append(number)
    speaks = _signs(machine)
    coef, found = machine.dense_coef(), list[int]()
    for key, own in zip(_keys(machine.support), coef, strict=True):
        candidates = places[key]
        fitting = [one for one in candidates if _fits(own, speaks[labels[one]])]
        if not fitting:
            raise ValueError(
                f"support example {len(found) + 1} of the model is not among the data with a label that fits: give the "
                "file that the model was learned from"
            )
        candidates.remove(fitting[0])
        found.append(fitting[0])
    return np.array(found, dtype=np.intp)


def _fits(coef: Floats, speaks: Floats) -> bool:
    return bool((coef * speaks >= 0).all() and (coef[speaks == 0] == 0).all())


def _signs(machine: Machine) -> Floats:
    """The sign of the coefficients of examples of each class, by output."""
    size = machine.n_classes
    if machine.scheme is Scheme.BINARY:
        return np.array([[-1.0], [1.0]])
    if machine.scheme is Scheme.ONE_VS_REST:
        return 2 * np.eye(size) - 1
    signs = np.zeros((size, machine.n_outputs))
    for output, (first, second) in enumerate(pairs(size)):
        signs[first, output], signs[second, output] = 1.0, -1.0
    return signs


def _keys(data: Any) -> list[Hashable]:
    """What equal examples have in common."""
    if isinstance(data, Rows):
        bounds = zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True)
        return [(data.ids[begin:end].tobytes(), data.values[begin:end].tobytes()) for begin, end in bounds]
    if isinstance(data, Forest):
        return list(data)
    assert isinstance(data, Examples)
    return list(zip(*(_keys(field) for field in data.fields.values()), strict=True))


def _check_is_solved(present: Present) -> None:
    """Raise ValueError where the machine violates the optimality conditions by much more than it may."""
    tol = present.task.settings.tol
    free = present.intercept if present.task.settings.is_balanced else np.zeros(len(present.intercept))
    for problem, alpha, gradient, b in zip(
        present.task.problems, present.alphas, present.gradients(), free, strict=True
    ):
        slope = problem.signs * (gradient + b)
        wrong = np.maximum(np.where(alpha > 0, slope, 0.0), np.where(alpha < problem.bounds, -slope, 0.0))
        worst = float(wrong.max(initial=0.0))
        if worst > _LOOSE * tol:
            raise ValueError(
                f"the model is not the solution of these data: a condition is violated by {worst:.3g}, tol is {tol:g}; "
                "give the file that it was learned from, with nothing left out"
            )
