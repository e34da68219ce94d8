"""What apps keep in the file of their machines."""

from __future__ import annotations

from typing import Any

from gristmill.machine import Machine, remade
from gristmill.structured import StructuredMachine


def with_provenance(machine: Machine, more: dict[str, Any]) -> Machine:
    """The machine, with more known about where it came from."""
    return _replaced(machine, machine.provenance | more)


def without_provenance(machine: Machine, name: str) -> Machine:
    """The machine, with one thing less known about where it came from."""
    if name not in machine.provenance:
        return machine
    return _replaced(machine, {key: value for key, value in machine.provenance.items() if key != name})


def _replaced(machine: Machine, provenance: dict[str, Any]) -> Machine:
    if not isinstance(machine, StructuredMachine):
        return remade(machine, provenance=provenance)
    return Machine(
        machine.kernel,
        machine.support,
        machine.coef,
        machine.intercept,
        machine.classes,
        machine.scheme,
        zero_class=machine.zero_class,
        probability=machine.probability,
        provenance=provenance,
    )
