"""Files of columns: a token a line, its cells separated by blanks, an empty line between sentences.

Also what files of sentences share: blocks that end behind a sentence, and text that is decoded with its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from gristmill import _core
from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, line_blocks, read_bytes
from gristmill.data.formats.kinds import COLUMNS
from gristmill.data.formats.reading import reading

Token = str | Sequence[str]

BLOCK = 1 << 22  # bytes of a file that are worked on at once
BOM = b"\xef\xbb\xbf"  # some programs begin a file with it


def read_columns(path: PathLike, *, encoding: str = "utf-8", tabs: bool = False) -> _core.Columns:
    """A whole file; FormatError with line and column where a line has more or fewer cells than the first one."""
    check_encoding(encoding)
    with reading(path, COLUMNS) as looked:
        text = looked.content(read_bytes(path))
        text = text.removeprefix(BOM) if _is_utf8(encoding) else text
        return _core.Columns.parse(_as_utf8(text, encoding, 1), tabs=tabs)


def column_blocks(path: PathLike, *, encoding: str = "utf-8", tabs: bool = False) -> Iterator[_core.Columns]:
    """A file of any size, some sentences at a time, all with as many columns as the first one."""
    check_encoding(encoding)
    line, columns, decided = 1, 0, False

    def end_of_sentences(block: bytes) -> int:
        nonlocal decided
        end = _core.complete_sentences(block, tabs)
        end = end if decided or _tells_columns(block[:end]) else 0
        decided = decided or _tells_columns(block)
        return end

    with reading(path, COLUMNS) as looked:
        blocks = looked.blocks(line_blocks(path, BLOCK))
        for text in whole_blocks(without_mark(blocks) if _is_utf8(encoding) else blocks, end_of_sentences):
            parsed = _core.Columns.parse(_as_utf8(text, encoding, line), line, columns, tabs)
            line, columns = line + parsed.lines, parsed.columns or columns
            yield parsed


def without_mark(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks of a file in UTF-8, the first one without its byte order mark."""
    for first in blocks:
        yield first.removeprefix(BOM)
        yield from blocks


def whole_blocks(blocks: Iterable[bytes], end_of: Callable[[bytes], int]) -> Iterator[bytes]:
    """Blocks cut where `end_of` says that sentences of a block end; a longer sentence is joined once."""
    waiting = list[bytes]()
    for block in blocks:
        end = end_of(block)
        if end:
            yield b"".join([*waiting, block[:end]])
            waiting = []
        waiting.append(block[end:])
    if any(waiting):
        yield b"".join(waiting)


def _tells_columns(text: bytes) -> bool:
    """Whether it tells how many there are, and so whether a line EOS is a token."""
    return any(line.strip(b" \t\r") not in (b"", b"EOS") for line in text.split(b"\n"))


def check_encoding(encoding: str) -> None:
    """ValueError where there is none of that name, or where lines do not end with the byte that they end with here."""
    try:
        plain = "a\t \n".encode(encoding).endswith(b"a\t \n")
    except LookupError as error:
        raise ValueError(f"there is no encoding {encoding!r}") from error
    if not plain:
        raise ValueError(f"files in {encoding} cannot be read line by line: convert them to UTF-8")


def columns_of(sentences: Iterable[Sequence[Token]], columns: int | None = None) -> _core.Columns:
    """Sentences of Python: lists of tokens, each a string or a tuple of as many strings as the first one."""
    cells, lengths = list[str](), list[int]()
    for number, sentence in enumerate(sentences):
        lengths.append(len(sentence))
        for place, token in enumerate(sentence):
            own = (token,) if isinstance(token, str) or not isinstance(token, Iterable) else tuple(token)
            if columns is None:
                columns = max(1, len(own))
            if len(own) != columns or not own or not all(isinstance(cell, str) for cell in own):
                raise ValueError(
                    f"sentence {number}, token {place}, counted from 0: expected {_strings(columns)}, got {token!r}"
                )
            cells += own
    try:
        return _core.Columns.of_cells(cells, columns or 1, np.array(lengths, dtype=np.int64))
    except (TypeError, UnicodeEncodeError) as error:
        raise ValueError("a cell holds half a surrogate pair, which UTF-8 cannot spell") from error


def split_columns(columns: _core.Columns, share: float) -> tuple[_core.Columns, _core.Columns]:
    """The sentences of columns but for the last share of them, and these; ValueError unless both have some."""
    at = begin_of_last(len(columns), share)
    cells = list(zip(*(columns.column(place) for place in range(columns.columns)), strict=True))
    first, lengths = columns.starts()[at], np.diff(columns.starts())
    sides = ((cells[:first], lengths[:at]), (cells[first:], lengths[at:]))
    one, other = (
        _core.Columns.of_cells([cell for token in own for cell in token], columns.columns, sizes)
        for own, sizes in sides
    )
    return one, other


def begin_of_last(sentences: int, share: float) -> int:
    """Where the last share of sentences begins; at least one is before it, and one behind."""
    if sentences < 2:
        raise ValueError("a single sentence cannot be split: give a file instead of a share")
    return min(max(round(sentences * (1 - share)), 1), sentences - 1)


def as_encoded(text: bytes, encoding: str) -> bytes:
    """UTF-8 in another encoding, the one that the text was read in; only tags, which come last, may not be in it."""
    if _is_utf8(encoding):
        return text
    spelled = text.decode()
    try:
        return spelled.encode(encoding)
    except UnicodeEncodeError as error:
        line = spelled[spelled.rfind("\n", 0, error.start) + 1 :].split("\n", 1)[0]
        tag = re.split("[ \t]", line.rstrip("\r"))[-1]
        raise ValueError(f"{encoding} cannot spell the tag {tag!r}: convert the file to UTF-8") from error


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")


def _strings(columns: int) -> str:
    return "a string" if columns == 1 else f"{columns} strings"


def _as_utf8(text: bytes, encoding: str, line: int) -> bytes:
    return text if _is_utf8(encoding) else decoded_lines(text, line, encoding).encode()


def decoded_lines(text: bytes, line: int = 1, encoding: str = "UTF-8") -> str:
    """Lines of text, the first of which has this number; FormatError where they are not in the encoding."""
    try:
        return text.decode(encoding)
    except UnicodeDecodeError as error:
        begin = text.rfind(b"\n", 0, error.start) + 1
        line += text.count(b"\n", 0, error.start)
        raise FormatError(f"the text is not {encoding}", None, line, error.start - begin + 1) from error
