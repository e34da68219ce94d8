"""Patterns of shared subtrees (FREQTM): malicious pairs, features and their sizes are those of the definition."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.kernels.conversion.forests_to_mine import (
    ALL_RULES,
    FAMILIES,
    Family,
    all_families,
    arrays,
    as_bag,
    expected,
    forest,
    forest_lists,
    forests,
    found,
    limits,
    marked_families,
    mine,
    rules,
)
from tests.kernels.test_trees import random_trees
from tests.oracle import freqtm
from tests.oracle.trees import is_marked, nodes

LIMITS = [{}, {"max_size": 4}, {"max_size": 7, "max_embeddings": 1.1}]
same_bits = np.testing.assert_array_equal


def same_arrays(one, other):
    for ours, theirs in zip(arrays(one), arrays(other), strict=True):
        same_bits(ours, theirs)
    assert (one.features, one.size, one.entries) == (other.features, other.size, other.entries)


def agree(patterns, definition, compress=True):
    got = found(patterns)
    assert got.malicious == definition.malicious
    assert as_bag(got.items) == as_bag(definition.items if compress else definition.singles)
    assert patterns.features == definition.features
    assert patterns.n_malicious == len(definition.malicious)
    assert patterns.size == len(got.items)
    assert patterns.entries == sum(len(op) for op, _ in got.items)
    assert all(op == tuple(sorted(op)) for op, _ in got.items)


@pytest.fixture(scope="module")
def crowd():
    """Enough for several threads to be at work."""
    return list(dict.fromkeys(random_trees(300, seed=3, labels=["a", "b", "c", "d*1", "e*2"], largest=14)))


# --- values -----------------------------------------------------------------------------------------------------------


@all_families
@given(trees=forests, limits=limits, compress=st.booleans())
def test_patterns_are_those_of_the_definition(family, trees, limits, compress):
    agree(mine(family, trees, **limits, compress=compress), expected(family, trees, **limits), compress)


@all_families
@given(several=forest_lists, limits=limits)
def test_patterns_of_many_forests_are_those_of_the_definition(family, several, limits):
    for trees in several:
        agree(mine(family, trees, **limits), expected(family, trees, **limits))


@all_families
@given(trees=forests, limits=limits, rules=rules, threads=st.integers(1, 2))
def test_under_any_rules_patterns_are_those_of_the_definition(family, trees, limits, rules, threads):
    patterns = mine(family, trees, **limits, rules=rules, threads=threads)
    agree(patterns, expected(family, trees, **limits, rules=rules))


@pytest.mark.parametrize("rule", [f.name for f in fields(freqtm.Rules)])
@all_families
def test_a_rule_alone(family, rule):
    trees = list(dict.fromkeys(random_trees(12, seed=4, labels=["a", "b", "b*1"], largest=7)))
    rules = replace(freqtm.NO_RULES, **{rule: True})
    limits = {"max_size": 4, "max_embeddings": 1.5, "rules": rules}
    agree(mine(family, trees, **limits), expected(family, trees, **limits))


def test_by_hand():
    patterns = mine(FAMILIES["lo"], [("a", "b", "b", "c"), ("a", "b", "c"), "d"])
    got = found(patterns)
    both, twice = ((0, 1), (1, 1)), ((0, 2), (1, 1))
    assert got.malicious == []
    assert sorted(got.items) == [(both, {1: 2, 2: 1}), (twice, {1: 1, 2: 1, 3: 1})]  # a, c, a-c; b, a-b, a-b-c
    assert (patterns.n_trees, patterns.features, patterns.size, patterns.entries) == (3, 6, 2, 4)


def test_productions_by_hand():
    """The root's production, with and without those below; a fragment of n nodes is as large as they are many."""
    trees = [("s", ("a", "x"), ("b", "y")), ("s", ("a", "x"), ("b", "y"), "z"), ("s", ("a", "x"), ("b", "z"))]
    patterns = mine(FAMILIES["c"], trees)
    assert sorted(found(patterns).items) == [
        (((0, 1), (1, 1)), {1: 1}),  # b-y
        (((0, 1), (1, 1), (2, 1)), {1: 1}),  # a-x
        (((0, 1), (2, 1)), {1: 1, 2: 1}),  # s, s with a-x
    ]
    assert found(mine(FAMILIES["c"], trees, max_size=4)).malicious == [(0, 2)]
    assert found(mine(FAMILIES["c"], trees, max_size=5)).malicious == []


@pytest.mark.parametrize("trees", [[], ["a"], [("a*1", "b")], ["a", "b"], ["a*1", ("b", "a*1")]], ids=str)
@all_families
def test_few_trees(family, trees):
    agree(mine(family, trees), expected(family, trees))


@pytest.mark.parametrize("names", [["a"], ["a*1"], ["a", "b"], ["a*1", "b"]], ids=str)
@pytest.mark.parametrize("make", ["chain", "wide"])
@all_families
def test_chains_and_wide_nodes(family, make, names):
    def grow(size):
        if make == "wide":
            return (names[0], *(names[i % len(names)] for i in range(size)))
        tree = names[0]
        for i in range(size):
            tree = (names[(i + 1) % len(names)], tree)
        return tree

    trees = [grow(size) for size in range(1, 11)]
    for max_size, max_embeddings in [(20, 20), (5, 20), (30, 2), (30, 1e9)]:
        agree(mine(family, trees, max_size, max_embeddings), expected(family, trees, max_size, max_embeddings))


# --- laws -------------------------------------------------------------------------------------------------------------


@all_families
@given(trees=forests, limits=limits, marks=st.booleans())
def test_pairs_that_share_a_large_fragment_are_malicious(family, trees, limits, marks):
    """Where occurrences without hope of a mark are dropped, a marked one."""
    rules = replace(ALL_RULES, marks=marks)
    malicious = {*found(mine(family, trees, **limits, rules=rules)).malicious}
    features = freqtm.features(trees, family.growth, family.marked)
    if not marks:
        features |= freqtm.features(trees, type(family.growth)(), marked=False)
    for fragment, op in features.items():
        if len(nodes(fragment)) >= limits["max_size"]:
            assert malicious >= set(combinations(dict(op), 2))


@all_families
@given(trees=forests, threads=st.integers(1, 2))
def test_every_fragment_is_searched_once(family, trees, threads):
    """Without rules; single nodes of K_c are found apart from the search."""
    patterns = mine(family, trees, max_size=1, max_embeddings=0.1, rules=freqtm.NO_RULES, threads=threads)
    assert patterns.searched == len(freqtm.features(trees, type(family.growth)(), marked=False))
    assert patterns.n_malicious == 0


@pytest.mark.parametrize("name", ["lo", "c"])
def test_a_large_fragment_is_met_before_all_smaller_ones(name):
    """Depth first: on its way to max_size the search sees one fragment of each size; then the pair is known."""
    tree = "x"
    for label in "jihgfedcba":
        tree = (label, tree)
    trees, rules = [tree, ("top", tree)], replace(ALL_RULES, same_places=False)
    symbols, max_size = (11, 6) if name == "lo" else (10, 7)  # a production is a node and its child
    patterns = mine(FAMILIES[name], trees, max_size, rules=rules)
    assert found(patterns).malicious == [(0, 1)]
    assert patterns.searched == 6 + (symbols - 1)  # with the roots of the other symbols, which do not grow
    wider = mine(FAMILIES[name], trees, max_size, rules=replace(rules, known_pairs=False, same_support=False))
    assert wider.searched > 2 * patterns.searched


@all_families
@given(trees=forests, min_support=st.integers(2, 6))
def test_pairs_that_share_a_rare_fragment_are_malicious(family, trees, min_support):
    """Where occurrences without hope of a mark are dropped, a marked one."""
    malicious = {*found(mine(family, trees, min_support=min_support)).malicious}
    for op in freqtm.features(trees, family.growth, family.marked).values():
        if 2 <= len(op) < min_support:
            assert malicious >= set(combinations(dict(op), 2))


@pytest.mark.parametrize("same_places", [True, False])
@pytest.mark.parametrize("limits", LIMITS, ids=str)
@all_families
def test_looking_at_rare_fragments_alone_changes_nothing(family, limits, same_places, crowd):
    """The paper's check that supports are at most those of the fragments that failed."""
    rules = replace(ALL_RULES, same_places=same_places)
    on, off = (mine(family, crowd, **limits, rules=replace(rules, max_support=checks)) for checks in (True, False))
    same_arrays(on, off)
    assert on.searched >= off.searched


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@all_families
def test_precheck_changes_nothing(family, limits, crowd):
    precheck = replace(ALL_RULES, precheck=True)
    same_arrays(mine(family, crowd, **limits), mine(family, crowd, **limits, rules=precheck))


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("compress", [True, False], ids=["joined", "apart"])
@all_families
def test_threads_change_nothing(family, compress, limits, crowd):
    alone = mine(family, crowd, **limits, compress=compress)
    for threads in (2, 3, 8):
        same_arrays(mine(family, crowd, **limits, compress=compress, threads=threads), alone)


@all_families
def test_patterns_of_a_crowd_are_those_of_the_definition(family, crowd):
    """Pairs of hundreds of trees: their set has more than one way to be kept."""
    limits = {"max_size": 4, "max_embeddings": 3.0}
    agree(mine(family, crowd, **limits, threads=2), expected(family, crowd, **limits))


@all_families
def test_compression_only_joins(family, crowd):
    single, joint = (mine(family, crowd, compress=compress) for compress in (False, True))
    assert joint.features == single.features == single.size > joint.size
    assert single.entries > joint.entries
    assert single.nbytes > joint.nbytes
    sums = {}
    for op, sizes in found(single).items:
        for size, number in sizes.items():
            sums.setdefault(op, {}).setdefault(size, 0)
            sums[op][size] += number
    assert as_bag(sums.items()) == as_bag(found(joint).items)


# --- pruning ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["size_limit", "same_support", "known_pairs", "list_limit"])
@pytest.mark.parametrize("name", ["lo", "lo-marked", "c", "c-marked"])
def test_a_rule_saves_search(name, rule, crowd):
    """P1 saves what P2 would save, and the looking at pairs: it is tried without."""
    variants = crowd + [(*tree, "c") for tree in crowd if not isinstance(tree, str)]
    others = replace(ALL_RULES, same_places=False, known_pairs=rule != "same_support")
    few = 0.5 if rule == "list_limit" else 20
    on, off = (mine(FAMILIES[name], variants, 5, few, replace(others, **{rule: on})) for on in (True, False))
    assert on.searched < off.searched


@all_families
def test_fragments_in_the_same_places_are_searched_as_one(family, crowd):
    variants = crowd + [(*tree, "c") for tree in crowd if not isinstance(tree, str)]
    on, off = (mine(family, variants, 7, rules=replace(ALL_RULES, same_places=same)) for same in (True, False))
    same_arrays(on, off)
    assert on.searched < off.searched


@pytest.mark.parametrize("name", ["lo", "lo-marked", "c", "c-marked"])
def test_rules_save_search_one_after_the_other(name, crowd):
    searched, on = [], freqtm.NO_RULES
    for rule in ("size_limit", "same_support", "known_pairs", "list_limit", "marks"):
        on = replace(on, **{rule: True})
        searched.append(mine(FAMILIES[name], crowd, max_size=5, max_embeddings=0.9, rules=on).searched)
    assert searched == sorted(searched, reverse=True)
    assert searched[-1] < searched[0]


@marked_families
@given(trees=forests)
def test_looking_for_marks_changes_no_feature(family, trees):
    rules = replace(ALL_RULES, size_limit=False, list_limit=False)
    on, off = (mine(family, trees, rules=replace(rules, marks=marks)) for marks in (True, False))
    assert on.searched <= off.searched
    same_arrays(on, off)


@marked_families
def test_looking_for_marks_saves_search(family, crowd):
    on, off = (mine(family, crowd, rules=replace(ALL_RULES, marks=marks)) for marks in (True, False))
    assert 0 < on.searched < off.searched


@pytest.mark.parametrize("name", ["lo", "c", "c-single"])
def test_marks_do_not_matter_to_kernels_without(name, crowd):
    on, off = (mine(FAMILIES[name], crowd, rules=replace(ALL_RULES, marks=marks)) for marks in (True, False))
    same_arrays(on, off)
    assert on.searched == off.searched


@marked_families
def test_trees_without_marks_have_no_patterns(family):
    trees = [tree for tree in dict.fromkeys(random_trees(60, seed=5, labels=["a", "b"])) if not is_marked(tree)]
    patterns = mine(family, trees)
    assert (patterns.size, patterns.features, patterns.n_malicious, patterns.searched) == (0, 0, 0, 0)


def test_subset_trees_are_productions(crowd):
    same_arrays(mine(Family(gm.SubsetTreeKernel, None), crowd, 6), mine(FAMILIES["c"], crowd, 6))


def test_equal_labels_with_other_marks_are_others():
    assert mine(FAMILIES["lo-marked"], [("a*1", "b"), ("a*2", "b"), ("a", "b", "b")]).size == 0


def test_the_numbers_are_those_of_the_trees():
    X = forest([("a", "b"), ("c", "d"), ("a", "b", "e")])
    assert {op for op, _ in found(mine(FAMILIES["lo"], X)).items} == {((0, 1), (2, 1))}
    assert {op for op, _ in found(mine(FAMILIES["lo"], X[::-1])).items} == {((0, 1), (2, 1))}
    assert {op for op, _ in found(mine(FAMILIES["lo"], X[[1, 0, 2]])).items} == {((1, 1), (2, 1))}
