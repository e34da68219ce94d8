"""Parameters that are chosen on development data: one after another, as far as each change helps."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.apps import DependencyParser, Tagger
from gristmill.apps.choosing import Choice, choose, learning_choices, system_choices


@dataclass
class Plain:
    x: int = 0
    y: int = 0


def choices(x, y):
    return [
        Choice(tuple({"x": value} for value in range(9)), x),
        Choice(tuple({"y": value} for value in range(9)), y),
    ]


@given(*(st.integers(0, 8) for _ in range(4)))
def test_the_top_of_a_hill_is_found_from_anywhere(x, y, top_x, top_y):
    app = Plain()
    trials = choose(app, choices(x, y), lambda: -abs(app.x - top_x) - abs(app.y - top_y))
    assert (app.x, app.y) == (top_x, top_y)
    assert trials[0].params == {"x": x, "y": y}
    assert max(trials, key=lambda trial: trial.score).params == {"x": top_x, "y": top_y}
    assert len({tuple(trial.params.items()) for trial in trials}) == len(trials) <= 19


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.data())
def test_what_is_found_is_never_worse_than_the_start_and_the_first_of_equals_stays(scores, data):
    start = data.draw(st.integers(0, len(scores) - 1))
    app, seen = Plain(), []
    choose(app, [Choice(tuple({"x": at} for at in range(len(scores))), start)], lambda: scores[app.x], seen.append)
    assert scores[app.x] == max(trial.score for trial in seen) >= scores[start]
    if all(score == scores[0] for score in scores):
        assert app.x == start


def test_what_may_change_of_learning():
    def values(app, fixed=()):
        return {
            next(iter(one.values[0])): [*one.values[0], one.values[one.start]] for one in learning_choices(app, fixed)
        }

    assert values(Tagger()) == {
        "C": ["C", {"C": 0.002}],
        "degree": ["degree", {"degree": 2}],
        "epochs": ["epochs", {"epochs": 10}],
    }
    assert [*values(Tagger(solver="smo"), ["C"])] == ["degree"]
    assert values(Tagger(C=0.3, degree=5))["degree"][1] == {"degree": 5}


@pytest.mark.parametrize(
    ("settings", "start"),
    [({}, 1), ({"pseudo_projective": "head"}, 2), ({"algorithm": "swap"}, 3), ({"algorithm": "arc-eager"}, None)],
)
def test_what_may_change_of_a_parser(settings, start):
    found = system_choices(DependencyParser(**settings))
    assert [choice.start for choice in found] == ([] if start is None else [start])
    assert system_choices(DependencyParser(**settings), ["algorithm"]) == []
