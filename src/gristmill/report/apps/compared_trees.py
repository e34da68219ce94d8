"""Trees that were found beside those that are true, word by word; relations count up to ':'."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.apps.parsing.tree import DependencyTree, Word, trees_of
from gristmill.apps.parsing.treebank import Treebank, words_of_columns

Numbers = NDArray[np.intp]


class WrongWord(NamedTuple):
    """A word as it was found, and as it is."""

    found: Word
    true: Word


@dataclass(frozen=True, eq=False)
class ComparedTrees:
    """Two treebanks of the same words."""

    true: Treebank
    found: Treebank

    def __len__(self) -> int:
        return len(self.true)

    @cached_property
    def relations(self) -> list[str]:
        """Without what stands behind ':', sorted."""
        return sorted({name.partition(":")[0] for name in (*self.true.names, *self.found.names)})

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Of each word, whether its head or its relation is."""
        heads, relations = self.true.heads != self.found.heads, self._numbers(self.true) != self._numbers(self.found)
        return np.asarray(heads | relations, dtype=np.bool_)

    @cached_property
    def wrong_by_sentence(self) -> Numbers:
        ends = np.concatenate([[0], np.cumsum(self.wrong)])[self.true.columns.starts()]
        return np.diff(ends)

    @cached_property
    def confusion(self) -> tuple[list[str], NDArray[np.int64]]:
        """Relations that occur, and words by the true one and the one that was found."""
        counts = np.zeros((len(self.relations), len(self.relations)), dtype=np.int64)
        np.add.at(counts, (self._numbers(self.true), self._numbers(self.found)), 1)
        used = np.flatnonzero(counts.sum(axis=0) + counts.sum(axis=1))
        return [self.relations[at] for at in used.tolist()], counts[np.ix_(used, used)]

    def worst(self, most: int) -> list[int]:
        """Sentences with the most wrong words; of equals the shorter ones come first."""
        lengths = np.diff(self.true.columns.starts())
        order = np.lexsort((np.arange(len(self)), lengths, -self.wrong_by_sentence))
        return [int(at) for at in order[:most] if self.wrong_by_sentence[at]]

    def wrong_words(self, sentence: int) -> Iterator[WrongWord]:
        begin, end = self.true.columns.starts()[sentence : sentence + 2].tolist()
        pairs = zip(tree_of(self.found, sentence), tree_of(self.true, sentence), strict=True)
        for is_wrong, (found, true) in zip(self.wrong[begin:end].tolist(), pairs, strict=True):
            if is_wrong:
                yield WrongWord(found, true)

    def _numbers(self, treebank: Treebank) -> Numbers:
        place = {name: at for at, name in enumerate(self.relations)}
        return np.array([place[name.partition(":")[0]] for name in treebank.names], dtype=np.intp)[treebank.relations]


def tree_of(treebank: Treebank, sentence: int) -> DependencyTree:
    """One tree of a treebank."""
    chosen = slice(sentence, sentence + 1)
    begin, end = treebank.columns.starts()[sentence : sentence + 2].tolist()
    words = list(words_of_columns(treebank.columns, chosen))
    return trees_of(words, treebank.heads[begin:end], treebank.relations[begin:end], treebank.names)[0]
