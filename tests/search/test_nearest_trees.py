"""Nearest trees: by products of the operator what the Gram matrix says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.search import index
from gristmill.search.ways import ByGramRows, ByProducts

labels = st.sampled_from("ABC")
trees = st.recursive(labels, lambda below: st.tuples(labels, below) | st.tuples(labels, below, below), max_leaves=6)
forests = st.lists(st.tuples(st.just("S"), trees, trees), min_size=1, max_size=8)
KERNELS = {
    "sst": gm.Normalized(gm.SubsetTreeKernel()),
    "ptk": gm.Normalized(gm.PartialTreeKernel()),
    "raw": gm.SubtreeKernel(0.5),
    "sum": gm.Normalized(gm.SubsetTreeKernel()) + 0.5 * gm.Normalized(gm.PartialTreeKernel()),
}


def assert_nearest(found, gram, k, threshold, own):
    """The k largest values, from the threshold on; equal ones may be told apart by rounding alone."""
    for query, row in enumerate(gram):
        others = np.delete(row, query) if own else row
        wanted = np.sort(others[others >= threshold - 1e-9])[::-1][:k]
        values = np.array([one.similarity for one in found[query]])
        assert len(values) in (len(wanted), np.sum(wanted >= threshold + 1e-9))
        np.testing.assert_allclose(values, wanted[: len(values)], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(values, row[[one.number for one in found[query]]], rtol=1e-9, atol=1e-12)
        assert not own or query not in [one.number for one in found[query]]


@pytest.mark.parametrize("name", KERNELS)
@given(data=forests, queries=forests, k=st.integers(1, 9), threshold=st.sampled_from([0.0, 0.5, 0.99]))
def test_trees_are_those_of_the_gram_matrix(name, data, queries, k, threshold):
    kernel, forest, asked = KERNELS[name], gm.Forest.from_nested(data), gm.Forest.from_nested(queries)
    search = gm.NearestIndex(forest, kernel)
    assert_nearest(search.query(asked, k=k, threshold=threshold), kernel(asked, forest), k, threshold, own=False)
    assert_nearest(search.query(k=k, threshold=threshold), kernel(forest), k, threshold, own=True)


def forest_of(number):
    random = np.random.default_rng(0)
    words = [f"w{n}" for n in range(12)]
    return gm.Forest.from_strings(
        f"(S (NP (D {words[a % 3]}) (N {words[b]})) (VP (V {words[c]})))"
        for a, b, c in random.integers(12, size=(number, 3))
    )


def test_queries_are_answered_again_and_again_and_equal_trees_are_equally_similar():
    forest, queries = forest_of(300), forest_of(5)
    search = gm.NearestIndex(forest, "sst", n_jobs=2)
    assert isinstance(search._fast, ByProducts)
    assert search.nbytes > 0
    first = search.query(queries, k=12)
    again = search.query(queries, k=12, n_jobs=3)
    np.testing.assert_array_equal(first.numbers, again.numbers)
    np.testing.assert_array_equal(first.similarities, again.similarities)
    assert len(search) == 300
    for one in first:
        same = [found.number for found in one if found.similarity == one[0].similarity]
        assert same == sorted(same)


def test_kernels_that_do_not_compile_search_gram_rows(monkeypatch):
    monkeypatch.setattr(index, "worthwhile_operator", lambda *_: None)
    forest = forest_of(40)
    search = gm.NearestIndex(forest, "sst")
    assert isinstance(search._search_for(forest), ByGramRows)
    by_rows = search.query(k=3)
    monkeypatch.undo()
    np.testing.assert_allclose(by_rows.similarities, gm.nearest(forest, k=3, kernel="sst").similarities, rtol=1e-12)


def test_progress_of_trees_is_told_and_may_stop_the_search():
    told = []
    gm.nearest(forest_of(9), k=1, kernel="sst", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (9, 9)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gm.nearest(forest_of(9), k=1, kernel="sst", progress=stop)
