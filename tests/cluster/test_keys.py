"""Keys of examples: equal for equal content and class, whatever the order, the machine and the partition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill.cluster.examples import UNITS, KeyedExamples, units_of
from gristmill.cluster.keys import is_among, key_order, keys_of

ROWS = st.lists(st.lists(st.integers(0, 9), max_size=5, unique=True), max_size=12)
TREES = st.lists(st.sampled_from(["(S a)", "(S b)", "(S (A a) b)", "(T a)"]), min_size=1, max_size=12)


def content(data):
    return [tuple(row.indices) for row in data.to_csr()] if hasattr(data, "to_csr") else list(data)


def check_keys(data, other, labels, others):
    known = {}
    for key, what in zip(keys_of(data, labels).tolist(), zip(content(data), labels.tolist(), strict=True), strict=True):
        known.setdefault(what, set()).add(tuple(key))
    for key, what in zip(
        keys_of(other, others).tolist(), zip(content(other), others.tolist(), strict=True), strict=True
    ):
        known.setdefault(what, set()).add(tuple(key))
    assert all(len(keys) == 1 for keys in known.values())  # the same for the same content and class
    assert len(set().union(*known.values())) == len(known)  # others for others


@given(ROWS, ROWS, st.data())
def test_rows_have_the_same_key_where_they_are_equal(one, other, data):
    labels, others = (
        np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(x), max_size=len(x))), int) for x in (one, other)
    )
    check_keys(gm.ids(one, 10), gm.ids(other, 10), labels, others)


@given(TREES, TREES, st.data())
def test_trees_have_the_same_key_where_they_are_equal(one, other, data):
    labels, others = (
        np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(x), max_size=len(x))), int) for x in (one, other)
    )
    check_keys(gm.Forest.from_strings(one), gm.Forest.from_strings(other), labels, others)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=15),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=15),
)
def test_keys_are_found_among_others_also_where_high_halves_are_equal(keys, known):
    known = sorted(set(known))
    table = np.array(keys, dtype=np.uint64).reshape(-1, 2)
    found = is_among(table, np.array(known, dtype=np.uint64).reshape(-1, 2))
    assert found.tolist() == [key in known for key in keys]
    assert [keys[at] for at in key_order(table)] == sorted(keys)


@given(ROWS, st.data())
def test_equal_examples_are_one_with_the_sum_of_their_weights(rows, data):
    size = len(rows)
    labels = np.array(data.draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)), int)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)), np.int64)
    cut = data.draw(st.integers(0, size))
    parts = [
        KeyedExamples.of(gm.ids(rows[some], 10), labels[some], weights[some]) for some in (slice(cut), slice(cut, None))
    ]
    both = KeyedExamples.joined(parts)
    expected = {}
    for row, label, weight in zip(rows, labels.tolist(), weights.tolist(), strict=True):
        if weight:
            expected[tuple(sorted(row)), label] = expected.get((tuple(sorted(row)), label), 0) + weight
    found = zip(content(both.data), both.labels.tolist(), both.weights.tolist(), strict=True)
    assert {(row, label): weight for row, label, weight in found} == expected
    assert len(both) == len(expected)
    assert both.are_in(parts[0].keys).sum() == len(parts[0])


def test_weights_are_counted_in_units():
    assert units_of(None, 2).tolist() == [UNITS, UNITS]
    assert units_of([0, 0.5], 2).tolist() == [0, UNITS // 2]
    for wrong, message in (
        ([1], "shape"),
        ([-1, 1], "not below 0"),
        ([np.nan, 1], "finite"),
        ([1e-9, 1], "counted in"),
    ):
        with np.testing.assert_raises_regex(ValueError, message):
            units_of(wrong, 2)
