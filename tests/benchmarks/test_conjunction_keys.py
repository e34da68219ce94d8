"""Codes of ranks, and the tries that they would make."""

from __future__ import annotations

from itertools import combinations
from math import ceil, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill as gm
from benchmarks import conjunction_keys, log_linear, measure
from benchmarks.conjunction_keys import code_sizes, decoded, edges, encoded, inner_nodes

LARGEST = 2**32 - 1
BORDERS = [128**size + more for size in range(1, 5) for more in (-1, 0, 1)]
ROWS = st.lists(st.sets(st.integers(0, 400), max_size=6), min_size=1, max_size=8)


@given(st.integers(1, LARGEST) | st.sampled_from([1, 2, LARGEST, *BORDERS]))
def test_a_rank_is_read_from_its_code(rank):
    assert decoded(encoded(rank)) == rank


@given(st.lists(st.integers(1, LARGEST), max_size=6))
def test_codes_behind_one_another_are_told_apart(ranks):
    """The last byte of a code alone is below 128."""
    found, code = [], b""
    for byte in b"".join(map(encoded, ranks)):
        code += bytes([byte])
        if byte < 128:
            found.append(decoded(code))
            code = b""
    assert found == ranks


@pytest.mark.parametrize("rank", [1, 2, *BORDERS, LARGEST])
def test_a_code_has_as_many_bytes_as_the_paper_says(rank):
    wanted = {128**size: size for size in range(1, 5)}.get(rank) or max(1, ceil(log(rank, 128)))
    assert len(encoded(rank)) == wanted


@given(st.lists(st.integers(1, LARGEST) | st.sampled_from(BORDERS), max_size=20))
def test_sizes_are_those_of_the_codes(ranks):
    assert code_sizes(np.array(ranks, dtype=np.int64)).tolist() == [len(encoded(rank)) for rank in ranks]


@given(ROWS, st.integers(1, 3))
def test_a_trie_has_the_nodes_of_its_keys(rows, degree):
    """A node is a beginning of a key: the codes of a conjunction, the rarest feature first."""
    found = {set_ for row in rows for size in range(1, degree + 1) for set_ in combinations(sorted(row), size)}
    keys = {b"".join(encoded(feature + 1) for feature in reversed(one)) for one in found}
    ranks, parents = edges(gm.ids([sorted(row) for row in rows]), degree)
    assert len(ranks) == len(found)
    assert len(ranks) + inner_nodes(ranks, parents) == len(
        {key[:end] for key in keys for end in range(1, len(key) + 1)}
    )


def test_the_three_ways_are_measured():
    try:
        log_linear.library()
    except measure.Missing as reason:
        pytest.skip(str(reason))
    rng = np.random.default_rng(1)
    support = [{int(one) for one in rng.integers(0, 200, 8)} for _ in range(50)]
    machine = gm.Machine(gm.PolynomialKernel(3), support, rng.normal(size=50), 0.0)
    (row,) = conjunction_keys.table({("tiny", 3): machine}).rows
    line = dict(zip(conjunction_keys.COLUMNS, row, strict=True))
    assert line["conjunctions"] == f"{len(edges(machine.rows, 3)[0]):,}"
    assert 1 < float(line["code of a feature, bytes"]) < 2
    assert float(line["double array, bytes a conjunction"]) == pytest.approx(
        8 * float(line["nodes a conjunction"]) + 8, abs=0.1
    )
    assert float(line["edges in a hash table"]) > 16
