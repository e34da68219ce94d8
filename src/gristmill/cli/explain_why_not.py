"""What explain --why-not says of a row: the cheapest changes that give a class."""

from __future__ import annotations

from typing import Any

import click

from gristmill.data.rows import Rows
from gristmill.display.words import listed_labels, spelled_label
from gristmill.explanations import Counterfactuals, DecisionExplainer
from gristmill.machines.machine import Machine


class WhyNot:
    """Asks a machine why rows are not of one class."""

    def __init__(self, machine: Machine, target: str) -> None:
        if machine.classes is None:
            raise click.UsageError("--why-not: this machine has no classes; see `gristmill counterfactual --above`")
        if target not in map(spelled_label, machine.classes.tolist()):
            raise click.UsageError(
                f"--why-not: there is no class {target!r}; there are {listed_labels(machine.classes)}"
            )
        self._explainer = DecisionExplainer(machine)
        self._target = target

    def __call__(self, row: Rows, label: Any) -> Counterfactuals | None:
        """None where the row is of that class."""
        if spelled_label(label) == self._target:
            return None
        return self._explainer.counterfactual(row, self._target)
