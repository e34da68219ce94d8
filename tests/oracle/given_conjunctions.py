"""Machines whose conjunctions are given: f(x) = sum of a_i over the rows s_i that are subsets of x, + b; exact."""

from __future__ import annotations

from fractions import Fraction


def kernel(x, s):
    """1 where x has all of s."""
    return int(frozenset(s) <= frozenset(x))


def score(support, coef, intercept, x):
    """f(x) = sum_i a_i k(x, s_i) + b."""
    return sum((Fraction(a) * kernel(x, s) for s, a in zip(support, coef, strict=True)), Fraction(intercept))


def magnitude(support, coef, intercept, x):
    """|b| + sum_i |a_i| k(x, s_i): what an error is measured against, since scores may cancel."""
    return score(support, [abs(Fraction(a)) for a in coef], abs(Fraction(intercept)), x)


def game(support, coef, x, reference=()):
    """S -> the score of the row that agrees with x in the features of S and with the reference elsewhere."""
    x, reference = frozenset(x), frozenset(reference)

    def value(coalition):
        return score(support, coef, 0, (x & coalition) | (reference - coalition))

    return value


def weights(support, coef):
    """{conjunction: its weight and how many rows with a coefficient are it}, without the empty one."""
    found = {}
    for s, a in zip(map(frozenset, support), coef, strict=True):
        weight, rows = found.get(s, (Fraction(0), 0))
        found[s] = weight + Fraction(a), rows + (a != 0)
    return {s: one for s, one in found.items() if s}


def heaviest(support, coef, *, min_support=1, max_size=None):
    """All that weigh something, of all outputs, as (features, output, weight, rows), the heaviest first.

    Ties go to fewer features, then to smaller ids, then to the earlier output.
    """
    found = [
        (tuple(sorted(s)), output, weight, rows)
        for output in range(len(coef[0]) if coef else 0)
        for s, (weight, rows) in weights(support, [row[output] for row in coef]).items()
        if weight != 0 and rows >= min_support and len(s) <= (max_size or len(s))
    ]
    return sorted(found, key=lambda one: (-abs(one[2]), len(one[0]), one[0], one[1]))
