"""Scores of pairs of classes in the shape of one per class, and labels by them, as scikit-learn's SVC has both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gristmill.base.arrays import Indices
from gristmill.machines.schemes import votes_and_confidence
from gristmill.scoring.scorer import Scorer

_CLOSE = 1e-6  # differences of confidence that rounding could make


def most_confident(scorer: Scorer, rows: Any, definition: Callable[[], Scorer], n_jobs: int | None) -> Indices:
    """Class numbers, ties of votes broken by confidence; where rounding could decide, the definition is asked."""
    n_classes = scorer.machine.n_classes
    confidence = votes_and_confidence(scorer.trusted_scores(rows, n_jobs), n_classes)
    top = np.sort(confidence, axis=1)[:, -2:]
    close = np.flatnonzero(top[:, 1] - top[:, 0] <= _CLOSE)
    if len(close):
        scores = definition().trusted_scores(scorer._some(rows, close), n_jobs)
        confidence[close] = votes_and_confidence(scores, n_classes)
    return np.asarray(np.argmax(confidence, axis=1))
