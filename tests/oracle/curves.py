"""Curves and groups of scores by the book: every threshold, every pair, one example after the other."""

from __future__ import annotations

from math import log


def auc(scores, positive):
    """The chance that a positive example scores more than a negative one; half of it where they are equal."""
    above = [score for score, is_one in zip(scores, positive, strict=True) if is_one]
    below = [score for score, is_one in zip(scores, positive, strict=True) if not is_one]
    won = sum(1.0 if one > other else 0.5 if one == other else 0.0 for one in above for other in below)
    return won / (len(above) * len(below))


def counted(scores, positive, threshold):
    """Positive and negative examples that score a threshold or more."""
    taken = [is_one for score, is_one in zip(scores, positive, strict=True) if score >= threshold]
    return sum(taken), len(taken) - sum(taken)


def roc_points(scores, positive):
    """From (0, 0), a point for each different score, from the highest."""
    total = max(sum(positive), 1), max(len(positive) - sum(positive), 1)
    counts = (counted(scores, positive, threshold) for threshold in sorted(set(scores), reverse=True))
    return [(0.0, 0.0), *((false / total[1], true / total[0]) for true, false in counts)]


def average_precision(scores, positive):
    """Sum over the thresholds of the gain in recall times the precision there."""
    found, before = 0.0, 0
    for threshold in sorted(set(scores), reverse=True):
        true, false = counted(scores, positive, threshold)
        found += (true - before) / sum(positive) * true / (true + false)
        before = true
    return found


def expected_calibration_error(predicted, outcome, bins):
    """Examples one by one into bins; then the distance of the means, weighted."""
    groups = [[] for _ in range(bins)]
    for probability, is_so in zip(predicted, outcome, strict=True):
        edges = [at for at in range(bins) if probability >= at / bins]
        groups[edges[-1]].append((probability, is_so))
    sums = [(sum(p for p, _ in group), sum(t for _, t in group)) for group in groups]
    return sum(abs(expected - seen) for expected, seen in sums) / len(predicted)


def brier(probabilities, truth):
    """Of two classes the square of the distance of the second; of several the squares of all."""
    total = 0.0
    for row, true in zip(probabilities, truth, strict=True):
        squares = [(p - (number == true)) ** 2 for number, p in enumerate(row)]
        total += squares[1] if len(squares) == 2 else sum(squares)
    return total / len(truth)


def log_loss(probabilities, truth, smallest):
    return -sum(log(max(row[true], smallest)) for row, true in zip(probabilities, truth, strict=True)) / len(truth)
