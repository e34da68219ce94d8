"""Polynomial machines by the book, in exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import comb


def kernel(degree, gamma, coef0, dot):
    """(gamma dot + coef0)^degree."""
    return (Fraction(gamma) * Fraction(dot) + Fraction(coef0)) ** degree


def dot(x, y):
    """Of two rows given as {feature: value}."""
    return sum(Fraction(value) * Fraction(y[feature]) for feature, value in x.items() if feature in y)


def score(support, coef, intercept, parameters, x):
    """f(x) = sum_i coef_i k(s_i, x) + intercept."""
    terms = (Fraction(a) * kernel(*parameters, dot(s, x)) for s, a in zip(support, coef, strict=True))
    return sum(terms, Fraction(intercept))


def magnitude(support, coef, intercept, parameters, x):
    """|b| + sum_i |a_i k(s_i, x)|: what an error is measured against, since scores may cancel."""
    terms = (abs(Fraction(a) * kernel(*parameters, dot(s, x))) for s, a in zip(support, coef, strict=True))
    return sum(terms, abs(Fraction(intercept)))


def subset_weight(degree, gamma, coef0, size):
    """Lemma 1 generalised: the size-th forward difference of k at 0."""
    return sum((-1) ** (size - m) * comb(size, m) * kernel(degree, gamma, coef0, m) for m in range(size + 1))


def vote(scores, n_classes):
    """LIBSVM's pairwise voting: above 0 is a vote for the first, the first class with most votes wins."""
    votes = [0] * n_classes
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for value, (i, j) in zip(scores, pairs, strict=True):
        votes[i if value > 0 else j] += 1
    return votes.index(max(votes))
