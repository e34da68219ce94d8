"""RoleLabeller.explain: all candidates of a predicate, by the machines that decided on them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gristmill.apps.roles import Proposition, RoleLabeller, Sentences
from tests.apps.roles.labelled_sentences import PROPOSITIONS, TREES

NEW = Sentences(TREES[40:], [("-", str(number)) for number in range(40, 60)])


@pytest.fixture(scope="module", params=["highest", "all"])
def labeller(request):
    return RoleLabeller(candidates=request.param).fit(TREES[:40], PROPOSITIONS[:40])


def test_arguments_are_those_that_are_labelled(labeller):
    for predicate in PROPOSITIONS[40:50]:
        explained = labeller.explain(NEW, predicate)
        (labelled,) = labeller.label(NEW, [predicate])
        found = sorted((one.first, one.last, one.role) for one in explained if one.role is not None)
        assert found == [(one.first, one.last, one.role) for one in labelled.arguments]
        assert len(explained) > len(found)


def test_both_machines_add_up(labeller):
    explained = labeller.explain(NEW, PROPOSITIONS[41])
    (block,) = labeller.labelled_blocks(NEW, [PROPOSITIONS[41]])
    np.testing.assert_allclose([one.argument.total() for one in explained], block.scores, atol=1e-9)
    named = [at for at, one in enumerate(explained) if one.naming is not None]
    assert named == [at for at, one in enumerate(explained) if one.role is not None]
    scores = labeller.scorer_["classify"].decision_function(block.forest[named])
    np.testing.assert_allclose([explained[at].naming.total() for at in named], scores, atol=1e-9)
    for at in named:
        assert explained[at].argument.score[0] > 0
        assert explained[at].naming.output_names[explained[at].naming.predicted] == explained[at].role


def test_people_and_programs_see_it(labeller):
    explained = labeller.explain(NEW, PROPOSITIONS[41])
    argument = next(one for one in explained if one.role == "ARG1")
    other = next(one for one in explained if one.role is None)
    assert argument.heading == "tokens 2-3: ARG1"
    assert other.heading.endswith(": no argument")
    assert str(argument) == f"{argument.heading}\n{argument.argument.draw('yes')}\n\n{argument.naming.draw()}"
    assert str(other) == f"{other.heading}\n{other.argument.draw('yes')}"
    found = json.loads(json.dumps(argument.as_dict(), allow_nan=False))
    assert (found["first"], found["last"], found["role"]) == (2, 3, "ARG1")
    assert found["argument"]["outputs"] == ["yes"]
    assert other.as_dict()["naming"] is None


def test_a_single_role_has_no_second_machine():
    only = [Proposition(one.sentence, one.token, arguments=one.arguments[:1]) for one in PROPOSITIONS[:20]]
    explained = RoleLabeller(candidates="highest").fit(TREES[:20], only).explain(TREES[:20], only[0])
    assert [one.naming for one in explained if one.role] == [None]


def test_what_is_learned_anew_is_explained_anew():
    labeller = RoleLabeller(candidates="highest").fit(TREES[:20], PROPOSITIONS[:20])
    before = [one.argument.total() for one in labeller.explain(NEW, PROPOSITIONS[41])]
    after = [one.argument.total() for one in labeller.fit(TREES[:8], PROPOSITIONS[:8]).explain(NEW, PROPOSITIONS[41])]
    assert not np.allclose(before, after)


def test_before_anything_was_learned():
    with pytest.raises(ValueError, match="is not fitted"):
        RoleLabeller().explain(NEW, PROPOSITIONS[41])
