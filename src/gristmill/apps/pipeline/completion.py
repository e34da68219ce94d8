"""Filling in what CoNLL-U leaves open: what is given stays, also where it is a part of a tree."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gristmill import _core
from gristmill.apps.parsing.alignment import word_in_cycle
from gristmill.apps.parsing.tree import COLUMNS, NOTHING
from gristmill.apps.parsing.treebank import with_trees
from gristmill.base.arrays import Int32s
from gristmill.base.errors import FormatError

Filling = tuple[Int32s, Sequence[str]]  # numbers of words in a list of words
Fillings = dict[str, Any]  # what `Conllu.filled` takes: a Filling of each column; of trees, heads and relations

OPEN = -1  # the head of a word that has none yet; heads count from 1 here, 0 is the root's
ROOT, UNKNOWN = "root", "dep"  # relations of words whose predicted head did not fit the given ones

_TREE_CELLS = re.compile(rb"^[0-9]+\t(?:[^\t\n]*\t){5}([^\t\n]*)\t([^\t\n]*)", re.MULTILINE)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_IS_WORD = re.compile(rb"[0-9]+\t")


def completed(text: _core.Conllu, fillings: Fillings) -> _core.Conllu:
    """The text with these columns, but for cells and trees that it has already."""
    if "heads" in fillings:
        return _core.Conllu.parse(_with_open_trees(text, fillings["heads"], *fillings["relations"]))
    kept: Fillings = {column: _kept(text, column, one) for column, one in fillings.items()}
    return _core.Conllu.parse(text.filled(**kept))


def _kept(text: _core.Conllu, column: str, filling: Filling) -> Filling:
    """The filling with the cells that are given in their places."""
    numbers, words = filling
    cells = text.columns.column(COLUMNS.index(column))
    return _overlaid([cell or None for cell in cells], numbers, words)


def _overlaid(given: Sequence[str | None], numbers: Int32s, words: Sequence[str]) -> Filling:
    """A filling that says what is given where something is, else what it said."""
    places, chosen, known = dict[str, int](), numbers.copy(), list(words)
    for at, cell in enumerate(given):
        if cell is not None:
            chosen[at] = places.setdefault(cell, len(known))
            if chosen[at] == len(known):
                known.append(cell)
    return chosen, known


# --- trees ------------------------------------------------------------------------------------------------------------


def _with_open_trees(text: _core.Conllu, heads: Int32s, relations: Int32s, names: Sequence[str]) -> bytes:
    """Sentences whose trees are given stay as they are; in others given heads and relations stay."""
    before = text.filled()
    given, labels = _given_trees(before)
    if all(head == OPEN for head in given) and not any(labels):
        return with_trees(text, heads, relations, names)
    joined, whole = heads.copy(), list[bool]()
    forms = text.columns.column(0)
    for begin, end in pairwise(text.columns.starts().tolist()):
        whole.append(OPEN not in given[begin:end] and all(labels[begin:end]))
        if not whole[-1]:
            with _naming_sentence(forms[begin:end]):
                joined[begin:end] = np.array(joined_heads(given[begin:end], (heads[begin:end] + 1).tolist())) - 1
    moved = np.flatnonzero((joined != heads) & np.array([head == OPEN for head in given]))
    for at in moved.tolist():
        labels[at] = labels[at] or (ROOT if joined[at] < 0 else UNKNOWN)
    after = with_trees(text, joined, *_overlaid(labels, relations, names))
    pieces = zip(sentences_of_text(before), sentences_of_text(after), whole, strict=True)
    return b"".join(old if is_whole else new for old, new, is_whole in pieces)


def with_flat_trees(text: _core.Conllu) -> _core.Conllu:
    """The text with trees in which all words of a sentence depend on the first one, for where there must be some."""
    is_first = np.zeros(text.columns.tokens, dtype=bool)
    is_first[text.columns.starts()[:-1]] = True
    heads, relations = (np.where(is_first, *values).astype(np.int32) for values in ((-1, 0), (0, 1)))
    return _core.Conllu.parse(with_trees(text, heads, relations, [ROOT, UNKNOWN]))


def _given_trees(text: bytes) -> tuple[list[int], list[str | None]]:
    """Heads and relations of all words, where they are given."""
    cells = [(head.decode(), label.decode()) for head, label in _TREE_CELLS.findall(text)]
    heads = [int(head) if head.isdecimal() else OPEN for head, _ in cells]
    return heads, [label if label and label != NOTHING else None for _, label in cells]


@contextlib.contextmanager
def _naming_sentence(forms: Sequence[str]) -> Iterator[None]:
    """Say which sentence an error is about."""
    try:
        yield
    except FormatError as error:
        error.message = f"the sentence {' '.join(forms):.60}: {error.message}"
        raise


def sentences_of_text(text: bytes) -> list[bytes]:
    """CoNLL-U in pieces, each with the words of one sentence and the lines around them."""
    pieces, begin, at, has_words = list[bytes](), 0, 0, False
    for line in _LINE.findall(text):
        at += len(line)
        has_words = has_words or _IS_WORD.match(line) is not None
        if has_words and not line.strip():
            pieces.append(text[begin:at])
            begin, has_words = at, False
    if begin < len(text):
        pieces.append(text[begin:]) if has_words or not pieces else pieces.append(pieces.pop() + text[begin:])
    return pieces


def joined_heads(given: Sequence[int], predicted: Sequence[int]) -> list[int]:
    """The heads that are given, and others as predicted where that makes a tree.

    FormatError where those that are given make none. Words whose predicted heads do not fit depend on the root.
    """
    heads = [found if head == OPEN else head for head, found in zip(given, predicted, strict=True)]
    if max(heads) > len(heads):
        raise FormatError(f"the head {max(heads)} is no word of a sentence of {len(heads)}")
    if list(given).count(0) > 1:
        raise FormatError("a sentence has two roots among the heads that are given")
    root = given.index(0) + 1 if 0 in given else heads.index(0) + 1 if 0 in heads else 0
    heads = [root if head == 0 and number != root else head for number, head in enumerate(heads, 1)]
    while word := word_in_cycle(heads):
        freed = next((one for one in _loop_of(heads, word) if given[one - 1] == OPEN), None)
        if freed is None:
            raise FormatError(f"the heads that are given are no tree: word {word} is above itself")
        heads[freed - 1], root = root, root or freed
    return heads


def _loop_of(heads: Sequence[int], word: int) -> list[int]:
    """The words on the way up from one that is above itself, in their order."""
    loop, at = [word], heads[word - 1]
    while at != word:
        loop.append(at)
        at = heads[at - 1]
    return sorted(loop)
