"""Transition systems are what their twins over plain lists are, and every way through them ends in a tree."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from tests.apps.parsing.core_parse_tasks import MOVES, SYSTEMS, legal_of, line, numbers, star, walk_of, walks
from tests.oracle.parsing import all_ways, is_head_final, is_projective, is_tree

every_system = pytest.mark.parametrize("system", SYSTEMS)
MOST_ACTIONS = {  # that are a choice, of n words
    "arc_standard": lambda n: 2 * n,
    "arc_eager": lambda n: 2 * n,
    "head_final": lambda n: 2 * n,
    "swap": lambda n: n * (n + 1),
    "cascade": lambda n: n * (n - 1) // 2,
}


def assert_alike(walk, parser):
    assert legal_of(walk) == parser.legal
    assert walk.heads == parser.heads
    if parser.legal:
        assert (walk.stack, walk.buffer) == (parser.stack, parser.buffer)


def assert_sound(system, parser):
    """What is promised of every way to its end."""
    assert is_tree(parser.heads)
    assert len(parser.actions) <= MOST_ACTIONS[system](len(parser.heads))
    assert system == "swap" or is_projective(parser.heads)
    assert system not in ("head_final", "cascade") or is_head_final(parser.heads)


@pytest.mark.parametrize(("system", "words"), [(s, n) for s in SYSTEMS for n in range(4 if s == "swap" else 6)])
def test_all_ways_through_few_words_are_the_twins_and_end_in_trees(system, words):
    for parser in all_ways(system, words):
        assert_alike(walk_of(system, words, parser.actions), parser)
        if not parser.legal:
            assert_sound(system, parser)


@every_system
@given(data=st.data())
def test_a_walk_is_that_of_the_twin(system, data):
    """Compared by its own steps, one by one."""
    done = data.draw(walks(system, max_words=12))
    assert_sound(system, done)
    at = data.draw(st.integers(0, len(done.actions)))
    parser = type(done)(system, len(done.heads), done.actions[:at])
    assert_alike(walk_of(system, len(done.heads), parser.actions), parser)
    assert_alike(walk_of(system, len(done.heads), done.actions), done)


@every_system
@pytest.mark.parametrize("words", [0, 1])
def test_there_is_nothing_to_choose_with_one_word_or_none(system, words):
    walk = _core.Walk(SYSTEMS[system], words)
    assert (walk.legal, walk.heads) == ([], [-1] * words)


@every_system
def test_moves_that_are_not_legal_are_refused(system):
    walk = _core.Walk(SYSTEMS[system], 3)
    for move in set(MOVES) - legal_of(walk):
        with pytest.raises(ValueError, match="not legal"):
            walk.take(MOVES[move], 0)
    assert_alike(walk, next(all_ways(system, 3)))


def test_one_root_is_left_where_nothing_was_linked():
    """Arc-eager: words that were only shifted go back one by one."""
    walk = walk_of("arc_eager", 4, [("shift", -1)] * 3)
    assert (walk.stack, walk.buffer, legal_of(walk)) == ([0, 1, 2], [3], {"left", "right"})
    walk.take(MOVES["left"], 0)
    assert (walk.stack, walk.buffer) == ([0, 1], [3])
    walk.take(MOVES["right"], 0)
    assert (walk.stack, walk.buffer, legal_of(walk)) == ([0], [1], {"left", "right"})
    walk.take(MOVES["left"], 0)
    assert (walk.legal, walk.heads) == ([], [1, -1, 3, 1])


# --- whether heads are a tree -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", range(5))
def test_all_heads_of_few_words_are_trees_or_not(words):
    for heads in product(range(-2, words + 1), repeat=words):
        assert (_core.tree_fault(numbers(heads)) is None) == is_tree(list(heads))


@given(st.lists(st.integers(-3, 12), max_size=10))
def test_a_fault_is_told_where_it_is(heads):
    fault = _core.tree_fault(numbers(heads))
    assert (fault is None) == is_tree(heads)
    if fault is not None:
        word, what = fault
        if "is no word" in what:
            assert not -1 <= heads[word] < len(heads)
        elif "roots" in what:
            assert heads.count(-1) > 1
            assert heads[word] == -1
        else:
            assert str(word + 1) in what


@pytest.mark.parametrize(
    ("heads", "word", "what"),
    [
        ([5, -1], 0, "head 6 is no word of a sentence of 2"),
        ([-2, -1], 0, "head -1 is no word"),
        ([-1, -1], 1, "words 1 and 2 are both roots"),
        ([0], 0, "word 1 is its own head"),
        ([-1, 2, 1], 1, "word 2 depends on itself"),
        ([1, 2, 3, 1], 1, "word 2 depends on itself"),
    ],
)
def test_faults_of_trees(heads, word, what):
    found = _core.tree_fault(numbers(heads))
    assert found[0] == word
    assert what in found[1]


@pytest.mark.parametrize("heads", [line(100_000), line(100_000, forward=False), star(100_000)])
def test_long_trees_are_trees(heads):
    assert _core.tree_fault(numbers(heads)) is None
    assert _core.tree_fault(numbers([*heads[:-1], len(heads) - 1])) is not None
