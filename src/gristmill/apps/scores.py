"""Precision, recall and F1 of predicted chunks, words and roles."""

from __future__ import annotations


class MatchScore:
    """Counts of what is in gold, what was predicted, and what is in both."""

    gold: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """0 where there is nothing to divide by, as the others."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        both = self.gold + self.predicted
        return 2 * self.correct / both if both else 0.0

    def numbers(self) -> dict[str, float]:
        """Return everything by its name."""
        names = ("precision", "recall", "f1", "gold", "predicted", "correct")
        return {name: getattr(self, name) for name in names}
