"""What would have been decided about a sentence without a feature, if all decisions before it had been the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.apps.decisions import Decision
from gristmill.base.progress import Progress
from gristmill.explanations.ablation import ablated_rows
from gristmill.scoring.scorer import Scorer

Floats = NDArray[np.float64]


class LeftOut(NamedTuple):
    """A decision without each of its features, in their order."""

    scores: Floats  # features x outputs
    labels: tuple[str, ...]  # what the machine finds best of what can be done


def left_out(decision: Decision, scorer: Scorer, progress: Progress | None = None) -> LeftOut:
    """By the scorer of the machine that has decided."""
    machine = scorer.machine
    rows = ablated_rows(decision.ids, decision.data, machine.n_features)
    scores = scorer.trusted_scores(rows, progress=progress)
    classes = np.asarray(machine.classes)
    possible = np.ones(len(classes), dtype=bool) if decision.possible is None else np.isin(classes, decision.possible)
    if not possible.any():  # a last resort, whatever the features
        return LeftOut(scores, (decision.label,) * len(rows))
    return LeftOut(scores, tuple(classes[scorer.decided_among(rows, scores, possible)].tolist()))
