"""C="auto" by the book, for binary rows and a polynomial kernel: one division, nothing shared."""

from __future__ import annotations

from math import sqrt


def cost(kernel, rows, weights, factor):
    """factor / (mean length)^2; a row of weight w counts w times."""
    lengths = [sqrt(max(squared_length(kernel, len(row)), 0.0)) for row in rows]
    total = sum(weights)
    mean = sum(weight * length for weight, length in zip(weights, lengths, strict=True)) / total if total else 0.0
    return factor / mean**2 if mean else 1.0


def squared_length(kernel, size):
    """k(x, x) - k(0, 0): k(x, 0) is the same as k(0, 0)."""
    degree, gamma, coef0 = kernel.degree, kernel.gamma, kernel.coef0
    return (gamma * size + coef0) ** degree - coef0**degree
