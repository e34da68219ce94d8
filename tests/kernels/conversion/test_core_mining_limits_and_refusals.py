"""Mining and converted rows: what they refuse, how they keep to their memory, and that they can be stopped."""

from __future__ import annotations

import gc
import time

import numpy as np
import pytest

import gristmill as gm
from gristmill import _core
from tests.across.interrupting import SOON, seconds_to_stop
from tests.kernels.conversion.forests_to_mine import (
    FAMILIES,
    all_families,
    arrays,
    distinct,
    forest,
    mine,
    native_rules,
)
from tests.kernels.test_trees import random_trees
from tests.oracle import freqtm

EMPTY = np.empty(0)
FREE = freqtm.Rules(size_limit=False, list_limit=False)


@pytest.fixture(scope="module")
def crowd():
    return forest(distinct(random_trees(120, seed=7, labels=["a", "b", "a*1"], largest=9)))


@pytest.fixture(scope="module")
def endless():
    """Trees with so many fragments that no one has seen them all."""
    names = [f"w{i}" for i in range(40)]
    return forest([("s*1", *names, "x"), ("s*1", *names, "y"), ("s*1", *names, "z")])


# --- kernels and arguments --------------------------------------------------------------------------------------------


def test_kernels_that_can_be_mined():
    for family in FAMILIES.values():
        assert _core.supports_mining(family.kernel(0.3)._native)
    for kernel in (
        gm.SubtreeKernel(),
        gm.SubsetTreeKernel(leaves=True),
        gm.PartialTreeKernel(),
        gm.PartialTreeKernel(1.0, 1.0, single_nodes=False),
        gm.SubsequenceKernel(),
    ):
        assert not _core.supports_mining(kernel._native)


def test_partial_trees_that_are_ordered_trees_can_be_mined():
    """lambda = 1 without limits is K_lo with decay mu."""
    assert _core.supports_mining(gm.PartialTreeKernel(decay=1.0, mu=0.3)._native)
    assert not _core.supports_mining(gm.PartialTreeKernel(decay=1.0, mu=0.3, max_children=2)._native)


@pytest.mark.parametrize(
    "kernel", [gm.SubtreeKernel(), gm.PartialTreeKernel(), gm.SubsetTreeKernel(leaves=True)], ids=str
)
def test_other_kernels_are_refused(kernel, crowd):
    with pytest.raises(ValueError, match="K_lo and K_c"):
        _core.SubtreePatterns(kernel._native, crowd.indexed(), 20, 20.0, _core.MiningRules(), True, 1 << 30, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_size": 0}, "max_size"),
        ({"min_support": 1}, "min_support"),
        ({"max_embeddings": 0.0}, "max_embeddings"),
        ({"max_embeddings": -1.0}, "max_embeddings"),
        ({"max_embeddings": np.nan}, "max_embeddings"),
    ],
    ids=str,
)
def test_limits_that_make_no_sense_are_refused(options, message, crowd):
    with pytest.raises(ValueError, match=message):
        mine(FAMILIES["lo"], crowd, **options)


@pytest.mark.parametrize("name", ["lo-marked", "c-marked"])
def test_all_rules_but_the_precheck_and_the_check_of_supports_are_on(name, crowd):
    kernel, searched = FAMILIES[name].kernel(0.5)._native, []
    for rules in (_core.MiningRules(), native_rules(freqtm.Rules())):
        searched.append(_core.SubtreePatterns(kernel, crowd.indexed(), 4, 1.1, rules, True, 1 << 30, 1).searched)
    assert searched[0] == searched[1]


@pytest.mark.parametrize("other", ["c", "lo-marked", "c-single"])
def test_rows_of_another_kernel_are_refused(other, crowd):
    """Of another decay they are not."""
    patterns, columns = mine(FAMILIES["lo"], crowd), np.arange(3, dtype=np.uint32)
    _core.ConvertedRows(patterns, gm.OrderedTreeKernel(0.9)._native, crowd.indexed(), columns, 1)
    with pytest.raises(ValueError, match="another kernel"):
        _core.ConvertedRows(patterns, FAMILIES[other].kernel(0.5)._native, crowd.indexed(), columns, 1)


def test_rows_of_other_trees_are_refused(crowd):
    patterns, columns = mine(FAMILIES["lo"], crowd), np.arange(3, dtype=np.uint32)
    with pytest.raises(ValueError, match="not the trees"):
        _core.ConvertedRows(patterns, gm.OrderedTreeKernel()._native, crowd[:50].indexed(), columns, 1)


def test_numbers_beyond_the_trees_and_wrong_shapes_are_refused(crowd):
    kernel, n = gm.OrderedTreeKernel()._native, len(crowd)
    patterns = mine(FAMILIES["lo"], crowd)
    for columns, message in [([0, n], "no such tree"), ([1, 2, 1], "a column twice")]:
        with pytest.raises(ValueError, match=message):
            _core.ConvertedRows(patterns, kernel, crowd.indexed(), np.array(columns, dtype=np.uint32), 1)
    rows = _core.ConvertedRows(patterns, kernel, crowd.indexed(), np.arange(3, dtype=np.uint32), 1)
    two = np.array([0, 1], dtype=np.uint32)
    for queries, shape in [(np.array([0, n], dtype=np.uint32), (2, 3)), (two, (2, 4)), (two, (3, 3))]:
        with pytest.raises(ValueError, match=r"no such tree|another shape"):
            rows.fill(queries, EMPTY, EMPTY, np.zeros(shape), 1)
    for shape in [(3, 2), (2, 2)]:
        with pytest.raises(ValueError, match="another shape"):
            rows.fill_symmetric(EMPTY, np.zeros(shape), 1)


def test_arrays_outlive_the_patterns(crowd):
    patterns = mine(FAMILIES["lo"], crowd, 4)
    before = [array.copy() for array in arrays(patterns)]
    held = arrays(patterns)
    del patterns
    gc.collect()
    for array, copy in zip(held, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_rows_outlive_the_patterns_and_the_index(crowd):
    kernel, columns = gm.OrderedTreeKernel(), np.arange(len(crowd), dtype=np.uint32)
    rows = _core.ConvertedRows(mine(FAMILIES["lo"], crowd[:], 4), kernel._native, crowd[:].indexed(), columns, 1)
    gc.collect()
    out = np.empty((len(crowd), len(crowd)))
    rows.fill_symmetric(EMPTY, out, 1)
    np.testing.assert_allclose(out, kernel.direct(crowd), rtol=1e-9)


# --- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@all_families
def test_too_few_bytes_are_an_error_with_a_remedy(family, threads, crowd):
    for max_bytes in (0, 500):
        with pytest.raises(_core.PatternsTooLargeError, match=rf"max_bytes = {max_bytes}\b") as error:
            mine(family, crowd, max_bytes=max_bytes, threads=threads)
        assert "max_size" in str(error.value)
        assert "convert=False" in str(error.value)
        assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("max_size", [3, 20])
@all_families
def test_what_is_kept_keeps_to_max_bytes(family, max_size, crowd):
    """Twice as many bytes until they suffice: what is there then is no larger."""
    max_bytes = 1 << 10
    while True:
        try:
            patterns = mine(family, crowd, max_size, max_bytes=max_bytes)
        except _core.PatternsTooLargeError:
            max_bytes *= 2
        else:
            break
    assert patterns.nbytes <= max_bytes


def test_malicious_pairs_keep_to_max_bytes():
    """Of 3,000 trees: four and a half million, half a megabyte as bits."""
    X, max_bytes = forest([("s", f"w{i}") for i in range(3000)]), 4 << 20
    try:
        patterns = mine(FAMILIES["lo"], X, max_size=1, max_bytes=max_bytes)
    except _core.PatternsTooLargeError:
        return
    assert patterns.n_malicious == 3000 * 2999 // 2
    assert patterns.nbytes <= max_bytes


def test_a_search_without_end_stops_where_memory_ends(endless):
    """Within 16 MB; there are 2^40 fragments."""
    start = time.monotonic()
    with pytest.raises(_core.PatternsTooLargeError):
        mine(FAMILIES["lo-marked"], endless, rules=FREE, compress=False, max_bytes=16 << 20)
    assert time.monotonic() - start < SOON


# --- stopping ---------------------------------------------------------------------------------------------------------


def enough(*_):
    raise KeyError("enough")


@pytest.mark.parametrize("threads", [1, 2])
def test_what_progress_raises_stops_the_search(threads, endless):
    start = time.monotonic()
    with pytest.raises(KeyError, match="enough"):
        mine(FAMILIES["lo-marked"], endless, rules=FREE, threads=threads, progress=enough)
    assert time.monotonic() - start < SOON


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_can_be_interrupted(threads, endless):
    assert seconds_to_stop(lambda: mine(FAMILIES["lo-marked"], endless, rules=FREE, threads=threads)) < SOON


def test_progress_ends_where_all_is_done(crowd):
    calls = []
    mine(FAMILIES["lo"], crowd, progress=lambda *done: calls.append(done))
    assert all(0 <= done <= total for done, total in calls)


def test_what_progress_raises_stops_the_rows(crowd):
    kernel = gm.OrderedTreeKernel()._native
    patterns, columns = mine(FAMILIES["lo"], crowd, 3), np.arange(len(crowd), dtype=np.uint32)
    with pytest.raises(KeyError, match="enough"):
        _core.ConvertedRows(patterns, kernel, crowd.indexed(), columns, 1, enough)
    rows = _core.ConvertedRows(patterns, kernel, crowd.indexed(), columns, 1)
    with pytest.raises(KeyError, match="enough"):
        rows.fill_symmetric(EMPTY, np.empty((len(crowd), len(crowd))), 1, enough)
    with pytest.raises(KeyError, match="enough"):
        rows.fill(columns, EMPTY, EMPTY, np.empty((len(crowd), len(crowd))), 1, enough)
