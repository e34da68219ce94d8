"""Nearest neighbours by comparing every pair."""

from __future__ import annotations


def nearest(data, queries, kernel, k=None, threshold=None):
    """For each query all (number, similarity), the most similar first, then the smaller number."""
    return [_of_one(list(enumerate(data)), x, kernel, k, threshold) for x in queries]


def nearest_others(data, kernel, k=None, threshold=None):
    """The same for every example among the others."""
    numbered = list(enumerate(data))
    return [_of_one(numbered[:i] + numbered[i + 1 :], x, kernel, k, threshold) for i, x in numbered]


def _of_one(numbered, x, kernel, k, threshold):
    found = [(number, kernel(x, s)) for number, s in numbered]
    wanted = [one for one in found if threshold is None or one[1] >= threshold]
    return sorted(wanted, key=lambda one: (-one[1], one[0]))[:k]
