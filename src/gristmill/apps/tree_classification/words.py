"""The words of trees as vectors: which words, and which neighbours, are among the leaves."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np

from gristmill.data.forest import Forest
from gristmill.data.rows import Rows

_LABEL = r"(?:[^ ()\\]|\\.)+"  # as the core writes it
_LEAF = re.compile(rf"\({_LABEL}|({_LABEL})", re.DOTALL)  # inner nodes follow a bracket
_LARGEST = 50_000_000  # characters: the header of a model file, which holds them, has its limits


def leaf_words(forest: Forest) -> list[list[str]]:
    """The leaves of each tree in order; brackets and white space within keep their backslashes."""
    return [_leaves(tree) or [tree[1:-1]] for tree in forest]


def _leaves(tree: str) -> list[str]:
    """Empty for a tree of one node, which is written as inner nodes are."""
    if "\\" in tree:
        return [word for word in _LEAF.findall(tree) if word]
    return [part.rstrip(")") for part in tree.split(" ") if part[0] != "("]  # the same, three times as fast


class WordBag:
    """Columns for words and n-grams; what it does not know gets columns behind them, which no known tree has.

    Parameters
    ----------
    vocabulary : sequence of str
        The word, or the words of an n-gram with spaces between, of each column. Before the first word and behind the
        last one of a tree is the empty word.
    ngrams : int
        The longest that are looked at; 1: words alone.
    """

    def __init__(self, vocabulary: Sequence[str], ngrams: int = 1) -> None:
        self.vocabulary, self.ngrams = tuple(vocabulary), ngrams
        self._columns = {name: column for column, name in enumerate(self.vocabulary)}
        if len(self._columns) != len(self.vocabulary):
            raise ValueError("the vocabulary has a word twice")

    @classmethod
    def of(cls, forest: Forest, ngrams: int = 1) -> WordBag:
        """All that occur in these trees, in sorted order."""
        found = set[str]().union(*(_features(words, ngrams) for words in leaf_words(forest)))
        size = sum(map(len, found)) + 3 * len(found)
        if size > _LARGEST:
            raise ValueError(
                f"{len(found)} different words and n-grams are more than a model file can name: take a smaller ngrams "
                f"(it is {ngrams}), or word_weight=0 for trees alone"
            )
        return cls(sorted(found), ngrams)

    def rows(self, forest: Forest) -> Rows:
        """A row for each tree, with names if all columns have one."""
        rows = [self._ids(_features(words, self.ngrams)) for words in leaf_words(forest)]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        ids = np.fromiter(itertools.chain.from_iterable(rows), dtype=np.int32, count=int(offsets[-1]))
        known = len(self.vocabulary)
        size = max(known, int(ids.max(initial=-1)) + 1)
        return Rows(offsets, ids, n_features=size, feature_names=self.vocabulary if size == known else None)

    def _ids(self, features: set[str]) -> list[int]:
        columns = self._columns
        ids = sorted([columns[name] for name in features if name in columns])
        behind = len(self.vocabulary)
        return [*ids, *range(behind, behind + len(features) - len(ids))]  # they count in the length of the row


def _features(words: list[str], ngrams: int) -> set[str]:
    found = set(words)
    padded = ["", *words, ""]
    for size in range(2, ngrams + 1):
        found.update(" ".join(padded[at : at + size]) for at in range(len(padded) - size + 1))
    return found
