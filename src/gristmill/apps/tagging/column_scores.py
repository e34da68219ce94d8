"""How good tags of columns of CoNLL-U are: the share of words that have the right one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gristmill import _core
from gristmill.apps.parsing.tree import COLUMNS


@dataclass(frozen=True)
class ColumnScores:
    """How many words have the right tag, column by column and in all columns."""

    words: int
    correct: Mapping[str, int]
    all_correct: int

    @property
    def main(self) -> float:
        """The share of words with all tags right."""
        return self._share(self.all_correct)

    @property
    def accuracy(self) -> dict[str, float]:
        """The share of words with the right tag, by column."""
        return {name: self._share(count) for name, count in self.correct.items()}

    def as_dict(self) -> dict[str, Any]:
        return {"words": self.words, "accuracy": self.accuracy, "all": self.main}

    def _share(self, count: int) -> float:
        return count / self.words if self.words else 0.0


def score_columns(gold: _core.Conllu, found: _core.Conllu, columns: Sequence[str]) -> ColumnScores:
    """Compare columns of two texts of the same words."""
    sides = [[text.columns.column(COLUMNS.index(name)) for name in columns] for text in (gold, found)]
    equal = [[one == other for one, other in zip(*pair, strict=True)] for pair in zip(*sides, strict=True)]
    correct = {name: sum(own) for name, own in zip(columns, equal, strict=True)}
    return ColumnScores(gold.columns.tokens, correct, sum(map(all, zip(*equal, strict=True))))
