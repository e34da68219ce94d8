"""The CoNLL-2000 corpus, a decision a token: inside a noun phrase or not (BaseNP), or which chunk tag.

Twelve features: lower-cased word and part of speech at -2..+2, chunk tags (gold) at -2 and -1.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from benchmarks.corpus import Token, chunked
from benchmarks.examples import Data, Example, matrices, sample

__all__ = ["load", "load_tags", "sample"]


@functools.cache
def load() -> tuple[Data, Data]:
    """(X, y) to train on and (X, y) to test with; y is 1 inside a noun phrase, else -1."""
    (X, tags), (queries, wanted) = load_tags()
    inside, wanted_inside = (np.where(np.char.endswith(y, "-NP"), 1, -1) for y in (tags, wanted))
    return (X, inside), (queries, wanted_inside)


@functools.cache
def load_tags() -> tuple[Data, Data]:
    """The same examples; y is the chunk tag: B-NP, I-NP, B-VP, ..., O."""
    return matrices(_examples("train"), _examples("test"))


def _examples(part: str) -> Iterator[Example]:
    for sentence in chunked(part):
        for at, (_, _, tag) in enumerate(sentence):
            yield _features(sentence, at), tag


def _features(sentence: list[Token], at: int) -> Iterator[str]:
    for offset in range(-2, 3):
        inside = 0 <= at + offset < len(sentence)
        word, pos, _ = sentence[at + offset] if inside else ("<s>" if offset < 0 else "</s>",) * 3
        yield f"w{offset:+d}={word.lower()}"
        yield f"p{offset:+d}={pos}"
    for offset in (-2, -1):
        yield f"t{offset:+d}={sentence[at + offset][2] if at + offset >= 0 else '<s>'}"
