"""What became of predicates and arguments on their way to examples."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class RoleCounts:
    """What became of predicates and arguments.

    Parameters
    ----------
    predicates, arguments : int
        All that there were.
    predicates_without_node : int
        Predicates that no node stands for; all their arguments are without one, too.
    arguments_without_node : int
        No node has exactly these tokens.
    arguments_at_predicate : int
        The node is the predicate's own, which has a mark already.
    arguments_not_candidates : int
        There is a node, but it was pruned or is above the predicate.
    """

    predicates: int = 0
    arguments: int = 0
    predicates_without_node: int = 0
    arguments_without_node: int = 0
    arguments_at_predicate: int = 0
    arguments_not_candidates: int = 0

    @property
    def lost(self) -> int:
        """Arguments that make no example."""
        return self.arguments_without_node + self.arguments_at_predicate + self.arguments_not_candidates

    @property
    def share_lost(self) -> float:
        """Of all arguments; 0 if there are none."""
        return self.lost / self.arguments if self.arguments else 0.0

    def __str__(self) -> str:
        said = f"{_number(self.predicates, 'predicate')} with {_number(self.arguments, 'argument')}"
        if self.predicates_without_node:
            said += f", {_number(self.predicates_without_node, 'predicate')} without a node"
        reasons = [
            (self.arguments_without_node, "without a node"),
            (self.arguments_at_predicate, "at the node of the predicate"),
            (self.arguments_not_candidates, "not among the candidates"),
        ]
        why = ", ".join(f"{count:,} {reason}" for count, reason in reasons if count)
        return f"{said}; {self.share_lost:.1%} of the arguments lost ({why})" if why else f"{said}; none lost"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
