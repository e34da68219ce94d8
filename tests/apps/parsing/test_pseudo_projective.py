"""Crossing arcs: lifted as the definition says, and put back by what relations remember."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from gristmill.apps.parsing.pseudo_projective import marks_of, projectivized
from gristmill.apps.parsing.treebank import Treebank, read_conllu
from gristmill.apps.templates.configurations import parse_configurations
from gristmill.scoring.deciding import labeller
from tests.apps.parsing.core_parse_tasks import (
    SYSTEMS,
    all_trees,
    any_trees,
    columns_of,
    flat,
    line,
    numbers,
    plain_sentences,
)
from tests.oracle import parsing as oracle

SCHEMES = ["baseline", "head", "path", "head+path"]
NAMES = ["a", "b", "c"]


def lift(heads):
    found = _core.lift_heads(columns_of(plain_sentences([len(heads)])), numbers(heads))
    return tuple(part.tolist() for part in found)


@pytest.mark.parametrize("words", range(6))
def test_all_trees_of_few_words_are_lifted_as_defined(words):
    for heads in all_trees(words):
        assert lift(heads) == oracle.lifted(heads)


@given(any_trees(12))
def test_trees_are_lifted_as_defined(heads):
    found, before, way = lift(heads)
    assert (found, before, way) == oracle.lifted(heads)
    assert oracle.is_tree(found)
    assert oracle.is_projective(found)
    assert (found == heads) == oracle.is_projective(heads)
    assert any(way) == any(head >= 0 for head in before) == (found != heads)


def test_sentences_are_lifted_each_for_itself():
    trees = [[-1, 0, 0, 1], [], [1, -1, 0], [-1]]
    columns = columns_of(plain_sentences([len(heads) for heads in trees]))
    found = _core.lift_heads(columns, numbers([head for heads in trees for head in heads]))
    assert [part.tolist() for part in found] == [
        [value for heads in trees for value in oracle.lifted(heads)[part]] for part in range(3)
    ]


def test_lifting_can_be_stopped():
    def stop(done, total):
        raise KeyboardInterrupt

    heads = [-1, 0, *range(1_998)]  # two strands: all arcs cross
    with pytest.raises(KeyboardInterrupt):
        _core.lift_heads(columns_of(plain_sentences([2_000])), numbers(heads), stop)


# --- the way back -----------------------------------------------------------------------------------------------------


class Rote:
    """A parser that knows by heart how to make trees: what it gives is what is put back of them.

    Every word has a form of its own, and a support row remembers what to do with the words it sees.
    """

    def __init__(self, lengths, heads, relations, names):
        self.columns = columns_of(plain_sentences(lengths))
        self.names = _core.Strings([])
        self.lookout = parse_configurations("s1.form/s0.form/b0.form s1.form/s0.form", ["form"]).compile(list(names))
        parts = (self.columns, numbers(heads), numbers(relations), None, self.names, _core.Strings([]))
        found = _core.action_rows(SYSTEMS["arc_standard"], self.lookout, *parts)
        self.offsets, self.ids, moves, given, _, _, skipped = found
        assert skipped == 0
        self.all_actions = list(zip(moves.tolist(), given.tolist(), strict=True))

    def decoded(self, marks, common=0):
        actions = sorted(set(self.all_actions)) or [(0, -1)]
        actions += [(0, -1)] if len(actions) == 1 else []
        classes = [f"{number}" for number in range(len(actions))]
        coef = np.zeros((len(self.all_actions), len(actions)))
        coef[np.arange(len(coef)), [actions.index(action) for action in self.all_actions]] = 1
        rows = [set(self.ids[begin:end].tolist()) for begin, end in pairwise(self.offsets.tolist())]
        kernel, intercept = gm.PolynomialKernel(8, coef0=0.0), np.zeros(len(actions))
        machine = gm.Machine(
            kernel, rows or [set()], coef if rows else np.zeros((1, len(actions))), intercept, classes, "ovr"
        )
        own = [(_core.Move(move), relation) for move, relation in actions]
        part = _core.ClassifierPart(labeller(machine.compile("inverted")), own)
        chooser = _core.ActionClassifier([part], None, common)
        decoder = _core.ParseDecoder(SYSTEMS["arc_standard"], self.lookout, self.names, chooser, marks)
        heads, relations = decoder.decode(self.columns)
        return heads.tolist(), relations.tolist()


def lifted_and_lowered(lengths, heads, relations, scheme, names=NAMES):
    """Heads and relations of all words after the way up and down; and as they were in between, with marks."""
    columns = columns_of(plain_sentences(lengths))
    up = projectivized(columns, numbers(heads), numbers(relations), names, scheme)
    marks = marks_of(up[2])
    return Rote(lengths, up[0], up[1], up[2]).decoded(marks), up, marks


plain_marks = st.tuples(st.integers(0, 2), st.just(False), st.just(-1), st.booleans())
lifted_marks = st.tuples(st.integers(0, 2), st.just(True), st.integers(-1, 2), st.booleans())


@st.composite
def marked_trees(draw):
    """Projective trees with any relations: marks as parsers may give them, which no lifting ever gave."""
    marks = [(number, False, -1, False) for number in range(3)]
    marks += draw(st.lists(plain_marks | lifted_marks, max_size=6))
    trees = draw(st.lists(any_trees(9).map(lambda heads: oracle.lifted(heads)[0]), max_size=3))
    relations = [[draw(st.integers(0, len(marks) - 1)) for _ in heads] for heads in trees]
    return marks, trees, relations


@given(marked_trees())
def test_marks_lead_to_the_heads_of_the_definition(task):
    marks, trees, relations = task
    lengths, names = [len(heads) for heads in trees], [f"r{number}" for number in range(len(marks))]
    rote = Rote(lengths, flat(trees), flat(relations), names)
    found = rote.decoded(marks)
    given = [
        [-1 if head < 0 else r for head, r in zip(*both, strict=True)] for both in zip(trees, relations, strict=True)
    ]
    expected = [oracle.lowered(heads, own, marks) for heads, own in zip(trees, given, strict=True)]
    assert found == (flat(heads for heads, _ in expected), flat(own for _, own in expected))
    assert all(oracle.is_tree(heads) for heads, _ in expected)
    assert rote.decoded([]) == (flat(trees), flat(given))


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_relations_come_back_whatever_was_lifted(scheme, data):
    heads = data.draw(any_trees(9))
    relations = [data.draw(st.integers(0, 2)) for _ in heads]
    (found, own), up, marks = lifted_and_lowered([len(heads)], heads, relations, scheme)
    assert own == [-1 if head < 0 else r for head, r in zip(heads, relations, strict=True)]
    assert (found, own) == oracle.lowered(up[0], [-1 if h < 0 else r for h, r in zip(*up[:2], strict=True)], marks)
    if oracle.is_projective(heads):
        assert (found, up[2]) == (heads, NAMES)


@pytest.mark.parametrize("scheme", ["head", "path", "head+path"])
def test_one_arc_that_crosses_comes_back(scheme):
    """Where nothing looks alike."""
    for heads in all_trees(5):
        lifted_words = sum(head >= 0 for head in oracle.lifted(heads)[1])
        if lifted_words == 1:
            names = [f"r{word}" for word in range(5)]
            (found, _), _, _ = lifted_and_lowered([5], heads, range(5), scheme, names)
            assert found == heads


@pytest.mark.parametrize("names", [["a", "b↑"], ["a↓"], ["a↑b", "a", "b"]])
def test_relations_that_look_marked_are_refused(names):
    heads = [-1, 0]
    with pytest.raises(ValueError, match="lifted"):
        projectivized(columns_of(plain_sentences([2])), numbers(heads), numbers([0, 0]), names, "head")


def test_one_arc_of_a_deep_tree_is_lifted():
    words = 10_000
    heads = line(words)
    heads[-2], heads[-1] = words - 5, words - 4  # over each other
    found, before, way = lift(heads)
    assert found == [*heads[:-1], words - 5]
    assert (before[-1], way[words - 4], sum(way)) == (words - 4, 1, 1)


# --- treebanks --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crossing(corpora):
    """The crossing trees of EWT: lengths, heads, relations and names of these."""
    lengths, heads, relations, names = [], [], [], {}
    for part in ("dev", "test", "train"):
        path = corpora / "dep" / f"en_ewt-ud-{part}.conllu.gz"
        if not path.exists():
            pytest.skip(f"no treebank {path.name}")
        bank = Treebank.of_conllu(read_conllu(path))
        up = _core.lift_heads(bank.columns, bank.heads)[0]
        for begin, end in pairwise(bank.columns.starts().tolist()):
            if (up[begin:end] != bank.heads[begin:end]).any():
                lengths.append(end - begin)
                heads += bank.heads[begin:end].tolist()
                relations += [names.setdefault(bank.names[r], len(names)) for r in bank.relations[begin:end].tolist()]
    return lengths, heads, relations, list(names)


@pytest.mark.parametrize(("scheme", "lost"), [("baseline", 345), ("head", 18), ("path", 6), ("head+path", 7)])
def test_so_many_trees_of_a_treebank_come_back(crossing, scheme, lost):
    lengths, heads, relations, names = crossing
    (found, own), _, _ = lifted_and_lowered(lengths, heads, relations, scheme, names)
    ends = np.cumsum(lengths).tolist()
    bounds = list(zip([0, *ends], ends, strict=False))
    assert all(oracle.is_tree(found[begin:end]) for begin, end in bounds)
    assert own == [-1 if head < 0 else r for head, r in zip(heads, relations, strict=True)]
    assert len(lengths) == 345
    assert sum(found[begin:end] != heads[begin:end] for begin, end in bounds) <= lost
