"""How good tokens and sentences are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.apps.scores import MatchScore
from gristmill.apps.tokenization.gold import INSIDE, SENTENCE
from gristmill.base.arrays import Indices, Int32s


@dataclass(frozen=True)
class SpanScore(MatchScore):
    """How many there are, were found, and were found right: they begin and end where they should."""

    gold: int
    predicted: int
    correct: int


@dataclass(frozen=True)
class TokenScores:
    """Of tokens and of sentences."""

    tokens: SpanScore
    sentences: SpanScore

    @property
    def main(self) -> float:
        """What `Tokenizer.score` gives."""
        return self.tokens.f1

    def as_dict(self) -> dict[str, Any]:
        return {"tokens": self.tokens.numbers(), "sentences": self.sentences.numbers()}


def score_endings(gold: Int32s, predicted: Int32s) -> TokenScores:
    """Compare what ends behind each character of a text."""
    return TokenScores(
        _score(np.flatnonzero(gold > INSIDE), np.flatnonzero(predicted > INSIDE)),
        _score(np.flatnonzero(gold == SENTENCE), np.flatnonzero(predicted == SENTENCE)),
    )


def _score(gold: Indices, predicted: Indices) -> SpanScore:
    """Of spans that end there, one after the other."""
    _, ours, theirs = np.intersect1d(gold, predicted, assume_unique=True, return_indices=True)
    begins = (np.concatenate([[-1], ends])[which] for ends, which in ((gold, ours), (predicted, theirs)))
    one, other = begins
    return SpanScore(len(gold), len(predicted), int((one == other).sum()))
