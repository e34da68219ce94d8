"""Scores of roles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps.roles import (
    Argument,
    Proposition,
    score_roles,
)

ROLES = st.sampled_from(["ARG0", "ARG1", "C-ARG1"])
SPANS = st.tuples(st.integers(0, 2), st.integers(2, 3))
ARGUMENTS = st.lists(st.builds(lambda span, role: Argument(*span, role), SPANS, ROLES), max_size=4, unique=True)
SIDES = st.dictionaries(st.integers(0, 3), ARGUMENTS, max_size=3)


def propositions_of(side):
    return [Proposition(("d", "0"), token, arguments=tuple(arguments)) for token, arguments in side.items()]


@given(SIDES, SIDES)
def test_scores_count_what_both_sides_have(gold, mine):
    scores = score_roles(propositions_of(gold), propositions_of(mine))
    expected, given_ = ({(token, *one) for token, some in side.items() for one in some} for side in (gold, mine))
    assert (scores.total.gold, scores.total.predicted) == (len(expected), len(given_))
    assert scores.total.correct == len(expected & given_) == sum(role.correct for role in scores.roles)
    assert [role.role for role in scores.roles] == sorted({one[-1] for one in expected | given_})
    assert scores.boundaries.correct >= scores.total.correct
    for score in (scores.total, *scores.roles):
        precision, recall = score.precision, score.recall
        harmonic = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert score.f1 == pytest.approx(harmonic)


def test_roles_where_they_are():
    """Footnote 5 of Kazama and Torisawa (2005)."""
    gold = [proposition("0", (0, 0, "A")), proposition("1", (0, 0, "B"))]
    mine = [proposition("0", (0, 0, "A")), proposition("1", (0, 0, "A"), (2, 2, "B"), (3, 3, "C"))]
    every, fewer = (score_roles(gold, mine, only_with_role=only) for only in (False, True))
    assert [(one.role, one.predicted) for one in every.roles] == [("A", 2), ("B", 1), ("C", 1)]
    assert [(one.role, one.gold, one.predicted) for one in fewer.roles] == [("A", 1, 1), ("B", 1, 1)]
    assert (fewer.total.gold, fewer.total.predicted, fewer.total.correct) == (2, 2, 1)
    assert fewer.boundaries == every.boundaries


def proposition(number, *arguments):
    return Proposition(("-", number), 1, arguments=tuple(Argument(*argument) for argument in arguments))
