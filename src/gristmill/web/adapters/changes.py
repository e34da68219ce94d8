"""What would change the answer for a row: the cheapest changes, and what is proven of them."""

from __future__ import annotations

import functools

from gristmill.data.rows import Rows
from gristmill.display.words import spelled_label
from gristmill.explanations import DecisionExplainer
from gristmill.kernels import ConjunctionKernel
from gristmill.machines.machine import Machine
from gristmill.web.adapters.base import Answer
from gristmill.web.limits import Watch
from gristmill.web.requests import number

_NODES = 20_000  # of a search


class RowChanges:
    """Searches when first asked: getting a machine ready takes a while."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @staticmethod
    def searches(machine: Machine) -> bool:
        """Whether rows of a machine are searched here."""
        is_expanded = machine.is_polynomial or isinstance(machine.kernel, ConjunctionKernel)
        return is_expanded and machine.is_binary_valued and machine.n_classes > 1

    def of(self, row: Rows, watch: Watch) -> Answer | None:
        """The cheapest changes that give another class."""
        if not (self.searches(self._machine) and row.is_binary):
            return None
        found = self._explainer.counterfactual(row, max_nodes=_NODES, progress=lambda *_: watch())
        answers = [
            {
                "label": spelled_label(answer.prediction),
                "cost": number(answer.cost),
                "changes": [{"name": one.name, "before": one.before, "after": one.after} for one in answer.changes],
            }
            for answer in found
        ]
        return {"said": found.verdict(), "proven": found.is_proven, "answers": answers}

    @functools.cached_property
    def _explainer(self) -> DecisionExplainer:
        return DecisionExplainer(self._machine)
