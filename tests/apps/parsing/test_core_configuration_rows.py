"""Rows to learn from are the features of configurations as the definition has them, with what to do in each."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.templates.configurations import parse_address, parse_configurations
from gristmill.base.errors import FormatError
from tests.apps.parsing.core_parse_tasks import (
    MOVES,
    STEPS,
    SYSTEMS,
    addresses,
    all_trees,
    any_trees,
    columns_of,
    flat,
    numbers,
    oracle_actions,
    plain_sentences,
    sentences_like,
    spelled_address,
    templates,
    trees_for,
    walk_of,
    walks,
)
from tests.apps.parsing.unlearned_parsers import parse_tasks
from tests.oracle import configurations as oracle
from tests.oracle.parsing import Parser, is_projective
from tests.properties import share

every_system = pytest.mark.parametrize("system", SYSTEMS)
FEWER = share(1 / 3)
RELATIONS = ["nsubj", "obj", "a/b"]


def row_names(offsets, ids, names):
    """Rows as sets of names; numbers must ascend."""
    words = names.words()
    rows = [ids[begin:end].tolist() for begin, end in pairwise(offsets.tolist())]
    assert all(row == sorted(set(row)) for row in rows)
    return [{words[feature] for feature in row} for row in rows]


@every_system
@given(data=st.data())
@FEWER
def test_rows_on_the_way_to_trees_are_those_of_the_definition(system, data):
    trees = data.draw(st.lists(trees_for(system, 7), max_size=3))
    text, items = data.draw(templates())
    sentences = sentences_like(data.draw, trees)
    relations = [[data.draw(st.integers(0, 2)) for _ in heads] for heads in trees]
    names, values = _core.Strings([]), _core.Strings([])
    address = data.draw(addresses)
    split = _core.SplitBy(parse_address(spelled_address(address)).core, 2)
    lookout = parse_configurations(text, COLUMNS).compile(RELATIONS)
    parts = (columns_of(sentences), numbers(flat(trees)), numbers(flat(relations)), split, names, values)
    offsets, ids, moves, given_relations, of_sentences, cells, skipped = _core.action_rows(
        SYSTEMS[system], lookout, *parts
    )

    expected, actions, places, split_cells = [], [], [], []
    for number, (heads, own, sentence) in enumerate(zip(trees, relations, sentences, strict=True)):
        parser = Parser(system, len(heads))
        for action in oracle_actions(system, heads, own):
            expected.append(oracle.features(items, sentence, RELATIONS, parser))
            word = oracle.word_at(parser, address)
            split_cells.append(None if word is None else sentence[word][2])
            actions.append(action)
            places.append(number)
            parser.take(*action)
    assert row_names(offsets, ids, names) == expected
    assert [(_core.Move(m).name, r) for m, r in zip(moves.tolist(), given_relations.tolist(), strict=True)] == actions
    assert of_sentences.tolist() == places
    assert [values.words()[cell] if cell >= 0 else None for cell in cells.tolist()] == split_cells
    assert skipped == 0


@given(st.lists(any_trees(5), max_size=6))
def test_trees_that_a_system_cannot_give_are_skipped(trees):
    lookout = parse_configurations("s0.form", COLUMNS).compile(RELATIONS)
    columns, heads = columns_of(plain_sentences([len(heads) for heads in trees])), numbers(flat(trees))
    parts = (columns, heads, numbers([0] * len(heads)), None, _core.Strings([]), _core.Strings([]))
    *_, sentences, _, skipped = _core.action_rows(SYSTEMS["arc_eager"], lookout, *parts)
    fit = [is_projective(heads) for heads in trees]
    assert skipped == fit.count(False)
    assert set(sentences.tolist()) == {at for at, heads in enumerate(trees) if fit[at] and len(heads) > 1}


NEAR = [
    (*place, steps) for place in (("s", 0), ("s", 1), ("b", 0)) for n in range(3) for steps in product(STEPS, repeat=n)
]
CORE_NEAR = [parse_address(spelled_address(address)).core for address in NEAR]


@every_system
@given(data=st.data())
@FEWER
def test_addresses_lead_to_the_words_of_the_definition(system, data):
    """All of two steps or fewer, anywhere on any walk."""
    done = data.draw(walks(system, 9))
    actions = done.actions[: data.draw(st.integers(len(done.actions) // 2, len(done.actions)))]
    parser, walk = Parser(system, len(done.heads), actions), walk_of(system, len(done.heads), actions)
    if parser.legal:
        found = [walk.word_at(address) for address in CORE_NEAR]
        expected = [oracle.word_at(parser, address) for address in NEAR]
        assert found == [-1 if word is None else word for word in expected]


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("s0.ldep", 0),
        ("s0.ldep2", 1),
        ("s0.rdep", 6),
        ("s0.rdep2", 5),
        ("s0.ldep.rsib", 1),
        ("s0.ldep.rsib.rsib.rsib", -1),
        ("s0.rdep.lsib.lsib", 4),
        ("s0.rdep.lsib.lsib.lsib", -1),
        ("s0.rdep.lsib.head.pred.succ", 3),
        ("b0.succ", -1),
        ("s0.ldep.pred", -1),
        ("s1", -1),
    ],
)
def test_addresses_of_a_word_with_many_dependents(address, word):
    """Three on its left, three on its right, before the last one is linked."""
    heads = [3, 3, 3, -1, 3, 3, 3, 3]
    walk = walk_of("arc_eager", len(heads), oracle_actions("arc_eager", heads, heads)[:-1])
    assert (walk.stack, walk.buffer) == ([3], [7])
    assert walk.word_at(parse_address(address).core) == word


@pytest.mark.parametrize(
    ("words", "distance"), [(2, "1"), (5, "4"), (6, "5"), (7, "5"), (8, "7"), (11, "7"), (12, "11"), (50, "11")]
)
def test_distances_have_classes(words, distance):
    """From the first word to the last one, which all others but these two wait for."""
    heads = [words - 1, *[0] * (words - 2), -1]
    lookout = parse_configurations("distance(s0,b0) s0.rights", COLUMNS).compile(RELATIONS)
    names = _core.Strings([])
    parts = (columns_of(plain_sentences([words])), numbers(heads), numbers([0] * words), None, names, _core.Strings([]))
    offsets, ids, *_ = _core.action_rows(SYSTEMS["arc_eager"], lookout, *parts)
    assert row_names(offsets, ids, names)[-1] == {f"distance(s0,b0)={distance}", f"s0.rights={min(words - 2, 3)}"}


SIZES = "/".join(f"s{place}.form:suffix:1..50" for place in range(4))
NAMES = ",".join(["s0"] * 9999)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("s0.form " + SIZES, "1:9: templates that make more than 10,000 features"),
        (f"{{{','.join(['s0', 's1'] * 100)}}}.{{{','.join(['form', 'upos'] * 100)}}}", "1:1: templates that make more"),
        (f"{{{NAMES}}}.{{{NAMES}}}", "1:1: braces that make too much text"),
        ("s0" + "{.succ}" * 5000 + ".form", "1:1: braces that make too much text"),
        (f"s0.upos\n{{{NAMES}}}.form s1.upos", "2:30005: templates that make more than 10,000 features"),
        ("/".join(["s0.form"] * 101), "1:1: a feature of 101 parts: expected 100 at most"),
        ("{s0.form", "1:1: braces that do not match"),
    ],
)
def test_templates_of_too_many_features_are_refused_at_once(text, said):
    with pytest.raises(FormatError, match=re.escape(said)):
        parse_configurations(text, COLUMNS)


def test_as_many_features_as_may_be_are_compiled_soon():
    places = ",".join(f"s{place}" for place in range(100))
    text = f"{{{places}}}.{{form,lemma}}:{{prefix,suffix}}:1..25"
    assert len(parse_configurations(text, COLUMNS).items) == 10_000
    parse_configurations(text, COLUMNS).compile(RELATIONS)


# --- where parsers go by themselves -----------------------------------------------------------------------------------


def explored(task, trees, relations):
    """(features, what to do) row by row: of the moves that cost least the best one; then it makes its own best one."""
    chooser, found = task.oracle(), []
    for heads, own, sentence in zip(trees, relations, task.sentences, strict=True):
        if not is_projective(heads):
            continue
        parser = Parser("arc_eager", len(heads))
        while parser.legal:
            walk = walk_of("arc_eager", len(heads), parser.actions)
            costs = walk.costs(numbers(heads))
            least = min(costs[MOVES[move]] for move in parser.legal)
            scored = chooser.scored(parser, sentence)
            choice = first_best(scored) or chooser.last_resort(parser)
            right = first_best([one for one in scored if is_right(one[2], parser, heads, own, costs, least)])
            right = right or any_right(parser, heads, own, costs, task.common)
            found.append((oracle.features(task.items, sentence, RELATIONS[:2], parser), right))
            parser.take(*choice)
    return found


def first_best(scored):
    return max(scored, key=lambda one: (one[0], -one[1]))[2] if scored else None


def relation_in_tree(move, parser, heads, relations):
    """Of the arc that a move makes; None where the tree has no such arc."""
    top, word = parser.stack[-1], parser.buffer[0]
    dependent, head = {"left": (top, word), "right": (word, top)}.get(move, (top, None))
    return relations[dependent] if head is not None and heads[dependent] == head else None


def is_right(action, parser, heads, relations, costs, least):
    move, relation = action
    return costs[MOVES[move]] == least and relation_in_tree(move, parser, heads, relations) in (None, relation)


def any_right(parser, heads, relations, costs, common):
    """The first move of least cost, where the explorer knows no right action."""
    move = min(
        (move for move in ("shift", "reduce", "left", "right") if move in parser.legal), key=lambda m: costs[MOVES[m]]
    )
    relation = relation_in_tree(move, parser, heads, relations)
    return move, -1 if move in ("shift", "reduce") else common if relation is None else relation


@given(st.data())
@FEWER
def test_rows_of_explored_ways_are_those_of_the_definition(data):
    task = data.draw(parse_tasks("arc_eager"))
    sizes = [len(sentence) for sentence in task.sentences]
    trees = [data.draw(st.sampled_from(all_trees(min(size, 4)))) for size in sizes]
    task = replace(task, sentences=[sentence[:4] for sentence in task.sentences], route=None, parts=task.parts[:1])
    relations = [[data.draw(st.integers(0, 1)) for _ in heads] for heads in trees]
    names = _core.Strings(task.names)
    parts = (columns_of(task.sentences), numbers(flat(trees)), numbers(flat(relations)), None, names)
    chooser = task.chooser("auto", {})
    found = _core.explored_rows(task.lookout(), chooser, *parts, _core.Strings([]))
    offsets, ids, moves, given_relations, _, _, skipped = found
    assert skipped == sum(not is_projective(heads) for heads in trees)
    actions = [(_core.Move(m).name, r) for m, r in zip(moves.tolist(), given_relations.tolist(), strict=True)]
    expected = explored(task, trees, relations)
    assert list(zip(row_names(offsets, ids, names), actions, strict=True)) == expected
    assert names.words()[: len(task.names)] == task.names
