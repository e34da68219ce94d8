"""Raw text of any size, some sentences at a time: where it is cut changes nothing.

Text is cut at empty lines. Where a block has none, its last sentences wait for the next block, since what is behind
them counts; and the last tokens before them come along, since what is before counts as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise

import numpy as np

from gristmill import _core
from gristmill.apps.columns import whole_blocks
from gristmill.apps.tokenization.gold import INSIDE, SENTENCE
from gristmill.base.arrays import Int32s, Int64s

LONGEST_PARAGRAPH = 1 << 17  # bytes of a block; one that has more is cut behind a line, and a longer sentence there
AROUND = 64  # tokens before and behind a place, more than the characters that are looked at

_EMPTY_LINES = (b"\n\n", b"\n\r\n")

Endings = Callable[[bytes, _core.RawText], Int32s]
Part = tuple[_core.RawText, Int32s, slice]  # text, what ends behind its characters, which of its sentences are meant


def parts_of_text(blocks: Iterable[bytes], endings_of: Endings) -> Iterator[Part]:
    """The sentences of text that comes in blocks of whole lines, each sentence once."""
    before, waiting, line = b"", b"", 1
    for block, following in pairwise(chain(whole_blocks(blocks, end_of_paragraphs), [None])):
        text = before + waiting + (block or b"")
        raw, known = _core.RawText(text, line), len(_core.RawText(before))
        endings = _with_sentence(endings_of(text, raw), known)
        tokens = raw.spans(endings).reshape(-1, 3)
        is_whole = following is None or text.endswith(_EMPTY_LINES) or not len(tokens)
        end = len(tokens) if is_whole else _settled(tokens, int(known > 0))
        yield raw, endings, slice(int(known > 0), int(tokens[:end, 2].sum()))
        begin, cut = (len(text), len(text)) if is_whole else (tokens[max(0, end - AROUND), 0], tokens[end - 1, 1])
        characters = text.decode()
        before, waiting = characters[begin:cut].encode(), characters[cut:].encode()
        line += characters[:begin].count("\n")


def _with_sentence(endings: Int32s, characters: int) -> Int32s:
    """With so many characters at the beginning as one sentence, which is known already."""
    if characters:
        endings[:characters] = INSIDE
        endings[characters - 1] = SENTENCE
    return endings


def _settled(tokens: Int64s, known: int) -> int:
    """How many tokens are of sentences whose end does not depend on what follows; all, if that is none."""
    ends = np.flatnonzero(tokens[known : max(known, len(tokens) - AROUND), 2])
    return known + int(ends[-1]) + 1 if len(ends) else len(tokens)


def end_of_paragraphs(text: bytes) -> int:
    """How much of it is whole paragraphs, each with the empty line behind it; of much text without one, whole lines."""
    if any(line in text for line in _EMPTY_LINES):
        return max(text.rfind(line) + len(line) for line in _EMPTY_LINES if line in text)
    return text.rfind(b"\n") + 1 if len(text) >= LONGEST_PARAGRAPH else 0
