"""The content of a report on an app, the request for it; tables of scores, and places of tokens in their sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gristmill import _core
from gristmill.apps.scores import MatchScore
from gristmill.base.arrays import Floats, Int64s
from gristmill.base.progress import Progress
from gristmill.display.markup import Child, Html, shortened
from gristmill.display.numbers import result
from gristmill.display.tables import table
from gristmill.report.evaluation_result import EvaluationResult, ReportOptions, Sources, Truth
from gristmill.report.page import Section, Tile
from gristmill.scoring.deciding import trusted_scores
from gristmill.scoring.scorer import Scorer


@dataclass(frozen=True)
class ReportRequest:
    """What a report on an app should have.

    Parameters
    ----------
    sources : Sources
    options : ReportOptions
    labels : bool
        Whether results are compared with the labels of the data.
    progress : callable or None
    """

    sources: Sources
    options: ReportOptions
    labels: bool = True
    progress: Progress | None = None

    def scores(self, scorer: Scorer, X: Any) -> Floats:
        """Scores that decide as the definition does."""
        return trusted_scores(scorer, X, self.options.n_jobs, progress=self.progress)

    def evaluation(
        self, scorer: Scorer, X: Any, scores: Floats, truth: Truth | None, name: Callable[[int], str]
    ) -> EvaluationResult:
        """The evaluation of decisions, each an example with a name."""
        return EvaluationResult(
            scorer, X, scores, truth, self.sources, self.options, example_name=name, are_decisions=True
        )


@dataclass(frozen=True, eq=False)
class ReportContent:
    """Sections that come before the ordinary ones, and the evaluation that these are made from.

    Parameters
    ----------
    evaluation : EvaluationResult
        Decisions of the machine, each an example.
    sections : tuple of Section
        On the results of the app.
    tiles : tuple of (name, value)
        The most important numbers.
    """

    evaluation: EvaluationResult
    sections: tuple[Section, ...]
    tiles: tuple[Tile, ...]


# --- tables and places ------------------------------------------------------------------------------------------------

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
