"""Machines as weights of conjunctions (docs/formulas.md A4), and which are kept (A8), in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from tests.oracle.polynomial import kernel, subset_weight


def subsets(features, largest):
    """All sets of up to `largest` of the features, the empty one included."""
    return [frozenset(s) for size in range(largest + 1) for s in combinations(sorted(features), size)]


def expansion(support, coef, parameters):
    """{conjunction: w(s) = c(|s|) * sum of a_i over the support rows that hold s}, without the empty one."""
    rows = [frozenset(row) for row in support]
    found = {s for row in rows for s in subsets(row, parameters[0])} - {frozenset()}
    sums = {s: sum(Fraction(a) for row, a in zip(rows, coef, strict=True) if s <= row) for s in found}
    return {s: subset_weight(*parameters, len(s)) * total for s, total in sums.items()}


def thresholds(coef, sigma):
    """sigma_pos and sigma_neg; a support row without weight is none."""
    positive, negative = sum(a > 0 for a in coef), sum(a < 0 for a in coef)
    share = Fraction(sigma) / max(positive + negative, 1)
    return share * positive, -share * negative


def occurrences(support, coef, s):
    """Support rows that hold a conjunction."""
    return sum(a != 0 and s <= frozenset(row) for row, a in zip(support, coef, strict=True))


def kept(support, coef, parameters, sigma, xi):
    """Definition 3: the conjunctions (and their weights) that are kept for one output. Weights of 0 are no matter."""
    least, most = thresholds(coef, sigma)
    return {
        s: w
        for s, w in expansion(support, coef, parameters).items()
        if w != 0 and (w >= least or w <= most) and occurrences(support, coef, s) >= xi
    }


def score(weights, coef, intercept, parameters, x):
    """The sum of the weights of all conjunctions of x, the empty one and the intercept."""
    empty = kernel(*parameters, 0) * sum(map(Fraction, coef)) + Fraction(intercept)
    return empty + sum(w for s, w in weights.items() if s <= frozenset(x))


def weights_in(scores):
    """Moebius inversion: {row: its score} for all subsets of some features -> {conjunction: weight}, zeros left out."""
    found = {s: sum((-1) ** (len(s) - len(t)) * scores[t] for t in subsets(s, len(s))) for s in scores if s}
    return {s: w for s, w in found.items() if w != 0}


def heaviest(support, coef, parameters, *, min_support=1, max_size=None):
    """All conjunctions that weigh something, of all outputs, as (features, output, weight, support rows).

    The heaviest come first; ties go to fewer features, then to smaller ids, then to the earlier output.
    """
    found = []
    for output in range(len(coef[0]) if coef else 0):
        column = [row[output] for row in coef]
        for s, w in expansion(support, column, parameters).items():
            rows = occurrences(support, column, s)
            if w != 0 and rows >= min_support and len(s) <= (max_size or len(s)):
                found.append((tuple(sorted(s)), output, w, rows))
    return sorted(found, key=lambda one: (-abs(one[2]), len(one[0]), one[0], one[1]))
