"""Decisions of parsers as examples: those on the way to true trees, and those of the parser's own way."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps.parsing.model import ALGORITHMS, action_name
from gristmill.apps.parsing.tree import columns_of_words
from gristmill.apps.parsing.treebank import Treebank
from gristmill.report.apps.parser import ComparedTrees
from gristmill.report.apps.parser_decisions import oracle_decisions, own_decisions
from tests.apps.parsing.small_treebanks import sentences
from tests.report.apps.apps_to_report import task


def rows_of(rows, numbers):
    return [rows.one(number).ids.tolist() for number in numbers]


def way_to(app, words):
    """Actions by name; none where there is no way."""
    tree = Treebank.of_words([words])
    try:
        way = _core.actions_of(ALGORITHMS[app.algorithm], tree.heads, tree.relations)
    except ValueError:
        return []
    return [action_name(step, tree.names) for step in way]


@pytest.mark.parametrize("kind", ["parser", "split"])
def test_what_is_right_is_what_leads_to_the_tree(kind):
    app, source, _ = task(kind)
    found = oracle_decisions(app, Treebank.of_words(source), None)
    ways = [way_to(app, words) for words in source]
    assert [found.names(np.array(found.of_sentence(at), dtype=np.intp)) for at in range(len(source))] == ways
    assert found.skipped == ways.count([])


@pytest.mark.parametrize("kind", ["parser", "split", "parser_chunks"])
def test_where_the_parser_takes_the_right_way_it_sees_the_same(kind):
    app, source, _ = task(kind)
    treebank, columns = Treebank.of_words(source), columns_of_words(source)
    right = oracle_decisions(app, treebank, None)
    own = own_decisions(app, columns, np.arange(len(source)))
    compared = 0
    for at in range(len(source)):
        mine, theirs = own.of_sentence(at), right.of_sentence(at)
        numbers = np.array(mine, dtype=np.intp), np.array(theirs, dtype=np.intp)
        if own.names(numbers[0]) == right.names(numbers[1]):
            compared += 1
            assert rows_of(own.rows, mine) == rows_of(right.rows, theirs)
            assert [own.parts[one] for one in mine] == [right.parts[one] for one in theirs]
            assert [own.name(one) for one in mine] == [right.name(one) for one in theirs]
    assert compared


def test_a_step_is_named_by_what_lies_around_it():
    app, source, _ = task("split")
    first, second, third, *_ = (word.form for word in source[0])
    found = own_decisions(app, columns_of_words(source), np.arange(1))
    assert found.name(0) == f"sentence 1, step 1: {first} | {second} {third} …"


def test_the_busiest_machine_has_most_steps():
    app, source, _ = task("split")
    found = oracle_decisions(app, Treebank.of_words(source), None)
    name, chosen = found.busiest
    assert len(chosen) == max(map(list(found.parts).count, found.parts))
    assert {found.parts[at] for at in chosen.tolist()} == {name}


@settings(deadline=None)
@given(st.data())
def test_words_are_wrong_by_head_or_relation_up_to_the_colon(data):
    true = Treebank.of_words(sentences(4))
    n = true.columns.tokens
    names = [*true.names, "nsubj:pass", "new"]
    heads = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), dtype=np.int32)
    relations = np.array(data.draw(st.lists(st.sampled_from(range(len(names))), min_size=n, max_size=n)), np.int32)
    heads = np.where(data.draw(st.booleans()), true.heads, heads).astype(np.int32)
    compared = ComparedTrees(true, Treebank(true.columns, heads, relations, names))
    given_names = [names[at].split(":")[0] for at in relations.tolist()]
    true_names = [true.names[at].split(":")[0] for at in true.relations.tolist()]
    wrong = [
        (head, name) != (own, true_name)
        for head, name, own, true_name in zip(heads, given_names, true.heads, true_names, strict=True)
    ]
    assert compared.wrong.tolist() == wrong
    starts = true.columns.starts().tolist()
    by_sentence = [sum(wrong[begin:end]) for begin, end in pairwise(starts)]
    assert compared.wrong_by_sentence.tolist() == by_sentence
    worst = compared.worst(2)
    assert [by_sentence[at] for at in worst] == sorted((count for count in by_sentence if count), reverse=True)[:2]
    assert [len(list(compared.wrong_words(at))) for at in worst] == [by_sentence[at] for at in worst]
    seen, counts = compared.confusion
    for row, name in enumerate(seen):
        for column, other in enumerate(seen):
            assert counts[row, column] == list(zip(true_names, given_names, strict=True)).count((name, other))
