"""The options of a counterfactual, in one place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gristmill.base.checks import check_flag, check_positive_int

Names = str | int | Iterable[str | int] | bool
NODES = 200_000  # that are looked at for one question
NO_LIMIT = 2**64 - 1
NAMED_RULES = ("immutable", "increase_only", "decrease_only", "add_only", "remove_only")


@dataclass(frozen=True, kw_only=True)
class ChangeOptions:
    """What is asked for, which changes are allowed, what they cost and how far is searched.

    See `gristmill.counterfactual`, which explains each of them.
    """

    probability: float | None = None
    above: float | None = None
    below: float | None = None
    costs: Any = None
    immutable: Names = ()
    increase_only: Names = ()
    decrease_only: Names = ()
    add_only: Names = ()
    remove_only: Names = ()
    to_unknown: bool = False
    max_changes: int | None = None
    disjoint: bool = False
    max_nodes: int | None = NODES

    def __post_init__(self) -> None:
        check_flag("disjoint", self.disjoint)
        limit("max_changes", self.max_changes)
        limit("max_nodes", self.max_nodes)

    @property
    def change_limit(self) -> int:
        """As the core reads it."""
        return limit("max_changes", self.max_changes)

    def nodes_after(self, spent: int) -> int:
        """What is left of the nodes, as the core reads it."""
        nodes = limit("max_nodes", self.max_nodes)
        return nodes if nodes == NO_LIMIT else max(0, nodes - spent)


def limit(name: str, value: int | None) -> int:
    """The number that the core reads."""
    if value is None:
        return NO_LIMIT
    check_positive_int(name, value)
    return int(value)
