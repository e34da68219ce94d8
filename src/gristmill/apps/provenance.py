"""What apps keep in the file of their machines."""

from __future__ import annotations

from typing import Any

from gristmill.machines.machine import Machine


def with_provenance(machine: Machine, more: dict[str, Any]) -> Machine:
    """The machine, with more known about where it came from."""
    return machine.replace(provenance=machine.provenance | more)


def without_provenance(machine: Machine, name: str) -> Machine:
    """The machine, with one thing less known about where it came from."""
    if name not in machine.provenance:
        return machine
    return machine.replace(provenance={key: value for key, value in machine.provenance.items() if key != name})
