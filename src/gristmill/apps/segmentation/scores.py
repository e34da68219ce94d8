"""How well words were found: precision, recall and F1 of words, and the share of boundaries that are right."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class WordScores:
    """Counts. A word is right if it begins and ends where it should; boundaries are those that white space leaves."""

    gold: int = 0
    found: int = 0
    correct: int = 0
    boundaries: int = 0
    correct_boundaries: int = 0

    def __add__(self, other: WordScores) -> WordScores:
        mine, more = asdict(self), asdict(other)
        return WordScores(**{name: mine[name] + more[name] for name in mine})

    @property
    def precision(self) -> float:
        return self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.correct / (self.gold + self.found) if self.gold + self.found else 0.0

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


def score_words(gold: Flags, found: Flags, walls: Flags) -> WordScores:
    """Compare where words end; `walls` are ends that white space gives away, among them that of every line."""
    wanted, given = np.flatnonzero(gold), np.flatnonzero(found | walls)
    _, ours, theirs = np.intersect1d(wanted, given, assume_unique=True, return_indices=True)
    begins, other_begins = (np.concatenate([[-1], ends])[which] for ends, which in ((wanted, ours), (given, theirs)))
    open_ones = ~walls
    return WordScores(
        len(wanted),
        len(given),
        int((begins == other_begins).sum()),
        int(open_ones.sum()),
        int((gold == found)[open_ones].sum()),
    )
