"""How the core says that a tree came about: what it saw, who decided, what was best and what was done."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from tests.apps.parsing.core_parse_tasks import SYSTEMS, columns_of
from tests.apps.parsing.unlearned_parsers import RELATIONS, crowd_task, parse_tasks
from tests.oracle.configurations import features
from tests.oracle.parsing import Parser
from tests.properties import share

FEWER = share(1 / 3)


def named(actions):
    return [(move.name, relation) for move, relation in actions]


def check_trace(task, decoder, columns, number, tree):
    """Step by step compared with the definition, up to the tree that is decoded."""
    sentence, chooser = task.sentences[number], task.oracle()
    offsets, ids, parts, choices, actions = decoder.trace(columns, number)
    assert len(offsets) == len(parts) + 1 == len(choices) + 1 == len(actions) + 1
    parser = Parser(task.system, len(sentence))
    for at, action in enumerate(named(actions)):
        seen = features(task.items, sentence, RELATIONS, parser)
        assert ids[offsets[at] : offsets[at + 1]].tolist() == sorted(
            chooser.number[name] for name in seen if name in chooser.number
        )
        assert chooser.parts[parts[at]] is chooser.part_for(parser, sentence)
        assert named(choices)[at] == chooser.best(parser, sentence)
        parser.take(*action)
    assert not parser.legal
    assert (parser.heads, parser.relations) == tree
    return named(choices) == named(actions)


@pytest.mark.parametrize("system", SYSTEMS)
@given(data=st.data())
@FEWER
def test_steps_lead_to_the_tree_that_is_decoded(system, data):
    task = data.draw(parse_tasks(system) | parse_tasks(system, unit=0.1))
    width = data.draw(st.sampled_from([1, 3]))
    columns, trees = columns_of(task.sentences), task.decoded(beam=width)
    decoder = task.decoder("direct", beam=width)
    for number, tree in enumerate(trees):
        is_greedy = check_trace(task, decoder, columns, number, tree)
        assert is_greedy or width > 1


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_beam_goes_other_ways_than_each_step_would(system):
    task = crowd_task(system, np.random.default_rng(1), sentences=30)
    columns, trees = columns_of(task.sentences), task.decoded("auto", beam=4, temperature=30.0)
    decoder = task.decoder("auto", beam=4, temperature=30.0)
    alike = [check_trace(task, decoder, columns, number, tree) for number, tree in enumerate(trees)]
    assert not all(alike)


def test_there_is_no_trace_of_a_sentence_that_is_not_there():
    task = crowd_task("arc_standard", np.random.default_rng(1), sentences=2)
    decoder = task.decoder("auto")
    with pytest.raises(ValueError, match="there is no such sentence"):
        decoder.trace(columns_of(task.sentences), 2)
    with pytest.raises(ValueError, match="fewer columns"):
        decoder.trace(_core.Columns.of_cells(["a"], 1, np.array([1])), 0)


def test_a_trace_can_be_stopped():
    task = crowd_task("arc_standard", np.random.default_rng(1), sentences=1)
    words = [("w1", "", "T0", "", "")] * 5_000

    def stop(done, total):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        task.decoder("direct", beam=30).trace(columns_of([words]), 0, stop)  # which would take very long
