"""What a tokenizer learns from: the text of sentences whose tokens are known, and what ends behind each character."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gristmill import _core
from gristmill.apps.parsing.surface import SurfaceSentence, SurfaceToken
from gristmill.base.arrays import Int32s
from gristmill.base.errors import FormatError

SPACE = "\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # as the core knows it
_GAP = re.compile(f"[{SPACE}]+")
_PARAGRAPH = "\n\n"

_INNER = 0.1  # share of sentences that begin within a paragraph, from which on their ends can be learned there

INSIDE, TOKEN, SENTENCE = range(3)
CLASSES = ["inside", "token", "sentence"]  # what ends behind a character


class Gold(NamedTuple):
    """Text, and what ends behind each of its characters that is no white space."""

    text: bytes
    endings: Int32s


def gold_of(sentences: Sequence[SurfaceSentence]) -> Gold:
    """Sentences of a treebank as they were written; FormatError where there are none."""
    endings = [one for sentence in sentences for one in _endings(sentence)]
    if not endings:
        raise FormatError("there are no tokens")
    return Gold(raw_text(sentences).encode(), np.array(endings, dtype=np.int32))


def surface_of(texts: Iterable[str], tokens: Iterable[Sequence[Sequence[str]]]) -> list[SurfaceSentence]:
    """Texts whose tokens are known, by sentences, as treebanks have them; ValueError where they are not in a text."""
    found = list[SurfaceSentence]()
    for number, (text, sentences) in enumerate(zip(texts, tokens, strict=True)):
        at = _behind_space(text, 0)
        for place, sentence in enumerate(sentences):
            own = list[SurfaceToken]()
            for token in sentence:
                end = at + len(token)
                if not token or text[at:end] != token:
                    raise ValueError(
                        f"text {number}, counted from 0: expected the token {token!r}, got {text[at:end]!r}"
                    )
                at = _behind_space(text, end)
                own.append(SurfaceToken(token, misc="_" if at > end else "SpaceAfter=No"))
            found.append(SurfaceSentence(own, place == 0))
        if at < len(text):
            raise ValueError(f"text {number}, counted from 0: {text[at:]!r:.60} belongs to no token")
    return found


def _behind_space(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return at if found is None else found.end()


def raw_text(sentences: Iterable[SurfaceSentence]) -> str:
    """One after the other, with an empty line between paragraphs."""
    parts = list[str]()
    for sentence in sentences:
        if parts and sentence.begins_paragraph:
            parts[-1] = parts[-1].rstrip(" ") + _PARAGRAPH
        parts.append(_GAP.sub(" ", sentence.text))
    return "".join(parts)


def _endings(sentence: SurfaceSentence) -> list[int]:
    found = list[int]()
    for token in sentence.tokens:
        characters = len(_GAP.sub("", token.form))
        found += [INSIDE] * (characters - 1) + [TOKEN] * (characters > 0)
    return [*found[:-1], *([SENTENCE] if found else [])]


def within_paragraphs(sentences: Sequence[SurfaceSentence]) -> Sequence[SurfaceSentence]:
    """Sentences to learn from, in paragraphs of several; all in one where hardly any paragraph of theirs has two.

    An empty line ends a sentence whatever was learned, so that such paragraphs teach nothing of ends within others.
    """
    if sum(not one.begins_paragraph for one in sentences[1:]) >= _INNER * len(sentences):
        return sentences
    return [replace(one, begins_paragraph=False) for one in sentences]


def words_within(sentences: Iterable[SurfaceSentence]) -> list[str]:
    """Words as they are written behind the first one of a sentence, each up to twice: what is known of their case."""
    counts = Counter(token.form for sentence in sentences for token in sentence.tokens[1:])
    return [form for form, count in sorted(counts.items()) for _ in range(min(count, 2)) if form[0].isalpha()]


def is_spaceless(sentences: Iterable[SurfaceSentence]) -> bool:
    """Whether most tokens have no white space behind them, as in Chinese and Japanese."""
    tokens = [token.has_space for sentence in sentences for token in sentence.tokens]
    return 2 * sum(tokens) < len(tokens)


# --- a dictionary -----------------------------------------------------------------------------------------------------


def facts_in_learning(sentences: Sequence[SurfaceSentence], book: _core.Dictionary, threads: int) -> _core.Columns:
    """What a dictionary of the tokens says of all places, each sentence without those that only it has.

    The dictionary learns them first. Each sentence is looked at with the last character of the one before it, so that
    what begins a sentence is known where the one before it ends.
    """
    lines = [" ".join(filter(None, (_GAP.sub("", token.form) for token in one.tokens))) for one in sentences]
    lines = [line for line in lines if line]
    book.learn(_core.CharacterLines("".join(f"{line}\n" for line in lines).encode(), True))
    led = [f"{before[-1]} {line}\n" for before, line in itertools.pairwise(["。", *lines])]
    shown = _core.CharacterLines("".join(led).encode(), True)
    columns = shown.columns(book, True, threads)
    found = [*zip(columns.column(0), columns.column(1), strict=True)]
    starts = columns.starts().tolist()
    cells = list[str]()
    for begin, end in itertools.pairwise(starts):
        own = found[begin + 1 : end]
        behind = found[end][1] if end < len(found) else "L0,R0,I0"
        cells += [cell for pair in own[:-1] for cell in pair]
        cells += [own[-1][0], _with_right(own[-1][1], behind)]
    return _core.Columns.of_cells(cells, 2, np.ones(len(cells) // 2, dtype=np.int64))


def _with_right(facts: str, behind: str) -> str:
    left, _, inside = facts.split(",")
    return ",".join([left, behind.split(",")[1], inside])
