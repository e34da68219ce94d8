"""Tables of precision, recall and F1, and places of tokens in their sentences."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gristmill import _core
from gristmill.apps.scores import MatchScore
from gristmill.base.arrays import Int64s
from gristmill.display.markup import Child, Html, shortened
from gristmill.display.numbers import result
from gristmill.display.tables import table

Line = tuple[str, float, float, float, int, int, int]


def score_line(name: str, score: MatchScore) -> Line:
    return name, score.precision, score.recall, score.f1, score.gold, score.predicted, score.correct


def score_table(caption: str, what: str, lines: Iterable[Line]) -> Html:
    """Names of `what`; precision, recall and F1 in percent; the numbers of true, predicted and correct ones."""
    heads = [what, "precision", "recall", "F1", "true", "predicted", "correct"]
    cells: list[list[Child]] = [[line[0], *map(result, line[1:4]), *line[4:]] for line in lines]
    return table(caption, heads, cells, numeric=range(1, len(heads)))


_LONGEST = 30  # characters of a word


class Place(NamedTuple):
    """A token: its sentence and its place there, both counted from 1, and its neighbours."""

    sentence: int
    number: int
    before: list[str]
    token: str
    after: list[str]


class Places:
    """Tokens of columns by their number, counted from 0; words are read with the first look-up."""

    def __init__(self, columns: _core.Columns) -> None:
        self._columns = columns

    def place(self, token: int, around: int) -> Place:
        """The place of a token, with so many neighbours on either side."""
        sentence = int(np.searchsorted(self._starts, token, side="right")) - 1
        begin, end = self._starts[sentence : sentence + 2].tolist()
        before, after = self._words[max(begin, token - around) : token], self._words[token + 1 : end][:around]
        return Place(sentence + 1, token - begin + 1, _short(before), _short([self._words[token]])[0], _short(after))

    def words(self, sentence: int) -> list[str]:
        """The words of a sentence, counted from 0."""
        begin, end = self._starts[sentence : sentence + 2].tolist()
        return _short(self._words[begin:end])

    @cached_property
    def _words(self) -> list[str]:
        return self._columns.column(0)

    @cached_property
    def _starts(self) -> Int64s:
        return self._columns.starts()


def _short(words: list[str]) -> list[str]:
    return [shortened(word, _LONGEST) for word in words]
