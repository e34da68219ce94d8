"""Treebanks: sentences with trees, from files in CoNLL-U or from Python, as the core takes them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike as OsPath
from typing import Any, Protocol, TypeGuard, cast

import numpy as np

from gristmill import _core
from gristmill.apps.columns import BOM, decoded_lines, whole_blocks, without_mark
from gristmill.apps.parsing.tree import (
    COLUMNS,
    NOTHING,
    DependencyTree,
    Sentences,
    Word,
    columns_of_words,
    conllu_of,
    place_of,
    sentences_of,
    trees_of,
)
from gristmill.base.arrays import Int32s
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name, line_blocks, read_bytes
from gristmill.data.formats.kinds import CONLLU, TABLE, TEXT
from gristmill.data.formats.reading import reading

BLOCK = 1 << 22  # bytes of a file that are worked on at once
TEXT_BLOCK = 1 << 18  # of one that becomes words of Python
EMPTY_NODES = re.compile(rb"^[0-9]+\.[0-9]+\t.*\n?", re.MULTILINE)

Source = PathLike | Sentences  # a file in CoNLL-U, or sentences


# --- files ------------------------------------------------------------------------------------------------------------


def read_conllu(path: PathLike) -> _core.Conllu:
    """A whole file; FormatError with line and column where it is not CoNLL-U."""
    with reading(path, CONLLU) as looked:
        return _core.Conllu.parse(looked.content(read_bytes(path)).removeprefix(BOM))


def read_trees(treebank: Source) -> _core.Conllu:
    """A whole file, or sentences, all of which have trees."""
    if is_path(treebank):
        text = read_conllu(treebank)
        with naming(display_name(treebank)):
            text.heads()
        return text
    sentences = sentences_of(cast(Sentences, treebank))
    Treebank.of_words(sentences)
    return conllu_of(sentences)


def read_tags(path: PathLike, column: str) -> _core.Columns:
    """The forms of a file in CoNLL-U, each with one of its other columns."""
    text = read_conllu(path)
    with naming(display_name(path)):
        return tags_of_conllu(text, column)


def tags_of_conllu(text: _core.Conllu, column: str) -> _core.Columns:
    """Forms, each with one of the other columns; FormatError where a word has none."""
    columns = text.columns.picked([0, COLUMNS.index(column)])
    missing = next((number for number, cell in enumerate(columns.column(1), 1) if not cell), None)
    if missing is not None:
        raise FormatError(f"word {missing} of the file has no {column}")
    return columns


def conllu_blocks(path: PathLike) -> Iterator[_core.Conllu]:
    """A file of any size, some sentences at a time."""
    with reading(path, CONLLU) as looked:
        yield from conllu_of_blocks(looked.blocks(line_blocks(path, BLOCK)))


def conllu_of_blocks(blocks: Iterator[bytes]) -> Iterator[_core.Conllu]:
    """The same for the lines of a file."""
    line = 1
    for text in whole_blocks(without_mark(blocks), end_of_sentences):
        parsed = _core.Conllu.parse(text, line)
        line += parsed.lines
        yield parsed


def text_blocks(path: PathLike) -> Iterator[_core.Conllu]:
    """A file of sentences, one a line, their words separated by blanks; some at a time.

    Comments number the sentences and hold their text, with one space between words, whatever blanks there were.
    """
    with reading(path, TEXT, also=(TABLE,)) as looked:
        yield from conllu_of_lines(looked.blocks(line_blocks(path, TEXT_BLOCK)))


def conllu_of_lines(blocks: Iterator[bytes]) -> Iterator[_core.Conllu]:
    """The same for the lines of a file."""
    line, count = 1, 0
    for block in without_mark(blocks):
        sentences = [forms for one in decoded_lines(block, line).splitlines() if (forms := one.split())]
        yield _core.Conllu.parse("".join(map(commented, sentences, itertools.count(count + 1))).encode())
        count += len(sentences)
        line += block.count(b"\n")


def commented(forms: Sequence[str], number: int) -> str:
    """A sentence of text in CoNLL-U, with the comments that say which it is and what it was."""
    return f"# sent_id = {number}\n# text = {' '.join(forms)}\n{DependencyTree(tuple(map(Word, forms))).conllu()}"


def with_trees(text: _core.Conllu, heads: Int32s, relations: Int32s, names: Sequence[str]) -> bytes:
    """The text again with these trees, and without enhanced dependencies, which spoke of other ones.

    The column DEPS is empty then, and empty nodes (8.1), which are nodes of the enhanced graph alone, are left out.
    """
    return EMPTY_NODES.sub(b"", text.filled(heads, (relations, names)))


class ColumnTagger(Protocol):
    """A tagger that was learned from columns of CoNLL-U: `Tagger`, `MorphologicalTagger`."""

    @property
    def conllu_columns_(self) -> tuple[str, ...]:
        """Those that it fills in."""
        ...

    def fill_conllu(self, text: _core.Conllu) -> Mapping[str, Any]:
        """What it finds, as `Conllu.filled` takes it."""
        ...

    def relearned(self, text: _core.Conllu) -> ColumnTagger:
        """One with the same parameters, learned from another text."""
        ...


def fill_tags(text: _core.Conllu, taggers: Iterable[ColumnTagger]) -> _core.Conllu:
    """The text with tags as taggers find them, each in the columns that it was learned from."""
    for tagger in taggers:
        text = _core.Conllu.parse(text.filled(**tagger.fill_conllu(text)))
    return text


def end_of_sentences(text: bytes) -> int:
    """How much of it is whole sentences, each with the empty line behind it."""
    return max(text.rfind(b"\n\n") + 2, text.rfind(b"\n\r\n") + 3) if b"\n\n" in text or b"\n\r\n" in text else 0


# --- trees ------------------------------------------------------------------------------------------------------------


def is_path(treebank: Source) -> TypeGuard[PathLike]:
    return isinstance(treebank, (str, OsPath))


@dataclass(frozen=True)
class Treebank:
    """Trees as the core takes them: words, heads within their sentence (-1 for the root), relations and their names."""

    columns: _core.Columns
    heads: Int32s
    relations: Int32s
    names: list[str]

    @classmethod
    def of_conllu(cls, text: _core.Conllu) -> Treebank:
        words = _core.Strings([])
        return cls(text.columns, text.heads(), text.relations(words), words.words())

    @classmethod
    def of_words(cls, sentences: Sequence[tuple[Word, ...]]) -> Treebank:
        heads, names, numbers = list[int](), dict[str, int](), list[int]()
        for number, words in enumerate(sentences):
            own = [_head_of(word, len(words), place_of(number, at)) for at, word in enumerate(words, 1)]
            fault = _core.tree_fault(np.array(own, dtype=np.int32))
            if fault is not None:
                raise ValueError(f"{place_of(number)}: {fault[1]}")
            heads += own
            numbers += [names.setdefault(str(word.deprel), len(names)) for word in words]
        columns = columns_of_words(sentences)
        return cls(columns, np.array(heads, dtype=np.int32), np.array(numbers, dtype=np.int32), list(names))

    def __len__(self) -> int:
        return len(self.columns)

    def sorted(self) -> Treebank:
        """The same with names in order, so that numbers do not depend on which sentence comes first."""
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return Treebank(self.columns, self.heads, place[self.relations], [self.names[at] for at in order])


def _head_of(word: Word, words: int, where: str) -> int:
    if not isinstance(word.head, (int, np.integer)) or word.deprel is None:
        raise ValueError(f"{where}: expected a head and a relation, got {word.head!r} and {word.deprel!r}")
    if not 0 <= word.head <= words:
        raise ValueError(f"{where}: the head {word.head} is no word of a sentence of {words}")
    return int(word.head) - 1


def read_treebank(treebank: Source) -> Treebank:
    """A file in CoNLL-U, or sentences of words that have heads and relations."""
    name = display_name(treebank) if is_path(treebank) else None
    if is_path(treebank):
        with naming(display_name(treebank)):
            found = Treebank.of_conllu(read_conllu(treebank))
    else:
        found = Treebank.of_words(sentences_of(cast(Sentences, treebank)))
    if found.columns.tokens == 0:
        raise FormatError("there are no words", name)
    return found


def trees_of_conllu(text: _core.Conllu, chosen: slice = slice(None)) -> list[DependencyTree]:
    """All trees of a text, or those of some sentences; FormatError where there is none."""
    treebank, found = Treebank.of_conllu(text), list[DependencyTree]()
    places = [*pairwise(text.columns.starts().tolist())][chosen]
    for (begin, end), words in zip(places, words_of_columns(text.columns, chosen), strict=True):
        found += trees_of([words], treebank.heads[begin:end], treebank.relations[begin:end], treebank.names)
    return found


def words_of_columns(columns: _core.Columns, chosen: slice = slice(None)) -> Iterator[tuple[Word, ...]]:
    """The words of all sentences, or of some, without heads and relations."""
    cells = [columns.column(column) for column in range(len(COLUMNS))]
    for begin, end in [*pairwise(columns.starts().tolist())][chosen]:
        own = zip(*(column[begin:end] for column in cells), strict=True)
        yield tuple(Word(*(cell or NOTHING for cell in one)) for one in own)  # type: ignore[arg-type]
