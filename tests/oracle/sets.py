"""Kernels of sets by the book, from Python's own sets."""

from __future__ import annotations

import math


def rbf(x, s, gamma):
    return math.exp(-gamma * len(x ^ s))


def tanimoto(x, s):
    return len(x & s) / len(x | s) if x | s else 1.0


def sigmoid(x, s, gamma, coef0):
    return math.tanh(gamma * len(x & s) + coef0)


def cosine(x, s):
    return len(x & s) / math.sqrt(len(x) * len(s)) if x and s else 0.0


def dice(x, s):
    return 2 * len(x & s) / (len(x) + len(s)) if x or s else 1.0


def score(support, coef, intercept, kernel, x):
    """f(x) = sum_i coef_i k(s_i, x) + intercept, rounded once."""
    return math.fsum([intercept, *(a * kernel(s, x) for s, a in zip(support, coef, strict=True))])


def magnitude(support, coef, intercept, kernel, x):
    """|b| + sum_i |a_i k(s_i, x)|: what an error is measured against, since scores may cancel."""
    return math.fsum([abs(intercept), *(abs(a * kernel(s, x)) for s, a in zip(support, coef, strict=True))])
