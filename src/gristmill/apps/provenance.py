"""What programs remember beside their machines, in the same file."""

from __future__ import annotations

from typing import Any

from gristmill.machine import Machine


def with_provenance(machine: Machine, more: dict[str, Any]) -> Machine:
    """The machine, with more said about where it came from."""
    return Machine(
        machine.kernel,
        machine.support,
        machine.coef,
        machine.intercept,
        machine.classes,
        machine.scheme,
        zero_class=machine.zero_class,
        provenance=machine.provenance | more,
    )
