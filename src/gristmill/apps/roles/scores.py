"""How good labelled roles are: exact spans with their roles, as the CoNLL-2005 scorer counts them.

Unlike that scorer, a continued argument (C-ARG1) is one of its own, not part of another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from gristmill.apps.scores import MatchScore
from gristmill.data.formats.propbank import Name, Proposition


@dataclass(frozen=True)
class RoleScore(MatchScore):
    """How many arguments of a role there are, were labelled, and were labelled right."""

    role: str
    gold: int
    predicted: int
    correct: int

    def as_dict(self) -> dict[str, Any]:
        return {"role": self.role, **self.numbers()}


@dataclass(frozen=True)
class RoleScores:
    """Scores of all arguments and of those of each role.

    Parameters
    ----------
    total : RoleScore
        Of all roles together.
    boundaries : RoleScore
        Of arguments whatever their role is.
    roles : tuple of RoleScore
        In the order of names.
    """

    total: RoleScore
    boundaries: RoleScore
    roles: tuple[RoleScore, ...]

    @property
    def main(self) -> float:
        """What `RoleLabeller.score` gives: the F1 of arguments with their roles."""
        return self.total.f1

    def as_dict(self) -> dict[str, Any]:
        roles = [role.as_dict() for role in self.roles]
        return {"total": self.total.as_dict(), "boundaries": self.boundaries.as_dict(), "roles": roles}


def score_roles(
    gold: Iterable[Proposition], predicted: Iterable[Proposition], *, only_with_role: bool = False
) -> RoleScores:
    """Compare arguments, predicate by predicate; predicates that only one side has count as well.

    Parameters
    ----------
    gold, predicted : iterable of Proposition
    only_with_role : bool
        Of each role, count what was labelled at predicates that have the role in `gold`, and nowhere else: the easier
        task of Kazama and Torisawa (2005, footnote 5). Boundaries are counted everywhere.

    Examples
    --------
    >>> from gristmill.apps.roles import Argument, Proposition, score_roles
    >>> gold = [Proposition(("-", "0"), 1, arguments=(Argument(0, 0, "ARG0"), Argument(2, 2, "ARG1")))]
    >>> mine = [Proposition(("-", "0"), 1, arguments=(Argument(0, 0, "ARG0"), Argument(2, 2, "ARG2")))]
    >>> scores = score_roles(gold, mine)
    >>> scores.total.f1, scores.boundaries.f1, [(score.role, score.f1) for score in scores.roles]
    (0.5, 1.0, [('ARG0', 1.0), ('ARG1', 0.0), ('ARG2', 0.0)])
    """
    of_gold, of_predicted = _arguments(gold), _arguments(predicted)
    spans = [_counted_by(counted, lambda key: key[:4]) for counted in (of_gold, of_predicted)]
    if only_with_role:
        of_predicted = _at_predicates_of(of_gold, of_predicted)
    correct = of_gold & of_predicted
    by_role = [_counted_by(counted, lambda key: key[4]) for counted in (of_gold, of_predicted, correct)]
    names = sorted({*by_role[0], *by_role[1]})
    return RoleScores(
        RoleScore("all", of_gold.total(), of_predicted.total(), correct.total()),
        RoleScore("boundaries", spans[0].total(), spans[1].total(), (spans[0] & spans[1]).total()),
        tuple(RoleScore(name, *(counted[name] for counted in by_role)) for name in names),
    )


_Key = tuple[Name, int, int, int, str]
_Counts = Counter[_Key]
T = TypeVar("T")


def _arguments(propositions: Iterable[Proposition]) -> _Counts:
    return Counter((one.sentence, one.token, *argument) for one in propositions for argument in one.arguments)


def _at_predicates_of(of_gold: _Counts, of_predicted: _Counts) -> _Counts:
    """What was found at predicates that have the role."""
    known = {(sentence, token, role) for sentence, token, *_, role in of_gold}
    return Counter({one: times for one, times in of_predicted.items() if (one[0], one[1], one[-1]) in known})


def _counted_by(found: _Counts, part: Callable[[_Key], T]) -> Counter[T]:
    """The same, counted by a part of the keys."""
    counted: Counter[T] = Counter()
    for key, times in found.items():
        counted[part(key)] += times
    return counted
