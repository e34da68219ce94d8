"""The oracle of FREQTM itself: it finds what enumeration finds, and its inner products are kernels by the book."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given

from tests.kernels.conversion.forests_to_mine import ALL_RULES, all_families, forests, limits, rules
from tests.oracle import freqtm, trees

KERNELS = {freqtm.OrderedGrowth: trees.ordered_tree, freqtm.ProductionGrowth: trees.production_tree}


def search(family, some_trees, **options):
    return freqtm.Search(some_trees, family.growth, family.marked, **options).run()


def kernel(family, a, b, decay):
    alone = {"single_nodes": True} if family.growth.single_nodes else {}
    return KERNELS[type(family.growth)](a, b, decay, marked=family.marked, **alone)


def without_malicious(mined):
    return {
        fragment: op
        for fragment, op in mined.registered.items()
        if not set(combinations(dict(op), 2)) <= mined.malicious
    }


@all_families
@given(some_trees=forests, limits=limits, rules=rules)
def test_whatever_the_rules_all_is_found_that_is_not_malicious(family, some_trees, limits, rules):
    """Those that only save time leave the malicious pairs as they are."""
    mined = search(family, some_trees, **limits, rules=rules)
    assert without_malicious(mined) == freqtm.features(some_trees, family.growth, family.marked, mined.malicious)
    lasting = replace(rules, same_support=False, known_pairs=False, precheck=False, post_order=False)
    assert search(family, some_trees, **limits, rules=lasting).malicious == mined.malicious


@all_families
@given(some_trees=forests, limits=limits)
def test_the_first_pass_finds_all_malicious_pairs(family, some_trees, limits):
    """The second one, which registers fragments, looks at no more of them than the only pass of a search without."""
    both, only = (
        search(family, some_trees, **limits, rules=replace(ALL_RULES, precheck=precheck)) for precheck in (True, False)
    )
    first, second = both.malicious_after_pass
    assert first == second == only.malicious_after_pass[0]
    assert both.malicious == only.malicious
    assert both.searched_in_pass[1] <= only.searched_in_pass[0]


@all_families
@given(some_trees=forests)
def test_the_search_is_depth_first(family, some_trees):
    """A fragment is followed by one that it has grown to, or by one that grew from a fragment it grew from itself."""
    trace = search(family, some_trees, max_size=1, max_embeddings=0.1, rules=freqtm.NO_RULES).trace
    for before, after in pairwise(trace):
        assert len(after) <= len(before) + 1
        assert after[:-1] == before[: len(after) - 1]


@all_families
@given(some_trees=forests, limits=limits)
def test_fragments_are_registered_after_those_they_grow_to(family, some_trees, limits):
    registered = list(search(family, some_trees, **limits, rules=replace(ALL_RULES, precheck=False)).registered_growths)
    for at, fragment in enumerate(registered):
        assert all(later[: len(fragment)] != fragment for later in registered[at + 1 :])


@all_families
@given(some_trees=forests)
def test_without_rules_every_fragment_of_two_trees_is_searched_once(family, some_trees):
    mined = search(family, some_trees, max_size=1, max_embeddings=0.1, rules=freqtm.NO_RULES)
    assert mined.searched == dict.fromkeys(freqtm.features(some_trees, type(family.growth)(), marked=False), 1)


@all_families
@given(some_trees=forests, limits=limits)
def test_inner_products_are_kernels(family, some_trees, limits):
    mined = search(family, some_trees, **limits)
    patterns = freqtm.compressed(without_malicious(mined), family.growth)
    for i, j in set(combinations(range(len(some_trees)), 2)) - mined.malicious:
        assert freqtm.inner_product(patterns, 0.5, i, j) == kernel(family, some_trees[i], some_trees[j], 0.5)


@pytest.mark.parametrize(("tree", "times"), [(("a", "b", "b", "c"), 2), (("a", "b", "b", "b", "c"), 3)])
def test_embeddings_that_share_their_last_node_count(tree, times):
    """A list of positions has one entry for (a b c); it is there more often."""
    mined = freqtm.Search([tree, ("a", "b", "c")], freqtm.OrderedGrowth(), False, 20, 20, ALL_RULES).run()
    assert mined.registered["a", "b", "c"] == ((0, times), (1, 1))
