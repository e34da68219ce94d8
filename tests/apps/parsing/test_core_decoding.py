"""Trees that the core decodes are those of a slow loop over the definition, greedy or with a beam."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gristmill as gm
from tests.apps.parsing.core_parse_tasks import SYSTEMS, columns_of, line, plain_sentences, star
from tests.apps.parsing.unlearned_parsers import ParseTask, crowd_task, parse_tasks
from tests.oracle import choosing as oracle
from tests.oracle.parsing import LINKS, is_tree
from tests.properties import share

every_system = pytest.mark.parametrize("system", SYSTEMS)
FEWER = share(1 / 3)
EXACT = [("direct", {}), ("inverted", {}), ("expanded", {}), ("split", {"rare": 2}), ("auto", {})]


@every_system
@given(data=st.data())
@FEWER
def test_trees_are_those_of_the_greedy_loop_with_any_engine(system, data):
    """Weights that are small whole numbers make ties and zeros; tenths make sums that round."""
    task = data.draw(parse_tasks(system) | parse_tasks(system, unit=0.1))
    expected = task.greedy()
    assert all(is_tree(heads) for heads, _ in expected)
    for engine, options in EXACT:
        assert task.decoded(engine, options) == expected, engine


@pytest.fixture(scope="module", params=SYSTEMS)
def crowd(request):
    return crowd_task(request.param, np.random.default_rng(4))


def test_trees_do_not_depend_on_the_engine_or_on_threads(crowd):
    expected = crowd.decoded()
    assert expected[:70] == replace(crowd, sentences=crowd.sentences[:70]).greedy()
    for engine, options in EXACT:
        for threads in (1, 2, 3):
            assert crowd.decoded(engine, options, threads) == expected
    assert crowd.decoded("auto", threads=3, beam=3) == crowd.decoded("auto", beam=3)


# --- the beam ---------------------------------------------------------------------------------------------------------


@every_system
@given(data=st.data())
@FEWER
def test_a_beam_follows_the_ways_with_the_highest_sums(system, data):
    """Where no two sums are so close that rounding decides; equal ones are taken as they come."""
    task = data.draw(parse_tasks(system, max_words=5, max_sentences=2))
    width, temperature = data.draw(st.integers(2, 6)), data.draw(st.sampled_from([0.3, 1.0, 2.0]))
    chooser = task.oracle()
    found = [oracle.beam(system, chooser, sentence, width, temperature) for sentence in task.sentences]
    assume(all(closest > 1e-9 for _, closest in found))
    expected = [(parser.heads, parser.relations) for parser, _ in found]
    for engine, options in EXACT:
        assert task.decoded(engine, options, beam=width, temperature=temperature) == expected


def test_ways_that_are_equal_are_so_in_every_engine():
    """Two classes whose support rows have the same weights in another order: their scores differ by rounding alone."""
    rng = np.random.default_rng(0)
    names = ["s0.form=b", "s1.form=a", "s0.upos=Y", "s1.upos=X", "s0.lemma=q"]
    for _ in range(60):
        table = (rng.random((int(rng.integers(3, 8)), 5)) < 0.5).astype(float)
        ours = rng.integers(1, 9, len(table)) / 10
        theirs = ours.copy()
        for size in range(6):
            alike = np.flatnonzero(table.sum(axis=1) == size)
            theirs[alike] = rng.permutation(ours[alike])
        coef = np.stack([ours, theirs], axis=1)
        machine = gm.Machine(gm.PolynomialKernel(2), table, coef, np.zeros(2), ["0", "1"], "ovr")
        words = [[("a", "", "X", "", ""), ("b", "q", "Y", "", "")]]
        parts = [(machine, [("left", 0), ("right", 1)])]
        task = ParseTask("arc_standard", "{s0,s1}.{form,upos} s0.lemma", [], words, names, parts)
        expected = task.decoded("direct", beam=2)
        for engine, options in EXACT:
            assert task.decoded(engine, options, beam=2) == expected, engine


@pytest.mark.parametrize("width", [2, 4])
def test_a_beam_has_its_width(crowd, width):
    """With weights of all sizes, which no rounding moves."""
    some = replace(crowd, sentences=crowd.sentences[:40])
    parsers = [oracle.beam(some.system, some.oracle(), sentence, width, 30.0)[0] for sentence in some.sentences]
    assert some.decoded("auto", beam=width, temperature=30.0) == [(one.heads, one.relations) for one in parsers]


@pytest.mark.parametrize("system", ["arc_standard", "arc_eager", "head_final", "cascade"])
@given(data=st.data())
@FEWER
def test_a_beam_that_is_wide_enough_finds_the_best_way(system, data):
    task = data.draw(parse_tasks(system, unit=0.1, max_words=3, max_sentences=1))
    chooser = task.oracle()
    for (heads, _), sentence in zip(task.decoded(beam=100_000), task.sentences, strict=True):
        ways = list(oracle.best_ways(system, chooser, sentence, 1.0))
        assert max(score for score, own in ways if own == heads) >= max(score for score, _ in ways) - 1e-9


# --- the edges --------------------------------------------------------------------------------------------------------

LONG = 10_000


def stubborn(system, moves, words):
    """A parser that always does the first of these moves that is legal."""
    actions = [(move, 0 if move in LINKS else -1) for move in moves.split()]
    order, classes = -np.arange(len(actions), dtype=float), [str(at) for at in range(len(actions))]
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], np.zeros((1, len(actions))), order, classes, "ovr")
    text = "{s0,s1,b0}.{form,upos} s0.{ldep,rdep2,head}.deprel s0.lefts distance(s0,b0)"
    return ParseTask(system, text, [], plain_sentences([words]), ["nothing"], [(machine, actions)])


@pytest.mark.parametrize(
    ("system", "moves", "heads"),
    [
        ("arc_standard", "shift left right", star(LONG, LONG - 1)),
        ("arc_standard", "shift right left", line(LONG)),
        ("arc_standard", "left right shift", line(LONG, forward=False)),
        ("arc_standard", "right left shift", star(LONG)),
        ("arc_eager", "shift left right reduce", star(LONG, LONG - 1)),
        ("arc_eager", "shift right left reduce", line(LONG)),
        ("arc_eager", "left right reduce shift", line(LONG, forward=False)),
        ("arc_eager", "right left reduce shift", line(LONG)),
        ("arc_eager", "reduce right left shift", star(LONG)),
        ("swap", "shift left right swap", star(LONG, LONG - 1)),
        ("swap", "shift right left swap", line(LONG)),
        ("swap", "left right shift swap", line(LONG, forward=False)),
        ("head_final", "shift left", star(LONG, LONG - 1)),
        ("head_final", "left shift", line(LONG, forward=False)),
        ("cascade", "left shift", line(LONG, forward=False)),
    ],
)
def test_ten_thousand_words(system, moves, heads):
    assert stubborn(system, moves, LONG).decoded("auto")[0][0] == heads


@pytest.mark.parametrize(("system", "moves"), [("swap", "swap shift left right"), ("cascade", "shift left")])
def test_the_longest_ways(system, moves):
    """Quadratic ones."""
    assert is_tree(stubborn(system, moves, 300).decoded("auto")[0][0])


@every_system
def test_a_machine_that_knows_no_legal_action_is_no_dead_end(system):
    """It then does what there is: it shifts, reduces or links, by the commonest relation."""
    unknown = {"swap": "reduce"}.get(system, "swap")
    task = replace(stubborn(system, f"{unknown} {unknown}", 5), common=1)
    heads, relations = task.decoded()[0]
    assert is_tree(heads)
    assert relations == [-1 if head < 0 else 1 for head in heads]
    assert task.decoded(beam=3) == [(heads, relations)]


@every_system
@pytest.mark.parametrize("lengths", [[], [0], [1], [0, 1, 0, 2]])
def test_hardly_any_words(system, lengths):
    task = replace(stubborn(system, "left shift", 0), sentences=plain_sentences(lengths))
    for beam in (1, 2):
        assert [heads for heads, _ in task.decoded(beam=beam)] == [[[], [-1], [1, -1]][length] for length in lengths]


def test_progress_can_stop_it():
    def stop(done, total):
        raise KeyboardInterrupt

    task = replace(stubborn("swap", "swap shift left right", 0), sentences=plain_sentences([3_000]))
    with pytest.raises(KeyboardInterrupt):
        task.decoder("direct").decode(columns_of(task.sentences), 1, stop)


@pytest.mark.parametrize(
    ("actions", "route", "what"),
    [
        ([("left", -1), ("shift", -1)], None, "relations"),
        ([("left", 2), ("shift", -1)], None, "relations"),
        ([("shift", 0), ("left", 0)], None, "relations"),
        ([("shift", -1)], None, "action for each class"),
        ([("shift", -1), ("left", 0)], (("b", 0, ()), 2, {"a": 1}, 0), "machines that are not there"),
        ([("shift", -1), ("left", 0)], (("b", 0, ()), 2, {}, 1), "machines that are not there"),
    ],
)
def test_what_does_not_fit_is_refused(actions, route, what):
    task = stubborn("arc_standard", "shift left", 3)
    with pytest.raises(ValueError, match=what):
        replace(task, parts=[(task.parts[0][0], actions)], route=route).decoder("direct")


@pytest.mark.parametrize(("beam", "temperature"), [(0, 1.0), (1, 0.0), (2, -1.0), (2, float("nan"))])
def test_a_beam_has_a_width_and_a_temperature(beam, temperature):
    with pytest.raises(ValueError, match="beam"):
        stubborn("arc_standard", "shift left", 3).decoder("direct", beam=beam, temperature=temperature)
