"""Chunks of words: found in trees and in tags as the definition says, linked, and put together again."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from gristmill.apps.parsing.chunks import (
    DEFAULT_JOINS,
    chunks_of_trees,
    linked_chunks,
    meaning_of,
    numbered_tags,
    parse_joins,
)
from gristmill.apps.parsing.treebank import Treebank, read_conllu
from gristmill.base.files import read_bytes
from tests.apps.parsing.core_parse_tasks import any_trees, columns_of, flat, numbers, plain_sentences, sentences_like
from tests.oracle import units as oracle
from tests.oracle.parsing import is_projective, is_tree, lifted

upos = st.sampled_from(["NOUN", "ADP", "PUNCT", "SYM", ""])
any_tag = st.tuples(st.booleans(), st.integers(-1, 2), st.integers(-4, 4))


@st.composite
def treebanks(draw, as_lifted=False):
    """Trees with relations, and which of these join."""
    all_heads = draw(st.lists(any_trees(8), max_size=3))
    if as_lifted:
        all_heads = [lifted(heads)[0] for heads in all_heads]
    relations = [[draw(st.integers(0, 3)) for _ in heads] for heads in all_heads]
    return all_heads, relations, draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))


def core_units(all_heads, relations, joins, columns=None):
    columns = columns or columns_of(plain_sentences([len(heads) for heads in all_heads]))
    trees = (numbers(flat(all_heads)), numbers(flat(relations)))
    return _core.Chunks.of_trees(columns, *trees, np.array(joins, dtype=np.uint8)), *trees


def by_definition(all_heads, relations, joins):
    return [oracle.inside(heads, own, joins) for heads, own in zip(all_heads, relations, strict=True)]


@given(treebanks())
def test_units_of_trees_are_those_of_the_definition(bank):
    units, heads, relations = core_units(*bank)
    expected = by_definition(*bank)
    assert units.tags() == [tag for one in expected for tag in oracle.tags(one)]
    assert len(units) == sum(map(len, expected))
    ends = np.cumsum([0, *(len(own) for own in bank[0])]).tolist()
    assert (
        units.starts().tolist()
        == [at + words[0] for at, one in zip(ends, expected, strict=False) for words, _, _ in one] + ends[-1:]
    )
    found, linked = units.links(heads, relations)
    assert found.tolist() == [
        link for one, own in zip(expected, bank[0], strict=True) for link in oracle.links(one, own)
    ]
    assert linked.tolist() == [own[top] for one, own in zip(expected, bank[1], strict=True) for _, top, _ in one]


@given(treebanks())
def test_units_of_trees_are_linked_in_trees_and_give_them_back(bank):
    """Heads come back where they are inside of units or head words of others; crossing arcs may be lost."""
    units, heads, relations = core_units(*bank)
    links, linked = units.links(heads, relations)
    expected = by_definition(*bank)
    bounds = list(pairwise(np.cumsum([0, *map(len, expected)]).tolist()))
    assert all(is_tree(links[begin:end].tolist()) for begin, end in bounds)
    found, own = units.compose(links, linked)
    assert own.tolist() == relations.tolist()
    if all(map(fits_in_tags, expected, bank[0])):
        assert found.tolist() == heads.tolist()


@given(treebanks(as_lifted=True))
def test_units_of_projective_trees_are_linked_without_crossing_arcs(bank):
    units, heads, relations = core_units(*bank)
    links = units.links(heads, relations)[0].tolist()
    for one in by_definition(*bank):
        assert is_projective(links[: len(one)])
        links = links[len(one) :]


def fits_in_tags(units, heads):
    """Whether every head is inside of its word's unit, or the head word of another one that its head word links to."""
    tops = [top for _, top, _ in units]
    return all(
        heads[word] in words or (word == top and heads[word] in [-1, *tops])
        for words, top, _ in units
        for word in words
    )


@given(st.lists(st.lists(any_tag, max_size=8), max_size=3), st.data())
def test_any_tags_give_trees(tags, data):
    columns = columns_of(plain_sentences([len(own) for own in tags]))
    meanings = sorted(set(flat(tags)))
    units = _core.Chunks.of_tags(columns, numbers([meanings.index(tag) for tag in flat(tags)]), meanings, 2)
    expected = [oracle.of_tags(own, 2) for own in tags]
    trees = [data.draw(any_trees(len(one), len(one))) for one in expected]
    relations = [[7] * len(one) for one in expected]
    found = units.compose(numbers(flat(trees)), numbers(flat(relations)))
    both = [oracle.composed(*one) for one in zip(expected, trees, relations, strict=True)]
    assert found[0].tolist() == [head for heads, _ in both for head in heads]
    assert found[1].tolist() == [relation for _, own in both for relation in own]
    assert all(is_tree(heads) for heads, _ in both)
    assert units.tags() == [tag for one in expected for tag in oracle.tags(one)]


@given(treebanks())
def test_tags_of_units_give_the_units_again(bank):
    """Where heads inside are near enough for a tag to name them."""
    units, _, _ = core_units(*bank)
    meanings = sorted(set(units.tags()))
    columns = columns_of(plain_sentences([len(heads) for heads in bank[0]]))
    again = _core.Chunks.of_tags(columns, numbers([meanings.index(tag) for tag in units.tags()]), meanings, 0)
    assert again.tags() == units.tags()
    assert again.starts().tolist() == units.starts().tolist()
    if not any(abs(head - word) > 3 for heads in bank[0] for word, head in enumerate(heads) if head >= 0):
        none = numbers([-1] * len(units))
        assert [part.tolist() for part in again.compose(none, none)] == [p.tolist() for p in units.compose(none, none)]


@given(treebanks(), st.data())
def test_units_show_the_cells_of_words_with_roles(bank, data):
    sentences = sentences_like(data.draw, bank[0], upos)
    columns = columns_of(sentences)
    units, _, _ = core_units(*bank, columns)
    found = units.columns(columns)
    expected = [
        [cell for word in oracle.roles(unit, sentence) for cell in ([""] * 5 if word is None else sentence[word])]
        for one, sentence in zip(by_definition(*bank), sentences, strict=True)
        for unit in one
    ]
    assert (len(found), found.tokens, found.columns) == (len(sentences), len(units), 30)
    assert [found.column(column) for column in range(30)] == [[unit[c] for unit in expected] for c in range(30)]


# --- the edges --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [[], [0], [0, 0], [1], [0, 1, 0]])
def test_hardly_any_words(lengths):
    trees = [[-1] * length for length in lengths]
    units, heads, relations = core_units(trees, [[0] * length for length in lengths], [3])
    assert len(units) == sum(lengths)
    assert units.links(heads, relations)[0].tolist() == heads.tolist()


def test_a_unit_of_ten_thousand_words():
    words = 10_000
    tags = [(True, -1, 0), (False, 0, -1)]
    columns = columns_of(plain_sentences([words]))
    units = _core.Chunks.of_tags(columns, numbers([0, *[1] * (words - 1)]), tags, 0)
    heads, _ = units.compose(numbers([-1]), numbers([0]))
    assert heads.tolist() == list(range(-1, words - 1))
    joined, _, _ = core_units([heads.tolist()], [[0] * words], [1])
    assert len(joined) == 1


def test_what_does_not_fit_is_refused():
    columns = columns_of(plain_sentences([2]))
    joins = np.array([3], dtype=np.uint8)
    for heads, relations in [([-1], [0]), ([-1, 0], [0]), ([-1, -1], [0, 0]), ([-1, 0], [0, 1]), ([-1, 0], [0, -1])]:
        with pytest.raises(ValueError, match=r"fit|tree|unknown"):
            _core.Chunks.of_trees(columns, numbers(heads), numbers(relations), joins)
    with pytest.raises(ValueError, match="fit"):
        _core.Chunks.of_tags(columns, numbers([0]), [(True, -1, 0)], 0)
    with pytest.raises(IndexError):
        _core.Chunks.of_tags(columns, numbers([0, 1]), [(True, -1, 0)], 0)
    units = _core.Chunks.of_trees(columns, numbers([-1, 0]), numbers([0, 0]), joins)
    with pytest.raises(ValueError, match="fit"):
        units.compose(numbers([-1, 0]), numbers([0, 0]))
    with pytest.raises(ValueError, match="other words"):
        units.columns(columns_of(plain_sentences([3])))


# --- by their names ---------------------------------------------------------------------------------------------------


def test_relations_that_join():
    assert parse_joins("case dep< aux> case>") == {"case": 3, "dep": 1, "aux": 2}
    assert parse_joins("dep< dep>") == {"dep": 3}
    for wrong in ("", "  ", "<", "case<>", "case <"):
        with pytest.raises(ValueError, match="relations"):
            parse_joins(wrong)


@given(treebanks())
def test_tags_by_name_mean_what_they_say(bank):
    """Except that what is rare counts as hanging on the head of the unit."""
    units, _, _ = core_units(*bank)
    relations = ["case", "aux", "nsubj:x", "a:b:c"]
    tags, given = numbered_tags(units, relations)
    meanings = [meaning_of(tags[number], {name: at for at, name in enumerate(relations)}) for number in given.tolist()]
    assert tags == sorted(set(tags))
    for meaning, tag in zip(meanings, units.tags(), strict=True):
        assert meaning[:2] == tag[:2]
        assert meaning[2] in (tag[2], 0)


@pytest.mark.parametrize(
    "tag", ["", "B", "B:", "X:h", "B:unknown:@", "B:case", "I:case:", "I:case:x", "I:case:+-", "I:case:1.5"]
)
def test_what_is_no_tag(tag):
    with pytest.raises(ValueError, match="no tag of a chunk"):
        meaning_of(tag, {"case": 0})


# --- Japanese ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["dev", "test"])
def test_units_are_the_bunsetsu_of_a_treebank(corpora, part):
    path = corpora / "dep" / f"ja_gsd-ud-{part}.conllu.gz"
    if not path.exists():
        pytest.skip(f"no treebank {path.name}")
    bank = Treebank.of_conllu(read_conllu(path))
    labels = re.findall(rb"BunsetuBILabel=([BI])", read_bytes(path))
    assert len(labels) == bank.columns.tokens
    units = chunks_of_trees(bank, DEFAULT_JOINS)
    begins = [tag[0] for tag in units.tags()]
    agree = sum(own == (label == b"B") for own, label in zip(begins, labels, strict=True))
    assert agree >= 0.995 * len(labels)
    links = linked_chunks(bank, units)
    for begin, end in pairwise(links.columns.starts().tolist()):
        assert is_tree(links.heads[begin:end].tolist())
    found, relations = units.compose(links.heads, links.relations)
    assert np.mean(found == bank.heads) > 0.99
    assert relations.tolist() == bank.relations.tolist()
