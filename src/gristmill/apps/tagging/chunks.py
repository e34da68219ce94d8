"""Chunks as tags of tokens: B-NP, I-NP, E-NP, S-NP, O, in five schemes.

What a sequence of tags means is what conlleval, the script of CoNLL-2000, says, in any scheme and however ill-formed:
between two tokens that are not O there is a boundary if their types differ, if the second one is B or S, or if the
first one is E or S. U and L of BILOU are read as S and E.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gristmill import _core
from gristmill.base.arrays import Int32s, Int64s
from gristmill.base.errors import FormatError

SCHEMES = ("IOB1", "IOB2", "IOE1", "IOE2", "BIOES")

_MOST_USUAL = ("IOB2", "BIOES", "IOE2", "IOB1", "IOE1")

Sentences = Iterable[Sequence[str]]


class Chunk(NamedTuple):
    """Tokens `first` to `last` of a sentence, counted from 0, and what they are."""

    first: int
    last: int
    type: str


class NumberedTags(NamedTuple):
    """Tags of sentences as numbers."""

    names: list[str]  # what numbers stand for
    numbers: Int32s  # of all sentences, one after the other
    starts: Int64s  # of sentences, and where the last one ends

    def sentences(self) -> list[list[str]]:
        tags = [self.names[number] for number in self.numbers.tolist()]
        return [tags[first:end] for first, end in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)]


def numbered_tags(sentences: Sentences) -> NumberedTags:
    """Number tags in the order in which they come."""
    known: dict[str, int] = {}
    numbers: list[int] = []
    starts = [0]
    for sentence in sentences:
        numbers += [known.setdefault(tag, len(known)) for tag in sentence]
        starts.append(len(numbers))
    return NumberedTags(list(known), np.array(numbers, np.int32), np.array(starts, np.int64))


def are_chunk_tags(tags: Iterable[str]) -> bool:
    """Whether all tags are O, or one of B I E S U L, with or without a type.

    Examples
    --------
    >>> from gristmill.apps.tagging.chunks import are_chunk_tags
    >>> are_chunk_tags(["B-NP", "O"]), are_chunk_tags(["DT", "NN"])
    (True, False)
    """
    return all(map(_core.is_chunk_tag, tags))


def chunks_of(tags: Sequence[str]) -> list[Chunk]:
    """Find the chunks of a sentence.

    Examples
    --------
    >>> from gristmill.apps.tagging.chunks import chunks_of
    >>> chunks_of(["B-NP", "I-NP", "O", "I-VP", "B-VP"])
    [Chunk(first=0, last=1, type='NP'), Chunk(first=3, last=3, type='VP'), Chunk(first=4, last=4, type='VP')]
    """
    numbered = numbered_tags([tags])
    known = _core.ChunkTags(numbered.names)
    found = known.chunks(numbered.numbers, numbered.starts)
    types = known.types
    return [
        Chunk(first, last, types[kind]) for first, last, kind in zip(*(part.tolist() for part in found), strict=True)
    ]


def convert_tags(sentences: Sentences, scheme: str) -> list[list[str]]:
    """Write the chunks of sentences in a scheme, whatever scheme they come in.

    Parameters
    ----------
    sentences : iterable of sequence of str
    scheme : {'IOB1', 'IOB2', 'IOE1', 'IOE2', 'BIOES'}
        'IOB2': B at the first token of a chunk, I at others. 'IOE2': E at the last token, I at others. 'IOB1' and
        'IOE1': B and E only where a chunk touches another one of its type. 'BIOES': B at the first, E at the last, S at
        the only token, I at others.

    Examples
    --------
    >>> from gristmill.apps.tagging.chunks import convert_tags
    >>> convert_tags([["B-NP", "I-NP", "B-NP", "O"]], "BIOES")
    [['B-NP', 'E-NP', 'S-NP', 'O']]
    """
    return respelled(numbered_tags(sentences), scheme).sentences()


def detect_scheme(sentences: Sentences) -> str:
    """Find the scheme that tags are in: the one that would change the fewest of them, the most usual of equals.

    Examples
    --------
    >>> from gristmill.apps.tagging.chunks import detect_scheme
    >>> detect_scheme([["B-NP", "I-NP", "O"]]), detect_scheme([["I-NP", "I-NP", "B-NP"]])
    ('IOB2', 'IOB1')
    """
    return nearest_scheme(numbered_tags(sentences))


def nearest_scheme(tags: NumberedTags) -> str:
    """Find the scheme that tags are in, as `detect_scheme` does."""
    return min(_MOST_USUAL, key=lambda scheme: _changes(tags, respelled(tags, scheme)))


def likely_scheme(tags: Iterable[str]) -> str:
    """The most usual scheme that has these tags, whatever sentences they are of: BIOES, IOE2 or IOB2.

    Examples
    --------
    >>> from gristmill.apps.tagging.chunks import likely_scheme
    >>> likely_scheme(["B-NP", "E-NP", "I-NP", "O", "S-NP"]), likely_scheme(["B-NP", "I-NP", "O"])
    ('BIOES', 'IOB2')
    """
    letters = {tag[:1] for tag in tags}
    if "S" in letters or {"B", "E"} <= letters:
        return "BIOES"
    return "IOE2" if "E" in letters else "IOB2"


def column_tags(columns: _core.Columns) -> NumberedTags:
    """Number the tags in the last column."""
    names = _core.Strings([])
    numbers = columns.numbers(columns.columns - 1, names)
    return NumberedTags(names.words(), numbers, columns.starts())


def convert_columns(columns: _core.Columns, scheme: str) -> bytes:
    """Write the text of columns again, the chunks of the last one in a scheme."""
    if columns.tokens == 0:
        return columns.with_column(np.empty(0, np.int32), [])
    converted = respelled(column_tags(columns), scheme)
    return columns.with_column(converted.numbers, converted.names, True)


def respelled(tags: NumberedTags, scheme: str) -> NumberedTags:
    """The same chunks in a scheme."""
    try:
        converter = _core.TagConverter(tags.names, scheme)
    except ValueError as error:
        raise FormatError(str(error)) from error
    return NumberedTags(converter.tags, converter.convert(tags.numbers, tags.starts), tags.starts)


def _changes(before: NumberedTags, after: NumberedTags) -> int:
    numbers = {name: number for number, name in enumerate(after.names)}
    same = np.array([numbers.get(name, -1) for name in before.names], np.int32)
    return int(np.count_nonzero(same[before.numbers] != after.numbers))
