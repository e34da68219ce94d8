"""Words of two analyses of one text, found in each other as the CoNLL 2018 shared task does it (Zeman et al. 2018).

Tokens are spans of the text without its spaces. Words that are tokens are one word if their spans are equal. Where a
token of either side has several words, words of that stretch of text are matched by their forms: a longest common
subsequence, by the bits of Crochemore et al. (2001).
Cost: linear, and for a stretch the product of its words of both sides, 64 of them at once.
"""

from __future__ import annotations

import functools
import re
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from gristmill import _core
from gristmill.base.errors import FormatError

Span = tuple[int, int]

ROOT = -1  # the head of a root

COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()
_FORM, _LEMMA, _UPOS, _XPOS, _FEATS, _HEAD, _DEPREL = range(1, 8)

_UNIVERSAL = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect "
    "Voice Evident Polarity Person Polite".split()
)
_NUMBER = re.compile(r"[0-9]{1,9}")
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_EMPTY = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}")
_SPACES = re.compile("[ \xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")  # all of category Zs


@dataclass
class Words:
    """What is compared of a file, column by column."""

    text: str = ""
    tokens: list[Span] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # of tokens
    sentences: list[Span] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)  # of the token of each word
    parts: list[bool] = field(default_factory=list)  # whether the token of a word has several
    forms: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)  # universal ones
    heads: list[int] = field(default_factory=list)  # words of the file counted from 0, or ROOT
    relations: list[str] = field(default_factory=list)  # without subtypes

    def __len__(self) -> int:
        return len(self.heads)


def read_words(text: str) -> Words:
    """Read CoNLL-U; FormatError where a line is not of it or a sentence no tree."""
    reader = _Reader()
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        reader.take(line.rstrip("\r"), number)
    return reader.finish()


class _Reader:
    def __init__(self) -> None:
        self.words = Words()
        self.characters: list[str] = []  # tokens
        self.place = 0  # in the text
        self.begin = 0  # the first word of the sentence
        self.lines: list[int] = []  # of the words of the sentence
        self.waiting = 0  # words that the last token still has

    def take(self, line: str, number: int) -> None:
        if not line.strip():
            self.end_sentence()
        elif not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) != len(COLUMNS):
                raise FormatError(f"expected ten columns separated by tabs, got {len(cells)}", None, number, 1)
            self._take_cells(cells, number)

    def finish(self) -> Words:
        self.end_sentence()
        self.words.text = "".join(self.characters)
        return self.words

    def _take_cells(self, cells: list[str], number: int) -> None:
        if not cells[_FORM]:
            _refuse(cells, _FORM, number, "a word")
        expected = len(self.lines) + 1
        if cells[0] == str(expected):
            self._take_word(cells, number)
        elif several := _RANGE.fullmatch(cells[0]):
            if self.waiting or int(several[1]) != expected or int(several[2]) < expected:
                _refuse(cells, 0, number, f"word {expected}" if self.waiting else f"a range from {expected} on")
            self._take_token(cells, number)
            self.waiting = int(several[2]) - expected + 1
        elif not _EMPTY.fullmatch(cells[0]):  # nodes that the text has not are left out
            _refuse(cells, 0, number, f"word {expected}")

    def _take_token(self, cells: list[str], number: int) -> None:
        cells[_FORM] = _SPACES.sub("", cells[_FORM])
        if not cells[_FORM]:
            _refuse(cells, _FORM, number, "a word of more than spaces")
        end = self.place + len(cells[_FORM])
        self.words.tokens.append((self.place, end))
        self.words.lines.append(number)
        self.characters.append(cells[_FORM])
        self.place = end

    def _take_word(self, cells: list[str], number: int) -> None:
        words = self.words
        words.parts.append(self.waiting > 0)
        if self.waiting:
            self.waiting -= 1
        else:
            self._take_token(cells, number)
        if not _NUMBER.fullmatch(cells[_HEAD]):
            _refuse(cells, _HEAD, number, "the number of the word's head, or 0 for the root")
        self.lines.append(number)
        words.spans.append(words.tokens[-1])
        words.forms.append(cells[_FORM])
        words.lemmas.append(cells[_LEMMA])
        words.upos.append(cells[_UPOS])
        words.xpos.append(cells[_XPOS])
        words.feats.append(_universal(cells[_FEATS]))
        words.heads.append(int(cells[_HEAD]))
        words.relations.append(cells[_DEPREL].partition(":")[0])

    def end_sentence(self) -> None:
        if self.waiting:
            missing = f"the sentence ends before word {len(self.lines) + 1}, which is a part of this token"
            raise FormatError(missing, None, self.words.lines[-1])
        if self.lines:
            words, begin = self.words, self.begin
            heads = words.heads[begin:]
            _check_tree(heads, self.lines)
            words.heads[begin:] = [begin + head - 1 if head else ROOT for head in heads]
            words.sentences.append((words.spans[begin][0], self.place))
            self.begin, self.lines = len(words), []


def _refuse(cells: list[str], column: int, number: int, expected: str) -> NoReturn:
    before = "".join(f"{cell}\t" for cell in cells[:column])
    got = f"expected {expected} in column {COLUMNS[column]}, got {cells[column]!r:.80}"
    raise FormatError(got, None, number, len(before.encode(errors="surrogatepass")) + 1)


@functools.lru_cache(maxsize=1 << 14)
def _universal(feats: str) -> str:
    return "|".join(sorted(one for one in feats.split("|") if one.partition("=")[0] in _UNIVERSAL))


def _check_tree(heads: Sequence[int], lines: Sequence[int]) -> None:
    """FormatError where heads, counted from 1, are not those of a tree with one root."""
    fault = _core.tree_fault(np.array(heads, dtype=np.int32) - 1)
    if fault is not None:
        raise FormatError(fault[1], None, lines[fault[0]])


def word_in_cycle(heads: Sequence[int]) -> int:
    """A word, counted from 1 as heads are, that is above itself; 0 if there is none."""
    seen = [-1] + [0] * len(heads)
    for start in range(1, len(seen)):
        word = start
        while not seen[word]:
            seen[word] = start
            word = heads[word - 1]
        if seen[word] == start:
            return word
    return 0


def check_same_text(gold: Words, system: Words) -> None:
    """FormatError, with the line of the system's file, where tokens do not join to the same text."""
    if gold.text == system.text:
        return
    both = enumerate(zip(gold.text, system.text, strict=False))
    place = next((at for at, (one, other) in both if one != other), min(len(gold.text), len(system.text)))
    ours, theirs = (_text_at(words, place) for words in (system, gold))
    where = f"line {_line_at(gold, place)} of gold" if gold.lines else "gold"
    raise FormatError(f"the texts differ: {ours} here, {theirs} in {where}", None, _line_at(system, place))


def _text_at(words: Words, place: int) -> str:
    return repr(words.text[place : place + 20]) if place < len(words.text) else "the end"


def _line_at(words: Words, place: int) -> int | None:
    at = bisect_right(words.tokens, (place, sys.maxsize)) - 1
    return words.lines[at] if words.lines else None


# --- Alignment --------------------------------------------------------------------------------------------------------


def align(gold: Words, system: Words) -> list[tuple[int, int]]:
    """Pairs of a word of gold and one of system, counted from 0, in the order of the text."""
    ours, theirs, pairs = _Cursor(gold), _Cursor(system), list[tuple[int, int]]()
    while not ours.done and not theirs.done:
        if ours.in_parts or theirs.in_parts:
            first, second = _stretch(ours, theirs)
            common = _common(gold.forms[first : ours.at], system.forms[second : theirs.at])
            pairs += [(first + one, second + other) for one, other in common]
        elif ours.span == theirs.span:
            pairs.append((ours.at, theirs.at))
            ours.at += 1
            theirs.at += 1
        else:
            _earlier(ours, theirs).at += 1
    return pairs


class _Cursor:
    """The next word of a side."""

    def __init__(self, words: Words) -> None:
        self.spans = words.spans
        self.parts = words.parts
        self.at = 0

    @property
    def done(self) -> bool:
        return self.at == len(self.spans)

    @property
    def span(self) -> Span:
        return self.spans[self.at]

    @property
    def in_parts(self) -> bool:
        return self.parts[self.at]

    def is_before(self, end: int) -> bool:
        """Whether the word is in the text up to `end`; of a token of several words, whether it begins there."""
        return not self.done and (self.span[0] < end if self.in_parts else self.span[1] <= end)


def _earlier(ours: _Cursor, theirs: _Cursor) -> _Cursor:
    return theirs if ours.done or (not theirs.done and theirs.span[0] < ours.span[0]) else ours


def _stretch(ours: _Cursor, theirs: _Cursor) -> tuple[int, int]:
    """Pass all words of a stretch out of which no token of several words sticks; its first word of each side."""
    inner, other = (ours, theirs) if ours.in_parts else (theirs, ours)
    if not other.in_parts and other.span[0] < inner.span[0]:
        other.at += 1  # one word, no more: scores are to equal those of the task's script
    first, end = (ours.at, theirs.at), inner.span[1]
    while ours.is_before(end) or theirs.is_before(end):
        one = _earlier(ours, theirs)
        if one.in_parts:
            end = max(end, one.span[1])
        one.at += 1
    return first


def _common(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int]]:
    """A longest common subsequence of forms, whatever their case; of several, the one that the task's script takes."""
    ours, theirs = [form.lower() for form in ours], [form.lower() for form in theirs]
    rows = _common_lengths(ours, theirs)
    one = other = 0
    while one < len(ours) and other < len(theirs):
        rest = (1 << (len(theirs) - other)) - 1
        if ours[one] == theirs[other]:
            yield one, other
            one, other = one + 1, other + 1
        elif (rows[one] & rest).bit_count() == (rows[one + 1] & rest).bit_count():
            one += 1
        else:
            other += 1


def _common_lengths(ours: Sequence[str], theirs: Sequence[str]) -> list[int]:
    """For each end of `ours`: n bits have as many zeros as it has forms in common with the last n of `theirs`."""
    places: defaultdict[str, int] = defaultdict(int)
    for bit, form in enumerate(reversed(theirs)):
        places[form] |= 1 << bit
    every = (1 << len(theirs)) - 1
    rows = [every]
    for form in reversed(ours):
        hits = rows[-1] & places[form]
        rows.append(((rows[-1] + hits) | (rows[-1] - hits)) & every)
    return rows[::-1]
