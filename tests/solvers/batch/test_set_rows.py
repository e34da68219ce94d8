"""Counted rows of every kernel of sets: solvers see the Gram matrix to the last bit, whatever is kept of a row."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from gristmill import _core
from tests.kernels.set_kernels import WITH_ORACLES, features, id_rows
from tests.oracle import sets as oracle
from tests.solvers.batch import dual_problems as tasks

NAMES = sorted(WITH_ORACLES)


def counted(kernel, id_lists, max_bytes=tasks.ROOMY):
    return _core.counted_rows(kernel._of_sets, *tasks.csr(id_lists), max_bytes)


def gram_of(value, id_lists):
    sets = [set(ids) for ids in id_lists]
    return np.array([[value(x, s) for s in sets] for x in sets])


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_solutions_have_the_bits_of_the_gram_matrix(name, data):
    kernel, value = WITH_ORACLES[name]
    id_lists = [sorted(one) for one in data.draw(st.lists(features, min_size=1, max_size=8))]
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(id_lists), max_size=len(id_lists)))
    gram = kernel(id_rows(id_lists))
    np.testing.assert_allclose(gram, gram_of(value, id_lists), rtol=1e-14, atol=1e-300)
    problem = tasks.problem(tasks.classification(gram, signs, data.draw(st.sampled_from([0.1, 10.0]))))
    for max_bytes in (tasks.ROOMY, 3 * 4 * len(id_lists)):
        found = tasks.solve(counted(kernel, id_lists, max_bytes), problem)
        assert tasks.facts(found) == tasks.facts(tasks.solve(tasks.gram_rows(gram), problem))


@pytest.mark.parametrize("name", ["rbf", "tanimoto", "cosine", "dice"])
@pytest.mark.parametrize("longest", [100, 128, 200, 300])
def test_lengths_beyond_a_byte_and_columns_that_are_picked_change_no_bit(name, longest):
    random = np.random.default_rng(longest)
    id_lists = [np.flatnonzero(random.random(2 * longest) < random.random()) for _ in range(600)]
    id_lists = [ids[:longest] for ids in id_lists] + [np.arange(longest), np.arange(longest, 2 * longest)]
    wide = (gm.RBFKernel(0.01), functools.partial(oracle.rbf, gamma=0.01))
    kernel, value = wide if name == "rbf" else WITH_ORACLES[name]
    gram = kernel(gm.ids([ids.tolist() for ids in id_lists]))
    some = random.integers(0, len(id_lists), size=(50, 2))
    np.testing.assert_allclose(
        gram[tuple(some.T)], [value(set(id_lists[a]), set(id_lists[b])) for a, b in some], rtol=1e-13
    )
    problem = tasks.problem(tasks.classification(gram, random.choice([-1, 1], size=len(id_lists)), 1.0))
    found = tasks.solve(counted(kernel, id_lists), problem)  # shrinks: columns are no longer all
    assert tasks.facts(found) == tasks.facts(tasks.solve(tasks.gram_rows(gram), problem))
