"""Files of columns: a token a line, its cells separated by blanks, an empty line between sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from gristmill import _core
from gristmill.base.errors import FormatError
from gristmill.base.files import PathLike, line_blocks, read_bytes
from gristmill.data.formats.kinds import COLUMNS
from gristmill.data.formats.reading import reading

Token = str | Sequence[str]

BLOCK = 1 << 22  # bytes of a file that are worked on at once
_BOM = b"\xef\xbb\xbf"


def read_columns(path: PathLike, *, encoding: str = "utf-8", tabs: bool = False) -> _core.Columns:
    """A whole file; FormatError with line and column where a line has more or fewer cells than the first one."""
    check_encoding(encoding)
    with reading(path, COLUMNS) as looked:
        text = _begun(looked.content(read_bytes(path)), encoding)
        return _core.Columns.parse(_as_utf8(text, encoding, 1), tabs=tabs)


def column_blocks(path: PathLike, *, encoding: str = "utf-8", tabs: bool = False) -> Iterator[_core.Columns]:
    """A file of any size, some sentences at a time, all with as many columns as the first one."""
    check_encoding(encoding)
    line, columns, waiting, first, decided = 1, 0, list[bytes](), True, False
    with reading(path, COLUMNS) as looked:
        for block in chain(looked.blocks(line_blocks(path, BLOCK)), [None]):
            if block is not None:
                waiting.append(_begun(block, encoding) if first else block)
                first = False
            end = len(waiting[-1]) if waiting else 0
            if block is not None:  # a sentence that ends in no block so far is joined once
                end = _core.complete_sentences(waiting[-1], tabs)
                end = end if decided or _tells_columns(waiting[-1][:end]) else 0
                decided = decided or _tells_columns(block)
            if end:
                text = b"".join([*waiting[:-1], waiting[-1][:end]])
                waiting = [waiting[-1][end:]] if end < len(waiting[-1]) else []
                parsed = _core.Columns.parse(_as_utf8(text, encoding, line), line, columns, tabs)
                line, columns = line + parsed.lines, parsed.columns or columns
                yield parsed


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


def _begun(text: bytes, encoding: str) -> bytes:
    """The beginning of a file, without the mark that some programs put there."""
    return text.removeprefix(_BOM) if _is_utf8(encoding) else text


def _strings(columns: int) -> str:
    return "a string" if columns == 1 else f"{columns} strings"


def _as_utf8(text: bytes, encoding: str, line: int) -> bytes:
    if _is_utf8(encoding):
        return text
    try:
        return text.decode(encoding).encode()
    except UnicodeDecodeError as error:
        before = text[: error.start]
        column = error.start - (before.rfind(b"\n") + 1) + 1
        raise FormatError(f"the text is not {encoding}", None, line + before.count(b"\n"), column) from error
