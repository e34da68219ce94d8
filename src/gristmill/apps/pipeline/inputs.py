"""What a pipeline reads: raw text, or words that are given, as CoNLL-U in blocks; files may be larger than memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from gristmill import _core
from gristmill.apps.columns import decoded_lines, whole_blocks, without_mark
from gristmill.apps.parsing.surface import read_surface
from gristmill.apps.parsing.treebank import (
    BLOCK,
    EMPTY_NODES,
    commented,
    conllu_of_blocks,
    conllu_of_lines,
    end_of_sentences,
)
from gristmill.apps.segmentation.files import as_bytes
from gristmill.apps.tokenization.gold import raw_text
from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, blocks_of_bytes, line_blocks
from gristmill.data.formats.kinds import COLUMNS, CONLLU, TABLE, TEXT, Kind
from gristmill.data.formats.reading import reading

Input = Literal["text", "horizontal", "vertical", "conllu"]
Reader = Callable[[Iterator[bytes]], Iterable[_core.Conllu]]

TEXT_BLOCK = 1 << 18  # bytes of text, which is ten times as long in CoNLL-U


def conllu_of_vertical(blocks: Iterator[bytes]) -> Iterator[_core.Conllu]:
    """A word a line, an empty line between sentences; these are numbered, and their text is in a comment."""
    line, count = 1, 0
    for block in whole_blocks(without_mark(blocks), end_of_sentences):
        sentences = [*_sentences_of_lines(decoded_lines(block, line), line)]
        numbered = (commented(words, number) for number, words in enumerate(sentences, count + 1))
        yield _core.Conllu.parse("".join(numbered).encode())
        line, count = line + block.count(b"\n"), count + len(sentences)


def _sentences_of_lines(text: str, first: int) -> Iterator[list[str]]:
    words = list[str]()
    for number, line in enumerate(text.split("\n"), first):
        word = line.strip()
        if "\t" in word:
            raise FormatError("expected one word, got several columns separated by tabs", None, number, 1)
        if word:
            words.append(word)
        elif words:
            yield words
            words = []
    if words:
        yield words


WORDS: dict[str, tuple[Reader, Kind, int]] = {  # inputs whose words are given: what reads them, kind, bytes of a block
    "horizontal": (conllu_of_lines, TEXT, TEXT_BLOCK),
    "vertical": (conllu_of_vertical, COLUMNS, TEXT_BLOCK),
    "conllu": (conllu_of_blocks, CONLLU, BLOCK),
}
INPUTS = ("text", *WORDS)


def blocks_of_file(path: PathLike, given: str, read_text: Reader | None) -> Iterator[_core.Conllu]:
    """The sentences of a file, some at a time; `read_text` finds words in raw text."""
    read, kind, size = (words_in(read_text), TEXT, TEXT_BLOCK) if given == "text" else WORDS[given]
    with reading(path, kind, also=() if kind is CONLLU else (TABLE, TEXT, COLUMNS)) as looked:
        yield from read(looked.blocks(line_blocks(path, size)))


def blocks_of_text(text: str, given: str, read_text: Reader | None) -> Iterator[_core.Conllu]:
    """The same for text in memory."""
    read, _, size = (words_in(read_text), TEXT, TEXT_BLOCK) if given == "text" else WORDS[given]
    yield from read(blocks_of_bytes(as_bytes(text), size))


def words_in(read_text: Reader | None) -> Reader:
    """What finds words in raw text, if there is anything; ValueError where there is not."""
    if read_text is None:
        raise ValueError(
            "the pipeline has no tokenizer and finds no words in text: give words, as 'horizontal' (a sentence a "
            "line), 'vertical' (a word a line) or 'conllu'"
        )
    return read_text


# --- what is known of a treebank --------------------------------------------------------------------------------------

STARTS = ("text", "words", "tags")
_CELLS = re.compile(rb"^([0-9]+\t[^\t\n]*\t)((?:[^\t\n]*\t){4})[^\t\n]*\t[^\t\n]*\t[^\t\n]*\t", re.MULTILINE)


def starts_of(gold: _core.Conllu, given: str, read_text: Reader | None) -> Iterable[_core.Conllu]:
    """What a pipeline is given of a treebank: its raw text, its words, or its words with all but their trees."""
    if given == "text":
        return words_in(read_text)(iter([raw_text(read_surface(gold)).encode()]))
    columns = rb"\1\2_\t_\t_\t" if given == "tags" else rb"\1_\t_\t_\t_\t_\t_\t_\t"
    return [_core.Conllu.parse(EMPTY_NODES.sub(b"", _CELLS.sub(columns, gold.filled())))]
