"""Online learning by the book: the definition every engine must reproduce, update for update."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

RULES = ("perceptron", "pa", "pa1", "pa2")


def step(rule, loss, norm, cost):
    """How far to go for a loss (formulas B1); None: nowhere."""
    if rule == "perceptron":
        return 1
    if norm == 0:
        return None  # nothing of the row can be learned
    full = loss / norm
    return {"pa": full, "pa1": min(cost, full), "pa2": loss / (norm + 1 / (2 * cost))}[rule]


def learn(examples, classes, kernel, rule="pa1", norm="input", C=1, passes=1, unit=None):
    """The log of updates, (example, up, down, step), and the number of examples seen.

    examples : list of (set of features, class number, cost factor); with two classes one output, else one a class
    unit : a Fraction that steps are rounded up to whole multiples of; None: no rounding
    """
    log = []
    for _ in range(passes):
        for number, (x, y, factor) in enumerate(examples):
            scores = [
                sum(a * kernel(len(x & examples[i][0])) * ((up == k) - (down == k)) for i, up, down, a, _ in log)
                for k in range(classes)
            ]
            if classes == 2:  # one output: half of what would be the difference of two
                margin, rival = scores[y], 1 - y
            else:
                rival = max((k for k in range(classes) if k != y), key=lambda k: (scores[k], -k))
                margin = scores[y] - scores[rival]
            loss = 1 - margin
            if (margin > 0) if rule == "perceptron" else (loss <= 0):
                continue
            size = len(x) if norm == "input" else kernel(len(x))
            tau = step(rule, loss, size * (1 if classes == 2 else 2), C * factor)
            if tau is None:
                continue
            if unit is not None:
                tau = min(ceil(tau / unit), ceil(C * factor / unit) if rule == "pa1" else ceil(tau / unit)) * unit
            log.append((number, y, rival, tau, len(log)))
    return log


__all__ = ["RULES", "Fraction", "learn", "step"]
