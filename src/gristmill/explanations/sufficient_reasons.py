"""What suffices for a decision: the fewest facts of a row that fix its class, whatever all others are.

Facts suffice if no changes of the others give another class. So each set of changes that does must touch a reason: the
smallest reason is a smallest set that hits all of them. Sets of changes are searched as they are needed (implicit
hitting sets), until a smallest hitting set leaves no changes that give another class.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from gristmill.base.arrays import Indices
from gristmill.display.bars import aligned
from gristmill.display.page import notebook
from gristmill.display.tables import table
from gristmill.display.words import counted
from gristmill.explanations.counterfactuals import Counterfactual
from gristmill.explanations.row_variables import RowVariables

Kind = Literal["smallest", "subset-minimal", "sufficient", "none", "unknown"]
Set = frozenset[int]
_MOST_STEPS = 20_000  # of a search for a smallest hitting set

_WORDS: dict[Kind, str] = {
    "smallest": "the fewest (proven)",
    "subset-minimal": "none of which can be left out (proven)",
    "sufficient": "which suffice (proven), perhaps with some to spare",
}


@dataclass(frozen=True)
class Fact:
    """A variable and its value in the row."""

    name: str
    value: str


@dataclass(frozen=True, eq=False)
class SufficientReason:
    """Facts of a row that fix its class, whatever its other variables are.

    Attributes
    ----------
    prediction
        The class.
    facts : tuple of Fact
    n_facts : int
        Of the whole row.
    kind : {'smallest', 'subset-minimal', 'sufficient', 'none', 'unknown'}
        'smallest': no fewer facts fix the class. 'subset-minimal': none of these can be left out, but others might be
        fewer. 'sufficient': the search ended before it was known whether some can be left out. 'none': not even the
        whole row fixes the class. 'unknown': the search ended before it was known whether the whole row does.
    lower_bound : int
        No reason has fewer facts.
    witness : Counterfactual or None
        Where not even the whole row suffices: changes of what is no fact, which give another class.
    nodes : int
        What the searches looked at.
    """

    prediction: Any
    facts: tuple[Fact, ...]
    n_facts: int
    kind: Kind
    lower_bound: int
    witness: Counterfactual | None
    nodes: int

    def __len__(self) -> int:
        return len(self.facts)

    def __str__(self) -> str:
        lines = [(f"  {fact.name}", fact.value) for fact in self.facts]
        return "\n".join([self.verdict(), *(aligned(lines, right=()) if lines else [])])

    __repr__ = __str__

    def verdict(self) -> str:
        """What is proven, in words."""
        if self.kind == "none":
            return f"{self.prediction} is not certain by the whole row: {self.witness} gives another class"
        if self.kind == "unknown":
            return f"{self.prediction}: the search ended before it was known whether the whole row fixes the class"
        if not self.facts:
            return f"{self.prediction} is certain without any fact: no row is of another class (proven)"
        return (
            f"{self.prediction} is certain by {len(self.facts)} of {counted(self.n_facts, 'fact')}, {_WORDS[self.kind]}"
        )

    def _repr_html_(self) -> str:
        return notebook(table(self.verdict(), ["fact", "value"], [[fact.name, fact.value] for fact in self.facts]))

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "prediction": self.prediction,
            "facts": [asdict(fact) for fact in self.facts],
            "n_facts": self.n_facts,
            "kind": self.kind,
            "lower_bound": self.lower_bound,
            "witness": None if self.witness is None else self.witness.as_dict(),
            "nodes": self.nodes,
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), allow_nan=False)


# Changes that leave some variables as they are and give another class, the variables they change, whether the search
# came to its end, and what it looked at: within so many nodes.
Changing = Callable[[Iterable[int], int], tuple[Counterfactual | None, Set, bool, int]]


def sufficient_reason(
    variables: RowVariables,
    own: Indices,
    prediction: Any,
    changing: Changing,
    absences: bool,
    smallest: bool,
    budget: int,
) -> SufficientReason:
    """Search for the smallest reason; where the nodes end, or `smallest` is not asked for, for one without excess."""
    is_fact = np.ones(len(own), dtype=np.bool_) if absences else variables.columns[own] >= 0
    search = _Reasons(frozenset(np.flatnonzero(is_fact).tolist()), changing, budget)
    reason, kind = search.find(smallest)
    facts = tuple(Fact(variables.name(at), variables.word(int(own[at]))) for at in sorted(reason))
    return SufficientReason(
        prediction, facts, int(is_fact.sum()), kind, search.lower_bound, search.witness, search.nodes
    )


class _Reasons:
    """The search for one row: what facts there are, and the sets of changes that are known."""

    def __init__(self, facts: Set, changing: Changing, budget: int) -> None:
        self._facts = facts
        self._changing = changing
        self._budget = budget
        self._sets: list[Set] = []
        self._left = budget
        self.nodes = 0
        self.lower_bound = 0
        self.witness: Counterfactual | None = None

    def find(self, smallest: bool) -> tuple[Set, Kind]:
        found, _ = self._ask(self._facts)
        if found is None:
            return frozenset(), "unknown"
        if not found:
            self.lower_bound = 0
            return frozenset(), "none"
        if smallest and (reason := self._smallest()) is not None:
            return reason, "smallest"
        self.witness, self._left = None, self._budget
        return self._without_excess()

    def _smallest(self) -> Set | None:
        while (hitting := smallest_hitting_set(self._sets)) is not None:
            self.lower_bound = len(hitting)
            held = hitting
            is_enough, new = self._ask(held)
            if is_enough is None:
                return None
            if is_enough:
                return hitting
            while new:  # more sets that share nothing with those found make larger steps
                held |= new
                new = self._ask(held)[1]
        return None

    def _without_excess(self) -> tuple[Set, Kind]:
        """Leave facts out one after the other, those that no known set of changes touches first."""
        touched = frozenset().union(*self._sets) & self._facts
        reason, kind = self._facts, "subset-minimal"
        if touched != reason and self._ask(touched)[0]:
            reason = touched
        for fact in sorted(reason, key=lambda one: (sum(one in other for other in self._sets), one)):
            rest = reason - {fact}
            if any(not rest & other for other in self._sets):
                continue
            is_enough, _ = self._ask(rest)
            if is_enough:
                reason = rest
            elif is_enough is None:
                kind = "sufficient"
        return reason, kind  # type: ignore[return-value]

    def _ask(self, held: Set) -> tuple[bool | None, Set]:
        """Whether facts fix the class, None where the nodes ended; else the facts that changes touch."""
        if self._left <= 0:
            return None, frozenset()
        answer, changed, is_complete, nodes = self._changing(sorted(held), self._left)
        self._left -= nodes
        self.nodes += nodes
        if answer is None:
            return (True if is_complete else None), frozenset()
        touched = changed & self._facts
        if touched:
            self._sets.append(touched)
        else:
            self.witness = answer
        return False, touched


def smallest_hitting_set(sets: list[Set]) -> Set | None:
    """The smallest set that shares an element with each of some sets; None where that takes too long.

    Examples
    --------
    >>> from gristmill.explanations.sufficient_reasons import smallest_hitting_set
    >>> sorted(smallest_hitting_set([frozenset({1, 2}), frozenset({2, 3}), frozenset({4})]))
    [2, 4]
    """
    minimal = [one for one in dict.fromkeys(sets) if not any(other < one for other in sets)]
    best = _greedy(minimal)
    steps = 0

    def extend(chosen: Set, left: list[Set]) -> bool:
        nonlocal best, steps
        steps += 1
        if not left:
            best = min(best, chosen, key=len)
        elif len(chosen) + _apart(left) < len(best):
            first = min(left, key=lambda one: (len(one), sorted(one)))
            for element in sorted(first, key=lambda one: (-sum(one in other for other in left), one)):
                if not extend(chosen | {element}, [other for other in left if element not in other]):
                    return False
        return steps < _MOST_STEPS

    return best if extend(frozenset(), minimal) else None


def _greedy(sets: list[Set]) -> Set:
    chosen: Set = frozenset()
    while left := [one for one in sets if not one & chosen]:
        elements = sorted(frozenset().union(*left))
        chosen |= {max(elements, key=lambda element: sum(element in other for other in left))}
    return chosen


def _apart(sets: list[Set]) -> int:
    """How many sets there are, at least, no two of which share anything."""
    taken: Set = frozenset()
    count = 0
    for one in sorted(sets, key=len):
        if not one & taken:
            taken, count = taken | one, count + 1
    return count
