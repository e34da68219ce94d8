"""What a file may hold beside the machine: how scores become probabilities, and the names of features."""

from __future__ import annotations

from gristmill.base.arrays import Floats
from gristmill.exporting.program import Program
from gristmill.machines.machine import Machine
from gristmill.machines.probability import CoupledSigmoid, Density, Sigmoid, Softmax
from gristmill.machines.schemes import Scheme

PROBABILITIES = ("softmax", "density", "sigmoids", "pair", "pairs")


def probability_kind(machine: Machine) -> str | None:
    """How its scores become probabilities of classes, by one of these names; None where they do not."""
    found = machine.probability
    if isinstance(found, Softmax | Density):
        return found.kind
    if not isinstance(found, Sigmoid):
        return None
    if machine.scheme is Scheme.ONE_VS_REST:
        return "sigmoids"
    several = machine.scheme is Scheme.ONE_VS_ONE and machine.n_classes > 2
    coupled = machine.scheme is not Scheme.ONE_VS_ONE and isinstance(found, CoupledSigmoid)
    return "pairs" if several or coupled else "pair"


def probability_numbers(machine: Machine) -> dict[str, Floats]:
    """The coefficients, by name."""
    found = machine.probability
    if isinstance(found, Density):
        return {"marks": found.marks}
    return {"a": found.a, "b": found.b} if isinstance(found, Sigmoid) else {}


def named_features(program: Program) -> list[tuple[str, int]]:
    """The names and ids of the features that weigh anything, by the bytes of their names."""
    names = program.machine.feature_names
    if names is None:
        raise ValueError("the features of this machine have no names; leave names out, or give it some by `replace`")
    found = [(names[at], at) for at in program.features.tolist()]
    return sorted(found, key=lambda entry: entry[0].encode())
