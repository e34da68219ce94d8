"""The words of trees, by the book. Trees are nested tuples as in oracle.trees."""

from __future__ import annotations

from math import sqrt

from tests.oracle.trees import children, label


def words(tree):
    """The labels of the leaves, in order."""
    return [word for child in children(tree) for word in words(child)] or [label(tree)]


def bag(tree, ngrams):
    """All runs of up to so many words; from two on, with an empty word at both ends."""
    found = words(tree)
    runs = {(word,) for word in found}
    ended = ["", *found, ""]
    for begin in range(len(ended)):
        for end in range(begin + 2, min(begin + ngrams, len(ended)) + 1):
            runs.add(tuple(ended[begin:end]))
    return runs


def kernel(one, other, ngrams):
    """The share of words in common: 1 for the same bag."""
    left, right = bag(one, ngrams), bag(other, ngrams)
    return len(left & right) / sqrt(len(left) * len(right))
