"""How good words are: precision, recall and F1 of words, and the share of boundaries that are right."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from gristmill.apps.scores import MatchScore
from gristmill.base.arrays import Flags


@dataclass(frozen=True)
class WordScores(MatchScore):
    """Counts. A word is right if it begins and ends where it should; boundaries are those that white space leaves."""

    gold: int = 0
    predicted: int = 0
    correct: int = 0
    boundaries: int = 0
    correct_boundaries: int = 0

    def __add__(self, other: WordScores) -> WordScores:
        mine, more = asdict(self), asdict(other)
        return WordScores(**{name: mine[name] + more[name] for name in mine})

    @property
    def main(self) -> float:
        """What `Segmenter.score` gives."""
        return self.f1

    @property
    def accuracy(self) -> float:
        """Of boundaries."""
        return self.correct_boundaries / self.boundaries if self.boundaries else 0.0

    def as_dict(self) -> dict[str, float]:
        shares = ("precision", "recall", "f1", "accuracy")
        return {name: getattr(self, name) for name in shares} | asdict(self)


def score_words(gold: Flags, predicted: Flags, walls: Flags) -> WordScores:
    """Compare where words end; `walls` are ends that white space gives away, among them that of every line."""
    gold_ends, predicted_ends = np.flatnonzero(gold), np.flatnonzero(predicted | walls)
    _, ours, theirs = np.intersect1d(gold_ends, predicted_ends, assume_unique=True, return_indices=True)
    begins, other_begins = (
        np.concatenate([[-1], ends])[which] for ends, which in ((gold_ends, ours), (predicted_ends, theirs))
    )
    open_ones = ~walls
    return WordScores(
        len(gold_ends),
        len(predicted_ends),
        int((begins == other_begins).sum()),
        int(open_ones.sum()),
        int((gold == predicted)[open_ones].sum()),
    )
