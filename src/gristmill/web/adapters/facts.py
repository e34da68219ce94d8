"""What there is to say of machines and their scorers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gristmill.display.words import spelled_label
from gristmill.explanations.models import output_names
from gristmill.machines.machine import Machine
from gristmill.machines.probability import Density, Sigmoid
from gristmill.machines.schemes import Scheme
from gristmill.machines.structured import StructuredMachine
from gristmill.scoring.scorer import Scorer

_TASKS = {Scheme.REGRESSION: "numbers", Scheme.ONE_CLASS: "outliers"}


def class_names(machine: Machine) -> tuple[str, ...]:
    return () if machine.classes is None else tuple(map(spelled_label, machine.classes.tolist()))


def has_probabilities(machine: Machine) -> bool:
    """Of classes: what regression keeps is the scale of its noise."""
    return isinstance(machine.probability, Sigmoid | Density)


def machine_facts(machine: Machine, scorer: Scorer) -> dict[str, Any]:
    """Of a model with one machine."""
    on_trees = isinstance(machine, StructuredMachine)
    return {
        "task": _TASKS.get(machine.scheme, "classes"),
        "classes": None if machine.classes is None else list(class_names(machine)),
        "outputs": list(output_names(machine)),
        "kernel": _kernel(machine),
        "scheme": str(machine.scheme),
        "support": machine.n_support,
        "features": None if on_trees else machine.n_features,
        "named_features": machine.feature_names is not None,
        "probabilities": has_probabilities(machine),
        "engine": engine_facts([scorer]),
    }


def _kernel(machine: Machine) -> str:
    return repr(machine.kernel) if isinstance(machine, StructuredMachine) else str(machine.kernel)


def engine_facts(scorers: Sequence[Scorer]) -> dict[str, Any]:
    """How machines are evaluated; the reason where there is one machine."""
    return {
        "name": ", ".join(sorted({scorer.engine for scorer in scorers})),
        "exact": all(scorer.exact for scorer in scorers),
        "bytes": sum(scorer.nbytes for scorer in scorers),
        "reason": scorers[0].report().reason if len(scorers) == 1 else None,
    }
