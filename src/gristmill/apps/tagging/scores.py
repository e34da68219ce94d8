"""How good tags are: chunks with their types, as conlleval, the script of CoNLL-2000, counts and prints them.

Tags that are not those of chunks, as parts of speech, are types of single tokens (conlleval -r).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.apps.scores import MatchScore
from gristmill.apps.tagging.chunks import Sentences, are_chunk_tags, numbered_tags
from gristmill.base.arrays import Int32s, Int64s


@dataclass(frozen=True)
class ChunkScore(MatchScore):
    """How many chunks of a type there are, were found, and were found right."""

    type: str
    gold: int
    predicted: int
    correct: int

    def as_dict(self) -> dict[str, Any]:
        return {"type": self.type, **self.numbers()}

    def conlleval(self) -> str:
        """Return the figures in percent, as conlleval prints them and with its roundings."""
        precision = 100 * self.correct / self.predicted if self.predicted else 0.0
        recall = 100 * self.correct / self.gold if self.gold else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


@dataclass(frozen=True)
class ChunkScores:
    """Scores of all chunks and of those of each type, and how many tokens have the right tag.

    Parameters
    ----------
    total : ChunkScore
        Of all types together.
    types : tuple of ChunkScore
        In the order of names.
    tokens, correct_tokens : int
    """

    total: ChunkScore
    types: tuple[ChunkScore, ...]
    tokens: int
    correct_tokens: int
    raw: bool = False  # tags are types of single tokens

    @property
    def main(self) -> float:
        """What `Tagger.score` gives: the F1 of chunks; where there are none, the share of tokens with the right tag."""
        return self.accuracy if self.raw else self.total.f1

    @property
    def accuracy(self) -> float:
        """The share of tokens with the right tag; 0 if there are none."""
        return self.correct_tokens / self.tokens if self.tokens else 0.0

    def as_dict(self) -> dict[str, Any]:
        types = [score.as_dict() for score in self.types]
        counts = {"tokens": self.tokens, "correct_tokens": self.correct_tokens}
        return {"total": self.total.as_dict(), "types": types, "accuracy": self.accuracy, **counts}

    def conlleval(self) -> str:
        """Return what conlleval prints, character for character, with the line end."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        total = self.total
        found = f"found: {total.predicted} phrases; correct: {total.correct}."
        yield f"processed {self.tokens} tokens with {total.gold} phrases; {found}"
        if self.tokens:
            yield f"accuracy: {100 * self.correct_tokens / self.tokens:6.2f}%; {total.conlleval()}"
        for score in self.types:
            # The script prints chunks without a type once for each side that has them.
            for _ in range(1 if score.type else (score.gold > 0) + (score.predicted > 0)):
                yield f"{score.type:>17}: {score.conlleval()}  {score.predicted}"


def score_chunks(gold: Sentences, predicted: Sentences, *, raw: bool | None = None) -> ChunkScores:
    """Compare tags, sentence by sentence.

    A chunk is found right if first token, last token and type are right. Schemes may differ, but then fewer tokens have
    the right tag.

    Parameters
    ----------
    gold, predicted : iterable of sequence of str
        Tags of as many sentences, of the same lengths.
    raw : bool or None
        Whether tags are types of single tokens, as parts of speech are; only O is none. None: if some tag is not the
        tag of a chunk.

    Examples
    --------
    >>> from gristmill.apps.tagging.scores import score_chunks
    >>> scores = score_chunks([["B-NP", "I-NP", "B-VP", "O"]], [["B-NP", "I-NP", "I-VP", "B-NP"]])
    >>> scores.accuracy, scores.total.precision, scores.total.recall
    (0.5, 0.6666666666666666, 1.0)
    >>> print(scores.conlleval(), end="")
    processed 4 tokens with 2 phrases; found: 3 phrases; correct: 2.
    accuracy:  50.00%; precision:  66.67%; recall: 100.00%; FB1:  80.00
                   NP: precision:  50.00%; recall: 100.00%; FB1:  66.67  2
                   VP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
    """
    gold, predicted = list(gold), list(predicted)
    _check_shapes(gold, predicted)
    names, numbers, starts = numbered_tags([*gold, *predicted])
    tokens, sentences = len(numbers) // 2, len(gold)
    return score_numbers(names, numbers[:tokens], numbers[tokens:], starts[: sentences + 1], raw=raw)


def score_numbers(
    names: Sequence[str],
    gold: Int32s,
    predicted: Int32s,
    starts: Int64s,
    *,
    raw: bool | None = None,
) -> ChunkScores:
    """Compare tags that are numbers of `names`, no two of which are equal, as `numbered_tags` gives them."""
    if raw is None:
        raw = not are_chunk_tags(names)
    known = _core.ChunkTags(["O" if name == "O" else f"B-{name}" for name in names] if raw else list(names))
    of_gold, of_predicted = known.chunks(gold, starts), known.chunks(predicted, starts)
    types = known.types
    counted = [
        np.bincount(kinds, minlength=len(types)).tolist()
        for kinds in (of_gold[2], of_predicted[2], _both(of_gold, of_predicted))
    ]
    scores = [ChunkScore(*score) for score in zip(types, *counted, strict=True) if score[1] or score[2]]
    scores.sort(key=lambda score: score.type)
    total = ChunkScore("all", *(sum(counts) for counts in counted))
    return ChunkScores(total, tuple(scores), len(gold), int(np.count_nonzero(gold == predicted)), raw)


_Chunks = tuple[Int64s, Int64s, Int32s]


def _both(of_gold: _Chunks, of_predicted: _Chunks) -> Int32s:
    """The types of chunks that both have; no two chunks of a side have the same first token."""
    _, here, there = np.intersect1d(of_gold[0], of_predicted[0], assume_unique=True, return_indices=True)
    equal = (of_gold[1][here] == of_predicted[1][there]) & (of_gold[2][here] == of_predicted[2][there])
    types: Int32s = of_gold[2][here[equal]]
    return types


def _check_shapes(gold: list[Sequence[str]], predicted: list[Sequence[str]]) -> None:
    if len(gold) != len(predicted):
        raise ValueError(f"gold has {len(gold)} sentences, predicted {len(predicted)}: give as many of both")
    for number, (of_gold, of_predicted) in enumerate(zip(gold, predicted, strict=True)):
        if len(of_gold) != len(of_predicted):
            raise ValueError(f"sentence {number} has {len(of_gold)} tags in gold, {len(of_predicted)} in predicted")
