"""Japanese word segmentation on UD Japanese GSD: does a word end between these two characters?

Features of the boundary after c_i as in Kudo and Matsumoto 2003, section 5.2: the characters c_{i-2} ... c_{i+3} and
their types, each with its position; twelve, and fewer at the ends of a sentence. The few spaces of the corpus are left
out, for they would give the answer away.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator, Sequence

from benchmarks.corpus import treebank
from benchmarks.examples import Data, Example, matrices, sample

__all__ = ["boundaries", "character_type", "load", "sample"]

_SCRIPTS = {"HIRAGANA": "hiragana", "KATAKANA": "katakana", "CJK": "kanji", "IDEOGRAPHIC": "kanji"}


@functools.cache
def load() -> tuple[Data, Data]:
    """(X, y) to train on and (X, y) to test with; y is 1 where a word ends, else -1."""
    return matrices(_examples("train"), _examples("test"))


def boundaries(words: Sequence[str]) -> Iterator[Example]:
    """The decisions of a sentence, from its second character on."""
    ends, length = set(), 0
    for word in words:
        length += len(word)
        ends.add(length)
    text = "".join(words)
    for at in range(1, length):
        yield _features(text, at), 1 if at in ends else -1


@functools.cache
def character_type(character: str) -> str:
    """hiragana, katakana, kanji, letter, digit or symbol; half and full width are the same."""
    if character.isdigit():
        return "digit"
    if unicodedata.category(character) not in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl"):
        return "symbol"
    name = unicodedata.name(character, "").removeprefix("HALFWIDTH ")
    return next((kind for script, kind in _SCRIPTS.items() if name.startswith(script)), "letter")


def _examples(part: str) -> Iterator[Example]:
    for sentence in treebank(f"ja_gsd-megagon-{part}"):
        yield from boundaries([token[1] for token in sentence])


def _features(text: str, at: int) -> Iterator[str]:
    """Of the boundary before text[at], whose c_i is text[at - 1]."""
    for place in range(max(at - 3, 0), min(at + 3, len(text))):
        offset = place - (at - 1)
        yield f"c{offset:+d}={text[place]}"
        yield f"t{offset:+d}={character_type(text[place])}"
