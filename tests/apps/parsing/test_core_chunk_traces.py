"""Sassano's algorithm and cascaded chunking, worked out by hand: pairs that the machine decides on, and others."""

from __future__ import annotations

import pytest

from gristmill import _core
from tests.apps.parsing.core_parse_tasks import SYSTEMS, numbers, oracle_actions

# 彼は 彼女の 温かい 真心に 感動した (He was moved by her warm heart): Kudo and Matsumoto's own.
MOVED = [4, 3, 3, 4, -1]
# 太郎は 庭に 咲いた 赤い 花を 見た (Taro saw red flowers that blossomed in the garden)
GARDEN = [5, 2, 4, 4, 5, -1]
CHAIN = [1, 2, 3, 4, 5, -1]
FAN = [5, 5, 5, 5, 5, -1]


def decisions(system, heads):
    """(word, its possible head, the words in play, is it decided, are they linked), in order."""
    walk = _core.Walk(SYSTEMS[system], len(heads))
    found = []
    for move, relation in oracle_actions(system, heads, [0] * len(heads)):
        words = [*walk.stack, *walk.buffer]
        found.append((walk.stack[-1], walk.buffer[0], words, len(walk.legal) == 2, move == "left"))
        walk.take(getattr(_core.Move, move), relation)
    assert walk.legal == []
    assert walk.heads == heads
    return found


def spelled(system, heads):
    """Pairs with + where they are linked, ! where that goes without asking."""
    return " ".join(
        f"{word}{head}{'-' if not links else '+' if decided else '!'}"
        for word, head, _, decided, links in decisions(system, heads)
    )


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        (MOVED, "01- 12- 23+ 13+ 03- 34! 04!"),
        (GARDEN, "01- 12+ 02- 23- 34+ 24+ 04- 45! 05!"),
        (CHAIN, "01+ 12+ 23+ 34+ 45!"),
        (FAN, "01- 12- 23- 34- 45! 35! 25! 15! 05!"),
    ],
)
def test_sassano(heads, expected):
    assert spelled("head_final", heads) == expected


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        (MOVED, "01- 12- 23+ 34! 01- 13+ 03- 04!"),
        (GARDEN, "01- 12+ 23- 34+ 45! 02- 24+ 04- 05!"),
        (CHAIN, "01+ 12+ 23+ 34+ 45!"),
        (FAN, "01- 12- 23- 34- 45! 01- 12- 23- 35! 01- 12- 25! 01- 15! 05!"),
    ],
)
def test_cascaded_chunking(heads, expected):
    assert spelled("cascade", heads) == expected


def passes(heads):
    """The words of each pass that has something to decide, and their tags at its end."""
    found = []
    walk = _core.Walk(SYSTEMS["cascade"], len(heads))
    for move, relation in oracle_actions("cascade", heads, [0] * len(heads)):
        words = [*walk.stack, *walk.buffer]
        if not found or found[-1][0] != words:
            found.append((words, None))
        walk.take(getattr(_core.Move, move), relation)
        found[-1] = (words, "".join("O" if walk.heads[word] < 0 else "D" for word in words))
    return found


def test_what_is_left_out_of_passes():
    assert passes(MOVED) == [([0, 1, 2, 3, 4], "OODDO"), ([0, 1, 3, 4], "ODDO"), ([0, 3, 4], "ODO"), ([0, 4], "DO")]
    assert passes(GARDEN) == [
        ([0, 1, 2, 3, 4, 5], "ODODDO"),
        ([0, 2, 4, 5], "ODDO"),
        ([0, 4, 5], "ODO"),
        ([0, 5], "DO"),
    ]
    assert passes(CHAIN) == [([0, 1, 2, 3, 4, 5], "DDDDDO")]
    assert [tags for _, tags in passes(FAN)] == ["OOOODO", "OOODO", "OODO", "ODO", "DO"]
    assert [words for words, _ in passes(FAN)] == [[*range(left), 5] for left in (5, 4, 3, 2, 1)]


@pytest.mark.parametrize(
    ("system", "heads", "decided", "given"),
    [
        *(("head_final", MOVED, 5, 2), ("head_final", GARDEN, 7, 2)),
        *(("head_final", CHAIN, 4, 1), ("head_final", FAN, 4, 5)),
        *(("cascade", MOVED, 6, 2), ("cascade", GARDEN, 7, 2), ("cascade", CHAIN, 4, 1), ("cascade", FAN, 10, 5)),
    ],
)
def test_how_many_decisions(system, heads, decided, given):
    questions = [is_decided for _, _, _, is_decided, _ in decisions(system, heads)]
    assert (questions.count(True), questions.count(False)) == (decided, given)


@pytest.mark.parametrize("system", ["head_final", "cascade"])
def test_heads_on_the_left_are_refused(system):
    with pytest.raises(ValueError, match="tree"):
        _core.actions_of(SYSTEMS[system], numbers([-1, 0]), numbers([0, 0]))
