"""The text of treebanks: tokens as they are written, words that some of them are, white space, paragraphs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gristmill import _core
from gristmill.apps.columns import decoded_lines, whole_blocks, without_mark
from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, line_blocks
from gristmill.data.formats.kinds import CONLLU
from gristmill.data.formats.reading import reading

BLOCK = 1 << 22  # bytes of a file that are worked on at once
_BREAK = re.compile(r"#\s*new(?:doc|par)\b")
_ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")


class SurfaceToken(NamedTuple):
    """A token as it is written: a word, or several."""

    form: str
    words: tuple[str, ...] = ()  # of a token of several
    misc: str = "_"

    @property
    def has_space(self) -> bool:
        """Whether white space is behind it."""
        return "SpaceAfter=No" not in self.misc.split("|")


@dataclass(frozen=True)
class SurfaceSentence:
    """A sentence as it is written."""

    tokens: Sequence[SurfaceToken]
    begins_paragraph: bool = False  # or a document

    @property
    def text(self) -> str:
        """With what is behind the last token."""
        return "".join(token.form + " " * token.has_space for token in self.tokens)


def read_surface(source: PathLike | _core.Conllu) -> list[SurfaceSentence]:
    """The sentences of a file in CoNLL-U, or of what was read of one; FormatError where it is not that."""
    if isinstance(source, _core.Conllu):
        return [*surface_sentences([source.filled()])]
    path = source
    with reading(path, CONLLU) as looked:
        return [*surface_sentences(without_mark(looked.blocks(line_blocks(path, BLOCK))))]


def surface_sentences(blocks: Iterable[bytes]) -> Iterator[SurfaceSentence]:
    """The sentences of CoNLL-U that comes in blocks."""
    return itertools.chain.from_iterable(surface_blocks(blocks))


def surface_blocks(blocks: Iterable[bytes]) -> Iterator[list[SurfaceSentence]]:
    """The same, some sentences at a time."""
    number = 1
    for part in whole_blocks(blocks, _core.complete_sentences):
        yield [*_sentences(decoded_lines(part, number), number)]
        number += part.count(b"\n")


def _sentences(text: str, number: int) -> Iterator[SurfaceSentence]:
    builder = _Builder()
    for at, line in enumerate(text.split("\n"), number):
        if not line.strip():
            yield from builder.finished()
        elif line.startswith("#"):
            builder.begins_paragraph |= _BREAK.match(line) is not None
        else:
            builder.add(line.removesuffix("\r"), at)
    yield from builder.finished()


class _Builder:
    """A sentence on its way."""

    def __init__(self) -> None:
        self.begins_paragraph = False
        self._tokens = list[SurfaceToken]()
        self._range: tuple[str, str] | None = None  # form and misc of the token whose words come
        self._words = list[str]()
        self._left = 0  # words that it still has

    def add(self, line: str, number: int) -> None:
        cells = line.split("\t")
        found = _ID.fullmatch(cells[0])
        if len(cells) != 10 or not cells[1].strip() or found is None:
            expected = "a number, a word and eight more columns of CoNLL-U, separated by tabs"
            raise FormatError(f"expected {expected}, got {line!r:.80}", None, number, 1)
        if found[2] == "-":
            self._range, self._left = (cells[1], cells[9]), int(found[3]) - int(found[1]) + 1
        elif found[2] is None and self._range is None:
            self._tokens.append(SurfaceToken(cells[1], (), cells[9]))
        elif found[2] is None:
            self._add_word(cells[1])

    def _add_word(self, form: str) -> None:
        self._words.append(form)
        self._left -= 1
        if self._left <= 0:
            self._end_range()

    def _end_range(self) -> None:
        if self._range is not None:
            form, misc = self._range
            self._tokens.append(SurfaceToken(form, tuple(self._words), misc))
        self._range, self._words = None, []

    def finished(self) -> Iterator[SurfaceSentence]:
        self._end_range()
        if self._tokens:
            yield SurfaceSentence(self._tokens, self.begins_paragraph)
        self._tokens, self.begins_paragraph = [], False
