"""Trees that are small as graphs and huge as trees, as a file can hold them."""

from __future__ import annotations

import numpy as np

from gristmill import Forest


def doubled(levels, leaf="n", roots=None):
    """n, (S n n), (S (S n n) (S n n)), ...: 2^(levels + 1) - 1 nodes. `roots`: levels of the trees, if several."""
    nodes = [0]
    ends = [1]
    for level in range(levels):
        nodes += [1, level, level]
        ends.append(len(nodes))
    return _forest(leaf, nodes, ends, [levels] if roots is None else roots)


def chain(length, leaf="n", roots=None):
    """(S (S (S n))): one child everywhere."""
    nodes = [0]
    ends = [1]
    for level in range(length):
        nodes += [1, level]
        ends.append(len(nodes))
    return _forest(leaf, nodes, ends, [length] if roots is None else roots)


def _forest(leaf, nodes, ends, roots):
    texts = leaf.encode() + b"S"
    return Forest.from_flat(
        texts,
        np.array([len(texts) - 1, len(texts)], dtype=np.int64),
        np.zeros(2, dtype=np.uint32),
        np.array(ends, dtype=np.int64),
        np.array(nodes, dtype=np.uint32),
        np.array(roots, dtype=np.uint32),
    )
