"""Why candidates are arguments of a predicate, or are not, and why an argument has its role: by the nodes of trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gristmill.apps.roles.model import CLASSIFY, IDENTIFY, YES
from gristmill.base.arrays import Floats
from gristmill.data.forest import Forest
from gristmill.data.formats.propbank import Argument
from gristmill.explanations.tree_explanation import TreeExplanation
from gristmill.explanations.tree_nodes import TreeExplainer

Place = tuple[int, int]


@dataclass(frozen=True, eq=False)
class RoleDecision:
    """What was decided on one candidate.

    Attributes
    ----------
    first, last : int
        Its tokens.
    role : str or None
        What it is called; None where it is no argument.
    argument : TreeExplanation
        Of the machine that says whether it is one: it is, if it scores more than the threshold and does not overlap
        others that score more.
    naming : TreeExplanation or None
        Of the machine of roles; None where it did not decide.
    """

    first: int
    last: int
    role: str | None
    argument: TreeExplanation
    naming: TreeExplanation | None

    @property
    def heading(self) -> str:
        """tokens 2-3: ARG1."""
        tokens = f"token {self.first}" if self.first == self.last else f"tokens {self.first}-{self.last}"
        return f"{tokens}: {self.role or 'no argument'}"

    def draw(self) -> str:
        """Text: what was decided, and what each node of the marked trees adds."""
        parts = [self.argument.draw(YES)] + ([] if self.naming is None else [self.naming.draw()])
        return "\n\n".join([f"{self.heading}\n{parts[0]}", *parts[1:]])

    __str__ = draw

    def as_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        naming = None if self.naming is None else self.naming.as_dict()
        explained = {"argument": self.argument.as_dict(), "naming": naming}
        return {"first": self.first, "last": self.last, "role": self.role, **explained}


def role_decisions(
    explainers: Mapping[str, TreeExplainer],
    places: list[Place],
    forest: Forest,
    scores: Floats,
    arguments: tuple[Argument, ...],
    n_jobs: int | None = None,
) -> list[RoleDecision]:
    """On all candidates of a predicate, which are marked trees of these tokens, given the predicted arguments."""
    roles = _roles_of(places, scores, arguments)
    chosen = sorted(roles) if CLASSIFY in explainers else []
    naming = (
        dict(zip(chosen, explainers[CLASSIFY].explain(forest[chosen], n_jobs=n_jobs), strict=True)) if chosen else {}
    )
    found = explainers[IDENTIFY].explain(forest, n_jobs=n_jobs)
    return [RoleDecision(*places[at], roles.get(at), one, naming.get(at)) for at, one in enumerate(found)]


def _roles_of(places: list[Place], scores: Floats, arguments: tuple[Argument, ...]) -> dict[int, str]:
    """Roles by the numbers of candidates: of those with the same tokens the one that scores highest was taken."""
    roles = dict[int, str]()
    for argument in arguments:
        own = [at for at, place in enumerate(places) if place == (argument.first, argument.last)]
        if own:
            roles[max(own, key=lambda at: (scores[at], -at))] = argument.role
    return roles
