"""Pairs of words out of lists in UD English EWT: do the two belong together?

Sumida, Yoshinaga and Torisawa 2008 take pairs of entities out of listing structures and ask which are hyponyms. Their
pairs are not public; here two nouns of a sentence with something of a list between them (a comma, *and*, *such as*)
are a pair, and right (1) if the treebank joins them in one list: by coordination or by apposition. Features are theirs
in kind: words and parts of speech of both, their surroundings, what the list looks like and how far apart they stand.
Pairs of all parts of the treebank are split at random, as in the paper: 10,000 to tune, 10,000 to test, the rest to
learn from.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from benchmarks.corpus import Token, treebank
from benchmarks.examples import Data, Example, matrices

__all__ = ["load", "load_parts", "pairs"]

HELD_OUT = 10_000
FARTHEST = 15  # words apart
NOUNS = {"NOUN", "PROPN"}
SEPARATORS = {",", ";", ":", "/", "-", "(", "and", "or", "&", "nor", "as", "including", "like", "but"}
_OUTSIDE = "<pad>"


@functools.cache
def load() -> tuple[Data, Data]:
    """(X, y) to learn from and (X, y) to test with; y is 1 or -1."""
    train, _, test = load_parts()
    return train, test


@functools.cache
def load_parts() -> tuple[Data, Data, Data]:
    """The same, with the part to tune by in between."""
    found = [pair for part in ("train", "dev", "test") for pair in _pairs_of_part(part)]
    order = np.random.default_rng(1).permutation(len(found))
    held_out = min(HELD_OUT, len(found) // 4)
    train, rest = ([found[at] for at in chosen] for chosen in (order[2 * held_out :], order[: 2 * held_out]))
    learned, (X, y) = matrices(train, rest)
    return learned, (X[:held_out], y[:held_out]), (X[held_out:], y[held_out:])


def _pairs_of_part(part: str) -> Iterator[Example]:
    for sentence in treebank(f"en_ewt-ud-{part}"):
        yield from pairs(sentence)


def pairs(tokens: list[Token]) -> Iterator[Example]:
    """The pairs of a sentence, by their first words and then by their second."""
    lists = _lists_of(tokens)
    nouns = [at for at, token in enumerate(tokens) if token[3] in NOUNS]
    for first in nouns:
        for second in (at for at in nouns if first < at <= first + FARTHEST):
            between = [token[2].lower() for token in tokens[first + 1 : second]]
            if SEPARATORS & set(between):
                label = 1 if lists[first] == lists[second] else -1
                yield list(_features(tokens, first, second, between)), label


def _lists_of(tokens: list[Token]) -> list[int]:
    """By word: the first word of its list; a word by itself is one."""
    heads = [int(token[6]) - 1 for token in tokens]
    joined = [token[7].split(":")[0] in ("conj", "appos") for token in tokens]

    def first(at: int) -> int:
        while joined[at]:
            at = heads[at]
        return at

    return [first(at) for at in range(len(tokens))]


def _features(tokens: list[Token], first: int, second: int, between: list[str]) -> Iterator[str]:
    for name, at in (("a", first), ("b", second)):
        _, form, lemma, upos, xpos, *_ = tokens[at]
        yield from (f"{name}l={lemma.lower()}", f"{name}u={upos}", f"{name}x={xpos}", f"{name}s={form[-3:].lower()}")
        yield f"{name}<{_lemma(tokens, at - 1)}"
        yield f"{name}>{_lemma(tokens, at + 1)}"
    marks = [lemma for lemma in between if lemma in SEPARATORS]
    yield from {f"sep={mark}" for mark in marks}
    yield f"first={marks[0]}"
    yield f"last={marks[-1]}"
    yield f"seps={min(len(marks), 5)}"
    yield f"nouns={sum(token[3] in NOUNS for token in tokens[first + 1 : second])}"
    yield f"verb={any(token[3] in ('VERB', 'AUX') for token in tokens[first + 1 : second])}"
    yield f"d={min(second - first, 8)}"
    if tokens[first][4] == tokens[second][4]:
        yield "same part of speech"


def _lemma(tokens: list[Token], at: int) -> str:
    return tokens[at][2].lower() if 0 <= at < len(tokens) else _OUTSIDE
