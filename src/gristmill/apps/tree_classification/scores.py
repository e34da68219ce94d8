"""How good the labels of trees are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill.evaluation.metrics import ClassScores, accuracy, class_scores


@dataclass(frozen=True)
class TreeScores:
    """The share of labels that are right; precision, recall and F1 of every class that occurs."""

    examples: int
    accuracy: float  # nan without examples
    classes: tuple[ClassScores, ...]

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the classes; nan without any."""
        return float(np.mean([one.f1 for one in self.classes])) if self.classes else float("nan")

    def as_dict(self) -> dict[str, Any]:
        """Something JSON can hold; None where there is nothing to divide by."""
        shares = {"accuracy": self.accuracy, "macro_f1": self.macro_f1}
        known = {name: None if np.isnan(share) else share for name, share in shares.items()}
        return {"examples": self.examples, **known, "classes": [asdict(one) for one in self.classes]}


def score_labels(gold: Sequence[Any], predicted: Sequence[Any]) -> TreeScores:
    """Compare labels, as scikit-learn does; those that no machine has learned are wrong."""
    truth, answers = np.asarray(gold), np.asarray(predicted)
    if truth.shape != answers.shape or truth.ndim != 1:
        raise ValueError(f"expected a label for each of {len(answers)} answers, got shape {truth.shape}")
    if len(truth) and truth.dtype.kind != answers.dtype.kind and "U" in (truth.dtype.kind, answers.dtype.kind):
        raise ValueError(f"labels are of {truth.dtype}, answers of {answers.dtype}: they cannot be compared")
    return TreeScores(len(truth), accuracy(truth, answers), tuple(class_scores(truth, answers)))
