"""SGD for l1-regularised log-linear models with cumulative penalty, as Tsuruoka et al. (2009) print it."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from math import exp


def conjunctions(row, degree):
    return [frozenset(s) for size in range(1, degree + 1) for s in combinations(sorted(row), size)]


def learn(rows, labels, degree, penalty, rate, decay, passes):
    """{conjunction: weight}; weights that were never touched again are brought up to date at the end."""
    weights, received, due = defaultdict(float), defaultdict(float), 0.0

    def apply_penalty(s):
        before = weights[s]
        if before > 0:
            weights[s] = max(0.0, before - (due + received[s]))
        elif before < 0:
            weights[s] = min(0.0, before + (due - received[s]))
        received[s] += weights[s] - before

    for k in range(passes * len(rows)):
        row, label = rows[k % len(rows)], labels[k % len(rows)]
        eta = rate * decay ** (k / len(rows))
        due += eta * penalty / len(rows)
        active = conjunctions(row, degree)
        p = 1 / (1 + exp(-sum(weights[s] for s in active)))
        for s in active:
            weights[s] += eta * (label - p)
            apply_penalty(s)
    for s in list(weights):
        apply_penalty(s)
    return weights
