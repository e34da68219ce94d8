"""How good lemmas and the words of tokens are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from gristmill.apps.scores import MatchScore


@dataclass(frozen=True)
class LemmaScores:
    """How many words have a lemma, and how many of these got it."""

    words: int = 0
    correct: int = 0

    def __add__(self, other: LemmaScores) -> LemmaScores:
        return LemmaScores(self.words + other.words, self.correct + other.correct)

    @property
    def main(self) -> float:
        """What `Lemmatizer.score` gives."""
        return self.accuracy

    @property
    def accuracy(self) -> float:
        return self.correct / self.words if self.words else 0.0

    def as_dict(self) -> dict[str, float]:
        return {"accuracy": self.accuracy, **asdict(self)}


def score_lemmas(gold: Sequence[str], predicted: Sequence[str]) -> LemmaScores:
    """Compare lemmas; words without one ('' in gold) do not count."""
    pairs = [(one, other) for one, other in zip(gold, predicted, strict=True) if one]
    return LemmaScores(len(pairs), sum(one == other for one, other in pairs))


@dataclass(frozen=True)
class SplitScores(MatchScore):
    """Counts. Gold, predicted and correct are tokens of several words: correct are those with the right words."""

    gold: int = 0
    predicted: int = 0
    correct: int = 0
    tokens: int = 0
    correct_tokens: int = 0  # that have the right words, be it one or several

    @property
    def main(self) -> float:
        """What `Splitter.score` gives."""
        return self.accuracy

    @property
    def accuracy(self) -> float:
        return self.correct_tokens / self.tokens if self.tokens else 0.0

    def as_dict(self) -> dict[str, float]:
        shares = ("precision", "recall", "f1", "accuracy")
        return {name: getattr(self, name) for name in shares} | asdict(self)


def score_splits(gold: Sequence[tuple[str, ...]], predicted: Sequence[tuple[str, ...]]) -> SplitScores:
    """Compare the words of tokens."""
    pairs = [*zip(gold, predicted, strict=True)]
    several = [one == other for one, other in pairs if len(one) > 1 and len(other) > 1]
    split, found = (sum(len(words) > 1 for words in side) for side in (gold, predicted))
    return SplitScores(split, found, sum(several), len(pairs), sum(one == other for one, other in pairs))
