"""How far each example that judges moves a score: the delta method (infinitesimal jackknife) for accuracy and F1.

With F = 2 t / s of a class, s how often it is the truth and how often the answer together, one example more changes F
by ((2 if it is both) - F (how often it is either)) / s. These influences add up to 0, and the root of the sum of their
squares is the standard error of the score; of their differences, that of the difference of two settings that the same
examples judge. One pass over the answers.
"""

from __future__ import annotations

import numpy as np

from gristmill.base.arrays import Floats, Indices


def influences(measure: str, truth: Indices, answers: Indices, n_classes: int) -> Floats:
    """Of each example, on `cases.score`."""
    right = truth == answers
    if measure == "accuracy":
        return np.asarray((right - right.mean()) / len(truth))
    truths, given = (np.bincount(labels, minlength=n_classes) for labels in (truth, answers))
    occurring = truths + given
    times = np.maximum(occurring, 1)
    f1 = 2 * np.bincount(truth[right], minlength=n_classes) / times
    share = (np.arange(2) == 1) if n_classes == 2 else (occurring > 0) / np.count_nonzero(occurring)
    one = share / times
    return np.asarray(2 * right * one[truth] - (f1 * one)[truth] - (f1 * one)[answers])
