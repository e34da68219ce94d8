"""What would make a mistake right: the cheapest changes that give the true class."""

from __future__ import annotations

from math import comb

from gristmill.data.rows import Rows
from gristmill.display.markup import Html
from gristmill.display.page import note
from gristmill.explanations import Counterfactuals, DecisionExplainer
from gristmill.kernels import ConjunctionKernel
from gristmill.machines.machine import Machine
from gristmill.report.doubtful import Case

_MOST_CONJUNCTIONS = 3_000_000  # that are listed for a page
_MOST_NODES, _LEAST_NODES = 20_000, 200
_MOST_LOOKS = 100_000_000  # at a feature for an output, in all nodes of a search: a second or so


class Changes:
    """Searches for changes of rows; of machines that can be searched in a moment."""

    def __init__(self, machine: Machine) -> None:
        self._explainer = DecisionExplainer(machine)
        self._nodes = nodes_of(machine.n_features * machine.n_outputs)

    @classmethod
    def of(cls, machine: Machine) -> Changes | None:
        """None for machines whose rows are not searched, or for which that would take long."""
        is_expanded = machine.is_polynomial or isinstance(machine.kernel, ConjunctionKernel)
        if not is_expanded or not machine.is_binary_valued or machine.n_classes < 2:
            return None
        return cls(machine) if _conjunctions(machine) <= _MOST_CONJUNCTIONS else None

    def __call__(self, row: Rows, case: Case) -> Counterfactuals | None:
        """To the true class, where the answer is another one and the machine knows it."""
        if case.truth is None or case.truth != case.rival or case.truth == case.answer or not row.is_binary:
            return None
        return self._explainer.counterfactual(row, case.truth, max_nodes=self._nodes)


def shown(found: Counterfactuals | None) -> Html | None:
    """As a table, or in a line that says that there are none."""
    if found is None:
        return None
    return found.html() if found else note(f"What would make it right: {found.verdict()}.")


def nodes_of(looks: int) -> int:
    """The most nodes of a search in which each looks at so many weights: parsers have hundreds of thousands."""
    return min(_MOST_NODES, max(_LEAST_NODES, _MOST_LOOKS // max(looks, 1)))


def _conjunctions(machine: Machine) -> int:
    """In the support rows."""
    if not machine.is_polynomial:
        return machine.n_support
    degree = machine.polynomial.degree
    return sum(comb(length, size) for length in machine.rows.lengths.tolist() for size in range(1, degree + 1))
