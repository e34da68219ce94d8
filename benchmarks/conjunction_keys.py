"""Keys of conjunctions: the variable-byte codes of the paper's weight trie, and what stands for them here.

Yoshinaga and Kitsuregawa 2010 write a conjunction as the codes of its features, rarest first, and keep these strings in
a double array: frequent features have short codes (Williams and Zobel 1999). A learner of gristmill keeps an edge of
its trie in a hash table instead, and a compiled scorer has tables of its own. This measures all three.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gristmill as gm
from benchmarks.log_linear import LogLinearTrainer
from benchmarks.measure import Table
from gristmill.data.rows import Rows

NODE, WEIGHT = 8, 8  # bytes: a node of a double array (base and check), a weight
COLUMNS = [
    *("task", "degree", "conjunctions", "code of a feature, bytes", "nodes a conjunction"),
    *("double array, bytes a conjunction", "edges in a hash table", "compiled"),
]

Numbers = NDArray[np.int64]


def encoded(rank: int) -> bytes:
    """Seven bits a byte, the high ones first; all bytes but the last have the eighth bit. Ranks count from 1."""
    value = rank - 1
    digits = [value & 127]
    while value > 127:
        value >>= 7
        digits.append(value & 127 | 128)
    return bytes(reversed(digits))


def decoded(code: bytes) -> int:
    """The rank."""
    value = 0
    for byte in code:
        value = value << 7 | byte & 127
    return value + 1


def code_sizes(ranks: Numbers) -> Numbers:
    """max(1, ceil(log128 rank)) bytes."""
    return np.searchsorted(128 ** np.arange(1, 5), ranks) + 1


def table(machines: dict[tuple[str, int], gm.Machine]) -> Table:
    """Of machines by task and degree, whose features are ranks by frequency."""
    return Table("Bytes of a conjunction", COLUMNS, [_row(*key, machine) for key, machine in machines.items()])


def _row(task: str, degree: int, machine: gm.Machine) -> list[Any]:
    ranks, parents = edges(machine.rows, degree)
    nodes = len(ranks) + inner_nodes(ranks, parents)
    hashed, found = _hash_table(machine.rows, degree)
    assert found == len(ranks), (task, degree)
    compiled = machine.compile("expanded")
    return [
        *(task, degree, f"{len(ranks):,}", f"{code_sizes(ranks).mean():.2f}", f"{nodes / len(ranks):.2f}"),
        f"{NODE * nodes / len(ranks) + WEIGHT:.1f}",
        *(f"{hashed / len(ranks):.1f}", f"{compiled.nbytes / len(ranks):.1f}"),
    ]


def _hash_table(rows: Rows, degree: int) -> tuple[int, int]:
    """Bytes of a trie like the learners' (core/base/edge_map.hpp) with a weight a node, and its conjunctions."""
    trainer = LogLinearTrainer(degree, penalty=0.0, rate=0.1, decay=1.0, keep_expanded=False)
    trainer.learn(rows, np.zeros(len(rows), dtype=np.int32), 1)
    penalties = WEIGHT * (trainer.conjunctions + 1)  # which only that trainer has
    return trainer.nbytes - penalties, trainer.conjunctions


def edges(rows: Rows, degree: int) -> tuple[Numbers, Numbers]:
    """Of the trie of all conjunctions of rows: the rank of each edge, from 1, and a number of the node before it."""
    width = int(rows.ids.max(initial=0)) + 2
    keys = [np.unique(_keys(rows, size, width)) for size in range(1, degree + 1)]
    parents = [key // width * degree + size for size, key in enumerate(keys)]
    return np.concatenate([key % width for key in keys]), np.concatenate(parents)


def _keys(rows: Rows, size: int, width: int) -> Numbers:
    """A number for each conjunction of each row: its ranks as digits, the rarest first."""
    ids = rows.ids.astype(np.int64) + 1
    found = [np.empty(0, dtype=np.int64)]
    for length in np.unique(rows.lengths):
        block = ids[rows.offsets[:-1][rows.lengths == length][:, None] + np.arange(length)]
        for chosen in combinations(range(int(length)), size):
            found.append(block[:, list(reversed(chosen))] @ width ** np.arange(size - 1, -1, -1, dtype=np.int64))
    return np.concatenate(found)


def inner_nodes(ranks: Numbers, parents: Numbers) -> int:
    """Nodes within codes of several bytes: leading bytes that siblings share are one node."""
    sizes, count = code_sizes(ranks), 0
    for depth in range(1, int(sizes.max(initial=1))):
        longer = sizes > depth
        leading = (ranks[longer] - 1) >> 7 * (sizes[longer] - depth)
        count += len(np.unique(parents[longer] * (leading.max(initial=0) + 1) + leading))
    return count
