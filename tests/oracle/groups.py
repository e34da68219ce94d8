"""Games whose players are groups of features, against backgrounds, by the book.

Rows are {feature: value}; a background is a list of (weight, row), the weights adding up to 1.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product


def game(score, group_of, x, background):
    """S -> the mean score of the rows that have the features of x in the groups of S and those of the background else.

    group_of: {feature: group}.
    """

    def value(coalition):
        mixed = ((weight, _mixed(group_of, x, z, coalition)) for weight, z in background)
        return sum((Fraction(weight) * score(row) for weight, row in mixed), Fraction(0))

    return value


def _mixed(group_of, x, z, coalition):
    own = {f: v for f, v in x.items() if group_of[f] in coalition}
    return own | {f: v for f, v in z.items() if group_of[f] not in coalition}


def uniform(rows):
    """Each row counts the same."""
    return [(Fraction(1, len(rows)), row) for row in rows]


def independent(counts):
    """All rows with one bin of each field, by how often fields have their bins: [[3, 1], [0, 2]] has four bins."""
    starts = [sum(map(len, counts[:at])) for at in range(len(counts))]
    found = []
    for bins in product(*(range(len(own)) for own in counts)):
        weight = Fraction(1)
        for own, at in zip(counts, bins, strict=True):
            weight *= Fraction(own[at], sum(own))
        if weight:
            found.append((weight, {start + at: 1 for start, at in zip(starts, bins, strict=True)}))
    return found
