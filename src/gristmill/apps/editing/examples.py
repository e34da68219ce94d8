"""Words as examples: those that are alike in all that is looked at are one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Int32s

Cells = tuple[str, ...]  # of a word, in the columns that are looked at


def cells_of(words: _core.Columns) -> list[Cells]:
    return [*zip(*(words.column(place) for place in range(words.columns)), strict=True)]


def alone(words: Iterable[Cells], width: int) -> _core.Columns:
    """Columns of sentences of one word."""
    listed = [*words]
    cells = [cell for word in listed for cell in word]
    return _core.Columns.of_cells(cells, width, np.ones(len(listed), dtype=np.int64))


def commonest(words: Iterable[Cells], results: Iterable[str]) -> dict[Cells, str]:
    """Words in order, each with its commonest result: the first in order of those that are as common."""
    counts = dict[Cells, Counter[str]]()
    for word, result in zip(words, results, strict=True):
        counts.setdefault(word, Counter())[result] += 1
    return {word: min(found, key=lambda result: (-found[result], result)) for word, found in sorted(counts.items())}


def distinct(words: _core.Columns) -> tuple[Int32s, list[Cells]]:
    """Of each word its number among those that differ, and these."""
    numbers, cells = np.zeros(words.tokens, dtype=np.int64), list[Any]()
    for place in range(words.columns):
        strings = _core.Strings([])
        own = words.numbers(place, strings)
        numbers = np.unique(numbers * max(len(strings), 1) + own, return_inverse=True)[1]
        cells.append((own, strings.words()))
    first = np.unique(numbers, return_index=True)[1]
    return numbers.astype(np.int32), [tuple(names[own[at]] for own, names in cells) for at in first.tolist()]


def numbered(results: Sequence[str]) -> tuple[Int32s, list[str]]:
    """Of each result its number among those that differ, and these in the order of their first places."""
    place = {result: number for number, result in enumerate(dict.fromkeys(results))}
    return np.array([place[result] for result in results], dtype=np.int32), [*place]
