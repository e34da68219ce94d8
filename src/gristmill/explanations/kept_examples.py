"""Training sentences that a model keeps: the one that each support example was made from, and the word in it.

They are part of what the machine knows of its provenance, so they are saved, copied and gone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gristmill.base.arrays import Indices
from gristmill.data.rows import Rows
from gristmill.display.markup import Child, Html, element, joined
from gristmill.machines.machine import Machine

_KEY = "kept_examples"
_AROUND = 8  # words on either side that are shown


@dataclass(frozen=True)
class Source:
    """The sentence that a support example was made from.

    Parameters
    ----------
    words : tuple of str
        Of a segmenter characters.
    word : int or None
        The number of the word that was decided on, where it is one.
    """

    words: tuple[str, ...]
    word: int | None

    @property
    def text(self) -> str:
        """The word in brackets, with some on either side."""
        before, own, after = self._parts()
        return " ".join([*before, *(f"[{word}]" for word in own), *after])

    @property
    def picture(self) -> Html:
        """The word marked."""
        before, own, after = self._parts()
        parts: list[Child] = [" ".join([*before, ""]), *(element("mark", word) for word in own), " ".join(["", *after])]
        return joined(*parts)

    def as_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {"sentence": list(self.words), "word": self.word}

    def _parts(self) -> tuple[list[str], list[str], list[str]]:
        """What is before the word, the word, what is behind it."""
        at = 0 if self.word is None else self.word
        first, last = max(0, at - _AROUND), at + 1 + _AROUND
        words = ["..."] * (first > 0) + list(self.words[first:last]) + ["..."] * (last < len(self.words))
        if self.word is None:
            return [], [], words
        at += (first > 0) - first
        return words[:at], words[at : at + 1], words[at + 1 :]


class Places(NamedTuple):
    """Where in a text each training row was made: the number of its sentence, of its word; -1 for none."""

    sentences: Indices
    words: Indices

    @classmethod
    def of_words(cls, starts: Any) -> Places:
        """A row for each word of sentences that start at these words, and the end."""
        sentences = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        return cls(sentences, np.arange(len(sentences)) - np.asarray(starts)[sentences])

    def take(self, chosen: Indices) -> Places:
        """Those of some rows."""
        return Places(self.sentences[chosen], self.words[chosen])


@dataclass(frozen=True)
class KeptExamples:
    """Sentences, and for each support example the numbers of its sentence and word; -1 for none."""

    sentences: tuple[tuple[str, ...], ...]
    places: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, support: Rows, rows: Rows, places: Places, words: Callable[[int], Iterable[str]]) -> KeptExamples:
        """Of support rows that are among those of training; `words`: of a sentence, by its number."""
        first: dict[bytes, int] = {}
        for number, key in enumerate(_keys(rows)):
            first.setdefault(key, number)
        found = np.array([first.get(key, -1) for key in _keys(support)], dtype=np.intp)
        owners = np.where(found < 0, -1, places.sentences[found])
        kept = np.unique(owners[owners >= 0])
        numbers = np.where(owners < 0, -1, np.searchsorted(kept, owners)).tolist()
        own = np.where(owners < 0, -1, places.words[found]).tolist()
        return cls(tuple(tuple(words(one)) for one in kept.tolist()), tuple(zip(numbers, own, strict=True)))

    def provenance(self) -> dict[str, Any]:
        """As a machine remembers it."""
        return {
            _KEY: {"sentences": [list(one) for one in self.sentences], "places": [list(one) for one in self.places]}
        }

    def source(self, number: int) -> Source | None:
        """Of a support example."""
        sentence, word = self.places[number]
        return None if sentence < 0 else Source(self.sentences[sentence], None if word < 0 else word)


def _keys(rows: Rows) -> Iterator[bytes]:
    return (rows.ids[begin:end].tobytes() for begin, end in pairwise(rows.offsets.tolist()))


def kept_examples(machine: Machine) -> KeptExamples | None:
    """Those that a machine remembers; ValueError where they are not those of its support examples."""
    known = machine.provenance.get(_KEY)
    if known is None:
        return None
    sentences = tuple(tuple(map(str, one)) for one in known["sentences"])
    places = tuple((int(sentence), int(word)) for sentence, word in known["places"])
    lengths = [len(sentence) for sentence in sentences]
    fit = all(-1 <= one < len(lengths) and (one < 0 or -1 <= word < lengths[one]) for one, word in places)
    if not fit or len(places) != machine.n_support:
        raise ValueError("the model keeps training sentences that are not those of its support examples")
    return KeptExamples(sentences, places)
