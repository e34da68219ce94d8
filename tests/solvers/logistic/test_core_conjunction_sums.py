"""Weights of conjunctions of a kernel machine against its expansion by the book."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import _core
from tests.data import strategies
from tests.oracle import conjunctions as oracle
from tests.oracle.polynomial import subset_weight
from tests.solvers.batch.dual_problems import ROOMY, csr


def summed(rows, values, weights, max_bytes=ROOMY, n_jobs=1):
    """{conjunction: its sums}."""
    table = np.asarray(values, dtype=float)
    offsets, ids, sums = _core.sum_conjunctions(*csr([sorted(row) for row in rows]), table, weights, max_bytes, n_jobs)
    sets = [tuple(ids[begin:end].tolist()) for begin, end in itertools.pairwise(offsets)]
    assert len(set(sets)) == len(sets)
    assert all(list(one) == sorted(one) for one in sets)
    return dict(zip(map(frozenset, sets), sums.reshape(len(sets), table.shape[1]).tolist(), strict=True))


@given(data=st.data(), rows=strategies.rows, kernel=strategies.kernels(max_degree=4), outputs=st.integers(1, 3))
def test_equal_the_expansion(data, rows, kernel, outputs):
    of_row = st.lists(strategies.eighths, min_size=outputs, max_size=outputs)
    values = data.draw(st.lists(of_row, min_size=len(rows), max_size=len(rows)))
    parameters = (kernel.degree, kernel.gamma, kernel.coef0)
    weights = np.array([float(subset_weight(*parameters, size)) for size in range(kernel.degree + 1)])
    found = summed(rows, np.array(values).reshape(len(rows), outputs), weights)
    expected = [oracle.expansion(rows, [row[output] for row in values], parameters) for output in range(outputs)]
    kept = {s for one in expected for s, weight in one.items() if weight != 0}
    assert found.keys() == kept
    for s, sums in found.items():
        assert sums == pytest.approx([float(one[s]) for one in expected], rel=1e-12, abs=1e-12)


def many_rows():
    rng = np.random.default_rng(2)
    rows = [frozenset(np.flatnonzero(row).tolist()) for row in rng.random((200, 150)) < 0.1]
    return rows, rng.normal(size=(200, 2))


def test_the_number_of_threads_changes_nothing():
    rows, values = many_rows()
    assert summed(rows, values, np.ones(4)) == summed(rows, values, np.ones(4), n_jobs=3)
    assert list(summed(rows, values, np.ones(3))) == list(summed(rows, values, np.ones(3), n_jobs=3))


def test_a_kernel_of_degree_0_has_none():
    assert summed(*many_rows(), np.ones(1)) == {}


def test_too_many_are_refused():
    rows, values = many_rows()
    with pytest.raises(
        _core.PatternsTooLargeError, match="the weights of conjunctions take more than max_bytes = 1000"
    ):
        summed(rows, values, np.ones(4), max_bytes=1000)


def test_values_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="rows x outputs"):
        _core.sum_conjunctions(*csr([[0], [1]]), np.ones((3, 1)), np.ones(2), ROOMY, 1)
