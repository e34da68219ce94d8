"""Kernels of sets of real rows by the book: dot products in place of overlaps, squared lengths in place of lengths."""

from __future__ import annotations

import math


def dot(x, s):
    """<x, s>, one product after the other, as LIBSVM adds them up."""
    total = 0.0
    for a, b in zip(x, s, strict=True):
        total += float(a) * float(b)
    return total


def rbf(x, s, gamma):
    return math.exp(-gamma * max(0.0, dot(x, x) + dot(s, s) - 2 * dot(x, s)))


def polynomial(x, s, degree, gamma, coef0):
    return (gamma * dot(x, s) + coef0) ** degree


def sigmoid(x, s, gamma, coef0):
    return math.tanh(gamma * dot(x, s) + coef0)


def tanimoto(x, s):
    either = dot(x, x) + dot(s, s) - dot(x, s)
    return dot(x, s) / either if either > 0 else 1.0


def dice(x, s):
    both = dot(x, x) + dot(s, s)
    return 2 * dot(x, s) / both if both > 0 else 1.0


def cosine(x, s):
    both = dot(x, x) * dot(s, s)
    return dot(x, s) / math.sqrt(both) if both > 0 else 0.0
