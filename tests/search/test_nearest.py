"""Nearest neighbours: those that comparing every pair gives, in the same order, whatever the kernel and the threads."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from tests.kernels.set_kernels import WITH_ORACLES, features, id_rows
from tests.oracle import nearest as oracle
from tests.oracle import sets

KERNELS = {
    **WITH_ORACLES,
    "poly": (gm.PolynomialKernel(2), lambda x, s: (len(x & s) + 1.0) ** 2),
    "falling": (gm.PolynomialKernel(1, -1.0, 0.0), lambda x, s: -float(len(x & s))),
    "valley": (gm.PolynomialKernel(2, 1.0, -2.0), lambda x, s: (len(x & s) - 2.0) ** 2),
    "falling sigmoid": (gm.SigmoidKernel(-0.5, 1.0), lambda x, s: sets.sigmoid(x, s, -0.5, 1.0)),
}
NAMES = sorted(KERNELS)
few = st.lists(features, max_size=12)
thresholds = st.one_of(st.none(), st.sampled_from([-1.0, 0.0, 0.2, 1 / 3, 0.5, 0.6, 1.0, 2.0, 4.0]))


def listed(found):
    return [[tuple(one) for one in query] for query in found]


def requests():
    return st.tuples(st.one_of(st.none(), st.integers(1, 15)), thresholds).filter(lambda one: one != (None, None))


@pytest.mark.parametrize("name", NAMES)
@given(data=few, queries=few, request=requests())
def test_neighbours_are_those_of_comparing_all_pairs(name, data, queries, request):
    kernel, value = KERNELS[name]
    k, threshold = request
    found = gm.nearest(id_rows(data), id_rows(queries), k=k, threshold=threshold, kernel=kernel)
    assert listed(found) == oracle.nearest(data, queries, value, k, threshold)


@pytest.mark.parametrize("name", NAMES)
@given(data=few, request=requests())
def test_without_queries_each_row_is_compared_with_the_others(name, data, request):
    kernel, value = KERNELS[name]
    k, threshold = request
    found = gm.nearest(id_rows(data + data), k=k, threshold=threshold, kernel=kernel)
    assert listed(found) == oracle.nearest_others(data + data, value, k, threshold)


@pytest.fixture(scope="module")
def crowd():
    """Rows of several tiles and lengths; features that are frequent (columns) and rare (lists); copies; empty rows."""
    random = np.random.default_rng(5)

    def one():
        size = random.integers(0, 40)
        return frozenset((600 * random.random(size) ** 3).astype(int).tolist())

    rows = [one() for _ in range(9_000)]
    changed = [frozenset([*list(rows[number])[2:], 3, 700, 800]) for number in range(0, 9_000, 700)]
    queries = [*rows[:9], *changed, frozenset(), frozenset({599}), frozenset(range(90)), frozenset({10_000})]
    return gm.ids(rows, n_features=10_001), gm.ids(queries, n_features=10_001)


@pytest.mark.parametrize("name", ["tanimoto", "rbf", "valley", "callable"])
@pytest.mark.parametrize("request_", [{"k": 7}, {"threshold": 0.5}, {"k": 40, "threshold": 0.3}, {"k": 9_000}])
def test_large_data_give_the_same_and_threads_change_nothing(name, request_, crowd):
    kernel = KERNELS[name][0]
    rows, queries = crowd
    gram = kernel.direct(queries, rows)
    index = gm.NearestIndex(rows, kernel)
    found = index.query(queries, **request_)
    for query, values in enumerate(gram):
        order = np.lexsort((np.arange(len(values)), -values))
        order = order[values[order] >= request_.get("threshold", -np.inf)][: request_.get("k")]
        own = slice(found.offsets[query], found.offsets[query + 1])
        np.testing.assert_array_equal(found.numbers[own], order)
        np.testing.assert_allclose(found.similarities[own], values[order], rtol=1e-14)
    again = index.query(queries, **request_, n_jobs=3)
    np.testing.assert_array_equal(again.numbers, found.numbers)
    np.testing.assert_array_equal(again.similarities, found.similarities)


def test_near_duplicates_of_large_data_are_found_from_both_sides(crowd):
    rows = crowd[0].take(np.arange(3_000))
    pairs = {tuple(pair) for pair in gm.nearest(rows, threshold=0.8, n_jobs=2).pairs().tolist()}
    assert pairs == {(other, one) for one, other in pairs}
    assert len(pairs) > 0


@pytest.mark.parametrize("kernel", [gm.RBFKernel(0.3), gm.CosineKernel(), gm.Normalized(gm.PolynomialKernel(2))])
def test_values_and_other_kernels_are_searched_by_gram_rows(kernel):
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(30, 4)), random.normal(size=(7, 4))
    found = gm.nearest(X, Y, k=3, kernel=kernel)
    expected = np.argsort(-kernel(Y, X), axis=1, kind="stable")[:, :3]
    np.testing.assert_array_equal(found.numbers.reshape(7, 3), expected)
    others = gm.nearest(X, threshold=0.1, kernel=kernel)
    gram = kernel(X)
    for number, row in enumerate(others):
        assert {one.number for one in row} == set(np.flatnonzero(gram[number] >= 0.1)) - {number}


def test_trees_are_searched():
    trees = gm.Forest.from_strings(["(S (A a) (B b))", "(S (A c) (B b))", "(S (A a) (B b))", "(T (A a))"])
    found = gm.nearest(trees, k=2, kernel="sst")
    assert [one.number for one in found[0]] == [2, 1]
    assert found[0][0].similarity == pytest.approx(1.0)


def test_binary_rows_and_queries_with_values_meet():
    data, queries = np.eye(4), np.array([[0.5, 0.0, 0.0, 2.0]])
    found = gm.nearest(data, queries, k=2, kernel="rbf")
    assert [one.number for one in found[0]] == [3, 0]


def test_columns_of_frames_are_matched_by_name():
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"a": [1, 0], "b": [0, 1]})
    found = gm.nearest(data, data[["b", "a"]].iloc[:1], k=1)
    assert found[0] == [(0, 1.0)]


def test_results_say_what_they_are():
    found = gm.nearest(gm.ids([[1, 2], [1], [5]]), gm.ids([[1], [9]]), threshold=0.5)
    assert len(found) == 2
    assert found[1] == []
    assert found[-2] == [(1, 1.0), (0, 0.5)]
    np.testing.assert_array_equal(found.counts, [2, 0])
    np.testing.assert_array_equal(found.pairs(), [[0, 1], [0, 0]])
    np.testing.assert_array_equal(found.to_csr().toarray(), [[0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert json.loads(found.to_json())["neighbours"][0][0] == {"number": 1, "similarity": 1.0}
    assert repr(found) == "2 queries among 3 examples, 2 neighbours\n0: 1 (1), 0 (0.5)\n1: none"
    with pytest.raises(IndexError):
        found[2]


def test_long_results_are_cut_where_they_are_shown():
    text = repr(gm.nearest(gm.ids([[1]] * 12), k=11))
    assert text.endswith("\n...")
    assert "10 (1), ..." in text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "give k, how many"),
        ({"k": 0}, "k must be a whole number from 1 on, got 0"),
        ({"k": 1.5}, "k must be a whole number"),
        ({"threshold": np.nan}, "threshold must be a finite number or None, got nan"),
        ({"threshold": "half"}, "threshold must be"),
        ({"k": 1, "kernel": "tanimotto"}, "kernel must be"),
        ({"k": 1, "n_jobs": 0}, "n_jobs"),
        ({"k": 1, "kernel": gm.ConjunctionKernel()}, "symmetric"),
    ],
)
def test_wrong_requests_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        gm.nearest(gm.ids([[1], [2]]), **wrong)


def test_nothing_to_search_and_nothing_to_ask():
    assert listed(gm.nearest(gm.ids([]), gm.ids([[1]]), k=3)) == [[]]
    assert listed(gm.nearest(gm.ids([[1]]), gm.ids([]), k=3)) == []
    assert listed(gm.nearest(gm.ids([]), k=3)) == []
    assert listed(gm.nearest(gm.ids([[1]]), k=3)) == [[]]


def test_progress_is_told_and_may_stop_the_search():
    told = []
    gm.nearest(gm.ids([[1], [2], [1, 2]]), k=1, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (3, 3)

    def stop(done, total):
        raise KeyboardInterrupt

    for kernel in ("tanimoto", gm.Normalized(gm.PolynomialKernel(2))):
        with pytest.raises(KeyboardInterrupt):
            gm.nearest(gm.ids([[1], [2], [1, 2]]), k=1, kernel=kernel, progress=stop)


def test_an_index_says_what_it_holds():
    index = gm.NearestIndex(gm.ids([[1, 2], [3]]))
    assert (len(index), repr(index)) == (2, "NearestIndex(<2 examples>, kernel=TanimotoKernel())")
    assert index.nbytes > 0
