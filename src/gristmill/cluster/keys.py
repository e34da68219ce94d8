"""Keys of examples: 128-bit hashes of what an example holds and of its class.

They are the same on every machine, in every partition and in every order, so that what is chosen by keys does not
depend on how the examples are spread.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.base.arrays import Indices
from gristmill.data.forest import Forest
from gristmill.data.rows import Rows

Keys = NDArray[np.uint64]  # of shape (examples, 2): the high and the low half

_BYTES = 16
_SALTS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
NO_KEYS: Keys = np.empty((0, 2), dtype=np.uint64)


def keys_of(data: Rows | Forest, labels: Indices) -> Keys:
    """The key of each example with the number of its class."""
    contents = _of_rows(data) if isinstance(data, Rows) else _of_trees(data)
    classes = labels.astype(np.uint64)[:, None] + np.array(_SALTS)
    return _mixed(_mixed(contents) + _mixed(classes))  # twice: a class is not to count as an id


def key_order(keys: Keys) -> Indices:
    """The examples by ascending key."""
    return np.lexsort((keys[:, 1], keys[:, 0]))


def is_among(keys: Keys, known: Keys) -> NDArray[np.bool_]:
    """Which keys are among the known ones, which ascend."""
    found = np.zeros(len(keys), dtype=bool)
    places = np.searchsorted(known[:, 0], keys[:, 0], side="left")
    left = np.flatnonzero(places < len(known))
    while len(left):  # once, but for keys that share a high half
        at = places[left]
        left, at = left[known[at, 0] == keys[left, 0]], at[known[at, 0] == keys[left, 0]]
        found[left] |= known[at, 1] == keys[left, 1]
        places[left] += 1
        left = left[places[left] < len(known)]
    return found


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64: every bit depends on every bit."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _of_rows(rows: Rows) -> Keys:
    """Sums of hashed ids, and of hashed pairs of ids and values, modulo 2^64."""
    words = rows.ids.astype(np.uint64)
    if not rows.is_binary:
        words = _mixed(words) ^ np.ascontiguousarray(rows.values).view(np.uint64)
    halves = [_sums(_mixed(words + salt), rows.offsets) for salt in _SALTS]
    return np.stack(halves, axis=1)


def _sums(words: NDArray[np.uint64], offsets: Any) -> NDArray[np.uint64]:
    running = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(words, dtype=np.uint64)])
    return np.asarray(running[offsets[1:]] - running[offsets[:-1]])


def _of_trees(forest: Forest) -> Keys:
    """Of the bracketed text; equal trees are written once."""
    _, firsts, places = np.unique(forest._roots, return_index=True, return_inverse=True)
    hashed = b"".join(blake2b(text.encode(), digest_size=_BYTES).digest() for text in forest.take(firsts))
    return np.frombuffer(hashed, dtype="<u8").reshape(-1, 2).astype(np.uint64)[places]
