"""Dependency parsing of UD English EWT: shall the two topmost words be linked now?

The decisions of an arc-standard parser that follows the gold tree: 1 for a link of either direction, -1 for reading on.
26 features: form, lemma and both parts of speech of the two words; parts of speech at -2..+2 and lemmas at -1 and +1
around each; the next two words; their distance; how many children each has on either side. What follows once a tree
turns out to be non-projective is left out.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from benchmarks.corpus import Token, treebank
from benchmarks.examples import Data, Example, matrices, sample

__all__ = ["decisions", "load", "sample"]

Action = Literal["left", "right", "shift"]
_ROOT, _OUTSIDE = "<root>", "<pad>"


@functools.cache
def load() -> tuple[Data, Data]:
    """(X, y) to train on and (X, y) to test with; y is 1 or -1."""
    return matrices(_examples("train"), _examples("test"))


def decisions(tokens: list[Token]) -> Iterator[Example]:
    """The decisions of a sentence, from left to right."""
    sentence = _Sentence(tokens)
    parser = _Parser(sentence.heads)
    while not parser.is_done:
        action: Action = "shift"
        if len(parser.stack) >= 2:
            action = parser.gold_action()
            if action == "shift" and parser.is_read:
                return  # the gold tree crosses itself
            yield list(_features(sentence, parser)), -1 if action == "shift" else 1
        parser.take(action)


class _Sentence:
    """Columns of a sentence; word 0 is the root."""

    def __init__(self, tokens: list[Token]) -> None:
        self.forms = [_ROOT, *(token[1].lower() for token in tokens)]
        self.lemmas = [_ROOT, *(token[2].lower() for token in tokens)]
        self.upos = [_ROOT, *(token[3] for token in tokens)]
        self.xpos = [_ROOT, *(token[4] for token in tokens)]
        self.heads = [-1, *(int(token[6]) for token in tokens)]


class _Parser:
    """The state of an arc-standard parser, which knows the gold heads."""

    def __init__(self, heads: list[int]) -> None:
        self.heads = heads
        self.missing = Counter(heads[1:])  # children still to be linked
        self.stack, self.front = [0], 1
        self.left, self.right = [0] * len(heads), [0] * len(heads)  # children linked

    @property
    def is_read(self) -> bool:
        return self.front == len(self.heads)

    @property
    def is_done(self) -> bool:
        return self.is_read and len(self.stack) == 1

    def gold_action(self) -> Action:
        below, top = self.stack[-2:]
        if below != 0 and self.heads[below] == top and not self.missing[below]:
            return "left"
        return "right" if self.heads[top] == below and not self.missing[top] else "shift"

    def take(self, action: Action) -> None:
        if action == "shift":
            self.stack.append(self.front)
            self.front += 1
            return
        del self.stack[-2 if action == "left" else -1]
        head = self.stack[-1]
        self.missing[head] -= 1
        (self.left if action == "left" else self.right)[head] += 1


def _features(sentence: _Sentence, parser: _Parser) -> Iterator[str]:
    pair = list(zip("ij", parser.stack[-2:], strict=True))
    for name, word in pair:
        yield f"{name}f={sentence.forms[word]}"
        yield f"{name}l={sentence.lemmas[word]}"
        yield f"{name}u={sentence.upos[word]}"
        yield f"{name}x={sentence.xpos[word]}"
    for name, word in pair:
        for offset in (-2, -1, 1, 2):
            yield f"{name}x{offset:+d}={_at(sentence.xpos, word + offset)}"
        for offset in (-1, 1):
            yield f"{name}l{offset:+d}={_at(sentence.lemmas, word + offset)}"
    yield f"bf={_at(sentence.lemmas, parser.front)}"
    yield f"bx={_at(sentence.xpos, parser.front)}"
    yield f"b2x={_at(sentence.xpos, parser.front + 1)}"
    yield f"d={_distance(pair[1][1] - pair[0][1])}"
    for name, word in pair:
        yield f"{name}c={min(parser.left[word], 2)},{min(parser.right[word], 2)}"


def _at(column: list[str], place: int) -> str:
    return column[place] if 0 <= place < len(column) else _OUTSIDE


def _distance(words: int) -> int:
    """1 to 4 as they are, then 5-6, 7-10 and more by their least."""
    return words if words <= 4 else 5 if words <= 6 else 7 if words <= 10 else 11


def _examples(part: str) -> Iterator[Example]:
    for sentence in treebank(f"en_ewt-ud-{part}"):
        yield from decisions(sentence)
