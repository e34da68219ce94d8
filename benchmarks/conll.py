"""The BaseNP task of the CoNLL-2000 corpus: is this token inside a noun phrase?

Twelve features a token: lower-cased word and part of speech at -2..+2, chunk tags (gold) at -2 and -1. Ids are ranks by
frequency in the training part.
"""

from __future__ import annotations

import functools
import gzip
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.measure import corpora

Data = tuple[sp.csr_matrix, NDArray[np.int64]]


@functools.cache
def load() -> tuple[Data, Data]:
    """(X, y) to train on and (X, y) to test with; y is 1 or -1."""
    train, test = list(_examples("train")), list(_examples("test"))
    counts = Counter(feature for features, _ in train for feature in features)
    ids = {feature: rank for rank, (feature, _) in enumerate(counts.most_common())}
    for features, _ in test:
        for feature in features:
            ids.setdefault(feature, len(ids))
    return _matrix(train, ids), _matrix(test, ids)


def sample(data: Data, size: int, seed: int = 1) -> Data:
    """A random part, by seed."""
    X, y = data
    chosen = np.random.default_rng(seed).permutation(len(y))[:size]
    return X[chosen], y[chosen]


def _examples(part: str) -> Iterator[tuple[list[str], int]]:
    for sentence in _sentences(part):
        for at, (_, _, tag) in enumerate(sentence):
            yield list(_features(sentence, at)), 1 if tag.endswith("-NP") else -1


def _features(sentence: list[list[str]], at: int) -> Iterator[str]:
    for offset in range(-2, 3):
        inside = 0 <= at + offset < len(sentence)
        word, pos, _ = sentence[at + offset] if inside else ("<s>" if offset < 0 else "</s>",) * 3
        yield f"w{offset:+d}={word.lower()}"
        yield f"p{offset:+d}={pos}"
    for offset in (-2, -1):
        yield f"t{offset:+d}={sentence[at + offset][2] if at + offset >= 0 else '<s>'}"


def _sentences(part: str) -> Iterator[list[list[str]]]:
    path = corpora() / "chunking" / f"{part}.txt.gz"
    with gzip.open(path, "rt", encoding="latin-1") as lines:
        for block in lines.read().split("\n\n"):
            if block.strip():
                yield [line.split() for line in block.strip().split("\n")]


def _matrix(examples: list[tuple[list[str], int]], ids: dict[str, int]) -> Any:
    rows = [sorted({ids[feature] for feature in features}) for features, _ in examples]
    offsets = np.cumsum([0, *map(len, rows)])
    flat = np.fromiter((i for row in rows for i in row), dtype=np.int32, count=offsets[-1])
    X = sp.csr_matrix((np.ones(len(flat)), flat, offsets), shape=(len(rows), len(ids)))
    return X, np.array([y for _, y in examples])
