"""Rows from converted trees (Algorithm 4.1): the kernel of every pair, malicious or not, whatever the conversion."""

from __future__ import annotations

import gzip
import re
from functools import partial
from itertools import islice
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from tests.data.tree_strategies import MAY_BE_UNMARKED, crowds
from tests.kernels.conversion.forests_to_mine import (
    FAMILIES,
    all_families,
    distinct,
    forest,
    forests,
    found,
    limits,
    mine,
    rules,
)
from tests.kernels.test_trees import random_trees

pytestmark = MAY_BE_UNMARKED

close = partial(np.testing.assert_allclose, rtol=1e-9, atol=0)  # nothing cancels: all terms are positive
same_bits = np.testing.assert_array_equal
decays = st.floats(0.05, 1)
EMPTY = np.empty(0)


def converted(patterns, kernel, X, columns=None, threads=1):
    columns = np.arange(len(X)) if columns is None else columns
    return _core.ConvertedRows(patterns, kernel._native, X.indexed(), np.asarray(columns, np.uint32), threads)


def symmetric(rows, n, scales=EMPTY, threads=1):
    out = np.full((n, n), np.nan)
    rows.fill_symmetric(scales, out, threads)
    return out


def rectangle(rows, queries, n_columns, query_scales=EMPTY, column_scales=EMPTY, threads=1):
    out = np.full((len(queries), n_columns), np.nan)
    rows.fill(np.asarray(queries, np.uint32), query_scales, column_scales, out, threads)
    return out


def check(family, X, patterns, decay, threads=1):
    """The whole matrix, by both ways to fill it."""
    kernel, n = family.kernel(decay), len(X)
    gram, rows = kernel.direct(X), converted(patterns, kernel, X, threads=threads)
    close(symmetric(rows, n, threads=threads), gram)
    close(rectangle(rows, range(n), n, threads=threads), gram)
    close(rows.diagonal, gram.diagonal())


@pytest.fixture(scope="module")
def crowd():
    """Pairs of every kind: some share nothing, some nearly all."""
    some = random_trees(120, seed=6, labels=["a", "b", "c", "d*1", "e*2"], largest=12)
    return forest(distinct(some + [(*tree, "b") for tree in some[::3] if not isinstance(tree, str)]))


# --- values -----------------------------------------------------------------------------------------------------------


@all_families
@given(
    trees=forests,
    limits=limits,
    rules=rules,
    compress=st.booleans(),
    threads=st.integers(1, 2),
    some_decays=st.lists(decays, min_size=1, max_size=3),
)
def test_rows_are_kernels_whatever_the_conversion(family, trees, limits, rules, compress, threads, some_decays):
    X = forest(trees)
    patterns = mine(family, X, **limits, rules=rules, compress=compress, threads=threads)
    for decay in some_decays:
        check(family, X, patterns, decay, threads)


@all_families
@given(trees=crowds(), max_size=st.integers(1, 12), max_embeddings=st.sampled_from([0.5, 1.1, 3, 20]), decay=decays)
def test_rows_of_many_trees_are_kernels(family, trees, max_size, max_embeddings, decay):
    X = forest(distinct(trees))
    check(family, X, mine(family, X, max_size, max_embeddings), decay)


@pytest.mark.parametrize("max_size", range(1, 31))
@pytest.mark.parametrize("name", ["lo", "lo-marked", "c", "c-marked"])
def test_any_size_limit(name, max_size, crowd):
    check(FAMILIES[name], crowd, mine(FAMILIES[name], crowd, max_size), 0.2)


@pytest.mark.parametrize("min_support", range(2, 8))
@all_families
def test_any_least_support(family, min_support, crowd):
    check(family, crowd, mine(family, crowd, min_support=min_support), 0.2)


@all_families
def test_one_conversion_serves_every_decay(family, crowd):
    patterns = mine(family, crowd, max_size=8)
    for decay in np.linspace(0.05, 1, 20):
        check(family, crowd, patterns, decay)


@pytest.mark.parametrize("max_embeddings", [0.5, 1, 1.1, 2, 5, 20, 1000, 1e300, np.inf])
@all_families
def test_any_limit_of_embeddings(family, max_embeddings, crowd):
    patterns = mine(family, crowd, 8, max_embeddings)
    check(family, crowd, patterns, 0.2)


@pytest.mark.parametrize("wide", [12, 33, 34, 40, 70])
@pytest.mark.parametrize("name", ["lo", "lo-marked"])
def test_embeddings_beyond_32_bits(name, wide):
    """There are 40 over 20 ways to choose 20 of 40 children: 1.4e11."""
    X = forest([("a*1", *["b"] * wide), ("a*1", *["b"] * (wide - 1)), ("a*1", "b", "b")])
    for max_embeddings in (20, 1e9, 1e12, np.inf):
        patterns = mine(FAMILIES[name], X, max_size=100, max_embeddings=max_embeddings)
        check(FAMILIES[name], X, patterns, 0.5)


@pytest.fixture(scope="module")
def sentences(corpora):
    """Parsed sentences, each several times with two of its nodes marked: pairs of one sentence share nearly all."""
    with gzip.open(corpora / "srl" / "ewt.dev.trees.gz", "rt") as lines:
        trees = [line.rstrip("\n").split("\t")[2].replace("*", "") for line in islice(lines, 40)]
    random, marked = Random(8), []
    for tree in trees:
        places = [match.end() for match in re.finditer(r"\([^\s()]+", tree)]
        for _ in range(3):
            first, second = sorted(random.choices(places, k=2))
            marked.append(f"{tree[:first]}*1{tree[first:second]}*2{tree[second:]}" if first < second else tree)
    return gm.Forest.from_strings(dict.fromkeys(marked), marks=True)


@pytest.mark.parametrize(("max_size", "max_embeddings"), [(5, 20), (12, 3)])
@pytest.mark.parametrize("name", ["lo-marked", "c-marked", "c", "c-marked-single"])
def test_sentences(name, max_size, max_embeddings, sentences):
    patterns = mine(FAMILIES[name], sentences, max_size, max_embeddings, threads=2)
    assert patterns.n_malicious >= len(sentences) / 2
    assert patterns.size > 10
    for decay in (0.2, 1.0):
        check(FAMILIES[name], sentences, patterns, decay, threads=2)


# --- parts ------------------------------------------------------------------------------------------------------------


@all_families
@given(data=st.data(), trees=forests.filter(len), limits=limits, scaled=st.booleans())
def test_some_columns_some_queries_and_scales(family, data, trees, limits, scaled):
    """Queries need not be among the columns; numbers may come in any order, queries several times."""
    X, number = forest(trees), st.integers(0, len(trees) - 1)
    columns = data.draw(st.lists(number, unique=True))
    queries = data.draw(st.lists(number))
    kernel, random = family.kernel(0.3), np.random.default_rng(0)
    rows = converted(mine(family, X, **limits), kernel, X, columns)
    scales = [random.uniform(0.5, 2, len(part)) if scaled else EMPTY for part in (queries, columns)]
    left, right = (np.ones(len(part)) if not scaled else s for part, s in zip((queries, columns), scales, strict=True))
    expected = left[:, None] * kernel.direct(X[queries], X[columns]) * right
    close(rectangle(rows, queries, len(columns), *scales), expected)
    close(rows.diagonal, kernel.diag(X))


@all_families
def test_normalised(family, crowd):
    kernel = family.kernel(0.2)
    rows = converted(mine(family, crowd, max_size=6), kernel, crowd)
    diagonal = np.where(rows.diagonal > 0, rows.diagonal, 1.0)
    gram = symmetric(rows, len(crowd), 1 / np.sqrt(diagonal))
    close(gram, gm.Normalized(kernel).direct(crowd))
    same_bits(gram, gram.T)


@all_families
def test_columns_of_a_crowd(family, crowd):
    patterns, kernel = mine(family, crowd, max_size=6), family.kernel(0.4)
    columns, queries = np.arange(len(crowd))[::-3], np.arange(1, len(crowd), 2)
    close(
        rectangle(converted(patterns, kernel, crowd, columns), queries, len(columns)),
        kernel.direct(crowd[queries], crowd[columns]),
    )
    close(symmetric(converted(patterns, kernel, crowd, columns), len(columns)), kernel.direct(crowd[columns]))


@all_families
def test_no_columns_no_queries_no_trees(family, crowd):
    kernel, patterns = family.kernel(0.4), mine(family, crowd)
    assert rectangle(converted(patterns, kernel, crowd, []), [0, 1], 0).shape == (2, 0)
    assert rectangle(converted(patterns, kernel, crowd, [5]), [], 1).shape == (0, 1)
    assert symmetric(converted(mine(family, crowd[:0]), kernel, crowd[:0]), 0).shape == (0, 0)
    close(symmetric(converted(mine(family, crowd[:1]), kernel, crowd[:1]), 1), kernel.direct(crowd[:1]))


def test_a_part_of_a_forest_has_numbers_of_its_own(crowd):
    for part in (crowd[40:], crowd[::-1], crowd[[7, 3, 50, 2]]):
        for name in ("lo-marked", "c-marked-single"):
            check(FAMILIES[name], part, mine(FAMILIES[name], part), 0.2)


# --- laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_size", [4, 20])
@pytest.mark.parametrize("compress", [True, False], ids=["joined", "apart"])
@all_families
def test_threads_do_not_change_a_bit(family, compress, max_size, crowd):
    kernel, n = family.kernel(0.3), len(crowd)
    alone = converted(mine(family, crowd, max_size, compress=compress), kernel, crowd)
    for threads in (2, 3):
        patterns = mine(family, crowd, max_size, compress=compress, threads=threads)
        rows = converted(patterns, kernel, crowd, threads=threads)
        same_bits(symmetric(rows, n, threads=threads), symmetric(alone, n))
        same_bits(rectangle(rows, range(n), n, threads=threads), rectangle(alone, range(n), n))
        same_bits(rows.diagonal, alone.diagonal)


@all_families
def test_a_value_has_the_same_bits_among_any_other_trees(family, crowd):
    kernel, n, patterns = family.kernel(0.3), len(crowd), mine(family, crowd, max_size=6)
    whole = rectangle(converted(patterns, kernel, crowd), range(n), n)
    same_bits(np.tril(symmetric(converted(patterns, kernel, crowd), n)), np.tril(whole))
    columns = np.arange(n)[::-4]
    same_bits(rectangle(converted(patterns, kernel, crowd, columns), [9, 3], len(columns)), whole[[9, 3]][:, columns])


@all_families
def test_malicious_values_are_those_of_the_kernel(family, crowd):
    patterns, kernel = mine(family, crowd, max_size=4), family.kernel(0.3)
    i, j = np.array(found(patterns).malicious, dtype=int).reshape(-1, 2).T
    gram = symmetric(converted(patterns, kernel, crowd), len(crowd))
    assert len(i)
    np.testing.assert_allclose(gram[i, j], kernel.direct(crowd)[i, j], rtol=1e-13)


def test_work_is_the_mean_number_of_additions():
    """Three trees share a; the pair that shares b, too, has one more pattern."""
    X = forest([("a", "b"), ("a", "b", "c"), ("a", "d")])
    patterns = mine(FAMILIES["lo"], X)
    rows = converted(patterns, gm.OrderedTreeKernel(), X)
    assert rows.work > 0
    assert rows.nbytes > 0
    assert converted(mine(FAMILIES["lo"], X, max_size=1), gm.OrderedTreeKernel(), X).work == 0
